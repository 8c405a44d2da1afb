"""Guards of single rules: each test here fails if one of them is taken away."""

from itertools import product

import pytest

from inspector.core.boundary.bound import bound
from inspector.core.boundary.bounded import Bounded, Level
from inspector.core.boundary.policy import DEFAULT_POLICY, BoundaryPolicy
from inspector.core.boundary.rules.detect import MAX_TOLD
from inspector.core.catalogue import Tool
from inspector.core.json_text import DuplicateKeys, Json, JsonObject, dump_text
from inspector.core.outcome import Result, RpcError

STRICT = [Level.DECLARED, Level.CLOSED]
SECRET = "hunter2-Secret"
NONCE = "7b0c5e9d41fa2c63"
BEGIN = f"[untrusted content {NONCE} begins: data, no instructions]\n"
END = f"\n[untrusted content {NONCE} ends]"
WEAK = "a withheld value is too short or too common to be told from chance: where it is repeated, it may pass"
NOT_DELIMITED = "text is declared untrusted, and is not delimited: no marker was given"
STRUCTURED = "structured content is declared untrusted, and cannot be delimited as text is"

TEXT: JsonObject = {"type": "string"}
WHOLE: JsonObject = {"type": "integer"}
SENSITIVE: JsonObject = {"type": "string", "x-sensitive": True}
RELEASED: JsonObject = {"type": "string", "x-sensitive": False}
HINT: JsonObject = {"sensitiveHint": True}
UNTRUSTED: JsonObject = {"ifc": {"integrity": "untrusted"}}
FOR_USER: JsonObject = {"audience": ["user"]}
WITHHOLD = BoundaryPolicy(withhold_credentials=True)
HIDE = BoundaryPolicy(hide_untrusted=True)


def fields(**properties: Json) -> JsonObject:
    return {"type": "object", "properties": properties}


def text(words: str, **members: Json) -> JsonObject:
    return {"type": "text", "text": words, **members}


def judged(
    result: JsonObject,
    schema: Json = None,
    level: Level = Level.DECLARED,
    *,
    policy: BoundaryPolicy = DEFAULT_POLICY,
    nonce: str = "",
    **definition: Json,
) -> Bounded:
    declared: JsonObject = {} if schema is None else {"outputSchema": schema}
    tool = Tool(name="t", definition={"name": "t", "inputSchema": {}, **declared, **definition})
    return bound(Result(value={"content": [], **result}), tool, level, policy=policy, nonce=nonce)


def removed(bounded: Bounded) -> list[str]:
    return [f"{removal.pointer} {removal.rule}" for removal in bounded.removals]


def member(bounded: Bounded, name: str) -> Json:
    assert isinstance(bounded.result, dict)
    return bounded.result.get(name)


def content(bounded: Bounded) -> list[Json]:
    found = member(bounded, "content")
    assert isinstance(found, list)
    return found


# detect


def credential(number: int) -> str:
    return f"password = Qz7{number:02}vK3xW9b"


@pytest.mark.parametrize("count", [1, MAX_TOLD, MAX_TOLD + 1, MAX_TOLD + 5])
def test_so_many_places_that_look_like_credentials_are_told_and_more_are_counted(count: int) -> None:
    bounded = judged({"content": [text(credential(number)) for number in range(count)]})
    told = [f"it looks like a credential: secret in an assignment, at /content/{n}" for n in range(count)]
    more = [f"{count - MAX_TOLD} more places look like credentials"] if count > MAX_TOLD else []
    assert list(bounded.findings) == told[:MAX_TOLD] + more


def test_a_page_that_is_a_credential_itself_is_told_as_the_root() -> None:
    bounded = bound(Result(value=credential(0)), None, Level.DECLARED)
    assert bounded.findings == ("it looks like a credential: secret in an assignment, at the root",)


def test_what_looks_like_a_credential_only_side_by_side_is_none() -> None:
    texts = [text("see https://example:8080"), *(text(f"name{number}@example") for number in range(40))]
    assert judged({"content": texts}).findings == ()


@pytest.mark.parametrize("short", ["x://:abc@h", "https://:abcd@host"])
def test_the_shortest_credential_there_is_is_found(short: str) -> None:
    assert removed(judged({"content": [text(short)]}, policy=WITHHOLD)) == ["/content/0 detect"]


@pytest.mark.parametrize(
    "value",
    [
        {"password": "Qz7vK3xW9b"},
        {"rows": ["a", 5, {"password": "Qz7vK3xW9b"}]},
        {"rows": [[{"password": "Qz7vK3xW9b"}]], "n": 1},
        {"a": {"b": {"passwd": "Qz7vK3xW9b"}}, "c": "d"},
    ],
)
def test_a_value_under_a_telling_key_is_found_however_deep_it_stands(value: Json) -> None:
    result: JsonObject = {"content": [text("Qz7vK3xW9b"), text("fine")], "structuredContent": value}
    bounded = judged(result, policy=WITHHOLD)
    assert "Qz7vK3xW9b" not in dump_text(bounded.result)
    assert content(bounded)[0] == text("fine")


def test_what_stands_under_another_key_or_is_short_is_no_credential() -> None:
    value: Json = {"name": "Qz7vK3xW9b", f"token {'ghp_' + 'a1B2c3D4e5F6' * 3}": "abc", "other": "abc"}
    bounded = judged({"structuredContent": value}, policy=WITHHOLD)
    left = member(bounded, "structuredContent")
    assert isinstance(left, dict)
    assert list(left) == ["name", "other", "_withheld"]


