"""Compiles an output schema into a graph: one node for each schema object, linked by the keywords between them.

Source: JSON Schema 2020-12 and draft-07 (for `items` as a list, `additionalItems` and `dependencies`).
"""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property
from typing import TypeAlias

from msgspec import Struct

from inspector.json.exact import DuplicateKeys, Json, JsonObject, Number
from inspector.json.pointer import escape
from inspector.schema.key_pattern import KeyPattern
from inspector.schema.references import References
from inspector.schema.spellings import MARK, is_mark

MAX_NODES = 20_000
"""The maximum number of schema objects in one schema. If there are more, everything counts as sensitive."""
MAX_DEPTH = 500
"""The maximum number of steps from the root of a schema to one of its objects; deeper ones count as sensitive."""
MAX_POINTER = 4_096
"""The maximum length of a schema pointer that is shown, in characters."""

Scalar: TypeAlias = bool | int | float | str | None
ScalarKey: TypeAlias = tuple[str, str | float | None]

SCALARS: frozenset[type] = frozenset({bool, int, float, Number, str, type(None)})
"""The exact Python types of all values that are neither objects nor arrays."""

_EXACT: dict[str, frozenset[type]] = {
    "string": frozenset({str}),
    "boolean": frozenset({bool}),
    "null": frozenset({type(None)}),
    "integer": frozenset({int}),
    "number": frozenset({int, float}),
}
_NO_JSON = frozenset({"NaN", "Infinity", "-Infinity"})


class Admission(Struct, frozen=True, kw_only=True):
    """The scalars that a schema object allows by `type`, `const` or `enum`; none without these keywords."""

    types: frozenset[str] | None
    """The names in `type`; None if there is no `type`."""
    values: frozenset[ScalarKey] | None
    """The scalars that `enum` and `const` allow; None if there is neither."""

    @property
    def names_any(self) -> bool:
        """True if the schema object has `type`, `const` or `enum`, so that its position is typed."""
        return self.types is not None or self.values is not None

    @property
    def plain(self) -> frozenset[type]:
        """The Python types of which the schema allows every value. `Number` is never among them."""
        if self.types is None or self.values is not None:
            return frozenset()
        return frozenset(kind for name in self.types for kind in _EXACT.get(name, ()))

    def admits(self, value: Json) -> bool:
        """True if the schema allows the scalar `value`. Always false for objects and arrays."""
        if not self.names_any or (isinstance(value, Number) and value.text in _NO_JSON):
            return False
        if isinstance(value, (dict, list, DuplicateKeys)):
            return False
        if self.types is not None and not any(_is(value, name) for name in self.types):
            return False
        return self.values is None or _key(value) in self.values


NOTHING = Admission(types=None, values=None)


class SensitivityMark(Enum):
    """The `x-sensitive` mark of a schema object."""

    NONE = auto()
    SENSITIVE = auto()
    RELEASED = auto()
    """The mark is exactly `"x-sensitive": false`."""


