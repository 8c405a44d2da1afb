"""Which removal, violation or change is about which value of the two sides, and how serious it is."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.mask import SHOWN
from inspector.boundary.output_check import OutputCheck
from inspector.hosts.masks import is_reaching
from inspector.hosts.profile import NO_ERROR, PROTOCOL_MEMBERS, says_no_error
from inspector.hosts.projection import Projection
from inspector.json.exact import Json, equal
from inspector.json.pointer import resolve
from inspector.tui.values.outline import ABSENT, Outline, SideDifference, Value
from inspector.tui.values.sides import Side

NOISE = frozenset({Rule.META})
"""The rules whose removals are protocol metadata."""
COPIES = frozenset({Rule.MIRROR, Rule.ECHO})
"""The rules that remove copies of other values."""


def is_within_text(outline: Outline, node: int) -> bool:
    """True if a node is within JSON that was parsed from a text. Its pointer is then that of the text."""
    parent = outline.parent(node)
    return parent >= 0 and outline.pointer(parent) == outline.pointer(node)


def removal_around(outline: Outline, node: int, removals: Mapping[str, Removal]) -> Removal | None:
    """The removal of a node or of the nearest value around it; None for a node that only the model's side has."""
    if outline.value(node, 0) is ABSENT:
        return None
    return next((removals[at] for at in pointers_around(outline, node) if at in removals), None)


def worst_first(
    outline: Outline,
    shown: Projection,
    removals: Sequence[Removal],
    removals_at: Mapping[str, list[int]],
    credentials: Mapping[str, str],
    undescribed: Sequence[str],
    copies: frozenset[str],
) -> tuple[int, ...]:
    """The nodes with differences, the worst first.

    Secrets come first, then other removals and violations of the schema, changes by the host, additions and
    values that no schema describes; last, what no model ever sees.
    """
    pointers = sorted(removals_at)

    broken = broken_nodes(outline, shown.output)
    exposed = {node for node in map(outline.node_at, credentials) if node is not None}
    free = {node for node in map(outline.node_at, undescribed) if node is not None}
    gone = {node for node in map(outline.node_at, copies) if node is not None}

    def weight(node: int) -> int:
        if node in exposed:
            return 0
        if node in broken:
            return 1
        if is_reaching(outline.value(node, 1)):
            return 0
        if outline.difference(node) is SideDifference.RIGHT:
            return 3
        if node in free and outline.difference(node) is SideDifference.NONE:
            return 3
        found = nearest(outline, node, removals_at, pointers, shown.bounded.result)
        if not found:
            return 4 if is_metadata(outline, node) else 2
        return rule_weight(removals[found[0]].rule)

    places = dict.fromkeys((*outline.tops, *sorted(exposed), *broken, *sorted(free | gone)))
    return tuple(sorted(places, key=weight))


def rule_weight(rule: str) -> int:
    """The severity of a removal by a rule of the boundary; 0 is the worst."""
    if rule in NOISE:
        return 4
    return 1 if rule in SHOWN or rule in COPIES else 0


def broken_nodes(outline: Outline, output: OutputCheck) -> dict[int, str]:
    """The nodes that break the output schema, each with the message of its first violation.

    If a member is missing, this is a violation of the node around it.
    """
    broken: dict[int, str] = {}
    for violation in output.violations:
        node = outline.node_at(violation.pointer)
        if node and outline.value(node, 0) is not ABSENT:
            is_there = outline.pointer(node) == violation.pointer
            key = violation.pointer.rpartition("/")[2]
            broken.setdefault(node, violation.message if is_there else f"{key} {violation.message}")
    return broken


def is_protocol_only(pointer: str) -> bool:
    """True for a pointer to a member of a result that no model sees, or into it."""
    return (
        pointer[: pointer.find("/", 1)] in PROTOCOL_MEMBERS
        if pointer.count("/") > 1
        else pointer in PROTOCOL_MEMBERS
    )


def is_metadata(outline: Outline, node: int) -> bool:
    """True for protocol metadata, and for `isError: false`."""
    pointer = outline.pointer(node)
    if pointer != NO_ERROR:
        return is_protocol_only(pointer)
    sent = outline.value(0, 0)
    return sent is not ABSENT and says_no_error(sent)


def nearest(
    outline: Outline,
    node: int,
    removals_at: Mapping[str, Sequence[int]],
    pointers: Sequence[str],
    kept: Json,
) -> tuple[int, ...]:
    """The indexes of the removals of a node, or of the nearest value around it.

    If there are none, those of the first value inside the node that has any. Empty if the boundary let a part
    of the node through, because then the host dropped the node.
    """
    around = pointers_around(outline, node)
    at = next((at for at in around if at in removals_at), None)
    if at is not None and _is_text(kept, at) and _is_dropped_whole(outline, node):
        # The boundary only rewrote the text; the host dropped it.
        return ()
    found = removals_at[at] if at is not None else None
    if found is None and outline.difference(node) is SideDifference.LEFT and not _is_in(kept, around[0]):
        inside = f"{around[0]}/"
        place = bisect_left(pointers, inside)
        if place < len(pointers) and pointers[place].startswith(inside):
            found = removals_at[pointers[place]]
    return tuple(found or ())


def is_dropped_copy(outline: Outline, kept: Json, pointer: str) -> bool:
    """True for a text that the boundary rewrote, and that the host does not pass on anyway.

    `kept`: the part of the result that the boundary let through.
    """
    node = outline.node_at(pointer)
    return node is not None and _is_text(kept, pointer) and _is_dropped_whole(outline, node)


def _is_dropped_whole(outline: Outline, node: int) -> bool:
    """True if the model lacks a node together with the whole text that contains it."""
    if outline.difference(node) is not SideDifference.LEFT:
        return False
    while (around := outline.parent(node)) >= 0 and outline.value(around, 1) is ABSENT:
        node = around
    # A node within JSON in a text has the pointer of the text.
    return around < 0 or outline.pointer(node) != outline.pointer(around)


def _is_in(value: Json, pointer: str) -> bool:
    return _value_at(value, pointer) is not ABSENT


def _is_text(value: Json, pointer: str) -> bool:
    return isinstance(_value_at(value, pointer), str)


def _value_at(value: Json, pointer: str) -> Value:
    try:
        return resolve(value, pointer)
    except LookupError:
        return ABSENT


def pointers_around(outline: Outline, node: int) -> list[str]:
    """The pointers to a node and to every value around it, the innermost first."""
    pointer = outline.pointer(node)
    found = [pointer]
    while pointer:
        pointer = pointer.rpartition("/")[0]
        found.append(pointer)
    return found


def renamed(outline: Outline, node: int, side: Side) -> str:
    """The other side's name for a member that the host passes on under another name; empty if it does not.

    `side`: 0 for a member that only the server's side has, 1 for one that only the model's side has.
    """
    parent, value = outline.parent(node), outline.value(node, side)
    there = outline.value(parent, 0 if side else 1) if parent >= 0 else ABSENT
    here = outline.value(parent, side) if parent >= 0 else ABSENT
    name = outline.label(node).strip()
    if not isinstance(there, dict) or not isinstance(here, dict) or value is ABSENT or name not in here:
        return ""
    wanted = _plain(name)
    found = (key for key in there if key not in here and _plain(key) == wanted)
    return next((key for key in found if equal(there[key], here[name])), "")


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()
