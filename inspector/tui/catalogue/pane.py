"""The catalogue: a filter line above a list of everything that the servers offer."""

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
from textual.widgets import Input

from inspector.json.exact import Malformed
from inspector.protocol.catalogue import Entry, Item, Tool
from inspector.tui.catalogue.marks import RowMarks
from inspector.tui.catalogue.rows import (
    TOOLS,
    CatalogueRow,
    Group,
    ItemRow,
    ServerHeading,
    ServerRows,
    entry_line,
    group_line,
    is_counted,
    item_identity,
    marks_in_row,
    matching,
    server_line,
    whole_name,
    with_badges,
)
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.runtime.latest import Latest
from inspector.tui.widgets.lines import Lines
from inspector.tui.widgets.plain_text import PlainText

_SETTLE_S = 0.08
"""The time in seconds for which the cursor must rest on an item before it is opened."""

Marks = Callable[[int, Tool | Item], RowMarks]
"""Returns the marks of an item. Takes the number of the server and the item.

Called while rows are drawn, so it must return at once.
"""


@dataclass(frozen=True, slots=True)
class CatalogueSpot:
    """The item or the server under the cursor. `entry` is None on the heading of the server."""

    server: int
    entry: Entry | None


class CatalogueLines(Lines):
    """Shows the rows of the catalogue that match the filter."""

    def __init__(self, marks: Marks, servers: int) -> None:
        super().__init__(id="catalogue-lines")
        self._marks_of = marks
        self._marks: dict[int, RowMarks] = {}
        """The marks by the `id` of the item, because two items may have the same name."""
        self._all: list[tuple[ItemRow, ...]] = [()] * servers
        self._headings: list[ServerHeading] = []
        """The headings of the servers; empty if there is only one server."""
        self._shown: tuple[CatalogueRow, ...] = ()
        self._owners: tuple[int, ...] = ()
        """The number of the server of each row in `_shown`."""
        self._sizes: dict[tuple[int, str], int] = {}
        self._lacking = set(range(servers))
        """The numbers of the servers in whose rows the filter cannot search for badges yet."""
        self.remarks: dict[int, str] = {}
        """Remarks after the heading of the tools, by server. They are by Sightline, never untrusted text."""

    def take(self, server: int, found: tuple[ItemRow, ...], query: str) -> None:
        """Show what a server lists. The cursor stays on the same item if the server still lists that item."""
        spot = self.spot
        if spot == CatalogueSpot(server, None) and found and not self._all[server]:
            # The cursor was waiting on the heading of the server for its first item.
            spot = CatalogueSpot(server, found[0].entry)
        self._all[server] = found
        self._lacking.add(server)
        self._marks.clear()
        self._sizes = {key: size for key, size in self._sizes.items() if key[0] != server}
        for row in found:
            key = server, row.group
            self._sizes[key] = self._sizes.get(key, 0) + is_counted(row)
        self._show(query, spot)

    def head(self, headings: Sequence[ServerHeading], query: str) -> None:
        """Show the headings of the servers."""
        if [*headings] == self._headings:
            return
        is_first = not self._headings
        self._headings = [*headings]
        if is_first:
            self._show(query, self.spot)
        else:
            self.refresh()

    def refresh_marks(self) -> None:
        """Compute the marks of the visible rows again, because badges or findings have arrived."""
        self._marks.clear()
        self.refresh()

    def narrow(self, query: str, origin: CatalogueSpot | None) -> None:
        """Show the rows that match `query`, with the cursor on the best match.

        Without a query, the cursor goes to `origin`; if `origin` is None, the cursor stays on its item.
        """
        self._show(query, None if query.strip() else origin or self.spot)

    @property
    def without_badges(self) -> tuple[ServerRows, ...]:
        """The rows in which the filter cannot search for badges yet."""
        return tuple(
            ServerRows(server=server, rows=self._all[server])
            for server in sorted(self._lacking)
            if self._all[server]
        )

    @property
    def has_items(self) -> bool:
        """True if a server has listed anything, whether or not it matches the filter."""
        return any(self._all)

    def take_badges(self, asked: Sequence[ServerRows], made: Sequence[ServerRows], query: str) -> None:
        """Replace the rows in `asked` by those in `made`, which have badges, unless newer rows are known."""
        for before, after in zip(asked, made, strict=True):
            if self._all[before.server] is before.rows:
                self._all[before.server] = after.rows
                self._lacking.discard(before.server)
        self._show(query, self.spot)

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
            # The item is gone. An item of another server is no substitute, so the cursor moves to the
            # server's heading.
            place = self._place_of(CatalogueSpot(spot.server, None))
        self.show_rows(len(self._shown), self._first if place is None else place)
        self.reveal(self.cursor)
        self.post_message(self.Moved(self, self.cursor))

    @property
    def spot(self) -> CatalogueSpot | None:
        """The item or server under the cursor; None for the heading of a list."""
        found = self._shown[self.cursor] if self.cursor < len(self._shown) else None
        if found is None or isinstance(found, Group):
            return None
        return CatalogueSpot(self._owners[self.cursor], found.entry if isinstance(found, ItemRow) else None)

    @property
    def entry(self) -> Entry | None:
        """The item under the cursor; None if there is none."""
        spot = self.spot
        return spot.entry if spot is not None else None

    @property
    def _first(self) -> int:
        """The row of the first item, after the headings."""
        return next((index for index, row in enumerate(self._shown) if isinstance(row, ItemRow)), 0)

    def row(self, index: int, width: int) -> Content:
        """The row of a heading or an item."""
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
        """The name and the marks of the item under the cursor, unless its row shows them in full."""
        spot = self.spot
        if spot is None or spot.entry is None or isinstance(spot.entry, Malformed):
            return Content("")
        width = self.scrollable_content_region.width
        if not width:
            return Content("")
        marks = marks_in_row(spot.entry, self._marks_for(spot.server, spot.entry), width).legend
        if marks.plain:
            marks = Content.assemble(("▸ all: ", "$foreground 70%"), marks)
        return Content("\n").join(part for part in (whole_name(spot.entry, width), marks) if part.plain)

    def select(self, server: int, entry: Entry) -> bool:
        """Move the cursor to an item. Returns whether the item is shown."""
        place = self._place_of(CatalogueSpot(server, entry))
        if place is not None:
            self.cursor = place
        return place is not None

    def find(self, server: int, entry: Entry) -> Entry | None:
        """The listed item with the same identity as `entry`; None if there is none.

        `entry` may be from an earlier listing.
        """
        identity = item_identity(entry)
        return next((row.entry for row in self._all[server] if item_identity(row.entry) == identity), None)

    def action_move(self, step: int) -> None:
        """Move the cursor by `step`, skipping the headings of lists."""
        there = self.cursor + step
        if 0 <= there < len(self._shown) and isinstance(self._shown[there], Group):
            there += step
        if there >= (1 if self._shown and not self._headings else 0):
            self.cursor = there

    def reveal(self, index: int) -> None:
        """Scroll to a row. For the first item, also show the headings above it."""
        super().reveal(0 if index <= self._first else index)

    def action_first(self) -> None:
        """Move to the first item; with several servers, to the heading of the first server."""
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
        if isinstance(entry, Malformed):
            return RowMarks()
        found = self._marks.get(id(entry))
        if found is None:
            found = self._marks[id(entry)] = self._marks_of(server, entry)
        return found


