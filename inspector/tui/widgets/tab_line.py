"""A line of tabs, each with number, name and count."""

from dataclasses import dataclass
from typing import ClassVar

from msgspec import Struct
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


class Tab(Struct, frozen=True, kw_only=True):
    """One tab. Its texts are Sightline's own, not foreign."""

    id: str
    label: str
    note: str = ""
    """A count after the label."""

    @property
    def text(self) -> str:
        """The label with its count."""
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
        """Posted when another tab is chosen."""

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
        """The tabs in one line. A sign marks the active tab, so that it is visible without colour."""
        style = self.get_visual_style("tab-line--active")
        return Content("").join(
            Content.styled(text, style if tab.id == self.active else "$foreground 70%")
            for tab, text in zip(self.tabs, self._texts(), strict=True)
        )

    def _texts(self) -> list[str]:
        """The texts of the tabs as they are drawn.

        If there is too little room, inactive tabs lose their counts, then their spacing.
        """
        signs = ["▸" if tab.id == self.active else " " for tab in self.tabs]
        long = [
            f"{sign}{number} {tab.text} "
            for number, (sign, tab) in enumerate(zip(signs, self.tabs, strict=True), 1)
        ]
        short = [
            f"{sign}{number} {tab.text if tab.id == self.active else tab.label}"
            for number, (sign, tab) in enumerate(zip(signs, self.tabs, strict=True), 1)
        ]
        spaced = [f"{text} " for text in short]
        return next((texts for texts in (long, spaced) if sum(map(len, texts)) <= self.size.width), short)

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the mouse."""
        position = 0
        for tab, text in zip(self.tabs, self._texts(), strict=True):
            position += len(text)
            if event.x < position:
                self.post_message(self.Changed(tab.id))
                return
