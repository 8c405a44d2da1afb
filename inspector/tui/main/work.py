"""The panes of the main screen: catalogue, tool, result, timeline, and how they follow the session."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, TextArea
from textual.worker import Worker, WorkerCancelled

from inspector.boundary.bounded import Level
from inspector.protocol.catalogue import Catalogue, Tool
from inspector.protocol.catalogue import Entry as CatalogueEntry
from inspector.protocol.targets import Era, PageTarget, Target
from inspector.protocol.timeline import Entry
from inspector.secrets.session import Custody
from inspector.session.events import State
from inspector.tui.call.pane import CallPane
from inspector.tui.call.runner import Calling
from inspector.tui.catalogue.badges import Lettering
from inspector.tui.catalogue.pane import CataloguePane
from inspector.tui.catalogue.rows import Rows, rows
from inspector.tui.connection.connection import (
    CallAdvanced,
    CallFinished,
    CallStopped,
    ConnectionFailed,
    Link,
    ListingReported,
    Opener,
    StateReported,
    TimelineGrew,
)
from inspector.tui.connection.failure import FailurePanel, FailureView
from inspector.tui.findings.pane import FindingsPane
from inspector.tui.findings.reviewer import Reviewer
from inspector.tui.keys.footer import KeyLine, Part, Situation, keys_now
from inspector.tui.main.header import HeaderLine, HeaderView
from inspector.tui.main.layout import Zooming
from inspector.tui.main.loading import host_names
from inspector.tui.main.places import FindingPlaces, FindingVisits
from inspector.tui.main.selection import Looking
from inspector.tui.main.tool_pane import ToolPane
from inspector.tui.main.visits import Visiting
from inspector.tui.page.screen import gone_note
from inspector.tui.pins.watcher import PinWatcher
from inspector.tui.policy.gate import PolicyGate
from inspector.tui.recording.recorder import SessionRecorder
from inspector.tui.result.pane import ResultPane
from inspector.tui.runtime.latest import Latest
from inspector.tui.secrets.keeper import VaultKeeper
from inspector.tui.text import content, shortened
from inspector.tui.timeline.pane import TimelinePane
from inspector.tui.widgets.choice import ChoiceInput

if TYPE_CHECKING:
    from textual.timer import Timer

    from inspector.policy.gate.agreement import Terms

_SETTLE_S = 0.08
"""How long the cursor must rest on an item before it is opened."""


class WorkScreen(Screen[None], inherit_bindings=False):
    """The panes and whoever fills them. What keys do is with whoever has the keys."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual declares it so
    VERTICAL_BREAKPOINTS = [(0, "-short"), (34, "-tall")]  # noqa: RUF012
    # What is otherwise where a recording stands in the place of a server.
    CALLING: ClassVar[type[Calling]] = Calling
    TIMELINE: ClassVar[type[TimelinePane]] = TimelinePane
    OPENING: ClassVar[str] = "Connecting to"
    HAS_PINS: ClassVar[bool] = True
    NO_CALL: ClassVar[str] = "No call yet. Choose a tool, fill in its form, press Enter."

    def __init__(
        self,
        opener: Opener,
        target: Target,
        *,
        level: Level,
        host: str,
        copy_secret: Callable[[str], None] | None = None,
        terms: "Terms | None" = None,
    ) -> None:
        """`copy_secret`: puts a secret on the clipboard; None where that is not allowed. `terms`: what decides on calls."""
        super().__init__()
        self._target = target
        self._outlived: Tool | None = None
        """The tool that is open and listed no more."""
        self._passed_over: CatalogueEntry | None = None
        """Where the cursor came to stand when that was gone."""
        self._header = HeaderLine()
        self._failure = FailurePanel()
        self._catalogue = CataloguePane(self._letters)
        self._lettering = Lettering(self, self._catalogue.judge)
        self._tool = ToolPane()
        self._result = ResultPane()
        self._timeline = self.TIMELINE()
        self._keys = KeyLine()
        self._recording = SessionRecorder(self, opener, target, self._changed)
        self._link = Link(self._recording.opened, self)
        self._calling = self.CALLING(
            self, self._link, self._tool.call, self._result, self._show_keys, self._no_result
        )
        self._pinning = PinWatcher(self, self._link, target, self._pins_changed)
        self._listings = Latest(self, rows, self._take_rows, self._could_not)
        self._keeping = VaultKeeper(self, self._link, self._kept)
        self._looking = Looking(self, self._tool, self._result, self._calling, self._keeping, self._changed)
        self._deciding = PolicyGate(self, terms, self._show_header, self._calling.hold, self._looking.amend)
        self._link.decide_by(self._deciding, self._pinning.asks)
        self._visiting = Visiting(self, self._link, self._looking, self._keeping, copy_secret)
        self._reviewing = Reviewer(
            self, self._link, self._tool.show_findings, target, self._judged, self._looking.idle
        )
        places = FindingPlaces(self, self._link, self._looking, self._catalogue, self._visiting.frames)
        self._findings = FindingVisits(self, self._reviewing, places, target)
        parts = (self._catalogue, self._tool, self._result, self._timeline)
        self._zooming = Zooming(self, parts, self._timeline, self._show_keys)
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
        yield from self.above_keys()
        yield self._keys

    def above_keys(self) -> ComposeResult:
        """What stands between the timeline and the footer."""
        yield from ()

    def on_mount(self) -> None:
        """Paint first; only then load, and connect."""
        self._show_header()
        self._catalogue.focus_list()
        self._catalogue.say(content(f"{self.OPENING} {shortened(str(self._target), 200)} …"))
        self._result.show_note(Content(self.NO_CALL))
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self._life = self.run_worker(self._live(), group="connection")
        self.run_worker(self._reviewing.begin(), group="review", exclusive=True)

    async def _live(self) -> None:
        if not self._looking.hosts:
            self._looking.hosts = await asyncio.to_thread(host_names)
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

    async def close_recording(self) -> None:
        """Write what is left of a recording that was started here."""
        await self._recording.close()

    # The session's news.

    @on(StateReported)
    def show_state(self, message: StateReported) -> None:
        """The session has another state."""
        event = message.event
        if event.state in {State.FAILED, State.LOST}:
            self._show_failure(FailureView(message=event.message, hint=event.hint, stderr=self._last_words()))
        elif event.state is not State.CLOSED:
            self._show_failure(None)
        if event.state is State.READY:
            if event.message:
                self.notify(shortened(event.message, 400), severity="warning", timeout=10, markup=False)
            for note in self._link.server.notes if self._link.server else ():
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
            self.list_again()
        elif self._link.session is not None:
            self._listings.ask(self._link.session.catalogue)
            self._reviewing.listed()
            if self.HAS_PINS:
                self._pinning.listed()

    def list_again(self) -> None:
        """Read every list of the server again; a reading that has not ended is given up."""
        self.run_worker(self._link.relist, group="listing", exclusive=True)

    @on(TimelineGrew)
    def show_timeline(self) -> None:
        """Something went over the wire."""
        if self._link.session is not None:
            self._timeline.show(self._link.session.timeline.entries)
            self._reviewing.heard(self._link.session.timeline.entries)

    @on(CallAdvanced)
    def show_progress(self, message: CallAdvanced) -> None:
        """The running call says how far it is."""
        self._calling.advanced(message.progress)

    @on(CallFinished)
    def show_finished(self, message: CallFinished) -> None:
        """A call has ended with a record."""
        self._calling.ended()
        self._looking.finished(message.record)
        self._reviewing.finished(message.record)

    @on(CallStopped)
    def show_stopped(self, message: CallStopped) -> None:
        """A call has ended without one."""
        self._calling.stopped(message.reason)

    def _last_words(self) -> tuple[str, ...]:
        # What a browser says of itself on stderr explains no page.
        return () if isinstance(self._target, PageTarget) else self._link.last_words()

    def _no_result(self, name: str, note: Content) -> None:
        self._looking.stopped(name, note)

    # What was made in threads.

    def _take_rows(self, asked: Catalogue, rows: Rows) -> None:
        tool = self._looking.tool
        outlives = self._looking.outlives(asked)
        self._catalogue.show(rows)
        if outlives and tool is not None:
            self._stay(tool, asked)
        elif self._outlived is not None:
            self._come_back(asked.tool(self._outlived.name))
        if not rows and not outlives:
            if self._tool.has_focus_within:
                self._catalogue.focus_list()
            self._looking.close()
            self._catalogue.say(Content("The server lists nothing."))
        self._show_header()
        if rows:
            self.remove_class("-nothing")

    def _stay(self, tool: Tool, catalogue: Catalogue) -> None:
        """Keep what is open, though it is listed no more: its result is what the user waits for, or looks at."""
        note = gone_note(tool, catalogue)
        if self._outlived is None:
            self.notify(note.plain, severity="warning", markup=False)
        self._outlived, self._passed_over = tool, self._catalogue.entry
        self._catalogue.say(note)

    def _come_back(self, again: Tool | None) -> None:
        """What was listed no more is listed again, or another item was opened meanwhile."""
        self._outlived = self._passed_over = None
        if again is not None and self._looking.tool is not None and self._looking.tool.name == again.name:
            self._catalogue.select(again)

    def _leave_outlived(self, entry: CatalogueEntry) -> bool:
        """Whether the user goes to an item, and does not only find the cursor there since another one is gone."""
        if self._outlived is None:
            return True
        if entry is self._passed_over:
            return False
        self._outlived = self._passed_over = None
        self._catalogue.say(Content(""))
        return True

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
            if not self._leave_outlived(entry):
                return
            self._settling = self.set_timer(_SETTLE_S, lambda: self._looking.open(entry))

    @on(ResultPane.RoomChanged)
    def lay_out_anew(self) -> None:
        """The result pane is as wide as it was not before."""
        self._looking.look()

    @on(CataloguePane.Chosen)
    def choose(self, message: CataloguePane.Chosen) -> None:
        """Open an item and go there."""
        self._passed_over = None
        self._leave_outlived(message.entry)
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

    @on(ToolPane.FindingsWanted)
    def find(self, message: ToolPane.FindingsWanted) -> None:
        """Another item is open, or another result is shown."""
        self._reviewing.look(message.view, message.of_result)

    @on(FindingsPane.Opened)
    def open_finding(self, message: FindingsPane.Opened) -> None:
        """Enter on a finding."""
        self._findings.go_to(message.entry)

    @on(FindingsPane.Judged)
    def judge_finding(self, message: FindingsPane.Judged) -> None:
        """A finding is accepted, or is not any more."""
        self._findings.judge(message.entry)

    @on(TimelinePane.Opened)
    def open_frames(self, message: TimelinePane.Opened) -> None:
        """Enter on an entry of the timeline."""
        self.show_frames(message.entry)

    def show_frames(self, entry: Entry) -> None:
        """The frames of an entry of the timeline."""
        self._visiting.frames(entry)

    @on(events.DescendantFocus)
    def follow_focus(self) -> None:
        """The part with the focus gets more room; other keys apply."""
        self.set_class(self._result.has_focus_within, "-in-result")
        self._show_keys()

    @property
    def custody(self) -> Custody:
        """The secrets of the session in use."""
        return self._keeping.custody

    def _kept(self) -> None:
        self._show_keys()
        self._visiting.tell_vault_changed()

    def _judged(self) -> None:
        self._catalogue.judge()
        self._show_keys()

    def _pins_changed(self) -> None:
        if self._link.session is not None:
            self._listings.ask(self._link.session.catalogue)
            self._reviewing.pinned(self._pinning.state)
        self._visiting.tell_pins_changed()
        self._show_keys()

    def _letters(self, tool: Tool) -> Content:
        return Content.assemble(
            self._pinning.mark(tool.name), self._reviewing.sign(tool), self._lettering.of(tool)
        )

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host by its name; none while they are being loaded."""
        return self._looking.hosts

    def set_host(self, host: str) -> None:
        """Look at this host's model."""
        self._looking.set_host(host)

    # Drawing.

    def _changed(self) -> None:
        self._recording.follow(self._looking.level, self._looking.host)
        self._show_header()
        self._show_keys()

    def _show_header(self) -> None:
        server = self._link.server
        is_mcp = server is not None and server.era is not Era.AUTO
        self._catalogue.remark("no client capabilities" if is_mcp else "")
        self._header.view = HeaderView(
            target=str(self._target),
            state=self._link.state,
            level=self._looking.level,
            host=self._looking.host,
            protocol=server.protocol_version if server else "",
            era=str(server.era) if server and server.era is not Era.AUTO else "",
            recording=self._recording.sign,
            tools=self._link.tools,
            trust=self._deciding.standing,
        )

    def _show_failure(self, view: FailureView | None) -> None:
        self._failure.show(view)
        self.set_class(
            view is not None and not self._looking.has_records and not self._link.has_items, "-nothing"
        )
        if view is not None and self.has_class("-nothing"):
            self._failure.focus()

    def _show_keys(self) -> None:
        self._keys.offers = keys_now(
            Situation(
                part=self._part(),
                is_running=self._calling.is_running,
                is_filled=self._calling.is_filled,
                is_ready=self._link.is_ready,
                is_wrong=self._tool.call.is_wrong,
                is_json=self._tool.call.is_json,
                has_called=self._calling.may_repeat,
                has_differences=self._result.has_differences,
                is_comparing=self._looking.comparing.is_on,
                is_changed=self._pinning.has_changes,
                secrets=len(self.custody.vault),
            )
        )

    def _part(self) -> Part:
        focused = self.focused
        if isinstance(focused, (Input, TextArea, ChoiceInput)):
            return Part.FILTER if self._catalogue.has_focus_within else Part.INPUT
        if self._result.has_focus_within:
            return Part.RESULT
        if self._tool.has_focus_within and self._tool.is_in_findings:
            return Part.FINDINGS
        if self._tool.has_focus_within:
            return {"call": Part.FORM, "definition": Part.DEFINITION}.get(self._tool.tab, Part.TOOL)
        if self._timeline.has_focus:
            return Part.TIMELINE
        return Part.FAILURE if self._failure.has_focus else Part.CATALOGUE