class ServersLines(CatalogueLines):
    """Shows the rows of several servers."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.SERVERS)

    def action_server(self, step: int) -> None:
        """Move to the heading of the next or previous server, and show its items below it."""
        headings = [place for place, row in enumerate(self._shown) if isinstance(row, ServerHeading)]
        ahead = [place for place in headings if (place - self.cursor) * step > 0]
        if ahead:
            self.cursor = min(ahead, key=lambda place: abs(place - self.cursor))
            self.scroll_to(y=self.cursor, animate=False, force=True)


class CataloguePane(Vertical):
    """Shows everything that the servers offer, and the line that filters it."""

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
        """Posted when the cursor has rested on an item, or on the heading of a server."""

        spot: CatalogueSpot

    @dataclass
    class Chosen(Message):
        """Posted when the user chooses an item or a server."""

        spot: CatalogueSpot

    def __init__(self, marks: Marks, servers: int) -> None:
        super().__init__(id="catalogue")
        self._lines = (ServersLines if servers > 1 else CatalogueLines)(marks, servers)
        self._filter = Input(placeholder="filter: names, texts, badges", id="filter", compact=True)
        self._note = PlainText(id="catalogue-note")
        self._legend = PlainText(id="catalogue-legend")
        self._settling: Timer | None = None
        self._origin: CatalogueSpot | None = None
        """The item or server under the cursor when the filter was opened; None once a match is chosen."""
        self._badged = Latest(self, with_badges, self._take_badges, self._could_not)

    def compose(self) -> ComposeResult:
        """Yield the filter line, a note, the list and the legend."""
        yield self._filter
        yield self._note
        yield self._lines
        yield self._legend

    def on_resize(self) -> None:
        # The rows may have had no width so far.
        self.call_after_refresh(self._explain)

    def _explain(self) -> None:
        """Show the legend of the row under the cursor, below the list."""
        words = self._lines.legend
        self._legend.update(words)
        self.set_class(bool(words.plain), "-shortened")

    def section(self, server: int) -> "CatalogueSection":
        """The part of the catalogue for one server, by its number."""
        return CatalogueSection(self, self._lines, server)

    def head(self, headings: Sequence[ServerHeading]) -> None:
        """Show the headings of the servers."""
        self._lines.head(headings, self._filter.value)

    def show(self, server: int, found: tuple[ItemRow, ...]) -> None:
        """Show what a server has listed so far."""
        self._lines.take(server, found, self._filter.value)
        spot = self._lines.spot
        if found and (spot is None or spot.server == server):
            self.say(Content(""))
            self._say_matches()
        self._search_badges()

    def refresh_marks(self) -> None:
        """Update the marks of the tools, because badges or findings have arrived."""
        self._lines.refresh_marks()
        self._explain()

    def remark(self, server: int, words: str) -> None:
        """Show `words` after the heading of a server's tools."""
        if words != self._lines.remarks.get(server, ""):
            self._lines.remarks[server] = words
            self._lines.refresh()

    def go_to(self, server: int, entry: Entry) -> None:
        """Move the cursor to an item. A filter that hides it is closed."""
        if not self._lines.select(server, entry):
            self.close_filter()
            self._lines.select(server, entry)

    def say(self, note: Content) -> None:
        """Show a note, for example why there are no items. An empty note is hidden."""
        self._note.update(note)
        self.set_class(bool(note.plain), "-noted")

    @property
    def spot(self) -> CatalogueSpot | None:
        """The item or server under the cursor; None for the heading of a list."""
        return self._lines.spot

    def focus_list(self) -> None:
        self._lines.focus()

    def open_filter(self) -> None:
        """Open the filter line and focus it."""
        self._origin = self._lines.spot
        self.add_class("-filtering")
        self._filter.focus()

    def close_filter(self) -> None:
        """Clear the filter and show everything.

        The cursor returns to the item on which the filter was opened, unless the focus has moved to the list.
        """
        if not self._filter.has_focus:
            self._choose_match()
        with self.prevent(Input.Changed):
            self._filter.value = ""
        self._narrow()
        self.remove_class("-filtering")
        self._lines.focus()

    @property
    def lists_nothing(self) -> bool:
        """True if the list has no row, for example because nothing matches the filter."""
        return not self._lines.count

    @property
    def is_filtering(self) -> bool:
        """True if the filter line is open."""
        return self.has_class("-filtering")

    @on(Input.Changed, "#filter")
    def narrow(self, event: Input.Changed) -> None:
        """Filter while the user types."""
        event.stop()
        self._narrow()

    def _narrow(self) -> None:
        self._lines.narrow(self._filter.value, self._origin)
        self._search_badges()
        self._say_matches()

    def _say_matches(self) -> None:
        """Show a note if nothing matches the filter."""
        is_filtered = bool(self._filter.value.strip())
        if not self._lines.has_items:
            return
        if self._lines.count:
            self.say(Content(""))
        elif is_filtered and self._lines.without_badges:
            self.say(Content("Searching the badges …"))
        elif is_filtered:
            self.say(Content("No name, description or badge has these words. Esc clears the filter."))

    def _search_badges(self) -> None:
        """If there is a filter, have it search the badges too. They are computed only then, in a thread."""
        if not self._badged.is_busy:
            self._ask_badges()

    def _ask_badges(self) -> None:
        lacking = self._lines.without_badges if self._filter.value.strip() else ()
        if lacking:
            self._badged.ask(lacking)

    def _take_badges(self, asked: tuple[ServerRows, ...], made: tuple[ServerRows, ...]) -> None:
        self._lines.take_badges(asked, made, self._filter.value)
        # A server may have listed other items in the meantime.
        self._ask_badges()
        self._say_matches()

    def _could_not(self, asked: tuple[ServerRows, ...], error: BaseException) -> None:
        words = f"The filter does not search badges ({type(error).__name__}): a defect of Sightline."
        self.notify(words, severity="error", markup=False)
        self._take_badges(asked, asked)

    def _choose_match(self) -> None:
        """Let the cursor stay on its match, if there is one, when the filter is cleared later."""
        if self._lines.spot is not None:
            self._origin = None

    @on(Input.Submitted, "#filter")
    def keep_filter(self, event: Input.Submitted) -> None:
        """Keep the filter and focus the list, on Enter."""
        event.stop()
        self._choose_match()
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
        """Post `Chosen` for the item on which Enter was pressed."""
        event.stop()
        if self._lines.spot is not None:
            self.post_message(self.Chosen(self._lines.spot))


