"""Positions: what an output schema says about each place in a value, found while walking the value.

Several schema objects can describe one place; together they are a `Position`. A key or an index leads to the
next position, as in an automaton that is made deterministic while it runs, so that a million similar objects
cost a million dictionary look-ups.

If any branch that could apply marks a place as sensitive, the place is sensitive. A place about which the
schema cannot be read counts as sensitive and undeclared.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from msgspec import Struct

from inspector.json.exact import Json
from inspector.schema.key_pattern import KeyMatch
from inspector.schema.nodes import Node, SensitivityMark, compile_schema

MAX_EFFORT = 4_000_000
"""The maximum number of schema objects and patterns visited in one walk.

Beyond it, every new place counts as sensitive.
"""
MAX_TOGETHER = 2_000
"""The maximum number of schema objects that describe one place. With more, the place counts as sensitive."""
TOO_COSTLY = "the output schema is too complex to be judged at this place"

_MOST_WAYS = 2**64
"""The greatest number of paths that is counted. A check of a schema with as many is refused."""
_MOST_REACHED = 200_000
"""The maximum number of schema objects visited to find those that are reached on several paths."""

_REMEMBERED_KEYS = 4_096
"""The maximum number of keys that a position caches although no schema names them.

An object that is used as a map may have millions of such keys.
"""

Speaker: TypeAlias = tuple[Node, bool]
"""A schema object that applies to a place, and whether its keywords declare the place.

Keywords under `if`, `not`, `contains`, a pattern or `additionalProperties` declare nothing.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Source:
    """Why a place is sensitive: the schema object and its member that mark the place, and a reason."""

    reason: str
    """The reason why the place is sensitive, in one sentence that quotes nothing."""
    schema_pointer: str | None
    mark_key: str | None
    """The member that marks the place, as written in the schema; None if the place cannot be judged."""


class Position:
    """One place in a value, and what the schema says about that place.

    If the value at the place is an object, `step` returns the position of the value under a key. If the
    value is an array, `item` returns the position of an item.
    """

    __slots__ = (
        "_beyond",
        "_by_index",
        "_keys",
        "_keys_judged",
        "_others",
        "_prefix_length",
        "_speakers",
        "_table",
        "by_key",
        "declares_array",
        "declares_object",
        "harmless",
        "hides_key",
        "names",
        "plain",
        "plans",
        "released",
        "sensitive",
        "unreleased",
    )

    def __init__(
        self, table: "_Table", speakers: tuple[Speaker, ...], sensitive: Source | None, *, hides_key: bool
    ) -> None:
        declaring = [node for node, declares in speakers if declares]
        self._table = table
        self._speakers = speakers
        self._others: Position | None = None
        self._beyond: Position | None = None
        self._by_index: dict[int, Position] = {}
        self._keys: Source | None = None
        self._keys_judged = False
        self._prefix_length = max((len(node.prefix) for node, _ in speakers), default=0)
        self.by_key: dict[str, Position] = {}
        """The positions of members, by key, that were computed before; `step` computes the others."""
        self.names = frozenset(key for node, _ in speakers for key in node.properties)
        """The keys that the schema names for an object at this position."""
        self.sensitive = sensitive
        self.hides_key = hides_key
        """True if the key under which the value is found is itself sensitive."""
        self.harmless = not sensitive and not any(node.leads_to_mark for node, _ in speakers)
        """True if neither the value at this position nor any value inside it can be sensitive."""
        self.unreleased = not any(node.leads_to_release for node, _ in speakers)
        """True if no `"x-sensitive": false` can apply to the value at this position or inside it."""
        self.released = any(node.mark is SensitivityMark.RELEASED for node in declaring)
        """True if a declaration of the place says `"x-sensitive": false`, and the place is not sensitive."""
        self.declares_object = any(node.declares("object") for node in declaring)
        self.declares_array = any(node.declares("array") for node in declaring)
        self.plain: frozenset[type] = frozenset[type]().union(*(node.admission.plain for node in declaring))
        """The exact Python types of which every value is declared. For other scalars, ask `admits`."""
        self.plans: dict[object, object] = {}
        """A cache in which the boundary stores how it handles objects at this position."""

    def admits(self, value: Json) -> bool:
        """True if the schema declares a type or a set of values for the place that allows the scalar."""
        return any(declares and node.admission.admits(value) for node, declares in self._speakers)

    @property
    def keys(self) -> Source | None:
        """Why all keys of an object at this place are sensitive: a schema in `propertyNames` says so.

        None if no schema says so.
        """
        if not self._keys_judged:
            self._keys_judged = True
            names = [(node.property_names, False) for node, _ in self._speakers if node.property_names]
            self._keys = self._table.position(names).sensitive
        return self._keys

    def step(self, key: str) -> "Position":
        """The position of the value under `key`."""
        found = self.by_key.get(key)
        if found:
            return found
        if key in self.names:
            found = self.by_key[key] = self._table.below_key(self._speakers, key)
        elif any(node.patterns for node, _ in self._speakers):
            found = self._table.below_key(self._speakers, key)
            if len(self.by_key) < _REMEMBERED_KEYS + len(self.names):
                self.by_key[key] = found
        else:
            found = self._others = self._others or self._table.below_key(self._speakers, key)
        return found

    @property
    def every_item(self) -> "Position | None":
        """The position that all items of an array have; None if the position depends on the index."""
        return None if self._prefix_length else self.item(0)

    def item(self, index: int) -> "Position":
        """The position of the item at `index` in an array."""
        if index >= self._prefix_length:
            self._beyond = self._beyond or self._table.below_index(self._speakers, index)
            return self._beyond
        found = self._by_index.get(index)
        if not found:
            found = self._by_index[index] = self._table.below_index(self._speakers, index)
        return found


