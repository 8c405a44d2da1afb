"""Resolves local references of a JSON Schema: `#`, `#/pointer` and `#anchor`. Nothing is ever fetched."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from msgspec import Struct

from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import split

MAX_CONTAINERS = 100_000
"""The maximum number of objects of a schema that are searched for anchors; in a larger schema, no anchor is found."""


class SchemaPlace(Struct, frozen=True, kw_only=True):
    """A value inside a schema document."""

    value: Json
    tokens: tuple[str, ...]
    """The path from the document's root."""
    embedded: bool
    """True if the value is in a resource with an `$id` of its own, where `#` means something else."""


_OLDEST_DIALECT = re.compile(r"https?://json-schema\.org/draft-0[34]/schema#?")
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


class References:
    """Resolves references within one schema document. `root`: the whole document."""

    def __init__(self, root: Json) -> None:
        self._root = root
        dialect = root.get("$schema") if isinstance(root, dict) else None
        is_oldest = isinstance(dialect, str) and _OLDEST_DIALECT.fullmatch(dialect)
        self._identifier = "id" if is_oldest else "$id"
        self._anchors: dict[str, SchemaPlace | None] | None = None
        identity = root.get(self._identifier) if isinstance(root, dict) else None
        self._identity = identity.rstrip("#") if isinstance(identity, str) else ""

    def begins_resource(self, schema: JsonObject) -> bool:
        """True if an object below the root begins a schema resource of its own, by `$id` (in draft-04: `id`).

        `$id: "#name"` is only an anchor.
        """
        identity = schema.get(self._identifier)
        return isinstance(identity, str) and not identity.startswith("#")

    def resolve(self, reference: Json) -> SchemaPlace | None:
        """The place to which `reference` leads from the root resource.

        None if the reference is remote, dangling or ambiguous, or not a reference.
        """
        if not isinstance(reference, str):
            return None
        address, _, fragment = reference.partition("#")
        if address and address != self._identity:
            return None
        fragment = unquote(fragment)
        if not fragment:
            return SchemaPlace(value=self._root, tokens=(), embedded=False)
        if fragment.startswith("/"):
            return self._follow(split(fragment))
        if self._anchors is None:
            self._anchors = self._found_anchors()
        return self._anchors.get(fragment)

    def _follow(self, tokens: tuple[str, ...]) -> SchemaPlace | None:
        value, embedded = self._root, False
        for token in tokens:
            match value:
                case dict():
                    if token not in value:
                        return None
                    value = value[token]
                case list():
                    if not _INDEX.fullmatch(token) or int(token) >= len(value):
                        return None
                    value = value[int(token)]
                case _:
                    return None
            embedded = embedded or (isinstance(value, dict) and self.begins_resource(value))
        return SchemaPlace(value=value, tokens=tokens, embedded=embedded)

    def _found_anchors(self) -> dict[str, SchemaPlace | None]:
        """The place of every anchor of the root resource; None for a name that two places claim."""
        found: dict[str, SchemaPlace | None] = {}
        for place in self._containers():
            for name in self._names(place.value):
                found[name] = None if name in found else place
        return found

    def _names(self, schema: Json) -> set[str]:
        if not isinstance(schema, dict):
            return set()
        names = {name for key in ("$anchor", "$dynamicAnchor") if isinstance(name := schema.get(key), str)}
        identity = schema.get(self._identifier)
        if isinstance(identity, str) and identity.startswith("#"):
            names.add(identity[1:])
        return names

    def _containers(self) -> Iterator[SchemaPlace]:
        """Every object in the root resource that has an anchor; none if the resource has too many objects."""
        # A parent-linked path, so that long keys are not copied for every object below them.
        stack: list[tuple[Json, _Path | None]] = [(self._root, None)]
        found: list[tuple[Json, _Path | None]] = []
        while stack:
            value, path = stack.pop()
            if isinstance(value, dict):
                if path and self.begins_resource(value):
                    continue
                found.append((value, path))
                stack.extend((child, _Path(path, key)) for key, child in value.items())
            elif isinstance(value, list):
                stack.extend((child, _Path(path, str(index))) for index, child in enumerate(value))
            if len(found) > MAX_CONTAINERS:
                return
        for value, path in found:
            if self._names(value):
                yield SchemaPlace(value=value, tokens=_tokens(path), embedded=False)


@dataclass(frozen=True, slots=True)
class _Path:
    parent: "_Path | None"
    token: str


def _tokens(path: _Path | None) -> tuple[str, ...]:
    tokens: list[str] = []
    while path:
        tokens.append(path.token)
        path = path.parent
    return tuple(reversed(tokens))
