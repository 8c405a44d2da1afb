"""The panel that is shown when there is no connection."""

from collections.abc import Iterable

from msgspec import Struct
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from inspector.connect.errors import SHELL_HINT
from inspector.errors import headline
from inspector.protocol.raised import raised_in
from inspector.protocol.timeline import Entry, EntryKind
from inspector.tui.text import content, paragraph, shortened
from inspector.tui.widgets.plain_text import PlainText

STDERR_LINES = 8
RECENT_LINES = 2
"""The maximum number of lines of stderr above a result."""
_LINE_LENGTH = 400
_MESSAGE_LENGTH = 20_000
"""The maximum length of a message in characters. It has room for forty lines of stderr."""


class FailureView(Struct, frozen=True, kw_only=True):
    """A failed connection: what failed, what the user can do, and the server's last lines of stderr.

    All of it may quote untrusted text.
    """

    message: str
    hint: str = ""
    stderr: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    """The last lines that the server wrote to stderr after Sightline's last request."""


def last_words(
    entries: Iterable[Entry], lines: int = STDERR_LINES, *, since_request: bool = False
) -> tuple[str, ...]:
    """The last lines of stderr among `entries`, which are ordered from the newest to the oldest.

    `since_request`: only lines after the last request of Sightline, and no empty lines.
    """
    found: list[str] = []
    for entry in entries:
        if since_request and entry.kind is EntryKind.EXCHANGE:
            break
        if entry.kind is EntryKind.STDERR:
            found += (
                line for line in reversed(entry.detail.splitlines()) if line.strip() or not since_request
            )
            if len(found) >= lines:
                break
    return tuple(reversed(found[:lines]))


_KEYS = Content.assemble(
    ("R", "bold $text-accent"),
    " tries again   ",
    ("t", "bold $text-accent"),
    " shows the timeline   ",
    ("q", "bold $text-accent"),
    " quits",
)


def failure_in_short(view: FailureView) -> Content:
    """The text of the panel above a result: at most four lines. The timeline has the rest."""
    begin = view.message.partition("\n")[0]
    more = [content(f"  {shortened(line.rstrip(), _LINE_LENGTH)}", "$text-warning") for line in view.recent]
    if not more and view.hint:
        more = [content(shortened(view.hint, _LINE_LENGTH).replace("\n", " "))]
    lines = [content(shortened(begin, _LINE_LENGTH), "bold $text-error"), *more[-RECENT_LINES:], _KEYS]
    return Content("\n").join(lines)


def failure(view: FailureView) -> Content:
    """The text of the panel that explains why connecting failed."""
    begin, _, rest = shortened(view.message, _MESSAGE_LENGTH).partition("\n")
    # The end of a long message comes first: there may be no room for all of it.
    is_long = rest.count("\n") > 2
    if is_long and len(headline(view.message)) <= _LINE_LENGTH:
        # The last line is in the headline already.
        rest = rest.rstrip().rpartition("\n")[0]
    lines = [
        paragraph(shortened(headline(view.message), _LINE_LENGTH) if is_long else begin, "bold $text-error")
    ]
    if rest:
        lines.append(paragraph(rest, "$text-error"))
    # A shell would show the traceback that is here already.
    hint = view.hint.removeprefix(SHELL_HINT).lstrip() if raised_in(_stderr_of(view)) else view.hint
    if hint:
        lines.append(paragraph(shortened(hint, 2000)))
    lines.append(Content(""))
    # The keys are above the stderr lines, which may take more room than there is.
    lines.append(_KEYS)
    if any(line not in view.message for line in view.stderr):
        lines.append(Content(""))
        lines.append(Content.styled("The last lines of the server's stderr:", "$foreground 70%"))
        lines += [content("  " + shortened(line, _LINE_LENGTH), "$text-warning") for line in view.stderr]
    return Content("\n").join(lines)


def _stderr_of(view: FailureView) -> tuple[str, ...]:
    return (*view.message.splitlines()[-_SEARCHED:], *view.stderr)


_SEARCHED = 60
"""The number of lines at the end of a message in which a traceback is looked for."""


class FailurePanel(VerticalScroll, can_focus=True):
    """Shows why there is no connection."""

    DEFAULT_CSS = """
    FailurePanel {
        display: none;
        height: auto;
        max-height: 40%;
        padding: 0 1;
        background: $surface;
        border-left: thick $error;
        &.-shown { display: block; }
        &.-short PlainText { text-wrap: nowrap; text-overflow: ellipsis; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="failure")
        self._text = PlainText()

    def compose(self) -> ComposeResult:
        yield self._text

    def show(self, view: FailureView | None, *, in_short: bool = False) -> None:
        """Show the panel with this view; None hides the panel.

        `in_short`: true to show the short text, because a result is shown too.
        """
        self.set_class(view is not None, "-shown")
        self.set_class(in_short, "-short")
        if view is not None:
            self._text.update(failure_in_short(view) if in_short else failure(view))