class SchemaPositions(Struct, frozen=True, kw_only=True):
    """A compiled output schema, and what it says as a whole."""

    root: Node
    marks_any: bool
    """True if any place is sensitive, or counts as sensitive."""
    names: frozenset[str]
    """Every property that the schema names anywhere."""
    faults: tuple[str, ...]
    """The reasons why parts of the schema could not be judged, in sentences for the user, each once."""
    faulty: tuple[str | None, ...]
    """Pointers to the parts of the schema that could not be judged; None for a pointer that is too long."""
    repetition: int
    """An upper bound of how often one schema object is applied to a place inside a container.

    It holds for each schema object applied to the container, so the bound at depth d is `repetition`**d.
    """

    def start(self) -> Position:
        """The position of the whole value. Each call begins a walk, with its own work limit `MAX_EFFORT`."""
        return _Table().position([(self.root, True)])


def positions_of(schema: Json) -> SchemaPositions:
    """Compile `schema`. Never raises: a value that is not a schema makes everything sensitive."""
    compiled = compile_schema(schema)
    marked = [node for node in compiled.nodes if node.mark is SensitivityMark.SENSITIVE]
    return SchemaPositions(
        root=compiled.root,
        marks_any=bool(marked),
        names=frozenset(key for node in compiled.nodes for key in node.properties),
        faults=tuple(dict.fromkeys(node.reason for node in marked if node.mark_key is None)),
        faulty=tuple(node.pointer for node in marked if node.mark_key is None),
        repetition=_repetition(compiled.nodes),
    )


def _repetition(nodes: Iterable[Node]) -> int:
    """An upper bound of how often one schema object is applied to a place.

    A schema object applies others to the same place, such as those in `allOf`, and may reach one of them on
    several paths. The bound is one, plus the number of paths beyond the first path to each of the others. In a
    schema with more objects than can be visited, the first paths are not subtracted.
    """
    ways: dict[Node, int] = {}
    most = 1
    left = _MOST_REACHED
    for node in nodes:
        paths = _ways(node, ways)
        reached = len(_reached(node)) if left > 0 else 1
        left -= reached
        most = max(most, 1 + paths - reached)
    return most


def _beside(node: Node) -> tuple[Node, ...]:
    """The schema objects that are applied to the same place as `node`."""
    return (*node.references, *node.always, *node.perhaps, *node.tests)


def _reached(node: Node) -> set[Node]:
    found = {node}
    waiting = [node]
    while waiting:
        more = [beside for beside in _beside(waiting.pop()) if beside not in found]
        found.update(more)
        waiting.extend(more)
    return found


def _ways(node: Node, known: dict[Node, int]) -> int:
    """The number of paths from `node` to all schema objects that apply to the same place, including `node`.

    Cycles are not counted. Returns _MOST_WAYS for any greater number.
    """
    entered: set[Node] = set()
    stack = [node]
    while stack:
        top = stack[-1]
        if top in known:
            stack.pop()
        elif top in entered:
            known[top] = min(1 + sum(known.get(beside, 0) for beside in _beside(top)), _MOST_WAYS)
            stack.pop()
        else:
            entered.add(top)
            stack.extend(beside for beside in _beside(top) if beside not in known and beside not in entered)
    return known[node]


