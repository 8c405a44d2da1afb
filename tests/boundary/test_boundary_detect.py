"""Values that look like a credential: where they are found, and how they are reported."""

from base64 import b64encode

import pytest

from inspector.boundary.bound import bound
from inspector.boundary.bounded import MOST_PASSING, Level
from inspector.boundary.mask import mask
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.reading import raw_of
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result
from tests.boundary.bounding import (
    HIDE,
    HINT,
    REFERENCE,
    RELEASED,
    TEXT,
    UNTRUSTED,
    WEAK,
    WITHHOLD,
    content_of,
    credential,
    details_of,
    fields,
    judged,
    removed,
    rules_of,
    structured_of,
    text,
)


@pytest.mark.parametrize("count", [1, MOST_PASSING, MOST_PASSING + 1, MOST_PASSING + 5])
def test_places_like_credentials_are_listed_up_to_a_limit_and_then_counted(count: int) -> None:
    bounded = judged({"content": [text(credential(number)) for number in range(count)]})
    told = [f"it looks like a credential: secret in an assignment, at /content/{n}" for n in range(count)]
    more = [f"{count - MOST_PASSING} more places look like credentials"] if count > MOST_PASSING else []
    assert list(bounded.remarks) == told[:MOST_PASSING] + more


def test_several_credentials_in_one_text_are_all_named() -> None:
    words = f"{credential(0)} and postgres://u:{credential(1)[-10:]}@db.example/x"
    (remark,) = judged({"content": [text(words)]}).remarks
    assert remark.startswith("it looks like credentials: ")
    assert remark.count(",") == 2


def test_a_result_that_is_itself_a_credential_is_reported_at_the_root() -> None:
    bounded = bound(Result(value=credential(0)), None, Level.DECLARED)
    assert bounded.remarks == ("it looks like a credential: secret in an assignment, at the root",)


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": {"b/c": [1, credential(0)]}}, "/structuredContent/a/b~1c/1"),
        (credential(0), "/structuredContent"),
    ],
)
def test_a_credential_in_structured_content_is_reported_at_its_place(value: Json, place: str) -> None:
    found = judged({"structuredContent": value}).remarks
    assert found == (f"it looks like a credential: secret in an assignment, at {place}",)


def test_an_object_with_a_duplicate_key_gives_no_value_a_suspicious_key() -> None:
    twice = DuplicateKeys((("a", {"password": "Qz7vK3xW9b"}), ("a", 1)))
    result: JsonObject = {"structuredContent": {"box": twice, "note": "Qz7vK3xW9b"}}
    assert judged(result, level=Level.OPEN).remarks == ()
    result = {"structuredContent": {"box": {"a": {"password": "Qz7vK3xW9b"}}, "note": "Qz7vK3xW9b"}}
    assert len(judged(result, level=Level.OPEN).remarks) == 2


def test_texts_that_resemble_a_credential_only_together_are_not_reported() -> None:
    texts: list[Json] = [
        text("see https://example:8080"),
        *(text(f"name{number}@example") for number in range(40)),
    ]
    assert judged({"content": texts}).remarks == ()


# A number of three digits is not searched for elsewhere.
@pytest.mark.parametrize("short", ["x://:abc@h", "https://:abcd@host", "https://:123@host"])
def test_the_shortest_possible_credential_is_found(short: str) -> None:
    assert removed(judged({"content": [text(short)]}, policy=WITHHOLD)) == ["/content/0 detect"]
    as_key = judged({"structuredContent": {"box": {short: 1}}}, policy=WITHHOLD)
    assert removed(as_key) == ["/structuredContent/box detect"]


