"""Tabs on one line: number, name, count."""

from dataclasses import dataclass
from typing import ClassVar

from msgspec import Struct
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


class Tab(Struct, frozen=True, kw_only=True):
    """One tab. Its words are ours."""

    id: str
    label: str
    note: str = ""
    """A count behind the label."""

    @property
    def text(self) -> str:
        """As it is written, without room around it."""
        return f"{self.label} {self.note}".strip()


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
        """Another tab is wanted."""

        tab: str

    def __init__(self, tabs: tuple[Tab, ...]) -> None:
        super().__init__()
        self.set_reactive(TabLine.tabs, tabs)
        self.set_reactive(TabLine.active, tabs[0].id)

    def annotate(self, tab_id: str, note: str) -> None:
        """Set the count behind a tab's label."""
        self.tabs = tuple(
            Tab(id=tab.id, label=tab.label, note=note if tab.id == tab_id else tab.note) for tab in self.tabs
        )

    def render(self) -> Content:
        """The tabs in one line. A sign marks the active tab, also without colour."""
        style = self.get_visual_style("tab-line--active")
        parts: list[tuple[str, str] | tuple[str, object] | str] = []
        narrow = sum(len(tab.text) + 4 for tab in self.tabs) > self.size.width
        for number, tab in enumerate(self.tabs, 1):
            text = tab.label if narrow and tab.id != self.active else tab.text
            if tab.id == self.active:
                parts.append((f"▸{number} {text} ", style))
            else:
                parts.append((f" {number} {text} ", "$foreground 70%"))
        return Content.assemble(*parts)  # pyright: ignore[reportArgumentType]

    def on_click(self, event: events.Click) -> None:
        """The tab under the mouse."""
        position = 0
        for number, tab in enumerate(self.tabs, 1):
            position += len(f" {number} {tab.text} ")
            if event.x < position:
                self.post_message(self.Changed(tab.id))
                return
