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
from tests.connect.real_servers import REAL_SERVERS, RealServer


@pytest.mark.parametrize("server", REAL_SERVERS, ids=[server.name for server in REAL_SERVERS])
@pytest.mark.parametrize("era", [Era.AUTO, Era.LEGACY])
async def test_a_server_from_elsewhere_is_reached_listed_and_called(server: RealServer, era: Era) -> None:
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
    # What the server asks may be cut off by the end of the session.
    asked = [entry for entry in session.timeline.entries if entry.kind is EntryKind.EXCHANGE]
    assert all(entry.state is not EntryState.PENDING for entry in asked)
    spec = host("spec")
    assert spec is not None
    shown = project(record.outcome, record.tool, Level.DECLARED, spec)
    assert server.said in dump_text(shown.context.model)
