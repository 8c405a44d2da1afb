"""Reads recordings through an index of their lines, 8 bytes per line.

A line is read only when it is requested.
"""

import os
import stat
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import Struct

from inspector.errors import UsageError
from inspector.json.exact import dump, inert
from inspector.recording.codec import MAX_LINE_BYTES, MAX_LINES, Broken, decoded, version_of
from inspector.recording.format import VERSION, End, Header, Line

_MAX_BYTES = 1 << 20


def header_at(path: Path) -> Header:
    """The header of a recording. Raises UsageError if the file is not a recording, or cannot be read."""
    raw = _first_line(path)
    version = version_of(raw)
    if version is None:
        raise UsageError(
            f"{path} is not a recording",
            "Recordings are made with --record FILE, or with w in the interface.",
        )
    if version > VERSION:
        raise UsageError(
            f"{path} is a recording of version {version}; this Sightline knows up to {VERSION}",
            "Update Sightline.",
        )
    header = decoded(raw, version)
    if not isinstance(header, Header):
        reason = header.reason if isinstance(header, Broken) else "it is not a header"
        raise UsageError(f"{path} line 1: {reason}", "Is this the whole file?")
    return header


def begins_as_recording(path: Path) -> bool:
    """True if the first line of a file is that of a recording."""
    try:
        return version_of(_first_line(path)) is not None
    except UsageError:
        return False


def _first_line(path: Path) -> bytes:
    try:
        # Opening a named pipe would otherwise block.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise UsageError(f"cannot read {path}: {reason}", "Check the path.") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(f"{path} is not a file", "Check the path.")
    with os.fdopen(descriptor, "rb") as file:
        return file.readline(_MAX_BYTES).rstrip(b"\r\n")


_CHUNK_BYTES = 1 << 20


class Break(Struct, frozen=True, kw_only=True):
    """The first fault of a recording: its line and the reason."""

    line: int
    """The number of the line, counted from 1."""
    reason: str


@dataclass(slots=True)
class _Found:
    starts: "array[int]" = field(default_factory=lambda: array("Q", [0]))
    """The offset of each line, and the offset after the last one."""
    broken: Break | None = None