@dataclass(slots=True, kw_only=True, eq=False)
class Node:
    """One compiled schema object. Complete and constant once the schema is compiled."""

    parent: "Node | None"
    """The node from which the path `tokens` leads to this node; None if the path begins at the root."""
    tokens: tuple[str, ...]
    depth: int
    pointer_size: int
    """The length of the node's pointer, in characters."""
    embedded: bool = False
    mark: SensitivityMark = SensitivityMark.NONE
    reason: str = ""
    """The reason why the node counts as sensitive, in one sentence that quotes nothing; otherwise empty."""
    mark_key: str | None = None
    """The member of the schema object that sets the mark, as written; None if no member sets it."""
    names: bool = True
    """True if the node's own keywords count as declarations.

    False for a node with a `$ref` in draft-07 or older, where the keywords beside `$ref` are ignored.
    """
    admission: Admission = NOTHING
    structured: frozenset[str] = frozenset()
    """The types, `object` or `array`, for whose contents the schema has keywords."""
    references: "tuple[Node, ...]" = ()
    """The targets of `$ref`, `$dynamicRef`, `$recursiveRef`, which always apply to the node's value too."""
    always: "tuple[Node, ...]" = ()
    """The schemas in `allOf`, which always apply to the node's value too."""
    perhaps: "tuple[Node, ...]" = ()
    """Schemas that apply to the node's value in some cases, such as those in `anyOf` and `then`."""
    tests: "tuple[Node, ...]" = ()
    """Schemas that only test the node's value: `if`, `not`, and the targets of a `discriminator`.

    Their marks count, but the names in them declare nothing.
    """
    properties: "dict[str, Node]" = field(default_factory=dict["str", "Node"])
    patterns: "tuple[tuple[KeyPattern, Node], ...]" = ()
    additional: "Node | None" = None
    unevaluated_properties: "Node | None" = None
    property_names: "Node | None" = None
    prefix: "tuple[Node, ...]" = ()
    prefix_is_unknown: bool = False
    """True if the dialect does not know `prefixItems`, so that `items` describes every item."""
    items: "Node | None" = None
    contains: "Node | None" = None
    unevaluated_items: "Node | None" = None
    content: "Node | None" = None
    """The node of `contentSchema`. It describes JSON inside a string, into which no pointer can lead."""
    leads_to_mark: bool = True
    """True if the node, or any node that can be reached from it, is sensitive."""
    leads_to_release: bool = True

    @property
    def pointer(self) -> str | None:
        """The pointer from the root of the schema; None if it is longer than MAX_POINTER."""
        if self.pointer_size > MAX_POINTER:
            return None
        parts: list[str] = []
        node: Node | None = self
        while node:
            parts.append("".join(f"/{escape(token)}" for token in node.tokens))
            node = node.parent
        return "".join(reversed(parts))

    def declares(self, kind: str) -> bool:
        """True if the node describes an `object` or an `array`: by `type` or, without one, by other keywords."""
        types = self.admission.types
        return kind in (self.structured if types is None else types)

    @property
    def below(self) -> "Iterator[Node]":
        """Every node that a keyword of this node leads to."""
        yield from (*self.references, *self.always, *self.perhaps, *self.tests)
        yield from (*self.properties.values(), *self.prefix)
        yield from (node for _, node in self.patterns)
        single = (
            self.additional,
            self.unevaluated_properties,
            self.property_names,
            self.items,
            self.contains,
            self.unevaluated_items,
            self.content,
        )
        yield from (node for node in single if node)


class CompiledSchema(Struct, frozen=True, kw_only=True):
    """A whole schema, compiled: the node of its outermost schema object, and all nodes."""

    root: Node
    nodes: tuple[Node, ...]


def compile_schema(schema: Json) -> CompiledSchema:
    """Compile `schema` into nodes. Never raises: a part that cannot be read becomes a sensitive node."""
    compiler = _Compiler(schema)
    root = compiler.node(schema, None, ())
    compiler.run()
    if compiler.overflow:
        broken = Node(parent=None, tokens=(), depth=0, pointer_size=0)
        _break(broken, "the output schema is too large to be judged")
        return CompiledSchema(root=broken, nodes=(broken,))
    _look_ahead(compiler.nodes)
    return CompiledSchema(root=root, nodes=tuple(compiler.nodes))


def mark_of(schema: JsonObject) -> tuple[SensitivityMark, str | None, str]:
    """The mark of one schema object, the member that sets it, and the reason in a sentence.

    A mark that is not a boolean makes the object sensitive. A misspelt mark does so too, unless its value is
    false; then it is ignored.
    """
    found: tuple[SensitivityMark, str | None, str] = (SensitivityMark.NONE, None, "")
    for key, value in schema.items():
        if not is_mark(key):
            continue
        if value is False:
            if key == MARK and found[0] is SensitivityMark.NONE:
                found = (SensitivityMark.RELEASED, key, "")
            continue
        if key != MARK:
            return SensitivityMark.SENSITIVE, key, "the output schema marks it with a misspelt `x-sensitive`"
        if value is not True:
            return (
                SensitivityMark.SENSITIVE,
                key,
                "the output schema marks it `x-sensitive` with a value that is not a boolean",
            )
        return SensitivityMark.SENSITIVE, key, "the output schema marks it `x-sensitive`"
    return found