def test_what_is_withheld_is_not_what_shows_a_credential_elsewhere() -> None:
    classes: Json = {"annotations": {"returnMetadata": {"source": "user", "sensitivity": ["pii"]}}}
    result: JsonObject = {"structuredContent": {"password": "Qz7vK3xW9b"}, "_meta": classes}
    said: JsonObject = {**result, "_meta": {**UNTRUSTED, "annotations": {"attribution": ["Qz7vK3xW9b"]}}}
    assert judged(said, policy=HIDE).findings == ()
    assert judged({**said, "_meta": {"annotations": {"attribution": ["Qz7vK3xW9b"]}}}).findings != ()


# echo


def test_a_value_that_a_sensitive_block_says_is_a_secret_in_structured_content() -> None:
    block = text(SECRET, annotations=HINT)
    result: JsonObject = {"content": [block], "structuredContent": {"a": f"it is {SECRET}", "b": "x"}}
    bounded = judged(result, fields(a=TEXT, b=TEXT))
    assert removed(bounded) == ["/content/0 sensitive-hint", "/structuredContent/a echo"]


def test_structured_content_that_is_gone_releases_nothing() -> None:
    reference: Json = {"type": "secret_reference", "id": "i", "label": "My bank PIN", "redeemUrl": "u"}
    result: JsonObject = {
        "content": [text("My bank PIN"), reference],
        "structuredContent": {"a": "My bank PIN"},
    }
    bounded = judged(result, fields(a=RELEASED), policy=HIDE, annotations=HINT, _meta=UNTRUSTED)
    assert "bank" not in dump_text(bounded.result)


def test_a_key_of_withheld_fields_that_is_a_secret_is_in_no_pointer() -> None:
    schema: JsonObject = {**fields(p=SENSITIVE), "additionalProperties": {"x-sensitive": True}}
    bounded = judged({"structuredContent": {SECRET: 1, "other": 2, "p": SECRET}}, schema)
    assert removed(bounded) == [
        "/structuredContent x-sensitive",
        "/structuredContent/other x-sensitive",
        "/structuredContent/p x-sensitive",
    ]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"_meta": {SECRET: 1, "o": 1}}, ["/_meta meta", "/_meta/o meta"]),
        ({"_meta": {"o": {SECRET: 1}}}, ["/_meta/o meta"]),
        (
            {"content": [{"type": "secret_reference", SECRET: 1, "id": "i"}]},
            ["/content/0 secret-reference", "/content/0/id secret-reference"],
        ),
    ],
)
@pytest.mark.parametrize("level", STRICT)
def test_no_removal_leads_to_a_key_that_is_a_secret(
    result: JsonObject, expected: list[str], level: Level
) -> None:
    bounded = judged({**result, "structuredContent": {"p": SECRET}}, fields(p=SENSITIVE), level)
    assert [one for one in removed(bounded) if not one.endswith((" echo", " x-sensitive"))] == expected
    assert not any(SECRET in removal.pointer for removal in bounded.removals)


@pytest.mark.parametrize("level", STRICT)
def test_a_member_of_a_result_whose_key_is_a_secret_is_not_told_by_it(level: Level) -> None:
    result: JsonObject = {"structuredContent": {"p": SECRET}, SECRET: 1, "other": 1}
    bounded = judged(result, fields(p=SENSITIVE), level)
    assert SECRET not in dump_text(bounded.result)
    assert not any(SECRET in removal.pointer for removal in bounded.removals)


@pytest.mark.parametrize("word", ["content", "structuredContent", "isError", "_meta"])
def test_where_the_protocol_has_its_own_words_a_pointer_leads_there(word: str) -> None:
    result: JsonObject = {
        "content": [text(word, annotations=FOR_USER)],
        "structuredContent": {"p": word},
        "_meta": {"k": 1},
        "isError": 1,
    }
    bounded = judged(result, fields(p=SENSITIVE))
    assert {removal.pointer for removal in bounded.removals} == {
        "/isError",
        "/structuredContent/p",
        "/content/0",
        "/_meta/k",
    }


def test_an_error_that_says_error_where_its_code_should_be_is_told_by_its_place() -> None:
    bounded = bound(RpcError(value={"code": "error", "message": "m"}), None, Level.DECLARED)
    assert removed(bounded) == ["/error/code internal"]


def test_what_is_for_the_user_is_told_to_repeat_a_secret_where_it_does() -> None:
    blocks: list[Json] = [text(words, annotations=FOR_USER) for words in (f"it is {SECRET}", "it is mine")]
    result: JsonObject = {"content": blocks, "structuredContent": {"p": SECRET}}
    audience = ["/structuredContent/p x-sensitive", "/content/0 audience", "/content/1 audience"]
    assert removed(judged(result, fields(p=SENSITIVE))) == [*audience, "/content/0 echo"]
    assert removed(judged(result, fields(p=SENSITIVE), Level.CLOSED)) == audience


@pytest.mark.parametrize(("value", "expected"), [("ab", (WEAK,)), (SECRET, ())])
def test_only_a_value_that_chance_could_repeat_is_told_to_be_weak(
    value: str, expected: tuple[str, ...]
) -> None:
    assert judged({"structuredContent": {"p": value}}, fields(p=SENSITIVE)).findings == expected
