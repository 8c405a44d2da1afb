"""Places in a schema as linked tokens, and references led to where their targets stand in the bounded schema.

Pointers are made of places where one is asked for, and counted.
"""

from dataclasses import dataclass
from urllib.parse import quote, unquote

from inspector.boundary.ledger import UnjudgeableError
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import join

MAX_POINTER_CHARACTERS = 4_000_000
"""In all pointers that are made for one definition."""
_DEFINITIONS = "$defs"
_SPARE = "bounded"
_SAFE = "/~!$&'()*+,;=:@-._"
"""What a URI fragment holds as it is."""
_MOVED = "what it refers to stands elsewhere in the bounded schema"
_NOWHERE = "what it refers to is not handed over; anything fits there"


@dataclass(frozen=True, slots=True)
class Path:
    """A place in a document."""

    above: "Path | None"
    token: str
    depth: int

    def down(self, *tokens: str | int) -> "Path":
        """The place below it."""
        path = self
        for token in tokens:
            path = Path(path, str(token), path.depth + 1)
        return path

    @property
    def tokens(self) -> list[str]:
        """From the document's root."""
        found: list[str] = []
        path = self
        while path.above:
            found.append(path.token)
            path = path.above
        found.reverse()
        return found


TOP = Path(None, "", 0)


class Purse:
    """What may still be spent on pointers."""

    def __init__(self) -> None:
        self._left = MAX_POINTER_CHARACTERS

    def pointer(self, path: Path) -> str:
        """The pointer to `path`. Raises UnjudgeableError past the bound."""
        tokens = path.tokens
        self._left -= sum(map(len, tokens)) + len(tokens) + 1
        if self._left < 0:
            raise UnjudgeableError("its output schema differs in more places than can be listed")
        return join(tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Led:
    """A reference that stands in the bounded schema and still leads to where its target was."""

    holder: JsonObject
    keyword: str
    raw: Path
    """Where it stood."""

    @property
    def reference(self) -> Json:
        """As it was sent."""
        return self.holder.get(self.keyword)


class Leading:
    """Leads references; writes schemas that stood at no place for schemas among the definitions."""

    def __init__(self, top: JsonObject, purse: Purse) -> None:
        self._top = top
        self._purse = purse
        self._nowhere: Path | None = None

    def spare_place(self) -> tuple[JsonObject, str, Path]:
        """Where one more schema can be written: the definitions, a name that is not taken, the place."""
        held = self._top.setdefault(_DEFINITIONS, {})
        if not isinstance(held, dict):
            held = self._top[_DEFINITIONS] = {}
        number = len(held) + 1
        while f"{_SPARE}-{number}" in held:
            number += 1
        name = f"{_SPARE}-{number}"
        return held, name, TOP.down(_DEFINITIONS, name)

    def lead(self, led: Led, place: Path | None) -> str:
        """Lead a reference to `place`, where its target is written, None for nowhere; what is to be said, if anything."""
        reference = led.reference
        address = self._address(place) if place else None
        if address is None or not isinstance(reference, str):
            # Left out, it would give meaning to what stands beside it in the older drafts.
            led.holder[led.keyword] = self._address(self._anything()) or "#"
            return _NOWHERE
        # An anchor went with its schema, and an empty fragment means the top.
        is_pointer = unquote(reference.partition("#")[2]).startswith("/")
        if not is_pointer or reference == address:
            return ""
        led.holder[led.keyword] = address
        return _MOVED

    def _anything(self) -> Path:
        if self._nowhere is None:
            held, name, self._nowhere = self.spare_place()
            held[name] = {}
        return self._nowhere

    def _address(self, place: Path) -> str | None:
        try:
            return f"#{quote(self._purse.pointer(place), safe=_SAFE)}"
        except UnicodeEncodeError:
            return None
