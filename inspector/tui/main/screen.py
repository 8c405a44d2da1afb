"""The main screen: it composes the parts, routes messages to them, and runs the keys."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea
from textual.worker import Worker, WorkerCancelled

from inspector.boundary.bounded import Level
from inspector.claims.registry import vocabularies
from inspector.hosts.registry import hosts
from inspector.policy.gate.agreement import Terms
from inspector.protocol.catalogue import Catalogue, Kind, Tool, unlisted
from inspector.protocol.client import FULL
from inspector.protocol.targets import PageTarget, Target
from inspector.protocol.timeline import Entry
from inspector.secrets.session import Custody
from inspector.session.call_record import CallRecord
from inspector.session.events import SessionState
from inspector.session.live import Session
from inspector.tui.apps.opening import AppOpener
from inspector.tui.asks.authorization import UserAuthorizer
from inspector.tui.asks.responder import UserResponder
from inspector.tui.asks.roots import roots_dialog
from inspector.tui.call.pane import CallPane
from inspector.tui.call.runner import (
    CallChanged,
    CallFinished,
    CallGivenUp,
    CallRunner,
    CallStarted,
    CallStopped,
)
from inspector.tui.catalogue.badges import BadgeLoader
from inspector.tui.catalogue.pane import CataloguePane
from inspector.tui.catalogue.rows import RowMarks, Rows, rows
from inspector.tui.connection.connection import (
    ConnectionFailed,
    ListingReported,
    Opener,
    ResourceReported,
    SessionLink,
    StateReported,
    TimelineGrew,
)
from inspector.tui.connection.failure import FailurePanel, FailureView
from inspector.tui.context.screen import ContextAsked, ContextScreen
from inspector.tui.definition.pane import DefinitionPane
from inspector.tui.findings.pane import FindingsPane
from inspector.tui.findings.reviewer import Reviewer
from inspector.tui.history.keeper import HistoryKeeper
from inspector.tui.hosts.screen import ChosenLenses, HostsScreen
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.footer import FocusedPart, KeyLine, KeySituation, keys_now
from inspector.tui.keys.table import bindings
from inspector.tui.main.copying import copy_dialog
from inspector.tui.main.finding_actions import FindingActions, open_frames
from inspector.tui.main.header import HeaderLine, HeaderView
from inspector.tui.main.history_actions import HistoryActions
from inspector.tui.main.layout import ScreenLayout
from inspector.tui.main.saving import block_at, save_dialog
from inspector.tui.main.selection import Selection, SelectionChanged
from inspector.tui.main.tool_pane import ToolPane
from inspector.tui.page.screen import PageScreen
from inspector.tui.pins.screen import PinsScreen
from inspector.tui.pins.watcher import PinWatcher
from inspector.tui.policy.gate import PolicyGate, RecordAmended, TrustChanged
from inspector.tui.recording.recorder import SessionRecorder
from inspector.tui.result.pane import ResultPane
from inspector.tui.runtime.latest import Latest
from inspector.tui.secrets.keeper import VaultKeeper, VaultScreen
from inspector.tui.secrets.screen import SecretsScreen
from inspector.tui.text import content, shortened
from inspector.tui.timeline.pane import SessionTimeline, TimelineFilter, TimelinePane
from inspector.tui.trust.screen import TrustScreen
from inspector.tui.values.search_line import SearchInput
from inspector.tui.widgets.choice import ChoiceInput

if TYPE_CHECKING:
    from inspector.files.watching import Watching
    from inspector.tui.watch.watcher import Watcher


def _host_names() -> tuple[str, ...]:
    """The names of all hosts. Also reads the vocabularies, which the first listing needs. In a thread."""
    vocabularies()
    return tuple(host.name for host in hosts())


def _key(key: str) -> tuple[str, str]:
    return key, "bold $text-accent"


_HINT = Content("\n").join(
    Content.assemble(*parts)
    for parts in (
        (_key("Enter"), " opens the form of a tool; ", _key("Enter"), " in the form calls it."),
        ("You then see what the server sent, what the model sees of it, and why.",),
        (
            _key("?"),
            " explains the keys. ",
            _key("Esc"),
            " goes back and never quits. ",
            _key("q"),
            " quits.",
        ),
    )
)


@dataclass(slots=True)
class WayBack:
    """Where Esc goes from a part of the screen that another one led to, until the focus leaves it."""

    part: Widget
    take: Callable[[], None]
    is_reached: bool = False
    """Whether the part has had the focus: what it shows may have to be made first."""


class MainScreen(Screen[None], inherit_bindings=False):
    """Catalogue, tool, result and timeline of one server."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.MAIN)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual declares it so
    VERTICAL_BREAKPOINTS = [(0, "-short"), (34, "-tall")]  # noqa: RUF012
    # PlayerScreen, which shows a recording, has other values.
    READ_ONLY: ClassVar[str] = ""
    OPENING: ClassVar[str] = "Connecting to"
    NO_CALL: ClassVar[str] = "No call yet. Choose a tool, resource or prompt, fill in its form, press Enter."

    def __init__(  # noqa: PLR0913 - what a run of the interface is about
        self,
        opener: Opener,
        target: Target,
        *,
        level: Level,
        host: str,
        copy_secret: Callable[[str], None] | None = None,
        terms: Terms | None = None,
        timeline: TimelinePane | None = None,
        is_history_kept: bool = False,
        as_saved: Callable[[], str] | None = None,
        is_first: bool = False,
        watching: "Watching | None" = None,
    ) -> None:
        """`copy_secret`: puts a secret on the clipboard; None where that is not allowed. `terms`: of the policy.

        `is_history_kept`: whether calls are kept beyond this run. `as_saved`: gives the target as saved calls have it.

        `is_first`: shows a hint on the keys until one is pressed. `watching`: the files on whose save the server is started again.
        """
        super().__init__()
        self._target = target
        self._copy_secret = copy_secret
        self._life: Worker[None] | None = None
        self._way_back: WayBack | None = None
        self._changed: set[str] = set()
        """The resources that have changed since they were read."""
        self._header = HeaderLine()
        self._failure = FailurePanel()
        self._catalogue = CataloguePane(self._marks)
        self._tool = ToolPane()
        self._result = ResultPane()
        self._timeline = timeline or SessionTimeline()
        self._timeline_filter = (
            TimelineFilter(self._timeline) if isinstance(self._timeline, SessionTimeline) else None
        )
        self._keys = KeyLine()
        self._hint = Static(_HINT, markup=False, id="hint") if is_first else None
        self._room = ScreenLayout(self, (self._catalogue, self._tool, self._result, self._timeline))
        self._badges = BadgeLoader(self, self._catalogue.judge)
        self._listings = Latest(self, rows, self._take_rows, self._could_not)
        self._recorder = SessionRecorder(self, opener, target, self._show_state)
        self._link = SessionLink(self._recorder.opened, self)
        self._history = HistoryKeeper(self, target, self._show_history, is_kept=is_history_kept)
        self._pins = PinWatcher(self, self._link, target, self._show_pins)
        self._vault = VaultKeeper(self, self._link, self._show_vault)
        self._gate = PolicyGate(self, terms)
        self._runner = CallRunner(
            self,
            self._link,
            self._gate,
            self._pins.asks,
            self._tool.call,
            self._result,
            read_only=self.READ_ONLY,
        )
        if not self.READ_ONLY:
            self._tool.call.complete = self._link.complete
        self._link.responder = UserResponder(self, target, self._runner.hold).answer
        self._link.authorizer = UserAuthorizer(self, self._runner.hold).agree
        self._selection = Selection(
            self, self._catalogue, self._tool, self._result, self._runner, self._vault, level=level, host=host
        )
        self._reviewer = Reviewer(
            self,
            self._link,
            self._tool.show_findings,
            target,
            self._show_signs,
            self._selection.idle,
        )
        self._findings = FindingActions(
            self,
            self._link,
            self._reviewer,
            self._selection,
            self._catalogue,
            target,
            self._will_go_back,
        )
        self._history_actions = HistoryActions(
            self,
            self._link,
            self._history,
            self._selection,
            self._runner,
            target,
            as_saved=as_saved,
            will_come_back=self._will_come_back_to_history,
        )
        self._apps = AppOpener(
            self, self._link, self._gate, self._runner, self._pins.asks, called=self._show_called
        )
        self._restarting = asyncio.Lock()
        self._watch = self._watcher_of(watching) if watching is not None else None

    def _watcher_of(self, watching: "Watching") -> "Watcher":
        from inspector.tui.watch.watcher import Watcher  # noqa: PLC0415 - few runs watch

        return Watcher(
            self,
            self._link,
            self._runner,
            self._pins,
            self._selection,
            watching=watching,
            target=self._target,
            restart=self._reconnect,
            changed=self._show_keys,
        )

    def compose(self) -> ComposeResult:
        yield self._header
        yield self._failure
        if self._watch is not None:
            yield self._watch.strip
        with Container(id="work"):
            yield self._catalogue
            yield self._tool
            yield self._result
        if self._timeline_filter is not None:
            yield self._timeline_filter
        yield self._timeline
        yield from self.above_keys()
        if self._hint is not None:
            yield self._hint
        yield self._keys

    def hide_hint(self) -> None:
        """Give the room of the hint back."""
        if self._hint is not None:
            self._hint.display = False

    def above_keys(self) -> ComposeResult:
        """Widgets between the timeline and the footer."""
        yield from ()

    # The life of the connection.

    def on_mount(self) -> None:
        """Paint first, then connect."""
        self._show_header()
        self._catalogue.focus_list()
        self._catalogue.say(content(f"{self.OPENING} {shortened(str(self._target), 200)} …"))
        self._result.show_note(Content(self.NO_CALL))
        self.call_after_refresh(self._begin)
        self.call_after_refresh(self._history.begin)
        if self._watch is not None:
            self._watch.begin()

    def _begin(self) -> None:
        self._life = self.run_worker(self._live(), group="connection")
        self.run_worker(self._reviewer.begin(), group="review", exclusive=True)

    async def _live(self) -> None:
        if not self._selection.hosts:
            self._selection.hosts = await asyncio.to_thread(_host_names)
        await self._link.live()

    async def end(self) -> None:
        """Close the connection and an open interface, and wait until the server and the browser are gone."""
        await self._apps.end()
        life, self._life = self._life, None
        if life is not None and life.is_running:
            life.cancel()
            try:
                await life.wait()
            except WorkerCancelled:
                return

    async def close_files(self) -> None:
        """Write what is left of a recording that was started here, and of the history."""
        await self._recorder.close()
        await self._history.close()

    async def _reconnect(self) -> None:
        async with self._restarting:
            await self.end()
            self._begin()

    @property
    def custody(self) -> Custody:
        """The secrets of the session in use."""
        return self._vault.custody

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host by its name; none while they are being loaded."""
        return self._selection.hosts

    def set_host(self, host: str) -> None:
        """Show results as this host's model gets them."""
        self._selection.set_host(host)

    # Messages of the session.

    @on(StateReported)
    def show_state(self, message: StateReported) -> None:
        event = message.event
        if event.state in {SessionState.FAILED, SessionState.LOST}:
            self._show_failure(event.message, event.hint)
        elif event.state is not SessionState.CLOSED:
            self._hide_failure()
        if event.state is SessionState.READY:
            notes = self._link.server.notes if self._link.server else ()
            for words in filter(None, (shortened(event.message, 400), *notes)):
                self.notify(words, severity="warning", timeout=10, markup=False)
        self._show_state()

    @on(ConnectionFailed)
    def show_connection_failed(self, message: ConnectionFailed) -> None:
        self._show_failure(message.message, message.hint)
        self._show_state()

    @on(ListingReported)
    def show_listing(self, message: ListingReported) -> None:
        if message.outdated:
            self._list_again()
        elif self._link.session is not None:
            self._listings.ask(self._link.session.catalogue)
            self._reviewer.listed()
            if not self.READ_ONLY:
                self._pins.listed()
            if self._watch is not None:
                self._watch.listed()

    @on(TimelineGrew)
    def show_timeline(self) -> None:
        if self._link.session is not None:
            self._timeline.show(self._link.session)
            self._show_aside()
            self._reviewer.heard(self._link.session.timeline.entries)

    def _show_aside(self) -> None:
        """Show beside the result what the server wrote to stderr during its call."""
        view = self._result.view
        self._result.show_aside(self._timeline.stderr_of(view.record) if view is not None else "")

    # Messages of the parts.

    @on(ResultPane.UnmaskAsked)
    def unmask(self, message: ResultPane.UnmaskAsked) -> None:
        self._selection.unmask(message.record)

    @on(ResultPane.CopyAsked)
    def ask_what_to_copy(self, message: ResultPane.CopyAsked) -> None:
        self._open(copy_dialog(message.found, self.action_copy_call))

    @on(ResultPane.SaveAsked)
    def ask_where_to_save(self, message: ResultPane.SaveAsked) -> None:
        block = block_at(message.sent, message.pointer)
        if block is None:
            self.notify(
                "Put the cursor on a picture or sound: there is none here, or it is withheld.", markup=False
            )
        else:
            self._open(save_dialog(block, message.record.title, message.record.number))

    def mask(self) -> None:
        """Show no masked value: before a call, where the terminal loses the focus, before the program is suspended."""
        self._selection.mask()

    @property
    def is_unmasked(self) -> bool:
        """Whether masked values are shown."""
        return self._result.is_unmasked

    @on(CallStarted)
    def describe_call(self, message: CallStarted) -> None:
        self.mask()
        self._timeline.describe(message.name, message.arguments)

    @on(CallPane.Folded)
    @on(ToolPane.TabOpened)
    def fit_form(self) -> None:
        self._arrange("-folded", is_so=self._tool.tab == "call" and self._tool.call.is_folded)

    @on(CallFinished)
    def show_finished(self, message: CallFinished) -> None:
        self._selection.finished(message.record)
        if self._watch is not None:
            self._watch.finished(message.record)
        if self._link.session is not None:
            self._timeline.finished(self._link.session, message.record)
        self._reviewer.finished(message.record)
        self._history.finished(message.record)
        if message.record.kind in {Kind.RESOURCE, Kind.TEMPLATE, Kind.SKILL} and not self.READ_ONLY:
            self._changed.discard(message.record.title)
            self.run_worker(self._link.subscribe(message.record.title), group="subscribing")

    def _show_called(self, record: CallRecord) -> None:
        """An interface has called a tool, or was read."""
        if self._link.session is not None:
            self._timeline.finished(self._link.session, record)
        self._reviewer.finished(record)

    @on(CallGivenUp)
    def note_given_up(self, message: CallGivenUp) -> None:
        tool = self._link.tool(message.name)
        self._history.cancelled(message.name, tool, message.arguments, message.duration_s)

    @on(ResourceReported)
    def tell_changed(self, message: ResourceReported) -> None:
        """Say once that a resource has changed, until it is read again."""
        if message.uri not in self._changed:
            self._changed.add(message.uri)
            words = f"{shortened(message.uri, 120)} has changed. r reads it again, if it was read last."
            self.notify(words, severity="warning", markup=False)

    @on(CallStopped)
    def show_stopped(self, message: CallStopped) -> None:
        if self._watch is not None:
            self._watch.stopped(message.reason)
        if not message.is_quiet:
            self._selection.stopped(message.name, message.note)

    @on(RecordAmended)
    def show_amended(self, message: RecordAmended) -> None:
        self._selection.amend(message.record)

    @on(SelectionChanged)
    def follow_selection(self) -> None:
        self._recorder.follow(self._selection.level, self._selection.host)
        self._show_aside()
        self._show_state()

    @on(CallChanged)
    @on(TrustChanged)
    def _show_state(self) -> None:
        self._show_header()
        self._show_keys()

    @on(CataloguePane.Rested)
    def open_item(self, message: CataloguePane.Rested) -> None:
        self._selection.rest_on(message.entry)

    @on(CataloguePane.Chosen)
    def choose_item(self, message: CataloguePane.Chosen) -> None:
        if self._selection.shows_result_of(message.entry):
            self._room.make_room_for(self._result)
            self._result.focus_result()
        else:
            self._selection.choose(message.entry)

    @on(CallPane.Edited)
    def check_arguments(self, message: CallPane.Edited) -> None:
        self._runner.edited(message)

    @on(CallPane.Submitted)
    def submit(self, message: CallPane.Submitted) -> None:
        self._runner.submit(anyway=message.anyway)

    @on(CallPane.Switched)
    def switch_writing(self) -> None:
        self._runner.toggle_json()

    @on(ToolPane.FindingsWanted)
    def find(self, message: ToolPane.FindingsWanted) -> None:
        self._reviewer.look(message.view, message.of_result)

    @on(FindingsPane.Opened)
    def open_finding(self, message: FindingsPane.Opened) -> None:
        if self._findings.go_to(message.entry.finding):
            self._will_go_back(partial(self.action_tab, "findings"))

    def _will_go_back(self, take: Callable[[], None]) -> None:
        """A place of a definition is shown; Esc goes back from there."""
        self._way_back = WayBack(self._tool, take)

    @on(FindingsPane.Judged)
    def judge_finding(self, message: FindingsPane.Judged) -> None:
        self._findings.judge(message.entry)

    @on(TimelinePane.Opened)
    def open_entry(self, message: TimelinePane.Opened) -> None:
        self.show_frames(message.entry, message.session)

    @on(TimelinePane.ResultWanted)
    def show_earlier(self, message: TimelinePane.ResultWanted) -> None:
        is_long = self._room.is_timeline_long
        if is_long:
            self._room.toggle_timeline()

        def back() -> None:
            self._room.make_room_for(self._timeline)
            if is_long:
                self._room.toggle_timeline()
            self._timeline.focus()

        self._way_back = WayBack(self._result, back)
        self._room.make_room_for(self._result)
        self._selection.look_back(message.record, message.arguments)
        self._result.focus_result()

    def show_frames(self, entry: Entry, session: Session | None) -> None:
        """Show the frames of an entry of the timeline. `session`: of another connection than the one in use."""
        open_frames(self, session or self._link.session, entry)

    @on(events.DescendantFocus)
    def follow_focus(self) -> None:
        """The part with the focus gets more room; other keys apply."""
        way_back = self._way_back
        if way_back is not None:
            is_there = way_back.part.has_focus_within
            self._way_back = None if way_back.is_reached and not is_there else way_back
            way_back.is_reached = is_there
        self._arrange("-in-result", is_so=self._result.has_focus_within)
        self._show_keys()

    def _arrange(self, name: str, *, is_so: bool) -> None:
        """Set a class that is about the places of the parts alone. A class of the screen styles every widget again."""
        if self.has_class(name) != is_so:
            self.set_class(is_so, name, update=False)
            work = self.query_one("#work")
            self.app.stylesheet.update_nodes((work, *work.children))  # pyright: ignore[reportUnknownMemberType]

    def _show_vault(self) -> None:
        self._show_keys()
        shown = self.app.screen  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(shown, VaultScreen):
            shown.news()

    def _show_pins(self) -> None:
        if self._link.session is not None:
            self._listings.ask(self._link.session.catalogue)
            self._reviewer.pinned(self._pins.state)
        shown = self.app.screen  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(shown, PinsScreen):
            shown.news()
        self._show_keys()

    def _show_history(self) -> None:
        self._tool.count_history(len(self._history.calls))
        self._show_keys()

    def _show_signs(self) -> None:
        self._catalogue.judge()
        self._show_keys()

    def _take_rows(self, catalogue: Catalogue, rows: Rows) -> None:
        self._selection.relist(catalogue, rows)
        self._show_header()
        if rows:
            self.remove_class("-nothing")

    def _could_not(self, asked: Catalogue, error: BaseException) -> None:
        del asked
        words = f"The catalogue could not be shown ({type(error).__name__}): a defect of Sightline."
        self.notify(words, severity="error", markup=False)

    # Drawing.

    def _marks(self, tool: Tool) -> RowMarks:
        badges = self._badges.of(tool)
        listed_as = tool.item.listed_as if tool.item else tool.name
        signs = Content.assemble(self._pins.mark(listed_as), self._reviewer.sign(tool))
        return RowMarks(
            words=Content.assemble(signs, " " if signs.plain else "", badges.words),
            letters=Content.assemble(signs, badges.letters),
        )

    def _show_header(self) -> None:
        server = self._link.server
        profile = self._link.profile
        self._catalogue.remark("" if profile is None or profile.capabilities else "no client capabilities")
        self._header.view = HeaderView(
            target=str(self._target),
            state=self._link.state,
            level=self._selection.level,
            host=self._selection.host,
            server=server.name if server and not isinstance(self._target, PageTarget) else "",
            protocol=server.protocol_version if server else "",
            recording=self._recorder.sign,
            profile="" if profile in (None, FULL) else profile.name,
            tools=self._link.tools,
            trust=self._gate.standing,
            is_insecure=self._link.is_insecure,
        )

    def _show_failure(self, message: str, hint: str) -> None:
        if self._watch is not None and self._watch.shows_failure(message):
            return
        # What a browser writes to stderr explains no page.
        stderr = () if isinstance(self._target, PageTarget) else self._link.last_words()
        self._failure.show(FailureView(message=message, hint=hint, stderr=stderr))
        has_nothing = not self._selection.has_records and not self._link.has_items
        self.set_class(has_nothing, "-nothing")
        if has_nothing:
            self._failure.focus()

    def _hide_failure(self) -> None:
        if self._failure.has_focus:
            # Textual would give it to the nearest sibling, the timeline.
            self._catalogue.focus_list()
        self._failure.show(None)
        self.remove_class("-nothing")

    @on(events.ScreenSuspend)
    def hide_keys(self) -> None:
        """The keys of a dialog over this screen are in the dialog."""
        self._keys.offers = ()

    @on(events.ScreenResume)
    def _show_keys(self) -> None:
        if not self.is_current:
            return
        self._keys.offers = keys_now(
            KeySituation(
                part=self._part(),
                is_running=self._runner.is_running,
                is_filled=self._runner.is_filled,
                is_ready=self._link.is_ready,
                is_wrong=self._tool.call.is_wrong,
                is_json=self._tool.call.is_json,
                has_called=self._runner.last is not None,
                repeats=self._repeats(),
                has_history=bool(self._history.calls),
                has_result=self._selection.record is not None,
                has_tool=self._selection.tool is not None,
                has_differences=self._result.has_differences,
                has_masks=self._result.has_masks,
                is_unmasked=self._result.is_unmasked,
                is_searched=self._result.is_searched,
                is_comparing=self._selection.comparing.is_on,
                is_changed=self._pins.has_changes,
                is_saved=self._watch is not None and self._watch.has_changes,
                secrets=len(self.custody.vault),
            )
        )

    def _repeats(self) -> str:
        """What `r` calls, where that is another item than the one shown. Foreign text."""
        call, tool = self._runner.repeatable(self._selection.record), self._selection.tool
        return call.title if call is not None and (tool is None or tool.name != call.name) else ""

    def _part(self) -> FocusedPart:
        focused = self.focused
        if isinstance(focused, (Input, TextArea, ChoiceInput)):
            if isinstance(focused, SearchInput):
                return FocusedPart.SEARCH
            is_filter = self._catalogue.has_focus_within or focused is self._timeline_filter
            return FocusedPart.FILTER if is_filter else FocusedPart.INPUT
        if self._result.has_focus_within:
            return FocusedPart.RESULT
        if self._tool.has_focus_within and self._tool.is_in_findings:
            return FocusedPart.FINDINGS
        if self._tool.has_focus_within:
            return {"call": FocusedPart.FORM, "definition": FocusedPart.DEFINITION}.get(
                self._tool.tab, FocusedPart.TOOL
            )
        if self._timeline.has_focus:
            return FocusedPart.TIMELINE
        return FocusedPart.FAILURE if self._failure.has_focus else FocusedPart.CATALOGUE

    # Keys.

    def action_back(self) -> None:
        """Leave what has the focus; cancel a running call. Never quits."""
        filtering = self._timeline_filter
        if filtering is not None and filtering.is_open and (filtering.has_focus or self._timeline.has_focus):
            filtering.close()
        elif self._catalogue.is_filtering and self._catalogue.has_focus_within:
            self._catalogue.close_filter()
        elif self._runner.is_running:
            self._runner.cancel()
        elif self._result.has_focus_within and self._result.is_searched:
            self._result.stop_searching()
            self._show_keys()
        elif self._tool.has_focus_within and self._tool.definition.is_searched:
            self._tool.definition.stop_searching()
            self._show_keys()
        elif self._result.is_unmasked:
            self.mask()
        elif self._tool.definition.is_explaining:
            self._tool.definition.stop_explaining()
        elif self._result.is_explaining:
            self._result.stop_explaining()
        elif self._selection.comparing.is_on:
            self._selection.comparing.stop()
        elif self._way_back is not None or self._selection.is_earlier:
            self._go_back()
        elif self._room.is_zoomed:
            self.action_zoom()
        elif self._room.is_timeline_long:
            self.action_timeline()
        else:
            # A filter stays until Esc is pressed in the list.
            self._catalogue.focus_list()

    def _go_back(self) -> None:
        way_back, self._way_back = self._way_back, None
        self._selection.end_earlier()
        if way_back is not None:
            way_back.take()

    def action_filter(self) -> None:
        if self._timeline.has_focus and self._timeline_filter is not None:
            self._timeline_filter.open()
            return
        self._room.make_room_for(self._catalogue)
        self._catalogue.open_filter()

    def action_submit(self) -> None:
        self._after_typing(partial(self._runner.submit, anyway=False))

    def action_send_anyway(self) -> None:
        self._after_typing(partial(self._runner.submit, anyway=True))

    def action_toggle_json(self) -> None:
        self._tool.open_tab("call")
        self._after_typing(self._runner.toggle_json)

    def _after_typing(self, do: Callable[[], None]) -> None:
        # These keys go before all others, also before what the focused input has not taken in yet.
        if self.focused is None or not self.focused.call_later(do):
            do()

    def action_repeat_call(self) -> None:
        self._runner.repeat(self._selection.record)
        if self._watch is not None:
            self._watch.agree()

    def action_watch(self) -> None:
        if self._watch is None:
            self.notify("Nothing is watched: start Sightline with --watch.", markup=False)
        else:
            self._open(self._watch.screen())

    def action_follow_link(self) -> None:
        uri = self._result.link(only_here=False) or self._selection.interface
        if uri is None:
            self.notify("The result links to no resource, and the tool names no interface.", markup=False)
        else:
            self._read(uri)

    def action_open_interface(self) -> None:
        selection = self._selection
        self._apps.open(selection.record, selection.interface, selection.level)

    @on(ResultPane.LinkChosen)
    def follow_link(self, message: ResultPane.LinkChosen) -> None:
        self._read(message.uri)

    @on(DefinitionPane.FileChosen)
    def read_file(self, message: DefinitionPane.FileChosen) -> None:
        self._read(message.uri)

    def _read(self, uri: str) -> None:
        """Read a resource, listed or not, and open it."""
        session = self._link.session
        item = unlisted(Kind.RESOURCE, uri)
        listed = session.catalogue.tool(item.handle) if session else None
        item = listed.item if listed and listed.item else item
        if self._runner.read(item):
            self._selection.follow(item)

    def action_submit_form(self) -> None:
        self._runner.submit_form()

    def action_copy_call(self) -> None:
        self._runner.copy(self._target)

    def action_cycle_level(self, step: int) -> None:
        self._selection.step_level(step)

    def action_cycle_host(self, step: int) -> None:
        if self.hosts:
            self._selection.step_host(step)
        else:
            self.notify("Hosts are still being loaded.", markup=False)

    def action_compare_models(self) -> None:
        self._room.make_room_for(self._result)
        if self._result.view is not None:
            self._result.focus_result()
        self._selection.compare()

    def action_compare_hosts(self) -> None:
        """Compare all hosts on one result; the boundary and host chosen there hold here."""
        selection = self._selection
        if selection.record is None or not selection.hosts:
            self.notify("There is no result yet. Call the tool, then compare the hosts.", markup=False)
            return

        def take(chosen: ChosenLenses | None) -> None:
            if chosen is not None:
                selection.set_lenses(chosen.level, chosen.host)

        screen = HostsScreen(
            selection.record, level=selection.level, host=selection.host, hosts=len(selection.hosts)
        )
        self.app.push_screen(screen, take)  # pyright: ignore[reportUnknownMemberType]

    def action_secrets(self) -> None:
        self._open(SecretsScreen(lambda: self.custody, self._copy_secret))

    def action_findings(self) -> None:
        # Esc in the review then goes to where it was opened, not around in a circle.
        self._way_back = None
        self._findings.open_all()

    @on(ToolPane.HistoryAsked)
    def open_history(self) -> None:
        self.action_history()

    def action_history(self) -> None:
        self._history_actions.open()

    def _will_come_back_to_history(self, to: str) -> None:
        part = self._tool if to == "edit" else self._result
        self._way_back = WayBack(part, partial(self._history_actions.open, is_back=True))
        self._room.make_room_for(part)

    def action_context(self) -> None:
        session, selection = self._link.session, self._selection
        if session is None or session.server is None:
            self.notify("Nothing is listed yet.", markup=False)
            return
        instructions = session.server.instructions
        asked = ContextAsked(
            catalogue=session.catalogue, instructions=instructions, level=selection.level, host=selection.host
        )
        self._open(ContextScreen(asked))

    def action_trust(self) -> None:
        self._open(TrustScreen(self._gate.oversight, str(self._target), self._gate.renew))

    def action_new_session(self) -> None:
        self.run_worker(self._gate.renew(), group="renewing", exclusive=True)

    def action_page(self) -> None:
        tool = self._selection.tool
        if tool is None or tool.page is None:
            self.notify("This key shows tools of web pages only (web+http://…).", markup=False)
        else:
            self._open(PageScreen(tool))

    def action_pins(self) -> None:
        self._open(PinsScreen(self._pins))

    def action_record(self) -> None:
        self._recorder.toggle(self._link.session, self._selection.level, self._selection.host)

    def action_export(self) -> None:
        self._recorder.export(self._link.session, self._selection.level, self._selection.host)

    def action_reconnect(self) -> None:
        # Closing may take its time: a worker waits for it.
        self._runner.cancel()
        self.run_worker(self._reconnect(), group="reconnecting", exclusive=True)

    def action_ping(self) -> None:
        if self._link.is_ready:
            self.run_worker(self._ping(), group="ping", exclusive=True)
        else:
            self.notify(f"There is no connection ({self._link.state}). R reconnects.", markup=False)

    async def _ping(self) -> None:
        self.notify(content(shortened(await self._link.ping(), 400)).plain, markup=False)

    def action_roots(self) -> None:
        """The folders that servers are answered with."""
        session = self._link.session
        if session is not None and self._link.is_ready and self._link.profile is not None:
            self.app.push_screen(roots_dialog(session))  # pyright: ignore[reportUnknownMemberType]
        else:
            self.notify(f"There is no server to have roots ({self._link.state}).", markup=False)

    def action_list_again(self) -> None:
        if self._link.is_ready:
            self._list_again()
        else:
            self.notify(f"There is no connection ({self._link.state}). R reconnects.", markup=False)

    def _list_again(self) -> None:
        """Read every list of the server again; a reading that has not ended is given up."""
        self.run_worker(self._link.relist, group="listing", exclusive=True)

    def action_timeline(self) -> None:
        if not self._room.toggle_timeline() and self._timeline.has_focus:
            self._catalogue.focus_list()

    def action_zoom(self) -> None:
        self._room.toggle_zoom()

    def action_tab(self, tab: str) -> None:
        self._room.make_room_for(self._tool)
        self._tool.open_tab(tab)
        self._tool.focus_tab()

    def _open(self, screen: Screen[None]) -> None:
        self.app.push_screen(screen)  # pyright: ignore[reportUnknownMemberType]
