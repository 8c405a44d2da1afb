"""The Trust screen: servers above, trust labels below."""

from collections.abc import Awaitable, Callable
from typing import ClassVar

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from inspector.policy.gate.oversight import Oversight
from inspector.policy.taint import SessionTrust, SourceDetail
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.trust.view import (
    TrustView,
    carried_line,
    label_line,
    label_text,
    next_detail,
    sent_line,
    session_line,
    trust_row,
    trust_view,
)
from inspector.tui.widgets.lines import Lines
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import QUIET, Detail, DrawnLines, Keys, SecondaryScreen

_INTRODUCTION = (
    "An answer can bring trust labels into the session, such as untrusted or sensitive. Sightline keeps them as an agent "
    "host would, and a policy can decide by them. Labels come from declarations and from the server's questions, not from "
    "findings: an answer without a label may contain instructions too. No server learns of them unless you select it and press l: each call to that server then says so "
    "if the session is untrusted, and may name sources. Other labels are never sent."
)
_NOTHING = "  No call of this agent session has brought a trust label."
_NOTHING_RECORDED = "  No call up to this position has brought a trust label."
_RECORDED = (
    "An answer can bring trust labels into the session, such as untrusted or sensitive. These are the labels of all "
    "calls up to this position of the recording. Labels come from declarations and from the server's questions, not from "
    "findings: an answer without a label may contain instructions too. What was decided at the time is in the timeline (§)."
)
_MOST_SERVERS = 6


class _Asked(Struct, frozen=True, kw_only=True):
    trust: SessionTrust
    number: int
    propagation: tuple[tuple[str, SourceDetail], ...]
    connected: str


class TrustScreen(SecondaryScreen[None], inherit_bindings=False):
    """Shows which trust labels each server has sent, and which Sightline sends to it with each call."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.TRUST)
    NAME = "Trust"
    KEYS: ClassVar[Keys] = (
        ("trust.propagation", ""),
        ("trust.renew", ""),
        ("trust.back", ""),
        ("app.next", ""),
        ("app.quit", ""),
        ("app.help", ""),
    )
    FAILED = "The session's trust could not be shown"
    NOTHING: ClassVar[str] = _NOTHING
    """The row of the list if there are no labels."""

    def __init__(self, oversight: Oversight, connected: str, renew: Callable[[], Awaitable[bool]]) -> None:
        """`connected`: the server in use.

        `renew`: begins a new session if the user agrees; returns whether they did.
        """
        super().__init__()
        self._oversight = oversight
        self._connected = connected
        self._renew = renew
        self._view: TrustView | None = None
        self._servers = DrawnLines("trust-servers", self._draw_server)
        self._sent = PlainText(id="trust-sent")
        self._labels = DrawnLines("trust-marks", self._draw_label)
        self._label = Detail("trust-mark", can_focus=False)
        self._views = self.latest(_made, self._take)

    def body(self) -> ComposeResult:
        yield PlainText(_INTRODUCTION, id="trust-introduction")
        yield PlainText("Labels from each server, and labels sent to it", classes="secondary-heading")
        yield self._servers
        yield self._sent
        yield PlainText("Labels from answers, by call", classes="secondary-heading")
        yield from self._of_calls()

    def _of_calls(self) -> ComposeResult:
        yield self._labels
        yield self._label

    def on_mount(self) -> None:
        self._servers.focus()
        self.show_current()

    def on_screen_resume(self) -> None:
        self.show_current()

    def show_current(self) -> None:
        """Show the current state, after the session has received labels or a new session has begun."""
        oversight = self._oversight
        self._views.ask(
            _Asked(
                trust=oversight.trust,
                number=oversight.number,
                propagation=tuple(oversight.propagation.items()),
                connected=self._connected,
            )
        )

    @on(Lines.Moved)
    @on(Lines.Chosen)
    def follow(self, event: Lines.Moved | Lines.Chosen) -> None:
        # Enter must not change anything: only `l` changes what is sent to a server.
        event.stop()
        self._explain()

    def action_propagation(self) -> None:
        if self._view is None:
            return
        server = self._view.servers[self._servers.cursor].server
        detail = next_detail(self._oversight.propagation.get(server))
        if detail is None:
            self._oversight.propagation.pop(server, None)
        else:
            self._oversight.propagation[server] = detail
        self.notify(carried_line(server, detail), markup=False)
        self.show_current()

    def action_renew(self) -> None:
        self.run_worker(self._ask_to_renew, group="renewing", exclusive=True)

    async def _ask_to_renew(self) -> None:
        if await self._renew():
            self.show_current()

    def _take(self, view: TrustView) -> None:
        self._view = view
        self.entitle(session_line(view))
        self._servers.show_rows(len(view.servers))
        self._servers.styles.height = min(len(view.servers), _MOST_SERVERS)
        self._labels.show_rows(max(len(view.labels), 1))
        self._explain()

    def _explain(self) -> None:
        view = self._view
        if view is not None:
            self._sent.update(sent_line(view.servers[self._servers.cursor]))
            self._label.display = bool(view.labels)
            if view.labels:
                self._label.show(label_text(view.labels[self._labels.cursor]))

    def _draw_server(self, index: int, width: int, here: bool) -> Content:  # noqa: FBT001 - as the list calls it
        return trust_row(self._view.servers[index], width, here=here) if self._view else Content("")

    def _draw_label(self, index: int, width: int, here: bool) -> Content:  # noqa: FBT001 - as the list calls it
        view = self._view
        if view is None or not view.labels:
            return Content.styled(self.NOTHING, QUIET)
        labels = view.labels
        is_first = index == 0 or labels[index - 1].origin.call != labels[index].origin.call
        return label_line(labels[index], min(view.call_width, width // 2), here=here, is_first=is_first)


class RecordedTrustScreen(TrustScreen, inherit_bindings=False):
    """Shows which trust labels the calls of a recording bring into a session. Nothing can be changed."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.TRUST)
    KEYS: ClassVar[Keys] = (("trust.back", ""), ("app.quit", ""), ("app.help", ""))
    NOTHING = _NOTHING_RECORDED

    def __init__(self, trust: SessionTrust, server: str) -> None:
        oversight = Oversight()
        oversight.trust, oversight.number = trust, 0
        super().__init__(oversight, server, self._never)

    def body(self) -> ComposeResult:
        yield PlainText(_RECORDED, id="trust-introduction")
        yield PlainText("Labels from answers, by call", classes="secondary-heading")
        yield from self._of_calls()

    def on_mount(self) -> None:
        self._labels.focus()
        self.show_current()

    def show_trust(self, trust: SessionTrust) -> None:
        """Show the labels of `trust`, after the user has gone to another position of the recording."""
        self._oversight.trust = trust
        self.show_current()

    def action_propagation(self) -> None:
        self.notify("A recording is read-only.", markup=False)

    async def _never(self) -> bool:
        self.action_propagation()
        return False


def _made(asked: _Asked) -> TrustView:
    return trust_view(asked.trust, asked.number, dict(asked.propagation), asked.connected)
