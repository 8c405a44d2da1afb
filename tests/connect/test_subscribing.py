"""Changes of resources in the handshake era: reported only while a resource is subscribed to."""

import asyncio
import os
import sys

import pytest

from inspector.protocol.targets import StdioTarget
from inspector.session.events import Event, ResourceUpdated, SessionState, SubscriptionsChanged
from inspector.session.live import Session
from inspector.session.options import Options
from tests.cli.sightline import ROOT


async def test_a_subscription_is_requested_once_reports_changes_and_ends() -> None:
    told: list[str] = []
    states: list[dict[str, bool]] = []
    came = asyncio.Event()

    def hear(event: Event) -> None:
        if isinstance(event, ResourceUpdated):
            told.append(event.uri)
            if len(told) == 2:
                came.set()
        elif isinstance(event, SubscriptionsChanged):
            states.append(dict(session.subscriptions.states))

    command = (sys.executable, str(ROOT / "tests" / "peers" / "subscribing_server.py"))
    session = Session(StdioTarget(command=command), Options(), hear)
    try:
        await session.connect()
        await session.list_all()
        await session.call("resources/read note://a", {})
        assert not session.subscriptions.states
        assert not await session.subscribe("note://a")
        await asyncio.wait_for(came.wait(), 20)
        assert not await session.subscribe("note://a")
        assert "not this one" in await session.subscribe("note://refused")
        assert not await session.unsubscribe("note://a")
        assert not await session.unsubscribe("note://a")
        assert not await session.subscribe("note://b")
    finally:
        await session.close()
    # A change of a part is one of the subscribed resource.
    assert [uri for uri in told if uri != "note://b"] == ["note://a", "note://a"]
    assert states[:2] == [{"note://a": False}, {"note://a": True}]
    assert states[-1] == {}
    asked = [entry.title for entry in session.timeline.entries if "subscribe" in entry.title]
    assert asked == [
        "resources/subscribe note://a",
        "resources/subscribe note://refused",
        "resources/unsubscribe note://a",
        "resources/subscribe note://b",
        "resources/unsubscribe note://b",
    ]


async def test_a_server_ends_although_its_closing_is_cancelled() -> None:
    command = (sys.executable, str(ROOT / "tests" / "peers" / "subscribing_server.py"), "silent")
    session = Session(StdioTarget(command=command), Options(), lambda _: None)
    server = await session.connect()
    assert not await session.subscribe("note://a")
    closing = asyncio.create_task(session.close())
    async with asyncio.timeout(20):
        while not any("unsubscribe" in entry.title for entry in session.timeline.entries):
            await asyncio.sleep(0.01)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert session.state is SessionState.CLOSED
    with pytest.raises(ProcessLookupError):
        os.kill(int(server.version or ""), 0)
