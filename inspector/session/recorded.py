"""A session that reads a recording, and shows what was known at each line of it.

Such a session makes no connection and no call, and redeems no secret.
"""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.judgement import Judgement
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.output_check import OutputCheck
from inspector.claims.deviations import deviations
from inspector.errors import InspectorError
from inspector.json.exact import JsonObject, JsonText
from inspector.json.members import object_at, text_at, value_at
from inspector.pins.pins import PinState, ServerDefinitions, definitions_of, first_seen, pin_state
from inspector.protocol.calls import called
from inspector.protocol.catalogue import Catalogue
from inspector.protocol.client import Announcement, ClientProfile, recorded_profile
from inspector.protocol.exchanges import Matched, matched, response_in
from inspector.protocol.frames import Frame
from inspector.protocol.outcome import Failure, Outcome
from inspector.protocol.targets import Era
from inspector.protocol.tasks import outcome_of
from inspector.protocol.timeline import Entry, EntryKind, Timeline
from inspector.recording.definitions import listings_in
from inspector.recording.files.playing import Played
from inspector.recording.format import Connected, Header, Lenses, Projected, RecordedCall, RecordedFrame
from inspector.recording.replaying import Replay, ReplayedCall, left_out_of, nonce_of, output_of
from inspector.recording.target import OpenedRecording
from inspector.session.call_record import CallRecord
from inspector.session.events import Listener, SessionState
from inspector.session.facts import ServerFacts, server_facts
from inspector.session.live import Session
from inspector.session.options import Options

if TYPE_CHECKING:
    from inspector.recording.files.sealing import SealedFrames

_ANSWERS = (RecordedFrame, RecordedCall)
_RECENT = 60
"""The number of timeline entries in a scene: as many as a screen shows."""
_MOST_OTHERS = 50
"""The maximum number of lines that are searched backwards for a frame."""
_MOST_ANSWERED, _MOST_ANSWERED_BYTES = 1_000, 64 << 20
"""The maximum number of calls that are reviewed, and of bytes of their lines. The last calls are reviewed."""
_MOST_HEARD, _MOST_HEARD_BYTES = 10_000, 64 << 20
"""The maximum number of frames whose messages are reviewed, and of bytes of their lines.

The first frames are reviewed.
"""
_REMEMBERED = 2
"""The number of calls kept in memory: the one on the screen, and the previous one."""


class CallEntry(Entry, frozen=True, kw_only=True):
    """The timeline entry of a call."""

    call: int
    """The number of the call, as in its `CallRecord`; 0 if it has not ended in the recording."""
    arguments: JsonObject
    """The arguments of the call, with placeholders for withheld values."""


class Scene(Struct, frozen=True, kw_only=True):
    """The state of a session at one line of its recording."""

    position: int
    """The number of the line, counted from 0."""
    frame: int
    """The number of the last frame up to the position; 0 if there is none."""
    is_frame: bool
    """True if the line at the position is the frame whose number is in `frame`."""
    frames: int
    """The number of the last frame in the part of the recording that is indexed so far."""
    catalogue: Catalogue
    server: ServerFacts
    profile: ClientProfile
    """The client profile that was announced to the server."""
    lenses: Lenses
    """The boundary, policy and host that applied at the position."""
    entries: int
    """The number of timeline entries up to the position."""
    recent: Mapping[int, Entry]
    """The last `_RECENT` timeline entries up to the position, by index from 0."""
    record: CallRecord | None
    """The last call of the selected tool; None if there is none."""
    landed: CallRecord | None
    """The last call that has ended since the previous position; None if there is none."""
    printed: tuple[Entry, ...]
    """What the server printed during the call in `landed`; if that is None, during the call in `record`."""
    calls: int
    """The number of calls that have ended at the position or before it."""
    listings: int
    """The number of lines up to the position with a part of a listing."""
    unusual: int
    """The number of lines up to the position with a request by the server, or with a protocol fault."""
    begun: int
    """The number of the line at which the connection at the position began."""


class AnsweredCalls(Struct, frozen=True, kw_only=True):
    """The calls that have ended at a position of a recording or before it, and the messages up to the position."""

    records: tuple[CallRecord, ...]
    """The records of the calls, in the order in which the calls ended."""
    before: int
    """The number of records whose calls ended before the connection at the position began."""
    timeline: Timeline
    """The frames up to the position. It may grow when a later position is read."""
    changes: PinState
    """How the definitions at the position differ from those first listed; no changes for a page."""
    is_whole: bool
    """False if there are more frames up to the position than `timeline` has."""


