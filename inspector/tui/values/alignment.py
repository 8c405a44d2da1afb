"""Alignment of two sequences: which items of the two belong together."""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeAlias

GAP = -1
Akin: TypeAlias = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """For each side and row, the index of the line on that row; `GAP` if the side has no line there."""

    left: Sequence[int]
    right: Sequence[int]

    def __len__(self) -> int:
        return len(self.left)


def align(left: Sequence[str], right: Sequence[str], akin: Akin | None = None) -> Alignment:
    """Align two lists of lines in rows. Every line has a row, and the order is kept.

    `akin(i, j)`: true if line i of `left` and line j of `right` are two versions of the same item. In a run
    of unequal lines, the lines at the start share rows pair by pair, up to the first pair that is not akin.
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
            # The other lines cannot be matched, so each has a row of its own.
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
    """Lines of both sides that are still to be compared.

    `rounds`: how often the lines may still be split at anchors, which are lines that occur once on each side.
    """

    left: range
    right: range
    rounds: int


_ROUNDS = 6
_SMALL = 20_000
"""The maximum number of pairs of lines for which every line on the left is compared with every line on the right."""


def _parts(within: _Stretch, left: Sequence[str], right: Sequence[str]) -> "list[_Stretch | _Equal]":
    """The parts of a stretch, split at lines that are the same on both sides; empty if none are found."""
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
    """The number of pairs of lines at the start of `within` that share a row; 0 without `akin`."""
    pairs = zip(within.left, within.right, strict=False)
    return (
        next(
            (n for n, (a, b) in enumerate(pairs) if not akin(a, b)), min(len(within.left), len(within.right))
        )
        if akin
        else 0
    )


def _trimmed(part: _Stretch, left: Sequence[str], right: Sequence[str]) -> tuple[_Equal, _Stretch, _Equal]:
    """The equal lines at the start, the lines in between, and the equal lines at the end."""
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
    """The parts into which anchors split `within`. Each but the first starts with its anchor."""
    starts = [(within.left.start, within.right.start), *anchors]
    ends = [*anchors, (within.left.stop, within.right.stop)]
    return [
        _Stretch(range(start[0], end[0]), range(start[1], end[1]), within.rounds - 1)
        for start, end in zip(starts, ends, strict=True)
    ]


def _anchors(within: _Stretch, left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """The longest sequence of lines that occur once on each side and have the same order on both.

    Each pair has the index of a line on the left side, and on the right side.
    """
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
    """The longest subsequence of pairs whose second members rise. The first members rise in all pairs."""
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
