"""The transport bar: the position in a recording, the speed, and the keys that move."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import ClassVar, TypeAlias

from msgspec import Struct
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from inspector.json.exact import dump_text
from inspector.tui.keys.table import command
from inspector.tui.text import content, shortened

_AROUND = 40
"""The number of characters of a message that are quoted before and after what a search has found."""
LEAST_TRACK = 8
"""The minimum width of the track in cells. If there is less room, the track is left out."""


class Play(Enum):
    """The states of the player: paused, or playing at one of two speeds."""

    PAUSED = auto()
    COMPRESSED = auto()
    REAL = auto()


_PLAY = {
    Play.PAUSED: ("‖ paused", "bold"),
    Play.COMPRESSED: ("▶ playing, pauses cut", "bold $text-success"),
    Play.REAL: ("▶ playing, real time", "bold $text-success"),
}


class TransportView(Struct, frozen=True, kw_only=True):
    """The facts that the transport bar shows."""

    play: Play = Play.PAUSED
    speed: Play = Play.COMPRESSED
    """The speed of the player when it plays."""
    frame: int = 0
    """The number of the last frame up to the position; 0 if there is none."""
    is_frame: bool = True
    """True if the line at the position is frame number `frame`; false if the line comes after that frame."""
    frames: int = 0
    """The number of frames in the part of the file that has been read."""
    at_s: float = 0.0
    end_s: float = 0.0
    call: int = 0
    """The number of calls that have ended up to the position."""
    calls: int = 0
    share: float = 0.0
    """The position in the file, from 0 to 1."""
    busy: str = ""
    """The activity in progress and its percentage, such as `reading 34%`."""
    found: str = ""
    """The words that a search has found at the position, with the text around them. Untrusted text.

    Empty without a search.
    """
    broken: str = ""
    """The first line of the file that is not valid, and the reason; empty if all lines are valid."""


@dataclass(frozen=True, slots=True)
class FrameWanted:
    """A position that the user asks for: a frame, by its number."""

    number: int


@dataclass(frozen=True, slots=True)
class TimeWanted:
    """A position that the user asks for: a time in seconds since the start of the recording."""

    at_s: float


class EndWanted(Enum):
    """A position that the user asks for: the start or the end of the recording."""

    FIRST = auto()
    LAST = auto()


Wanted: TypeAlias = FrameWanted | TimeWanted | EndWanted
_FRAME = re.compile(r"#?\s*([0-9][0-9,]{0,20})")

_SECONDS = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)\s*s")

_CLOCK = re.compile(r"(?:([0-9]{1,9}):)?([0-9]{1,9}):([0-9]{1,2}(?:\.[0-9]{1,9})?)")


def wanted(words: str) -> Wanted | None:
    """Parse what the user typed: `1200`, `12.5s`, `1:02.5`, `first`, `last`. None if it is none of these."""
    text = words.strip().lower()
    if text in {"first", "start", "begin"}:
        return EndWanted.FIRST
    if text in {"last", "end"}:
        return EndWanted.LAST
    if found := _FRAME.fullmatch(text):
        return FrameWanted(int(found[1].replace(",", "")))
    if found := _SECONDS.fullmatch(text):
        return TimeWanted(float(found[1]))
    if found := _CLOCK.fullmatch(text):
        return TimeWanted(int(found[1] or 0) * 3600 + int(found[2]) * 60 + float(found[3]))
    return None


def clock(at_s: float) -> str:
    """A time in the format of media players: `0:12.4`, from one hour on `1:04:33`."""
    tenths = min(round(max(at_s, 0.0) * 10), 10**15)
    minutes, rest = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02d}:{rest // 10:02d}"
    return f"{minutes}:{rest // 10:02d}.{rest % 10}"


def bar_line(view: TransportView, width: int) -> Content:
    """The first line of the bar, in `width` cells: state and position, and a track if there is room."""
    words, style = _PLAY[view.play]
    if view.play is Play.PAUSED and view.speed is Play.REAL:
        words += " (real time)"
    parts: list[Content] = [Content.styled(words, style), *_places(view)]
    if view.busy:
        parts.insert(1, content(view.busy, "$text-warning"))
    while len(parts) > 2 and _length(parts) > width - 2:
        parts.pop()
    left = Content("  ").join(parts)
    room = width - left.cell_length - 4
    if room < LEAST_TRACK:
        return Content.assemble(" ", left)
    return Content.assemble(" ", left, "  ", _track(view.share, room))


def keys_line(ids: Sequence[tuple[str, str]], width: int) -> Content:
    """As many keys of the player as fit in `width` cells.

    `ids`: pairs of comma-separated command ids and their common label.
    """
    parts: list[Content | str] = [" "]
    taken = 1
    for known, label in ids:
        keys = " ".join(command(one).key.split(" ")[0] for one in known.split(","))
        length = len(keys) + 1 + len(label) + 2
        if taken + length > width:
            break
        parts += [
            Content.styled(keys, "bold $text-accent"),
            Content.styled(f" {label}  ", "$foreground 80%"),
        ]
        taken += length
    return Content.assemble(*parts)


def broken_line(words: str, width: int) -> Content:
    """The line about the first line of the file that is not valid. `words`: its number, and the reason."""
    return Content.assemble(" ! ", content(shortened(words, max(width - 4, 20)), "bold $text-error"))


def found_line(words: str, width: int) -> Content:
    """The line that quotes what a search has found. `words`: untrusted text."""
    return Content.assemble(" found: ", content(shortened(words, max(width - 9, 20)), "$text-accent"))


def match_in(text: str, words: str) -> str:
    """The first occurrence of `words` in `text`, with the text around it, on one line; empty if there is none.

    Case is ignored unless `words` contains capitals.
    """
    escaped = dump_text(words)[1:-1]
    pattern = "|".join(map(re.escape, dict.fromkeys((words, escaped))))
    found = re.search(pattern, text, re.IGNORECASE if words == words.lower() else 0)
    if found is None:
        return ""
    start, end = max(found.start() - _AROUND, 0), min(found.end() + _AROUND, len(text))
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _places(view: TransportView) -> list[Content]:
    where = "" if view.is_frame else "after "
    found = [
        Content(f"{where}frame {view.frame:,} of {view.frames:,}"),
        Content.styled(f"{clock(view.at_s)} of {clock(view.end_s)}", "$foreground 80%"),
    ]
    if view.calls:
        found.append(Content.styled(f"{view.call:,} of {view.calls:,} calls", "$foreground 80%"))
    return found


def _length(parts: Sequence[Content]) -> int:
    return sum(part.cell_length + 2 for part in parts)


def _track(share: float, room: int) -> Content:
    place = min(max(round(share * (room - 1)), 0), room - 1)
    return Content.assemble(
        ("━" * place, "$text-primary"),
        ("●", "bold $text-primary"),
        ("─" * (room - 1 - place), "$foreground 40%"),
    )


class TransportBar(Widget):
    """Shows the position in a recording and the keys that move it.

    After a search, a further line quotes what it has found. If a line of the file is not valid, the last line
    of the bar says which.
    """

    DEFAULT_CSS = """
    TransportBar { height: auto; background: $panel; }
    """
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("play.back,play.step", "step"),
        ("play.previous-call,play.next-call", "call"),
        ("play.first,play.last", "ends"),
        ("play.toggle", "play"),
        ("play.jump", "jump"),
        ("play.find", "find"),
        ("play.find-next", "again"),
        ("play.speed", "speed"),
        ("session.export", "export"),
    )

    view: reactive[TransportView] = reactive(TransportView(), layout=True)

    def render(self) -> Content:
        """Two lines, one more after a search, and one more if the file has a line that is not valid."""
        width = self.size.width
        lines = [bar_line(self.view, width), keys_line(self.KEYS, width)]
        if self.view.found:
            lines.insert(0, found_line(self.view.found, width))
        if self.view.broken:
            lines.append(broken_line(self.view.broken, width))
        return Content("\n").join(lines)