class _Heard:
    """The frames of a recording, read in order."""

    def __init__(self) -> None:
        self.timeline = Timeline()
        self.first: ServerDefinitions | None = None
        """Every definition as the server first listed it."""
        self.position = 0
        """The last line that was read."""
        self._replay = Replay()
        self._bytes = 0

    def read(self, played: Played, position: int) -> bool:
        """Read the lines up to `position`. Returns False if these have too many frames, or too many bytes."""
        while self.position < position:
            place = self.position + 1
            line = played.line(place)
            if isinstance(line, RecordedFrame):
                self._bytes += played.size(place)
                if len(self.timeline.frames) >= _MOST_HEARD or self._bytes > _MOST_HEARD_BYTES:
                    return False
                matched = self._replay.matched(line)
                self.timeline.add(matched)
                for listed in listings_in(matched):
                    self.first = first_seen(self.first, definitions_of(listed, None))
            elif isinstance(line, Connected):
                self._replay.connect()
            self.position = place
        return True


def _options(header: Header) -> Options:
    return Options(policy=header.lenses.policy, client=Announcement(profile=recorded_profile(header.client)))


class RecordedSession(Session):
    """A session that only reads a recording.

    Methods marked as blocking must run in a thread, because a line may have megabytes.
    """

    def __init__(self, opened: OpenedRecording, listener: Listener) -> None:
        super().__init__(opened.target, _options(opened.header), listener)
        self.opened = opened
        self._played: Played | None = None
        self._sealed: SealedFrames | None = None
        self._read: OrderedDict[tuple[int, str], CallRecord] = OrderedDict()
        self._answered: dict[int, tuple[CallRecord, ...]] = {}
        """The calls that `answered` last returned, by the line at which they ended."""
        self.after = ""
        """The part of the recording after the position, in words; empty if nothing follows."""
        self._heard = _Heard()
        self._changing = threading.Lock()
        self._users = 0
        """The number of threads that are reading the file. The last one closes it."""
        self._is_closed = False

    @property
    def played(self) -> Played:
        """The recording, which stays open while a thread reads it. Raises LookupError if it is not open."""
        if self._played is None:
            raise LookupError(self.opened.path)
        return self._played

    @property
    def is_open(self) -> bool:
        """True if threads may begin to read the recording."""
        return self._played is not None and not self._is_closed

    @property
    def client_profile(self) -> ClientProfile | None:
        return self.options.client.profile if self.opened.header.kind != "page" else None

    @property
    def has_raw(self) -> bool:
        """True if withheld values are available from sealed frames."""
        return self._sealed is not None

    async def connect(self) -> ServerFacts:
        """Open the file, without connecting to anything. Raises UsageError."""
        self._enter(SessionState.CONNECTING)
        try:
            self._sealed, self._played = await asyncio.to_thread(_open, self.opened)
        except InspectorError as error:
            self._enter(SessionState.FAILED, error.message, error.hint)
            raise
        self.server = self._facts(None)
        self._enter(SessionState.READY)
        return self.server

    async def locate_secrets(self) -> None:
        """Do nothing, because references of a recording have no address to be redeemed at."""

    async def list_all(self) -> Catalogue:
        return self.catalogue

    async def close(self) -> None:
        await super().close()
        with self._changing:
            self._is_closed = True
            self._close_if_unused()

    @contextmanager
    def reading(self) -> Generator[Played]:
        """Keep the recording open while a thread reads it. Raises LookupError if it is not open."""
        with self._changing:
            if self._is_closed:
                raise LookupError(self.opened.path)
            played = self.played
            self._users += 1
        try:
            yield played
        finally:
            with self._changing:
                self._users -= 1
                self._close_if_unused()

    def _close_if_unused(self) -> None:
        if self._is_closed and not self._users:
            files = (self._played, self._sealed)
            self._played = self._sealed = None
            for file in files:
                if file is not None:
                    file.close()

    def hear(self, found: AnsweredCalls) -> None:
        """Use the timeline of `found` as the timeline of the session."""
        self.timeline = found.timeline

    def enter(self, scene: Scene) -> None:
        """Set the session to the state in `scene`, which was read at one line of the recording."""
        self.catalogue = scene.catalogue
        self.server = scene.server
        self.after = (
            f"frames {scene.frame + 1:,} to {scene.frames:,} of the recording"
            if scene.frame < scene.frames
            else ""
        )
        self.announce(scene.profile)

    def scene(self, position: int, tool: str | None, since: int) -> Scene:
        """The scene at `position`. Blocks: call it in a thread.

        `tool`: the selected tool; None if no tool is selected. `since`: the previous position.
        """
        with self.reading() as played:
            return self._scene(played, position, tool, since)

    def _scene(self, played: Played, position: int, tool: str | None, since: int) -> Scene:
        moment = played.moment(position)
        line = played.line(position)
        asked = moment.calls.get(tool) if tool is not None else None
        passed = [(at.position, name, at.number) for name, at in moment.calls.items() if at.position > since]
        last = max(passed) if passed else None
        landed = self._record(*last) if last else None
        record = self._record(asked.position, tool, asked.number) if asked and tool is not None else None
        entries = played.entry_count(position)
        return Scene(
            position=position,
            frame=_last_frame(played, position),
            is_frame=isinstance(line, RecordedFrame),
            frames=_last_frame(played, played.last),
            catalogue=moment.catalogue,
            server=self._facts(moment.server),
            profile=recorded_profile(moment.client),
            lenses=moment.lenses,
            entries=entries,
            recent=_entries(played, max(entries - _RECENT, 0), entries, position),
            record=record,
            landed=landed,
            printed=self._printed_during(
                landed or record, last[0] if last else asked and asked.position, position
            ),
            calls=played.number_of_call(position),
            listings=played.number_of_listings(position),
            unusual=played.number_unusual(position),
            begun=played.begun(position),
        )

    def _printed_during(
        self, record: CallRecord | None, ended: int | None, position: int
    ) -> tuple[Entry, ...]:
        if record is None or ended is None:
            return ()
        return self.played.printed(ended, record.at_s + record.duration_s, position)

    def answered(self, position: int) -> "AnsweredCalls":
        """The calls that have ended at `position` or before it, and the messages up to it.

        If these are more than `_MOST_ANSWERED` calls or `_MOST_ANSWERED_BYTES` bytes, only the last ones are
        returned. The timeline of a page is empty, because the frames of a browser are recorded without their
        text. Blocks: call it in a thread, and not in two threads at once.
        """
        with self.reading() as played:
            wanted: list[int] = []
            size = 0
            ended = played.calls[: played.number_of_call(position)]
            for place in dict.fromkeys(reversed(ended[-_MOST_ANSWERED:])):
                size += played.size(place)
                if wanted and size > _MOST_ANSWERED_BYTES:
                    break
                wanted.append(place)
            wanted.reverse()
            known = self._answered
            self._answered = {place: known.get(place) or self._ended_at(place) for place in wanted}
            begun = played.begun(position)
            if self._heard.position > position:
                self._heard = _Heard()
            is_whole = self.opened.header.kind == "page" or self._heard.read(played, position)
            return AnsweredCalls(
                records=tuple(record for records in self._answered.values() for record in records),
                before=sum(len(records) for place, records in self._answered.items() if place <= begun),
                timeline=self._heard.timeline,
                changes=pin_state(
                    definitions_of(played.moment(position).catalogue, None), first=self._heard.first
                ),
                is_whole=is_whole,
            )

    def _ended_at(self, position: int) -> tuple[CallRecord, ...]:
        number = self.played.number_of_call(position)
        return tuple(self._made_of(call, position, number) for call in self.played.call(position))

    def entries(self, first: int, end: int, position: int) -> Mapping[int, Entry]:
        """Entries of the timeline by index from 0, as they were at `position`.

        Blocks: call it in a thread.
        """
        with self.reading() as played:
            return _entries(played, first, end, position)

    def entry_of_call(self, number: int) -> Entry | None:
        """The timeline entry of a call by its number, with its answer; None for a call of a page.

        Blocks: call it in a thread.
        """
        with self.reading() as played:
            entry = played.entry_of_call(number)
            return _entry(played, entry, played.last) if entry else None

    def frames_of(self, entry: Entry) -> tuple[Matched, ...]:
        """The frames of an entry: the raw frames if they are sealed and the key was given, otherwise the recorded ones.

        Blocks: call it in a thread.
        """
        with self.reading():
            frames = [self._frame(number) for number in entry.frames]
        return tuple(matched(frame for frame in frames if frame is not None))

    def catalogue_of(self, entry: Entry) -> Catalogue:
        """What was listed when the first frame of an entry was sent.

        These definitions decide what is masked in the entry's answer, because later ones may declare less.

        Blocks: call it in a thread.
        """
        with self.reading() as played:
            position = played.line_of(entry.frames[0]) if entry.frames else None
            return self.catalogue if position is None else played.moment(position).catalogue

    def _frame(self, number: int) -> Frame | None:
        raw = self._sealed.frame(number) if self._sealed is not None else None
        return raw if raw is not None else self.played.frame(number)

    def _record(self, position: int, name: str, number: int) -> CallRecord | None:
        known = self._read.get((position, name))
        if known is None:
            known = self._made(position, name, number)
            if known is not None:
                self._read[position, name] = known
                while len(self._read) > _REMEMBERED:
                    self._read.popitem(last=False)
        return known

    def _made(self, position: int, name: str, number: int) -> CallRecord | None:
        call = next((call for call in self.played.call(position) if call.name == name), None)
        if call is None:
            return None
        record = self._made_of(call, position, number)
        return replace(record, remarks=deviations(record.tool, record.outcome))

    def _made_of(self, call: ReplayedCall, position: int, number: int) -> CallRecord:
        line = self.played.line(position)
        outcome = self._outcome(call, line)
        is_answered = not isinstance(outcome, Failure)
        tool = call.tool
        if tool is not None and tool.item is not None and outcome is not call.outcome:
            # A file of a skill can be verified if its content is sealed, even if the recording withholds it.
            tool = self.played.moment(position).catalogue.tool(call.name) or tool
        return CallRecord(
            number=number,
            name=call.name,
            arguments=object_at(call.arguments),
            judgement=Judgement(outcome, tool, nonce=nonce_of(outcome), output=self._output(call, position)),
            at_s=call.at_s,
            duration_s=call.duration_s,
            size_bytes=line.size if is_answered and isinstance(line, RecordedFrame) else 0,
            received_s=call.at_s + call.duration_s,
            policy=self._policy_at(position),
            has_ids=self._sealed is None,
            has_asked=call.has_asked,
            left_out=left_out_of(line, call.member)
            if isinstance(line, _ANSWERS) and outcome is call.outcome and is_answered
            else (),
        )

    def _output(self, call: ReplayedCall, position: int) -> OutputCheck | None:
        """The recorded comparison with the output schema; None if the sealed result can be compared instead."""
        if self._sealed is not None:
            return None
        return output_of(call, self._projected(call, position), self.played.moment(position).lenses)

    def _projected(self, call: ReplayedCall, position: int) -> Projected | None:
        """The recorded projection of a call, from the lines right after its answer; None if there is none."""
        with suppress(IndexError):
            while isinstance(line := self.played.line(position := position + 1), Projected):
                if (line.frame, line.request) == (call.frame, call.request):
                    return line
        return None

    def _policy_at(self, position: int) -> BoundaryPolicy:
        return self.played.moment(position).lenses.policy

    def _outcome(self, call: ReplayedCall, line: object) -> Outcome:
        """The original outcome if it is sealed and the key was given, otherwise the recorded one."""
        if self._sealed is None or isinstance(line, RecordedCall):
            return call.outcome
        frame = self._sealed.frame(call.frame)
        if isinstance(call.outcome, Failure):
            return replace(call.outcome, detail=_text_of(frame)) if frame is not None else call.outcome
        response = response_in(frame.body, call.request) if frame is not None else None
        if response is None:
            return call.outcome
        return outcome_of(response, call.member)

    def _facts(self, result: JsonObject | None) -> ServerFacts:
        facts = server_facts(Era.AUTO, "", result or {})
        revision = result.get("protocolVersion") if result is not None else None
        return replace(facts, protocol_version=revision if isinstance(revision, str) else "")


