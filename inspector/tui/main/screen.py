"""The main screen. It composes the parts, routes messages to them, and runs the keys."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from time import time
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, TextArea

from inspector.boundary.bounded import Level
from inspector.errors import headline
from inspector.hosts.registry import hosts
from inspector.pins.known_secrets import SessionSecrets
from inspector.policy.gate.agreement import Terms
from inspector.protocol.catalogue import Catalogue, Item, Tool
from inspector.protocol.timeline import Entry
from inspector.secrets.session import Custody
from inspector.session.call_record import CallRecord
from inspector.session.events import SessionState
from inspector.session.live import Session
from inspector.session.wording import nothing_listed
from inspector.tui.call.pane import CallPane
from inspector.tui.call.runner import (
    CallChanged,
    CallFinished,
    CallGivenUp,
    CallStarted,
    CallStopped,
)
from inspector.tui.catalogue.badges import BadgeLoader
from inspector.tui.catalogue.collisions import collision_mark, collision_note
from inspector.tui.catalogue.marks import RowMarks
from inspector.tui.catalogue.pane import CataloguePane, CatalogueSpot
from inspector.tui.catalogue.rows import Rows
from inspector.tui.connection.connection import (
    AuthorizationReported,
    ConnectionFailed,
    ListingReported,
    ResourceReported,
    StateReported,
    SubscriptionsReported,
    TimelineGrew,
)
from inspector.tui.connection.failure import FailurePanel
from inspector.tui.connection.source import ServerSource
from inspector.tui.connection.waiting import waiting_words
from inspector.tui.definition.pane import DefinitionPane
from inspector.tui.findings.pane import FindingsPane
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.footer import FocusedPart, KeyLine, keys_now
from inspector.tui.keys.table import COMMANDS, bindings
from inspector.tui.main.back import Back
from inspector.tui.main.copying import copy_dialog
from inspector.tui.main.finding_actions import PlaceIn, open_frames
from inspector.tui.main.header import HeaderLine
from inspector.tui.main.item_calls import ItemCalls
from inspector.tui.main.layout import TALL, ScreenLayout
from inspector.tui.main.parts import MainParts
from inspector.tui.main.saving import block_at, save_dialog
from inspector.tui.main.secondary_screens import SecondaryScreens
from inspector.tui.main.selection import SelectionChanged
from inspector.tui.main.servers import ServerParts, Servers, Stage
from inspector.tui.main.situation import focused_part, header_view, situation
from inspector.tui.main.subscriptions import SubscriptionLine
from inspector.tui.main.tool_pane import ToolPane
from inspector.tui.main.warnings import warnings
from inspector.tui.policy.gate import PolicyGate, RecordAmended, TrustChanged
from inspector.tui.result.note import ResultNote
from inspector.tui.result.output import ServerOutput
from inspector.tui.result.pane import ResultPane
from inspector.tui.runtime.guard import GuardedApp
from inspector.tui.runtime.sizes import SizingScreen
from inspector.tui.text import content, cut_in_the_middle, level_note, shortened
from inspector.tui.timeline.pane import SessionTimeline, TimelineFilter, TimelinePane
from inspector.tui.values.pane import OutlineLines
from inspector.tui.widgets.lines import Lines
from inspector.tui.widgets.plain_text import PlainText

if TYPE_CHECKING:
    from inspector.files.watching import Watching


def _key(key: str) -> tuple[str, str]:
    return key, "bold $text-accent"


_HINT = Content("\n").join(
    Content.assemble(*parts)
    for parts in (
        (
            _key("Enter"),
            " opens a tool: its form, or its last result. ",
            _key("Enter"),
            " in the form calls it.",
        ),
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


_KEYS_WHILE_OPENING = frozenset(
    key
    for found in COMMANDS
    if found.place in {KeyPlace.EVERYWHERE, KeyPlace.LINES} or found.id in {"main.back", "main.filter"}
    for key in found.keys.split(",")
) - {"colon"}
"""The keys that work while the first connection is being made, beside those of the footer.

