"""Finds the values that pass the level `declared` but would not pass the level `closed`."""

from collections.abc import Collection, Sequence
from itertools import islice

from msgspec import Struct

from inspector.boundary.bounded import Bounded
from inspector.boundary.construct import Gate, construct
from inspector.boundary.contract import Contract
from inspector.boundary.notice import MEMBER
from inspector.boundary.removals import Ledger, UnjudgeableError
from inspector.boundary.walking import WITHHELD
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child, resolve
from inspector.json.walk import CONTAINERS, below

MAX_PLACES = 20
"""The maximum number of pointers in `Undeclared.places`."""


class Undeclared(Struct, frozen=True, kw_only=True):
    """What reaches a model at level `declared` although no schema describes it."""

    number: int = 0
    """The number of leaves that pass although no schema describes them.

    A content block counts as one leaf. The code of an error is not counted.
    """
    places: tuple[str, ...] = ()
    """Pointers, into the result that the server sent, to the first values that no schema describes.

    A pointer to a container means everything in it. There are at most `MAX_PLACES` pointers.
    """

    @property
    def words(self) -> str:
        """The sentence that says how many values pass at level `declared` although no schema describes them."""
        values, them = ("1 value is", "it") if self.number == 1 else (f"{self.number:,} values are", "them")
        # Places beyond the listed ones are not counted, so a full list may be incomplete.
        number = len(self.places)
        where = (
            f" (in {number} place{'s' if number > 1 else ''})"
            if 0 < number < min(self.number, MAX_PLACES)
            else ""
        )
        return f"{values} not described by the output schema, so `declared` lets {them} through{where}"


def undeclared(
    declared: Bounded,
    contract: Contract,
    *,
    root: str = "/structuredContent",
    broken: Collection[str] = (),
) -> Undeclared:
    """The leaves that reach a model at level `declared` although no schema describes them.

    `declared`: the bounded result at that level. `root`: the pointer to the structured value in what was sent.
    `broken`: pointers to values that the schema describes, but which break it; they are left out.
    """
    result = declared.result if isinstance(declared.result, dict) else {}
    if "error" in result:
        error = result["error"] if isinstance(result["error"], dict) else {}
        free = {child("/error", key): _leaves(value) for key, value in error.items() if key != "code"}
        return Undeclared(number=sum(free.values()), places=tuple(islice(free, MAX_PLACES)))
    others = {child("", key): _leaves(value) for key, value in result.items() if key not in _NO_LEAVES}
    unnamed, places = _unnamed(declared, result, contract, {place.removeprefix(root) for place in broken})
    listed = (*(root + place for place in places), *declared.free_blocks, *others)
    return Undeclared(
        number=len(declared.free_blocks) + sum(others.values()) + unnamed, places=listed[:MAX_PLACES]
    )


_NO_LEAVES = frozenset({"content", "structuredContent", "isError", "resultType", "_meta"})


def _unnamed(
    declared: Bounded, result: JsonObject, contract: Contract, broken: Collection[str]
) -> tuple[int, Sequence[str]]:
    """Find the values of the structured content to which the output schema gives no type.

    Returns the number of their leaves, and the pointers to the first values. These pointers and those in
    `broken` lead into the structured content.
    """
    if "structuredContent" not in result:
        return 0, ()
    structured = result["structuredContent"]
    if isinstance(structured, dict):
        structured = {key: value for key, value in structured.items() if key != MEMBER}
    whole = _leaves(structured)
    everything = (whole, ("",)) if whole and "" not in broken else (0, ())
    if contract.positions is None or declared.error:
        return everything
    ledger = Ledger(contract, "")
    try:
        gate = Gate(declared=True, hint=None)
        named = construct(structured, contract.positions.start(), ledger, gate)
    except UnjudgeableError:
        return everything
    if named.gone:
        return everything
    places = (removal.pointer for removal in ledger.removals)
    number = whole - _leaves(named.value)
    if broken:
        found = [*places]
        number -= sum(_leaves(resolve(structured, place)) for place in found if place in broken)
        places = (place for place in found if place not in broken)
    return number, tuple(islice(places, MAX_PLACES)) if number else ()


def _leaves(value: Json) -> int:
    """The number of scalars, without the boundary's placeholders."""
    count = 0
    pieces = iter([[value]])
    while True:
        inner: list[Json] = []
        for piece in pieces:
            containers = [member for member in piece if type(member) in CONTAINERS]
            count += len(piece) - len(containers) - piece.count(WITHHELD)
            inner += containers
        if not inner:
            return count
        pieces = below(inner)
