"""The main screen: what its keys do."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual.binding import BindingType

from inspector.tui.keys.command import Place
from inspector.tui.keys.table import bindings
from inspector.tui.main.work import WorkScreen


class MainScreen(WorkScreen, inherit_bindings=False):
    """Everything but what has a page of its own."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.MAIN)

    def action_back(self) -> None:
        """Leave what has the focus; cancel a running call. Never quits."""
        if self._catalogue.is_filtering and self._catalogue.has_focus_within:
            self._catalogue.close_filter()
        elif self._calling.is_running:
            self._calling.cancel()
        elif self._tool.definition.is_explaining:
            self._tool.definition.stop_explaining()
        elif self._result.is_explaining:
            self._result.stop_explaining()
        elif self._looking.comparing.is_on:
            self._looking.comparing.stop()
        elif self._zooming.is_on:
            self.action_zoom()
        elif self._zooming.is_timeline_long:
            self.action_timeline()
        else:
            # A filter stays until Esc is pressed in the list.
            self._catalogue.focus_list()

    def action_filter(self) -> None:
        """Type a filter."""
        self._zooming.make_room_for(self._catalogue)
        self._catalogue.open_filter()

    def action_submit(self) -> None:
        """Call the tool."""
        self._behind_what_was_typed(partial(self._calling.submit, anyway=False))

    def action_send_anyway(self) -> None:
        """Call it with arguments that its schema does not allow."""
        self._behind_what_was_typed(partial(self._calling.submit, anyway=True))

    def action_toggle_json(self) -> None:
        """Form or JSON."""
        self._tool.open_tab("call")
        self._behind_what_was_typed(self._calling.toggle_json)

    def _behind_what_was_typed(self, do: Callable[[], None]) -> None:
        # These keys go before all others, also before what the focused input has not taken in yet.
        if self.focused is None or not self.focused.call_later(do):
            do()

    def action_repeat_call(self) -> None:
        """Call again what was called last."""
        self._calling.repeat()

    def action_submit_form(self) -> None:
        """Submit the form that the running call has filled in."""
        self._calling.submit_form()

    def action_cycle_level(self, step: int) -> None:
        """Another boundary."""
        self._looking.step_level(step)

    def action_cycle_host(self, step: int) -> None:
        """Another host."""
        if self.hosts:
            self._looking.step_host(step)
        else:
            self.notify("Hosts are still being loaded.", markup=False)

    def action_compare_models(self) -> None:
        """Two models of one result, or the raw result and one again."""
        self._zooming.make_room_for(self._result)
        self._looking.compare()

    def action_compare_hosts(self) -> None:
        """One result through all hosts."""
        self._visiting.hosts()

    def action_secrets(self) -> None:
        """What is kept for the user."""
        self._visiting.secrets()

    def action_findings(self) -> None:
        """All findings of the server."""
        self._findings.open_all()

    def action_trust(self) -> None:
        """What the agent session has taken in."""
        self._visiting.trust(self._deciding, str(self._target))

    def action_new_session(self) -> None:
        """Begin a new agent session, after asking."""
        self.run_worker(self._deciding.renew(), group="renewing", exclusive=True)

    def action_page(self) -> None:
        """A page's tool as each knows it."""
        self._visiting.page()

    def action_pins(self) -> None:
        """Whether the definitions are as they were pinned."""
        if self.HAS_PINS:
            self._visiting.pins(self._pinning)
        else:
            self.notify("Definitions are pinned where a server is connected.", markup=False)

    def action_record(self) -> None:
        """Start recording this session, or stop it."""
        self._recording.toggle(self._link.session, self._looking.level, self._looking.host)

    def action_export(self) -> None:
        """Write the session as a document."""
        self._recording.export(self._link.session, self._looking.level, self._looking.host)

    def action_reconnect(self) -> None:
        """Start or reach the server anew. Closing may take its time: a worker waits for it."""
        self._calling.cancel()
        self.run_worker(self._reconnect(), group="reconnecting", exclusive=True)

    def action_list_again(self) -> None:
        """Read every list again."""
        if self._link.is_ready:
            self.list_again()
        else:
            self.notify(f"There is no connection ({self._link.state}). R reconnects.", markup=False)

    def action_timeline(self) -> None:
        """Enlarge the timeline, or make it small."""
        if not self._zooming.toggle_timeline() and self._timeline.has_focus:
            self._catalogue.focus_list()

    def action_copy_call(self) -> None:
        """Copy the call as a command."""
        self._calling.copy(self._target)

    def action_zoom(self) -> None:
        """Give one part the whole screen, or take it back."""
        self._zooming.toggle()

    def action_tab(self, tab: str) -> None:
        """One of the tool's tabs."""
        self._zooming.make_room_for(self._tool)
        self._tool.open_tab(tab)
        self._tool.focus_tab()
