"""Lists of lines with a cursor, for documents, prepared rows and text. Only visible lines are drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual import events
from textual.actions import SkipAction
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from inspector.json.document import Line, SpanKind
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.text import content, hanging

if TYPE_CHECKING:
    from inspector.json.document import Document


CURSOR, RESTING_CURSOR = "▸", "▹"
"""The sign in front of the row under the cursor: in the list that has the focus, and in other lists."""
FOLDED, UNFOLDED = "⊞", "⊟"
"""The sign of a row with hidden rows below it, and of one whose rows are shown."""


class Lines(ScrollView, can_focus=True):
    """A list with a cursor. A subclass draws each row in `row`, which is called for visible rows only.

    A row that begins with `CURSOR` begins with `RESTING_CURSOR` while another widget has the focus.
    """

    DEFAULT_CSS = """
    Lines {
        height: 1fr;
        scrollbar-size: 1 1;
        background: $surface;
        & > .lines--cursor { background: $block-cursor-blurred-background; }
        &:focus > .lines--cursor {
            color: $block-cursor-foreground;
            background: $block-cursor-background;
        }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"lines--cursor"}
    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.LINES)

    cursor: reactive[int] = reactive(0, repaint=False)
    count: reactive[int] = reactive(0, repaint=False)
    _row_width = 0

    @dataclass
    class Moved(Message):
        """Posted when the cursor moves to another row."""

        lines: "Lines"
        index: int

        @property
        def control(self) -> "Lines":
            """The list, for `on` selectors."""
            return self.lines

    @dataclass
    class Chosen(Message):
        """Posted on Enter or a double click on a row."""

        lines: "Lines"
        index: int

        @property
        def control(self) -> "Lines":
            """The list, for `on` selectors."""
            return self.lines

    def row(self, index: int, width: int) -> Content:
        """The content of row `index`: at most `width` cells, or more if rows are wider than the view."""
        raise NotImplementedError

    def empty_row(self, index: int, width: int) -> Content:
        """What is drawn in row `index` beyond the last one, for example why there are no rows."""
        del index, width
        return Content("")

    def show_rows(self, count: int, cursor: int | None = None, *, width: int = 0) -> None:
        """Show `count` rows and redraw all of them. `cursor`: the row to move to; None to stay.

        `width`: the approximate width of the widest row in cells; 0 if rows fit into the view.
        """
        self.count = count
        self._row_width = width
        self.virtual_size = Size(width, count)
        self.cursor = self.validate_cursor(self.cursor if cursor is None else cursor)
        self.refresh()

    def validate_cursor(self, cursor: int) -> int:
        """Limit the cursor to the existing rows."""
        return max(0, min(cursor, self.count - 1))

    def watch_cursor(self, before: int, after: int) -> None:
        """Redraw the rows `before` and `after`, and scroll to the cursor."""
        self.refresh_lines(before)
        self.refresh_lines(after)
        self.reveal(after)
        self.post_message(self.Moved(self, after))

    def render_line(self, y: int) -> Strip:
        """Draw one row of the visible part of the list.

        `y`: the number of that row in the visible part, counted from 0 at the top. Below the last row of the
        list, the result of `empty_row` is drawn.
        """
        left, top = self.scroll_offset
        width = self.scrollable_content_region.width
        index = top + y
        at_cursor = index == self.cursor
        base = self.get_visual_style("lines--cursor") if at_cursor and self.count else self.visual_style
        row = self.row(index, width) if index < self.count else self.empty_row(index, width)
        if index >= self.count and not row.plain:
            return Strip.blank(width, self.visual_style.rich_style)
        if at_cursor and self._is_resting and row.plain.startswith(CURSOR):
            row = Content.assemble(RESTING_CURSOR, row[len(CURSOR) :])
        rendered = row.render(base, end="")
        strip = Strip([Segment(text, style.rich_style) for text, style in rendered])
        if self._row_width and self._row_width < strip.cell_length:
            # Wide characters take more cells than were counted. The end of the line must be reachable.
            self.call_later(self._widen, strip.cell_length)
        return strip.crop_extend(left, left + width, base.rich_style)

    def on_resize(self) -> None:
        """Keep the cursor in view."""
        self.reveal(self.cursor)

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the row under the mouse. A double click chooses the row."""
        index = event.y + self.scroll_offset.y
        if index < self.count:
            self.cursor = index
            if event.chain == 2:
                self.action_choose()

    def action_move(self, step: int) -> None:
        """Move the cursor by `step` rows."""
        self.cursor += step

    def action_page(self, step: int) -> None:
        """Move the cursor by `step` pages."""
        self.cursor += step * max(1, self.scrollable_content_region.height - 1)

    def action_first(self) -> None:
        """Move the cursor to the first row, and scroll to the left edge."""
        self.cursor = 0
        self.scroll_to(x=0, animate=False)

    def action_last(self) -> None:
        """Move the cursor to the last row."""
        self.cursor = self.count - 1

    def action_slide(self, cells: int) -> None:
        """Scroll sideways by `cells`. If all rows fit, the key is left to the screen."""
        if not self.max_scroll_x:
            raise SkipAction
        self.scroll_to(x=self.scroll_x + cells, animate=False)

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        if self.count:
            self.post_message(self.Chosen(self, self.cursor))

    def on_mount(self) -> None:
        self.watch(self.screen, "focused", self._show_focus, init=False)

    def _show_focus(self, before: Widget | None, after: Widget | None) -> None:
        if None in (before, after) or self in (before, after):
            self.refresh()

    @property
    def _is_resting(self) -> bool:
        """True if another widget has the focus.

        False for a list that cannot have the focus, because its cursor follows the keys of its filter.
        """
        return self.can_focus and self.screen.focused not in (None, self)

    def _widen(self, width: int) -> None:
        self._row_width = max(self._row_width, width)
        self.virtual_size = Size(self._row_width, self.count)

    def reveal(self, index: int) -> None:
        """Scroll until row `index` is visible."""
        height = self.scrollable_content_region.height
        top = self.scroll_offset.y
        # `force`, because the scrollbar that allows scrolling is shown only after the next layout.
        if index < top:
            self.scroll_to(y=index, animate=False, force=True)
        elif height and index >= top + height:
            self.scroll_to(y=index - height + 1, animate=False, force=True)


REMOVED = "-"
MARKED = "!"
_STYLES = {
    SpanKind.PUNCTUATION: "$foreground 70%",
    SpanKind.KEY: "$text-primary",
    SpanKind.STRING: "$foreground",
    SpanKind.NUMBER: "$text-accent",
    SpanKind.WORD: "$text-accent",
}

SIGNS_WIDTH = 3
"""The width, in cells, of what is in front of a line: the sign of the cursor, the sign of the line, and a blank."""


def document_line(line: Line, *, here: bool, sign: str = " ") -> Content:
    """One line of a document. `here`: whether the cursor is on it.

    `sign`: the sign in front of the line; `REMOVED` also colours the line.

    Every span comes from `Document`, which escapes characters that act on a terminal or are invisible.
    """
    cursor = "▸" if here else " "
    if sign == REMOVED:
        text = "".join(span.text for span in line.spans)
        return Content.assemble(cursor, (f"{REMOVED} ", "bold $text-error"), (text, "$text-error"))
    return Content.assemble(
        cursor, (f"{sign} ", "bold $text-accent"), *((span.text, _STYLES[span.kind]) for span in line.spans)
    )


def marked(line: Content) -> Content:
    """A copy of a line with `!` before its text and another background, to mark it."""
    return Content.assemble(line[:2], (MARKED, "bold $text-warning"), line[3:]).stylize("on $warning 20%", 2)


class DocumentLines(Lines):
    """Shows one document. Only visible lines are laid out."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as every widget has it
        super().__init__(id=id)
        self._document: Document | None = None

    @property
    def document(self) -> "Document | None":
        """The shown document."""
        return self._document

    def show(self, document: "Document | None") -> None:
        """Show another document, from its first line."""
        self._document = document
        self.show_rows(
            document.line_count if document else 0, 0, width=document.width + SIGNS_WIDTH if document else 0
        )
        self.scroll_to(x=0, y=0, animate=False)

    def row(self, index: int, width: int) -> Content:
        """One line of the document."""
        del width
        if self._document is None:
            return Content("")
        return document_line(self._document.line(index), here=index == self.cursor)


