"""Paths in a schema, and new targets for each `$ref` whose target the boundary moved or withheld.

A path is a linked list of the tokens of a JSON pointer. Pointers are created on demand, and their total length
is limited. The bounded schema is the part of an output schema that the boundary leaves.
"""

from dataclasses import dataclass
from urllib.parse import quote, unquote

from msgspec import Struct

from inspector.boundary.removals import UnjudgeableError
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import join

MAX_POINTER_CHARACTERS = 4_000_000
"""The maximum total length, in characters, of all pointers for one definition."""
_DEFINITIONS = "$defs"
_SPARE = "bounded"
_SAFE = "/~!$&'()*+,;=:@-._"
"""The characters that are not escaped in a URI fragment."""
_MOVED = "its target is at another place in the bounded schema"
_NOWHERE = "its target is withheld; any value fits here"


@dataclass(frozen=True, slots=True)
class DocumentPath:
    """The path to a place in a document: one token of its JSON pointer, linked to the path above it."""

    above: "DocumentPath | None"
    token: str
    depth: int

    def down(self, *tokens: str | int) -> "DocumentPath":
        path = self
        for token in tokens:
            path = DocumentPath(path, str(token), path.depth + 1)
        return path

    @property
    def tokens(self) -> list[str]:
        tokens: list[str] = []
        path = self
        while path.above:
            tokens.append(path.token)
            path = path.above
        tokens.reverse()
        return tokens


TOP = DocumentPath(None, "", 0)


class Purse:
    """A budget: the number of characters that pointers may still take in total."""

    def __init__(self) -> None:
        self._left = MAX_POINTER_CHARACTERS

    def pointer(self, path: DocumentPath) -> str:
        """The pointer to `path`. Raises UnjudgeableError past the limit."""
        tokens = path.tokens
        self._left -= sum(map(len, tokens)) + len(tokens) + 1
        if self._left < 0:
            raise UnjudgeableError("its output schema differs in too many places to list them")
        return join(tokens)


class RedirectedReference(Struct, frozen=True, kw_only=True):
    """A `$ref` of the bounded schema that is to be redirected; it still has its original target."""

    holder: JsonObject
    keyword: str
    raw: DocumentPath
    """The place of the reference in the original schema."""

    @property
    def reference(self) -> Json:
        return self.holder.get(self.keyword)


class Leading:
    """Gives references their new targets, and adds targets to the `$defs` of the bounded schema."""

    def __init__(self, top: JsonObject, purse: Purse) -> None:
        self._top = top
        self._purse = purse
        self._nowhere: DocumentPath | None = None

    def spare_place(self) -> tuple[JsonObject, str, DocumentPath]:
        """A free place for a schema in `$defs`: the object `$defs`, a new name in it, and the path to it."""
        held = self._top.setdefault(_DEFINITIONS, {})
        if not isinstance(held, dict):
            held = self._top[_DEFINITIONS] = {}
        number = len(held) + 1
        while f"{_SPARE}-{number}" in held:
            number += 1
        name = f"{_SPARE}-{number}"
        return held, name, TOP.down(_DEFINITIONS, name)

    def lead(self, led: RedirectedReference, place: DocumentPath | None) -> str:
        """Redirect a reference to `place`, or to an empty schema if `place` is None.

        Returns a description of the change; empty if there is none.
        """
        reference = led.reference
        address = self._address(place) if place else None
        if address is None or not isinstance(reference, str):
            # Keep a reference: older drafts ignore the keywords beside it, which would apply without it.
            led.holder[led.keyword] = self._address(self._anything()) or "#"
            return _NOWHERE
        # A reference to an anchor or to the root stays valid, because an anchor moves with its schema.
        is_pointer = unquote(reference.partition("#")[2]).startswith("/")
        if not is_pointer or reference == address:
            return ""
        led.holder[led.keyword] = address
        return _MOVED

    def _anything(self) -> DocumentPath:
        if self._nowhere is None:
            held, name, self._nowhere = self.spare_place()
            held[name] = {}
        return self._nowhere

    def _address(self, place: DocumentPath) -> str | None:
        try:
            return f"#{quote(self._purse.pointer(place), safe=_SAFE)}"
        except UnicodeEncodeError:
            return None
