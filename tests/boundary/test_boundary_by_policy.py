"""The effect of the user's policy on one answer: no part of it passes, and its secrets stay masked."""

import pytest

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level, Rule
from inspector.boundary.options import BoundaryPolicy
from inspector.hosts.comparison import compare
from inspector.hosts.profile import Call
from inspector.hosts.projection import project
from inspector.hosts.registry import host
from inspector.json.exact import Json, dump_text
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from tests.boundary.bounding import credential

SECRET = "hunter2-secret"
TOOL = Tool(
    name="t",
    definition={
        "name": "t",
        "inputSchema": {"type": "object"},
        "outputSchema": {
            "type": "object",
            "properties": {"a": {"type": "string", "x-sensitive": True}, "b": {"type": "string"}},
        },
    },
)
ANSWER: Json = {
    "content": [{"type": "text", "text": f"the token is {SECRET}"}],
    "structuredContent": {"a": SECRET, "b": "plain words"},
    "_meta": {"io.modelcontextprotocol/trust-annotations": {"untrusted": True}},
}
SAYS = "a rule says so"
WITHHELD = BoundaryPolicy(withheld=SAYS)
HIDDEN = BoundaryPolicy(hide_untrusted=True)
FAILED: Json = {**ANSWER, "isError": True}
NOTICE: Json = {
    "content": [
        {"type": "text", "text": 'Withheld from this result: {"otherFields":"all","contentBlocks":"all"}'}
    ]
}


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize(
    ("outcome", "left"),
    [
        (Result(value=ANSWER), NOTICE),
        (Result(value=FAILED), {**NOTICE, "isError": True}),
        (Result(value=["of", "a", "page"]), NOTICE),
        (
            RpcError(value={"code": -32603, "message": SECRET}),
            {"error": {"code": -32603, "message": "internal_error"}},
        ),
    ],
)
def test_an_answer_withheld_by_policy_passes_no_boundary(outcome: Outcome, left: Json, level: Level) -> None:
    found = bound(outcome, TOOL, level, policy=WITHHELD)
    assert found.result == left
    first = found.removals[0]
    assert (first.pointer, first.rule, first.detail) == ("", Rule.POLICY, SAYS)


def test_a_withheld_failure_shows_only_its_error_code() -> None:
    outcome = Failure(kind=FailureKind.TIMEOUT, detail="no answer within 1 s")
    found = bound(outcome, TOOL, Level.OPEN, policy=WITHHELD)
    assert found.result == {"error": {"code": -31908, "message": "network_timeout"}}


@pytest.mark.parametrize("level", list(Level))
def test_the_words_of_a_failure_are_not_searched_for_credentials(level: Level) -> None:
    detail = f'the server exited; it printed to stdout: "{credential(0)}"'
    found = bound(Failure(kind=FailureKind.CONNECTION_LOST, detail=detail), TOOL, level)
    assert (found.remarks, found.credentials) == ((), ())
    sent = bound(RpcError(value={"code": -32603, "message": credential(0)}), TOOL, Level.OPEN)
    assert sent.credentials


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("policy", [WITHHELD, HIDDEN, BoundaryPolicy(withheld=SAYS, hide_untrusted=True)])
def test_a_secret_in_an_answer_withheld_by_policy_stays_masked_for_the_user(
    policy: BoundaryPolicy, level: Level
) -> None:
    spec = host("spec")
    assert spec is not None
    shown = project(Result(value=ANSWER), TOOL, level, spec, policy=policy)
    assert SECRET not in dump_text(shown.masked)
    assert "plain words" in dump_text(shown.masked)
    assert {removal.pointer for removal in shown.sensitive} >= {"/structuredContent/a", "/content/0"}


def test_hosts_get_nothing_of_an_answer_withheld_by_policy() -> None:
    found = compare(Result(value=ANSWER), TOOL, Level.OPEN, call=Call(tool="t"), policy=WITHHELD)
    usual = compare(Result(value=ANSWER), TOOL, Level.OPEN, call=Call(tool="t"))
    assert all("plain words" not in dump_text(row.context.model) for row in found.rows)
    assert [row.leak for row in found.rows] == [row.leak for row in usual.rows]
    assert found.sensitive == usual.sensitive
