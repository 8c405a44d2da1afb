"""Counts once how many lines each container of a value takes, so that any line can be found on its own."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct

from inspector.json.exact import DuplicateKeys, Json, scalar_text
from inspector.safe_text import safe_line

Container: TypeAlias = dict[str, Json] | list[Json] | DuplicateKeys

_WIDE = 256
"""The maximum number of keys of an object whose keys are not kept in a tuple.

The keys of larger objects are kept in a tuple, because a dict cannot be iterated from an index.
"""
_COMMON_WIDTH = 24
"""The maximum width, in characters, of `true`, `false`, `null`, a `float`, or an integer below 10**20."""


class MemberRows(Struct, frozen=True, kw_only=True):
    """The lines that one member of a container takes, counted from the first line of all members."""

    start: int
    stop: int
    node: int
    """The number of the member in the layout if the member is a container; else 0."""


class Spot(Struct, frozen=True, kw_only=True):
    """The member of a container to which a line belongs, and the number of the line in that member."""

    index: int
    """The index of the member in the container."""
    entry: int
    """The index, in `Layout`, of the first entry of the member or of a later member of the container."""
    rest: int
    """The index of the line within the member."""


class Layout(Struct, frozen=True, kw_only=True):
    """The line counts of a value. Containers are numbered level by level; 0 is the outermost.

    Only members that take several lines have an entry: containers that are not empty, and texts that
    are split over lines.
    """

    line_count: int
    width: int
    first: Sequence[int]
    """For each container, the index of its first entry. One more item at the end is the number of entries."""
    position: Sequence[int]
    """For each entry, the index of its member in the container."""
    end: Sequence[int]
    """For each entry, the number of lines that its member and all earlier members of the container take."""
    node: Sequence[int]
    """For each entry, the number of its member if the member is a container; else 0."""
    wide: dict[int, tuple[str, ...]]
    """The keys of each object that has more than `_WIDE` keys, by the number of the container."""

    def inner_lines(self, node: int, size: int) -> int:
        """The number of lines of all members of the container `node`. `size`: the number of its members."""
        low, high = self.first[node], self.first[node + 1]
        return self.end[high - 1] + size - 1 - self.position[high - 1] if high > low else size

    def locate(self, node: int, row: int) -> Spot:
        """The member of the container `node` on line `row`, counted from the first line of all members."""
        low, high = self.first[node], self.first[node + 1]
        entry = bisect_right(self.end, row, low, high)
        line, index = (self.end[entry - 1], self.position[entry - 1] + 1) if entry > low else (0, 0)
        member = index + row - line
        if entry < high and member >= self.position[entry]:
            member = self.position[entry]
            return Spot(index=member, entry=entry, rest=row - (line + member - index))
        return Spot(index=member, entry=entry, rest=0)

    def rows(self, node: int, index: int) -> MemberRows:
        """The lines that the member at `index` of the container `node` takes."""
        low, high = self.first[node], self.first[node + 1]
        entry = bisect_left(self.position, index, low, high)
        line, after = (self.end[entry - 1], self.position[entry - 1] + 1) if entry > low else (0, 0)
        start = line + index - after
        if entry < high and self.position[entry] == index:
            return MemberRows(start=start, stop=self.end[entry], node=self.node[entry])
        return MemberRows(start=start, stop=start + 1, node=0)

    def keys(self, node: int, container: Container) -> Sequence[str] | None:
        """The keys of the container with the number `node`; None if it is not a dict."""
        if isinstance(container, dict):
            return self.wide.get(node) or tuple(container)
        return None


def lay_out(value: Json, indent: int, chunk: int) -> Layout:
    """Lay out `value` with `indent` spaces per level, and texts split after `chunk` characters."""
    return _Survey(indent, chunk).of(value)


def size(container: Container) -> int:
    """The number of members of a container."""
    return len(container.pairs) if isinstance(container, DuplicateKeys) else len(container)


def member_at(container: Container, keys: Sequence[str] | None, index: int) -> tuple[str | None, Json]:
    """The key and the value of a member; the key is None in a list. `keys`: the result of `Layout.keys`."""
    match container:
        case list():
            return None, container[index]
        case DuplicateKeys():
            return container.pairs[index]
        case _:
            key = keys[index] if keys else ""
            return key, container[key]


def quoted_inside(text: str) -> str:
    """The part of a JSON string between its quotes, without control and invisible characters."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        # Most texts. There is nothing to escape or to replace.
        return text
    return safe_line(scalar_text(text)[1:-1])