class _Table:
    """The cache of positions for one walk, and the work that the walk may still do."""

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[Speaker, ...], bool], Position] = {}
        self._positions: dict[tuple[frozenset[Speaker], bool], Position] = {}
        self._marked: dict[tuple[Node | None, bool], Position] = {}
        self._left = MAX_EFFORT

    def below_key(self, speakers: tuple[Speaker, ...], key: str) -> Position:
        """The position of the value under `key` in an object that `speakers` describe."""
        if self._left <= 0:
            return self._sensitive(None, hides_key=False)
        targets: list[Speaker] = []
        hides_key = False
        for node, declares in speakers:
            self._left -= 1 + len(node.patterns)
            named = node.properties.get(key)
            if named:
                targets.append((named, declares))
            covered = named is not None
            for pattern, found in node.patterns:
                match = pattern.match(key) if self._left > 0 else KeyMatch.UNKNOWN
                if match is KeyMatch.NO:
                    continue
                covered = covered or match is KeyMatch.YES
                targets.append((found, False))
                hides_key = hides_key or self.position([(found, False)]).sensitive is not None
            if node.additional and not covered:
                targets.append((node.additional, False))
            if node.unevaluated_properties and not self._evaluates_key(node, key):
                targets.append((node.unevaluated_properties, False))
        return self.position(targets, hides_key=hides_key)

    def below_index(self, speakers: tuple[Speaker, ...], index: int) -> Position:
        """The position of an item of an array that `speakers` describe."""
        if self._left <= 0:
            return self._sensitive(None, hides_key=False)
        targets: list[Speaker] = []
        for node, declares in speakers:
            self._left -= 1
            if index < len(node.prefix):
                targets.append((node.prefix[index], declares and not node.prefix_is_unknown))
            if node.items and (index >= len(node.prefix) or node.prefix_is_unknown):
                targets.append((node.items, declares))
            if node.contains:
                targets.append((node.contains, False))
            if node.unevaluated_items and not self._evaluates_item(node, index):
                targets.append((node.unevaluated_items, False))
        return self.position(targets)

    def position(self, targets: list[Speaker], *, hides_key: bool = False) -> Position:
        """The position that `targets` describe, together with all schema objects that they refer to."""
        asked = (tuple(targets), hides_key)
        known = self._known.get(asked)
        if not known:
            known = self._known[asked] = self._close(targets, hides_key=hides_key)
        return known

    def _close(self, targets: list[Speaker], *, hides_key: bool) -> Position:
        found: dict[Node, bool] = {}
        seen: set[Speaker] = set()
        waiting = list(reversed(targets))
        while waiting:
            speaker = waiting.pop()
            if speaker in seen:
                continue
            seen.add(speaker)
            node, declares = speaker
            itself = declares and node.names
            found[node] = found.get(node, False) or itself
            self._left -= 1 + len(node.properties)
            if node.mark is SensitivityMark.SENSITIVE:
                return self._sensitive(node, hides_key=hides_key)
            if self._left <= 0 or len(found) > MAX_TOGETHER:
                return self._sensitive(None, hides_key=hides_key)
            waiting.extend((lower, False) for lower in reversed(node.tests))
            waiting.extend((lower, itself) for lower in reversed((*node.always, *node.perhaps)))
            waiting.extend((lower, declares) for lower in reversed(node.references))
        speakers = tuple(found.items())
        same = (frozenset(speakers), hides_key)
        position = self._positions.get(same)
        if not position:
            position = self._positions[same] = Position(self, speakers, None, hides_key=hides_key)
        return position

    def _sensitive(self, node: Node | None, *, hides_key: bool) -> Position:
        position = self._marked.get((node, hides_key))
        if not position:
            source = (
                Source(reason=node.reason, schema_pointer=node.pointer, mark_key=node.mark_key)
                if node
                else Source(reason=TOO_COSTLY, schema_pointer=None, mark_key=None)
            )
            position = self._marked[node, hides_key] = Position(self, (), source, hides_key=hides_key)
        return position

    def _evaluates_key(self, node: Node, key: str) -> bool:
        """True if `node`, or a schema object that always applies with it, has a keyword for `key`."""
        return any(
            key in same.properties
            or same.additional is not None
            or any(pattern.match(key) is KeyMatch.YES for pattern, _ in same.patterns)
            for same in self._always(node)
        )

    def _evaluates_item(self, node: Node, index: int) -> bool:
        return any(
            same.items is not None or (index < len(same.prefix) and not same.prefix_is_unknown)
            for same in self._always(node)
        )

    def _always(self, node: Node) -> Iterator[Node]:
        """`node`, and every schema object that always applies together with it."""
        seen: set[Node] = set()
        waiting = [node]
        while waiting and self._left > 0:
            same = waiting.pop()
            if same in seen:
                continue
            seen.add(same)
            self._left -= 1 + len(same.patterns)
            yield same
            waiting.extend((*same.references, *same.always))