_OLD_DIALECT = re.compile(r"https?://json-schema\.org/draft-0[3-7]/schema#?")
_BEFORE_PREFIXES = re.compile(r"https?://json-schema\.org/draft(-0[3-7]|/2019-09)/schema#?")

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_DATA = frozenset({"enum", "const", "default", "examples", "example"})
_READ = _DATA | {
    *("$defs", "definitions", "allOf", "anyOf", "oneOf", "if", "then", "else", "not"),
    *("dependentSchemas", "dependencies", "properties", "patternProperties", "additionalProperties"),
    *("unevaluatedProperties", "propertyNames", "items", "prefixItems", "additionalItems", "contains"),
    *("unevaluatedItems", "contentSchema"),
}
"""The keywords in which no further marks are searched for, because they are compiled or hold data."""
_CONTENTS = {"object": ("properties",), "array": ("items", "prefixItems")}


def _break(node: Node, reason: str) -> None:
    """Mark `node` as sensitive, because the meaning of the schema there is unknown."""
    if node.mark is not SensitivityMark.SENSITIVE:
        node.mark, node.mark_key, node.reason = SensitivityMark.SENSITIVE, None, reason


class _Compiler:
    def __init__(self, schema: Json) -> None:
        self.nodes: list[Node] = []
        self.overflow = False
        self._root = schema
        self._references = References(schema)
        # By the `id` of a schema object. The objects outlive the compiler, so no two have the same `id`.
        self._known: dict[int, Node] = {}
        self._waiting: list[tuple[Node, JsonObject]] = []
        self._filled: list[tuple[Node, JsonObject]] = []
        dialect = schema.get("$schema") if isinstance(schema, dict) else None
        named = dialect if isinstance(dialect, str) else ""
        self._ref_stands_alone = bool(_OLD_DIALECT.fullmatch(named))
        self._knows_prefixes = not _BEFORE_PREFIXES.fullmatch(named)

    def run(self) -> None:
        while self._waiting and not self.overflow:
            node, schema = self._waiting.pop()
            self._fill(node, schema)
            self._filled.append((node, schema))
        unread = [
            (node, value)
            for node, schema in self._filled
            for key, value in schema.items()
            if key not in _READ and type(value) not in SCALARS
        ]
        referring = frozenset(_REFERENCES) if unread and self._is_marked else frozenset[str]()
        for node, value in unread:
            # A value into which a `$ref` leads holds definitions, which are compiled as nodes of their own.
            if _marked_in(value, referring, but=self._known):
                _break(node, "a keyword that Sightline does not know contains a sensitivity mark")

    def node(
        self, schema: Json, parent: Node | None, tokens: tuple[str, ...], *, embedded: bool = False
    ) -> Node:
        """The node for `schema`: the existing node, or a new node whose keywords `run` reads later."""
        known = self._known.get(id(schema)) if isinstance(schema, dict) else None
        if known:
            return known
        self.overflow = self.overflow or len(self.nodes) >= MAX_NODES
        node = Node(
            parent=parent,
            tokens=tokens,
            depth=(parent.depth if parent else 0) + len(tokens),
            pointer_size=(parent.pointer_size if parent else 0) + sum(map(len, tokens)) + len(tokens),
            embedded=embedded or bool(parent and parent.embedded),
        )
        self.nodes.append(node)
        if isinstance(schema, bool):
            return node
        if not isinstance(schema, dict):
            _break(node, "a part of the output schema is neither a valid object nor a boolean")
            return node
        if node.depth > MAX_DEPTH:
            _break(node, "the output schema nests too deep to be judged")
            return node
        node.embedded = node.embedded or (node.depth > 0 and self._references.begins_resource(schema))
        self._known[id(schema)] = node
        self._waiting.append((node, schema))
        return node

    def _fill(self, node: Node, schema: JsonObject) -> None:
        node.mark, node.mark_key, node.reason = mark_of(schema)
        node.names = not (self._ref_stands_alone and "$ref" in schema)
        node.admission = admission_of(schema)
        node.structured = frozenset(
            name for name, keywords in _CONTENTS.items() if any(keyword in schema for keyword in keywords)
        )
        node.references = tuple(self._references_of(node, schema))
        node.always = self._list(node, schema, "allOf")
        node.perhaps = (
            *self._list(node, schema, "anyOf"),
            *self._list(node, schema, "oneOf"),
            *self._some(node, schema, "then", "else"),
            *self._map(node, schema, "dependentSchemas").values(),
            *self._map(node, schema, "dependencies").values(),
        )
        node.tests = (*self._some(node, schema, "if", "not"), *self._mapped(node, schema))
        node.properties = self._map(node, schema, "properties")
        node.patterns = tuple(
            (KeyPattern(pattern), found)
            for pattern, found in self._map(node, schema, "patternProperties").items()
        )
        node.additional = self._one(node, schema, "additionalProperties")
        node.unevaluated_properties = self._one(node, schema, "unevaluatedProperties")
        node.property_names = self._one(node, schema, "propertyNames")
        node.contains = self._one(node, schema, "contains")
        node.unevaluated_items = self._one(node, schema, "unevaluatedItems")
        node.content = self._one(node, schema, "contentSchema")
        self._fill_items(node, schema)

    def _fill_items(self, node: Node, schema: JsonObject) -> None:
        if not isinstance(schema.get("items"), list):
            node.prefix = self._list(node, schema, "prefixItems")
            node.items = self._one(node, schema, "items")
            node.prefix_is_unknown = not self._knows_prefixes
            return
        node.prefix = self._list(node, schema, "items")
        node.items = self._one(node, schema, "additionalItems")
        if "prefixItems" in schema:
            _break(node, "the output schema has both `prefixItems` and a list of `items`")

    def _references_of(self, node: Node, schema: JsonObject) -> Iterator[Node]:
        for keyword in _REFERENCES:
            if keyword not in schema:
                continue
            place = None if node.embedded else self._references.resolve(schema[keyword])
            if place is None:
                _break(node, "a `$ref` of the output schema does not lead to a part of the same schema")
            else:
                yield self.node(place.value, None, place.tokens, embedded=place.embedded)

    def _mapped(self, node: Node, schema: JsonObject) -> Iterator[Node]:
        """The schemas to which `discriminator` leads. Source: OpenAPI 3.1, Discriminator Object."""
        discriminator = schema.get("discriminator")
        mapping = discriminator.get("mapping") if isinstance(discriminator, dict) else discriminator
        references = mapping.values() if isinstance(mapping, dict) else [mapping]
        if isinstance(mapping, (dict, list, DuplicateKeys)):
            for reference in references:
                place = None if node.embedded else self._references.resolve(reference)
                if place:
                    yield self.node(place.value, None, place.tokens, embedded=place.embedded)
                elif self._is_marked:
                    _break(node, "`discriminator` does not lead to a part of the same schema")

    @cached_property
    def _is_marked(self) -> bool:
        return _marked_in(self._root)

    def _one(self, node: Node, schema: JsonObject, keyword: str) -> Node | None:
        return self.node(schema[keyword], node, (keyword,)) if keyword in schema else None

    def _some(self, node: Node, schema: JsonObject, *keywords: str) -> tuple[Node, ...]:
        return tuple(found for keyword in keywords if (found := self._one(node, schema, keyword)))

    def _list(self, node: Node, schema: JsonObject, keyword: str) -> tuple[Node, ...]:
        if keyword not in schema:
            return ()
        listed = schema[keyword]
        if not isinstance(listed, list):
            _break(node, f"`{keyword}` in the output schema is not a list")
            return ()
        return tuple(self.node(item, node, (keyword, str(index))) for index, item in enumerate(listed))

    def _map(self, node: Node, schema: JsonObject, keyword: str) -> dict[str, Node]:
        if keyword not in schema:
            return {}
        mapped = schema[keyword]
        if not isinstance(mapped, dict):
            _break(node, f"`{keyword}` in the output schema is not an object")
            return {}
        return {
            key: self.node(item, node, (keyword, key))
            for key, item in mapped.items()
            # `dependencies` may also list the keys that another key needs.
            if not (keyword == "dependencies" and isinstance(item, list))
        }


