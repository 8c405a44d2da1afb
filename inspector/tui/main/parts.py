"""The parts of the main screen, for the modules beside it that work with several of them."""

from dataclasses import dataclass

from textual.screen import Screen

from inspector.tui.catalogue.pane import CataloguePane
from inspector.tui.connection.failure import FailurePanel
from inspector.tui.main.layout import ScreenLayout
from inspector.tui.main.servers import ServerParts, Servers
from inspector.tui.main.tool_pane import ToolPane
from inspector.tui.result.pane import ResultPane
from inspector.tui.timeline.pane import TimelineFilter, TimelinePane


@dataclass(frozen=True, slots=True, kw_only=True)
class MainParts:
    """The main screen, its panes, and its servers."""

    screen: Screen[None]
    catalogue: CataloguePane
    tool: ToolPane
    result: ResultPane
    timeline: TimelinePane
    timeline_filter: TimelineFilter | None
    """The filter of the timeline; None for a recording, whose timeline is not filtered."""
    failure: FailurePanel
    room: ScreenLayout
    servers: Servers

    @property
    def server(self) -> ServerParts:
        """The server of the selected item."""
        return self.servers.shown

    @property
    def is_result_shown(self) -> bool:
        """True if a result is on the screen."""
        return self.result.view is not None and self.result.display and self.room.work.display
