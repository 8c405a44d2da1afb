"""The main screen for a recording: read-only, at a position that the user moves."""

import asyncio
from collections.abc import Callable
from typing import ClassVar

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from inspector.boundary.options import Level
from inspector.json.members import value_at
from inspector.policy.taint import SessionTrust
from inspector.protocol.catalogue import Catalogue, Kind
from inspector.protocol.exchanges import Asked
from inspector.protocol.timeline import Entry, EntryState
from inspector.recording.format import Lenses
from inspector.recording.target import OpenedRecording
from inspector.session.events import SessionState
from inspector.session.live import Session
from inspector.session.recorded import RecordedSession, Scene
from inspector.tui.call.runner import CallChanged
from inspector.tui.catalogue.rows import Rows
from inspector.tui.connection.connection import StateReported
from inspector.tui.connection.source import Opener, ServerSource
from inspector.tui.dialogs.ask import AskField, AskScreen
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.main.screen import MainScreen
from inspector.tui.main.selection import SelectionChanged
from inspector.tui.main.servers import ServerParts
from inspector.tui.player.player import Player, PlayerChanged
from inspector.tui.player.scenes import CallsFound, SceneReader
from inspector.tui.player.timeline import RecordedTimeline
from inspector.tui.player.transport import Play, TransportBar, TransportView, wanted
from inspector.tui.result.note import ResultNote
from inspector.tui.result.pane import ResultPane
from inspector.tui.runtime.workers import work_of
from inspector.tui.text import shortened
from inspector.tui.timeline.rows import called
from inspector.tui.trust.screen import RecordedTrustScreen
from inspector.tui.trust.view import GravestLabel

_UNCALLED = {
    **dict.fromkeys(Kind, " has not been requested up to this point."),
    Kind.TOOL: " has not been called up to this point.",
}
_UNANSWERED = dict.fromkeys(Kind, ": no answer in the recording up to this point.")


