"""The main screen on a recording: read only, at a position that the user moves."""

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from inspector.boundary.options import Level
from inspector.protocol.catalogue import Catalogue
from inspector.protocol.timeline import Entry
from inspector.recording.format import Lenses
from inspector.recording.target import OpenedRecording
from inspector.session.events import State
from inspector.session.recorded import RecordedSession, Scene
from inspector.tui.call.runner import Calling
from inspector.tui.catalogue.rows import Rows
from inspector.tui.connection.connection import Opener, StateReported
from inspector.tui.dialogs.ask import AskField, AskScreen
from inspector.tui.keys.command import Place
from inspector.tui.keys.table import bindings
from inspector.tui.main.screen import MainScreen
from inspector.tui.player.places import Showing
from inspector.tui.player.playing import Playing
from inspector.tui.player.timeline import RecordedTimeline
from inspector.tui.player.transport import Play, TransportBar, TransportView, wanted
from inspector.tui.text import shortened
from inspector.tui.timeline.pane import TimelinePane

_READ_ONLY = "This is a recording: nothing is called, and no server is reached."


class _NoCalling(Calling):
    """The form of a tool that cannot be called."""

    def obstacle(self) -> str:
        """Why nothing can be called."""
        return _READ_ONLY


class PlayerScreen(MainScreen):
    """The main screen, with a transport bar; what it shows is what was known at the position."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.RECORDING)
    CALLING: ClassVar[type[Calling]] = _NoCalling
    TIMELINE: ClassVar[type[TimelinePane]] = RecordedTimeline
    OPENING: ClassVar[str] = "Reading"
    HAS_PINS: ClassVar[bool] = False
    NO_CALL: ClassVar[str] = "No tool has answered up to here. } goes to the next call, > to the end."

    def __init__(
        self,
        opener: Opener,
        opened: OpenedRecording,
        *,
        level: Level,
        host: str,
        copy_secret: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(opener, opened.target, level=level, host=host, copy_secret=copy_secret)
        self._opened = opened
        self._bar = TransportBar()
        self._playing: Playing | None = None
        self._tool_shown: str | None = None
        self._showing_nothing = True
        self._recorded = opened.header.lenses
        self._taken = set[int]()
        self._showing = Showing(self, lambda: self.query_one(RecordedTimeline), self._take_scene)
        self._looking.uncalled = " was not called up to here."

    def above_keys(self) -> ComposeResult:
        """The transport bar."""
        yield self._bar

    @on(StateReported)
    def begin_reading(self, message: StateReported) -> None:
        """The file is open."""
        session = self._link.session
        if message.event.state is State.READY and isinstance(session, RecordedSession):
            self._playing = Playing(self, session, self._moved, self._show_bar)
            self._playing.begin()
            self._show_bar()
            if self._recorded.host not in self._looking.hosts:
                words = f"It was recorded for {shortened(self._recorded.host, 40)}, a host that is not known here."
                self.notify(words, severity="warning", timeout=15, markup=False)

    async def end(self) -> None:
        """Stop what reads the file, then let go of it."""
        if self._playing is not None:
            self._playing.end()
        await super().end()

    # Where one stands.

    def _moved(self) -> None:
        session, playing = self.recorded, self._playing
        if session is not None and playing is not None:
            tool = self._looking.tool
            self._tool_shown = tool.name if tool is not None else None
            self._showing.stand_at(session, playing.position, playing.since, self._tool_shown)
        self._show_bar()

    def _take_scene(self, session: RecordedSession, scene: Scene) -> None:
        is_listed_anew = session.catalogue is not scene.catalogue or self._showing_nothing
        self._showing_nothing = False
        session.enter(scene)
        self._follow_lenses(scene.lenses)
        if is_listed_anew:
            self._listings.ask(scene.catalogue)
            self._reviewing.listed()
        record = scene.landed or scene.record
        if record is not None and session.has_raw and record.number not in self._taken:
            self._taken.add(record.number)
            self._keeping.expect(record)
        if record is not None and record is not self._looking.record:
            self._reviewing.finished(record)
        self._looking.recall(record)
        if scene.landed is not None and scene.landed.name != self._tool_shown:
            self._go_to_tool(scene.landed.name)
        self._changed()
        self._show_bar()

    def _go_to_tool(self, name: str) -> None:
        """The tool that has answered is opened, wherever the cursor was."""
        tool = self._link.tool(name)
        if tool is None:
            self.notify(f"{shortened(name, 60)} has answered; it is not listed.", markup=False)
        else:
            self._catalogue.select(tool)
            self._looking.open(tool)

    def _follow_lenses(self, recorded: Lenses) -> None:
        """Who looks through the lenses that were recorded goes on to do so; who has chosen others keeps them."""
        before, self._recorded = self._recorded, recorded
        looking = self._looking
        is_following = (looking.level, looking.host) == (before.level, before.host)
        has_changed = (recorded.level, recorded.host) != (before.level, before.host)
        if is_following and has_changed and recorded.host in looking.hosts:
            looking.set_lenses(recorded.level, recorded.host)

    def _changed(self) -> None:
        super()._changed()
        tool = self._looking.tool
        if self._playing is not None and tool is not None and tool.name != self._tool_shown:
            # Another tool is open now: its last call is wanted, and it stays open.
            self._playing.since = self._playing.position
            self._moved()

    def _take_rows(self, asked: Catalogue, rows: Rows) -> None:
        super()._take_rows(asked, rows)
        if not rows:
            self._catalogue.say(Content("Nothing was listed up to here."))
        scene = self._showing.scene
        if scene is not None and scene.landed is not None:
            tool = self._link.tool(scene.landed.name)
            if tool is not None:
                self._catalogue.select(tool)

    @on(RecordedTimeline.Wanted)
    def read_entries(self, message: RecordedTimeline.Wanted) -> None:
        """Entries came into view."""
        if self.recorded is not None:
            self._showing.read_entries(self.recorded, message.first, message.end)

    def show_frames(self, entry: Entry) -> None:
        """The frames of an entry, once they are read."""
        if self.recorded is not None:
            self._showing.open_frames(self.recorded, entry)

    # What the user does.

    def action_back(self) -> None:
        """Stop what goes on by itself; then as anywhere."""
        playing = self._playing
        if playing is not None and playing.is_finding:
            playing.stop_finding()
        elif playing is not None and playing.play is not Play.PAUSED:
            playing.pause()
        else:
            super().action_back()

    def action_step(self, step: int) -> None:
        """The next frame or note, or the one before."""
        if self._playing is not None:
            self._playing.step(step)

    def action_step_call(self, step: int) -> None:
        """The next answer of a tool, or the one before."""
        if self._playing is not None:
            self._playing.step_call(step)

    def action_ends(self, step: int) -> None:
        """The start, or the end."""
        if self._playing is not None:
            self._playing.ends(step)

    def action_play(self) -> None:
        """Play, or pause."""
        if self._playing is not None:
            self._playing.toggle()

    def action_speed(self) -> None:
        """Cut pauses, or take the time that it took."""
        if self._playing is not None:
            self._playing.toggle_speed()

    def action_jump(self) -> None:
        """To a frame or a time."""
        explanation = "A frame by its number (1200), a time (12.5s, 1:02.5), first, or last."
        self._ask("Jump", explanation, AskField(label="To"), self._jump)

    def action_find(self) -> None:
        """Words, from here on."""
        words = self._playing.words if self._playing is not None else ""
        explanation = "Finds words in what was recorded, from here on. Capitals count where you write any."
        self._ask("Find", explanation, AskField(label="Words", value=words), self._find)

    def action_find_again(self, step: int) -> None:
        """The same words, further on or before."""
        if self._playing is not None and self._playing.words:
            self._playing.find(self._playing.words, backwards=step < 0)
        else:
            self.action_find()

    def action_reconnect(self) -> None:
        """There is no server; what could not be opened is tried again."""
        if self._link.state is State.FAILED:
            super().action_reconnect()
        else:
            self._say_read_only()

    def action_list_again(self) -> None:
        """There is no server to ask."""
        self._say_read_only()

    def action_record(self) -> None:
        """It is recorded already."""
        self.notify("This is a recording already. x exports it.", markup=False)

    def action_copy_call(self) -> None:
        """There is no command: a recording does not hold how its server is reached."""
        self.notify("A recording does not say how its server is reached: nothing was copied.", markup=False)

    def action_secrets(self) -> None:
        """There are none, but for who has the key to what is sealed."""
        if self.recorded is not None and self.recorded.has_raw:
            super().action_secrets()
        else:
            words = (
                "A recording holds no secrets: where one was, stands an id, and equal values have equal ids."
            )
            self.notify(words, markup=False)

    def action_trust(self) -> None:
        """Nothing is decided here; what was decided is in the timeline."""
        self.notify("Nothing is decided here. What was decided stands in the timeline (§).", markup=False)

    def action_new_session(self) -> None:
        """No agent session goes on here."""
        self._say_read_only()

    def _say_read_only(self) -> None:
        self.notify(_READ_ONLY, markup=False)

    def _ask(self, title: str, explanation: str, field: AskField, accept: Callable[[str], str]) -> None:
        async def accepted(answers: tuple[str, ...]) -> str:
            return accept(answers[0])

        self.app.push_screen(AskScreen(title, explanation, (field,), accepted))  # pyright: ignore[reportUnknownMemberType]

    def _jump(self, words: str) -> str:
        there = wanted(words)
        if there is None:
            return "Write a number, a time such as 12.5s or 1:02, first, or last."
        return self._playing.jump(there) if self._playing is not None else ""

    def _find(self, words: str) -> str:
        if not words:
            return "Write what is to be found."
        if self._playing is not None:
            self._playing.find(words)
        return ""

    # Drawing.

    @property
    def recorded(self) -> RecordedSession | None:
        """What is looked into; None before it is open."""
        session = self._link.session
        return session if isinstance(session, RecordedSession) else None

    def _show_header(self) -> None:
        super()._show_header()
        if self._header.view is not None:
            self._header.view = replace(self._header.view, target=str(self._opened), is_replay=True)

    def _show_bar(self) -> None:
        session, playing, scene = self.recorded, self._playing, self._showing.scene
        if session is None or playing is None or not playing.is_open:
            return
        played = session.played
        broken = played.broken
        self._bar.view = TransportView(
            play=playing.play,
            frame=scene.frame if scene is not None else 0,
            is_frame=scene is None or scene.is_frame,
            frames=scene.frames if scene is not None else 0,
            at_s=played.time_of(playing.position),
            end_s=played.time_of(played.last),
            call=played.number_of_call(playing.position),
            calls=len(played.calls),
            share=playing.position / max(played.last, 1),
            busy=playing.busy,
            broken=f"line {broken.line}: {broken.reason}; what is before it is shown" if broken else "",
        )
