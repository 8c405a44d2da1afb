"""The dialog in which the user agrees to open an authorization page. It waits for the redirect."""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen

from inspector.asks.link import link_of
from inspector.errors import headline
from inspector.protocol.authorization import AuthorizationAsk
from inspector.protocol.timeline import Entry, EntryState
from inspector.tui.keys.command import KeyPlace
from inspector.tui.policy.dialog import UNREAD_S
from inspector.tui.text import content, cut_in_the_middle, shortened
from inspector.tui.widgets.lines import ContentLines, Lines
from inspector.tui.widgets.secondary import QUIET, SecondaryDialog, dialog_bindings

_LONGEST = 2_000
_ENDS = {"OAuth token", "OAuth failed"}
"""The titles of the steps that end an authorization."""
_AUTHORIZED = "Authorized: Sightline now sends a token with each request to the server. The steps are in the timeline (OAuth)."


class AuthorizationScreen(SecondaryDialog[bool], inherit_bindings=False):
    """Asks the user to authorize Sightline on a page. Ends with false if the user cancels.

    Otherwise the redirect from the authorization server closes the dialog.
    """

    BINDINGS: ClassVar[list[BindingType]] = dialog_bindings(KeyPlace.AUTHORIZING)
    unread_s: ClassVar[float] = UNREAD_S

    def __init__(self, ask: AuthorizationAsk) -> None:
        super().__init__(Content("The server requires authorization"))
        self._ask = ask
        # The query contains the address of the redirect, which would cause a needless warning.
        self._link = link_of(ask.url.partition("?")[0], ask.server)
        self._asked_s = monotonic()
        self._is_opened = False
        self._lines = ContentLines(id="answer-lines")
        keys = [] if self._link.refusal else [("authorize.open", ""), ("authorize.copy", "")]
        self.offer((*keys, ("authorize.cancel", "")))

    def body(self) -> ComposeResult:
        yield self._lines

    def on_mount(self) -> None:
        self._draw()
        self._lines.focus()

    def on_screen_resume(self) -> None:
        self._asked_s = monotonic()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()

    def action_open(self) -> None:
        if not self._may_go():
            return
        # In a thread: a browser that runs in the foreground would keep Sightline from answering the redirect.
        open_url, url = self.app.open_url, self._ask.url  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        self.run_worker(lambda: open_url(url), thread=True, group="opening", exit_on_error=False)
        self._is_opened = True
        self._draw()

    def action_copy(self) -> None:
        if self._may_go():
            self.app.copy_to_clipboard(self._ask.url)  # pyright: ignore[reportUnknownMemberType]
            self.notify("The address of the page is in the clipboard.", markup=False)

    def action_cancel(self) -> None:
        self.dismiss(False)

    def _may_go(self) -> bool:
        if self._link.refusal:
            return False
        if monotonic() - self._asked_s >= self.unread_s:
            return True
        self.notify("You answered too quickly. Read the question, then press the key again.", markup=False)
        return False

    def _draw(self) -> None:
        ask, link = self._ask, self._link
        query = shortened(ask.url.partition("?")[2], _LONGEST)
        lines = [
            Content.assemble("Server: ", content(cut_in_the_middle(ask.server, 300), "bold")),
            Content.assemble(
                "Authorization server: ", content(cut_in_the_middle(ask.issuer or link.origin, 300), "bold")
            ),
            Content.assemble(
                "Scopes: ", content(shortened(" ".join(ask.scopes), 600) or "none named", "bold")
            ),
            *([content(link.ending, "bold $text-accent")] if link.ending else ()),
            *(content(warning, "$text-warning") for warning in link.warnings),
            Content.assemble(
                (link.before, QUIET),
                (link.host, "bold reverse"),
                (link.after, QUIET),
                content(f"?{query}", QUIET),
            ),
        ]
        if link.refusal:
            lines.append(content(f"Sightline does not open it: {link.refusal}.", "bold $text-error"))
        else:
            state = "Opened. Waiting" if self._is_opened else "Nothing is opened yet. Sightline waits"
            lines.append(content(f"{state} for the redirect to {ask.redirect_uri}.", "$text-accent"))
        self._lines.show(tuple(lines))


class UserAuthorizer:
    """Asks the user to authorize Sightline. At most one dialog is open at a time."""

    def __init__(self, screen: Screen[None], on_hold: Callable[[bool], None]) -> None:
        """`on_hold`: called with true when a question is shown, and with false after it."""
        self._screen = screen
        self._on_hold = on_hold
        self._turn = asyncio.Lock()
        self._is_returning = False
        """True if a redirect or a timeout has closed the last dialog, and `report` has not shown the outcome."""

    async def agree(self, ask: AuthorizationAsk) -> bool:
        """Ask the user to authorize Sightline on a page. Returns false if they cancel.

        Cancelling this task closes the dialog.
        """
        async with self._turn:
            self._on_hold(True)
            try:
                return await self._asked(ask)
            finally:
                self._on_hold(False)

    async def _asked(self, ask: AuthorizationAsk) -> bool:
        app = self._screen.app  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        screen = AuthorizationScreen(ask)
        # A worker of Textual does not wait for the screen, because it treats a cancellation as an answer.
        answered = asyncio.get_running_loop().create_future()

        def take(agreed: bool | None) -> None:  # noqa: FBT001 - as Textual calls it
            if not answered.done():
                answered.set_result(bool(agreed))

        app.push_screen(screen, take)  # pyright: ignore[reportUnknownMemberType]
        try:
            return await answered
        except asyncio.CancelledError:
            self._is_returning = True
            if app.screen is screen:
                screen.dismiss(False)
            raise

    def report(self, entry: Entry) -> None:
        """Notify the user how an authorization has ended, if they did not close its dialog.

        `entry`: a step of the authorization. Steps that do not end it are ignored.
        """
        if not self._is_returning or entry.title not in _ENDS:
            return
        self._is_returning = False
        is_failed = entry.state is EntryState.FAILED
        words = f"Not authorized: {shortened(headline(entry.detail), 300)}." if is_failed else _AUTHORIZED
        # With its own timeout, the notification stays although the state of the connection then changes.
        self._screen.notify(words, severity="error" if is_failed else "information", timeout=10, markup=False)
