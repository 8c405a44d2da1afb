"""Runs a function in a thread, for one request at a time. Only the latest request counts."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from textual.dom import DOMNode
from textual.worker import WorkerCancelled, WorkerFailed

Asked = TypeVar("Asked")

Made = TypeVar("Made")


class Latest(Generic[Asked, Made]):
    """Runs `make` in a thread for each request. A newer request replaces requests that are not finished.

    Requests must be immutable, because `make` runs in parallel to the event loop. If `make` raises, `fail`
    gets the error.
    """

    def __init__(
        self,
        owner: DOMNode,
        make: Callable[[Asked], Made],
        take: Callable[[Asked, Made], None],
        fail: Callable[[Asked, BaseException], None],
        overtaken: Callable[[Made], None] | None = None,
        *,
        group: str = "default",
        before_each: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`overtaken`: called with what `make` returned for a request that a newer one has replaced.

        `group`: the group of the workers. `before_each`: awaited before each request is begun, so that more
        urgent work in threads comes first.
        """
        self._owner = owner
        self._make = make
        self._take = take
        self._fail = fail
        self._overtaken = overtaken
        self._group = group
        self._before_each = before_each
        self._waiting: list[Asked] = []
        """The latest request if it has not begun yet; otherwise empty."""
        self._idle = asyncio.Event()
        self._idle.set()

    def ask(self, asked: Asked) -> None:
        """Run `make` for this request, which replaces every earlier request that is not finished."""
        self._waiting[:] = [asked]
        if not self.is_busy:
            self._idle.clear()
            self._owner.run_worker(self._work, group=self._group, exit_on_error=True)

    @property
    def is_busy(self) -> bool:
        """True if a request is waiting or being worked on."""
        return not self._idle.is_set()

    async def idle(self) -> None:
        """Wait until no request is waiting or being worked on."""
        await self._idle.wait()

    def _bound(self, asked: Asked) -> Callable[[], Made]:
        return lambda: self._make(asked)

    async def _work(self) -> None:
        try:
            while self._waiting:
                if self._before_each is not None:
                    await self._before_each()
                asked = self._waiting.pop()
                # A lambda, because Textual logs a partial with its arguments: megabytes, with secrets among
                # them.
                worker = self._owner.run_worker(
                    self._bound(asked), group=self._group, thread=True, exit_on_error=False
                )
                try:
                    made = await worker.wait()
                except WorkerFailed as failed:
                    if self._owner.display:
                        self._fail(asked, failed.error)
                    continue
                except WorkerCancelled:
                    return
                # When the owner is removed, its widgets are gone before its workers end.
                if not self._waiting and self._owner.display:
                    self._take(asked, made)
                elif self._overtaken is not None:
                    self._overtaken(made)
                del made, worker
        finally:
            self._idle.set()
