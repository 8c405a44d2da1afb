"""Runs the interface of a tool (MCP Apps) while it is open: its handshake, its data and its messages."""

import asyncio
import secrets
from enum import Enum, auto
from typing import Protocol

from msgspec import Struct

from inspector.apps.browser.window import AppWindow
from inspector.apps.interface import AppInterface, why_not_called
from inspector.apps.messages import (
    BAD_PARAMS,
    MAX_WAITING,
    MODE,
    REFUSED,
    AppAsk,
    AppMessage,
    AppRefusal,
    answered,
    handshake,
    message_in,
    notified,
    refused,
    spoken_in,
)
from inspector.apps.speech import speech_record
from inspector.errors import InspectorError
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.json.members import object_at, text_at
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, Result, RpcError
from inspector.session.call_record import CallRecord

OPEN_TIMEOUT_S = 30.0
TEARDOWN_S = 1.0
"""The time limit for an MCP Apps interface to end itself."""
_TEARDOWN_ID = "sightline-teardown"
_LARGE_CHARACTERS = 8_000
"""The maximum length of a message that is read on the event loop; a longer one is read in a thread."""
_MOST_NOTED = 400


class AppEntryKind(Enum):
    """The subject of an entry in an MCP Apps interface's log."""

    STATE = auto()
    HEARD = auto()
    TO_MODEL = auto()
    REFUSED = auto()


class AppEntry(Struct, frozen=True, kw_only=True):
    """An entry in the log of an MCP Apps interface: an action of the interface, or an action on it."""

    kind: AppEntryKind
    at_s: float
    title: str
    """The method of a message, a word for another action, or a report of the browser. Untrusted text."""
    detail: str = ""
    """What happened, in words. May be empty. Untrusted text."""
    record: CallRecord | None = None
    """The call or reading that the entry reports, or the content that a model would get; None if there is neither."""


class AppHost(Protocol):
    """The functions of Sightline that an open interface needs."""

    def now_s(self) -> float: ...

    def tool(self, name: str) -> Tool | None:
        """The tool as the server lists it now; None if it is not listed."""
        ...

    async def call(self, name: str, arguments: JsonObject) -> CallRecord:
        """Call a tool of the interface's server, if the policy and the user allow it.

        Raises InspectorError.
        """
        ...

    async def read(self, uri: str) -> CallRecord:
        """Read a resource of the interface's server, if the policy and the user allow it.

        Raises InspectorError.
        """
        ...

    def spoken(self, method: str) -> int:
        """Mark the agent session as untrusted, because the interface of a tool sends a message to the model.

        `method`: the method of the message. Returns the number under which the message is shown.
        """
        ...

    def add(self, entry: AppEntry) -> None: ...