@pytest.mark.parametrize(
    "value",
    [
        {"password": "Qz7vK3xW9b"},
        {"rows": ["a", 5, {"password": "Qz7vK3xW9b"}]},
        {"rows": [[{"password": "Qz7vK3xW9b"}]], "n": 1},
        {"a": {"b": {"passwd": "Qz7vK3xW9b"}}, "c": "d"},
    ],
)
def test_a_value_under_a_suspicious_key_is_found_at_any_depth(value: Json) -> None:
    result: JsonObject = {"content": [text("Qz7vK3xW9b"), text("fine")], "structuredContent": value}
    bounded = judged(result, policy=WITHHOLD)
    assert "Qz7vK3xW9b" not in dump_text(bounded.result)
    assert content_of(bounded)[0] == text("fine")


def test_a_short_value_or_one_under_another_key_is_not_a_credential() -> None:
    shaped = "ghp_" + "a1B2c3D4e5F6" * 3
    value: JsonObject = {"name": "Qz7vK3xW9b", "short": "abc", "long": "many words", "tokens": ["Qz7vK3xW9b"]}
    numbers: JsonObject = {"passwords": 12_345_678_901, "keys": None}
    keys: JsonObject = {f"token {shaped}": "abc", shaped: "many words"}
    bounded = judged({"structuredContent": {**value, **numbers, **keys}}, policy=WITHHOLD)
    left = structured_of(bounded)
    assert isinstance(left, dict)
    assert list(left) == [*value, *numbers, "_withheld"]


def test_a_withheld_part_is_not_searched_for_credentials() -> None:
    attribution: JsonObject = {"annotations": {"attribution": ["Qz7vK3xW9b"]}}
    result: JsonObject = {"structuredContent": {"password": "Qz7vK3xW9b"}}
    assert judged({**result, "_meta": attribution}).remarks != ()
    assert judged({**result, "_meta": {**UNTRUSTED, **attribution}}, policy=HIDE).remarks == ()


@pytest.mark.parametrize("policy", [BoundaryPolicy(), BoundaryPolicy(withhold_credentials=True)])
def test_a_key_that_looks_like_a_credential_is_in_no_pointer(policy: BoundaryPolicy) -> None:
    shaped = "ghp_" + "a1B2c3D4e5F6" * 3
    result: Json = {"content": [], "structuredContent": {"a": {shaped: 1, "b": 2}}}
    bounded = bound(Result(value=result), None, Level.DECLARED, policy=policy)
    assert rules_of(bounded) == ([("/structuredContent/a", "detect")] if policy.withhold_credentials else [])
    assert shaped not in str((bounded.removals[:], bounded.remarks))
    assert bounded.removals or bounded.remarks


def test_copies_of_a_credential_are_withheld_at_closed_too() -> None:
    value: JsonObject = {"secret": "Qz7vK3xW9b", "note": "Qz7vK3xW9b", "other": "fine and well"}
    schema: Json = {
        "type": "object",
        "properties": {"secret": {}, "note": {"type": "string"}, "other": {"type": "string"}},
    }
    result: JsonObject = {"content": [text('{"secret": "Qz7vK3xW9b"}')], "structuredContent": value}
    tool = Tool(name="t", definition={"outputSchema": schema})
    for level in (Level.CLOSED, Level.DECLARED):
        bounded = bound(Result(value=result), tool, level, policy=WITHHOLD)
        assert "Qz7vK3xW9b" not in dump_text(bounded.result), level
        assert "fine and well" in dump_text(bounded.result)
    bounded = bound(Result(value=result), tool, Level.CLOSED)
    assert "Qz7vK3xW9b" in dump_text(bounded.result)
    assert bounded.remarks == ()


