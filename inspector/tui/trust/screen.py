"""The trust of the agent session: which call brought what, what servers are told of it, and beginning anew."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from inspector.policy.gate.oversight import Oversight
from inspector.policy.taint import Detail, SessionTrust
from inspector.tui.keys.command import Place
from inspector.tui.keys.footer import KeyLine, Offer
from inspector.tui.keys.table import bindings, command
from inspector.tui.runtime.latest import Latest
from inspector.tui.text import content
from inspector.tui.trust.view import (
    TrustView,
    mark_line,
    mark_text,
    next_detail,
    server_line,
    title_line,
    told_line,
    trust_view,
)
from inspector.tui.widgets.lines import Lines

_KEYS = ("trust.propagation", "trust.renew", "trust.back", "app.next", "app.quit", "app.help")

_NOTHING = "No call of this agent session has brought in anything that anybody declared."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    trust: SessionTrust
    number: int
    propagation: tuple[tuple[str, Detail], ...]
    connected: str


class ServerLines(Lines):
    """The servers of the session."""

    def __init__(self) -> None:
        super().__init__(id="trust-servers")
        self.view: TrustView | None = None

    def row(self, index: int, width: int) -> Content:
        """One server."""
        del width
        return server_line(self.view.servers[index], here=index == self.cursor) if self.view else Content("")


class MarkLines(Lines):
    """What was brought in."""

    def __init__(self) -> None:
        super().__init__(id="trust-marks")
        self.view: TrustView | None = None

    def row(self, index: int, width: int) -> Content:
        """One mark."""
        del width
        if self.view is None or not self.view.marks:
            return Content.styled(_NOTHING, "$foreground 70%")
        marks = self.view.marks
        is_first = index == 0 or marks[index - 1].origin.call != marks[index].origin.call
        return mark_line(marks[index], is_first=is_first)


class TrustScreen(Screen[None], inherit_bindings=False):
    """Servers above, marks below."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.TRUST)

    def __init__(self, oversight: Oversight, connected: str, renew: Callable[[], Awaitable[bool]]) -> None:
        """`connected`: the server in use. `renew`: begins a new session if the user agrees; says whether it did."""
        super().__init__()
        self._oversight = oversight
        self._connected = connected
        self._renew = renew
        self._title = Static("", markup=False, id="trust-title")
        self._servers = ServerLines()
        self._told = Static("", markup=False, id="trust-told")
        self._marks = MarkLines()
        self._mark = Static("", markup=False, id="trust-mark")
        self._keys = KeyLine()
        self._making = Latest(self, _made, self._take, self._could_not)

    def compose(self) -> ComposeResult:
        """How it stands, the servers, what the one under the cursor is told, the marks, the one under the cursor."""
        yield self._title
        yield Static("Servers, and what each is told", markup=False, classes="trust-heading")
        yield self._servers
        yield self._told
        yield Static("What each call brought in", markup=False, classes="trust-heading")
        yield self._marks
        yield self._mark
        yield self._keys

    def on_mount(self) -> None:
        """Show what there is."""
        self._keys.offers = [Offer(command(known), command(known).label) for known in _KEYS]
        self._servers.focus()
        self.news()

    def on_screen_resume(self) -> None:
        """Calls may have ended meanwhile."""
        self.news()

    def news(self) -> None:
        """The session has taken in more, or is a new one."""
        oversight = self._oversight
        self._making.ask(
            _Asked(
                trust=oversight.trust,
                number=oversight.number,
                propagation=tuple(oversight.propagation.items()),
                connected=self._connected,
            )
        )

    @on(Lines.Moved)
    def follow(self, event: Lines.Moved) -> None:
        """The cursor stands on another server, or mark."""
        event.stop()
        self._explain()

    @on(Lines.Chosen)
    def choose(self, event: Lines.Chosen) -> None:
        """Enter tells a server no more: only its own key does."""
        event.stop()
        self._explain()

    def action_propagation(self) -> None:
        """The server under the cursor is told more, or nothing."""
        view = self._servers.view
        if view is None:
            return
        server = view.servers[self._servers.cursor].server
        detail = next_detail(self._oversight.propagation.get(server))
        if detail is None:
            self._oversight.propagation.pop(server, None)
        else:
            self._oversight.propagation[server] = detail
        self.news()

    def action_renew(self) -> None:
        """Ask whether to begin anew."""
        self.run_worker(self._ask_to_renew(), group="renewing", exclusive=True)

    async def _ask_to_renew(self) -> None:
        if await self._renew():
            self.news()

    def _take(self, asked: _Asked, view: TrustView) -> None:
        del asked
        self._title.update(title_line(view))
        self._servers.view = self._marks.view = view
        self._servers.show_rows(len(view.servers))
        self._servers.styles.height = min(len(view.servers), 6)
        self._marks.show_rows(max(len(view.marks), 1))
        self._explain()

    def _explain(self) -> None:
        view = self._servers.view
        if view is not None:
            self._told.update(told_line(view.servers[self._servers.cursor]))
            self._mark.display = bool(view.marks)
            if view.marks:
                self._mark.update(mark_text(view.marks[self._marks.cursor]))

    def _could_not(self, asked: _Asked, error: BaseException) -> None:
        del asked
        words = f"The session's trust could not be shown ({type(error).__name__}): a defect of Sightline."
        self._title.update(content(words, "$text-error"))


def _made(asked: _Asked) -> TrustView:
    return trust_view(asked.trust, asked.number, dict(asked.propagation), asked.connected)
