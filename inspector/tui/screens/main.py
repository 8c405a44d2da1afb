"""The main screen: catalogue, tool, result, timeline."""

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
from inspector.core.catalogue import Catalogue, Entry, Tool
from inspector.core.json_text import Malformed, equal
from inspector.core.targets import Target
from inspector.session import CallRecord, State
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
from inspector.tui.present.result import ResultView, result_findings
from inspector.tui.present.tool import ToolView
from inspector.tui.screens.calling import Calling
from inspector.tui.screens.frame import FrameScreen
from inspector.tui.screens.link import Link, Opener
from inspector.tui.screens.making import (
    ItemAsked,
    ResultAsked,
    Rows,
    badge_letters,
    catalogue_rows,
    load,
    result_view,
    tool_view,
)
from inspector.tui.widgets.call import CallPane
from inspector.tui.widgets.catalogue import CataloguePane
from inspector.tui.widgets.failure import FailurePanel
from inspector.tui.widgets.header import HeaderLine
from inspector.tui.widgets.keys import KeyLine
from inspector.tui.widgets.result import ResultPane
from inspector.tui.widgets.timeline import TimelinePane
from inspector.tui.widgets.tool import ToolPane

if TYPE_CHECKING:
    from textual.timer import Timer

_SETTLE_S = 0.08
"""How long the cursor must rest on an item before it is opened."""