def test_copies_of_a_credential_are_withheld_in_any_spelling_and_place() -> None:
    value = "Qz7vK3xW9b"
    coded = b64encode(value.encode()).decode()
    result: JsonObject = {
        "content": [
            text(f"sign in with {value} today"),
            text(f"backwards: {value[::-1]}"),
            {**REFERENCE, "label": f"of {value}"},
            {"type": "resource_link", "uri": f"file:///{coded}", "name": "report"},
            text("fine and well"),
        ],
        "structuredContent": {
            "secret": value,
            "rows": [{"note": f"={value}="}, {"other": "ours"}],
            f"of {value}": 1,
        },
        "_meta": {"a.example/seen": f"{value}!", "a.example/kept": "kept words"},
    }
    bounded = judged(result, policy=WITHHOLD)
    found = [one for one in removed(bounded) if one.endswith(("detect", "echo"))]
    assert sorted(found) == [
        "/_meta/a.example~1seen echo",
        "/content/0 echo",
        "/content/1 echo",
        "/content/2 echo",
        "/content/3 echo",
        "/structuredContent echo",
        "/structuredContent/rows/0/note echo",
        "/structuredContent/secret detect",
    ]
    assert details_of(bounded)["/content/1"].endswith(", reversed")
    assert bounded.remarks == ()
    shown = dump_text(bounded.result)
    assert all(kept in shown for kept in ("fine and well", "ours"))
    masked = dump_text(mask(raw_of(Result(value={"content": [], **result})), bounded.removals))
    assert "kept words" in masked
    for spelled in (value, value[::-1], coded):
        assert spelled not in shown
        assert spelled not in masked
    # By default, the user learns of the credential, and nothing is withheld.
    passing = judged(result)
    assert [(one.pointer, one.remark in passing.remarks) for one in passing.credentials] == [
        ("/structuredContent/secret", True)
    ]


def test_a_credential_within_a_text_is_withheld_elsewhere_without_that_text() -> None:
    shaped = "ghp_" + "a1B2c3D4e5F6" * 3
    secrets: list[Json] = [
        text(f"log: Authorization: token {shaped} (ok)"),
        text(shaped.encode().hex()),
        text("ok"),
    ]
    bounded = judged({"content": secrets}, policy=WITHHOLD)
    assert removed(bounded) == ["/content/0 detect", "/content/1 echo"]
    assert content_of(bounded)[0] == text("ok")


def test_a_credential_that_a_schema_releases_in_a_sensitive_result_is_not_in_a_label() -> None:
    value = "Kx7WfbZAVaBq4Z"
    result: JsonObject = {
        "content": [
            {"type": "secret_reference", "id": "x", "label": f"of {value}", "redeemUrl": "https://a/"}
        ],
        "structuredContent": {"id": "one", "secret": value},
        "_meta": {"annotations": HINT},
    }
    schema = fields(id=TEXT, secret=RELEASED)
    assert value in dump_text(judged(result, schema).result)
    assert value not in dump_text(judged(result, schema, policy=WITHHOLD).result)


def test_a_short_credential_is_withheld_as_a_word_and_the_weakness_of_the_search_is_a_remark() -> None:
    blocks: list[Json] = [text("https://:abcd@host"), text("it is abcd, again"), text("abcdef")]
    bounded = judged({"content": blocks}, policy=WITHHOLD)
    assert removed(bounded) == ["/content/0 detect", "/content/1 echo"]
    assert bounded.remarks == (WEAK,)


def test_a_policy_that_withholds_everything_lets_no_credential_pass() -> None:
    policy = BoundaryPolicy(withheld="no")
    assert judged({"content": [text(credential(0))]}, policy=policy).credentials == ()
    assert judged({"content": [text(credential(0))]}, level=Level.OPEN).credentials[0].pointer == "/content/0"


def test_the_remark_on_a_text_that_passes_names_all_kinds_of_credentials_in_it() -> None:
    shaped = "ghp_" + "a1B2c3D4e5F6" * 3
    said = text(f"{shaped} or {shaped[::-1]} and https://user:a1B2c3D4e5@host and {shaped}")
    (passing,) = judged({"content": [said]}).credentials
    kinds = passing.detail.removeprefix("it looks like credentials: ").split(", ")
    assert len(kinds) == len(set(kinds)) == 2
    assert "GitHub token" in kinds
    (withheld,) = judged({"content": [said]}, policy=WITHHOLD).removals
    assert withheld.detail == f"it looks like a credential: {kinds[-1]}"
