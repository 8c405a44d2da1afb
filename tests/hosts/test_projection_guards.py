import pytest
from msgspec.structs import replace

from inspector.boundary.bounded import Bounded
from inspector.boundary.options import Level
from inspector.hosts.comparison import compare
from inspector.hosts.profile import Call, Host, ModelContext
from inspector.hosts.projection import project
from inspector.hosts.registry import host, hosts
from inspector.json.exact import Json, dump_text
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Result

TOOL = Tool(
    name="k",
    definition={
        "name": "k",
        "inputSchema": {},
        "outputSchema": {"type": "object", "properties": {"s": {"type": "string", "x-sensitive": True}}},
    },
)
RESULT: Json = {
    "content": [{"type": "text", "text": '{"s": "CANARY-1"}'}],
    "structuredContent": {"s": "CANARY-1"},
}


def spec() -> Host:
    found = host("spec")
    assert found is not None
    return found


@pytest.mark.parametrize("level", list(Level))
def test_a_declared_secret_is_masked_in_the_raw_view_at_every_boundary(level: Level) -> None:
    shown = project(Result(value=RESULT), TOOL, level, spec())
    assert "CANARY" not in dump_text(shown.masked)
    assert ("CANARY" in dump_text(shown.context.model)) is (level is Level.OPEN)


def test_without_an_answer_no_model_gets_what_sightline_says_about_it() -> None:
    lost = Failure(kind=FailureKind.CONNECTION_LOST, detail="the server exited: its stderr: CANARY-1")
    coded: Json = {"error": {"code": -31951, "message": "connection_lost"}}
    for level in Level:
        compared = compare(lost, TOOL, level)
        for profile in hosts():
            shown = project(lost, TOOL, level, profile)
            row = next(row for row in compared.rows if row.host is profile)
            for context in (shown.context, row.context):
                assert "CANARY" not in dump_text(context.model)
                assert profile.name != "spec" or context.model == coded
                assert not context.observed
                assert "no answer arrived" in context.changes[-1].what
            assert shown.undeclared.number == 0
            assert "CANARY" in dump_text(shown.masked), "the user sees the reason"


def test_a_failing_host_gives_its_model_nothing() -> None:
    def fail(_bounded: Bounded, _call: Call) -> ModelContext:
        raise RecursionError

    shown = project(Result(value=RESULT), TOOL, Level.OPEN, replace(spec(), model_view=fail))
    assert shown.context.model is None
    assert not shown.context.observed
    assert "RecursionError" in shown.context.changes[0].what
