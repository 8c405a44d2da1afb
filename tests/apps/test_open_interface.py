"""An interface in a real Chromium, on a server of the official SDK: what it receives, and that it reaches nothing else."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from inspector.apps.browser.running import AppEntry, AppEntryKind, RunningApp
from inspector.apps.interface import AppInterface, interface_in
from inspector.boundary.bounded import Level
from inspector.errors import BlockedError
from inspector.json.exact import Json, JsonObject
from inspector.json.members import value_at
from inspector.protocol.catalogue import Kind, Tool, unlisted
from inspector.protocol.outcome import Result
from inspector.protocol.targets import StdioTarget
from inspector.session.call_record import CallRecord
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.webmcp.browser.chromium import profiles_folder
from tests.driven import drives
from tests.webmcp.browser.site import Site, answer

HERE = Path(__file__).parent
PEER = HERE.parent / "peers" / "interface_server.py"
URI = "ui://weather/panel"
SECRET = "hunter2-hunter2"


class Overheard(asyncio.DatagramProtocol):
    """A port that a STUN request would reach."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def datagram_received(self, data: bytes, addr: object) -> None:
        del addr
        self.heard.append(data)


@asynccontextmanager
async def overhearing() -> AsyncGenerator[tuple[Overheard, int]]:
    """A port on loopback that keeps what it receives, and its number."""
    loop = asyncio.get_running_loop()
    transport, heard = await loop.create_datagram_endpoint(Overheard, local_addr=("127.0.0.1", 0))
    try:
        yield heard, transport.get_extra_info("sockname")[1]
    finally:
        transport.close()


@dataclass
class Desk:
    """Sightline's side of an open interface, without a policy."""

    session: Session
    entries: list[AppEntry] = field(default_factory=list[AppEntry])
    news: asyncio.Event = field(default_factory=asyncio.Event)
    blocked: frozenset[str] = frozenset()
    numbers: int = 100

    def now_s(self) -> float:
        return self.session.now_s

    def tool(self, name: str) -> Tool | None:
        return self.session.catalogue.tool(name)

    async def call(self, name: str, arguments: JsonObject) -> CallRecord:
        if name in self.blocked:
            raise BlockedError("blocked by the policy")
        return await self.session.call(name, arguments)

    async def read(self, uri: str) -> CallRecord:
        return await self.session.call(unlisted(Kind.RESOURCE, uri).handle, {})

    def spoken(self, method: str) -> int:
        del method
        self.numbers += 1
        return self.numbers

    def add(self, entry: AppEntry) -> None:
        self.entries.append(entry)
        self.news.set()

    def of(self, kind: AppEntryKind) -> list[str]:
        return [f"{entry.title}: {entry.detail}" for entry in self.entries if entry.kind is kind]

    @property
    def logs(self) -> dict[str, str]:
        found = (entry.detail.strip('"').partition(": ") for entry in self.entries if entry.title == "log")
        return {name: words for name, _, words in found}

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(40):
            while not holds():
                self.news.clear()
                await self.news.wait()


@asynccontextmanager
async def weather(
    html: str, declared: str, folder: Path
) -> AsyncGenerator[tuple[Desk, AppInterface, CallRecord]]:
    """A session with the server of the interface, and the call whose result it shows."""
    drives()
    page = folder / "panel.html"
    page.write_text(html)
    target = StdioTarget(command=(sys.executable, str(PEER), str(page), declared))
    session = Session(target, Options())
    try:
        await session.connect()
        await session.list_all()
        read = await session.call(unlisted(Kind.RESOURCE, URI).handle, {})
        assert isinstance(read.outcome, Result)
        found = interface_in(URI, read.outcome.value, {})
        assert isinstance(found, AppInterface), found
        record = await session.call("weather", {"city": "Oslo"})
        yield Desk(session), found, record
    finally:
        await session.close()


def opened(desk: Desk, interface: AppInterface, record: CallRecord) -> "asyncio.Task[None]":
    running = RunningApp(interface, record, desk, version="1", is_headed=False)
    task = asyncio.ensure_future(running.run())
    task.add_done_callback(lambda _: desk.news.set())
    return task


