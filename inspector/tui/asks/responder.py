"""Asks the user what a server asks, one request at a time."""

import asyncio
from collections.abc import Callable

from msgspec.structs import replace
from textual.content import Content
from textual.screen import Screen
from textual.worker import WorkerError

from inspector.asks.answer import DECLINED, Action, Answer
from inspector.asks.ask import Ask, AskKind
from inspector.protocol.targets import HttpTarget, Target
from inspector.tui.asks.dialog import AnswerScreen
from inspector.tui.asks.view import AskView, ask_view
from inspector.tui.text import content, shortened


class UserResponder:
    """Answers with what the user says in a dialog."""

    def __init__(
        self, screen: Screen[None], target: Target, on_hold: Callable[[bool], None], name: str = ""
    ) -> None:
        """`on_hold` is called with whether the user is being asked. `name`: of the server, where there are several."""
        self._screen = screen
        self._own_url = target.url if isinstance(target, HttpTarget) else None
        self._on_hold = on_hold
        self._name = name
        self._turn = asyncio.Lock()

    async def answer(self, ask: Ask) -> Answer:
        """The user's answer; where the interface ends meanwhile, the request is declined."""
        if ask.kind is AskKind.ROOTS:
            return Answer(action=Action.ACCEPT)
        view = await asyncio.to_thread(ask_view, ask, self._own_url)
        if self._name:
            name = content(shortened(self._name, 40), "bold")
            view = replace(view, title=Content.assemble(name, ": ", view.title))
        async with self._turn:
            self._on_hold(True)
            # Only a worker may wait for a screen.
            asking = self._screen.run_worker(self._asked(view), group="interrupting", exit_on_error=False)
            try:
                return await asking.wait()
            except WorkerError:
                return DECLINED
            except asyncio.CancelledError:
                asking.cancel()
                raise
            finally:
                self._on_hold(False)

    async def _asked(self, view: AskView) -> Answer:
        app = self._screen.app  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        screen = AnswerScreen(view)
        try:
            return await app.push_screen_wait(screen) or DECLINED  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        except asyncio.CancelledError:
            if app.screen is screen:
                screen.dismiss(DECLINED)
            raise
