"""Reads scenes (what was known at a position), entries and frames of a recording in threads."""

from collections.abc import Callable, Mapping

from msgspec import Struct
from textual.dom import DOMNode
from textual.screen import Screen

from inspector.json.exact import dump_text
from inspector.policy.gate.ruling import labels_of
from inspector.policy.taint import SessionTrust, TrustLabel
from inspector.protocol.timeline import Entry
from inspector.session.recorded import AnsweredCalls, RecordedSession, Scene
from inspector.tui.player.timeline import RecordedTimeline
from inspector.tui.player.transport import match_in
from inspector.tui.runtime.latest import Latest
from inspector.tui.text import shortened
from inspector.tui.timeline.frame import FrameAsked, FrameScreen, FramesWanted, asked_frame
from inspector.tui.trust.view import GravestLabel, gravest_label

_CHUNK = 1_000
_MASKED = "in a sensitive value, which is masked"


class _SceneAsked(Struct, frozen=True, kw_only=True):
    session: RecordedSession
    position: int
    since: int
    tool: str | None


class _EntriesAsked(Struct, frozen=True, kw_only=True):
    session: RecordedSession
    position: int
    first: int
    end: int


class _CallsAsked(Struct, frozen=True, kw_only=True):
    session: RecordedSession
    position: int


class CallsFound(Struct, frozen=True, kw_only=True):
    """The calls up to a position."""

    answered: AnsweredCalls
    trust: SessionTrust
    """The trust labels that the calls bring into a session."""
    gravest: GravestLabel
    """The most serious of the trust labels."""


class _FramesAsked(Struct, frozen=True, kw_only=True):
    session: RecordedSession
    entry: Entry | None = None
    call: int = 0
    """The number of the call whose entry is wanted, if `entry` is None."""
    pointer: str = ""
    """A pointer to the value to mark in the last frame; empty for none."""
    below: DOMNode
    """The screen that the frames are to cover."""


class _MatchAsked(Struct, frozen=True, kw_only=True):
    session: RecordedSession
    scene: Scene
    words: str


_Asked = _SceneAsked | _EntriesAsked | _CallsAsked | _FramesAsked | _MatchAsked


