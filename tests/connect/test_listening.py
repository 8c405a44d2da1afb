"""Changed lists in the stateless era, in which a server notifies only subscribers."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from inspector.connect.connection import Opening, open_connection
from inspector.protocol.exchanges import SUBSCRIBE
from inspector.protocol.outcome import RpcError
from inspector.protocol.targets import Era, HttpTarget, StdioTarget
from inspector.protocol.timeline import Entry, EntryKind, EntryState
from inspector.session.events import Event, ListChanged, ResourceUpdated, SessionState
from inspector.session.listening import keep_listening, wanted
from inspector.session.live import Session
from inspector.session.options import Options
from tests.connect.real_servers import ROOT
from tests.peers.ports import free_port

PEERS = ROOT / "tests" / "peers"
SDK = (sys.executable, str(PEERS / "sdk_server.py"))


def stateless(listen: str) -> StdioTarget:
    return StdioTarget(command=(sys.executable, "-S", "-E", str(PEERS / "stateless_server.py"), listen))


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not is_so():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def listening(target: StdioTarget | HttpTarget) -> AsyncGenerator[tuple[Session, list[Event]]]:
    heard: list[Event] = []
    session = Session(target, Options(timeout_s=10, connect_timeout_s=15), heard.append)
    try:
        await session.connect()
        await session.list_all()
        task = asyncio.ensure_future(session.listen())
        yield session, heard
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    finally:
        await session.close()


def subscription(session: Session) -> Entry | None:
    return next((entry for entry in session.timeline.entries if entry.title == SUBSCRIBE), None)


def acknowledgements(session: Session) -> list[Entry]:
    return [entry for entry in session.timeline.entries if entry.title.endswith("/acknowledged")]


def acknowledged(session: Session) -> bool:
    return bool(acknowledgements(session))


async def assert_a_change_is_heard(target: StdioTarget | HttpTarget) -> None:
    async with listening(target) as (session, heard):
        assert session.server is not None
        assert session.server.era is Era.MODERN
        await until(lambda: acknowledged(session))
        open_one = subscription(session)
        assert open_one is not None
        assert open_one.state is EntryState.OPEN
        before = len(session.catalogue.tools)
        await session.call("grow", {})
        await until(lambda: any(isinstance(event, ListChanged) for event in heard))
        assert len((await session.list_all()).tools) == before + 1
    ended = subscription(session)
    assert ended is not None
    assert ended.state is EntryState.DONE


@pytest.mark.parametrize(
    "target", [stateless("serves"), StdioTarget(command=(*SDK, "stdio"))], ids=["peer", "sdk"]
)
async def test_a_list_change_is_received_over_stdio(target: StdioTarget) -> None:
    await assert_a_change_is_heard(target)


@asynccontextmanager
async def served(port: int) -> AsyncGenerator[None]:
    process = await asyncio.create_subprocess_exec(
        *SDK, "http", str(port), stderr=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(20):
            while True:
                with contextlib.suppress(OSError):
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.close()
                    break
                await asyncio.sleep(0.05)
        yield
    finally:
        process.kill()
        await process.wait()


async def test_changes_of_a_subscribed_resource_and_of_lists_are_received() -> None:
    async with listening(StdioTarget(command=(*SDK, "stdio"))) as (session, heard):
        await until(lambda: acknowledged(session))
        await session.call("touch", {})
        await session.subscribe("note://a")
        await session.subscribe("note://a")
        await until(lambda: len(acknowledgements(session)) == 2)
        assert not [event for event in heard if isinstance(event, ResourceUpdated)]
        await session.call("touch", {})
        await until(lambda: ResourceUpdated(uri="note://a") in heard)
        await session.call("grow", {})
        await until(lambda: any(isinstance(event, ListChanged) for event in heard))
        assert session.subscriptions.states == {"note://a": True}
        await session.unsubscribe("note://a")
        await until(lambda: len(acknowledgements(session)) == 3)
        changes = heard.count(ResourceUpdated(uri="note://a"))
        await session.call("touch", {})
        await session.call("grow", {})
        assert heard.count(ResourceUpdated(uri="note://a")) == changes
        states = [entry.state for entry in session.timeline.entries if entry.title == SUBSCRIBE]
        assert states == [EntryState.DONE, EntryState.DONE, EntryState.OPEN]


async def test_a_list_change_is_received_over_http() -> None:
    port = free_port()
    async with served(port):
        await assert_a_change_is_heard(HttpTarget(url=f"http://127.0.0.1:{port}/mcp"))


async def test_a_restarted_server_is_subscribed_to_again() -> None:
    port = free_port()
    async with contextlib.AsyncExitStack() as stack:
        async with served(port):
            session, heard = await stack.enter_async_context(
                listening(HttpTarget(url=f"http://127.0.0.1:{port}/mcp"))
            )
            await until(lambda: acknowledged(session))
        await until(lambda: session.state is SessionState.LOST)
        async with served(port):
            await session.call("grow", {})
            await until(lambda: len(acknowledgements(session)) == 2)
            heard.clear()
            await session.call("grow", {})
            await until(lambda: any(isinstance(event, ListChanged) for event in heard))
            states = [entry.state for entry in session.timeline.entries if entry.title == SUBSCRIBE]
            assert states[-1] is EntryState.OPEN
            assert set(states[:-1]) == {EntryState.DONE}


async def test_a_server_that_does_not_know_subscriptions_is_not_asked_again() -> None:
    async with listening(stateless("refuses")) as (session, _):
        await until(lambda: any(entry.kind is EntryKind.DECISION for entry in session.timeline.entries))
    (noted,) = [entry for entry in session.timeline.entries if entry.kind is EntryKind.DECISION]
    assert (
        noted.detail
        == f"the server has no {SUBSCRIBE}: changes to lists are not noticed; press L to list again"
    )
    assert (
        sum(
            entry.title == SUBSCRIBE and entry.kind is EntryKind.EXCHANGE
            for entry in session.timeline.entries
        )
        == 1
    )


async def test_a_subscription_that_keeps_ending_is_opened_again_a_few_times() -> None:
    connection = await open_connection(
        stateless("ends"),
        Opening(era=Era.MODERN, timeout_s=10),
        on_frame=lambda _: None,
        on_notification=lambda _: None,
    )
    reopened, notes = list[None](), list[str]()
    try:
        async with asyncio.timeout(30):
            await keep_listening(
                connection,
                {"toolsListChanged": True},
                reopened=lambda: reopened.append(None),
                note=notes.append,
                pauses_s=(0.0, 0.01),
            )
    finally:
        await connection.close()
    assert len(reopened) == 2
    assert notes == [
        "the subscription ended 3 times in a row: changes to lists are not noticed; press L to list again"
    ]


async def test_an_error_without_id_does_not_answer_an_open_subscription() -> None:
    async with listening(stateless("serves")) as (session, _):
        await until(lambda: acknowledged(session))
        record = await session.call("no id", {})
        assert isinstance(record.outcome, RpcError)
        states = {entry.title: entry.state for entry in session.timeline.entries}
        assert states["tools/call no id"] is EntryState.FAILED
        assert states[SUBSCRIBE] is EntryState.OPEN


def test_only_announced_list_changes_are_subscribed_to() -> None:
    assert wanted(
        {"tools": {"listChanged": True}, "prompts": {"listChanged": "yes"}, "resources": {}, "logging": {}}
    ) == {"toolsListChanged": True}
    assert wanted(None) == wanted({}) == {}
