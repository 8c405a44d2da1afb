"""Calls a page's tools in the browser or in the polyfill.

A call ends with an event that answers it, a cancellation, a timeout, or the loss of the page.
"""

import asyncio
import contextlib
import json
import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from msgspec import Struct, structs

from inspector.connect.dispatch import FramedAnswer
from inspector.connect.tap import Tap
from inspector.json.exact import Json, JsonObject, JsonText, dump_text, parse
from inspector.protocol.frames import Frame
from inspector.protocol.outcome import CANCELLED_HERE, Failure, FailureKind, Result, RpcError
from inspector.protocol.page import INVOKE, Forms, PageDocument, outcome_of_response
from inspector.webmcp.browser.cdp import Cdp, CdpError, CdpEvent, CdpLostError
from inspector.webmcp.browser.worlds import WorldError, Worlds
from inspector.webmcp.tree import Tree

COMMAND_TIMEOUT_S = 5.0
CANCEL_TIMEOUT_S = 2.0


class Backend(Protocol):
    """Starts and cancels invocations of tools; answers arrive as events."""

    fills_at_once: bool
    """True if the form of a tool is filled in when `invoke` returns.

    If false, the event `WebMCP.toolInvoked` reports that the form is filled in.
    """

    async def invoke(
        self,
        frame_id: str,
        session: str,
        tool: JsonObject,
        arguments: JsonObject,
        *,
        timeout_s: float,
        on_sent: Callable[[Frame], None],
    ) -> str:
        """Start an invocation and return its id. Raises CdpError, CdpLostError, WorldError, TimeoutError.

        `tool`: one member that identifies the tool, `toolId` or `toolName`. `on_sent`: called with the
        request's frame.
        """
        ...

    async def cancel(self, frame_id: str, session: str, invocation: str) -> None:
        """Cancel an invocation. Raises as `invoke` does."""
        ...


class NativeBackend:
    """Calls tools through the WebMCP domain of the DevTools protocol."""

    fills_at_once = False

    def __init__(self, cdp: Cdp) -> None:
        self._cdp = cdp

    async def invoke(
        self,
        frame_id: str,
        session: str,
        tool: JsonObject,
        arguments: JsonObject,
        *,
        timeout_s: float,
        on_sent: Callable[[Frame], None],
    ) -> str:
        params: JsonObject = {"frameId": frame_id, **tool, "input": arguments}
        reply = await self._cdp.send(INVOKE, params, session=session, timeout_s=timeout_s, on_sent=on_sent)
        return str(reply.get("invocationId", ""))

    async def cancel(self, frame_id: str, session: str, invocation: str) -> None:
        _ = frame_id
        await self._cdp.send(
            "WebMCP.cancelInvocation",
            {"invocationId": invocation},
            session=session,
            timeout_s=CANCEL_TIMEOUT_S,
        )


class PolyfillBackend:
    """Calls tools through the polyfill, from an isolated world of each frame.

    polyfill.js describes the messages.
    """

    fills_at_once = True

    def __init__(self, worlds: Worlds, tree: Tree) -> None:
        self._worlds = worlds
        self._tree = tree
        self.binding = f"p{secrets.token_hex(12)}"
        """The name of the function that the polyfill answers through."""
        self.channel = f"c{secrets.token_hex(12)}"
        """The type of the DOM events that carry commands to the polyfill."""
        self.link = f"l{secrets.token_hex(12)}"
        """The token with which the polyfills of a page's frames recognise each other's messages."""
        self._count = 0
        self._left: dict[str, str] = {}
        """By frame id, the invocation whose form was submitted; the next document of the frame answers it."""

    async def watch(self, document: PageDocument, session: str) -> None:
        """Request a document's tools now and after each change. Raises as `invoke` does.

        If submitting a form led to this document, also request the result of that form's invocation.
        """
        await self._command(document, session, {"command": "watch", "id": "list"})
        invocation = self._left.pop(document.frame_id, None)
        if invocation is not None:
            await self._command(document, session, {"command": "arrive", "id": invocation})

    def left(self, frame_id: str, invocation: str) -> None:
        """Note that a form was submitted: the document that it leads to will answer the invocation."""
        self._left[frame_id] = invocation

    async def invoke(
        self,
        frame_id: str,
        session: str,
        tool: JsonObject,
        arguments: JsonObject,
        *,
        timeout_s: float,
        on_sent: Callable[[Frame], None],
    ) -> str:
        _ = timeout_s
        self._count += 1
        invocation = f"call-{self._count}"
        document = self._tree.document(frame_id)
        if document is not None:
            name, given = tool.get("toolName"), dump_text(arguments)
            command: JsonObject = {"command": "invoke", "id": invocation, "name": name, "input": given}
            await self._command(document, session, command, on_sent)
        return invocation

    async def cancel(self, frame_id: str, session: str, invocation: str) -> None:
        document = self._tree.document(frame_id)
        if document is not None:
            await self._command(document, session, {"command": "cancel", "id": invocation})

    def heard(self, event: CdpEvent) -> JsonObject | None:
        """A message of a frame's polyfill, with the frame's id added as `frameId`; None for other events."""
        if event.params.get("name") != self.binding:
            return None
        number, payload = event.params.get("executionContextId"), event.params.get("payload")
        frame_id = self._tree.frame_of(event.session, number) if isinstance(number, int) else None
        read = parse(payload) if isinstance(payload, str) else None
        if frame_id is None or not isinstance(read, JsonText) or not isinstance(read.value, dict):
            return None
        return {**read.value, "frameId": frame_id}

    async def _command(
        self,
        document: PageDocument,
        session: str,
        command: JsonObject,
        on_sent: Callable[[Frame], None] | None = None,
    ) -> Json:
        detail = json.dumps(dump_text(command))
        event = f"new CustomEvent({json.dumps(self.channel)}, {{ detail: {detail} }})"
        return await self._worlds.evaluate(
            document,
            session,
            f"document.dispatchEvent({event})",
            timeout_s=COMMAND_TIMEOUT_S,
            on_sent=on_sent,
        )


