"""A line of tabs, each with its number, its name and a count."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


class Tab(Struct, frozen=True, kw_only=True):
    """One tab. Its texts are by Sightline, never untrusted text."""

    id: str
    label: str
    short: str = ""
    """A shorter label, which is used if there is little room and another tab is open; empty for the same label."""
    note: str = ""
    """A count after the label."""
    is_note_needed: bool = False
    """True if the count is left out last when there is little room."""


def tab_texts(tabs: Sequence[Tab], active: str, width: int) -> list[str]:
    """The text of each tab, in `width` cells if possible.

    If there is little room, labels are shortened first, then counts are left out, then labels.
    """
    *longer, barest = _forms(tabs, active)
    return next((texts for texts in longer if sum(map(len, texts)) <= width), barest)


def _forms(tabs: Sequence[Tab], active: str) -> Iterator[list[str]]:
    """The texts of all tabs in different lengths, the longest first."""
    labels = [tab.label for tab in tabs]
    shorter = [tab.label if tab.id == active else tab.short or tab.label for tab in tabs]
    bare = [tab.label if tab.id == active else "" for tab in tabs]
    notes = [tab.note for tab in tabs]
    needed = [tab.note if tab.is_note_needed else "" for tab in tabs]
    none = [""] * len(tabs)

    def written(labels: Sequence[str], notes: Sequence[str], between: str = "│") -> list[str]:
        return [
            f"{'▸' if tab.id == active else between}{number} {label} {note}".rstrip()
            for number, (tab, label, note) in enumerate(zip(tabs, labels, notes, strict=True), 1)
        ]

    yield [f"{text} " for text in written(labels, notes, " ")]
    for form in ((labels, notes), (shorter, notes), (shorter, needed), (shorter, none), (bare, none)):
        yield written(*form)


class TabLine(Widget):
    """A line of tabs. Number keys and the mouse switch between them."""

    DEFAULT_CSS = """
    TabLine {
        height: 1;
        background: $panel;
        & > .tab-line--active { background: $surface; color: $foreground; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"tab-line--active"}

    tabs: reactive[tuple[Tab, ...]] = reactive(())
    active: reactive[str] = reactive("")

    @dataclass
    class Changed(Message):
        """Posted when another tab is chosen."""

        tab: str

    def __init__(self, tabs: tuple[Tab, ...]) -> None:
        super().__init__()
        self.set_reactive(TabLine.tabs, tabs)
        self.set_reactive(TabLine.active, tabs[0].id)

    def leave_out(self, tab_id: str) -> None:
        """Show the tabs without this one."""
        self.tabs = tuple(tab for tab in self.tabs if tab.id != tab_id)

    def annotate(self, tab_id: str, note: str) -> None:
        """Set the count behind a tab's label."""
        self.tabs = tuple(replace(tab, note=note if tab.id == tab_id else tab.note) for tab in self.tabs)

    def render(self) -> Content:
        """The tabs in one line. A sign marks the active tab, so that it is visible without colour."""
        style = self.get_visual_style("tab-line--active")
        return Content("").join(
            Content.styled(text, style if tab.id == self.active else "$foreground 70%")
            for tab, text in zip(self.tabs, self._texts(), strict=True)
        )

    def _texts(self) -> list[str]:
        return tab_texts(self.tabs, self.active, self.size.width)

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the mouse."""
        position = 0
        for tab, text in zip(self.tabs, self._texts(), strict=True):
            position += len(text)
            if event.x < position:
                self.post_message(self.Changed(tab.id))
                return
