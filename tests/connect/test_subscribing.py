"""Changes of resources in the handshake era: subscribed to once, and reported only for subscribed resources."""

import asyncio
import sys

from inspector.protocol.targets import StdioTarget
from inspector.session.events import Event, ResourceUpdated
from inspector.session.live import Session
from inspector.session.options import Options
from tests.cli.sightline import ROOT


async def test_a_resource_is_subscribed_to_once_and_its_changes_are_reported() -> None:
    told: list[ResourceUpdated] = []
    came = asyncio.Event()

    def hear(event: Event) -> None:
        if isinstance(event, ResourceUpdated):
            told.append(event)
            came.set()

    command = (sys.executable, str(ROOT / "tests" / "peers" / "subscribing_server.py"))
    session = Session(StdioTarget(command=command), Options(), hear)
    try:
        await session.connect()
        await session.list_all()
        await session.subscribe("note://a")
        await asyncio.wait_for(came.wait(), 20)
        await session.subscribe("note://a")
        await session.request("resources/read", {"uri": "note://a"})
    finally:
        await session.close()
    assert [event.uri for event in told] == ["note://a"]
    asked = [entry.title for entry in session.timeline.entries if "subscribe" in entry.title]
    assert asked == ["resources/subscribe note://a"]
