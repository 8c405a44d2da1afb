"""Compares two results of one call: which of their values reach models, and in which hosts."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum

from msgspec import Struct

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.echoes import Echoes
from inspector.hosts.comparison import Comparison
from inspector.hosts.leaks import Leak, LeakSearch, Secret
from inspector.json.exact import Json
from inspector.json.pointer import resolve

_MAX_PLACES = 100
"""The maximum number of values that are searched for in the model views of the new result.

A further value is reported without the hosts whose models get it.
"""
_ASIDE = frozenset({Rule.META, Rule.MIRROR, Rule.ECHO, Rule.UNFINISHED})
"""Rules whose removals are not compared. They withhold copies, or values that no host gives its model."""


class ReachKind(StrEnum):
    """A change in the models that get a value. The text of a member is shown in front of the pointer."""

    PASSES = "no longer withheld"
    """The value reaches models at the boundary that withheld it before."""
    LEAKS = "now leaks"
    """Without a boundary, the value reaches models that did not get it before."""
    WITHHELD = "now withheld"
    """The boundary withholds a value that passed before."""
    STOPPED = "no longer leaks"


class ReachChange(Struct, frozen=True, kw_only=True):
    """One kind of change, with all places and hosts in which it happens."""

    kind: ReachKind
    pointers: tuple[str, ...]
    """Pointers into the raw results. Untrusted text."""
    hosts: tuple[str, ...]
    """The names of the hosts whose models the change concerns."""


def reach_changes(before: Comparison, after: Comparison) -> tuple[ReachChange, ...]:
    """The changes between two results of one call at one boundary level, the worst first."""
    withheld, now_withheld = _withheld(before), _withheld(after)
    leaking, now_leaking = _leaking(before), _leaking(after)
    found: list[tuple[ReachKind, str, frozenset[str]]] = []
    # A value that leaked before was withheld at `declared` for a reason, whatever boundary the user has
    # chosen.
    lost = [
        pointer
        for pointer in dict.fromkeys((*withheld, *leaking))
        if pointer not in now_withheld and pointer not in now_leaking and _is_in(after.raw, pointer)
    ]
    passing = {pointer: frozenset[str]() for pointer in lost}
    passing.update(_reaching(after, lost[:_MAX_PLACES]))
    found += [(ReachKind.PASSES, pointer, hosts) for pointer, hosts in passing.items()]
    for pointer, hosts in now_leaking.items():
        if pointer not in withheld and pointer in now_withheld and _is_in(before.raw, pointer):
            continue
        more = hosts - leaking.get(pointer, frozenset())
        if more:
            found.append((ReachKind.LEAKS, pointer, more))
    found += [
        (ReachKind.WITHHELD, pointer, now_leaking.get(pointer, frozenset()))
        for pointer in now_withheld
        if pointer not in withheld and _is_in(before.raw, pointer)
    ]
    for pointer, hosts in leaking.items():
        fewer = hosts - now_leaking.get(pointer, frozenset())
        if fewer and pointer not in passing:
            found.append((ReachKind.STOPPED, pointer, fewer))
    return tuple(_together(found))


def _together(found: Iterable[tuple[ReachKind, str, frozenset[str]]]) -> Iterator[ReachChange]:
    places: dict[tuple[ReachKind, frozenset[str]], list[str]] = {}
    for kind, pointer, hosts in found:
        places.setdefault((kind, hosts), []).append(pointer)
    order = list(ReachKind)
    for (kind, hosts), pointers in sorted(places.items(), key=lambda item: order.index(item[0][0])):
        yield ReachChange(kind=kind, pointers=tuple(pointers), hosts=tuple(sorted(hosts)))


def _withheld(found: Comparison) -> dict[str, Removal]:
    return {one.pointer: one for one in found.bounded.removals if one.rule not in _ASIDE}


def _leaking(found: Comparison) -> dict[str, frozenset[str]]:
    """For the pointer of each value that leaks without a boundary, the names of the hosts that leak it."""
    aside = {one.pointer for one in found.sensitive if one.rule in _ASIDE}
    hosts: dict[str, set[str]] = {}
    for row in found.rows:
        if row.leak is Leak.YES:
            for pointer in row.leaks:
                if pointer not in aside:
                    hosts.setdefault(pointer, set()).add(row.host.name)
    return {pointer: frozenset(names) for pointer, names in hosts.items()}


def _reaching(found: Comparison, pointers: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """For each pointer, the hosts whose models get the value there at the boundary level of the comparison.

    The set is empty for a value that is too common to search for.
    """
    secrets = tuple(Secret(pointer=pointer, values=(resolve(found.raw, pointer),)) for pointer in pointers)
    hosts: dict[str, set[str]] = {pointer: set() for pointer in pointers}
    if secrets:
        search = LeakSearch(secrets, frozenset(), lambda values, names: Echoes(values, names=names))
        for left, row in zip(range(len(found.rows), 0, -1), found.rows, strict=True):
            leaked = search.leaked(row.context.model, observed=row.observed, hosts_left=left)
            for pointer in leaked.pointers:
                hosts[pointer].add(row.host.name)
    return {pointer: frozenset(names) for pointer, names in hosts.items()}


def _is_in(raw: Json, pointer: str) -> bool:
    try:
        resolve(raw, pointer)
    except LookupError:
        return False
    return True