class RunningApp:
    """An MCP Apps interface from its opening to its end. Call `run` only once."""

    def __init__(
        self,
        interface: AppInterface,
        record: CallRecord,
        host: AppHost,
        *,
        version: str,
        is_headed: bool,
        chromium: str | None = None,
    ) -> None:
        """`record`: the call whose arguments and result Sightline gives to the interface."""
        self._interface = interface
        self._record = record
        self._host = host
        self._version = version
        self._given = [record]
        """The calls and readings whose results or errors the interface has received."""
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        """The queue of the interface's messages; None ends the interface."""
        self._why = ""
        self._is_greeted = False
        self._is_initialized = False
        self._waiting: set[asyncio.Task[None]] = set()
        self._one_at_a_time = asyncio.Lock()
        self._window = AppWindow(
            interface,
            is_headed=is_headed,
            chromium=chromium,
            on_message=self._queue.put_nowait,
            on_report=lambda words: self._note(AppEntryKind.REFUSED, words),
            on_end=self._ended,
        )

    async def run(self) -> None:
        """Open the interface and serve it until it ends. Raises InspectorError.

        Cancelling ends the interface too; no process is left behind.
        """
        try:
            self._note(AppEntryKind.STATE, "opening")
            await self._window.open(OPEN_TIMEOUT_S)
            self._note(AppEntryKind.STATE, "loaded")
            while (text := await self._queue.get()) is not None:
                await self._take(text)
                # Without this, other tasks would not run: taking from a queue that is never empty does not
                # yield to them.
                await asyncio.sleep(0)
            self._note(AppEntryKind.STATE, "ended", self._why)
        finally:
            await _to_the_end(asyncio.ensure_future(self._close()))

    async def _close(self) -> None:
        try:
            for task in self._waiting:
                task.cancel()
            if self._waiting:
                await asyncio.wait(tuple(self._waiting), timeout=TEARDOWN_S)
            if self._is_initialized:
                await self._tear_down()
        finally:
            await self._window.close()

    async def _tear_down(self) -> None:
        request: JsonObject = {
            "jsonrpc": "2.0",
            "id": _TEARDOWN_ID,
            "method": "ui/resource-teardown",
            "params": {"reason": "the user closed it"},
        }
        try:
            async with asyncio.timeout(TEARDOWN_S):
                if not await self._window.give(request):
                    return
                while (text := await self._queue.get()) is not None:
                    found = await self._read(text)
                    if (
                        isinstance(found, AppMessage)
                        and found.ask is AppAsk.REPLY
                        and found.id == _TEARDOWN_ID
                    ):
                        return
        except TimeoutError:
            return

    def _ended(self, why: str) -> None:
        self._why = why
        self._queue.put_nowait(None)

    async def _read(self, text: str) -> AppMessage | AppRefusal:
        if len(text) > _LARGE_CHARACTERS:
            return await asyncio.to_thread(message_in, text, is_initialized=self._is_initialized)
        return message_in(text, is_initialized=self._is_initialized)

    async def _take(self, text: str) -> None:
        found = await self._read(text)
        if isinstance(found, AppRefusal):
            self._note(AppEntryKind.REFUSED, found.method or "message", f"refused: {found.reason}")
            if found.id is not None:
                await self._window.give(refused(found.id, found.code, found.reason))
            return
        match found.ask:
            case AppAsk.INITIALIZE:
                await self._greet(found)
            case AppAsk.INITIALIZED:
                await self._begin()
            case AppAsk.CALL | AppAsk.READ:
                await self._queue_up(found)
            case AppAsk.SPEAK:
                await self._speak(found)
            case AppAsk.CLOSE:
                self._ended("the interface asked to be closed")
            case _:
                await self._settle(found)

    async def _settle(self, message: AppMessage) -> None:
        """Handle a message about a link, the display mode or the log, a ping, or a notification to ignore."""
        match message.ask:
            case AppAsk.LINK:
                url = text_at(message.params, "url") or "no URL"
                await self._refuse(message, f"Sightline opens no links: {url}", "links are not opened")
            case AppAsk.DISPLAY:
                wanted = text_at(message.params, "mode") or "no mode"
                self._note(AppEntryKind.HEARD, message.method, f"{wanted}: the mode stays {MODE}")
                await self._answer(message, {"mode": MODE})
            case AppAsk.PING:
                await self._answer(message, {})
            case AppAsk.LOG:
                words = await asyncio.to_thread(_beginning, message.params.get("data"))
                self._note(AppEntryKind.HEARD, "log", words)
            case AppAsk.NOTHING:
                self._note(AppEntryKind.HEARD, message.method, "a notification that Sightline ignores")
            case _:
                pass

    async def _greet(self, message: AppMessage) -> None:
        if self._is_greeted:
            await self._refuse(message, "the handshake is over", "already initialized")
            return
        self._is_greeted = True
        tool = self._record.tool
        shown = f"{text_at(message.params, 'appInfo', 'name') or 'no name'}, {text_at(message.params, 'protocolVersion') or 'no revision'}"
        self._note(AppEntryKind.HEARD, message.method, shown)
        result = handshake(
            version=self._version,
            tool=tool.definition if tool is not None else {},
            granted=self._interface.declared,
        )
        await self._answer(message, result)

    async def _begin(self) -> None:
        if not self._is_greeted or self._is_initialized:
            self._note(
                AppEntryKind.REFUSED,
                "ui/notifications/initialized",
                "refused: the message came at the wrong time",
            )
            return
        self._is_initialized = True
        arguments = notified("ui/notifications/tool-input", {"arguments": self._record.arguments})
        outcome = self._record.outcome
        result = outcome.value if isinstance(outcome, Result) else {}
        is_given = await self._window.give(arguments)
        is_given = is_given and await self._window.give(notified("ui/notifications/tool-result", result))
        words = (
            "the interface has the arguments and the result"
            if is_given
            else "the result is too large for the interface"
        )
        self._note(AppEntryKind.STATE if is_given else AppEntryKind.REFUSED, "initialized", words)

    async def _queue_up(self, message: AppMessage) -> None:
        if len(self._waiting) >= MAX_WAITING:
            await self._refuse(
                message, f"{MAX_WAITING} requests of the interface are already waiting", "too many requests"
            )
            return
        task = asyncio.ensure_future(self._fetch(message))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _fetch(self, message: AppMessage) -> None:
        """Call a tool, or read a resource, and give the interface an answer in any case."""
        async with self._one_at_a_time:
            try:
                await self._fetched(message)
            except Exception as error:  # noqa: BLE001 - an interface that waits for an answer gets one
                words = f"Sightline could not do this ({type(error).__name__}): a defect of Sightline"
                await self._refuse(message, words, "internal error")

    async def _fetched(self, message: AppMessage) -> None:
        is_call = message.ask is AppAsk.CALL
        name = text_at(message.params, "name" if is_call else "uri")
        arguments = message.params.get("arguments", {})
        if name is None or not isinstance(arguments, dict):
            await self._refuse(
                message, "the parameters of the message are malformed", "malformed parameters", BAD_PARAMS
            )
            return
        why_not = why_not_called(self._host.tool(name)) if is_call else ""
        if why_not:
            await self._refuse(message, f"{name}: {why_not}", f"not called: {why_not}")
            return
        try:
            record = await (self._host.call(name, arguments) if is_call else self._host.read(name))
        except InspectorError as error:
            await self._refuse(
                message, f"{name}: {error.message}", "not done: the policy or the user refused"
            )
            return
        number = message.id if message.id is not None else ""
        match record.outcome:
            case Result(value=value):
                self._given.append(record)
                words, reply = "answered", answered(number, value)
            case RpcError(value=error):
                self._given.append(record)
                words = "the server answered with an error"
                reply = refused(number, REFUSED, text_at(error, "message") or "the server refused")
            case Failure(detail=detail):
                words, reply = detail, refused(number, REFUSED, "no answer came")
        is_given = await self._window.give(reply)
        self._note(
            AppEntryKind.HEARD,
            f"{message.method} {name}",
            words if is_given else "the answer is too large for the interface, or the interface has ended",
            record,
        )

    async def _speak(self, message: AppMessage) -> None:
        """Show the user the content that the interface sends to a model, and answer the interface.

        No model gets it, because Sightline runs none.
        """
        value = await asyncio.to_thread(spoken_in, message)
        if isinstance(value, str):
            await self._refuse(message, value, f"refused: {value}", BAD_PARAMS)
            return
        record = await asyncio.to_thread(
            speech_record,
            message.method,
            value,
            tuple(self._given),
            number=self._host.spoken(message.method),
            nonce=secrets.token_hex(8),
            at_s=self._host.now_s(),
            policy=self._record.policy,
        )
        blocks = value.get("content")
        number = len(blocks) if isinstance(blocks, list) else 0
        is_structured = " and structured content" if object_at(value, "structuredContent") else ""
        words = f"to the model: {number} content block{'' if number == 1 else 's'}{is_structured}, {record.size_bytes:,} B"
        self._note(AppEntryKind.TO_MODEL, message.method, words, record)
        await self._answer(message, {})

    async def _refuse(self, message: AppMessage, shown: str, sent: str, code: int = REFUSED) -> None:
        """Refuse a message. `shown`: the reason for the user, untrusted text.

        `sent`: the reason that the interface gets.
        """
        self._note(AppEntryKind.REFUSED, message.method, f"refused: {shown}")
        if message.id is not None:
            await self._window.give(refused(message.id, code, sent))

    async def _answer(self, message: AppMessage, result: JsonObject) -> None:
        if message.id is not None:
            await self._window.give(answered(message.id, result))

    def _note(
        self, kind: AppEntryKind, title: str, detail: str = "", record: CallRecord | None = None
    ) -> None:
        self._host.add(
            AppEntry(
                kind=kind,
                at_s=self._host.now_s(),
                title=title[:_MOST_NOTED],
                detail=detail[:_MOST_NOTED],
                record=record,
            )
        )


def _beginning(data: Json) -> str:
    return dump_text(data)[:_MOST_NOTED]


async def _to_the_end(work: "asyncio.Task[None]") -> None:
    """Wait until `work` ends, however often the waiting task is cancelled."""
    cancelled: asyncio.CancelledError | None = None
    while True:
        try:
            await asyncio.shield(work)
            break
        except asyncio.CancelledError as error:
            if work.cancelled():
                raise
            cancelled = error
    if cancelled is not None:
        raise cancelled
