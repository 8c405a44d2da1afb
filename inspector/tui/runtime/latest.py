"""Work in a thread, one piece at a time, of which only the last one asked for counts."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from textual.dom import DOMNode
from textual.worker import WorkerCancelled, WorkerFailed

Asked = TypeVar("Asked")

Made = TypeVar("Made")


class Latest(Generic[Asked, Made]):
    """Makes something of each request in a thread; requests overtaken by a newer one are dropped.

    Inputs must be frozen: `make` runs beside the event loop. If it raises, `fail` gets the error.
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
        gives_way: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`overtaken` is given what was made and is not wanted any more, for it may be large. `group`: of its workers.

        `gives_way`: what is waited for before anything is begun: threads that work at once keep the screen waiting.
        """
        self._owner = owner
        self._make = make
        self._take = take
        self._fail = fail
        self._overtaken = overtaken
        self._group = group
        self._gives_way = gives_way
        self._waiting: list[Asked] = []
        """The newest request that has not begun, if there is one."""
        self._idle = asyncio.Event()
        self._idle.set()

    def ask(self, asked: Asked) -> None:
        """Ask for something; it takes the place of what was asked for before and is not there yet."""
        self._waiting[:] = [asked]
        if not self.is_busy:
            self._idle.clear()
            # The method, not its coroutine: a worker that is cancelled before it begins would leave that unawaited.
            self._owner.run_worker(self._work, group=self._group, exit_on_error=True)

    @property
    def is_busy(self) -> bool:
        """Whether something is still being made."""
        return not self._idle.is_set()

    async def idle(self) -> None:
        """Wait until nothing is being made any more."""
        await self._idle.wait()

    def _bound(self, asked: Asked) -> Callable[[], Made]:
        return lambda: self._make(asked)

    async def _work(self) -> None:
        try:
            while self._waiting:
                if self._gives_way is not None:
                    await self._gives_way()
                asked = self._waiting.pop()
                # A function of its own: Textual writes down a partial with its arguments, megabytes of secrets among them.
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
                # Where the owner is being taken away, its widgets go before its workers end.
                if not self._waiting and self._owner.display:
                    self._take(asked, made)
                elif self._overtaken is not None:
                    self._overtaken(made)
                del made, worker
        finally:
            self._idle.set()
