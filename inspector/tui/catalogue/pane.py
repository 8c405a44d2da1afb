"""The catalogue: a filter line over a list of everything the server offers."""

from collections.abc import Callable, Sequence
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

from inspector.json.exact import Malformed
from inspector.protocol.catalogue import Entry, Tool
from inspector.tui.catalogue.marks import RowMarks
from inspector.tui.catalogue.rows import (
    TOOLS,
    CatalogueRow,
    Group,
    ItemRow,
    ServerHeading,
    entry_line,
    group_line,
    is_counted,
    item_identity,
    marks_in_row,
    matching,
    server_line,
    whole_name,
)
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.widgets.lines import Lines

_SETTLE_S = 0.08
"""How long the cursor must rest on an item before it is opened."""

Marks = Callable[[int, Tool], RowMarks]
"""The marks of a tool of a server, by its number. Called while rows are drawn, so it must only look things up."""


@dataclass(frozen=True, slots=True)
class CatalogueSpot:
    """What the cursor is on: an item of a server, or the heading of the server."""

    server: int
    entry: Entry | None


class CatalogueLines(Lines):
    """The rows of the catalogue that match the filter."""

    def __init__(self, marks: Marks, servers: int) -> None:
        super().__init__(id="catalogue-lines")
        self._marks_of = marks
        self._marks: dict[int, RowMarks] = {}
        """By the identity of an item, of which two may have one name."""
        self._all: list[tuple[ItemRow, ...]] = [()] * servers
        self._headings: list[ServerHeading] = []
        """None where there is one server."""
        self._shown: tuple[CatalogueRow, ...] = ()
        self._owners: tuple[int, ...] = ()
        """Of which server each of those rows is."""
        self._sizes: dict[tuple[int, str], int] = {}
        self._last: CatalogueSpot | None = None
        """The last item under the cursor: a filter without a match leaves none there."""
        self.remarks: dict[int, str] = {}
        """A remark behind the heading of the tools, by server. Holds no foreign text."""

    def take(self, server: int, found: tuple[ItemRow, ...], query: str) -> None:
        """Show what a server lists; the cursor stays on the item that it was on, where that is still there."""
        spot = self.spot
        if spot == CatalogueSpot(server, None) and found and not self._all[server]:
            # What was waited for on the heading of the server.
            spot = CatalogueSpot(server, found[0].entry)
        self._all[server] = found
        self._marks.clear()
        self._sizes = {key: size for key, size in self._sizes.items() if key[0] != server}
        for row in found:
            key = server, row.group
            self._sizes[key] = self._sizes.get(key, 0) + is_counted(row)
        self._show(query, spot)

    def head(self, headings: Sequence[ServerHeading], query: str) -> None:
        """Show the headings of several servers."""
        if [*headings] == self._headings:
            return
        is_first = not self._headings
        self._headings = [*headings]
        if is_first:
            self._show(query, self.spot)
        else:
            self.refresh()

    def judge(self) -> None:
        """What is known of the tools changed: badges are computed again for the rows that are seen."""
        self._marks.clear()
        self.refresh()

    def narrow(self, query: str) -> None:
        """Show the rows that match `query`, with the cursor on the best; without a query it stays on its item."""
        self._last = self.spot or self._last
        self._show(query, None if query.strip() else self._last)

    def _show(self, query: str, spot: CatalogueSpot | None) -> None:
        shown: list[CatalogueRow] = []
        owners: list[int] = []
        for server, rows in enumerate(self._all):
            name = self._headings[server].name.casefold() if self._headings else ""
            found: list[CatalogueRow] = [*matching(rows, query, name)]
            if self._headings and (found or all(word in name for word in query.casefold().split())):
                found = [self._headings[server], *found]
            shown += found
            owners += [server] * len(found)
        self._shown, self._owners = tuple(shown), tuple(owners)
        place = self._place_of(spot) if spot is not None else None
        if place is None and spot is not None:
            # What was there is gone: another server's items are no substitute.
            place = self._place_of(CatalogueSpot(spot.server, None))
        self.show_rows(len(self._shown), self._first if place is None else place)
        self.reveal(self.cursor)
        self.post_message(self.Moved(self, self.cursor))

    @property
    def spot(self) -> CatalogueSpot | None:
        """What is under the cursor; None for the heading of a list."""
        found = self._shown[self.cursor] if self.cursor < len(self._shown) else None
        if found is None or isinstance(found, Group):
            return None
        return CatalogueSpot(self._owners[self.cursor], found.entry if isinstance(found, ItemRow) else None)

    @property
    def entry(self) -> Entry | None:
        """The item under the cursor."""
        spot = self.spot
        return spot.entry if spot is not None else None

    @property
    def _first(self) -> int:
        """The first item, behind the headings."""
        return next((index for index, row in enumerate(self._shown) if isinstance(row, ItemRow)), 0)

    def row(self, index: int, width: int) -> Content:
        """A heading or an item."""
        found, server = self._shown[index], self._owners[index]
        if isinstance(found, ServerHeading):
            return server_line(self._headings[server], width, here=index == self.cursor)
        if isinstance(found, Group):
            line = group_line(found, self._sizes.get((server, found.key), found.size))
            remark = self.remarks.get(server)
            if found.key != TOOLS or not remark:
                return line
            return Content.assemble(line, (f"  {remark}", "$foreground 70%")).truncate(width, ellipsis=True)
        marks = self._marks_for(server, found.entry)
        return entry_line(found.entry, marks, width, here=index == self.cursor)

    @property
    def legend(self) -> Content:
        """Of the item under the cursor the whole name, and all marks in words, where its row has no room for them."""
        spot = self.spot
        if spot is None or spot.entry is None or isinstance(spot.entry, Malformed):
            return Content("")
        width = self.scrollable_content_region.width
        marks = marks_in_row(spot.entry, self._marks_for(spot.server, spot.entry), width).legend
        return Content("\n").join(part for part in (whole_name(spot.entry, width), marks) if part.plain)

    def select(self, server: int, entry: Entry) -> bool:
        """Put the cursor on an item; whether it is among those shown."""
        place = self._place_of(CatalogueSpot(server, entry))
        if place is not None:
            self.cursor = place
        return place is not None

    def find(self, server: int, entry: Entry) -> Entry | None:
        """The listed item that is the same as `entry`, or was before the lists were read again."""
        identity = item_identity(entry)
        return next((row.entry for row in self._all[server] if item_identity(row.entry) == identity), None)

    def action_move(self, step: int) -> None:
        """Headings of lists are stepped over."""
        there = self.cursor + step
        if 0 <= there < len(self._shown) and isinstance(self._shown[there], Group):
            there += step
        if there >= (1 if self._shown and not self._headings else 0):
            self.cursor = there

    def reveal(self, index: int) -> None:
        """The first item is seen with its headings."""
        super().reveal(0 if index <= self._first else index)

    def action_first(self) -> None:
        """The first item; with several servers, the heading of the first."""
        self.cursor = 0 if self._headings else 1

    def _place_of(self, spot: CatalogueSpot) -> int | None:
        identity = item_identity(spot.entry) if spot.entry is not None else None
        for index, (row, server) in enumerate(zip(self._shown, self._owners, strict=True)):
            if server != spot.server:
                continue
            if identity is None and isinstance(row, ServerHeading):
                return index
            if identity is not None and isinstance(row, ItemRow) and item_identity(row.entry) == identity:
                return index
        return None

    def _marks_for(self, server: int, entry: Entry) -> RowMarks:
        if not isinstance(entry, Tool):
            return RowMarks()
        found = self._marks.get(id(entry))
        if found is None:
            found = self._marks[id(entry)] = self._marks_of(server, entry)
        return found


