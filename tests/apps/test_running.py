"""The handling of an interface's messages, and how an interface ends, without a browser."""

import asyncio
import threading
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from inspector.apps.browser import running
from inspector.apps.browser.running import AppEntry, AppEntryKind, RunningApp
from inspector.apps.interface import AppInterface, interface_in
from inspector.apps.messages import AppMessage, AppRefusal, message_in
from inspector.boundary.bounded import Level
from inspector.boundary.judgement import Judgement
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result, RpcError
from inspector.session.call_record import CallRecord

RECORD = CallRecord(
    number=1,
    name="t",
    arguments={},
    judgement=Judgement(Result(value={"content": []}), None),
    at_s=0,
    duration_s=0,
    size_bytes=0,
)


def message(method: str, number: int | None = None, **params: Json) -> str:
    head: JsonObject = {"jsonrpc": "2.0", "method": method, "params": params}
    return dump_text(head if number is None else {**head, "id": number})


HELLO = (message("ui/initialize", 1), message("ui/notifications/initialized"))


class Window:
    """A window whose interface has already sent its messages."""

    written: tuple[str, ...] = ()

    def __init__(
        self,
        interface: AppInterface,
        *,
        is_headed: bool,
        chromium: str | None,
        on_message: Callable[[str], None],
        on_report: Callable[[str], None],
        on_end: Callable[[str], None],
    ) -> None:
        del interface, is_headed, chromium, on_report
        self.write = on_message
        self.end = on_end
        self.given: list[JsonObject] = []
        self.is_closed = False

    async def open(self, timeout_s: float) -> None:
        del timeout_s
        for text in self.written:
            self.write(text)

    async def give(self, message: JsonObject) -> bool:
        self.given.append(message)
        return message.get("method") != "ui/resource-teardown"

    async def close(self) -> None:
        await asyncio.sleep(0.05)
        self.is_closed = True


class Host:
    """Sightline's side."""

    def __init__(self, read: Callable[[], "asyncio.Future[CallRecord]"] | None = None) -> None:
        self.entries: list[AppEntry] = []
        self._read = read

    def now_s(self) -> float:
        return 0.0

    def tool(self, name: str) -> Tool | None:
        del name
        return None

    async def call(self, name: str, arguments: JsonObject) -> CallRecord:
        raise NotImplementedError

    async def read(self, uri: str) -> CallRecord:
        del uri
        if self._read is None:
            raise RuntimeError
        return await self._read()

    def spoken(self, method: str) -> int:
        del method
        return 1

    def add(self, entry: AppEntry) -> None:
        self.entries.append(entry)


def app(monkeypatch: pytest.MonkeyPatch, host: Host, *written: str) -> tuple[RunningApp, Window]:
    monkeypatch.setattr(Window, "written", written)
    monkeypatch.setattr(running, "AppWindow", Window)
    content: JsonObject = {"uri": "ui://a", "mimeType": "text/html;profile=mcp-app", "text": ""}
    found = interface_in("ui://a", {"contents": [content]}, {})
    assert isinstance(found, AppInterface), found
    made = RunningApp(found, RECORD, host, version="1", is_headed=False)
    window = made._window  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    assert isinstance(window, Window)
    return made, window


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0.005)


async def test_a_full_message_queue_does_not_block_other_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host()
    made, window = app(monkeypatch, host, *(message(f"x{n}") for n in range(500)))
    task = asyncio.ensure_future(made.run())
    seen: list[int] = []
    while len(host.entries) < 500:
        seen.append(len(host.entries))
        await asyncio.sleep(0)
    window.end("enough")
    await task
    assert len(seen) > 250


@pytest.mark.parametrize(("characters", "is_elsewhere"), [(7_000, False), (9_000, True)])
async def test_a_long_message_is_parsed_in_a_thread_and_a_log_is_cut(
    characters: int, monkeypatch: pytest.MonkeyPatch, *, is_elsewhere: bool
) -> None:
    threads: list[bool] = []

    def read(text: str, *, is_initialized: bool) -> AppMessage | AppRefusal:
        threads.append(threading.current_thread() is not threading.main_thread())
        return message_in(text, is_initialized=is_initialized)

    monkeypatch.setattr(running, "message_in", read)
    host = Host()
    data: list[Json] = ["x"] * (characters // 4)
    made, window = app(monkeypatch, host, message("notifications/message", data=data))
    task = asyncio.ensure_future(made.run())
    await until(lambda: any(entry.title == "log" for entry in host.entries))
    window.end("enough")
    await task
    assert threads == [is_elsewhere]
    assert max(len(entry.detail) for entry in host.entries) == 400


async def test_a_request_that_fails_by_a_defect_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host()
    made, window = app(monkeypatch, host, *HELLO, message("resources/read", 7, uri="x"))
    task = asyncio.ensure_future(made.run())
    await until(lambda: any(each.get("id") == 7 for each in window.given))
    window.end("enough")
    await task
    assert "error" in next(each for each in window.given if each.get("id") == 7)
    assert "RuntimeError" in next(each.detail for each in host.entries if each.kind is AppEntryKind.REFUSED)


async def test_an_interface_cannot_pass_on_a_secret_from_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "correct-horse-battery"
    error = RpcError(value={"code": secret, "message": secret})
    record = replace(RECORD, judgement=Judgement(error, None))

    async def answer() -> CallRecord:
        return record

    host = Host(lambda: asyncio.ensure_future(answer()))
    made, window = app(monkeypatch, host, *HELLO, message("resources/read", 7, uri="x"))
    task = asyncio.ensure_future(made.run())
    await until(lambda: any(each.get("id") == 7 for each in window.given))
    window.write(message("ui/message", 8, role="user", content={"type": "text", "text": secret}))
    await until(lambda: any(each.get("id") == 8 for each in window.given))
    window.end("enough")
    await task
    said = next(each.record for each in host.entries if each.kind is AppEntryKind.TO_MODEL)
    assert said is not None
    assert secret in dump_text(said.judgement.bounded(Level.OPEN).result)
    assert secret not in dump_text(said.judgement.bounded(Level.DECLARED).result)


async def test_pending_calls_end_before_the_window_closes_despite_repeated_cancelling(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order: list[str] = []

    async def forever() -> CallRecord:
        try:
            order.append("begun")
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)
            order.append("ended")
        return RECORD

    host = Host(lambda: asyncio.ensure_future(forever()))
    made, window = app(monkeypatch, host, *HELLO, message("resources/read", 7, uri="x"))
    task = asyncio.ensure_future(made.run())
    await until(lambda: order == ["begun"])
    while not task.done():
        task.cancel()
        await asyncio.sleep(0.01)
    assert task.cancelled()
    assert order == ["begun", "ended"]
    assert window.is_closed
