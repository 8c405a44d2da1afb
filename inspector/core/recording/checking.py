"""Recorded results projected again with the code of today, and compared with what was recorded of their projection."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from inspector.core.identity.changes import changes
from inspector.core.recording.format import Line, Projected, RecordedCall, RecordedFrame
from inspector.core.recording.replaying import Replay, ReplayedCall, projected

_Item = TypeVar("_Item", tuple[str, str], str)

MAX_MISMATCHES = 100
"""Of one call; more are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """One way in which a result is not what it was."""

    pointer: str
    """Into what the model sees, or, of a removal, into the result."""
    what: str
    """In words of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCall:
    """One recorded projection, gone through again."""

    frame: int
    tool: str
    """Foreign text."""
    mismatches: tuple[Mismatch, ...]
    untold: int = 0
    """How many more there are."""


def checked(lines: Iterable[Line]) -> Iterator[CheckedCall]:
    """Every projection in a recording, in its order. Its lines in the order of the file."""
    replay = Replay()
    calls: dict[tuple[int, str], ReplayedCall] = {}
    for line in lines:
        match line:
            case RecordedFrame():
                calls = {(call.frame, call.request): call for call in replay.take(replay.frame(line))}
            case RecordedCall():
                found = replay.call(line)
                calls = {(found.frame, found.request): found}
            case Projected():
                yield _checked(line, calls.pop((line.frame, line.request), None))
            case _:
                pass


def _checked(recorded: Projected, call: ReplayedCall | None) -> CheckedCall:
    found = list(_mismatches(recorded, call))
    return CheckedCall(
        frame=recorded.frame,
        tool=recorded.tool,
        mismatches=tuple(found[:MAX_MISMATCHES]),
        untold=max(len(found) - MAX_MISMATCHES, 0),
    )


def _mismatches(recorded: Projected, call: ReplayedCall | None) -> Iterator[Mismatch]:
    if call is None:
        yield Mismatch(pointer="", what="the answer that it is of is not in the recording")
        return
    today = projected(call, recorded.lenses)
    if today is None:
        yield Mismatch(pointer="", what="the host that it was recorded for is not known any more")
        return
    if recorded.digest or today.digest:
        if recorded.digest != today.digest:
            yield Mismatch(pointer="", what="the model sees something else, too large to be told apart")
    else:
        for change in changes(recorded.model, today.model):
            yield Mismatch(pointer=change.pointer, what=f"what the model sees was {change.kind.value}")
    for pointer, rule in _without(recorded.removals, today.removals):
        yield Mismatch(pointer=pointer, what=f"is not withheld by {rule} any more")
    for pointer, rule in _without(today.removals, recorded.removals):
        yield Mismatch(pointer=pointer, what=f"is now withheld by {rule}")
    for finding in _without(recorded.findings, today.findings):
        yield Mismatch(pointer="", what=f"a finding is gone: {finding}")
    for finding in _without(today.findings, recorded.findings):
        yield Mismatch(pointer="", what=f"a finding is new: {finding}")


def _without(some: tuple[_Item, ...], others: tuple[_Item, ...]) -> list[_Item]:
    """Those that the others do not have, each once, in their order."""
    known = set(others)
    return [item for item in dict.fromkeys(some) if item not in known]