def _marked_in(
    value: Json, referring: frozenset[str] = frozenset(), *, but: Container[int] = frozenset()
) -> bool:
    """True if an object in `value`, at any depth, has a sensitivity mark or a keyword in `referring`.

    Always false if `but` contains the `id()` of an object in `value`.
    """
    is_marked = False
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.extend(item)
            continue
        if not isinstance(item, (dict, DuplicateKeys)):
            continue
        if id(item) in but:
            return False
        pairs = list(item.items() if isinstance(item, dict) else item.pairs)
        is_marked = is_marked or any(
            key in referring or (is_mark(key) and value is not False) for key, value in pairs
        )
        waiting.extend(value for key, value in pairs if key not in _DATA)
    return is_marked


def _look_ahead(nodes: list[Node]) -> None:
    """Set `leads_to_mark` and `leads_to_release` of each node.

    A string with JSON in it becomes sensitive if its `contentSchema` marks a part of the JSON as sensitive.
    """
    above: dict[Node, list[Node]] = {}
    for node in nodes:
        for lower in node.below:
            above.setdefault(lower, []).append(node)
    leading = _leading(above, {node for node in nodes if node.mark is SensitivityMark.SENSITIVE})
    releasing = _leading(above, {node for node in nodes if node.mark is SensitivityMark.RELEASED})
    for node in nodes:
        if node.content in leading:
            _break(node, "the output schema marks a part of the JSON in the string")
        node.leads_to_mark = node in leading
        node.leads_to_release = node in releasing


