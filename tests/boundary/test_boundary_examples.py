"""Every rule by example. docs/boundaries.md describes the same examples."""

from pathlib import Path

import pytest

from inspector.boundary.bound import bound, raw_of
from inspector.boundary.bounded import Bounded, ErrorCode, Level, Rule
from inspector.boundary.options import BoundaryPolicy
from inspector.json.exact import DuplicateKeys, Json, JsonObject, JsonText, dump_text, parse
from inspector.json.pointer import resolve
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome, Result, RpcError

FOLDER = Path(__file__).parent / "examples"
TRUST = "io.modelcontextprotocol/trust-annotations"


def examples() -> list[JsonObject]:
    found: list[JsonObject] = []
    for file in sorted(FOLDER.glob("*.json")):
        parsed = parse(file.read_bytes())
        assert isinstance(parsed, JsonText)
        assert isinstance(parsed.value, list)
        for case in parsed.value:
            assert isinstance(case, dict)
            found.append(case | {"title": f"{file.stem}: {case['title']}"})
    return found


EXAMPLES = examples()
TITLES = [str(case["title"]) for case in EXAMPLES]


def tool_of(definition: Json) -> Tool:
    assert isinstance(definition, dict)
    return Tool(name="tool", definition={"name": "tool", "inputSchema": {"type": "object"}, **definition})


def outcome_of(case: JsonObject) -> Outcome:
    return RpcError(value=case["error"]) if "error" in case else Result(value=case["result"])


def policy_of(case: JsonObject) -> BoundaryPolicy:
    policy = case.get("policy", {})
    assert isinstance(policy, dict)
    return BoundaryPolicy(**{key: value is True for key, value in policy.items()})  # pyright: ignore[reportArgumentType]


def withheld(bounded: Bounded) -> list[Json]:
    return [[removal.pointer, str(removal.rule)] for removal in bounded.removals]


@pytest.mark.parametrize("level", [Level.DECLARED, Level.CLOSED])
def test_a_rule_withholds_exactly_what_its_example_shows(level: Level, subtests: pytest.Subtests) -> None:
    for title, case in zip(TITLES, EXAMPLES, strict=True):
        with subtests.test(title):
            outcome, tool = outcome_of(case), tool_of(case["tool"])
            before = dump_text(raw_of(outcome))
            bounded = bound(outcome, tool, level, policy=policy_of(case), nonce=str(case.get("nonce", "")))
            assert dump_text({"result": bounded.result, "withheld": withheld(bounded)}) == dump_text(
                case[level]
            )
            assert dump_text(raw_of(outcome)) == before
            for removal in bounded.removals:
                resolve(raw_of(outcome), removal.pointer)


def test_at_open_everything_passes_as_it_was_sent(subtests: pytest.Subtests) -> None:
    for title, case in zip(TITLES, EXAMPLES, strict=True):
        with subtests.test(title):
            bounded = bound(outcome_of(case), tool_of(case["tool"]), Level.OPEN)
            assert dump_text(bounded.result) == dump_text(raw_of(outcome_of(case)))
            assert bounded.removals == ()


@pytest.mark.parametrize("level", [Level.DECLARED, Level.CLOSED])
def test_a_bounded_result_passes_the_same_boundary_unchanged(level: Level, subtests: pytest.Subtests) -> None:
    for title, case in zip(TITLES, EXAMPLES, strict=True):
        with subtests.test(title):
            tool, policy, nonce = tool_of(case["tool"]), policy_of(case), str(case.get("nonce", ""))
            once = bound(outcome_of(case), tool, level, policy=policy, nonce=nonce).result
            assert isinstance(once, dict)
            outcome = RpcError(value=once["error"]) if "error" in case else Result(value=once)
            again = bound(outcome, tool, level, policy=policy, nonce=nonce)
            assert dump_text(again.result) == dump_text(once)
            assert withheld(again) == []


def test_every_rule_has_an_example_that_shows_it() -> None:
    shown = {
        str(rule)
        for case in EXAMPLES
        for level in (Level.DECLARED, Level.CLOSED)
        for rule in (
            removal.rule
            for removal in bound(
                outcome_of(case),
                tool_of(case["tool"]),
                level,
                policy=policy_of(case),
                nonce=str(case.get("nonce", "")),
            ).removals
        )
    }
    # test_boundary_by_policy.py covers the rule about one answer; test_unfinished.py and test_verification.py cover those that apply at `open` too.
    assert shown == {rule.value for rule in Rule} - {Rule.POLICY, Rule.UNFINISHED, Rule.UNVERIFIED}


