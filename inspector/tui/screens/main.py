"""The main screen: catalogue, tool, result, timeline."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea
from textual.worker import Worker, WorkerCancelled

from inspector.core.boundary.bounded import Level
from inspector.core.catalogue import Catalogue
from inspector.core.targets import Era, Target
from inspector.custody import Custody
from inspector.session import State
from inspector.tui.commands import Place, bindings
from inspector.tui.latest import Latest
from inspector.tui.messages import (
    CallAdvanced,
    CallFinished,
    CallStopped,
    ConnectionFailed,
    ListingReported,
    StateReported,
    TimelineGrew,
)
from inspector.tui.present.failure import FailureView, last_words
from inspector.tui.present.foreign import content, shortened
from inspector.tui.present.header import HeaderView
from inspector.tui.present.keys import Part, Situation, keys_now
from inspector.tui.screens.calling import Calling
from inspector.tui.screens.frame import FrameScreen, FramesWanted
from inspector.tui.screens.keeping import Keeper, Keeping
from inspector.tui.screens.link import Link, Opener
from inspector.tui.screens.looking import Looking
from inspector.tui.screens.making import (
    Rows,
    badge_letters,
    catalogue_rows,
    load,
)
from inspector.tui.widgets.call import CallPane
from inspector.tui.widgets.catalogue import CataloguePane
from inspector.tui.widgets.choice import ChoiceInput
from inspector.tui.widgets.failure import FailurePanel
from inspector.tui.widgets.header import HeaderLine
from inspector.tui.widgets.keys import KeyLine
from inspector.tui.widgets.result import ResultPane
from inspector.tui.widgets.timeline import TimelinePane
from inspector.tui.widgets.tool import ToolPane

if TYPE_CHECKING:
    from textual.timer import Timer

    from inspector.tui.screens.hosts import Lenses

_SETTLE_S = 0.08
"""How long the cursor must rest on an item before it is opened."""


class MainScreen(Screen[None], inherit_bindings=False):
    """Everything but what has a page of its own."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.MAIN)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual declares it so
    VERTICAL_BREAKPOINTS = [(0, "-short"), (34, "-tall")]  # noqa: RUF012

    def __init__(
        self,
        opener: Opener,
        target: Target,
        *,
        level: Level,
        host: str,
        copy_secret: Callable[[str], None] | None = None,
    ) -> None:
        """`copy_secret`: puts a secret on the clipboard; None where that is not allowed."""
        super().__init__()
        self._target = target
        self._copy_secret = copy_secret
        self._header = HeaderLine()
        self._failure = FailurePanel()
        self._catalogue = CataloguePane(badge_letters)
        self._tool = ToolPane()
        self._result = ResultPane()
        self._timeline = TimelinePane()
        self._keys = KeyLine()
        self._link = Link(opener, self)
        self._calling = Calling(self, self._link, self._tool.call, self._result, self._show_keys)
        self._listings = Latest(self, catalogue_rows, self._take_rows, self._could_not)
        self._keeping = Keeping(self, self._link, self._kept)
        self._looking = Looking(self, self._tool, self._result, self._calling, self._keeping, self._changed)
        self._looking.level = level
        self._looking.host = host
        self._settling: Timer | None = None
        self._life: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield self._header
        yield self._failure
        with Container(id="work"):
            yield self._catalogue
            yield self._tool
            yield self._result
        yield self._timeline
        yield self._keys

    def on_mount(self) -> None:
        """Paint first; only then load, and connect."""
        self._show_header()
        self._catalogue.focus_list()
        self._catalogue.say(content(f"Connecting to {shortened(str(self._target), 200)} …"))
        self._result.show_note(Content("No call yet. Choose a tool, fill in its form, press Enter."))
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self._life = self.run_worker(self._live(), group="connection")

    async def _live(self) -> None:
        if not self._looking.hosts:
            self._looking.hosts = await asyncio.to_thread(load)
        await self._link.live()

    async def _reconnect(self) -> None:
        await self.end()
        self._begin()

    async def end(self) -> None:
        """Close the connection, and wait until the server is gone."""
        life, self._life = self._life, None
        if life is not None and life.is_running:
            life.cancel()
            try:
                await life.wait()
            except WorkerCancelled:
                return

    # The session's news.

    @on(StateReported)
    def show_state(self, message: StateReported) -> None:
        """The session has another state."""
        event = message.event
        if event.state is State.FAILED:
            self._show_failure(FailureView(message=event.message, hint=event.hint, stderr=self._last_words()))
        elif event.state is not State.CLOSED:
            self._show_failure(None)
        if event.state is State.READY:
            for note in self._notes():
                self.notify(note, severity="warning", timeout=10, markup=False)
        self._changed()

    @on(ConnectionFailed)
    def show_connection_failed(self, message: ConnectionFailed) -> None:
        """No connection, or no list of tools."""
        self._show_failure(FailureView(message=message.message, hint=message.hint, stderr=self._last_words()))
        self._changed()

    @on(ListingReported)
    def show_listing(self, message: ListingReported) -> None:
        """The catalogue has grown, or is out of date."""
        if message.outdated:
            self.run_worker(self._link.relist(), group="listing", exclusive=True)
        elif self._link.session is not None:
            self._listings.ask(self._link.session.catalogue)

    @on(TimelineGrew)
    def show_timeline(self) -> None:
        """Something went over the wire."""
        if self._link.session is not None:
            self._timeline.show(self._link.session.timeline.entries)

    @on(CallAdvanced)
    def show_progress(self, message: CallAdvanced) -> None:
        """The running call says how far it is."""
        self._calling.advanced(message.progress)

    @on(CallFinished)
    def show_finished(self, message: CallFinished) -> None:
        """A call has ended with a record."""
        self._calling.ended()
        self._looking.finished(message.record)

    @on(CallStopped)
    def show_stopped(self, message: CallStopped) -> None:
        """A call has ended without one."""
        self._calling.stopped(message.reason)

    # What was made in threads.

    def _take_rows(self, asked: Catalogue, rows: Rows) -> None:
        del asked
        self._catalogue.show(rows)
        if not rows:
            self._catalogue.say(Content("The server lists nothing."))
        self._show_header()
        if rows:
            self.remove_class("-nothing")

    def _could_not(self, asked: Catalogue, error: BaseException) -> None:
        del asked
        words = f"The catalogue could not be shown ({type(error).__name__}): a defect of Sightline."
        self.notify(words, severity="error", markup=False)

    # What the user does.

    @on(CataloguePane.Highlighted)
    def settle(self, message: CataloguePane.Highlighted) -> None:
        """Open the item under the cursor once the cursor rests."""
        if self._settling is not None:
            self._settling.stop()
        if message.entry is not None:
            entry = message.entry
            self._settling = self.set_timer(_SETTLE_S, lambda: self._looking.open(entry))

    @on(CataloguePane.Chosen)
    def choose(self, message: CataloguePane.Chosen) -> None:
        """Open an item and go there."""
        self._looking.go_to(message.entry)

    @on(CallPane.Edited)
    def check(self, message: CallPane.Edited) -> None:
        """Arguments were written."""
        self._calling.edited(message)

    @on(CallPane.Submitted)
    def submit(self, message: CallPane.Submitted) -> None:
        """Enter in the form, or a button."""
        self._calling.submit(anyway=message.anyway)

    @on(CallPane.Switched)
    def switch(self) -> None:
        """The button for JSON, or for the form."""
        self._calling.toggle_json()

    @on(TimelinePane.Opened)
    def open_frames(self, message: TimelinePane.Opened) -> None:
        """Enter on an entry of the timeline."""
        session = self._link.session
        if session is not None:
            wanted = FramesWanted(
                entry=message.entry, frames=tuple(session.timeline.frames), catalogue=session.catalogue
            )
            self.app.push_screen(FrameScreen(wanted))  # pyright: ignore[reportUnknownMemberType]

    @on(events.DescendantFocus)
    def follow_focus(self) -> None:
        """The part with the focus gets more room; other keys apply."""
        self.set_class(self._result.has_focus_within, "-in-result")
        self._show_keys()

    def action_back(self) -> None:
        """Leave what has the focus; cancel a running call. Never quits."""
        if self._catalogue.is_filtering and self._catalogue.has_focus_within:
            self._catalogue.close_filter()
        elif self._calling.is_running:
            self._calling.cancel()
        elif self._tool.call.is_asking:
            self._tool.call.stop_asking()
        elif self._tool.definition.is_explaining:
            self._tool.definition.stop_explaining()
        elif self._result.is_explaining:
            self._result.stop_explaining()
        elif self._looking.comparing.is_on:
            self._looking.comparing.stop()
        elif self.has_class("-zoomed"):
            self.action_zoom()
        elif self.has_class("-long-timeline"):
            self.action_timeline()
        elif self._catalogue.is_filtering:
            self._catalogue.close_filter()
        else:
            self._catalogue.focus_list()

    def action_filter(self) -> None:
        """Type a filter."""
        self._unzoom_unless(self._catalogue)
        self._catalogue.open_filter()

    def action_submit(self) -> None:
        """Call the tool."""
        self._calling.submit(anyway=False)

    def action_send_anyway(self) -> None:
        """Call it with arguments that its schema does not allow."""
        self._calling.submit(anyway=True)

    def action_toggle_json(self) -> None:
        """Form or JSON."""
        self._tool.open_tab("call")
        self._calling.toggle_json()

    def action_repeat_call(self) -> None:
        """Call again what was called last."""
        self._calling.repeat()

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
        self._unzoom_unless(self._result)
        self._looking.compare()

    def action_compare_hosts(self) -> None:
        """One result through all hosts."""
        record = self._looking.record
        if record is None or not self.hosts:
            self.notify("There is no result yet. Call the tool, then compare the hosts.", markup=False)
            return
        from inspector.tui.screens.hosts import HostsScreen  # noqa: PLC0415 - it needs the core

        looking = self._looking
        screen = HostsScreen(record, level=looking.level, host=looking.host, hosts=len(self.hosts))
        self.app.push_screen(screen, self._take_lenses)  # pyright: ignore[reportUnknownMemberType]

    def action_secrets(self) -> None:
        """What is kept for the user."""
        from inspector.tui.screens.secrets import SecretsScreen  # noqa: PLC0415 - it needs the core

        self.app.push_screen(SecretsScreen(lambda: self.custody, self._copy_secret))  # pyright: ignore[reportUnknownMemberType]

    def action_page(self) -> None:
        """A page's tool as each knows it."""
        tool = self._looking.tool
        if tool is None or tool.page is None:
            self.notify(
                "Only tools of a page are declared, kept and told apart (web+http://…).", markup=False
            )
            return
        from inspector.tui.screens.page import PageScreen  # noqa: PLC0415 - few need it

        self.app.push_screen(PageScreen(tool))  # pyright: ignore[reportUnknownMemberType]

    @property
    def custody(self) -> Custody:
        """The secrets of the session in use."""
        return self._keeping.custody

    def _kept(self) -> None:
        self._show_keys()
        shown = self.app.screen  # pyright: ignore[reportUnknownMemberType]
        if isinstance(shown, Keeper):
            shown.news()

    def _take_lenses(self, chosen: "Lenses | None") -> None:
        if chosen is not None:
            self._looking.set_lenses(chosen.level, chosen.host)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host by its name; none while they are being loaded."""
        return self._looking.hosts

    def set_host(self, host: str) -> None:
        """Look at this host's model."""
        self._looking.set_host(host)

    def action_reconnect(self) -> None:
        """Start or reach the server anew. Closing may take its time: a worker waits for it."""
        self._calling.cancel()
        self.run_worker(self._reconnect(), group="reconnecting", exclusive=True)

    def action_timeline(self) -> None:
        """Enlarge the timeline, or make it small."""
        self.toggle_class("-long-timeline")
        if self.has_class("-long-timeline"):
            self._timeline.focus()
        elif self._timeline.has_focus:
            self._catalogue.focus_list()

    def action_copy_call(self) -> None:
        """Copy the call as a command."""
        self._calling.copy(self._target)

    def action_zoom(self) -> None:
        """Give one part the whole screen, or take it back."""
        parts: tuple[Widget, ...] = (self._catalogue, self._tool, self._result, self._timeline)
        was_zoomed = self.has_class("-zoomed")
        focused = next((part for part in parts if part.has_focus or part.has_focus_within), self._result)
        for part in parts:
            part.set_class(not was_zoomed and part is focused, "-alone")
        self.set_class(not was_zoomed, "-zoomed")
        self.set_class(not was_zoomed and focused is self._timeline, "-only-timeline")
        self._show_keys()

    def action_tab(self, tab: str) -> None:
        """One of the tool's tabs."""
        self._unzoom_unless(self._tool)
        self._tool.open_tab(tab)
        self._tool.focus_tab()

    # Drawing.

    def _changed(self) -> None:
        self._show_header()
        self._show_keys()

    def _show_header(self) -> None:
        session = self._link.session
        server = session.server if session else None
        listed = session is not None and bool(session.catalogue.entries)
        self._header.view = HeaderView(
            target=str(self._target),
            state=self._link.state,
            level=self._looking.level,
            host=self._looking.host,
            protocol=server.protocol_version if server else "",
            era=str(server.era) if server and server.era is not Era.AUTO else "",
            is_recorded=session is not None and session.is_recorded,
            tools=len(session.catalogue.tools) if session and listed else None,
        )

    def _show_failure(self, view: FailureView | None) -> None:
        self._failure.show(view)
        self.set_class(
            view is not None and not self._looking.has_records and not self._has_items(), "-nothing"
        )
        if view is not None and self.has_class("-nothing"):
            self._failure.focus()

    def _has_items(self) -> bool:
        session = self._link.session
        return session is not None and any(session.catalogue.entries.values())

    def _last_words(self) -> tuple[str, ...]:
        session = self._link.session
        return last_words(reversed(session.timeline.entries)) if session else ()

    def _notes(self) -> tuple[str, ...]:
        session = self._link.session
        return session.server.notes if session and session.server else ()

    def _show_keys(self) -> None:
        self._keys.offers = keys_now(
            Situation(
                part=self._part(),
                is_running=self._calling.is_running,
                is_ready=self._link.is_ready,
                is_wrong=self._tool.call.is_wrong,
                is_json=self._tool.call.is_json,
                has_called=self._calling.last is not None,
                has_differences=self._result.has_differences,
                is_comparing=self._looking.comparing.is_on,
                secrets=len(self.custody.vault),
            )
        )

    def _part(self) -> Part:
        focused = self.focused
        if isinstance(focused, (Input, TextArea, ChoiceInput)):
            return Part.FILTER if self._catalogue.has_focus_within else Part.INPUT
        if self._result.has_focus_within:
            return Part.RESULT
        if self._tool.has_focus_within:
            return {"call": Part.FORM, "definition": Part.DEFINITION}.get(self._tool.tab, Part.TOOL)
        if self._timeline.has_focus:
            return Part.TIMELINE
        return Part.FAILURE if self._failure.has_focus else Part.CATALOGUE

    def _unzoom_unless(self, part: Widget) -> None:
        if self.has_class("-zoomed") and not part.has_class("-alone"):
            self.action_zoom()