class PlayerScreen(MainScreen):
    """The main screen with a transport bar. It shows what was known at the position in the recording."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.RECORDING)
    READ_ONLY: ClassVar[str] = "This is a recording: Sightline makes no call and connects to no server."
    OPENING: ClassVar[str] = "Reading"
    NO_CALL: ClassVar[str] = "No call has ended up to this point. } goes to the next call, > to the end."

    def __init__(
        self,
        opener: Opener,
        opened: OpenedRecording,
        *,
        level: Level,
        host: str,
        copy_secret: Callable[[str], None] | None = None,
    ) -> None:
        timeline = RecordedTimeline()
        source = ServerSource(target=opened.target, opener=opener)
        super().__init__([source], level=level, host=host, copy_secret=copy_secret, timeline=timeline)
        self._opened = opened
        self._bar = TransportBar()
        self._player: Player | None = None
        self._tool_shown: str | None = None
        self._has_scene = False
        self._trust = SessionTrust()
        """The trust labels of the calls that have ended at the position or before it."""
        self._gravest = GravestLabel()
        self._lenses = opened.header.lenses
        """The recorded boundary level and host at the position."""
        self._kept = set[int]()
        """The numbers of the calls whose values are in the vault."""
        self._scenes = SceneReader(self, timeline, self._show_scene, self._review_calls, self._quote)
        self._quoted: tuple[int, str] = (-1, "")
        """The position at which a search has found words, and these words with the text around them."""
        self.server.selection.uncalled = _UNCALLED
        self.server.selection.is_recorded = True
        self._tool.call.add_class("-recorded")
        self._tool.tabs.leave_out("history")

    def above_keys(self) -> ComposeResult:
        yield self._bar

    @on(StateReported)
    def begin_reading(self, message: StateReported) -> None:
        """Create the player once the file is open."""
        session = self.server.link.session
        if message.event.state is SessionState.READY and isinstance(session, RecordedSession):
            self._player = Player(self, session, self._read_scene)
            self._player.begin()
            self._show_bar()
            if self._lenses.host not in self.server.selection.hosts:
                words = f"The recording was made for the host {shortened(self._lenses.host, 40)}, which this version does not know."
                self.notify(words, severity="warning", timeout=15, markup=False)

    async def end(self) -> None:
        """Stop the threads that read the file, then close it."""
        if self._player is not None:
            self._player.end()
        await super().end()

    # The position.

    def _read_scene(self) -> None:
        session, player = self.recorded, self._player
        if session is not None and player is not None and player.is_open:
            tool = self.server.selection.tool
            self._tool_shown = tool.name if tool is not None else None
            self._scenes.move_to(session, player.position, player.since, self._tool_shown)
        self._show_bar()

    def _quote(self, scene: Scene, found: str) -> None:
        self._quoted = (scene.position, found)
        self._show_bar()

    def _show_scene(self, session: RecordedSession, scene: Scene) -> None:
        is_other_listing = session.catalogue is not scene.catalogue or not self._has_scene
        self._has_scene = True
        session.enter(scene)
        if self._player is not None:
            self._player.shown = scene.position
            if self._player.found == scene.position:
                self._scenes.read_match(session, scene, self._player.words)
        self._follow_lenses(scene.lenses)
        self._show_waiting(session, scene)
        if is_other_listing:
            self.server.show_listing(scene.catalogue)
            self.server.reviewer.listed()
        self._show_call(session, scene)
        self._show_state()
        self._show_bar()
        self.call_after_refresh(self._keep_focus)

    def _show_waiting(self, session: RecordedSession, scene: Scene) -> None:
        """If a call of the shown tool has no answer up to the position, say so and show its arguments."""
        tool, before = self._tool_shown, self.server.selection.uncalled
        waiting = (entry for entry in scene.recent.values() if entry.state is EntryState.PENDING)
        entry = next((entry for entry in waiting if tool and called(entry) == tool), None)
        self.server.selection.uncalled = _UNCALLED if entry is None else _UNANSWERED
        if entry is not None and tool is not None:
            self.run_worker(work_of(self._fill_in, session, entry, tool), group="fill in", exclusive=True)
        if before != self.server.selection.uncalled:
            self.server.selection.say_why_none()

    async def _fill_in(self, session: RecordedSession, entry: Entry, tool: str) -> None:
        """Show the arguments of a call without an answer in the form of its tool."""
        try:
            frames = await asyncio.to_thread(session.frames_of, entry)
        except LookupError:
            if session.is_open:
                raise
            return
        asked = (
            event.exchange.request for each in frames for event in each.events if isinstance(event, Asked)
        )
        request = next(asked, None)
        arguments = value_at(request.params if request is not None else None, "arguments")
        if isinstance(arguments, dict) and tool == self._tool_shown:
            self._tool.call.show_arguments(arguments)

    @on(ResultPane.Filled)
    def _keep_focus(self) -> None:
        """Focus the catalogue if the widget with the focus is hidden at the current position."""
        is_hidden = self.focused is None or isinstance(self.focused, ResultNote)
        if is_hidden and self.is_current:
            self._catalogue.focus_list()

    def _show_call(self, session: RecordedSession, scene: Scene) -> None:
        record = scene.landed or scene.record
        if record is not None and session.has_raw and record.number not in self._kept:
            self._kept.add(record.number)
            self.server.vault.expect(record)
        selection, landed = self.server.selection, scene.landed
        is_elsewhere = landed is not None and not self._is_shown(landed.name)
        opens_other = (
            landed is not None
            and is_elsewhere
            and self.server.link.tool(landed.name) is not None
            and (selection.tool is None or selection.tool.name != landed.name)
        )
        selection.recall(record, opens_other=opens_other)
        if landed is not None and is_elsewhere:
            self._go_to_tool(landed.name)
        elif landed is None and (name := self._found_call(scene)) and not self._is_shown(name):
            self._go_to_tool(name)

    def _is_shown(self, name: str) -> bool:
        """True if the tool or item is open, and no other is being opened for an earlier scene."""
        return name == self._tool_shown == self.server.selection.chosen

    def _found_call(self, scene: Scene) -> str:
        """The listed item whose call was running at the line that a search found; empty if there is none."""
        player = self._player
        if player is None or player.found != scene.position or player.since == scene.position:
            return ""
        entries = [each for _, each in sorted(scene.recent.items()) if called(each)]
        about = [each for each in entries if scene.is_frame and scene.frame in each.frames]
        running = [each for each in entries if each.state is EntryState.PENDING]
        name = next((called(each) for each in reversed(about or running)), "")
        return name if self.server.link.tool(name) is not None else ""

    def _review_calls(self, made: CallsFound) -> None:
        found = made.answered
        if self.recorded is not None:
            self.recorded.hear(found)
            if self.server.pins.recorded(found.changes):
                self.server.show_listing(self.recorded.catalogue)
        self._trust, self._gravest = made.trust, made.gravest
        self._show_header()
        for screen in self.app.screen_stack:  # pyright: ignore[reportUnknownMemberType]
            if isinstance(screen, RecordedTrustScreen):
                screen.show_trust(made.trust)
        self.server.reviewer.answered(
            found.records, before=found.before, first=found.changes.first, is_whole=found.is_whole
        )

    def _go_to_tool(self, name: str) -> None:
        """Open the listed tool or item `name`, wherever the cursor of the catalogue is."""
        tool = self.server.link.tool(name)
        if tool is None:
            self.notify(
                f"The call of {shortened(name, 60)} has ended; the server does not list it.",
                markup=False,
            )
        elif tool.item:
            self.server.selection.follow(tool.item)
        else:
            self.server.section.select(tool)
            self.server.selection.open(tool)

    def _follow_lenses(self, recorded: Lenses) -> None:
        """Show the recorded boundary level and host, unless the user has chosen others."""
        before, self._lenses = self._lenses, recorded
        selection = self.server.selection
        is_following = (selection.level, selection.host) == (before.level, before.host)
        has_changed = (recorded.level, recorded.host) != (before.level, before.host)
        if is_following and has_changed and recorded.host in selection.hosts:
            selection.set_lenses(recorded.level, recorded.host)

    @on(SelectionChanged)
    @on(CallChanged)
    def read_other_tool(self) -> None:
        """Show the last call of the tool that was opened, and keep this tool open."""
        tool, player = self.server.selection.tool, self._player
        if player is not None and tool is not None and tool.name != self._tool_shown:
            player.since = player.seen
            self._read_scene()

    def _take_rows(self, server: ServerParts, catalogue: Catalogue, rows: Rows) -> None:
        super()._take_rows(server, catalogue, rows)
        if not rows:
            self._catalogue.say(Content("Nothing is listed here yet."))
        scene = self._scenes.scene
        if scene is not None and scene.landed is not None:
            tool = self.server.link.tool(scene.landed.name)
            if tool is not None and not server.section.select(tool.item or tool) and tool.item:
                self.server.selection.follow(tool.item)

    @on(RecordedTimeline.Wanted)
    def read_entries(self, message: RecordedTimeline.Wanted) -> None:
        if self.recorded is not None:
            self._scenes.read_entries(self.recorded, message.first, message.end)

    def show_frames(self, entry: Entry, session: Session | None) -> None:
        """Show the frames of an entry once they are read."""
        del session
        if self.recorded is not None:
            self._scenes.open_frames(self.recorded, entry)

    def show_recorded_call(self, number: int, pointer: str) -> bool:
        if self.recorded is not None:
            self._scenes.open_call(self.recorded, number, pointer)
        return True

    # What the user does.

    def action_back(self) -> None:
        """Stop a search or the playback. Otherwise, do what Esc does on the main screen."""
        player = self._player
        if player is not None and player.is_searching:
            player.stop_search()
        elif player is not None and player.play is not Play.PAUSED:
            player.pause()
        else:
            super().action_back()

    def action_step(self, step: int) -> None:
        if self._player is not None:
            self._player.step(step)

    def action_step_call(self, step: int) -> None:
        if self._player is not None:
            self._player.step_call(step)

    def action_ends(self, step: int) -> None:
        if self._player is not None:
            self._player.ends(step)

    def action_play(self) -> None:
        if self._player is not None:
            self._player.toggle()

    def action_speed(self) -> None:
        if self._player is not None:
            self._player.toggle_speed()

    def action_jump(self) -> None:
        explanation = "A frame by its number (1200), a time (12.5s, 1:02.5), first, or last."
        self._ask("Jump", explanation, AskField(label="To"), self._jump)

    def action_find(self) -> None:
        words = self._player.words if self._player is not None else ""
        explanation = "Searches the recording from this position on, then from the start. Capitals only matter if you type any."
        self._ask("Find", explanation, AskField(label="Words", value=words), self._find)

    def action_find_again(self, step: int) -> None:
        if self._player is not None and self._player.words:
            self._player.find(self._player.words, backwards=step < 0)
        else:
            self.action_find()

    def action_announce(self) -> None:
        self._say_read_only()

    def action_reconnect(self) -> None:
        """Open the file again if that failed. Otherwise, say that the recording is read-only."""
        if self.server.link.state is SessionState.FAILED:
            super().action_reconnect()
        else:
            self._say_read_only()

    def action_list_again(self) -> None:
        self._say_read_only()

    def action_subscribe(self) -> None:
        self._say_read_only()

    def action_roots(self) -> None:
        self._say_read_only()

    def action_record(self) -> None:
        self.notify("This is a recording already. x exports it.", markup=False)

    def action_copy_call(self) -> None:
        self.notify(
            "Nothing was copied: a recording does not contain the command or address of its server.",
            markup=False,
        )

    def action_secrets(self) -> None:
        if self.recorded is not None and self.recorded.has_raw:
            super().action_secrets()
        else:
            words = (
                "Withheld values are not in a recording: an id replaces each, and equal values have equal ids. "
                "Text that only looks like a credential is recorded as sent."
            )
            self.notify(words, markup=False)

    def action_trust(self) -> None:
        self._others.open(RecordedTrustScreen(self._trust, str(self.server.target)))

    def action_policy(self) -> None:
        self.notify(
            "This is a recording: Sightline decides on no calls here. The recorded decisions are in the timeline (§).",
            markup=False,
        )

    def action_pins(self) -> None:
        self.notify("Definitions can only be pinned with a connected server.", markup=False)

    def action_new_session(self) -> None:
        self._say_read_only()

    def action_history(self) -> None:
        self.notify("A recording has its calls in the timeline (t); { and } go through them.", markup=False)

    def _say_read_only(self) -> None:
        self.notify(self.READ_ONLY, markup=False)

    def _ask(self, title: str, explanation: str, field: AskField, accept: Callable[[str], str]) -> None:
        async def accepted(answers: tuple[str, ...]) -> str:
            return accept(answers[0])

        self.app.push_screen(AskScreen(title, explanation, (field,), accepted, verb=title.lower()))  # pyright: ignore[reportUnknownMemberType]

    def _jump(self, words: str) -> str:
        there = wanted(words)
        if there is None:
            return "Write a number, a time such as 12.5s or 1:02, first, or last."
        return self._player.jump(there) if self._player is not None else ""

    def _find(self, words: str) -> str:
        if not words:
            return "Write the words to find."
        if self._player is not None:
            self._player.find(words)
        return ""

    # Drawing.

    @property
    def will_focus(self) -> bool:
        return super().will_focus or self._scenes.will_open

    @property
    def recorded(self) -> RecordedSession | None:
        """The session that reads the recording; None before the file is open."""
        session = self.server.link.session
        return session if isinstance(session, RecordedSession) else None

    def _show_header(self) -> None:
        super()._show_header()
        if self._header.view is not None:
            self._header.view = replace(
                self._header.view, target=str(self._opened), is_replay=True, trust=self._gravest
            )

    @on(PlayerChanged)
    def _show_bar(self) -> None:
        session, player, scene = self.recorded, self._player, self._scenes.scene
        if session is None or player is None or not player.is_open:
            return
        played = session.played
        broken = played.broken
        self._bar.view = TransportView(
            play=player.play,
            speed=player.speed,
            frame=scene.frame if scene is not None else 0,
            is_frame=scene is None or scene.is_frame,
            frames=scene.frames if scene is not None else 0,
            at_s=played.time_of(player.position),
            end_s=played.time_of(played.last),
            call=played.number_of_call(player.position),
            calls=len(played.calls),
            share=player.position / max(played.last, 1),
            busy=player.busy,
            found=self._quoted[1] if player.found == self._quoted[0] else "",
            broken=f"line {broken.line}: {broken.reason}; the lines before it are shown" if broken else "",
        )
