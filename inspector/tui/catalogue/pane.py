"""The catalogue: a filter line over a list of everything the server offers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from inspector.protocol.catalogue import Entry, Tool
from inspector.tui.catalogue.rows import (
    TOOLS,
    CatalogueRow,
    Group,
    ItemRow,
    RowMarks,
    entry_line,
    group_line,
    has_letters,
    is_counted,
    item_identity,
    matching,
)
from inspector.tui.widgets.lines import Lines

_SETTLE_S = 0.08
"""How long the cursor must rest on an item before it is opened."""

Marks = Callable[[Tool], RowMarks]
"""The marks of a tool. Called while rows are drawn, so it must only look things up."""


class CatalogueLines(Lines):
    """The rows of the catalogue that match the filter."""

    def __init__(self, marks: Marks) -> None:
        super().__init__(id="catalogue-lines")
        self._marks_of = marks
        self._marks: dict[int, RowMarks] = {}
        """By the identity of an item, of which two may have one name."""
        self._all: tuple[ItemRow, ...] = ()
        self._shown: tuple[CatalogueRow, ...] = ()
        self._sizes: dict[str, int] = {}
        self._last: Entry | None = None
        """The last item under the cursor: a filter without a match leaves none there."""
        self.remark = ""
        """A remark behind the heading of the tools. Holds no foreign text."""

    def take(self, found: tuple[ItemRow, ...], query: str) -> None:
        """Show `found`; the cursor stays on the item that it was on, where that is still there."""
        self._all = found
        self._marks.clear()
        self._sizes = {}
        for row in found:
            self._sizes[row.group] = self._sizes.get(row.group, 0) + is_counted(row)
        self._show(query, self.entry)

    def judge(self) -> None:
        """What is known of the tools changed: badges are computed again for the rows that are seen."""
        self._marks.clear()
        self.refresh()

    def narrow(self, query: str) -> None:
        """Show the rows that match `query`, with the cursor on the best; without a query it stays on its item."""
        self._last = self.entry or self._last
        self._show(query, None if query.strip() else self._last)

    def _show(self, query: str, entry: Entry | None) -> None:
        self._shown = matching(self._all, query)
        self.show_rows(len(self._shown), self._place_of(entry))
        self.reveal(self.cursor)
        self.post_message(self.Moved(self, self.cursor))

    @property
    def entry(self) -> Entry | None:
        """The item under the cursor."""
        found = self._shown[self.cursor] if self.cursor < len(self._shown) else None
        return found.entry if isinstance(found, ItemRow) else None

    def row(self, index: int, width: int) -> Content:
        """A heading or an item."""
        found = self._shown[index]
        if isinstance(found, Group):
            line = group_line(found, self._sizes.get(found.key, found.size))
            if found.key != TOOLS or not self.remark:
                return line
            return Content.assemble(line, (f"  {self.remark}", "$foreground 70%")).truncate(
                width, ellipsis=True
            )
        return entry_line(found.entry, self._marks_for(found.entry), width, here=index == self.cursor)

    @property
    def badges_in_words(self) -> Content:
        """The badges of the item under the cursor where its row has letters; else nothing."""
        entry = self.entry
        found = self._marks_for(entry) if entry is not None else RowMarks()
        width = self.scrollable_content_region.width
        is_short = entry is not None and has_letters(entry, found, width)
        return (
            Content.assemble(found.letters, "  ", found.words)
            if is_short and found.letters.plain
            else Content("")
        )

    def select(self, entry: Entry) -> bool:
        """Put the cursor on an item; whether it is among those shown."""
        identity = item_identity(entry)
        for index, row in enumerate(self._shown):
            if isinstance(row, ItemRow) and item_identity(row.entry) == identity:
                self.cursor = index
                return True
        return False

    def find(self, entry: Entry) -> Entry | None:
        """The listed item that is the same as `entry`, or was before the lists were read again."""
        identity = item_identity(entry)
        return next((row.entry for row in self._all if item_identity(row.entry) == identity), None)

    def action_move(self, step: int) -> None:
        """Headings are stepped over."""
        there = self.cursor + step
        if 0 <= there < len(self._shown) and isinstance(self._shown[there], Group):
            there += step
        if there >= (1 if self._shown else 0):
            self.cursor = there

    def reveal(self, index: int) -> None:
        """The first item is seen with its heading."""
        super().reveal(0 if index == 1 else index)

    def action_first(self) -> None:
        """The first row is a heading."""
        self.cursor = 1

    def _place_of(self, entry: Entry | None) -> int:
        if entry is not None:
            identity = item_identity(entry)
            for index, row in enumerate(self._shown):
                if isinstance(row, ItemRow) and item_identity(row.entry) == identity:
                    return index
        return 1

    def _marks_for(self, entry: Entry) -> RowMarks:
        if not isinstance(entry, Tool):
            return RowMarks()
        found = self._marks.get(id(entry))
        if found is None:
            found = self._marks[id(entry)] = self._marks_of(entry)
        return found


class CataloguePane(Vertical):
    """Everything the server offers, and the line that filters it."""

    DEFAULT_CSS = """
    CataloguePane {
        background: $surface;
        & > #filter {
            display: none;
            height: 1;
            border: none;
            padding: 0 1;
            background: $panel;
        }
        &.-filtering > #filter { display: block; }
        & > #catalogue-note { height: auto; padding: 0 1; color: $foreground 70%; display: none; }
        &.-noted > #catalogue-note { display: block; }
        & > #catalogue-legend { display: none; height: auto; max-height: 2; padding: 0 1; background: $panel; }
        &.-lettered > #catalogue-legend { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = []

    @dataclass
    class Rested(Message):
        """The cursor has rested on an item."""

        entry: Entry

    @dataclass
    class Chosen(Message):
        """The user wants to work with this item."""

        entry: Entry

    def __init__(self, marks: Marks) -> None:
        super().__init__(id="catalogue")
        self._lines = CatalogueLines(marks)
        self._filter = Input(placeholder="filter: words, all of which must occur", id="filter", compact=True)
        self._note = Static("", id="catalogue-note", markup=False)
        self._legend = Static("", id="catalogue-legend", markup=False)
        self._explained = Content("")
        self._settling: Timer | None = None

    def compose(self) -> ComposeResult:
        """The filter line, a note, the list."""
        yield self._filter
        yield self._note
        yield self._lines
        yield self._legend

    def _explain(self) -> None:
        """Below the list, the badges under the cursor in words where the row has letters."""
        words = self._lines.badges_in_words
        if words.is_same(self._explained):
            # Another text lays the whole screen out again.
            return
        self._explained = words
        self._legend.update(words)
        self.set_class(bool(words.plain), "-lettered")

    def show(self, found: tuple[ItemRow, ...]) -> None:
        """Show what has been listed so far."""
        self._lines.take(found, self._filter.value)
        if found:
            self.say(Content(""))

    def judge(self) -> None:
        """Other things are known of the tools."""
        self._lines.judge()
        self._explain()

    def remark(self, words: str) -> None:
        """Put `words` behind the heading of the tools."""
        if words != self._lines.remark:
            self._lines.remark = words
            self._lines.refresh()

    def go_to(self, entry: Entry) -> None:
        """Put the cursor on an item; a filter that hides it is taken off."""
        if not self._lines.select(entry):
            self.close_filter()
            self._lines.narrow("")
            self._lines.select(entry)

    def say(self, note: Content) -> None:
        """Say why there is nothing; an empty note says nothing."""
        self._note.update(note)
        self.set_class(bool(note.plain), "-noted")

    def focus_list(self) -> None:
        """Put the focus on the list."""
        self._lines.focus()

    def find(self, entry: Entry) -> Entry | None:
        """The listed item that is the same as `entry`, or was before the lists were read again."""
        return self._lines.find(entry)

    def select(self, entry: Entry) -> bool:
        """Put the cursor on an item; whether it is among those shown."""
        return self._lines.select(entry)

    def open_filter(self) -> None:
        """Let the user type a filter."""
        self.add_class("-filtering")
        self._filter.focus()

    def close_filter(self) -> None:
        """Show everything again."""
        self._filter.value = ""
        self.remove_class("-filtering")
        self._lines.focus()

    @property
    def is_filtering(self) -> bool:
        """Whether the filter line is open."""
        return self.has_class("-filtering")

    @property
    def entry(self) -> Entry | None:
        """The item under the cursor."""
        return self._lines.entry

    @on(Input.Changed, "#filter")
    def narrow(self, event: Input.Changed) -> None:
        """Filter as the user types."""
        event.stop()
        self._lines.narrow(event.value)
        if event.value.strip() or self._lines.count:
            self.say(Content("" if self._lines.count else "No match. Esc clears the filter."))

    @on(Input.Submitted, "#filter")
    def keep_filter(self, event: Input.Submitted) -> None:
        """Enter leaves the filter on and goes to the list."""
        event.stop()
        self._lines.focus()

    @on(Lines.Moved)
    def wait_for_rest(self, event: Lines.Moved) -> None:
        event.stop()
        if self._settling is not None:
            self._settling.stop()
        entry = self._lines.entry
        self._explain()
        if entry is not None:
            self._settling = self.set_timer(_SETTLE_S, lambda: self.post_message(self.Rested(entry)))

    @on(Lines.Chosen)
    def tell_chosen(self, event: Lines.Chosen) -> None:
        """Enter on an item."""
        event.stop()
        if self._lines.entry is not None:
            self.post_message(self.Chosen(self._lines.entry))