class SceneReader:
    """Reads a recording in threads. A new request replaces an unfinished older one of the same kind."""

    def __init__(
        self,
        screen: Screen[None],
        timeline: RecordedTimeline,
        show: Callable[[RecordedSession, Scene], None],
        review: Callable[[CallsFound], None],
        quote: Callable[[Scene, str], None],
    ) -> None:
        """`show`: called with each scene before other parts of the screen show its position.

        `review`: called with all calls that have ended at the position or before it. These calls are read for
        the first scene. They are read again for a scene at whose position other calls, other messages, other
        changes of definitions or another connection are known than when the calls were last read.
        `quote`: called with a scene and the text that `read_match` has found in it, which is untrusted.
        """
        self._show = show
        self._review = review
        self._screen = screen
        self._timeline = timeline
        self._scenes = Latest(screen, _made_scene, self._take_scene, self._could_not)
        self._entries = Latest(screen, _made_entries, self._take_entries, self._could_not)
        self._calls = Latest(screen, self._made_calls, self._take_calls, self._could_not)
        self._labels: dict[int, frozenset[TrustLabel]] = {}
        """The trust labels of each call, by its number. Only one thread at a time uses them."""
        self._calls_asked: tuple[int, ...] | None = None
        """The state of the scene for which the calls were last read, to notice changes; None at first.

        The state has the counts of calls, of parts of listings and of unusual lines, and the line at which
        the connection began.
        """
        self._frames = Latest(screen, _made_frames, self._take_frames, self._could_not)
        self._matches = Latest(screen, _made_match, self._take_match, self._could_not)
        self._quote = quote
        self.scene: Scene | None = None
        """The last scene that was read; None before the first."""

    def move_to(self, session: RecordedSession, position: int, since: int, tool: str | None) -> None:
        """Read the scene at `position` in a thread, with the last call of `tool`.

        If a call ended after line `since`, the scene has that call as well.
        """
        self._scenes.ask(_SceneAsked(session=session, position=position, since=since, tool=tool))

    def read_entries(self, session: RecordedSession, first: int, end: int) -> None:
        """Read the timeline entries that came into view, in a thread. `first`, `end`: their range, from 0."""
        scene = self.scene
        if scene is not None:
            last = min(end, scene.entries)
            self._entries.ask(_EntriesAsked(session=session, position=scene.position, first=first, end=last))

    def open_frames(self, session: RecordedSession, entry: Entry) -> None:
        """Open a screen with the frames of an entry, once they are read."""
        self._frames.ask(_FramesAsked(session=session, entry=entry, below=self._screen))

    def open_call(self, session: RecordedSession, number: int, pointer: str) -> None:
        """Open a screen with the frames of a call, once they are read, over the current screen.

        `pointer`: points to the value to mark in the last frame.
        """
        below = self._screen.app.screen  # pyright: ignore[reportUnknownMemberType]
        self._frames.ask(_FramesAsked(session=session, call=number, pointer=pointer, below=below))

    @property
    def will_open(self) -> bool:
        """True while frames are being read for a screen."""
        return self._frames.is_busy

    def read_match(self, session: RecordedSession, scene: Scene, words: str) -> None:
        """Read the line of a scene in a thread, and find the words of a search in it."""
        self._matches.ask(_MatchAsked(session=session, scene=scene, words=words))

    def _take_match(self, asked: _MatchAsked, found: str) -> None:
        self._quote(asked.scene, found)

    def _take_scene(self, asked: _SceneAsked, scene: Scene) -> None:
        if not asked.session.is_open:
            return
        self.scene = scene
        self._timeline.move_to(scene.entries, scene.recent)
        self._timeline.heard(scene.landed or scene.record, scene.printed)
        self._show(asked.session, scene)
        about = (scene.calls, scene.listings, scene.unusual, scene.begun)
        if about != self._calls_asked:
            self._calls_asked = about
            self._calls.ask(_CallsAsked(session=asked.session, position=scene.position))

    def _made_calls(self, asked: _CallsAsked) -> CallsFound:
        answered, server = asked.session.answered(asked.position), str(asked.session.target)
        labels: set[TrustLabel] = set()
        for record in answered.records:
            if record.number not in self._labels:
                self._labels[record.number] = labels_of(record, server).labels
            labels |= self._labels[record.number]
        trust = SessionTrust(labels=frozenset(labels))
        return CallsFound(answered=answered, trust=trust, gravest=gravest_label(trust))

    def _take_calls(self, asked: _CallsAsked, found: CallsFound) -> None:
        del asked
        self._review(found)

    def _take_entries(self, asked: _EntriesAsked, found: Mapping[int, Entry]) -> None:
        if self.scene is not None and self.scene.position == asked.position:
            self._timeline.take(found)

    def _take_frames(self, asked: _FramesAsked, wanted: FramesWanted | None) -> None:
        if wanted is None:
            words = "No frame of a page contains a result. Esc leads to the main screen, and } to the result of the call."
            self._screen.notify(words, timeout=10, markup=False)
        elif not wanted.frames:
            about = ": ".join(
                filter(None, (shortened(wanted.entry.title, 60), shortened(wanted.entry.detail, 300)))
            )
            self._screen.notify(f"This entry has no frames. {about}", timeout=10, markup=False)
        elif self._screen.app.screen is asked.below:  # pyright: ignore[reportUnknownMemberType]
            self._screen.app.push_screen(FrameScreen(wanted))  # pyright: ignore[reportUnknownMemberType]

    def _could_not(self, asked: _Asked, error: BaseException) -> None:
        if not asked.session.is_open:
            return
        words = (
            f"This place of the recording could not be shown ({type(error).__name__}): a defect of Sightline."
        )
        self._screen.notify(words, severity="error", markup=False)


def _made_scene(asked: _SceneAsked) -> Scene:
    return asked.session.scene(asked.position, asked.tool, asked.since)


def _made_entries(asked: _EntriesAsked) -> Mapping[int, Entry]:
    return asked.session.entries(asked.first, asked.end, asked.position)


def _made_match(asked: _MatchAsked) -> str:
    scene, words = asked.scene, asked.words
    about = [entry for entry in scene.recent.values() if not scene.is_frame or scene.frame in entry.frames]
    if not about:
        return ""
    if not scene.is_frame:
        return match_in(f"{about[-1].title}: {about[-1].detail}", words)
    wanted = _wanted(asked.session, about[-1])
    places = [place for place, each in enumerate(wanted.frames) if each.frame.number == scene.frame]
    if not places:
        return ""
    view = asked_frame(FrameAsked(wanted=wanted, place=places[0], chunk=_CHUNK))
    text = view.copied if isinstance(view.copied, str) else dump_text(view.copied)
    found = match_in(text, words)
    return found or (_MASKED if view.masked else "")


def _wanted(session: RecordedSession, entry: Entry, pointer: str = "") -> FramesWanted:
    return FramesWanted(
        entry=entry,
        pointer=pointer,
        frames=session.frames_of(entry),
        catalogue=session.catalogue_of(entry),
        has_ids=not session.has_raw,
    )


def _made_frames(asked: _FramesAsked) -> FramesWanted | None:
    entry = asked.entry or asked.session.entry_of_call(asked.call)
    return _wanted(asked.session, entry, asked.pointer) if entry is not None else None
