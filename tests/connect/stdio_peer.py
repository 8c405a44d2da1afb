"""Sessions with the misbehaving stdio server."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from inspector.protocol.targets import Era, StdioTarget
from inspector.protocol.timeline import Entry, EntryKind
from inspector.session.call_record import CallRecord
from inspector.session.events import Event
from inspector.session.live import Session
from inspector.session.options import Options

SERVER = Path(__file__).parent.parent / "peers" / "raw_server.py"


def raw_server(behaviour: str) -> StdioTarget:
    """The target of the misbehaving server with this behaviour."""
    return StdioTarget(command=(sys.executable, "-S", "-E", str(SERVER), behaviour))


@asynccontextmanager
async def session_with(
    behaviour: str, *, era: Era = Era.LEGACY, connect_timeout_s: float = 20, events: list[Event] | None = None
) -> AsyncGenerator[Session]:
    """A connected session, closed afterwards."""
    options = Options(era=era, timeout_s=20, connect_timeout_s=connect_timeout_s)
    session = Session(raw_server(behaviour), options, events.append if events is not None else None)
    try:
        await session.connect()
        yield session
    finally:
        await session.close()


async def called(behaviour: str, *, timeout_s: float | None = None) -> tuple[CallRecord, list[Entry]]:
    """The record of one call, and the timeline afterwards."""
    async with session_with(behaviour) as session:
        record = await session.call("t", {}, timeout_s=timeout_s)
        # When a later answer arrives, everything that the call put on the wire has been read.
        await session.list_all()
        return record, list(session.timeline.entries)


def of_kind(entries: list[Entry], kind: EntryKind) -> list[Entry]:
    """The entries of one kind."""
    return [entry for entry in entries if entry.kind is kind]