async def ended(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def own_profiles() -> list[Path]:
    """Profiles of browsers that this process started; others may run."""
    mine = f"{os.getpid()} "
    owners = profiles_folder().glob("*/sightline-owner")
    return [each.parent for each in owners if each.read_text("ascii").startswith(mine)]


def text_of(record: CallRecord | None, level: Level) -> Json:
    assert record is not None
    content = value_at(record.judgement.bounded(level).result, "content")
    return value_at(content[0], "text") if isinstance(content, list) and content else None


async def test_an_interface_gets_the_result_and_reaches_only_declared_origins(
    tmp_path: Path,
) -> None:
    async with Site() as site, overhearing() as (stun, port):
        site.pages["/data"] = answer("declared", "text/plain")
        html = (HERE / "panel.html").read_text()
        html = (
            html.replace("DECLARED", site.other)
            .replace("SITE", site.origin)
            .replace("STUN", f"127.0.0.1:{port}")
        )
        async with weather(html, site.other, tmp_path) as (desk, interface, record):
            task = opened(desk, interface, record)
            await desk.until(lambda: "given" in desk.logs or task.done())
            assert own_profiles()
            await desk.until(task.done)
            assert not own_profiles(), "the profile is removed"
    assert desk.of(AppEntryKind.STATE)[-1] == "ended: it tried to leave its document"
    logs = desk.logs
    assert "all done" in logs
    assert logs["given"] == "Oslo 22 station sightline"
    assert logs["declared"] == "opaque"
    assert (logs["refresh"], logs["mode"]) == ("done", "inline")
    for name in ("foreign", "image", "socket", "camera", "place"):
        assert logs[name].endswith("Error"), (name, logs)
    assert (logs["webrtc"], logs["webrtc of a frame"]) == ("ReferenceError", "undefined")
    assert (logs["parent"], logs["popup"], logs["top"]) == ("SecurityError", "null", "SecurityError")
    assert logs["early"] == "it came before the handshake was over"
    assert "does not include `app`" in logs["for_models"]
    assert "no tool of that name" in logs["missing"]
    assert [name for name, _ in calls_of(desk.session)] == ["weather", "refresh"]
    assert site.paths() == ["/data"]
    assert not stun.heard
    refused = "\n".join(desk.of(AppEntryKind.REFUSED))
    for words in (
        "/stolen?data' violates",
        "/image' violates",
        "/socket' violates",
        "allow-top-navigation",
        "/popup' in a new window",
        "/form",
        "ui/open-link: refused: Sightline opens no links: https://evil.example/?stolen",
        "sampling/createMessage: refused",
        "message: refused: not a JSON-RPC message",
        "a message of more than 1,000,000 characters",
        "its role is not `user`",
    ):
        assert words in refused, words
    said, context, _ = (entry.record for entry in desk.entries if entry.kind is AppEntryKind.TO_MODEL)
    assert text_of(said, Level.OPEN) == "It is warm in Oslo."
    assert "no instructions" in str(text_of(said, Level.DECLARED))
    assert "It is warm in Oslo." in str(text_of(said, Level.DECLARED))
    assert "warm" not in str(text_of(said, Level.CLOSED))
    assert SECRET in str(text_of(context, Level.OPEN))
    assert context is not None
    declared = context.judgement.bounded(Level.DECLARED)
    assert SECRET not in str(declared.result), "the interface cannot pass on what is withheld"
    assert "copy of a withheld value" in str([removal.detail for removal in declared.removals])


def calls_of(session: Session) -> list[tuple[str, JsonObject]]:
    return [(record.name, record.arguments) for record in session.calls if record.kind is Kind.TOOL]


LEAVING = """<script>
  parent.postMessage({ jsonrpc: "2.0", id: 1, method: "ui/initialize", params: {} }, "*");
  addEventListener("message", () => { HERE });
</script>"""


@pytest.mark.parametrize(
    ("does", "why"),
    [
        ("location = 'SITE/left?data'", "it tried to leave its document"),
        ("location.reload()", "it tried to leave its document"),
        (
            "for (let i = 0; i < 5000; i++) parent.postMessage({ jsonrpc: '2.0', method: 'x' }, '*')",
            "it sent more than 2,000 messages or 50,000,000 characters",
        ),
    ],
)
async def test_an_interface_that_navigates_away_or_floods_is_ended(
    does: str, why: str, tmp_path: Path
) -> None:
    async with Site() as site:
        html = LEAVING.replace("HERE", does).replace("SITE", site.origin)
        async with weather(html, site.other, tmp_path) as (desk, interface, record):
            async with asyncio.timeout(40):
                await opened(desk, interface, record)
        assert desk.of(AppEntryKind.STATE)[-1] == f"ended: {why}"
        assert not site.paths()


async def test_the_policy_can_refuse_a_request_of_an_interface(tmp_path: Path) -> None:
    html = (HERE / "panel.html").read_text()
    async with (
        Site() as site,
        weather(html.replace("DECLARED", site.other), site.other, tmp_path) as (desk, interface, record),
    ):
        desk.blocked = frozenset({"refresh"})
        task = opened(desk, interface, record)
        await desk.until(lambda: "refresh" in desk.logs or task.done())
        await ended(task)
        assert site.paths() == ["/torn-down"], "it is given time to end itself"
        assert desk.logs["refresh"] == "not done: the policy or the user refused"
        assert "tools/call: refused: refresh: blocked by the policy" in desk.of(AppEntryKind.REFUSED)
