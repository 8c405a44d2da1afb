"""Answers the requests that servers send (forms, URLs, sampling, roots), and notes each in the timeline.

The answers come from the responder of the screen or of the command line. Without a responder, forms, URLs and
sampling are declined.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import monotonic
from typing import Any, TypeAlias

from msgspec.structs import replace

from inspector.asks.answer import DECLINED, Action, Answer, answered
from inspector.asks.ask import REFUSED, Ask, AskKind, Unanswerable, ask_of, url_asks
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.json.members import object_at, text_at
from inspector.protocol.client import ClientProfile, Root
from inspector.protocol.frames import Request
from inspector.protocol.outcome import Outcome, Result, RpcError
from inspector.protocol.tasks import OF_SERVERS
from inspector.session.client_tasks import METHODS, ClientTasks

MAX_ASKS = 50
"""The maximum number of requests by the server answered during one call. Further ones are refused."""
MAX_AT_ONCE = 20
"""The maximum number of requests in one `InputRequiredResult`. If there are more, the call ends."""

Responder: TypeAlias = Callable[[Ask], Awaitable[Answer]]
"""Answers a request by the server. For a request for roots, only the reason in the answer is used."""
Note: TypeAlias = Callable[[str, str], None]
"""Called with the title of a request by the server, and with its outcome in words."""


async def decline(ask: Ask) -> Answer:
    """Decline a request by the server. A session uses this responder if it was given none."""
    del ask
    return DECLINED


def _private_texts(ask: Ask, answer: Answer) -> list[str]:
    from inspector.asks.private import private_texts  # noqa: PLC0415 - few servers ask

    return private_texts(ask, answer)


class Asker:
    """Answers the requests of one server."""

    def __init__(
        self,
        profile: ClientProfile,
        roots: Sequence[Root],
        note: Note,
        responder: Responder | None = None,
        conceal: Callable[[list[str]], None] | None = None,
    ) -> None:
        self.conceal = conceal
        """Called with the private texts of an answer before it is sent; None to look for no private texts."""
        self.roots = tuple(roots)
        """The folders returned for a request for roots."""
        self._note = note
        self._asked = 0
        self.waited_s = 0.0
        """The seconds since `begin` in which at least one request waited for the responder."""
        self._waiting, self._waits_since_s = 0, 0.0
        self.unanswered: dict[str, int] = {}
        """The reasons why requests were refused or could not be completed, each with its count."""
        self.declined: dict[str, int] = {}
        """The titles of the requests that the responder declined or cancelled, each with its count."""
        self._tasks = ClientTasks()
        self.paused: Callable[[], AbstractContextManager[None]] = nullcontext
        """Returns the context in which time limits are paused, because a task waits for the user."""
        self.announce(profile)
        self._working = 0
        self._completed: dict[str, None] = {}
        """The ids of the URL visits that the server last reported as complete. A dict, because it keeps their order."""
        self._more = asyncio.Event()
        self.responder = responder or decline

    def announce(self, profile: ClientProfile) -> None:
        """Answer only kinds of requests that this client profile announces. Call this before connecting."""
        self._capabilities = profile.capabilities
        self._has_tasks = bool(profile.of_handshake)

    def begin(self) -> None:
        """Set the count of requests by the server, and the time waited, to 0, because a call begins."""
        self._asked = 0
        self.waited_s = 0.0

    @contextmanager
    def working(self) -> Generator[None]:
        """Accept requests by the server in this context although no call waits, because a task of the server runs."""
        self._working += 1
        try:
            yield
        finally:
            self._working -= 1

    async def reply(self, request: Request, *, is_idle: bool) -> JsonObject:
        """The `result` or `error` of the answer to a request.

        `is_idle`: whether no request of the client waits for an answer.
        """
        is_idle = is_idle and not self._working
        outcome = await self._task_or_outcome(request.method, request.params, is_idle=is_idle)
        return {"error": outcome.value} if isinstance(outcome, RpcError) else {"result": outcome.value}

    def end(self, why: str = "Sightline closed the connection") -> None:
        """End all tasks that work on answers, because the connection ends. `why`: the reason."""
        self._tasks.end(why)

    async def _task_or_outcome(self, method: str, params: Json, *, is_idle: bool) -> Result | RpcError:
        if self._has_tasks and method in METHODS:
            return await self._tasks.outcome(method, params)
        wants_task = self._has_tasks and method in OF_SERVERS and "task" in object_at(params)
        outcome = self._outcome(method, params, is_idle=is_idle)
        if wants_task and self._tasks.has_room:
            return self._tasks.begin(self._while_paused(outcome))
        return await outcome

    async def _while_paused(self, outcome: Coroutine[Any, Any, Result | RpcError]) -> Result | RpcError:
        with self.paused():
            return await outcome

    async def fulfil(self, requests: Json) -> JsonObject | None:
        """The `inputResponses` to `inputRequests`; None if a request cannot be answered.

        In that case the timeline has a note.
        """
        if isinstance(requests, DuplicateKeys) or not isinstance(requests, dict):
            self._leave("inputRequests is not an object, or has a duplicate key")
            return None
        if len(requests) > MAX_AT_ONCE:
            self._leave(
                f"the server makes {len(requests):,} requests at once, and Sightline answers at most {MAX_AT_ONCE}"
            )
            return None
        responses: JsonObject = {}
        for key, request in requests.items():
            params = object_at(request).get("params")
            outcome = await self._outcome(object_at(request).get("method"), params, key=key)
            if isinstance(outcome, RpcError):
                return None
            responses[key] = outcome.value
        return responses

    async def visited(self, outcome: Outcome, within_s: float, on_wait: Callable[[], None]) -> bool:
        """Ask the user to visit the URLs that the server requires in the error `outcome` of a call.

        Returns True if the user agrees to all URLs, and the server reports within `within_s` seconds that all
        visits are complete. If `within_s` is 0, or a visit has no id, the user is still asked, but False is
        returned. `on_wait` is called when the wait for the server's report begins.
        """
        asks = url_asks(outcome.value, self._capabilities) if isinstance(outcome, RpcError) else ()
        waited = {text_at(ask.params, "elicitationId") for ask in asks}
        within_s = 0.0 if None in waited else within_s
        agreed = [ask for ask in asks if await self._is_agreed(replace(ask, waits_s=within_s))]
        if not asks or len(agreed) < len(asks) or not within_s:
            return False
        self._note(
            "the visit", f"Sightline waits up to {within_s:g} s for the server to say that it is complete"
        )
        on_wait()
        try:
            async with asyncio.timeout(within_s):
                while not waited <= self._completed.keys():
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            why = f"the server did not say within {within_s:g} s that the visit is complete"
            self._note("the visit", why)
            _count(self.unanswered, why)
            return False
        return True

    async def _is_agreed(self, ask: Ask) -> bool:
        return (await self._answer(ask)).action is Action.ACCEPT

    async def _answer(self, ask: Ask) -> Answer:
        self._waiting += 1
        if self._waiting == 1:
            self._waits_since_s = monotonic()
        try:
            answer = await self.responder(ask)
        finally:
            self._waiting -= 1
            if not self._waiting:
                self.waited_s += monotonic() - self._waits_since_s
        if self.conceal is not None and answer.content:
            self.conceal(await asyncio.to_thread(_private_texts, ask, answer))
        self._noted(ask, answer)
        return answer

    def refused(self, why: str) -> None:
        """Count a request that was refused before it was parsed."""
        _count(self.unanswered, why)

    def completed(self, identifier: str) -> None:
        """Record the server's report that the visit of a URL is complete."""
        self._completed[identifier] = None
        if len(self._completed) > MAX_ASKS:
            del self._completed[next(iter(self._completed))]
        self._more.set()

    async def _outcome(
        self, method: Json, params: Json, *, key: str = "", is_idle: bool = False
    ) -> Result | RpcError:
        self._asked += 1
        ask = await asyncio.to_thread(ask_of, method, params, self._capabilities, key=key, number=self._asked)
        if isinstance(ask, Unanswerable):
            self._note("request by the server", ask.reason)
            _count(self.unanswered, ask.reason)
            return RpcError(value=ask.error)
        why = ""
        if ask.kind is not AskKind.ROOTS and is_idle:
            why = "no request of the client is running"
        elif self._asked > MAX_ASKS:
            why = f"more than {MAX_ASKS} requests during one call"
        if why:
            self._note(ask.title, f"refused: {why}")
            _count(self.unanswered, why)
            return RpcError(value={"code": REFUSED, "message": f"refused: {why}"})
        answer = await self._answer(ask)
        return answered(ask, answer, self.roots)

    def _leave(self, why: str) -> None:
        """Record in the timeline that the requests in an `InputRequiredResult` are not answered, and why."""
        self._note("input required", f"not answered: {why}")
        _count(self.unanswered, why)

    def _noted(self, ask: Ask, answer: Answer) -> None:
        if answer.action is not Action.ACCEPT:
            _count(self.declined, ask.title)
        word = "answered" if answer.action is Action.ACCEPT else _WORDS[answer.action]
        if ask.kind is AskKind.ROOTS:
            word = f"answered with {len(self.roots)} folder{'' if len(self.roots) == 1 else 's'}"
        self._note(ask.title, f"{word}: {answer.why}" if answer.why else word)


def _count(counts: dict[str, int], text: str) -> None:
    # The server chooses the names of its methods and keys, so the number of distinct texts is limited.
    counted = text if text in counts or len(counts) < _MOST_COUNTED else "other requests"
    counts[counted] = counts.get(counted, 0) + 1


_MOST_COUNTED = 10
_WORDS = {Action.DECLINE: "declined", Action.CANCEL: "cancelled"}
