"""Alignment of two sequences of lines, and marks on them."""

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import merge
from itertools import groupby
from typing import TypeAlias, overload

from inspector.json.document import Document, Line, SpanKind

GAP = -1
Akin: TypeAlias = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Which line of each side stands on a row; `GAP` where none does."""

    left: Sequence[int]
    right: Sequence[int]

    def __len__(self) -> int:
        return len(self.left)

    @property
    def shared(self) -> int:
        """How many rows have something on both sides."""
        return sum(1 for pair in zip(self.left, self.right, strict=True) if GAP not in pair)


def side_by_side(left_count: int, right_count: int) -> Alignment:
    """Line by line, without looking at what they say: for what is too large to be compared."""
    count = max(left_count, right_count)
    return Alignment(_Padded(left_count, count), _Padded(right_count, count))


class _Padded(Sequence[int]):
    """So many lines, then gaps. It takes no room, however many they are."""

    __slots__ = ("_count", "_lines")

    def __init__(self, lines: int, count: int) -> None:
        self._lines = range(lines)
        self._count = range(count)

    def __len__(self) -> int:
        return len(self._count)

    @overload
    def __getitem__(self, index: int) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...

    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self[row] for row in self._count[index]]
        row = self._count[index]
        return row if row < len(self._lines) else GAP


def align(left: Sequence[str], right: Sequence[str], akin: Akin | None = None) -> Alignment:
    """The rows on which two lists of lines stand beside each other. Every line has a row, in order.

    `akin`: whether two lines that differ are one and the same thing, by their places. They share a row where
    they come first among lines that differ.
    """
    lefts, rights = array("l"), array("l")
    waiting: list[_Stretch | _Equal] = [_Stretch(range(len(left)), range(len(right)), _ROUNDS)]
    while waiting:
        part = waiting.pop()
        if isinstance(part, _Equal):
            lefts.extend(part.left)
            rights.extend(part.right)
            continue
        before, within, after = _trimmed(part, left, right)
        parts = _parts(within, left, right) if within.rounds else []
        if parts:
            waiting.extend((after, *reversed(parts), before))
        else:
            paired = _paired(within, akin)
            a, b = within.left[paired:], within.right[paired:]
            # Nothing says which of the others belong together, so each has a row of its own.
            lefts.extend([*before.left, *within.left[:paired], *a, *([GAP] * len(b)), *after.left])
            rights.extend([*before.right, *within.right[:paired], *([GAP] * len(a)), *b, *after.right])
    return Alignment(lefts, rights)


@dataclass(frozen=True, slots=True)
class _Equal:
    """Lines that are the same on both sides."""

    left: range
    right: range


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Lines still to be compared, with as many rounds of anchoring."""

    left: range
    right: range
    rounds: int


_ROUNDS = 6
_SMALL = 20_000
"""Pairs of lines that are few enough to be compared each with each."""


def _parts(within: _Stretch, left: Sequence[str], right: Sequence[str]) -> "list[_Stretch | _Equal]":
    """A stretch cut where lines are surely the same; none where no line is."""
    anchors = _anchors(within, left, right)
    if anchors:
        return [*_between(within, anchors)]
    if not 0 < len(within.left) * len(within.right) <= _SMALL:
        return []
    matcher = SequenceMatcher(
        None, [left[n] for n in within.left], [right[n] for n in within.right], autojunk=False
    )
    parts: list[_Stretch | _Equal] = []
    a = b = 0
    for block in matcher.get_matching_blocks():
        parts.append(_Stretch(within.left[a : block.a], within.right[b : block.b], 0))
        a, b = block.a + block.size, block.b + block.size
        parts.append(_Equal(within.left[block.a : a], within.right[block.b : b]))
    return parts if len(parts) > 2 else []


def _paired(within: _Stretch, akin: Akin | None) -> int:
    """How many lines at the start share their rows."""
    pairs = zip(within.left, within.right, strict=False)
    return (
        next(
            (n for n, (a, b) in enumerate(pairs) if not akin(a, b)), min(len(within.left), len(within.right))
        )
        if akin
        else 0
    )


def _trimmed(part: _Stretch, left: Sequence[str], right: Sequence[str]) -> tuple[_Equal, _Stretch, _Equal]:
    """The equal lines at the start, what is between, and the equal lines at the end."""
    a, b = part.left, part.right
    start, longest = 0, min(len(a), len(b))
    while start < longest and left[a[start]] == right[b[start]]:
        start += 1
    end, longest = 0, longest - start
    while end < longest and left[a[-1 - end]] == right[b[-1 - end]]:
        end += 1
    return (
        _Equal(a[:start], b[:start]),
        _Stretch(a[start : len(a) - end], b[start : len(b) - end], part.rounds),
        _Equal(a[len(a) - end :], b[len(b) - end :]),
    )


def _between(within: _Stretch, anchors: list[tuple[int, int]]) -> list[_Stretch]:
    """The stretches that anchors cut `within` into; each starts with its anchor."""
    starts = [(within.left.start, within.right.start), *anchors]
    ends = [*anchors, (within.left.stop, within.right.stop)]
    return [
        _Stretch(range(start[0], end[0]), range(start[1], end[1]), within.rounds - 1)
        for start, end in zip(starts, ends, strict=True)
    ]


