"""Passes the requests by a server to the user, one at a time."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Protocol

from msgspec.structs import replace
from textual.content import Content
from textual.screen import Screen

from inspector.asks.answer import DECLINED, Action, Answer
from inspector.asks.ask import Ask, AskKind
from inspector.pins.known_secrets import KnownSecrets
from inspector.protocol.targets import HttpTarget, Target
from inspector.tui.asks.dialog import REST_DECLINED, AnswerScreen
from inspector.tui.asks.view import AskView, ask_view
from inspector.tui.text import content, cut_in_the_middle


class RunningCalls(Protocol):
    """Gives access to the running call of a server."""

    def hold(self, is_asked: bool, /) -> None:  # noqa: FBT001 - a state
        """Record whether the server waits for an answer from the user."""
        ...

    def running_title(self) -> tuple[object, str] | None:
        """The running call and its title, which is untrusted text; None if no call is running."""
        ...

    def cancel(self) -> None:
        """Cancel the running call."""
        ...


class UserResponder:
    """Answers the requests by a server with what the user enters in a dialog."""

    def __init__(
        self,
        screen: Screen[None],
        target: Target,
        calls: RunningCalls,
        name: str = "",
        *,
        withheld: Callable[[], KnownSecrets],
    ) -> None:
        """`name`: the name of the server if there are several; otherwise empty.

        `withheld`: returns the values that requests of the server may not repeat on the screen. It may block.
        """
        self._withheld = withheld
        self._screen = screen
        self._own_url = target.url if isinstance(target, HttpTarget) else None
        self._calls = calls
        self._name = name
        self._turn = asyncio.Lock()
        self._waiting = 0
        """The number of requests that are not answered yet, including the one in the dialog."""
        self._current: tuple[AnswerScreen, Content] | None = None
        """The open dialog, and its title without the number of waiting requests; None if none is open."""
        self._closed = asyncio.Event()
        """Set while no dialog is open."""
        self._closed.set()
        self._declined: object = None
        """The call during which the server's further requests are declined; None if there is none."""

    async def answer(self, ask: Ask) -> Answer:
        """Ask the user for an answer.

        If Sightline ends before the user has answered, the request is declined.
        """
        if ask.kind is AskKind.ROOTS:
            return Answer(action=Action.ACCEPT)
        running = self._calls.running_title()
        call = running[0] if running else None
        if self._is_declined(call):
            return REST_DECLINED
        view = await asyncio.to_thread(lambda: ask_view(ask, self._own_url, self._withheld()))
        names = [self._name] if self._name else []
        if running is not None:
            names.append(running[1])
        for name in reversed(names):
            view = replace(
                view, title=Content.assemble(content(cut_in_the_middle(name, 40), "bold"), ": ", view.title)
            )
        self._count(1)
        try:
            async with self._turn:
                return await self._in_turn(view, call)
        finally:
            self._count(-1)

    async def _in_turn(self, view: AskView, call: object) -> Answer:
        if self._is_declined(call):
            return REST_DECLINED
        # A withdrawn question stays until the user has closed it.
        await self._closed.wait()
        self._calls.hold(True)
        try:
            return await self._asked(view, call)
        finally:
            self._current = None
            self._calls.hold(False)

    async def _asked(self, view: AskView, call: object) -> Answer:
        app = self._screen.app  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        screen = AnswerScreen(
            replace(view, title=self._placed(view.title)),
            partial(self._give_up, call) if call is not None else None,
        )
        # A worker of Textual does not wait for the screen, because it treats a cancellation as an answer.
        answered = asyncio.get_running_loop().create_future()

        def take(answer: Answer | None) -> None:
            self._closed.set()
            if not answered.done():
                answered.set_result(answer or DECLINED)

        self._closed.clear()
        app.push_screen(screen, take)  # pyright: ignore[reportUnknownMemberType]
        self._current = screen, view.title
        try:
            return await answered
        except asyncio.CancelledError as cancelled:
            if not self._closed.is_set():
                screen.withdraw(str(cancelled) or "withdrawn: the connection was closed")
            raise

    def _count(self, change: int) -> None:
        self._waiting += change
        if self._current is not None:
            screen, title = self._current
            screen.show_place(self._placed(title))

    def _placed(self, title: Content) -> Content:
        """A title with the number of waiting requests, if there is more than one."""
        if self._waiting < 2:
            return title
        return Content.assemble((f"1 of {self._waiting} waiting  ", "$text-warning"), title)

    def _is_declined(self, call: object) -> bool:
        return call is not None and call is self._declined

    def _give_up(self, call: object, is_cancelled: bool) -> None:  # noqa: FBT001 - a state
        self._declined = call
        if is_cancelled:
            self._calls.cancel()