GRACE_S = 2.0
"""The time in which a tool may still answer after its document is gone.

The tool of a form answers after the form has led to another document.
"""


UNSUBMITTED = "the form is filled in and waits for its submit button; nothing was submitted"


class PageForm(Struct, frozen=True, kw_only=True):
    """A form of a page that a call has filled in and that does not submit itself."""

    then: Forms
    submit: Callable[[], Awaitable[str]]
    """Submits the form. Returns the reason why that failed; empty on success.

    Raises CdpError, WorldError, OSError, TimeoutError.
    """
    on_filled: Callable[[], None]
    """Called when the form is filled in and waits for the user."""


@dataclass(slots=True, eq=False)
class _Waiting:
    frame_id: str
    answer: asyncio.Future[FramedAnswer]
    invocation: str = ""
    """The id of the invocation; empty until the browser returns it."""
    asked_s: float | None = None
    """The time of the request, in seconds on the clock of the frames; None until it is sent."""
    filled: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the invocation has begun, which fills in the form."""
    form: PageForm | None = None
    """The filled-in form while it waits until the user submits it; otherwise None."""
    is_left: bool = False
    """True if the document of the tool is gone."""


@dataclass(frozen=True, slots=True)
class _Early:
    answer: FramedAnswer
    left: Sequence[_Waiting]
    """The calls whose document was gone when the answer arrived."""


class Calls:
    """The running calls of a page."""

    def __init__(self, backend: Backend, tap: Tap) -> None:
        self.backend = backend
        self._tap = tap
        self._waiting: list[_Waiting] = []
        self._early: dict[str, _Early] = {}
        """By invocation id, the answers that arrived before `invoke` returned the id."""
        self._begun: set[str] = set()
        """The ids of invocations that began before `invoke` returned the id."""

    async def call(
        self,
        frame_id: str,
        tool_id: str | None,
        name: str,
        arguments: JsonObject,
        *,
        session: str,
        timeout_s: float,
        form: PageForm | None = None,
    ) -> FramedAnswer:
        """Invoke a tool and wait for the answer.

        A failure is returned as an outcome, not raised. If the task is cancelled, the invocation is cancelled
        too. `form`: given for a tool whose call only fills in a form.
        """
        waiting = _Waiting(frame_id=frame_id, answer=asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        which: JsonObject = {"toolId": tool_id} if tool_id is not None else {"toolName": name}

        def sent(request: Frame) -> None:
            waiting.asked_s = request.at_s

        within_s = timeout_s + CANCEL_TIMEOUT_S
        asking = asyncio.ensure_future(
            self.backend.invoke(frame_id, session, which, arguments, timeout_s=within_s, on_sent=sent)
        )
        finishing = asyncio.ensure_future(self._finish(waiting, form)) if form else None
        try:
            async with asyncio.timeout(timeout_s):
                # Shielded: a cancellation needs the invocation's id.
                waiting.invocation = await asyncio.shield(asking)
                if waiting.invocation in self._early:
                    early = self._early.pop(waiting.invocation)
                    _settle(waiting, _answered(early.answer, left_page=waiting in early.left))
                if waiting.invocation in self._begun or self.backend.fills_at_once:
                    waiting.filled.set()
                answer = await waiting.answer
            if isinstance(answer.outcome, Failure) and answer.frame is None:
                is_running = answer.outcome.kind is FailureKind.UNSUBMITTED
                await self._give_up(waiting, asking if is_running else None, session, answer.outcome.detail)
        except TimeoutError:
            why = f"no answer from {name} within {timeout_s:g} s"
            answer = _failed(FailureKind.TIMEOUT, why)
            await self._give_up(waiting, asking, session, why)
        except asyncio.CancelledError:
            await asyncio.shield(self._give_up(waiting, asking, session, CANCELLED_HERE))
            raise
        except CdpError as error:
            return FramedAnswer(outcome=RpcError(value=error.error), frame=None)
        except WorldError:
            return _failed(FailureKind.PROTOCOL, "the page's polyfill does not answer")
        except CdpLostError as error:
            answer = _failed(FailureKind.CONNECTION_LOST, str(error))
            self._tap.note(str(error))
        finally:
            self._waiting.remove(waiting)
            asking.cancel()
            if finishing is not None:
                finishing.cancel()
            if not self._waiting:
                self._early.clear()
                self._begun.clear()
        return structs.replace(answer, asked_s=waiting.asked_s)

    async def _finish(self, waiting: _Waiting, form: PageForm) -> None:
        """Wait until the form is filled in, then leave it, submit it, or wait for the user."""
        await waiting.filled.wait()
        match form.then:
            case Forms.LEAVE:
                _settle(waiting, _failed(FailureKind.UNSUBMITTED, UNSUBMITTED))
            case Forms.SUBMIT:
                await self._submit(waiting, form)
            case Forms.WAIT:
                waiting.form = form
                self._tap.note("the form is filled in and waits for its submit button")
                form.on_filled()

    async def submit(self) -> bool:
        """Submit all forms that are filled in and wait for the user. Returns whether there was one."""
        filled = [(waiting, waiting.form) for waiting in self._waiting if waiting.form is not None]
        for waiting, form in filled:
            waiting.form = None
            await self._submit(waiting, form)
        return bool(filled)

    async def _submit(self, waiting: _Waiting, form: PageForm) -> None:
        try:
            why = await form.submit()
        except (CdpError, WorldError, OSError, TimeoutError):
            why = "the browser could not submit it"
        if why:
            detail = f"the form is filled in but was not submitted: {why}"
            _settle(waiting, _failed(FailureKind.UNSUBMITTED, detail))

    def begun(self, params: JsonObject) -> None:
        invocation = params.get("invocationId")
        if not isinstance(invocation, str):
            return
        for waiting in self._waiting:
            if waiting.invocation == invocation:
                waiting.filled.set()
        if any(not waiting.invocation for waiting in self._waiting):
            self._begun.add(invocation)

    def responded(self, params: JsonObject, frame: Frame) -> None:
        """Handle `WebMCP.toolResponded`. Responses to agents in the page are ignored."""
        invocation = params.get("invocationId")
        if not isinstance(invocation, str):
            return
        answer = FramedAnswer(outcome=outcome_of_response(params), frame=frame)
        for waiting in self._waiting:
            if waiting.invocation == invocation:
                _settle(waiting, _answered(answer, left_page=waiting.is_left))
                return
        unnamed = [waiting for waiting in self._waiting if not waiting.invocation]
        if unnamed:
            left = [waiting for waiting in unnamed if waiting.is_left]
            self._early[invocation] = _Early(answer=answer, left=left)

    def gone(self, frame_ids: Iterable[str]) -> None:
        """Fail the calls whose document is gone, unless the answer arrives within `GRACE_S`.

        `frame_ids`: the frames whose documents are gone.
        """
        gone = frozenset(frame_ids)
        for waiting in self._waiting:
            if waiting.frame_id in gone:
                waiting.is_left = True
                answer = _failed(
                    FailureKind.CONNECTION_LOST,
                    "the document of the tool was replaced or removed during the call",
                )
                asyncio.get_running_loop().call_later(GRACE_S, _settle, waiting, answer)

    def fail_all(self, failure: Failure) -> None:
        for waiting in self._waiting:
            _settle(waiting, FramedAnswer(outcome=failure, frame=None))

    async def _give_up(
        self, waiting: _Waiting, asking: asyncio.Future[str] | None, session: str, why: str
    ) -> None:
        """Note why a call ends before the page has responded to the call. Then cancel the call in the page.

        The page responds to the cancellation, but that response is not the outcome of the call. `asking`: the
        request that has begun the call; None if the call is no longer running, so that nothing is cancelled.
        """
        if asking is not None:
            with contextlib.suppress(CdpError, WorldError, OSError, TimeoutError):
                async with asyncio.timeout(CANCEL_TIMEOUT_S):
                    waiting.invocation = await asking
        self._tap.note(why, ends=waiting.invocation or None)
        if asking is not None and waiting.invocation:
            with contextlib.suppress(CdpError, WorldError, OSError, TimeoutError):
                async with asyncio.timeout(CANCEL_TIMEOUT_S):
                    await self.backend.cancel(waiting.frame_id, session, waiting.invocation)


def _failed(kind: FailureKind, detail: str) -> FramedAnswer:
    return FramedAnswer(outcome=Failure(kind=kind, detail=detail), frame=None)


def _answered(answer: FramedAnswer, *, left_page: bool) -> FramedAnswer:
    if isinstance(answer.outcome, Result):
        return structs.replace(answer, outcome=replace(answer.outcome, left_page=left_page))
    return answer


def _settle(waiting: _Waiting, answer: FramedAnswer) -> None:
    if not waiting.answer.done():
        waiting.answer.set_result(answer)
