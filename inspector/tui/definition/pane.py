"""The Definition tab: a definition as the server sent it, next to the part that the model gets.

A narrow tab shows only one of these sides.
"""

from dataclasses import dataclass
from typing import ClassVar

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from inspector.boundary.options import Level
from inspector.protocol.catalogue import Entry, Item
from inspector.protocol.links import skill_file_at
from inspector.tui.definition.view import DefinitionView, every_reason, given_title, measure_line, why_line
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.values.outline import Outline
from inspector.tui.values.pane import OutlineLines, Shown
from inspector.tui.values.searched import SearchedValues
from inspector.tui.widgets.lines import Lines
from inspector.tui.widgets.plain_text import PlainText

_LEAST_BESIDE = 72
"""The minimum width for both sides, in cells."""


class DefinitionMark(Struct, frozen=True, kw_only=True):
    """A place in a definition to mark, and a text about it, such as a finding."""

    pointer: str | None
    """A pointer to the place; None if the text is about the whole definition. No row is marked then."""
    words: Content
    near: str = ""
    """A part of the text at the place. The pane scrolls to it. Untrusted text."""


class DefinitionPane(Vertical):
    """Shows both sides of a definition, their sizes, and why the value under the cursor differs."""

    DEFAULT_CSS = """
    DefinitionPane {
        height: 1fr;
        & > PlainText { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & > #definition-line { background: $panel; height: auto; max-height: 3; text-wrap: wrap; }
        & > #definition-note { display: none; height: auto; max-height: 5; text-wrap: wrap; overflow-y: auto; }
        &.-noted > #definition-note { display: block; }
        &.-alone > #definition-sides, &.-alone > #definition-why { display: none; }
        &.-alone.-marked > #definition-why { display: block; }
        &.-explaining > #definition-why {
            height: auto; max-height: 60%; text-wrap: wrap; overflow-y: auto;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.DEFINITION)

    @dataclass
    class FileChosen(Message):
        """Posted when the user wants to read a file of a skill."""

        uri: str

    class KeysChanged(Message):
        """Posted when the keys that apply to the definition have changed."""

    def __init__(self) -> None:
        super().__init__(id="definition", classes="-alone")
        self._searched = SearchedValues("definition-values")
        self.values = self._searched.lines
        self._sides = PlainText(id="definition-sides")
        self._line = PlainText(id="definition-line")
        self._why = PlainText(id="definition-why")
        self._note = PlainText(id="definition-note")
        self._view: DefinitionView | None = None
        self._mark: DefinitionMark | None = None
        self._skill: Item | None = None
        self._chosen: Shown | None = None
        """The sides that the user chose; None to show as many as there is room for."""

    def compose(self) -> ComposeResult:
        """Yield the titles of both sides, their values, the sizes, the reason and a note."""
        yield self._sides
        yield self._searched
        yield self._line
        yield self._why
        yield self._note

    @property
    def lines(self) -> Lines:
        """The widget with the values of both sides. It takes the focus of the pane."""
        return self.values

    @property
    def use_of_enter(self) -> str:
        """The label of the key Enter: `close` while all reasons are shown, otherwise `why`."""
        return "close" if self.is_explaining else "why"

    @property
    def is_explaining(self) -> bool:
        """True if all reasons are shown."""
        return self.has_class("-explaining")

    def shows(self, entry: Entry, level: Level, host: str) -> bool:
        """True if the tab shows this item at this boundary level and for this host."""
        view = self._view
        return view is not None and view.tool is entry and (view.level, view.host) == (level, host)

    def show_raw(self, outline: Outline, line: Content, skill: Item | None = None) -> None:
        """Show only the definition as sent, with a line about it. `skill`: the skill whose files Enter reads."""
        self._view = None
        self._skill = skill
        self.add_class("-alone")
        self.remove_class("-explaining")
        self.mark(None)
        self.values.show_outline(outline)
        self._line.update(line)

    def note(self, words: Content) -> None:
        """Show a note about the whole definition below it. Empty text hides the note."""
        self._note.update(words)
        self.set_class(bool(words.plain), "-noted")

    def show(self, view: DefinitionView) -> None:
        """Show both sides. The cursor stays on its value if the tool is the same."""
        before, self._skill = self._view, None
        stays = before is None or before.tool is view.tool
        self._view = view
        self.remove_class("-alone")
        self._line.update(measure_line(view))
        spot = self.values.spot if stays else None
        self.values.show_outline(view.outline, view, spot=spot)
        self._choose_sides()
        self._go_to_mark()

    def mark(self, mark: DefinitionMark | None) -> None:
        """Highlight a place in what the server sent, and move the cursor there. None removes the highlight."""
        self._mark = mark
        self.set_class(mark is not None, "-marked")
        self._go_to_mark()
        self._explain()

    def on_resize(self) -> None:
        """Show both sides if there is room."""
        self._choose_sides()

    def action_difference(self, step: int) -> None:
        """Move to the next or previous difference; during a search, to the next or previous match."""
        if self.values.is_searched:
            self.values.next_match(step)
            return
        view, node = self._view, self.values.node
        tops = view.outline.tops if view else ()
        if view is None or not tops:
            words = (
                "Both sides are equal: the model gets the whole definition as sent. b changes the boundary."
                if view
                else "There is nothing to compare the definition with."
            )
            self.notify(words, markup=False)
            return
        here = -1 if node is None else node
        further = [top for top in tops if (top > here if step > 0 else top < here)]
        if further:
            self.values.go_to(further[0 if step > 0 else -1])
        else:
            self.notify(
                "No further difference below." if step > 0 else "No further difference above.", markup=False
            )

    def action_sides(self) -> None:
        """Switch between the definition as sent, the definition that the model gets, and both."""
        order = (Shown.LEFT, Shown.RIGHT, Shown.BOTH)
        self._chosen = order[(order.index(self.values.shown) + 1) % len(order)]
        self._choose_sides()

    @property
    def is_searched(self) -> bool:
        """True if a search is open."""
        return self._searched.is_searched

    @property
    def has_matches(self) -> bool:
        """True if the words that are searched for were found."""
        return self._searched.has_matches

    def stop_searching(self) -> None:
        self._searched.stop_searching()

    @on(Lines.Moved)
    def explain_moved(self, event: Lines.Moved) -> None:
        """Explain the value under the cursor."""
        event.stop()
        self._explain()

    @on(OutlineLines.Drawn)
    def mark_drawn(self, event: OutlineLines.Drawn) -> None:
        """Choose the sides to show, and explain the value under the cursor.

        Called after the outline has drawn other rows.
        """
        event.stop()
        self._choose_sides()
        self._explain()

    @on(Lines.Chosen)
    def explain_chosen(self, event: Lines.Chosen) -> None:
        """On Enter, read the file of a skill, or switch between one reason and all reasons."""
        event.stop()
        uri = skill_file_at(self._skill.definition, self.values.pointer or "") if self._skill else None
        if uri is not None:
            self.post_message(self.FileChosen(uri))
            return
        if self._view is not None or self._mark is not None:
            self.toggle_class("-explaining")
            self._explain()
            self.post_message(self.KeysChanged())

    def stop_explaining(self) -> None:
        """Show one reason again."""
        self.remove_class("-explaining")
        self._explain()

    def _choose_sides(self) -> None:
        if self._view is None:
            return
        has_room = self.size.width >= _LEAST_BESIDE
        shown = self._chosen or (Shown.BOTH if has_room else Shown.LEFT)
        self.values.show_sides(shown)
        titles = Content.styled("Server sent", "bold"), given_title(self._view)
        self._sides.update(self.values.titles(*titles))

    def _go_to_mark(self) -> None:
        mark = self._mark
        if mark is None:
            self.values.mark(None, "")
        else:
            self.values.mark(mark.pointer, mark.near)

    def _is_on(self, mark: DefinitionMark) -> bool:
        """True if the cursor is at the place of the mark.

        If the mark is about the whole definition, its place is the first row.
        """
        return self.values.is_on_mark if mark.pointer is not None else self.lines.cursor == 0

    def _explain(self) -> None:
        view, mark = self._view, self._mark
        if mark is not None and self._is_on(mark):
            self._why.update(mark.words)
        elif view is not None:
            words = every_reason if self.is_explaining else why_line
            self._why.update(words(view, self.values.node))
        else:
            self._why.update("")
