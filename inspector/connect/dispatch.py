"""JSON-RPC over raw frames: sends requests, and finds the answer to each by its id. Validates nothing."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from inspector.connect.tap import Tap
from inspector.json.exact import Json, JsonObject
from inspector.json.members import text_at
from inspector.protocol.exchanges import Answered, Asked, Matched
from inspector.protocol.frames import Direction, Frame, Notification, Request, request_key, with_meta
from inspector.protocol.outcome import CANCELLED_HERE, METHOD_NOT_FOUND, Failure, FailureKind, Outcome
from inspector.protocol.tasks import outcome_of

CANCEL_WRITE_TIMEOUT_S = 2.0
INTERNAL_ERROR = -32603
MAX_REPLIES = 8
"""The maximum number of server requests answered at the same time; further ones are refused."""
WITHDRAWN = "withdrawn by the server"
_MOST_OF_REASON = 200
"""The maximum number of characters kept of the reason with which a server cancels its own request."""


class MessageChannel(Protocol):
    """Carries messages to a server."""

    async def send(self, message: JsonObject, headers: dict[str, str]) -> None:
        """Send one message through the tap. Only HTTP uses `headers`. Raises OSError."""
        ...


class FramedAnswer(Struct, frozen=True, kw_only=True):
    """The outcome of a request, and the frame of the answer, which is None if no answer arrived."""

    outcome: Outcome
    frame: Frame | None
    asked_s: float | None = None
    """The time at which the request was sent, in seconds on the clock of the frames; None if it is not known."""


ProgressListener = Callable[[JsonObject], None]
Replier = Callable[[Request, bool], Awaitable[JsonObject]]
"""Called with the server's request, and with True if no request of the client waits for an answer.

