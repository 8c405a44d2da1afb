"""Calls that the server turns into tasks: polls the task until it has ended, and answers its requests meanwhile.

Source: MCP 2025-11-25, Tasks; `io.modelcontextprotocol/tasks` 2026-07-28.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias

from inspector.json.exact import JsonObject
from inspector.json.members import value_at
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result
from inspector.protocol.targets import Era
from inspector.protocol.tasks import (
    CANCEL,
    CANCELLED,
    GET,
    INPUT,
    RESULT,
    UPDATE,
    TaskHandle,
    TaskState,
    ending_in,
    handle_in,
    state_in,
)
from inspector.safe_text import safe_line
from inspector.session.asking import Asker
from inspector.session.call_record import LEAST_S, Progress
from inspector.session.facts import ServerFacts

if TYPE_CHECKING:
    from inspector.connect.dispatch import FramedAnswer

MOST_S = 86_400.0
"""The maximum number of seconds to wait for a task, even if the server keeps the task longer."""
_CANCEL_S = 2.0

Ask: TypeAlias = "Callable[[str, JsonObject, float], Awaitable[FramedAnswer]]"
"""Sends a request, given its method, its parameters, and its timeout in seconds."""


def as_task(tool: Tool | None, server: ServerFacts | None) -> bool:
    """True if a tool requires that it is called as a task, and its server announces such calls.

    Always False in stateless protocol revisions.
    """
    if tool is None or server is None or server.era is not Era.LEGACY or not tool.needs_task:
        return False
    return value_at(server.capabilities, "tasks", "requests", "tools", "call") is not None


async def answered_by_task(
    answer: "FramedAnswer",
    ask: Ask,
    asker: Asker,
    *,
    timeout_s: float,
    limit_s: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> "FramedAnswer":
    """The answer that ends the call; `answer` itself if the server made no task of the call.

    Cancelling this coroutine cancels the task.

    `timeout_s`: the timeout of each request about the task. `limit_s`: the limit for the whole task, if
    Sightline should wait less long than the server keeps the task.
    """
    handle = handle_in(answer.outcome.value) if isinstance(answer.outcome, Result) else None
    if handle is None:
        return answer
    kept_s = min(max(handle.state.ttl_s or 0.0, LEAST_S), MOST_S)
    following = _Following(
        handle=handle,
        ask=ask,
        asker=asker,
        timeout_s=timeout_s,
        limit_s=kept_s if limit_s is None else min(limit_s, kept_s),
        on_progress=on_progress,
    )
    with asker.working():
        try:
            return await following.followed()
        except asyncio.CancelledError:
            await asyncio.shield(following.cancel())
            raise
        finally:
            following.end()


@dataclass(slots=True, kw_only=True)
class _Following:
    """Follows one task until it has ended."""

    handle: TaskHandle
    ask: Ask
    asker: Asker
    timeout_s: float
    limit_s: float
    on_progress: Callable[[Progress], None] | None
    began_s: float = field(default_factory=monotonic)
    answered: set[str] = field(default_factory=set[str])
    """The keys of the task's requests that were answered."""
    result: "asyncio.Task[FramedAnswer] | None" = None
    """The request for the result.

    A server of a protocol revision with a handshake answers it when the task has ended.
    """

    async def followed(self) -> "FramedAnswer":
        while True:
            polled = await self._about(GET, {}, self.timeout_s)
            ended = ending_in(GET, polled.outcome)
            if ended:
                return _answer(ended.outcome, polled)
            if isinstance(polled.outcome, Failure):
                return polled
            state = state_in(polled.outcome.value) if isinstance(polled.outcome, Result) else None
            if state is None:
                return await self._given_up(polled, "the answer to tasks/get does not contain the task")
            answer = await self._next(state, polled)
            if answer is not None:
                return answer

    async def _next(self, state: TaskState, polled: "FramedAnswer") -> "FramedAnswer | None":
        """Act on the state of the task. Returns the answer that ends the call, or None to poll again."""
        if state.status == CANCELLED:
            words = f": {state.message}" if state.message else ""
            return _failed(polled, FailureKind.CANCELLED, f"the server cancelled the task{words}")
        left_s = self.limit_s - (monotonic() - self.began_s)
        if left_s <= 0:
            await self.cancel()
            return _failed(
                polled,
                FailureKind.TIMEOUT,
                f"the task did not end within {self.limit_s:g} s, so Sightline cancelled it",
            )
        if state.has_ended and self.handle.is_extension:
            words = f"the task has the status {safe_line(state.status)}, but the answer has no result"
            return await self._given_up(polled, words)
        if state.has_ended:
            return await self._ended(await (self.result or self._about(RESULT, {}, self.timeout_s)))
        if state.status == INPUT and not await self._given(state, left_s):
            await self.cancel()
            return _failed(
                polled,
                FailureKind.PROTOCOL,
                "the task asked for something that Sightline cannot answer, so Sightline cancelled it",
            )
        await self._pause(state)
        return await self._ended(self.result.result()) if self.result and self.result.done() else None

    async def _ended(self, answer: "FramedAnswer") -> "FramedAnswer":
        """The answer to `tasks/result`, or a failure if it holds no result."""
        if isinstance(answer.outcome, Failure) or ending_in(RESULT, answer.outcome):
            return answer
        return await self._given_up(
            answer, "the answer to tasks/result has the status of the task, but no result"
        )

    async def _given_up(self, answer: "FramedAnswer", why: str) -> "FramedAnswer":
        await self.cancel()
        return _failed(answer, FailureKind.PROTOCOL, why)

    async def _given(self, state: TaskState, left_s: float) -> bool:
        """Answer the requests of the task.

        Returns False if that is impossible. In protocol revisions with a handshake, only send the request for
        the task's result, because the server then sends its own requests to the client.
        """
        if not self.handle.is_extension:
            if self.result is None:
                self.result = asyncio.ensure_future(self._about(RESULT, {}, left_s))
            return True
        asks = state.asks
        if isinstance(asks, dict):
            asks = {key: ask for key, ask in asks.items() if key not in self.answered}
            if not asks:
                return True
        responses = await self.asker.fulfil(asks)
        if responses is None:
            return False
        self.answered.update(responses)
        await self._about(UPDATE, {"inputResponses": responses}, self.timeout_s)
        return True

    async def _pause(self, state: TaskState) -> None:
        """Report progress, and wait until the next poll is due or the result has arrived."""
        if self.on_progress:
            next_s = monotonic() + state.poll_s
            message = state.message or None
            self.on_progress(
                Progress(progress=0, total=None, message=message, task=state.status, next_s=next_s)
            )
        if self.result is None:
            await asyncio.sleep(state.poll_s)
        else:
            await asyncio.wait([self.result], timeout=state.poll_s)

    async def cancel(self) -> None:
        """Cancel the task at the server, within a short timeout."""
        self.end()
        with suppress(TimeoutError):
            async with asyncio.timeout(_CANCEL_S):
                await self._about(CANCEL, {}, _CANCEL_S)

    def end(self) -> None:
        """Stop waiting for the result."""
        if self.result is not None:
            self.result.cancel()

    async def _about(self, method: str, params: JsonObject, timeout_s: float) -> "FramedAnswer":
        return await self.ask(method, {"taskId": self.handle.id, **params}, timeout_s)


def _answer(outcome: Outcome, polled: "FramedAnswer") -> "FramedAnswer":
    from inspector.connect.dispatch import FramedAnswer  # noqa: PLC0415 - loaded with the connection

    return FramedAnswer(outcome=outcome, frame=polled.frame)


def _failed(polled: "FramedAnswer", kind: FailureKind, detail: str) -> "FramedAnswer":
    return _answer(Failure(kind=kind, detail=detail), polled)
