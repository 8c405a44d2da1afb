"""Computes what models see of recorded results again, and compares it with the recorded model views."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TypeVar

from msgspec import Struct, UnsetType

from inspector.boundary.bound import bound
from inspector.boundary.options import Level
from inspector.boundary.output_check import NOT_ASKED, OutputCheck
from inspector.boundary.reading import raw_of
from inspector.json.diff import changes
from inspector.json.exact import Json
from inspector.json.pointer import join, resolve
from inspector.protocol.frames import Frame
from inspector.recording.format import Line, Projected, Removed
from inspector.recording.known import KnownValues
from inspector.recording.markers import places
from inspector.recording.replaying import (
    Replay,
    ReplayedCall,
    output_of,
    projected,
    projection_of,
    stands_for_something,
)

_Item = TypeVar("_Item", Removed, str)

_NO_HOST = "this version does not know the host of the recording"
MAX_MISMATCHES = 100
"""The maximum number of mismatches listed per call. Further ones are counted."""


class Mismatch(Struct, frozen=True, kw_only=True):
    """One difference between a recorded model view and that of the current code."""

    pointer: str
    """A pointer into the model view; for a removal, into the result."""
    what: str
    """A clause by Sightline that describes the difference."""


class CheckedCall(Struct, frozen=True, kw_only=True):
    """A recorded model view, with its differences from that of the current code."""

    frame: int
    tool: str
    """The name of the called tool. Untrusted text."""
    mismatches: tuple[Mismatch, ...]
    more: int = 0
    """The number of mismatches that are not listed."""
    output: OutputCheck = NOT_ASKED
    """The comparison of the result with the output schema of its tool."""
    was_compared: bool = False
    """True if the recording holds the comparison of the result with the output schema.

    If not, a result that violates the output schema is not a failure.
    """

    @property
    def is_broken(self) -> bool:
        """True if the result violated its output schema when it was recorded."""
        return self.was_compared and bool(self.output.violations)


def checked(lines: Iterable[Line], raw: Callable[[int], Frame | None] | None = None) -> Iterator[CheckedCall]:
    """Check every model view in a recording. `lines`: in the order of the file.

    `raw`: returns a frame with all withheld values, by number. If given, the boundary is applied to the
    original results again, and mismatches are values that the current rules would no longer withhold.
    """
    recorded, today = Replay(), Replay(raw or (lambda _: None))
    calls: dict[tuple[int, str], tuple[ReplayedCall, ReplayedCall]] = {}
    for line in lines:
        if isinstance(line, Projected):
            pair = calls.pop((line.frame, line.request), None)
            yield _checked(line, pair, by_raw=raw is not None)
            continue
        calls_then = list(recorded.calls(line))
        others = list(today.calls(line)) if raw else calls_then
        if calls_then:
            calls = {
                (call.frame, call.request): (call, other)
                for call, other in zip(calls_then, others, strict=False)
            }


def _checked(
    recorded: Projected, pair: tuple[ReplayedCall, ReplayedCall] | None, *, by_raw: bool
) -> CheckedCall:
    mismatches = list(
        _by_raw(recorded, *pair) if pair and by_raw else _mismatches(recorded, pair and pair[0])
    )
    return CheckedCall(
        frame=recorded.frame,
        tool=recorded.tool,
        mismatches=tuple(mismatches[:MAX_MISMATCHES]),
        more=max(len(mismatches) - MAX_MISMATCHES, 0),
        output=output_of(pair[1], None if by_raw else recorded, recorded.lenses) if pair else NOT_ASKED,
        was_compared=recorded.output_check is not None,
    )


def _by_raw(recorded: Projected, call: ReplayedCall, whole: ReplayedCall) -> Iterator[Mismatch]:
    """Mismatches for recorded removals that the current rules would not make, and for copies that reach the model."""
    raw = raw_of(whole.outcome)
    policy = recorded.lenses.policy
    removed = {
        removal.pointer
        for removal in bound(whole.outcome, whole.tool, Level.DECLARED, policy=policy).removals
    }
    values: list[Json] = []
    for tokens in places(raw_of(call.outcome), stands_for_something):
        pointer = join(tokens)
        if not _is_removed(pointer, removed):
            yield Mismatch(pointer=pointer, what="is no longer withheld")
        with suppress(LookupError):
            values.append(resolve(raw, pointer))
    if recorded.lenses.level is Level.OPEN:
        return
    today = projection_of(whole, recorded.lenses)
    if today is None:
        yield Mismatch(pointer="", what=f"was not searched for copies of withheld values: {_NO_HOST}")
        return
    known = KnownValues()
    known.public.add(whole.name)
    known.learn(values)
    for tokens in places(today.context.model, lambda value: _repeats(value, known)):
        yield Mismatch(pointer=join(tokens), what="gives the model a copy of a withheld value")


def _is_removed(pointer: str, removed: set[str]) -> bool:
    """True if the value at a pointer, or a value that contains it, is withheld."""
    return any(pointer == above or pointer.startswith(f"{above}/") for above in removed)


def _repeats(value: Json, known: KnownValues) -> bool:
    return isinstance(value, str) and bool(known.found((value,), weak=False))


def _mismatches(recorded: Projected, call: ReplayedCall | None) -> Iterator[Mismatch]:
    if call is None:
        yield Mismatch(pointer="", what="was not compared: the recording does not contain the answer")
        return
    today = projected(call, recorded.lenses, omits=recorded.omits)
    if today is None:
        yield Mismatch(pointer="", what=f"was not compared: {_NO_HOST}")
        return
    if recorded.digest or today.digest:
        if recorded.digest != today.digest:
            yield Mismatch(pointer="", what="has changed for the model, and is too large to be compared")
    else:
        for change in changes(_model(recorded), _model(today)):
            yield Mismatch(pointer=change.pointer, what=f"was {change.kind.value} in what the model sees")
    for gone in _without(recorded.removals, today.removals):
        yield Mismatch(pointer=gone.pointer, what=f"is no longer withheld by {gone.rule}")
    for new in _without(today.removals, recorded.removals):
        yield Mismatch(pointer=new.pointer, what=f"is now withheld by {new.rule}")
    for remark in _without(recorded.findings, today.findings):
        yield Mismatch(pointer="", what=f"lacks a recorded remark: {remark}")
    for remark in _without(today.findings, recorded.findings):
        yield Mismatch(pointer="", what=f"has a remark that is not recorded: {remark}")


def _model(projected: Projected) -> Json:
    return None if isinstance(projected.model, UnsetType) else projected.model


def _without(some: tuple[_Item, ...], others: tuple[_Item, ...]) -> list[_Item]:
    known = set(others)
    return [item for item in dict.fromkeys(some) if item not in known]