def test_every_rule_and_every_code_is_described() -> None:
    page = (FOLDER.parents[2] / "docs" / "boundaries.md").read_text()
    headings = {line.split("`")[1] for line in page.splitlines() if line.startswith("### `")}
    assert headings == {rule.value for rule in Rule}
    assert all(f"`{code.value}`" in page for code in ErrorCode)


def text(words: str, **members: Json) -> JsonObject:
    return {"type": "text", "text": words, **members}


LABELS: list[tuple[str, JsonObject, JsonObject, BoundaryPolicy, bool]] = [
    ("ifc private", {"_meta": {"ifc": {"confidentiality": "private"}}}, {}, BoundaryPolicy(withhold_private=True), True),
    ("ifc public", {"_meta": {"ifc": {"confidentiality": "public"}}}, {}, BoundaryPolicy(withhold_private=True), False),
    ("ifc misspelt", {"_meta": {"ifc": {"confidentiality": "Public"}}}, {}, BoundaryPolicy(withhold_private=True), True),
    ("ifc that is no object", {"_meta": {"ifc": "public"}}, {}, BoundaryPolicy(withhold_private=True), True),
    ("ifc that says it twice", {"_meta": {"ifc": DuplicateKeys((("confidentiality", "public"), ("confidentiality", "public")))}}, {}, BoundaryPolicy(withhold_private=True), True),
    ("ifc on the result", {}, {"ifc": {"confidentiality": "private"}}, BoundaryPolicy(withhold_private=True), True),
    ("ifc that the policy lets pass", {}, {"ifc": {"confidentiality": "private"}}, BoundaryPolicy(), False),
    ("restricted", {"_meta": {"mcp.dev/resultSensitivity": "restricted"}}, {}, BoundaryPolicy(), True),
    ("public at the lowest threshold", {"_meta": {"mcp.dev/resultSensitivity": "public"}}, {}, BoundaryPolicy(sensitivity_threshold="public"), True),
    ("internal at a lower threshold", {"_meta": {"mcp.dev/resultSensitivity": "internal"}}, {}, BoundaryPolicy(sensitivity_threshold="internal"), True),
    ("confidential at a higher one", {"_meta": {"mcp.dev/resultSensitivity": "confidential"}}, {}, BoundaryPolicy(sensitivity_threshold="restricted"), False),
    ("a level that nobody knows", {"_meta": {"mcp.dev/resultSensitivity": "top"}}, {}, BoundaryPolicy(), True),
    ("a threshold that nobody knows", {"_meta": {"mcp.dev/resultSensitivity": "public"}}, {}, BoundaryPolicy(sensitivity_threshold="x"), True),
    ("pii", {"annotations": {"returnMetadata": {"source": "user", "sensitivity": "pii"}}}, {}, BoundaryPolicy(), False),
    ("a regulated class", {"annotations": {"returnMetadata": {"source": "user", "sensitivity": {"regulated": {"scopes": ["GDPR"]}}}}}, {}, BoundaryPolicy(), False),
    ("a class that cannot be read", {"annotations": {"returnMetadata": {"source": "user", "sensitivity": 5}}}, {}, BoundaryPolicy(), True),
    ("metadata that is no object", {"annotations": {"returnMetadata": "credentials"}}, {}, BoundaryPolicy(), True),
    (
        "an array in the response stands for nothing",
        {"annotations": {"returnMetadata": {"source": "user", "sensitivity": ["pii", "credentials"]}}},
        {"annotations": {"returnMetadata": {"source": "user", "sensitivity": ["pii"]}}},
        BoundaryPolicy(),
        True,
    ),
    (
        "credentials in the response where the tool said pii",
        {"annotations": {"returnMetadata": {"source": "user", "sensitivity": "pii"}}},
        {"annotations": {"returnMetadata": {"source": "user", "sensitivity": "credentials"}}},
        BoundaryPolicy(),
        True,
    ),
    ("annotations of the response that are no object", {}, {"annotations": "returnMetadata"}, BoundaryPolicy(), True),
    ("a label that says no", {}, {TRUST: {"sensitive": False}}, BoundaryPolicy(), False),
    ("labels that are no object", {}, {TRUST: "sensitive"}, BoundaryPolicy(), True),
    ("secretHint that says no", {"annotations": {"secretHint": False}}, {}, BoundaryPolicy(), False),
]  # fmt: skip


