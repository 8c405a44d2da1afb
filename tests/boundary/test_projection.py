import pytest

from inspector.boundary.bounded import Level
from inspector.boundary.contract import contract_of
from inspector.boundary.counted import Counted
from inspector.boundary.mask import MASK
from inspector.hosts import projection as projections
from inspector.hosts.profile import Host
from inspector.hosts.projection import project
from inspector.hosts.registry import host
from inspector.json.exact import Json, JsonObject, dump, dump_text
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result, RpcError

SCHEMA: JsonObject = {"type": "object", "properties": {"a": {"type": "string"}, "s": {"x-sensitive": True}}}
TOOL = Tool(name="make", definition={"name": "make", "inputSchema": {}, "outputSchema": SCHEMA})
RAW: JsonObject = {"content": [], "structuredContent": {"a": "x", "s": "CANARY"}, "_meta": {"k": 1}}


@pytest.fixture
def spec() -> Host:
    found = host("spec")
    assert found
    return found


def test_a_projection_is_the_bounded_result_as_the_host_passes_it_on(spec: Host) -> None:
    projection = project(Result(value=RAW), TOOL, Level.DECLARED, spec)
    notice: Json = {"fields": ["s"]}
    assert projection.context.model == {
        "content": [{"type": "text", "text": 'Withheld from this result: {"fields":["s"]}'}],
        "structuredContent": {"a": "x", "_withheld": notice},
    }
    assert projection.raw is RAW
    assert projection.counted == Counted(withheld={"x-sensitive": 1}, metadata=1, delimited=0)


def test_a_projection_has_the_sizes_of_the_raw_result_and_the_model_view(
    spec: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    projection = project(Result(value=RAW), TOOL, Level.DECLARED, spec)
    assert projection.raw_bytes == len(dump(RAW))
    assert projection.model_bytes == len(dump(projection.context.model))

    def counted_again(_: Json) -> int:
        raise AssertionError

    monkeypatch.setattr(projections, "compact_bytes", counted_again)
    assert (projection.raw_bytes, projection.model_bytes) == (
        len(dump(RAW)),
        len(dump(projection.context.model)),
    )


@pytest.mark.parametrize("level", Level)
def test_the_raw_result_is_masked_at_every_boundary(spec: Host, level: Level) -> None:
    projection = project(Result(value=RAW), TOOL, level, spec, contract=contract_of(TOOL))
    masked: JsonObject = {**RAW, "structuredContent": {"a": "x", "s": MASK}}
    assert projection.masked == masked
    assert projection.masked is projection.masked
    assert (projection.bounded.removals == ()) is (level is Level.OPEN)


@pytest.mark.parametrize("level", Level)
def test_a_block_for_the_user_is_shown_with_its_secrets_masked(spec: Host, level: Level) -> None:
    for_user: JsonObject = {"audience": ["user"]}
    content: list[Json] = [
        {"type": "text", "text": '{"a":"x","s":"CANARY"}', "annotations": for_user},
        {"type": "text", "text": '{"more":1,"s":"CANARY"}', "annotations": for_user},
        {"type": "text", "text": "for you", "annotations": for_user},
    ]
    projection = project(Result(value={**RAW, "content": content}), TOOL, level, spec)
    shown = dump_text(projection.masked)
    assert "CANARY" not in shown
    assert "for you" in shown


def test_an_error_is_projected_too(spec: Host) -> None:
    projection = project(RpcError(value={"code": -32603, "message": "m"}), None, Level.CLOSED, spec)
    assert projection.raw == {"error": {"code": -32603, "message": "m"}}
    assert projection.context.model == {"error": {"code": -32603, "message": "internal_error"}}