class SignedLines(DocumentLines):
    """Shows a document with signs in front of some of its lines."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as every widget has it
        super().__init__(id=id)
        self._signs: Mapping[int, str] = {}

    def show(self, document: "Document | None", signs: Mapping[int, str] = MappingProxyType({})) -> None:
        """Show another document. `signs`: signs by line number, from 0."""
        self._signs = signs
        super().show(document)

    def row(self, index: int, width: int) -> Content:
        """One line of the document, with its sign."""
        del width
        if self.document is None:
            return Content("")
        return document_line(
            self.document.line(index), here=index == self.cursor, sign=self._signs.get(index, " ")
        )


_BULLET = "• "


class ContentLines(Lines):
    """A list of sentences, each wrapped into as many rows as it needs.

    All of them are wrapped at once, so it is for hundreds of sentences, not thousands.
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as every widget has it
        super().__init__(id=id)
        self._sentences: Sequence[Content] = ()
        self._rows: list[Content] = []

    def show(self, sentences: Sequence[Content]) -> None:
        """Show other sentences, starting at the first."""
        self._sentences = sentences
        self._wrap(0)

    def on_resize(self) -> None:
        """Wrap the sentences to the new width."""
        self._wrap(None)

    def row(self, index: int, width: int) -> Content:
        """One row of a wrapped sentence."""
        del width
        return self._rows[index]

    def _wrap(self, cursor: int | None) -> None:
        width = max(self.scrollable_content_region.width, 20)
        self._rows = [row for sentence in self._sentences for row in _wrapped(sentence, width)]
        self.show_rows(len(self._rows), cursor)


def _wrapped(sentence: Content, width: int) -> Sequence[Content]:
    """The rows of a sentence. Below a bullet, they are indented."""
    if sentence.plain.startswith(_BULLET):
        return hanging(sentence, width, len(_BULLET)).split()
    return sentence.wrap(width) or [sentence]


class TextLines(Lines):
    """Shows the lines of a text. Control and invisible characters are replaced when a line is drawn."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as every widget has it
        super().__init__(id=id)
        self._lines: Sequence[str] = ()

    def show(self, lines: Sequence[str]) -> None:
        """Show another text: one string per line, untrusted."""
        self._lines = lines
        self.show_rows(len(lines), 0, width=max(map(len, lines), default=0))

    def row(self, index: int, width: int) -> Content:
        """One line of the text."""
        del width
        return content(self._lines[index])