@pytest.mark.parametrize(
    ("definition", "meta", "policy", "expected"),
    [case[1:] for case in LABELS],
    ids=[case[0] for case in LABELS],
)
def test_a_label_withholds_as_the_policy_requires(
    definition: JsonObject, meta: JsonObject, policy: BoundaryPolicy, *, expected: bool
) -> None:
    result: JsonObject = {"content": [text("a")], "structuredContent": {"a": 1}, "_meta": meta}
    bounded = bound(Result(value=result), tool_of(definition), Level.DECLARED, policy=policy)
    rules = [str(removal.rule) for removal in bounded.removals if removal.rule != Rule.META]
    assert rules == (["labelled", "labelled"] if expected else [])


@pytest.mark.parametrize(
    ("declared", "detail"),
    [
        ("restricted", "it is declared restricted, and everything at confidential or above is withheld"),
        ("top", "its declared sensitivity is malformed"),
        (["restricted"], "its declared sensitivity is malformed"),
    ],
)
def test_a_declared_level_names_itself_and_the_level_from_which_all_is_withheld(
    declared: Json, detail: str
) -> None:
    tool = tool_of({"_meta": {"mcp.dev/resultSensitivity": declared}})
    bounded = bound(Result(value={"content": [text("a")]}), tool, Level.DECLARED)
    assert [removal.detail for removal in bounded.removals] == [detail]


def test_the_error_messages_of_a_labelled_tool_are_withheld() -> None:
    tool = tool_of({"annotations": {"secretHint": True}})
    bounded = bound(RpcError(value={"code": -32603, "message": "token abc is wrong"}), tool, Level.DECLARED)
    assert bounded.result == {"error": {"code": -32603, "message": "internal_error"}}


def test_a_removal_names_the_declaration_behind_it() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/s"}},
        "$defs": {"s": {"x_sensitive": 1}},
    }
    tool = tool_of({"annotations": {"sensitiveHint": True}, "outputSchema": schema})
    reference: JsonObject = {"type": "secret_reference", "id": "1", "label": "l", "redeemUrl": "u"}
    result: JsonObject = {
        "content": [reference, text("x"), text("y", annotations={"audience": ["user"]})],
        "structuredContent": {"a": "x"},
    }
    by_pointer = {
        removal.pointer: removal for removal in bound(Result(value=result), tool, Level.DECLARED).removals
    }
    assert {
        pointer: (removal.vocabulary, removal.claim.key if removal.claim else None)
        for pointer, removal in by_pointer.items()
    } == {
        "/content/0/id": ("webmcp-110", "secret_reference"),
        "/content/0/redeemUrl": ("webmcp-110", "secret_reference"),
        "/content/1": ("webmcp-110", "sensitiveHint"),
        "/content/2": ("webmcp-110", "sensitiveHint"),
        "/structuredContent": ("webmcp-110", "sensitiveHint"),
    }
    marked = bound(Result(value=result), tool_of({"outputSchema": schema}), Level.DECLARED).removals
    by_pointer = {removal.pointer: removal for removal in marked}
    audience, mark = by_pointer["/content/2"], by_pointer["/structuredContent/a"]
    assert audience.vocabulary == "mcp-content"
    assert mark.claim
    assert (mark.claim.pointer, mark.schema_pointer) == ("/outputSchema/$defs/s/x_sensitive", "/$defs/s")


def test_remarks_about_unjudged_parts_quote_no_text_of_the_server() -> None:
    schema: JsonObject = {"type": "object", "properties": {"a": {"$ref": "https://example.com/SERVER"}}}
    result: JsonObject = {
        "content": [text("x", annotations={"audience": ["SERVER"]})],
        "structuredContent": {"a": 1},
    }
    bounded = bound(Result(value=result), tool_of({"outputSchema": schema}), Level.DECLARED)
    assert len(bounded.remarks) == 3
    assert not any("SERVER" in remark for remark in bounded.remarks)