def key_text(key: str, chunk: int) -> str:
    """A key as it is shown. A key longer than `chunk` is cut, and its length follows the quotes."""
    if len(key) <= chunk:
        return f'"{quoted_inside(key)}"'
    return f'"{quoted_inside(key[:chunk])}…" ⟨{len(key):,} characters⟩'


def piece_starts(text: str, chunk: int) -> Sequence[int]:
    """The index at which each piece of a text starts. Each piece is shown on a line of its own.

    A piece ends after a line feed, or when it fills about `chunk` characters of the line. A quote or a
    backslash fills two characters of the line, because another backslash is shown before it.
    """
    chunk = _piece(text, chunk)
    if "\n" not in text:
        return range(0, max(1, len(text)), chunk)
    starts = array("Q")
    at = 0
    segments = text.split("\n")
    last = segments.pop()
    for segment in segments:
        after = at + len(segment) + 1
        if after - at <= chunk:
            starts.append(at)
        else:
            starts.extend(range(at, after, chunk))
        at = after
    starts.extend(range(at, at + len(last), chunk))
    return starts


def _piece(text: str, chunk: int) -> int:
    """The number of characters of a text that fill `chunk` if each quote and backslash takes two."""
    if len(text) <= chunk // 2:
        return chunk
    escaped = text.count('"') + text.count("\\")
    return max(chunk // 2, chunk * len(text) // (len(text) + escaped + escaped // 2), 1)


class _Survey:
    """Measures a value in one pass, level by level: without recursion, and without storing the depth of containers."""

    def __init__(self, indent: int, chunk: int) -> None:
        self._indent = indent
        self._chunk = chunk
        self._first = array("Q")
        self._position = array("Q")
        self._end = array("Q")
        self._node = array("Q")
        self._sizes = array("Q")
        self._wide: dict[int, tuple[str, ...]] = {}
        self._width = _COMMON_WIDTH
        # An integer of this magnitude or more may be split over lines.
        self._limit = 10 ** (min(chunk, 20) - 1)
        self._key_width = 0
        self._known_keys: set[str] = set()
        self._plain_characters: set[str] = set()
        self._characters: dict[str, int] = {}
        self._fit_lengths(0)

    def of(self, value: Json) -> Layout:
        if not isinstance(value, (dict, list, DuplicateKeys)) or not size(value):
            if isinstance(value, (str, int, float)) and type(value) not in _ONE_LINE:
                return self._layout(self._measure(value, 0))
            return self._layout(1)
        level: list[Container] = [value]
        blanks = 0
        containers = 1
        while level:
            blanks += self._indent
            self._width = max(self._width, blanks + _COMMON_WIDTH)
            below: list[Container] = []
            self._fit_lengths(blanks)
            for container in level:
                members = container if isinstance(container, list) else self._keyed(container)
                self._first.append(len(self._position))
                self._sizes.append(size(container))
                self._members(members, below, blanks, containers)
            containers += len(below)
            level = below
        return self._layout(2 + self._count())

    def _layout(self, line_count: int) -> Layout:
        return Layout(
            line_count=line_count,
            # A colon and a space follow a key, and a comma follows a value.
            width=self._width + self._key_width + 3,
            first=self._first,
            position=self._position,
            end=self._end,
            node=self._node,
            wide=self._wide,
        )

    def _members(self, members: Iterable[Json], below: list[Container], blanks: int, containers: int) -> None:
        """Add entries for the members of one container that take several lines. Most time is spent in this loop."""
        common, likely, room, limit = self._common, self._likely, self._room, self._limit
        for index, member in enumerate(members):
            if isinstance(member, str):
                length = len(member)
                if "\n" not in member and (
                    length <= common
                    or (
                        length <= room
                        and member.isascii()
                        and member.isprintable()
                        and (length <= likely or ('"' not in member and "\\" not in member))
                    )
                ):
                    continue
            elif type(member) in _ONE_LINE or (isinstance(member, int) and -limit < member < limit):
                continue
            if isinstance(member, (dict, list, DuplicateKeys)):
                if size(member):
                    self._entry(index, containers + len(below), 0)
                    below.append(member)
            elif isinstance(member, (str, int, float)):
                lines = self._measure(member, blanks)
                common, likely, room = self._common, self._likely, self._room
                if lines > 1:
                    self._entry(index, 0, lines)

    def _fit_lengths(self, blanks: int) -> None:
        """Set the lengths below which a text surely fits on one line that begins with `blanks` spaces."""
        room = self._width - blanks - 2
        self._room = min(self._chunk, room)
        """The length up to which printable ASCII without a quote or backslash surely fits on one line."""
        self._likely = min(self._chunk, room) // 2
        """The length up to which any printable ASCII surely fits on one line."""
        self._common = min(self._chunk // 2, room // _WORST)
        """The length up to which any text without a line feed surely fits on one line."""

    def _entry(self, index: int, node: int, lines: int) -> None:
        self._position.append(index)
        self._node.append(node)
        self._end.append(lines)

    def _count(self) -> int:
        """Convert the line count of each entry into a running total within its container, innermost first.

        Returns the number of lines of the outermost container's members.
        """
        inner = array("Q", bytes(8 * len(self._sizes)))
        stop = len(self._position)
        for container in range(len(self._sizes) - 1, -1, -1):
            line = after = 0
            start = self._first[container]
            for entry in range(start, stop):
                node = self._node[entry]
                line += self._position[entry] - after + (inner[node] + 2 if node else self._end[entry])
                self._end[entry] = line
                after = self._position[entry] + 1
            inner[container] = line + self._sizes[container] - after
            stop = start
        self._first.append(len(self._position))
        return inner[0]

    def _keyed(self, container: dict[str, Json] | DuplicateKeys) -> Iterable[Json]:
        """Measure the keys of an object, and return its values."""
        pairs = container if isinstance(container, dict) else dict(container.pairs)
        keys = pairs.keys()
        # The objects of a list often have the same keys. Comparing sets is faster than measuring each key.
        if not keys <= self._known_keys:
            for key in keys - self._known_keys:
                if len(key) > self._chunk:
                    self._key_width = max(self._key_width, len(key_text(key, self._chunk)))
                elif 2 + _WORST * len(key) > self._key_width:
                    self._key_width = max(self._key_width, 2 + len(key) + self._escapes(key, len(key)))
            self._known_keys |= keys
        if isinstance(container, DuplicateKeys):
            return [member for _, member in container.pairs]
        if len(container) > _WIDE:
            self._wide[len(self._sizes)] = tuple(container)
        return container.values()

    def _measure(self, value: str | float, blanks: int) -> int:
        """The number of lines that a leaf takes. Widens the document if necessary."""
        text = value if isinstance(value, str) else scalar_text(value)
        lines, longest = 1, len(text)
        if "\n" in text:
            lines = len(piece_starts(text, self._chunk))
            longest = min(self._chunk, 1 + max(map(len, text.split("\n"))))
        elif longest > self._chunk // 2:
            piece = _piece(text, self._chunk)
            lines, longest = -(-longest // piece), min(piece, longest)
        if blanks + 2 + longest * _WORST > self._width:
            self._width = max(self._width, blanks + 2 + longest + self._escapes(text, longest))
            self._fit_lengths(blanks)
        return lines

    def _escapes(self, text: str, longest: int) -> int:
        """The maximum number of cells that escapes and wide symbols add to a piece of `text` with `longest` characters."""
        if text.isascii() and text.isprintable():
            return min(longest, text.count('"') + text.count("\\"))
        if self._plain_characters.issuperset(text):
            return 0
        added: list[int] = []
        for character in set(text) - self._plain_characters:
            width = self._characters.get(character) or len(quoted_inside(character))
            if width == 1:
                self._plain_characters.add(character)
                continue
            self._characters[character] = width
            most = 1 if character == "\n" else longest
            # Counting is a pass over the text, so it is not done for every strange character of a hostile
            # text.
            count = text.count(character, 0) if len(added) < 16 else most
            added.append((width - 1) * min(most, count))
        return min(sum(added), longest * (_WORST - 1))


_ONE_LINE = frozenset((bool, type(None), float))
_WORST = 9
"""The maximum number of characters that show one character: `⟨U+E0100⟩`."""
