"""Which lines belong to which of many places: arrays of numbers, so that 200,000 places cost a few megabytes."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import groupby


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