def _text_of(frame: Frame) -> str:
    return frame.raw.decode("utf-8", "replace")


def _entries(played: Played, first: int, end: int, position: int) -> Mapping[int, Entry]:
    return {index: _entry(played, index + 1, position) for index in range(first, end)}


def _entry(played: Played, number: int, position: int) -> Entry:
    entry = played.entry(number, position)
    frame = played.frame(entry.frames[0]) if entry.kind is EntryKind.EXCHANGE and entry.frames else None
    asked = frame.body.value if frame is not None and isinstance(frame.body, JsonText) else None
    call = called(text_at(asked, "method") or "", value_at(asked, "params"))
    if call is None:
        return entry
    members = {name: getattr(entry, name) for name in entry.__struct_fields__}
    return CallEntry(**members, call=played.call_of_entry(number), arguments=object_at(call[1]))


def _last_frame(played: Played, position: int) -> int:
    """The number of the last frame up to a line; 0 if there is none in the last `_MOST_OTHERS` lines."""
    place: int | None = position
    for _ in range(_MOST_OTHERS):
        line = played.line(place) if place else None
        if isinstance(line, RecordedFrame):
            return line.number
        place = played.previous(place) if place else None
    return 0


def _open(opened: OpenedRecording) -> "tuple[SealedFrames | None, Played]":
    path = Path(opened.path)
    if opened.identity is None:
        return None, Played(path)
    from inspector.recording.files.sealing import SealedFrames  # noqa: PLC0415 - an extra that few install

    sealed = SealedFrames(path, Path(opened.identity))
    try:
        return sealed, Played(path)
    except BaseException:
        sealed.close()
        raise
