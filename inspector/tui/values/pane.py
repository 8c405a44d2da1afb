"""The lines of an outline: one side, or both next to each other with one cursor."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

from rich.cells import cell_len
from textual.actions import SkipAction
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message

from inspector.safe_text import safe_line
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.palette import PlayedScreen
from inspector.tui.keys.table import bindings
from inspector.tui.runtime.latest import Latest
from inspector.tui.text import content, shortened
from inspector.tui.values.outline import ABSENT, Outline, Side, SideDifference, Spot
from inspector.tui.values.rows import OutlineRows
from inspector.tui.values.search import Match, SearchAsked, matches, pattern_of
from inspector.tui.values.wrap import PieceKind, Span, row_text
from inspector.tui.widgets.lines import FOLDED, Lines, marked

SIGNS = 2
"""The width, in cells, of the sign and the blank in front of a side."""
_CURSOR = 1
_DIVIDER = "│"
_MANY = 4_000
"""The number of nodes above which rows are counted in a thread."""
_LEAST_SHOWN = 3
"""The minimum number of rows of the value under the cursor that are visible when an outline is first shown."""
_MOST_SEARCHED = 400
"""The maximum number of rows of a marked value that are searched for the marked part."""
_STYLES = {
    PieceKind.LABEL: "$text-primary",
    PieceKind.STRING: "$foreground",
    PieceKind.SCALAR: "$text-accent",
    PieceKind.PUNCTUATION: "$foreground 70%",
    PieceKind.CONTINUATION: "$foreground 70%",
}
_SIGN_STYLES = {
    SideDifference.NONE: "",
    SideDifference.LEFT: "bold $text-error",
    SideDifference.CHANGED: "bold $text-accent",
    SideDifference.RIGHT: "bold $text-accent",
    SideDifference.REACHES: "bold $text-error",
    SideDifference.QUIET: "$foreground 70%",
    SideDifference.BROKEN: "bold $text-error",
    SideDifference.UNDESCRIBED: "bold $text-warning",
    SideDifference.TO_MODEL: "bold $text-error",
}


class Shown(StrEnum):
    """The sides that are drawn."""

    LEFT = "left"
    RIGHT = "right"
    BOTH = "both"


_SIDES: dict[Shown, tuple[Side, ...]] = {Shown.LEFT: (0,), Shown.RIGHT: (1,), Shown.BOTH: (0, 1)}


class Remarks(Protocol):
    """Chooses the sign in front of each node, and the texts in place of absent values."""

    def sign(self, node: int) -> SideDifference:
        """The sign in front of a node."""
        ...

    def absences(self, node: int) -> Sequence[Content]:
        """The texts that can take the place of an absent value on the right side, the longest first."""
        ...


class OutlineLines(Lines):
    """Draws an outline.

    Only visible rows are drawn. The rows of a large outline are counted in a thread whenever the width
    changes.
    """

    # Rows are laid out before the scrollbar appears, so room is kept for it.
    DEFAULT_CSS = "OutlineLines { scrollbar-gutter: stable; }"
    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.VALUES)

    class Drawn(Message):
        """Posted when other rows are drawn: of another outline, at another width, or after something was folded or unfolded."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as every widget has it
        super().__init__(id=id)
        self._remarks: Remarks | None = None
        """The remarks on the rows that are drawn."""
        self._wanted_remarks: Remarks | None = None
        """The remarks on the outline whose rows are being counted."""
        self._shown = Shown.BOTH
        self._rows: OutlineRows | None = None
        self._wanted: Outline | None = None
        self._spot: Spot | None = None
        """The place to which the cursor goes once the rows are counted."""
        self._folded = frozenset[int]()
        self._is_opening = False
        """True if the outline is new, and the user has not moved the cursor since the outline is shown."""
        self._is_taking = False
        """True while the rows are replaced, which may move the cursor."""
        self._mark: tuple[str, str] | None = None
        self._marked = range(0)
        self._counts = Latest(self, _counted, self._take, self._could_not)
        self._searches = Latest(self, matches, self._take_matches, self._could_not_search)
        self._search = ""
        self._from = 0
        """The node at which the search began."""
        self._matches: tuple[Match, ...] = ()
        self._match = 0

    class SearchWanted(Message):
        """Posted when the user wants to search."""

    @dataclass
    class Searched(Message):
        """Posted when another match is shown, or when a search has found none."""

        number: int
        """The number of the match, from 1; 0 if there is none."""
        matches: int

    @property
    def rows(self) -> OutlineRows | None:
        """The rows that are drawn."""
        return self._rows

    @property
    def is_busy(self) -> bool:
        """True if rows are being counted that will be drawn."""
        return self._counts.is_busy

    async def idle(self) -> None:
        """Wait until no rows are being counted."""
        await self._counts.idle()

    @property
    def node(self) -> int | None:
        """The node under the cursor."""
        return self._rows.at(self.cursor).node if self._rows and self.count else None

    @property
    def pointer(self) -> str | None:
        """The JSON pointer to the node under the cursor."""
        node = self.node
        return self._rows.outline.pointer(node) if self._rows and node is not None else None

    @property
    def spot(self) -> Spot | None:
        """The place of the node under the cursor, to find it in another outline."""
        node = self.node
        return self._rows.outline.spot(node) if self._rows and node is not None else None

    @property
    def shown(self) -> Shown:
        """The sides that are drawn."""
        return self._shown

    def titles(self, left: Content, right: Content, *, key: str = "m: other side, both") -> Content:
        """The titles of the drawn sides, each above its side. The first cell is a margin.

        `key`: words about the key that draws the other side, shown when only one side is drawn.
        """
        if self._shown is not Shown.BOTH:
            title = right if self._shown is Shown.RIGHT else left
            return Content.assemble(title, content(f"   {key}", "$foreground 70%"))
        room = _CURSOR + SIGNS + self._widths()[0] - 1
        left = left.truncate(room, ellipsis=True)
        return Content.assemble(left, " " * (room - left.cell_length), f"{_DIVIDER} ", right)

    def show_outline(
        self,
        outline: Outline | None,
        remarks: Remarks | None = None,
        *,
        spot: Spot | None = None,
        folded: frozenset[int] = frozenset(),
        is_new: bool = False,
    ) -> None:
        """Draw another outline. `spot`: where the cursor goes; None for the first row.

        `folded`: the nodes that are folded. `is_new`: whether to begin at the top, if the value under the
        cursor is visible then.
        """
        self._wanted_remarks, self._wanted, self._spot = remarks, outline, spot
        self._is_opening = is_new
        self._matches = ()
        if outline is None:
            self._rows = self._remarks = None
            self.show_rows(0)
        else:
            self._folded = folded
            self._count(folded)

    def lead(self, outline: Outline, first: Spot | None, node: int) -> None:
        """Move the cursor to a node, unless the user has moved it from `first`, where `show_outline` put it."""
        if self._rows is not None and self._rows.outline is outline:
            if self.spot == first:
                self.go_to(node)
        elif self._wanted is outline and self._spot == first:
            self._spot = outline.spot(node)

    def remark(self, outline: Outline, remarks: Remarks) -> None:
        """Draw other signs and words in the rows of the same outline."""
        if outline is self._wanted:
            self._wanted_remarks = remarks
        if self._rows is not None and outline is self._rows.outline:
            self._remarks = remarks
            self.refresh()

    def show_sides(self, shown: Shown) -> None:
        """Draw one side or both."""
        if shown is not self._shown:
            self._shown = shown
            if self._spot is None:
                self._spot = self.spot
            if self._wanted is not None:
                self._count(self._folded)

    def go_to(self, node: int) -> None:
        """Move the cursor to a node, and unfold what is folded around it."""
        rows = self._rows
        if rows is None:
            return
        around = rows.outline.parent(node)
        while around >= 0:
            if around in rows.folded:
                rows = rows.with_fold(around)
            around = rows.outline.parent(around)
        if rows is not self._rows:
            self._rows, self._folded = rows, rows.folded
            self.show_rows(len(rows))
        self.cursor = rows.first(node)

    @property
    def is_on_mark(self) -> bool:
        """True if the cursor is on the marked value. Also true if nothing is marked."""
        node = self.node
        return not self._marked or (node is not None and node in self._marked)

    def mark(self, pointer: str | None, near: str = "") -> None:
        """Mark the value at `pointer`, and move to its row that shows `near`. None removes the mark.

        If there is no such value, the first row of the nearest value around its place is marked.
        """
        self._mark = (pointer, near) if pointer is not None else None
        self._place_mark()

    def _place_mark(self) -> None:
        rows = self._rows
        self._marked = range(0)
        if self._mark is not None and rows is not None:
            pointer, near = self._mark
            node = rows.outline.node_at(pointer)
            if node is not None:
                is_there = rows.outline.pointer(node) == pointer
                self._marked = range(node, max(rows.outline.end(node), node + 1) if is_there else node + 1)
                self.go_to(node)
                self.cursor = self._row_near(node, near)
                self.scroll_to(y=self.cursor - self.size.height // 3, animate=False)
        self.refresh()

    def _row_near(self, node: int, near: str) -> int:
        """The first row of the marked value that shows `near`; the first row of `node` if none does."""
        rows = self._rows
        if rows is None:
            return 0
        first = rows.first(node)
        shown = safe_line(near)
        for index in range(first, min(len(rows), first + _MOST_SEARCHED)) if shown else ():
            at = rows.at(index)
            if at.node not in self._marked:
                break
            if shown in row_text(
                rows.outline.side_row(at.node, 0, rows.widths[0] or rows.widths[1], at.number)
            ):
                return index
        return first

    def on_resize(self) -> None:
        """Count the rows for the new width. The cursor stays on its value."""
        rows = self._rows
        # If the outline was shown while this widget was hidden, its rows are not counted yet.
        is_drawn = rows is not None and rows.outline is self._wanted and rows.widths == self._widths()
        if self._wanted is not None and not is_drawn:
            if self._spot is None:
                self._spot = self.spot
            self._count(self._folded)
        super().on_resize()
        self._begin_at_top()

    def watch_cursor(self, before: int, after: int) -> None:
        """Scroll to the cursor. After the user has moved the cursor, it stays in view."""
        self._is_opening = self._is_opening and self._is_taking
        super().watch_cursor(before, after)

    def _begin_at_top(self) -> None:
        """Show the first rows of a new outline, or the first rows of the value under the cursor if it is further down."""
        rows, height = self._rows, self.scrollable_content_region.height
        if rows is None or not self._is_opening or not self.count or not height:
            return
        node = rows.at(self.cursor).node
        shown = min(max(rows.outline.height(node, rows.widths), 1), _LEAST_SHOWN, height)
        last = self.cursor + shown - 1
        self.scroll_to(y=max(last - height + 1, 0), animate=False, force=True)

    def row(self, index: int, width: int) -> Content:
        """The text of one row, with its signs."""
        rows = self._rows
        if rows is None or index >= len(rows):
            return Content("")
        at = rows.at(index)
        parts: list[Content] = [Content("▸" if index == self.cursor else " ")]
        folded = at.node in rows.folded
        names_key = folded and index == self.cursor
        for side in self._sides():
            if side and self._shown is Shown.BOTH:
                parts.append(Content.styled(_DIVIDER, "$foreground 30%"))
            parts.append(self._side(rows, at.node, at.number, side, folded=folded))
            if names_key and rows.outline.value(at.node, side) is not ABSENT:
                parts[-1] = self._with_key(parts[-1])
                names_key = False
        del width
        line = Content("").join(parts)
        if self._search:
            for found in pattern_of(self._search).finditer(line.plain):
                line = line.stylize("reverse", found.start(), found.end())
        return marked(line) if at.node in self._marked else line

    def action_fold(self) -> None:
        """Fold or unfold the value under the cursor.

        In a recording, Space plays instead.
        """
        if isinstance(self.screen, PlayedScreen):
            raise SkipAction
        self.action_fold_here()

    def action_fold_here(self) -> None:
        """Fold the value under the cursor, or the value around it; unfold a value that is folded."""
        node, rows = self.node, self._rows
        while node is not None and node >= 0 and rows is not None:
            if rows.outline.is_foldable(node):
                self._rows = rows.with_fold(node)
                self._folded = self._rows.folded
                self.show_rows(len(self._rows), self._rows.first(node))
                self.post_message(self.Drawn())
                return
            node = rows.outline.parent(node)
        self.notify("There is nothing to fold here.", markup=False)

    # Searching.

    def action_search(self) -> None:
        """Ask for the words to search for."""
        if self._wanted is not None:
            self._from = self.node or 0
            self.post_message(self.SearchWanted())

    def search(self, query: str) -> None:
        """Go to the first match of `query` at or after the node at which the search began.

        If there is none, go to the first match of all. "" ends the search.
        """
        self._search, self._matches = query, ()
        if self._wanted is not None:
            self._searches.ask(SearchAsked(self._wanted, self._sides(), query))
        self.refresh()

    @property
    def is_searched(self) -> bool:
        """True if the values are being searched for words. If so, `n` goes to the next match."""
        return bool(self._search)

    @property
    def has_matches(self) -> bool:
        """True if the words that are searched for were found."""
        return bool(self._matches)

    def next_match(self, step: int) -> None:
        """Go to the next or previous match, wrapping around at the ends.

        Shows a note if there is no match.
        """
        if self._matches:
            self._go_to_match((self._match + step) % len(self._matches))
        elif self._search:
            words = content(shortened(self._search, 60)).plain
            self.notify(f"No match for “{words}”. Esc closes the search.", markup=False)

    def _take_matches(self, asked: SearchAsked, found: tuple[Match, ...]) -> None:
        if asked.outline is not self._wanted or asked.query != self._search:
            return
        self._matches = found
        if found:
            after = (index for index, match in enumerate(found) if match.node >= self._from)
            self._go_to_match(next(after, 0))
        else:
            self.post_message(self.Searched(0, 0))

    def _go_to_match(self, index: int) -> None:
        rows, match = self._rows, self._matches[index]
        self._match = index
        self.post_message(self.Searched(index + 1, len(self._matches)))
        if rows is None or match.node >= len(rows.outline) or rows.outline is not self._wanted:
            return
        unfolded = rows.unfolded(match.node)
        if unfolded is not rows:
            self._rows = rows = unfolded
            self._folded = rows.folded
            self.show_rows(len(rows))
            self.post_message(self.Drawn())
        width = rows.widths[match.side]
        number = rows.outline.row_of(match.node, match.side, width, match.offset) if match.offset >= 0 else 0
        self.cursor = min(rows.first(match.node) + number, max(len(rows) - 1, 0))

    def _could_not_search(self, asked: SearchAsked, error: BaseException) -> None:
        del asked
        self.notify(
            f"The search failed ({type(error).__name__}): a defect of Sightline.",
            severity="error",
            markup=False,
        )

    # Drawing.

    def _sides(self) -> tuple[Side, ...]:
        if self._wanted is None or not self._wanted.is_pair:
            return (0,)
        return _SIDES[self._shown]

    def _widths(self) -> tuple[int, int]:
        room = max(self.scrollable_content_region.width - _CURSOR, 24)
        sides = self._sides()
        if len(sides) == 1:
            return (0, room - SIGNS) if sides[0] else (room - SIGNS, 0)
        left = (room - len(_DIVIDER)) // 2
        return left - SIGNS, room - len(_DIVIDER) - left - SIGNS

    def _with_key(self, line: Content) -> Content:
        """One side of a folded row, with the key that unfolds it if there is room."""
        words = f"  {'-' if isinstance(self.screen, PlayedScreen) else 'Space'} unfolds"
        text = line.rstrip()
        room = line.cell_length - text.cell_length - len(words)
        return Content.assemble(text, (words, "$foreground 70%"), " " * room) if room >= 0 else line

    def _side(self, rows: OutlineRows, node: int, number: int, side: Side, *, folded: bool) -> Content:
        outline, width = rows.outline, rows.widths[side]
        sign = self._remarks.sign(node) if self._remarks else outline.difference(node)
        spans = outline.side_row(node, side, width, number)
        if spans:
            is_shown = sign is not SideDifference.NONE and (
                not side or sign not in {SideDifference.LEFT, SideDifference.QUIET}
            )
            text = Content.assemble(*map(_styled, spans))
            if (
                sign is SideDifference.LEFT
                and not side
                and all(isinstance(kind, PieceKind) for _, kind in spans)
            ):
                text = text.stylize("$text-error")
            if folded and not number:
                text = Content.assemble(text, (f"  {FOLDED}", "$foreground 70%"))
        else:
            is_absent = bool(side) and outline.begins_absence(node)
            is_shown = is_absent and not number
            text = self._absent(rows, node, number) if is_absent else Content("")
        mark = Content.styled(f"{sign.value} ", _SIGN_STYLES[sign]) if is_shown else Content("  ")
        return Content.assemble(mark, text, " " * max(width - text.cell_length, 0))

    def _absent(self, rows: OutlineRows, node: int, number: int) -> Content:
        """Row `number` of the longest text about an absent value that fits; of the shortest if none fits.

        Next to another side, the text may take as many rows as the value there; alone, it has one row.
        """
        outline, width = rows.outline, rows.widths[1]
        is_alone = self._shown is Shown.RIGHT
        label = f"{outline.label(node)}  " if is_alone else ""
        indent = outline.indent(node, width)
        room = max(width - indent - cell_len(label), 1)
        found = [Content("┄ absent ┄")]
        if self._remarks:
            most = 1 if is_alone else max(outline.height(node, rows.widths), 1)
            texts = self._remarks.absences(node)
            wrapped = (text.wrap(room) for text in texts)
            found = next((rows for rows in wrapped if len(rows) <= most), [texts[-1]])
        if number >= len(found):
            return Content("")
        line = Content.assemble(" " * indent, (label, "$text-primary"), found[number])
        return line.truncate(width, ellipsis=True)

    # Counting.

    def _count(self, folded: frozenset[int]) -> None:
        outline = self._wanted
        if outline is None or not self.size.width:
            return
        if len(outline) <= _MANY:
            self._take((outline, self._widths(), folded), OutlineRows(outline, self._widths(), folded))
        else:
            self._counts.ask((outline, self._widths(), folded))

    def _take(self, asked: "_Asked", rows: OutlineRows) -> None:
        outline, widths, _ = asked
        if outline is not self._wanted or widths != self._widths():
            return
        spot, self._spot = self._spot, None
        node = rows.outline.nearest(spot) if spot is not None else None
        if node is not None:
            rows = rows.unfolded(node)
        self._rows, self._folded, self._remarks = rows, rows.folded, self._wanted_remarks
        self._is_taking = True
        self.show_rows(len(rows), rows.first(node) if node is not None else 0)
        self._is_taking = False
        self.reveal(self.cursor)
        self._begin_at_top()
        if self._mark is not None:
            self._place_mark()
        self.post_message(self.Drawn())

    def _could_not(self, asked: "_Asked", error: BaseException) -> None:
        del asked
        words = f"This value could not be laid out ({type(error).__name__}): a defect of Sightline."
        self.notify(words, severity="error", markup=False)


_Asked = tuple[Outline, tuple[int, int], frozenset[int]]


def _counted(asked: _Asked) -> OutlineRows:
    return OutlineRows(*asked)


def _styled(span: Span) -> tuple[str, str]:
    text, kind = span
    return text, _STYLES[kind] if isinstance(kind, PieceKind) else kind
