import base64

from inspector.json.exact import dump_text, parse
from inspector.protocol.targets import COVERED, DemoTarget, HttpTarget, PageTarget, StdioTarget, Target
from inspector.secrets.own_credentials import OwnCredentials, credentials_of, own_credentials

KEY = "zQ81hhfKslw92mmXp04q"


def http(*headers: tuple[str, str], url: str = "http://h/mcp") -> Target:
    return HttpTarget(url=url, headers=headers)


def stdio(*words: str, **environment: str) -> Target:
    return StdioTarget(command=("server", *words), environment=environment)


def test_the_credentials_of_a_target_are_the_documented_ones() -> None:
    basic = base64.b64encode(b"ada:correcthorse").decode()
    for target, expected in (
        (http(("Authorization", f"Bearer {KEY}")), {f"Bearer {KEY}", KEY}),
        (http(("authorization", f"Basic {basic}")), {f"Basic {basic}", basic, "ada:correcthorse", "correcthorse"}),
        (http(("X-Api-Key", KEY), ("Accept-Language", "de-DE, en-GB, fr")), {KEY}),
        (http(("Cookie", f"sid={KEY}")), {f"sid={KEY}"}),
        (http(("X-Token", "abc")), set[str]()),
        (http(url=f"http://ada:correcthorse@h/mcp?page={KEY}"), {f"page={KEY}", KEY, "ada:correcthorse", "correcthorse"}),
        (stdio(API_TOKEN="12345678", DEBUG="true", WORKERS="12345678"), {"12345678"}),
        (stdio(API_TOKEN="1234567"), set[str]()),
        (stdio(SALT=KEY, DATA="/home/ada/projects/files", MODE="development"), {KEY}),
        (stdio(DATABASE="postgres://ada:correcthorse@h/db"), {"postgres://ada:correcthorse@h/db", "ada:correcthorse", "correcthorse"}),
        (stdio("--access-token", KEY, "--port", "8080"), {KEY}),
        (stdio(f"--api-key={KEY}", "-p", "aaaaaaaa"), {KEY}),
        (PageTarget(url="http://h/?a"), set[str]()),
        (DemoTarget(), set[str]()),
    ):  # fmt: skip
        assert set(credentials_of(target)) == expected, target


def test_words_that_repeat_a_credential_are_masked() -> None:
    own = own_credentials(http(("Authorization", f"Bearer {KEY}")))
    raw = KEY.encode()
    for spelt in (KEY, KEY.upper(), KEY[::-1], raw.hex(), base64.b64encode(b"x" + raw).decode(), KEY[:12]):
        assert own.mask(f"no: {spelt} is bad") == f"no: {COVERED} is bad"
    spaced = " ".join(KEY)
    assert own.mask(f"first\nno: {spaced}\nlast") == f"first\n{COVERED}\nlast"
    assert own.mask("\n".join(KEY)) == COVERED
    assert own.mask("Bearer is the scheme") == "Bearer is the scheme"


def test_only_parts_of_a_json_value_that_repeat_a_credential_are_masked() -> None:
    own = OwnCredentials(["1234567890", KEY])
    value = parse(f'{{"a":["x {KEY}",1.10,1234567890],"b":{{"{KEY}":1,"c":2}},"d":{{"e":true}}}}').value
    shown, places = own.masked(value)
    assert dump_text(shown) == f'{{"a":["x {COVERED}",1.10,"{COVERED}"],"b":"{COVERED}","d":{{"e":true}}}}'
    assert places == 3
    assert OwnCredentials([]).masked(value) == (value, 0)


def test_a_text_that_cannot_be_searched_is_masked_entirely() -> None:
    class Failing(OwnCredentials):
        def _repeating(self, texts: set[str]) -> set[str]:
            raise RuntimeError(texts)

    assert Failing([KEY]).mask("anything") == COVERED


def test_a_command_line_is_shown_without_its_secret_words() -> None:
    shown = str(stdio("--access-token", KEY, f"--api-key={KEY}", "-p", "x", f"http://u:{KEY}@h/"))
    assert KEY not in shown
    assert shown == f"server --access-token '{COVERED}' '--api-key={COVERED}' -p x '{COVERED}'"
