"""Finds what a save of a file changed in the definitions, the result, and the values that reach models."""

from itertools import islice

from msgspec import Struct

from inspector.boundary.mask import MASK, mask
from inspector.boundary.options import Level
from inspector.boundary.reading import raw_of
from inspector.claims.registry import claims_of_tool
from inspector.claims.traits import traits
from inspector.hosts.comparison import Comparison, compare
from inspector.hosts.profile import Call
from inspector.hosts.reach import ReachChange, reach_changes
from inspector.json.diff import Change, ChangeKind, changes
from inspector.json.exact import Json, equal
from inspector.json.members import value_at
from inspector.json.opened import opened_alike, opened_texts, resolve_opened
from inspector.pins.pins import ChangesSince, ServerDefinitions, Since, changes_between
from inspector.protocol.catalogue import Tool
from inspector.session.call_record import CallRecord
from inspector.tui.result.view import SERVER_NAME

_MAX_CHANGES = 200
_MAX_COMPARED_BYTES = 200_000
"""The maximum size of a compared result in bytes.

For larger results, the comparison of all hosts would take seconds after each save.
"""


class DefinitionsAsked(Struct, frozen=True, kw_only=True):
    """A request to compare two listings."""

    before: ServerDefinitions | None
    now: ServerDefinitions


class ResultsAsked(Struct, frozen=True, kw_only=True):
    """A request to compare two results of one call at the current boundary level."""

    before: CallRecord
    now: CallRecord
    level: Level


class ValueChanges(Struct, frozen=True, kw_only=True):
    """The changes between two results. Values that are masked in a result are masked in its changes too."""

    shown: tuple[Change, ...]
    """The changes, those in the structured content first."""
    more: bool = False


class HostReach(Struct, frozen=True, kw_only=True):
    """The values that reach models in only one of two compared results."""

    changes: tuple[ReachChange, ...] = ()
    hosts: int = 0
    level: Level
    is_too_large: bool = False


def is_same_call(before: CallRecord | None, now: CallRecord) -> bool:
    """True if both records have the same tool and arguments, so that their results can be compared."""
    return before is not None and before.name == now.name and equal(before.arguments, now.arguments)


def repeats_safely(tool: Tool) -> bool:
    """True if a tool declares that a further call changes nothing, because it only reads or is idempotent.

    Always true for an item that is not a tool, such as a resource.
    """
    if tool.item is not None:
        return True
    declared = traits(claims_of_tool(tool))
    return declared.effect.value == "read" or declared.idempotent.value is True


def definitions_changed(asked: DefinitionsAsked) -> ChangesSince | None:
    """The changes between two listings; None if there are none, or if there is no earlier listing."""
    before, now = asked.before, asked.now
    if before is None:
        return None
    changed = changes_between(before, now)
    instructions = before.instructions != now.instructions
    if not changed and not instructions:
        return None
    return ChangesSince(
        since=Since.SAVED, before=before, now=now, tools=changed, instructions_changed=instructions
    )


def values_changed(asked: ResultsAsked) -> ValueChanges:
    """The changes between two results, including those inside JSON texts.

    A value that is masked in one result is masked in both.
    """
    sides = [raw_of(record.outcome) for record in (asked.before, asked.now)]
    masked = [
        mask(raw, record.judgement.secrets(record.policy))
        for raw, record in zip(sides, (asked.before, asked.now), strict=True)
    ]
    copies = _copies(sides[0]) & _copies(sides[1])

    def may_open(pointer: str) -> bool:
        return pointer not in copies and MASK not in (_value_in(value, pointer) for value in masked)

    before, now = opened_alike(sides[0], sides[1], may_open)
    found = list(
        islice((each for each in changes(before, now) if each.pointer not in copies), _MAX_CHANGES + 1)
    )
    shown = [_masked(change, *masked) for change in found[:_MAX_CHANGES]]
    shown.sort(key=lambda change: (not change.pointer.startswith("/structuredContent"), change.pointer))
    return ValueChanges(shown=tuple(shown), more=len(found) > _MAX_CHANGES)


def _copies(raw: Json) -> set[str]:
    """The pointers to texts that repeat the structured content of a result.

    Changes of these texts are not listed, because the structured content has the same changes.
    """
    structured = value_at(raw, "structuredContent")
    if structured is None:
        return set()
    return {pointer for pointer, found in opened_texts(raw) if equal(found, structured)}


def _masked(change: Change, before: Json, now: Json) -> Change:
    was = None if change.kind is ChangeKind.ADDED else _value_in(before, change.pointer)
    is_now = None if change.kind is ChangeKind.REMOVED else _value_in(now, change.pointer)
    if change.kind is ChangeKind.CHANGED and MASK in (was, is_now):
        was = is_now = MASK
    return Change(pointer=change.pointer, kind=change.kind, before=was, after=is_now)


def _value_in(masked: Json, pointer: str) -> Json:
    """The value at a pointer of a masked result; a mask if a value that contains it is masked as a whole."""
    try:
        return resolve_opened(masked, pointer)
    except LookupError:
        return MASK


def reach_changed(asked: ResultsAsked) -> HostReach:
    """Compare, for all hosts, which values of two results of a call reach the model.

    Takes about a tenth of a second. Results of more than `_MAX_COMPARED_BYTES` are not compared.
    """
    if max(asked.before.size_bytes, asked.now.size_bytes) > _MAX_COMPARED_BYTES:
        return HostReach(level=asked.level, is_too_large=True)
    before, now = (_compared(record, asked.level) for record in (asked.before, asked.now))
    return HostReach(changes=reach_changes(before, now), hosts=len(now.rows), level=asked.level)


def _compared(record: CallRecord, level: Level) -> Comparison:
    call = Call(server=SERVER_NAME, tool=record.name, nonce=record.nonce)
    return compare(record.outcome, record.tool, level, call=call, policy=record.policy)
