"""Lists the texts that reach a model before its first call, the largest first.

Each row has the size of its text in tokens, and the findings about it.
"""

from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from inspector.boundary.options import Level
from inspector.files.tokenizer import tokenizer
from inspector.hosts.context import ASSUMED, GIVEN, Context, ContextPart, HostTotal, context_of, host_totals
from inspector.hosts.registry import host as host_of
from inspector.protocol.catalogue import Catalogue, Tool
from inspector.tui.catalogue.marks import Mark, RowMarks
from inspector.tui.findings.reviewer import Reviewer
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.text import content, shortened
from inspector.tui.widgets.lines import Lines
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import QUIET, Detail, DrawnLines, Keys, SecondaryScreen

_BAR, _NARROW_BAR = 20, 6
_WIDE = 100
"""The minimum width of a row, in cells, for the long bar (`_BAR`). Narrower rows need the room for names."""
_MOST_COMPARED = 500
"""The maximum number of tools for which the totals of all hosts are computed. More would take too long."""


class ContextAsked(Struct, frozen=True, kw_only=True):
    """A catalogue, and the boundary level and host at which a model sees it."""

    catalogue: Catalogue
    instructions: str | None
    level: Level
    host: str


class _Made(Struct, frozen=True, kw_only=True):
    context: Context
    totals: tuple[HostTotal, ...]


class ContextScreen(SecondaryScreen[bool], inherit_bindings=False):
    """Shows one row for each text that reaches the model, with a bar for its size.

    Ends with True if a text was opened on the main screen.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.CONTEXT)
    NAME = "Before the first call"
    KEYS: ClassVar[Keys] = (
        ("lines.choose", "show the text"),
        ("context.back", ""),
        ("app.next", ""),
        ("app.quit", ""),
        ("app.help", ""),
    )
    FAILED = "The context of the model could not be counted"

    def __init__(
        self,
        asked: ContextAsked,
        reviewer: Reviewer,
        go_to: Callable[[int, ContextPart], bool],
        row: int = 0,
    ) -> None:
        """`reviewer`: knows the findings about each tool.

        `go_to`: shows the text of a row, and returns whether the text is on the main screen. `row`: the index
        of the row under the cursor at first.
        """
        super().__init__()
        self._asked = asked
        self._reviewer = reviewer
        self._go_to = go_to
        self._row = row
        self._found: Context | None = None
        self._total = PlainText(id="context-total")
        self._lines = DrawnLines("context-parts", self._draw)
        self._notes = Detail("context-notes")
        self._views = self.latest(_made, self._take)

    def body(self) -> ComposeResult:
        yield self._total
        yield self._lines
        yield self._notes

    def on_mount(self) -> None:
        self.entitle(Content(f"boundary: {self._asked.level.value}  host: {self._asked.host}"))
        self._views.ask(self._asked)
        self._reviewer.listeners.append(self.show_findings)

    def on_unmount(self) -> None:
        self._reviewer.listeners.remove(self.show_findings)

    def show_findings(self) -> None:
        """Draw the rows again, with the findings that are known now."""
        self._lines.refresh()

    def _take(self, made: _Made) -> None:
        found = self._found = made.context
        self._total.update(
            Content.assemble(
                (f"{found.tokens(*GIVEN):,} tokens", "bold"),
                f", {found.size_bytes(*GIVEN):,} bytes",
                found.more,
                (f"  {found.counted_by}", QUIET),
            )
        )
        self._lines.show_rows(len(found.parts), self._row)
        self._lines.focus()
        notes = [content(note) for note in found.notes]
        hosts = [Content.assemble(f"{total.tokens:>9,}  ", (total.names, QUIET)) for total in made.totals]
        if any(total.assumed for total in made.totals):
            hosts.append(Content.styled(ASSUMED, "$text-warning"))
        self._notes.show(
            Content("\n").join(
                [
                    Content.styled("What is counted", "bold"),
                    *notes,
                    *((Content.styled("By host", "bold"), *hosts) if hosts else ()),
                ]
            )
        )

    def action_back(self) -> None:
        self.dismiss(False)

    @on(Lines.Chosen)
    def show_text(self, event: Lines.Chosen) -> None:
        event.stop()
        if self._found is not None and self._go_to(event.index, self._found.parts[event.index]):
            self.dismiss(True)

    def _draw(self, index: int, width: int, here: bool) -> Content:  # noqa: FBT001 - as the list calls it
        if self._found is None:
            return Content("")
        part = self._found.parts[index]
        most = max((each.tokens for each in self._found.parts), default=0)
        bar = _BAR if width >= _WIDE else _NARROW_BAR
        share = round(bar * part.tokens / most) if most else 0
        row = Content.assemble(
            "▸ " if here else "  ",
            f"{part.tokens:>9,}  ",
            (f"{part.size_bytes:>11,} B  ", QUIET),
            ("█" * share + " " * (bar - share) + "  ", "$text-primary"),
            (f"{part.kind.value:<13}", QUIET),
            content(shortened(part.name, 120)),
        )
        mark = self._reviewer.sign(part.item) if isinstance(part.item, Tool) else Mark()
        fitted = RowMarks(findings=mark).fitted(max(width - row.cell_length - 2, len(mark.short))).shown
        room = max(width - fitted.cell_length - bool(fitted) * 2, 20)
        return Content.assemble(row.truncate(room, ellipsis=True), "  " if fitted else "", fitted).truncate(
            max(width, 20), pad=True
        )


def _made(asked: ContextAsked) -> _Made:
    host = host_of(asked.host)
    if host is None:
        raise LookupError(asked.host)
    counter = tokenizer()
    found = context_of(asked.instructions, asked.catalogue, asked.level, host, counter)
    few = len(asked.catalogue.tools) <= _MOST_COMPARED
    totals = host_totals(asked.instructions, asked.catalogue, asked.level, counter) if few else ()
    return _Made(context=found, totals=totals)