Returns an object with the `result` or the `error` of the reply.
"""
Stamp = Callable[[str, JsonObject], tuple[JsonObject, dict[str, str]]]
"""Called with method and params; returns the params and headers that the protocol revision requires."""


@dataclass(slots=True)
class _Pending:
    answer: asyncio.Future[FramedAnswer]
    on_progress: ProgressListener | None
    timeout: asyncio.Timeout | None = None
    timeout_s: float | None = 0
    """The time limit in seconds; None for a request that stays open without a limit, such as a subscription.

    `Dispatcher.request` sets the value for every request, so the default 0 is never used.
    """
    left_s: float | None = None
    """The seconds left of the time limit while it is paused; None while it runs."""


def unstamped(_method: str, params: JsonObject) -> tuple[JsonObject, dict[str, str]]:
    """Return the params unchanged.

    Used before a protocol revision is agreed, and on stdio for revisions with a handshake.
    """
    return params, {}


def _lost(detail: str) -> FramedAnswer:
    return FramedAnswer(outcome=Failure(kind=FailureKind.CONNECTION_LOST, detail=detail), frame=None)


class Dispatcher:
    """Sends requests and resolves their answers. A faulty message affects at most one request."""

    def __init__(
        self,
        tap: Tap,
        on_notification: Callable[[Notification], None],
        *,
        on_request: Replier | None = None,
        on_refusal: Callable[[str], None] | None = None,
        last_id: int = 0,
    ) -> None:
        """`on_request`: answers the server's requests; None to refuse them.

        `on_refusal`: called with the reason why a request was refused unread. `last_id`: the last request id
        that was already sent through `tap`.
        """
        self._tap = tap
        self._on_notification = on_notification
        self._on_request = on_request
        self._on_refusal = on_refusal
        self._channel: MessageChannel | None = None
        self._pending: dict[str, _Pending] = {}
        self._last_id = last_id
        self._lost: Failure | None = None
        self._replies: dict[str, asyncio.Task[None]] = {}
        """The tasks that answer requests by the server, by `request_key`, until they send their answers."""
        self._sending: set[asyncio.Task[None]] = set()
        self._paused = 0
        """The number of `paused` blocks that are running. Time limits are paused while there is one."""
        self.stamp: Stamp = unstamped
        self.away: Failure | None = None
        """The failure if the server cannot be reached: the server is down, or does not know the session.

        None while the server can be reached. Requests are sent in any case.
        """

    def attach(self, channel: MessageChannel) -> None:
        self._channel = channel

    @property
    def lost(self) -> Failure | None:
        return self._lost or self.away

    @property
    def last_id(self) -> int:
        return self._last_id

    @property
    def is_idle(self) -> bool:
        """True if no request waits for an answer. Subscriptions do not count."""
        return not self._waiting

    async def request(
        self,
        method: str,
        params: JsonObject,
        *,
        timeout_s: float | None,
        on_progress: ProgressListener | None = None,
        cancellable: bool = True,
        stamp: Stamp | None = None,
        headers: dict[str, str] | None = None,
    ) -> FramedAnswer:
        """Send a request and wait for the answer. Progress restarts the time limit.

        Cancelling the task also cancels the request on the wire. `timeout_s`: None for a subscription, which
        is answered when it ends.
        """
        if self._lost:
            return FramedAnswer(outcome=self._lost, frame=None)
        self._last_id += 1
        request_id = self._last_id
        params, stamped = (stamp or self.stamp)(method, params)
        if on_progress:
            params = with_meta(params, {"progressToken": request_id})
        message: JsonObject = {"jsonrpc": "2.0", "id": request_id, "method": method}
        if params:
            message["params"] = params
        pending = _Pending(
            answer=asyncio.get_running_loop().create_future(), on_progress=on_progress, timeout_s=timeout_s
        )
        key = request_key(request_id)
        self._pending[key] = pending
        try:
            async with asyncio.timeout(timeout_s) as pending.timeout:
                if self._paused:
                    self._stop(pending)
                await self._send(message, stamped | (headers or {}))
                answer = await pending.answer
        except TimeoutError:
            # The failure is noted before the cancellation is sent: an answer that arrives meanwhile is late.
            limit = f"within {timeout_s or 0:g} s"
            failure = Failure(kind=FailureKind.TIMEOUT, detail=f"no answer to {method} {limit}")
            self._end(key, failure)
            if cancellable:
                await self._cancel(request_id, f"no answer {limit}")
            return FramedAnswer(outcome=failure, frame=None)
        except asyncio.CancelledError:
            # The request is over: its time limit must not be resumed, even if it is paused for the user.
            pending.timeout = None
            self._end(key, Failure(kind=FailureKind.CANCELLED, detail=CANCELLED_HERE))
            if cancellable:
                await asyncio.shield(self._cancel(request_id, "cancelled by the user"))
            raise
        except OSError as error:
            answer = FramedAnswer(outcome=self._lost, frame=None) if self._lost else _lost(str(error))
        finally:
            self._pending.pop(key, None)
        if isinstance(answer.outcome, Failure):
            failure = self._covered(answer.outcome)
            self._end(key, failure)
            return replace(answer, outcome=failure)
        return answer

    def _end(self, key: str, failure: Failure) -> None:
        """Record in the timeline that a request gets no answer, with the failure as the reason."""
        self._tap.note(failure.detail, ends=key, failure=failure)

    async def notify(self, method: str, params: JsonObject) -> None:
        """Send a notification. It is dropped if the connection is lost."""
        params, headers = self.stamp(method, params)
        message: JsonObject = {"jsonrpc": "2.0", "method": method}
        if params:
            message["params"] = params
        with contextlib.suppress(OSError):
            await self._send(message, headers)

    def take(self, matched: Matched) -> None:
        for event in matched.events:
            match event:
                case Answered(exchange=exchange, response=response):
                    answer = FramedAnswer(
                        outcome=outcome_of(response), frame=matched.frame, asked_s=exchange.at_s
                    )
                    self._resolve(exchange.key, answer)
                case Notification():
                    self._progress(event)
                    self._withdraw(event)
                    self._on_notification(event)
                case Asked(exchange=exchange):
                    self._reply(exchange.request)
                case _:
                    # No request waits for the other events, such as a late answer. The timeline shows them.
                    pass

    def fail(self, request_id: Json, failure: Failure) -> None:
        """End one request with `failure`, unless it was already answered."""
        self._resolve(request_key(request_id), FramedAnswer(outcome=failure, frame=None))

    def fail_only(self, failure: Failure) -> None:
        """End the request that waits for an answer with `failure`, if only one request waits.

        If several wait, the fault may belong to any of them.
        """
        waiting = self._waiting
        if len(waiting) == 1:
            self._resolve(waiting[0], FramedAnswer(outcome=failure, frame=None))

    @property
    def _waiting(self) -> list[str]:
        return [key for key, pending in self._pending.items() if pending.timeout_s is not None]

    def fail_all(self, failure: Failure) -> None:
        """Mark the connection as lost: waiting and later requests end with `failure`."""
        self._lost = self._lost or self._covered(failure)
        for key in tuple(self._pending):
            self._resolve(key, FramedAnswer(outcome=self._lost, frame=None))
        for key in tuple(self._replies):
            # The first line says how the connection ended; the others are about the command and its stderr.
            self.withdraw(key, f"withdrawn: {self._lost.detail.partition(chr(10))[0]}")

    def _covered(self, failure: Failure) -> Failure:
        return replace(failure, detail=self._tap.mask(failure.detail))

    def is_pending(self, request_id: Json) -> bool:
        pending = self._pending.get(request_key(request_id))
        return pending is not None and not pending.answer.done()

    def _resolve(self, key: str, answer: FramedAnswer) -> None:
        pending = self._pending.get(key)
        if pending and not pending.answer.done():
            pending.answer.set_result(answer)

    def _progress(self, notification: Notification) -> None:
        if notification.method != "notifications/progress" or not isinstance(notification.params, dict):
            return
        pending = self._pending.get(request_key(notification.params.get("progressToken")))
        if pending is None or pending.on_progress is None:
            return
        if pending.left_s is not None:
            pending.left_s = pending.timeout_s
        elif pending.timeout_s is not None and pending.timeout and not pending.timeout.expired():
            pending.timeout.reschedule(asyncio.get_running_loop().time() + pending.timeout_s)
        pending.on_progress(notification.params)

    def _reply(self, request: Request) -> None:
        key = request_key(request.id)
        refusal = self._refusal(request, key)
        if refusal and self._on_refusal:
            self._on_refusal(refusal)
        if request.method == "ping" or refusal:
            reply: JsonObject = (
                {"error": {"code": METHOD_NOT_FOUND, "message": refusal}} if refusal else {"result": {}}
            )
            task = asyncio.ensure_future(self._send_reply(request, reply))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)
            return
        task = self._replies[key] = asyncio.ensure_future(self._answer(request, key))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    def _refusal(self, request: Request, key: str) -> str:
        """The reason why a request by the server is refused; empty if it is answered."""
        if request.method == "ping":
            return ""
        if self._on_request is None:
            return f"not supported: {request.method}"
        if key in self._replies:
            return "a request with this id is being answered"
        return f"more than {MAX_REPLIES} requests at once" if len(self._replies) >= MAX_REPLIES else ""

    async def _answer(self, request: Request, key: str) -> None:
        if self._on_request is None:
            return
        with self.paused():
            try:
                reply = await self._on_request(request, self.is_idle)
            except Exception:  # noqa: BLE001 - a defect of Sightline must not leave the server, and with it the call, waiting
                reply: JsonObject = {
                    "error": {"code": INTERNAL_ERROR, "message": "the client could not answer"}
                }
        # A withdrawn request gets no answer, even if the responder ignores its cancellation.
        if self._replies.get(key) is asyncio.current_task():
            del self._replies[key]
            await self._send_reply(request, reply)

    def withdraw(self, key: str, why: str) -> None:
        """Stop answering a request by the server.

        `why`: the reason, with which the answering task is cancelled.
        """
        reply = self._replies.pop(key, None)
        if reply is not None:
            why = self._tap.mask(why)
            self._tap.note(why, ends=key, asked_by=Direction.RECEIVED)
            reply.cancel(why)

    def _withdraw(self, notification: Notification) -> None:
        """Stop answering a request that the server cancels."""
        if notification.method == "notifications/cancelled" and isinstance(notification.params, dict):
            reason = text_at(notification.params, "reason")
            why = f"{WITHDRAWN}: {reason[:_MOST_OF_REASON]}" if reason else WITHDRAWN
            self.withdraw(request_key(notification.params.get("requestId")), why)

    @property
    def is_paused(self) -> bool:
        """True while time limits are paused, because the user is being asked something."""
        return self._paused > 0

    @contextlib.contextmanager
    def paused(self) -> Generator[None]:
        """Pause the time limits, because the server, or the request itself, waits for the user."""
        self._paused += 1
        if self._paused == 1:
            for pending in self._pending.values():
                self._stop(pending)
        try:
            yield
        finally:
            self._paused -= 1
            if not self._paused:
                self._resume()

    def _stop(self, pending: _Pending) -> None:
        when = pending.timeout.when() if pending.timeout else None
        if pending.timeout and when is not None and not pending.timeout.expired():
            pending.left_s = max(when - asyncio.get_running_loop().time(), 0.0)
            pending.timeout.reschedule(None)

    def _resume(self) -> None:
        now = asyncio.get_running_loop().time()
        for pending in self._pending.values():
            left_s, pending.left_s = pending.left_s, None
            if left_s is not None and pending.timeout and not pending.timeout.expired():
                pending.timeout.reschedule(now + left_s)

    async def _send_reply(self, request: Request, reply: JsonObject) -> None:
        await self._quietly(self._send({"jsonrpc": "2.0", "id": request.id, **reply}, {}))

    async def _quietly(self, sending: Awaitable[None]) -> None:
        with contextlib.suppress(OSError):
            await sending

    async def _cancel(self, request_id: int, reason: str) -> None:
        if self._lost:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CANCEL_WRITE_TIMEOUT_S):
                await self.notify("notifications/cancelled", {"requestId": request_id, "reason": reason})

    async def _send(self, message: JsonObject, headers: dict[str, str]) -> None:
        if self._channel is None:
            raise ConnectionError("not connected")
        await self._channel.send(message, headers)