class ServersLines(CatalogueLines):
    """The rows of several servers."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.SERVERS)

    def action_server(self, step: int) -> None:
        """To the heading of the next server, or of the one before."""
        headings = [place for place, row in enumerate(self._shown) if isinstance(row, ServerHeading)]
        ahead = [place for place in headings if (place - self.cursor) * step > 0]
        if ahead:
            self.cursor = min(ahead, key=lambda place: abs(place - self.cursor))


class CataloguePane(Vertical):
    """Everything the servers offer, and the line that filters it."""

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
        & > #catalogue-legend { display: none; height: auto; max-height: 3; padding: 0 1; background: $panel; }
        &.-shortened > #catalogue-legend { display: block; }
    }
    """

    @dataclass
    class Rested(Message):
        """The cursor has rested on an item, or on the heading of a server."""

        spot: CatalogueSpot

    @dataclass
    class Chosen(Message):
        """The user wants to work with this item, or with this server."""

        spot: CatalogueSpot

    def __init__(self, marks: Marks, servers: int) -> None:
        super().__init__(id="catalogue")
        self._lines = (ServersLines if servers > 1 else CatalogueLines)(marks, servers)
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
        """Below the list, what the row under the cursor has no room for."""
        words = self._lines.legend
        if words.is_same(self._explained):
            # Another text lays the whole screen out again.
            return
        self._explained = words
        self._legend.update(words)
        self.set_class(bool(words.plain), "-shortened")

    def section(self, server: int) -> "CatalogueSection":
        """The part of one server, by its number."""
        return CatalogueSection(self, self._lines, server)

    def head(self, headings: Sequence[ServerHeading]) -> None:
        """Show the headings of several servers."""
        self._lines.head(headings, self._filter.value)

    def show(self, server: int, found: tuple[ItemRow, ...]) -> None:
        """Show what a server has listed so far."""
        self._lines.take(server, found, self._filter.value)
        spot = self._lines.spot
        if found and (spot is None or spot.server == server):
            self.say(Content(""))

    def judge(self) -> None:
        """Other things are known of the tools."""
        self._lines.judge()
        self._explain()

    def remark(self, server: int, words: str) -> None:
        """Put `words` behind the heading of the tools of a server."""
        if words != self._lines.remarks.get(server, ""):
            self._lines.remarks[server] = words
            self._lines.refresh()

    def go_to(self, server: int, entry: Entry) -> None:
        """Put the cursor on an item; a filter that hides it is taken off."""
        if not self._lines.select(server, entry):
            self.close_filter()
            self._lines.narrow("")
            self._lines.select(server, entry)

    def say(self, note: Content) -> None:
        """Say why there is nothing; an empty note says nothing."""
        self._note.update(note)
        self.set_class(bool(note.plain), "-noted")

    def focus_list(self) -> None:
        """Put the focus on the list."""
        self._lines.focus()

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
        spot = self._lines.spot
        self._explain()
        if spot is not None:
            self._settling = self.set_timer(_SETTLE_S, lambda: self.post_message(self.Rested(spot)))

    @on(Lines.Chosen)
    def tell_chosen(self, event: Lines.Chosen) -> None:
        """Enter on an item."""
        event.stop()
        if self._lines.spot is not None:
            self.post_message(self.Chosen(self._lines.spot))


class CatalogueSection:
    """What one server offers, in the catalogue."""

    def __init__(self, pane: CataloguePane, lines: CatalogueLines, server: int) -> None:
        self._pane = pane
        self._lines = lines
        self._server = server

    @property
    def entry(self) -> Entry | None:
        """The item under the cursor, where it is of this server."""
        spot = self._lines.spot
        return spot.entry if spot is not None and spot.server == self._server else None

    def show(self, found: tuple[ItemRow, ...]) -> None:
        """Show what has been listed so far."""
        self._pane.show(self._server, found)

    def find(self, entry: Entry) -> Entry | None:
        """The listed item that is the same as `entry`, or was before the lists were read again."""
        return self._lines.find(self._server, entry)

    def select(self, entry: Entry) -> bool:
        """Put the cursor on an item; whether it is among those shown."""
        return self._lines.select(self._server, entry)

    def go_to(self, entry: Entry) -> None:
        """Put the cursor on an item; a filter that hides it is taken off."""
        self._pane.go_to(self._server, entry)

    def say(self, note: Content) -> None:
        """Say why there is nothing; an empty note says nothing."""
        self._pane.say(note)

    def focus_list(self) -> None:
        """Put the focus on the list."""
        self._pane.focus_list()