`:` is not one of them, because it may be part of a command line that was typed too early.
"""


class MainScreen(SizingScreen[None], inherit_bindings=False):
    """The catalogue, tool, result and timeline of all servers."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.MAIN)
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]  # noqa: RUF012 - Textual declares it so
    # PlayerScreen, which shows a recording, overrides these.
    READ_ONLY: ClassVar[str] = ""
    OPENING: ClassVar[str] = "Connecting to"
    LOW: ClassVar[int] = 20
    """The number of lines below which the timeline and the hint on the keys are hidden."""
    NO_CALL: ClassVar[str] = "No call yet. Choose a tool, resource or prompt, fill in its form, press Enter."

    def __init__(  # noqa: PLR0913 - what a run of the interface is about
        self,
        sources: Sequence[ServerSource],
        *,
        level: Level,
        host: str,
        copy_secret: Callable[[str], None] | None = None,
        terms: Terms | None = None,
        timeline: TimelinePane | None = None,
        is_history_kept: bool = False,
        is_first: bool = False,
        watching: "Watching | None" = None,
    ) -> None:
        """`copy_secret`: copies a secret to the clipboard; None if that is not allowed.

        `terms`: the policy, and where its decisions are logged. `is_history_kept`: whether calls are kept
        after this run. `is_first`: whether to show a hint on the keys until a key is pressed. `watching`: the
        files to watch; when one is saved, the server is restarted.
        """
        super().__init__()
        self._rested: CatalogueSpot | None = None
        """The item or server on which the cursor of the catalogue rested last. It is open, or is being opened."""
        self._is_opening = not self.READ_ONLY
        """True until a server is listed, or a connection has failed."""
        self._opening: Timer | None = None
        """Updates what is shown while a server is connected for the first time."""
        self._header = HeaderLine()
        self._failure = FailurePanel()
        self._subscriptions = SubscriptionLine()
        self._catalogue = CataloguePane(self._marks, len(sources))
        self._tool = ToolPane()
        self._result = ResultPane()
        self._secrets = SessionSecrets()
        self._timeline = timeline or SessionTimeline(self._secrets)
        self._timeline_filter = (
            TimelineFilter(self._timeline, has_servers=len(sources) > 1)
            if isinstance(self._timeline, SessionTimeline)
            else None
        )
        self._keys = KeyLine()
        self._hint = PlainText(_HINT, id="hint") if is_first else None
        self._room = ScreenLayout(self, (self._catalogue, self._tool, self._result, self._timeline), self.LOW)
        self._badges = BadgeLoader(self, self._catalogue.refresh_marks)
        self._gate = PolicyGate(self, terms)
        self._servers = Servers(
            sources,
            Stage(
                screen=self,
                catalogue=self._catalogue,
                tool=self._tool,
                result=self._result,
                gate=self._gate,
                secrets=self._secrets,
                level=level,
                host=host,
                read_only=self.READ_ONLY,
                is_history_kept=is_history_kept,
                watching=watching,
                changed=self._show_state,
                keys_changed=self._show_keys,
                vault_changed=self._show_secrets,
                draw_shown_server=self._show_server,
                take_rows=self._take_rows,
                called=self._show_called,
                will_go_back=self._will_go_back,
                will_come_back_to_history=self._will_come_back_to_history,
                exchange_of=self._timeline.exchange_of,
                sessions=self._timeline.sessions,
                began_s=self._timeline.began_s,
                show_recorded_call=self.show_recorded_call,
                open_tab=self.action_tab,
            ),
        )
        self._parts = MainParts(
            screen=self,
            catalogue=self._catalogue,
            tool=self._tool,
            result=self._result,
            timeline=self._timeline,
            timeline_filter=self._timeline_filter,
            failure=self._failure,
            room=self._room,
            servers=self._servers,
        )
        self._back = Back(self._parts, mask=self.mask, zoom=self.action_zoom, timeline=self.action_timeline)
        self._calls = ItemCalls(self._parts, self.READ_ONLY)
        self._others = SecondaryScreens(self._parts, self._gate, copy_secret)
        if not self.READ_ONLY:
            self._tool.call.complete = self._servers.complete

    @property
    def server(self) -> ServerParts:
        """The server of the selected item."""
        return self._servers.shown

    def compose(self) -> ComposeResult:
        yield self._header
        yield self._failure
        if self.server.watch is not None:
            yield self.server.watch.strip
        yield self._subscriptions
        yield self._room.work
        if self._timeline_filter is not None:
            yield self._timeline_filter
        yield self._timeline
        yield from self.above_keys()
        if self._hint is not None:
            yield self._hint
        yield self._keys

    def hide_hint(self) -> None:
        if self._hint is not None:
            self._hint.display = False

    def above_keys(self) -> ComposeResult:
        """Yield the widgets between the timeline and the footer. Subclasses may have some."""
        yield from ()

    # The life of the connection.

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < self.LOW, "-low")
        self._room.fit()
        if self.server.watch is not None:
            # The strip has fewer rows on a low screen, also if its own width is as before.
            self.call_after_refresh(self.server.watch.strip.on_resize)

    def on_mount(self) -> None:
        """Show the empty screen first, and connect after it is painted."""
        self._show_header()
        self._catalogue.focus_list()
        if not self._servers.are_several:
            self._say_opening()
            if self._is_opening:
                self._opening = self.set_interval(1, self._say_opening)
        self._result.show_note(Content(self.NO_CALL))
        self.fit_result()
        self.call_after_refresh(self._begin)
        if self.server.watch is not None:
            self.server.watch.begin()

    def _say_opening(self) -> None:
        """Show what is being opened.

        If a server takes long to answer, also show the elapsed time, the limit, and what may be wrong.
        """
        target, late = self.server.target, waiting_words(self.server.link.session)
        words = f"{self.OPENING} {cut_in_the_middle(str(target), 200)} …"
        self._catalogue.say(content(words) + Content.styled(f"\n{late}" if late else "", "$text-warning"))

    def _begin(self) -> None:
        self._gate.warn()
        for server in self._servers.all:
            server.begin()
            server.history.begin()

    async def end(self) -> None:
        """Close every connection and interface, and wait until the servers and browsers have ended."""
        await asyncio.gather(*(server.end() for server in self._servers.all))

    async def close_files(self) -> list[str]:
        """Write the rest of the histories and of recordings. Returns a sentence about each recording."""
        closed = await asyncio.gather(*(server.close_files() for server in self._servers.all))
        return [words for words in closed if words]

    def waits_for(self, key: str) -> bool:
        """True if a key does nothing yet, because the first connection is still being made."""
        if not self._is_opening or isinstance(self.focused, (Input, TextArea)):
            return False
        offered = {each for offer in self._keys.offers for each in offer.command.keys.split(",")}
        return key not in offered | _KEYS_WHILE_OPENING

    def _end_opening(self) -> None:
        if self._opening is not None:
            self._opening.stop()
            self._opening = None
        if self._is_opening:
            self._is_opening = False
            self._show_keys()

    @property
    def custodies(self) -> tuple[Custody, ...]:
        """The secrets of each server's session."""
        return tuple(server.vault.custody for server in self._servers.all)

    @property
    def results_to_lose(self) -> tuple[str, ...]:
        """The names of the running calls whose results are lost if Sightline quits. Untrusted text."""
        return tuple(filter(None, (server.runner.result_to_lose for server in self._servers.all)))

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of all hosts; empty while they are being loaded."""
        return self.server.selection.hosts

    def set_host(self, host: str) -> None:
        """Show results as the model of this host gets them."""
        self.server.selection.set_host(host)

    # Messages of the session.

    @on(StateReported)
    def show_state(self, message: StateReported) -> None:
        server, event = self._servers.of(message.link), message.event
        if event.state in {SessionState.FAILED, SessionState.LOST}:
            self._show_failure(server, event.message, event.hint)
        elif event.state is not SessionState.CLOSED:
            server.failure = None
            self._hide_failure(server)
        if isinstance(self.app, GuardedApp):  # pyright: ignore[reportUnknownMemberType]
            # Notifications such as `There is no connection` are about the earlier state.
            self.app.end_answers(time())
        if event.state is SessionState.READY:
            notes = message.link.server.notes if message.link.server else ()
            mask = server.vault.known_now.masked_text
            for words in filter(None, (event.message, *notes, server.printed_before())):
                shown = server.named(shortened(mask(words), 400))
                self.notify(shown, severity="warning", timeout=10, markup=False)
        self._show_state()

    @on(ConnectionFailed)
    def show_connection_failed(self, message: ConnectionFailed) -> None:
        self._show_failure(self._servers.of(message.link), message.message, message.hint)
        self._show_state()

    @on(ListingReported)
    def show_listing(self, message: ListingReported) -> None:
        server = self._servers.of(message.link)
        if message.outdated:
            server.list_again()
        else:
            server.listed()

    @on(TimelineGrew)
    def show_timeline(self, message: TimelineGrew) -> None:
        server, session = self._servers.of(message.link), message.link.session
        if session is not None:
            self._timeline.show(session, server.label)
            self._show_aside()
            server.reviewer.heard(session.timeline.entries)

    def _show_secrets(self) -> None:
        self._timeline.mask_again()
        self._show_aside()
        self._show_keys()

    def _show_aside(self) -> None:
        """Show the output on stderr and stdout during the shown call, next to its result."""
        view = self._result.view
        record = view.record if view is not None else None
        self._result.show_aside(
            self._timeline.output_of(record) if record is not None else ServerOutput(),
            warnings(record, self.server, is_named=bool(view.known)) if view and record else (),
            self._secrets.known,
        )

    # Messages of the parts.

    @on(ResultPane.UnmaskAsked)
    def unmask(self, message: ResultPane.UnmaskAsked) -> None:
        self.server.selection.unmask(message.record)

    @on(ResultPane.CopyAsked)
    def ask_what_to_copy(self, message: ResultPane.CopyAsked) -> None:
        self._others.open(copy_dialog(message.found, self.action_copy_call))

    @on(ResultNote.Pressed)
    def press_without_result(self, message: ResultNote.Pressed) -> None:
        """Handle a key of the result pane while there is no result: on Enter, open the form if possible.

        Any other key shows a note that says why there is no result.
        """
        if self.server.runner.is_running:
            words = "There is no result yet: the call runs. Esc cancels it."
        elif self.READ_ONLY:
            words = "There is no result up to this point. } goes to the next one."
        elif self.server.selection.tool is None:
            words = "There is no result yet. Choose an item in the catalogue."
        elif message.key == "enter":
            self._room.make_room_for(self._tool)
            self._tool.open_tab("call")
            self._tool.focus_tab(into_fields=True)
            return
        else:
            words = "There is no result yet. Enter goes to the form."
        self.notify(words, markup=False)

    @on(ResultPane.SaveAsked)
    def ask_where_to_save(self, message: ResultPane.SaveAsked) -> None:
        block = block_at(message.sent, message.pointer)
        if block is None:
            self.notify("There is no picture or sound under the cursor, or it is withheld.", markup=False)
        else:
            self._others.open(save_dialog(block, message.record.title, message.record.number))

    def mask(self) -> None:
        """Mask all values again.

        This happens before a call, when the terminal loses focus, and before the program is suspended.
        """
        self.server.selection.mask()

    @property
    def place(self) -> tuple[object, ...]:
        """The state of the screen. If it changes, notes in answer to earlier key presses are out of date."""
        server, tool, record = self.server, self.server.selection.tool, self.server.selection.record
        return (
            server.number,
            tool.name if tool is not None else None,
            self._tool.tab,
            record.number if record is not None else None,
            self._tool.call.is_wrong,
            self._room.is_timeline_long,
            self._room.is_zoomed,
            self.focused,
            self._result.values.spot,
            self._result.is_explaining,
        )

    def end_note(self, before_s: float) -> None:
        """Remove the note in front of the keys if it was made before `before_s`, a time of `time.time`."""
        self._keys.end_note(before_s)

    @property
    def will_focus(self) -> bool:
        """True while something is being opened that will get the focus. The next key waits for it."""
        return self.server.selection.will_focus

    @property
    def is_unmasked(self) -> bool:
        """True if masked values are shown in the result."""
        return self._result.is_unmasked

    @on(CallStarted)
    def describe_call(self, message: CallStarted) -> None:
        self.mask()
        self._timeline.describe(message.name, message.arguments, self._servers.of(message.link).label)

    @on(CallPane.Folded)
    @on(ToolPane.TabOpened)
    def fit_form(self) -> None:
        is_call = self._tool.tab == "call"
        self._room.arrange(
            is_folded=is_call and self._tool.call.is_folded,
            has_few_fields=is_call and self._tool.call.has_few_fields,
            is_reading=not is_call and self._tool.has_focus_within,
        )

    @on(ResultPane.Filled)
    def fit_result(self) -> None:
        self._room.arrange(has_no_result=self._result.is_empty)

    @on(CallFinished)
    def show_finished(self, message: CallFinished) -> None:
        server = self._servers.of(message.link)
        if message.link.session is not None:
            self._timeline.finished(message.link.session, message.record, server.label)
        server.finished(message.record)
        self._show_subscriptions()

    def _show_called(self, server: ServerParts, record: CallRecord) -> None:
        """Add a call or a read by an interface of MCP Apps to the timeline, and review its result."""
        if server.link.session is not None:
            self._timeline.finished(server.link.session, record, server.label)
        server.reviewer.finished(record)

    @on(CallGivenUp)
    def note_given_up(self, message: CallGivenUp) -> None:
        self._servers.of(message.link).given_up(message)

    @on(ResourceReported)
    def tell_changed(self, message: ResourceReported) -> None:
        self._servers.of(message.link).resource_changed(message.uri)
        self._show_subscriptions()

    @on(AuthorizationReported)
    def report_authorization(self, message: AuthorizationReported) -> None:
        self._servers.of(message.link).authorizer.report(message.entry)

    @on(SubscriptionsReported)
    def follow_subscriptions(self, message: SubscriptionsReported) -> None:
        self._servers.of(message.link).subscriptions.settle()
        self._show_subscriptions()
        self._show_keys()

    def _show_subscriptions(self) -> None:
        self._subscriptions.show(self.server.subscriptions, self.server.open_resource)
        self._catalogue.refresh_marks()

    @on(CallStopped)
    def show_stopped(self, message: CallStopped) -> None:
        self._servers.of(message.link).stopped(message)

    @on(RecordAmended)
    def show_amended(self, message: RecordAmended) -> None:
        # The agent session counts the calls of all servers. Only one of them has this record.
        for server in self._servers.all:
            server.selection.amend(message.record)

    @on(SelectionChanged)
    def follow_selection(self) -> None:
        self.fit_form()
        selection = self.server.selection
        for server in self._servers.all:
            server.recorder.follow(selection.level, selection.host)
        self._note_collision()
        self._show_aside()
        self.server.count_history()
        self._subscriptions.show(self.server.subscriptions, self.server.open_resource)
        self._show_state()

    @on(ResultPane.KeysChanged)
    @on(DefinitionPane.KeysChanged)
    @on(OutlineLines.Searched)
    def follow_cursor(self) -> None:
        self._show_keys()

    @on(CallChanged)
    @on(TrustChanged)
    def _show_state(self) -> None:
        self._show_header()
        self._show_keys()
        if isinstance(self.app, GuardedApp):  # pyright: ignore[reportUnknownMemberType]
            self.app.end_old_answers()

    @on(CataloguePane.Rested)
    def open_item(self, message: CataloguePane.Rested) -> None:
        spot = self._rested = message.spot
        if spot.entry is None:
            self._servers.show(spot.server)
        else:
            self._servers.choose(self._servers.all[spot.server]).rest_on(spot.entry)

    @on(CataloguePane.Chosen)
    def choose_item(self, message: CataloguePane.Chosen) -> None:
        spot = message.spot
        if spot.entry is None:
            self._servers.show(spot.server)
            return
        selection = self._servers.choose(self._servers.all[spot.server])
        if selection.has_result_of(spot.entry):
            self._room.make_room_for(self._result)
            selection.choose_result(spot.entry)
        elif isinstance(spot.entry, Item) and not spot.entry.takes_arguments and not self.READ_ONLY:
            self._tool.open_tab("call")
            self._calls.use(self._servers.all[spot.server], spot.entry)
        else:
            selection.choose(spot.entry)

    @on(CallPane.Edited)
    def check_arguments(self, message: CallPane.Edited) -> None:
        self.server.runner.edited(message)

    @on(CallPane.Submitted)
    def submit(self, message: CallPane.Submitted) -> None:
        self._calls.submit(anyway=message.anyway)

    @on(CallPane.Switched)
    def switch_writing(self) -> None:
        self.server.runner.toggle_json()

    @on(ToolPane.FindingsWanted)
    def find(self, message: ToolPane.FindingsWanted) -> None:
        self.server.reviewer.look(message.view, message.of_result)

    @on(FindingsPane.Opened)
    def open_finding(self, message: FindingsPane.Opened) -> None:
        place = self.server.findings.go_to(message.entry)
        if place is not PlaceIn.FRAME:
            self._will_go_back(partial(self.action_tab, "findings"), place)

    def _will_go_back(self, take: Callable[[], None], to: PlaceIn) -> None:
        """Make Esc run `take` after a place in a definition or a result is shown."""
        part = self._result if to is PlaceIn.RESULT else self._tool
        self._back.lead(part, take)
        self._room.make_room_for(part)

    @on(FindingsPane.AcceptanceToggled)
    def toggle_acceptance(self, message: FindingsPane.AcceptanceToggled) -> None:
        self.server.findings.toggle_acceptance(message.entry)

    @on(FindingsPane.Moved)
    def follow_findings(self) -> None:
        if self._tool.has_focus_within:
            self._show_keys()

    @on(SessionTimeline.RoomWanted)
    def enlarge_timeline(self) -> None:
        """Enlarge the timeline, because an unfolded row needs more lines."""
        if not self._room.is_timeline_long:
            self._room.toggle_timeline()
            self._show_keys()

    @on(Lines.Moved, "#timeline")
    def follow_timeline(self) -> None:
        if self._timeline.has_focus:
            self._show_keys()

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

        self._back.lead(self._result, back)
        self._room.make_room_for(self._result)
        selection = self._servers.choose(self._servers.called(message.server))
        selection.look_back(message.record, message.arguments)
        self._result.focus_result()

    def show_frames(self, entry: Entry, session: Session | None) -> None:
        """Show the frames of a timeline entry.

        `session`: the entry's session; None for the session in use.
        """
        shown = session or self.server.link.session
        began_s = self._timeline.began_s(shown) if shown is not None else 0.0
        open_frames(self, shown, entry, known=self._secrets.known, began_s=began_s)

    def show_recorded_call(self, number: int, pointer: str) -> bool:
        """Show the place at `pointer` in the last frame of the recorded call with this number.

        Returns false, because this screen shows no recording. `PlayerScreen` overrides the method.
        """
        del number, pointer
        return False

    @on(events.DescendantFocus)
    def follow_focus(self) -> None:
        """Give the focused part more room, and show the keys that apply there."""
        self._back.follow_focus()
        self._room.arrange(
            is_in_result=self._result.has_focus_within,
            is_reading=self._tool.tab != "call" and self._tool.has_focus_within,
        )
        self._show_keys()

    def _take_rows(self, server: ServerParts, catalogue: Catalogue, rows: Rows) -> None:
        self._end_opening()
        server.selection.relist(catalogue, rows, nothing_listed(server.target))
        self._servers.listed()
        self._note_collision()
        self._show_header()
        if rows:
            self.remove_class("-nothing")

    def _show_server(self) -> None:
        """Update everything that depends on the shown server."""
        self._failure.show(self.server.failure, in_short=self.server.has_something)
        self.server.show_history()
        self._subscriptions.show(self.server.subscriptions, self.server.open_resource)
        self._show_state()

    def _note_collision(self) -> None:
        """Show a note below the definition that names the other servers with a tool of the same name."""
        server, tool = self.server, self.server.selection.tool
        others = (
            self._servers.others_with(server, tool.name) if tool is not None and tool.item is None else ()
        )
        note = collision_note(tool.name, server.label, others, hosts()) if tool and others else Content("")
        self._tool.definition.note(note)

    # Drawing.

    def _marks(self, number: int, tool: Tool | Item) -> RowMarks:
        server = self._servers.all[number]
        if isinstance(tool, Item):
            return RowMarks(signs=(server.subscriptions.mark(tool),))
        listed_as = tool.item.listed_as if tool.item else tool.name
        others = self._servers.others_with(server, tool.name)
        return RowMarks(
            signs=(
                server.mark(listed_as),
                *([collision_mark(others)] if others else ()),
            ),
            findings=server.reviewer.sign(tool),
            badges=self._badges.of(tool).badges,
        )

    def _show_header(self) -> None:
        for each in self._servers.all:
            announced = each.link.profile
            is_silent = announced is not None and not announced.capabilities
            self._catalogue.remark(each.number, "no client capabilities" if is_silent else "")
        self._catalogue.head(self._servers.headings())
        self._result.show_recording(self.server.recorder.begun_s)
        self._header.view = header_view(self._parts, self._gate.gravest_label)

    def _show_failure(self, server: ServerParts, message: str, hint: str) -> None:
        self._end_opening()
        server.forget_call()
        # The reason may quote stderr, which may repeat what was withheld from a result.
        mask = server.vault.known_now.masked_text
        message, hint = mask(message), mask(hint)
        if server.watch is not None and server.watch.shows_failure(message):
            return
        # If a server cannot be started, the same reason arrives with its state and in `ConnectionFailed`.
        is_known = server.failure is not None and headline(server.failure.message) == headline(message)
        server.fail(message, hint)
        if self._servers.are_several and not server.is_shown:
            if not is_known:
                words = shortened(headline(message), 200)
                self.notify(server.named(words), severity="warning", timeout=5, markup=False)
            return
        has_nothing = not (server.has_something or self._servers.are_several)
        self._failure.show(server.failure, in_short=server.has_something)
        self.set_class(has_nothing, "-nothing")
        if has_nothing:
            self.hide_hint()
            self._failure.focus()

    def _hide_failure(self, server: ServerParts) -> None:
        if not server.is_shown:
            return
        if self._failure.has_focus:
            # Textual would move the focus to the nearest sibling, the timeline.
            self._catalogue.focus_list()
        self._failure.show(None)
        self.remove_class("-nothing")

    @on(events.ScreenSuspend)
    def leave_to_another(self) -> None:
        """Mask all values, and hide the keys, because a dialog over this screen shows its own."""
        self.mask()
        self._keys.offers = ()

    @on(events.ScreenResume)
    def _show_keys(self) -> None:
        # A screen behind a dialog counts as current too, but its keys do nothing.
        if not self.is_active:
            return
        part = focused_part(self._parts)
        if self.server.watch is not None:
            is_typing = part in {FocusedPart.INPUT, FocusedPart.FILTER, FocusedPart.SEARCH}
            self.server.watch.strip.note_typing(is_typing)
        now = situation(
            self._parts,
            part,
            is_opening=self._is_opening,
            is_recording=bool(self.READ_ONLY),
            goes_back=self._back.is_to_before,
        )
        self._keys.offers = keys_now(now)

    # Keys.

    def action_back(self) -> None:
        """Leave the focused part, or cancel a running call. Never quits."""
        self._back.go()
        self._show_keys()

    def action_filter(self) -> None:
        if self._timeline.has_focus and self._timeline_filter is not None:
            self._timeline_filter.open()
            return
        self._room.make_room_for(self._catalogue)
        self._catalogue.open_filter()

    def action_submit(self) -> None:
        self._submit(anyway=False)

    def action_send_anyway(self) -> None:
        self._submit(anyway=True)

    def _submit(self, *, anyway: bool) -> None:
        self._after_typing(partial(self._once_open, partial(self._calls.submit, anyway=anyway)))

    def _once_open(self, do: Callable[[], None]) -> None:
        """Call `do` once the item under the cursor is open, because a key pressed right after a move is for that item."""
        spot = self._catalogue.spot
        if spot is not None and (self._catalogue.has_focus_within or spot != self._rested):
            self.open_item(CataloguePane.Rested(spot))
        self.server.selection.once_open(do)

    def action_toggle_json(self) -> None:
        self._tool.open_tab("call")
        self._after_typing(self.server.runner.toggle_json)

    def _after_typing(self, do: Callable[[], None]) -> None:
        # Priority keys overtake other keys. The focused input must first take in what was typed before them.
        if self.focused is None or not self.focused.call_later(do):
            do()

    def action_repeat_call(self) -> None:
        self._once_open(self._calls.repeat)

    def action_watch(self) -> None:
        self._others.saves()

    def action_follow_link(self) -> None:
        uri = self._result.link(only_here=False) or self.server.selection.interface
        if uri is None:
            what = "The result links to no resource" if self._result.view else "There is no result"
            self.notify(f"{what}, and the tool names no interface.", markup=False)
        else:
            self._calls.read(uri)

    def action_subscribe(self) -> None:
        self._once_open(self.server.toggle_subscription)

    def action_open_interface(self) -> None:
        self._once_open(self._open_interface)

    def _open_interface(self) -> None:
        selection = self.server.selection
        self.server.apps.open(selection.record, selection.interface, selection.level)

    @on(ResultPane.LinkChosen)
    def follow_link(self, message: ResultPane.LinkChosen) -> None:
        self._calls.read(message.uri)

    @on(DefinitionPane.FileChosen)
    def read_file(self, message: DefinitionPane.FileChosen) -> None:
        self._calls.read(message.uri)

    def action_submit_form(self) -> None:
        self._once_open(self.server.runner.submit_form)

    def action_copy_call(self) -> None:
        self._once_open(lambda: self.server.runner.copy(self.server.target))

    def action_cycle_level(self, step: int) -> None:
        selection = self.server.selection
        selection.step_level(step)
        if not selection.comparing.is_on:
            self._keys.say(level_note(selection.level))

    def action_sides(self) -> None:
        """Switch between the model's side, the server's side and both, of the result or of the definition.

        The definition is meant if its tab is open, and either has the focus or no result is on the screen.
        """
        is_definition = self._tool.tab == "definition"
        if is_definition and (self._tool.has_focus_within or not self._parts.is_result_shown):
            self._tool.definition.action_sides()
        elif self._parts.is_result_shown:
            self._result.action_sides()
        else:
            self.notify("No result is on the screen.", markup=False)

    def action_copy(self) -> None:
        """Ask what to copy from the result. Only the palette calls this, because the result pane has its own key."""
        if self._result.view is None:
            self.notify("There is no result to copy yet.", markup=False)
        else:
            self._result.action_copy()

    def action_unmask(self) -> None:
        """Show the masked values of the result, or mask them again."""
        if self._parts.is_result_shown or self._result.view is None:
            self._result.action_unmask()
        else:
            self.notify("The result is not on the screen.", markup=False)

    def action_choose_host(self) -> None:
        self._others.choose_host()

    def action_host_back(self) -> None:
        if not self.server.selection.host_back():
            self.notify("No other host was shown yet. h lists the hosts.", markup=False)

    def action_compare_models(self) -> None:
        self._room.make_room_for(self._result)
        if self._result.view is not None:
            self._result.focus_result()
        self.server.selection.compare()

    def action_compare_calls(self) -> None:
        self._others.compare_calls()

    def action_compare_hosts(self) -> None:
        self._others.compare_hosts()

    def action_secrets(self) -> None:
        self._others.secrets()

    def action_findings(self) -> None:
        # Otherwise, Esc on the main screen could open the review again after the user has left it.
        self._back.forget()
        self.server.findings.open_all(self._origin())

    def _origin(self) -> Callable[[], None]:
        """Return a function that shows the present item and tab again, and restores the present focus."""
        tab, focused = self._tool.tab, self.focused
        show_item = self.server.selection.origin(focuses_result=self._result.has_focus_within)

        def show_origin() -> None:
            self._tool.open_tab(tab)
            show_item()
            if focused is not None:
                focused.focus()

        return show_origin

    @on(ToolPane.HistoryAsked)
    def open_history(self) -> None:
        self.action_history()

    def action_history(self) -> None:
        self.server.history_actions.open(self._origin())

    def _will_come_back_to_history(self, to: str) -> None:
        part = self._tool if to == "edit" else self._result
        self._back.lead(part, self.server.history_actions.open_again)
        self._room.make_room_for(part)

    def action_context(self) -> None:
        self._back.forget()
        self.server.findings.open_context(self._origin())

    def action_trust(self) -> None:
        self._others.trust()

    def action_policy(self) -> None:
        self._others.policy()

    def action_new_session(self) -> None:
        self.run_worker(self._gate.renew, group="renewing", exclusive=True)

    def action_page(self) -> None:
        self._others.page()

    def action_pins(self) -> None:
        self._others.pins()

    def action_record(self) -> None:
        self.server.recorder.toggle(
            self.server.link.session, self.server.selection.level, self.server.selection.host
        )

    def action_export(self) -> None:
        self.server.recorder.export(
            self.server.link.session, self.server.selection.level, self.server.selection.host
        )

    def action_reconnect(self) -> None:
        self.server.restart()

    def action_ping(self) -> None:
        if self.server.link.is_ready:
            self.run_worker(self._ping, group="ping", exclusive=True)
        else:
            self.notify(f"There is no connection ({self.server.link.state}). R reconnects.", markup=False)

    async def _ping(self) -> None:
        self.notify(content(shortened(await self.server.link.ping(), 400)).plain, markup=False)

    def action_roots(self) -> None:
        self._others.roots()

    def action_announce(self) -> None:
        self._others.profiles()

    def action_list_again(self) -> None:
        if self.server.link.is_ready:
            self.server.list_again(is_wanted=True)
        else:
            self.notify(f"There is no connection ({self.server.link.state}). R reconnects.", markup=False)

    def action_timeline(self) -> None:
        view = self._result.view if self._result.has_focus_within else None
        if self._room.toggle_timeline():
            if view is not None:
                self._timeline.show_call(view.record)
            return
        self._timeline.fold_all()
        self._timeline.follow()
        if self.focused is self._timeline:
            self._catalogue.focus_list()

    def action_zoom(self) -> None:
        if self._room.is_timeline_alone and not self._room.is_zoomed:
            # `t` has given the timeline the whole screen already.
            self.action_timeline()
        else:
            self._room.toggle_zoom()
        self.call_after_refresh(self._show_keys)

    def action_tab(self, tab: str) -> None:
        self._room.make_room_for(self._tool)
        spot = self._catalogue.spot
        if tab == "call" and spot is not None and spot.entry is not None:
            server = self._servers.all[spot.server]
            is_open = spot == self._rested and not server.selection.is_opening
            if not is_open and server.selection.is_moved_to(spot.entry):
                # The form of the item under the cursor is not open yet.
                self._servers.choose(server).choose(spot.entry)
                return
        self._tool.open_tab(tab)
        if tab != "call" or self.server.selection.tool is not None:
            # The form of a malformed item has nothing that could have the focus.
            self._tool.focus_tab()
