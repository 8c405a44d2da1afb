"""The claims of a server about one call, and the resolutions that are ignored."""

import pytest

from inspector.claims.resolution import (
    Resolution,
    ResolutionState,
    is_resolvable,
    resolution_of,
    resolve_params,
)
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.policy.built_in import DEFAULT_POLICY
from inspector.policy.rules import Verdict
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from tests.policy.deciding import decided, rule, tool

ARGUMENTS: JsonObject = {"path": "/a", "deep": {"x": 1, "y": 2}}
MARK = "io.modelcontextprotocol/tool-resolution"


def resolved(annotations: Json, listed: Json = None, *, older: bool = False) -> Resolution:
    body: JsonObject = {"name": "t", "annotations": annotations}
    value: JsonObject = {"tool": body} if older else {"resultType": "complete", **body}
    return resolution_of(tool(listed), Result(value=value))


@pytest.mark.parametrize(
    ("mark", "resolvable"), [({"resolvable": True}, True), ({"resolvable": "yes"}, False), ({}, False)]
)
def test_only_a_tool_marked_resolvable_is_resolved(mark: Json, *, resolvable: bool) -> None:
    assert is_resolvable(tool(meta={MARK: mark})) is resolvable
    assert not is_resolvable(tool())


def test_the_resolve_request_has_the_exact_arguments_of_the_call() -> None:
    assert resolve_params(tool(), ARGUMENTS) == {"name": "t", "arguments": ARGUMENTS}


@pytest.mark.parametrize("older", [False, True])
def test_both_shapes_narrow_and_the_older_one_is_marked(*, older: bool) -> None:
    listed: JsonObject = {
        "title": "T",
        "destructiveHint": True,
        "returnMetadata": {"source": ["internal", "user"], "sensitivity": ["pii", "financial"]},
    }
    said: JsonObject = {
        "title": "Another",
        "destructiveHint": False,
        "attribution": ["mcp://files.example/hr"],
        "returnMetadata": {"source": "internal"},
    }
    found = resolved(said, listed, older=older)
    assert (found.state, found.is_older_shape, found.remarks) == (ResolutionState.RESOLVED, older, ())
    assert found.effective.definition["annotations"] == {
        "title": "T",
        "destructiveHint": False,
        "attribution": ["mcp://files.example/hr"],
        "returnMetadata": {"source": "internal", "sensitivity": ["pii", "financial"]},
    }
    assert listed["destructiveHint"] is True


def test_a_narrowing_resolution_removes_the_need_for_confirmation() -> None:
    listed = tool({"destructiveHint": True})
    found = resolved({"readOnlyHint": True, "destructiveHint": False}, {"destructiveHint": True})
    assert decided(DEFAULT_POLICY, listed).verdict is Verdict.CONFIRM
    assert decided(DEFAULT_POLICY, listed, resolution=found).verdict is Verdict.ALLOW


def test_a_name_contradicts_what_is_listed_and_not_what_one_call_is_resolved_to() -> None:
    listed = tool({"destructiveHint": True}, name="delete_file")
    said = Result(
        value={"name": "delete_file", "annotations": {"readOnlyHint": True, "destructiveHint": False}}
    )
    assert decided(DEFAULT_POLICY, listed, resolution=resolution_of(listed, said)).verdict is Verdict.ALLOW
    listed = tool({"readOnlyHint": True}, name="delete_file")
    assert decided(DEFAULT_POLICY, listed, resolution=resolution_of(listed, said)).verdict is Verdict.CONFIRM


WIDENINGS: list[tuple[JsonObject, JsonObject]] = [
    ({"readOnlyHint": True}, {"readOnlyHint": False}),
    ({"readOnlyHint": False, "destructiveHint": False}, {"readOnlyHint": False, "destructiveHint": True}),
    ({"idempotentHint": True}, {"readOnlyHint": False, "idempotentHint": False}),
    ({"openWorldHint": False}, {"openWorldHint": True}),
    ({"inputMetadata": {"destination": "user"}}, {"inputMetadata": {"destination": "public"}}),
    ({"inputMetadata": {"sensitivity": "none"}}, {"inputMetadata": {"sensitivity": "credentials"}}),
    ({"inputMetadata": {"outcomes": ["benign"]}}, {"inputMetadata": {"outcomes": "irreversible"}}),
    ({"returnMetadata": {"source": "user"}}, {"returnMetadata": {"source": ["user", "untrustedPublic"]}}),
    ({"returnMetadata": {"sensitivity": "pii"}}, {"returnMetadata": {"sensitivity": "financial"}}),
]


@pytest.mark.parametrize(("listed", "said"), WIDENINGS)
def test_a_widening_resolution_is_ignored_and_needs_confirmation(
    listed: JsonObject, said: JsonObject
) -> None:
    found = resolved(said, listed)
    assert found.state is ResolutionState.WIDENED
    assert found.effective == tool(listed)
    assert len(found.remarks) == 2
    assert found.claims
    decision = decided(DEFAULT_POLICY, tool(listed), resolution=found)
    assert [match.rule.name for match in decision.matches] == ["contradicts-itself"]
    assert decided(
        rule({"fact": "tool.resolution", "equals": "widened"}), tool(listed), resolution=found
    ).matches


@pytest.mark.parametrize(
    "value",
    [
        "text",
        None,
        {},
        DuplicateKeys((("name", "t"), ("name", "t"))),
        {"name": "other", "annotations": {"readOnlyHint": True}},
        {"annotations": {"readOnlyHint": True}},
        {"name": "t"},
        {"name": "t", "annotations": "readOnly"},
        {"name": "t", "annotations": {"readOnlyHint": "true"}},
        {"name": "t", "annotations": {"returnMetadata": {"source": "nowhere"}}},
        {"resultType": "input_required", "name": "t", "annotations": {"readOnlyHint": True}},
        {"tool": "t"},
        {"tool": {"name": "other", "annotations": {"readOnlyHint": True}}},
        {"tool": {"name": "t", "annotations": {}}, "name": "t", "annotations": {"readOnlyHint": True}},
    ],
)
def test_a_malformed_resolution_is_ignored_and_a_finding(value: Json) -> None:
    listed = tool({"destructiveHint": True})
    found = resolution_of(listed, Result(value=value))
    assert (found.state, found.effective) == (ResolutionState.MALFORMED, listed)
    assert len(found.remarks) == 1
    assert decided(DEFAULT_POLICY, listed, resolution=found).verdict is Verdict.CONFIRM


@pytest.mark.parametrize(
    "outcome", [Failure(kind=FailureKind.TIMEOUT, detail="late"), RpcError(value={"code": -32601})]
)
def test_a_missing_resolution_is_ignored_and_a_finding(outcome: Outcome) -> None:
    found = resolution_of(tool(), outcome)
    assert (found.state, found.effective) == (ResolutionState.UNANSWERED, tool())
    assert len(found.remarks) == 1


def test_a_malformed_declaration_is_not_repaired_by_a_resolution() -> None:
    found = resolved({"returnMetadata": {"source": "user"}}, {"returnMetadata": "secret"})
    assert found.effective == tool({"returnMetadata": "secret"})
    unreadable = resolved({"readOnlyHint": True}, "read only")
    assert unreadable.effective == tool("read only")