class RecordingFile:
    """A recording with an index of its lines, 8 bytes per line. A line is read only when it is requested."""

    def __init__(self, path: Path) -> None:
        """Read the header, and find the beginnings of the lines.

        Raises UsageError if the file is not a recording.
        """
        self.path = path
        self.header = header_at(path)
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}", "Check the path.") from error
        lines = _lines(self._descriptor)
        self._starts = lines.starts
        self.broken = lines.broken
        """The fault that was found while looking for lines; None if there was none. `lines` may find more."""

    def __len__(self) -> int:
        return len(self._starts) - 1

    def raw(self, index: int) -> bytes:
        """The bytes of a line, without its line feed. Line 0 is the header. Raises IndexError."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        start, stop = self._starts[index], self._starts[index + 1]
        return os.pread(self._descriptor, stop - start, start).rstrip(b"\r\n")

    def size(self, index: int) -> int:
        return self._starts[index + 1] - self._starts[index]

    def line(self, index: int) -> Line | Broken:
        """A parsed line. Line 0 is the header. Raises IndexError."""
        return decoded(self.raw(index), self.header.version)

    def lines(self, *, is_outline: bool = False) -> Iterator[Line | Break]:
        """All lines after the header. The first fault is yielded as a `Break`, which ends the sequence.

        `is_outline`: see `decoded`.
        """
        ended = False
        for index, raw in enumerate(self.raws(1), 1):
            line = decoded(raw, self.header.version, is_outline=is_outline)
            reason = fault_of(line, ended=ended)
            if reason:
                yield Break(line=index + 1, reason=reason)
                return
            ended = isinstance(line, End)
            if not isinstance(line, Broken):
                yield line
        ending = self.ending(ended=ended)
        if ending:
            yield ending

    def ending(self, *, ended: bool) -> Break | None:
        """The fault at the end of the recording; None if there is none.

        `ended`: true if the last line is an `End`.
        """
        if self.broken or ended:
            return self.broken
        return Break(line=len(self) + 1, reason="its last line is missing: the session was cut off")

    def raws(self, first: int) -> Iterator[bytes]:
        """The bytes of all lines from `first` on, read in chunks."""
        while first < len(self):
            start = self._starts[first]
            last = max(bisect_right(self._starts, start + _CHUNK_BYTES) - 1, first + 1)
            chunk = os.pread(self._descriptor, self._starts[last] - start, start)
            for index in range(first, last):
                yield chunk[self._starts[index] - start : self._starts[index + 1] - start].rstrip(b"\r\n")
            first = last

    def search(
        self,
        words: str,
        position: int,
        *,
        backwards: bool = False,
        is_cancelled: Callable[[], bool] = lambda: False,
        on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> int | None:
        """The first line after `position`, or the last one before it, that contains the words; None if there is none.

        The words are found both as plain text and with the escapes of JSON. The search is case-sensitive if the
        words have capitals.
        """
        search = RecordingSearch(words)
        total = (
            self._starts[position]
            if backwards
            else self._starts[-1] - self._starts[min(position + 1, len(self))]
        )
        done = 0
        for chunk, start in self._chunks(position, search.longest, backwards=backwards):
            at = search.last(chunk) if backwards else search.first(chunk)
            if at >= 0:
                return bisect_right(self._starts, start + at) - 1
            done += len(chunk)
            on_progress(min(done, total), total)
            if is_cancelled():
                return None
        return None

    def _chunks(self, position: int, longest: int, *, backwards: bool) -> Iterator[tuple[bytes, int]]:
        """Chunks of the file with their offsets.

        Each overlaps the next by the length of the longest pattern.
        """
        beyond = longest - 1
        if backwards:
            stop = self._starts[position]
            while stop > 0:
                start = max(stop - _CHUNK_BYTES, 0)
                end = min(stop + beyond, self._starts[position])
                yield os.pread(self._descriptor, end - start, start), start
                stop = start
            return
        start, end = self._starts[min(position + 1, len(self))], self._starts[-1]
        while start < end:
            yield os.pread(self._descriptor, min(_CHUNK_BYTES + beyond, end - start), start), start
            start += _CHUNK_BYTES

    def close(self) -> None:
        os.close(self._descriptor)


class RecordingSearch:
    """Words to find in the bytes of a recording."""

    def __init__(self, words: str) -> None:
        self._folds = words == words.lower()
        plain = words.encode("utf-8", "replace")
        # JSON may write the same text with backslashes.
        escaped = dump(words)[1:-1]
        self._patterns = tuple(dict.fromkeys((plain, escaped, inert(escaped))))
        self.longest = max(map(len, self._patterns))

    def first(self, chunk: bytes) -> int:
        places = [at for at in map(self._folded(chunk).find, self._patterns) if at >= 0]
        return min(places, default=-1)

    def last(self, chunk: bytes) -> int:
        return max(map(self._folded(chunk).rfind, self._patterns))

    def _folded(self, chunk: bytes) -> bytes:
        return chunk.lower() if self._folds else chunk


class GoodLines:
    """The valid lines of a recording. `broken` is known after the last line was read."""

    def __init__(self, file: RecordingFile, up_to: int | None = None, *, is_outline: bool = False) -> None:
        """`up_to`: the last line to include, counted from 0; None for all. `is_outline`: see `decoded`."""
        self._file = file
        self._up_to = up_to
        self._is_outline = is_outline
        self.broken: Break | None = None

    def __iter__(self) -> Iterator[Line]:
        for index, line in enumerate(self._file.lines(is_outline=self._is_outline), 1):
            if isinstance(line, Break):
                self.broken = line
            elif self._up_to is None or index <= self._up_to:
                yield line
            else:
                return


def fault_of(line: Line | Broken, *, ended: bool) -> str:
    """The reason why a line cannot follow the previous line; empty if it can.

    `ended`: true if the previous line is an `End`.
    """
    if isinstance(line, Broken):
        return line.reason
    if isinstance(line, Header):
        return "another recording begins here"
    return "there are lines after the end of the recording" if ended else ""


def _lines(descriptor: int) -> _Found:
    lines = _Found()
    position = 0
    while chunk := os.pread(descriptor, _CHUNK_BYTES, position):
        at = chunk.find(b"\n")
        while at >= 0:
            lines.starts.append(position + at + 1)
            at = chunk.find(b"\n", at + 1)
        position += len(chunk)
        number = len(lines.starts)
        if number > MAX_LINES:
            del lines.starts[MAX_LINES + 1 :]
            lines.broken = Break(line=number, reason=f"there are more than {MAX_LINES:,} lines")
            return lines
        if position - lines.starts[-1] > MAX_LINE_BYTES:
            lines.broken = Break(line=number, reason=f"it is longer than {MAX_LINE_BYTES:,} bytes")
            return lines
    if position > lines.starts[-1]:
        lines.broken = Break(line=len(lines.starts), reason="it is cut off")
    return lines
