"""The tool pane: one item of the catalogue with its call, definition, claims and findings."""

from collections.abc import Mapping
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from inspector.protocol.catalogue import Item, Kind
from inspector.tui.call.entries import Entered
from inspector.tui.call.pane import CallPane
from inspector.tui.catalogue.item import ToolView, definition_line, title
from inspector.tui.claims.pane import ClaimsPane, no_claims
from inspector.tui.definition.pane import DefinitionPane
from inspector.tui.findings.pane import FindingsPane
from inspector.tui.findings.rows import FindingsView
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.tab_line import Tab, TabLine

TABS = (
    Tab(id="call", label="Call"),
    Tab(id="definition", label="Definition", short="Def."),
    Tab(id="claims", label="Claims"),
    Tab(id="findings", label="Findings", is_note_needed=True),
    Tab(id="history", label="History"),
)
"""The tabs. The last one opens a screen, because the history is about all tools."""


class ToolPane(Vertical):
    """Shows one item of the catalogue under four tabs; a fifth tab opens the history."""

    DEFAULT_CSS = """
    ToolPane {
        background: $surface;
        & > ContentSwitcher { height: 1fr; }
        & > #tool-title { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; background: $panel; }
        &.-empty > * { visibility: hidden; }
        &:focus-within > #tool-title, &:focus-within > TabLine { background: $primary 20%; }
    }
    """

    @dataclass
    class FindingsWanted(Message):
        """Posted to ask for findings, when another item or another result is shown."""

        view: ToolView
        of_result: tuple[Content, ...]
        """The remarks on the last result of the item."""

    class TabOpened(Message):
        """Posted when another tab is opened."""

    class HistoryAsked(Message):
        """Posted when the History tab is clicked."""

    def __init__(self) -> None:
        super().__init__(id="tool")
        self.tabs = TabLine(TABS)
        self.call = CallPane()
        self._title = PlainText(id="tool-title")
        self.definition = DefinitionPane()
        self._claims = ClaimsPane()
        self.findings = FindingsPane("findings")

    def compose(self) -> ComposeResult:
        """Yield the title, the tabs, and the pane of each tab."""
        yield self._title
        yield self.tabs
        with ContentSwitcher(initial="call"):
            yield self.call
            yield self.definition
            yield self._claims
            yield self.findings

    def show(self, view: ToolView, entered: Mapping[str, Entered], text: str | None) -> None:
        """Show another item.

        `entered`, `text`: what the user last wrote for its call, as fields and as JSON.
        """
        self.remove_class("-empty")
        self._title.update(title(view.entry))
        self.findings.clear()
        entry = view.entry
        skill = entry if isinstance(entry, Item) and entry.kind is Kind.SKILL else None
        self.definition.show_raw(view.definition, definition_line(view), skill)
        self.show_claims(view)
        self.call.show(view, entered, text)

    def clear(self) -> None:
        self.add_class("-empty")

    def show_claims(self, view: ToolView) -> None:
        """Update the claims, because a result may have added claims. The form stays as it is."""
        self._claims.show(view.badges, view.claims, no_claims(view.entry))
        self.tabs.annotate("claims", str(len(view.claims)) if view.claims else "")
        self.want_findings(view, ())

    def want_findings(self, view: ToolView, of_result: tuple[Content, ...]) -> None:
        """Post `FindingsWanted` for an item's definition and its last result."""
        self.post_message(self.FindingsWanted(view, of_result))

    def count_history(self, calls: int) -> None:
        """Show the number of calls of the shown tool in this run on the History tab."""
        self.tabs.annotate("history", f"{calls:,}" if calls else "")

    def show_findings(self, view: FindingsView) -> None:
        """Show the findings about the item."""
        counts = (f"{view.counting}" if view.counting else "", f"!{view.remarks}" if view.remarks else "")
        self.tabs.annotate("findings", " ".join(filter(None, counts)))
        self.findings.show(view)

    @property
    def tab(self) -> str:
        """The id of the open tab."""
        return self.tabs.active

    @property
    def is_in_findings(self) -> bool:
        """True if the cursor is on a finding that can be opened."""
        return self.tab == "findings" and self.findings.entry is not None

    def open_tab(self, tab: str) -> None:
        """Show a tab, without moving the focus into it."""
        self.tabs.active = tab
        self.query_one(ContentSwitcher).current = tab
        self.screen.post_message(self.TabOpened())

    def focus_tab(self, *, into_fields: bool = False) -> None:
        """Move the focus into the open tab.

        `into_fields`: true to focus the first field even if the call is from a recording. Otherwise, the line
        above the fields of a recorded call gets the focus. On that line, letters run commands.
        """
        if self.tab == "call":
            if into_fields or not self.call.is_recorded:
                self.call.focus_form()
            else:
                self.call.focus_line()
        else:
            target: dict[str, Widget] = {
                "definition": self.definition.lines,
                "claims": self._claims.query_one("#claim-lines"),
                "findings": self.findings.lines,
            }
            target[self.tab].focus()

    @on(TabLine.Changed)
    def change_tab(self, event: TabLine.Changed) -> None:
        """Show the tab that was clicked, or ask for the history."""
        event.stop()
        if event.tab == "history":
            self.post_message(self.HistoryAsked())
            return
        self.open_tab(event.tab)
        self.focus_tab()