def _anchors(within: _Stretch, left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of lines that occur once on each side, as many as stand in one order on both."""
    once_left = Counter(left[index] for index in within.left)
    once_right = Counter(right[index] for index in within.right)
    places = {right[index]: index for index in within.right if once_right[right[index]] == 1}
    pairs = [
        (index, places[left[index]])
        for index in within.left
        if once_left[left[index]] == 1 and left[index] in places
    ]
    return _rising(pairs)


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs whose second members rise as the first ones do."""
    ends: list[int] = []
    chosen: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        at = bisect_left(ends, place)
        before.append(chosen[at - 1] if at else GAP)
        if at == len(ends):
            ends.append(place)
            chosen.append(number)
        else:
            ends[at] = place
            chosen[at] = number
    run: list[tuple[int, int]] = []
    number = chosen[-1] if chosen else GAP
    while number != GAP:
        run.append(pairs[number])
        number = before[number]
    run.reverse()
    return run


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """Lines that places take. Finding out about one line takes as long as a search in a sorted array."""

    begins: Sequence[int] = ()
    """The first line of each place, in order."""
    places: Sequence[int] = ()
    """By the same index: which place it is."""
    starts: Sequence[int] = ()
    stops: Sequence[int] = ()
    """Stretches of lines that are covered, apart from each other and in order."""

    def covers(self, line: int) -> bool:
        """Whether `line` belongs to a place."""
        found = bisect_right(self.starts, line) - 1
        return found >= 0 and line < self.stops[found]

    def begin(self, line: int) -> bool:
        """Whether a place begins on `line`."""
        found = bisect_left(self.begins, line)
        return found < len(self.begins) and self.begins[found] == line

    def of(self, line: int) -> Sequence[int]:
        """The places that `line` belongs to: those that begin there, else the one around it."""
        found = self._beginning(line)
        if found:
            return found
        around = bisect_right(self.starts, line) - 1
        return self._beginning(self.starts[around]) if around >= 0 and line < self.stops[around] else ()

    def _beginning(self, line: int) -> Sequence[int]:
        low = bisect_left(self.begins, line)
        return self.places[low : bisect_right(self.begins, line, low)]


def marks(extents: Iterable[tuple[int, int]]) -> Marks:
    """Marks from the first line of each place, and the line behind its last one. Empty ones take none."""
    begins, ends, places = array("Q"), array("Q"), array("Q")
    is_sorted = True
    for place, (begin, end) in enumerate(extents):
        if begin < end:
            is_sorted = is_sorted and (not begins or begins[-1] <= begin)
            begins.append(begin)
            ends.append(end)
            places.append(place)
    if not is_sorted:
        order = sorted(range(len(begins)), key=begins.__getitem__)
        begins, ends, places = _ordered(begins, order), _ordered(ends, order), _ordered(places, order)
    starts, stops = _joined(begins, ends)
    return Marks(begins=begins, places=places, starts=starts, stops=stops)


def merged(one: Sequence[int], other: Sequence[int]) -> Sequence[int]:
    """Two sorted sequences of lines as one, in which no line occurs twice."""
    return array("Q", (line for line, _ in groupby(merge(one, other))))


def nearest(lines: Sequence[int], line: int, step: int) -> int | None:
    """The first of `lines`, which are sorted, behind `line`; the last one before it where `step` is negative."""
    found = bisect_right(lines, line) if step > 0 else bisect_left(lines, line) - 1
    return lines[found] if 0 <= found < len(lines) else None


def _ordered(values: "array[int]", order: Sequence[int]) -> "array[int]":
    return array("Q", (values[index] for index in order))


def _joined(begins: Sequence[int], ends: Sequence[int]) -> tuple["array[int]", "array[int]"]:
    """What overlaps, as one stretch."""
    starts, stops = array("Q"), array("Q")
    for begin, end in zip(begins, ends, strict=True):
        if stops and begin < stops[-1]:
            stops[-1] = max(stops[-1], end)
        else:
            starts.append(begin)
            stops.append(end)
    return starts, stops


MAX_ALIGNED_LINES = 20_000
"""Longer documents stand line beside line."""


def aligned(raw: Document, model: Document) -> Alignment | None:
    """Both documents with what is the same on one row; None where they are too large, or have too little in common.

    A host that hands over a text of its own has nothing that could stand beside a line of the raw result.
    """
    if raw.line_count + model.line_count > MAX_ALIGNED_LINES:
        return None
    left, right = raw.lines(0, raw.line_count), model.lines(0, model.line_count)
    left_keys, right_keys = [_key(line) for line in left], [_key(line) for line in right]
    found = align(
        [line_text(line) for line in left],
        [line_text(line) for line in right],
        lambda a, b: left_keys[a] is not None and left_keys[a] == right_keys[b],
    )
    return found if found.shared * 2 >= min(len(left), len(right)) else None


def _key(line: Line) -> str | None:
    return next((span.text for span in line.spans if span.kind is SpanKind.KEY), None)


def line_text(line: "Line") -> str:
    """A line without what differs only because something around it is gone: indentation and commas."""
    return "".join(span.text for span in line.spans).strip().rstrip(",")