def _leading(above: dict[Node, list[Node]], found: set[Node]) -> set[Node]:
    """Add every node to `found` from which a node in `found` can be reached. Returns `found`.

    `above`: for each node, the nodes with a keyword that leads to it.
    """
    waiting = list(found)
    while waiting:
        for upper in above.get(waiting.pop(), ()):
            if upper not in found:
                found.add(upper)
                waiting.append(upper)
    return found


def admission_of(schema: JsonObject) -> Admission:
    """The scalars that the keywords of `schema` itself allow.

    `anyOf`, `$ref` and the like are not followed.
    """
    return Admission(types=_types(schema), values=_values(schema))


def _types(schema: JsonObject) -> frozenset[str] | None:
    match schema.get("type"):
        case None if "type" not in schema:
            return None
        case str() as name:
            return frozenset({name})
        case list() as names:
            return frozenset(name for name in names if isinstance(name, str))
        case _:
            return frozenset()


def _values(schema: JsonObject) -> frozenset[ScalarKey] | None:
    allowed: frozenset[ScalarKey] | None = None
    if "const" in schema:
        allowed = _keys([schema["const"]])
    if "enum" in schema:
        listed = schema["enum"]
        options = _keys(listed) if isinstance(listed, list) else frozenset[ScalarKey]()
        allowed = options if allowed is None else allowed & options
    return allowed


def _keys(values: list[Json]) -> frozenset[ScalarKey]:
    return frozenset(
        _key(value) for value in values if isinstance(value, (bool, int, float, str)) or value is None
    )


def _key(value: Scalar) -> ScalarKey:
    match value:
        case bool():
            return ("boolean", value)
        case Number() if value in _UNBOUNDED:
            return ("text", value.text)
        case int() | float():
            return ("number", value)
        case str():
            return ("string", value)
        case None:
            return ("null", None)


_UNBOUNDED = (float("inf"), float("-inf"))


def _is(value: Scalar, name: str) -> bool:
    match value:
        case bool():
            return name == "boolean"
        case int():
            return name in {"integer", "number"}
        case float():
            return name == "number" or (name == "integer" and value.is_integer())
        case str():
            return name == "string"
        case None:
            return name == "null"