class CatalogueSection:
    """The part of the catalogue that belongs to one server."""

    def __init__(self, pane: CataloguePane, lines: CatalogueLines, server: int) -> None:
        self._pane = pane
        self._lines = lines
        self._server = server

    @property
    def entry(self) -> Entry | None:
        """The item under the cursor; None if it belongs to another server."""
        spot = self._lines.spot
        return spot.entry if spot is not None and spot.server == self._server else None

    def show(self, found: tuple[ItemRow, ...]) -> None:
        """Show what the server has listed so far."""
        self._pane.show(self._server, found)

    def find(self, entry: Entry) -> Entry | None:
        """The listed item with the same identity as `entry`; None if there is none.

        `entry` may be from an earlier listing.
        """
        return self._lines.find(self._server, entry)

    def select(self, entry: Entry) -> bool:
        """Move the cursor to an item. Returns whether the item is shown."""
        return self._lines.select(self._server, entry)

    def go_to(self, entry: Entry) -> None:
        """Move the cursor to an item. A filter that hides it is closed."""
        self._pane.go_to(self._server, entry)

    def say(self, note: Content) -> None:
        """Show a note, for example why there are no items. An empty note is hidden."""
        self._pane.say(note)

    def focus_list(self) -> None:
        self._pane.focus_list()