class MainScreen(Screen[None], inherit_bindings=False):
    """Everything but what has a page of its own."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.MAIN)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual declares it so
    VERTICAL_BREAKPOINTS = [(0, "-short"), (34, "-tall")]  # noqa: RUF012

    def __init__(self, opener: Opener, target: Target, *, level: Level, host: str) -> None:
        super().__init__()
        self._target = target
        self._level = level
        self._host = host
        self._hosts: tuple[str, ...] = ()
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
        self._items = Latest(self, tool_view, self._take_item, self._could_not)
        self._results = Latest(self, result_view, self._take_result, self._withhold_result)
        self._records: dict[str, CallRecord] = {}
        self._item: ToolView | None = None
        self._chosen = False
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
        if not self._hosts:
            self._hosts = await self.run_worker(load, thread=True).wait()
        await self._link.live()

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
        self._show_header()
        self._show_keys()

    @on(ConnectionFailed)
    def show_connection_failed(self, message: ConnectionFailed) -> None:
        """No connection, or no list of tools."""
        self._show_failure(FailureView(message=message.message, hint=message.hint, stderr=self._last_words()))
        self._show_header()
        self._show_keys()

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
        record = message.record
        self._calling.ended()
        self._records[record.name] = record
        if self._item is not None and _name(self._item.entry) == record.name:
            self._look()
            self._items.ask(ItemAsked(entry=self._item.entry, record=record))
        else:
            self.notify(f"#{record.number} {shortened(record.name, 60)} has ended.", markup=False)

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

    def _take_item(self, asked: ItemAsked, view: ToolView) -> None:
        before, self._item = self._item, view
        if before is not None and _same(before.entry, asked.entry):
            self._tool.show_claims(view)
            self._show_findings()
        else:
            self._calling.leave_form()
            entered, text = self._calling.written(asked.entry)
            self._tool.show(view, entered, text)
            self._calling.enter_form(view)
            self._look()
        if self._chosen:
            self._chosen = False
            self._tool.focus_tab()
        self._show_keys()

    def _take_result(self, asked: ResultAsked, view: ResultView) -> None:
        if self._item is None or _name(self._item.entry) != asked.record.name:
            return
        self._result.show(view)
        self._show_findings()
        self._show_keys()

    def _show_findings(self) -> None:
        shown = self._result.view
        if self._item is not None:
            self._tool.show_findings(self._item, result_findings(shown) if shown else ())

    def _withhold_result(self, asked: ResultAsked, error: BaseException) -> None:
        del asked
        words = f"The result could not be judged ({type(error).__name__}), so all of it is withheld."
        self._result.show_note(content(f"{words} This is a defect of Sightline.", "$text-error"))

    def _could_not(self, asked: object, error: BaseException) -> None:
        del asked
        words = f"This could not be shown ({type(error).__name__}): a defect of Sightline."
        self.notify(words, severity="error", markup=False)

    # What the user does.

    @on(CataloguePane.Highlighted)
    def settle(self, message: CataloguePane.Highlighted) -> None:
        """Open the item under the cursor once the cursor rests."""
        if self._settling is not None:
            self._settling.stop()
        if message.entry is not None:
            entry = message.entry
            self._settling = self.set_timer(_SETTLE_S, lambda: self._open(entry))

    @on(CataloguePane.Chosen)
    def choose(self, message: CataloguePane.Chosen) -> None:
        """Open an item and go there."""
        self._tool.open_tab("call" if isinstance(message.entry, Tool) else "definition")
        if self._item is not None and self._item.entry is message.entry:
            self._tool.focus_tab()
        else:
            self._chosen = True
            self._open(message.entry)

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
            self.post_message(
                FrameScreen.Wanted(message.entry, tuple(session.timeline.frames), session.catalogue)
            )

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
        elif self._result.is_explaining:
            self._result.stop_explaining()
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
        levels = list(Level)
        self._level = levels[(levels.index(self._level) + step) % len(levels)]
        self._show_header()
        self._look()

    def action_cycle_host(self, step: int) -> None:
        """Another host."""
        if not self._hosts:
            self.notify("Hosts are still being loaded.", markup=False)
            return
        place = self._hosts.index(self._host) if self._host in self._hosts else 0
        self.set_host(self._hosts[(place + step) % len(self._hosts)])

    def set_host(self, host: str) -> None:
        """Look at this host's model."""
        self._host = host
        self._show_header()
        self._look()

    async def action_reconnect(self) -> None:
        """Start or reach the server anew."""
        self._calling.cancel()
        await self.end()
        self._begin()

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

    def _open(self, entry: Entry) -> None:
        if self._item is not None and self._item.entry is entry:
            return
        record = self._records.get(entry.name) if isinstance(entry, Tool) else None
        self._items.ask(ItemAsked(entry=entry, record=record))

    def _look(self) -> None:
        """Both panes follow the item and the lenses."""
        name = _name(self._item.entry) if self._item else ""
        record = self._records.get(name)
        if record is not None:
            self._results.ask(
                ResultAsked(record=record, level=self._level, host=self._host, chunk=self._result.room)
            )
        elif not self._calling.is_running:
            self._result.show_note(_nothing_called(self._item))

    def _show_header(self) -> None:
        session = self._link.session
        server = session.server if session else None
        listed = session is not None and bool(session.catalogue.entries)
        self._header.view = HeaderView(
            target=str(self._target),
            state=self._link.state,
            level=self._level,
            host=self._host,
            protocol=server.protocol_version if server else "",
            era=str(server.era) if server else "",
            tools=len(session.catalogue.tools) if session and listed else None,
        )

    def _show_failure(self, view: FailureView | None) -> None:
        self._failure.show(view)
        self.set_class(view is not None and not self._records and not self._has_items(), "-nothing")
        if view is not None and self.has_class("-nothing"):
            self._failure.focus()

    def _has_items(self) -> bool:
        session = self._link.session
        return session is not None and any(session.catalogue.entries.values())

    def _last_words(self) -> tuple[str, ...]:
        session = self._link.session
        return last_words(reversed(session.timeline.entries)) if session else ()

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
            )
        )

    def _part(self) -> Part:
        focused = self.focused
        if isinstance(focused, (Input, TextArea)):
            return Part.FILTER if self._catalogue.has_focus_within else Part.INPUT
        if self._result.has_focus_within:
            return Part.RESULT
        if self._tool.has_focus_within:
            return Part.FORM if self._tool.tab == "call" else Part.TOOL
        if self._timeline.has_focus:
            return Part.TIMELINE
        return Part.FAILURE if self._failure.has_focus else Part.CATALOGUE

    def _unzoom_unless(self, part: Widget) -> None:
        if self.has_class("-zoomed") and not part.has_class("-alone"):
            self.action_zoom()


def _name(entry: Entry) -> str:
    return entry.name or "" if isinstance(entry, Malformed) else entry.name


def _same(before: Entry, after: Entry) -> bool:
    """Whether a form for one is a form for the other."""
    if isinstance(before, Malformed) or isinstance(after, Malformed):
        return before is after
    return type(before) is type(after) and equal(before.definition, after.definition)


def _nothing_called(item: ToolView | None) -> Content:
    if item is None or not isinstance(item.entry, Tool):
        return Content("Results of calls appear here: raw on the left, what the model sees on the right.")
    return Content.assemble(
        content(shortened(item.entry.name, 120), "bold"), " has not been called. Enter in its form calls it."
    )
