import pytest

from inspector.boundary.bounded import Level
from inspector.hosts.projection import project
from inspector.hosts.registry import host
from inspector.json.exact import dump_text
from inspector.protocol.outcome import Result
from inspector.protocol.targets import Era
from inspector.protocol.timeline import EntryKind, EntryState
from inspector.session.live import Session
from inspector.session.options import Options
from tests.connect.real_servers import EVERYTHING, REAL_SERVERS, RealServer


@pytest.mark.parametrize("server", REAL_SERVERS, ids=[server.name for server in REAL_SERVERS])
@pytest.mark.parametrize("era", [Era.AUTO, Era.LEGACY])
async def test_a_third_party_server_is_connected_listed_and_called(server: RealServer, era: Era) -> None:
    session = Session(server.target, Options(era=era))
    try:
        facts = await session.connect()
        catalogue = await session.list_all()
        record = await session.call(server.tool, server.arguments)
    finally:
        await session.close()
    assert facts.era is (server.era if era is Era.AUTO else era)
    assert facts.name
    assert len(catalogue.tools) >= server.tools
    assert isinstance(record.outcome, Result)
    assert server.said in dump_text(record.outcome.value)
    # Requests of the server may be cut off by the end of the session.
    asked = [entry for entry in session.timeline.entries if entry.kind is EntryKind.EXCHANGE]
    assert all(entry.state is not EntryState.PENDING for entry in asked)
    spec = host("spec")
    assert spec is not None
    shown = project(record.outcome, record.tool, Level.DECLARED, spec)
    assert server.said in dump_text(shown.context.model)


async def test_a_task_only_tool_of_a_third_party_server_runs_to_its_result() -> None:
    session = Session(EVERYTHING.target, Options())
    try:
        await session.connect()
        await session.list_all()
        record = await session.call("simulate-research-query", {"topic": "bees", "ambiguous": True})
    finally:
        await session.close()
    assert isinstance(record.outcome, Result)
    assert "Research Report: bees (User declined" in dump_text(record.outcome.value)
    (entry,) = (each for each in session.timeline.entries if each.title.startswith("tools/call"))
    assert entry.state is EntryState.DONE
    # One duration: from frame to frame.
    assert record.duration_s == entry.duration_s
