"""What JavaScript changes in structured content on the way through."""

from collections.abc import Iterator

from inspector.hosts.facts import facts
from inspector.hosts.javascript import PROTO, is_rounded, own_keys
from inspector.hosts.notes import Notes
from inspector.hosts.sharing import shared
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_ROUNDED = "JavaScript reads the number as a double and hands over a rounded one"
_SORTED = "JavaScript puts keys that look like indices first"
_GONE = "the host's client library drops a member of this name"
_DEEP_PROTO = "a `__proto__` this deep was never sent; it is kept here"


def note_structure_changes(result: JsonObject, notes: Notes) -> None:
    """Note where the structured content of `result`, as the server sent it, will read otherwise."""
    for pointer, what, is_beyond in _changes(result.get("structuredContent")):
        (notes.beyond if is_beyond else notes.change)(pointer, what)


@shared
def _changes(structured: Json) -> tuple[tuple[str, str, bool], ...]:
    """Where, what, and whether nobody observed it; in the order of the document."""
    known = facts(structured)
    if not (known.has_odd_keys or known.has_rounded):
        return ()
    found: list[tuple[str, str, bool]] = []
    stack: list[tuple[str, Json]] = [("/structuredContent", structured)]
    while stack:
        pointer, value = stack.pop()
        match value:
            case dict():
                if known.has_odd_keys:
                    found.extend(_of_keys(pointer, value))
                stack.extend(
                    (child(pointer, key), inner)
                    for key, inner in reversed(value.items())
                    if _may_change(inner)
                )
            case list():
                stack.extend(
                    (child(pointer, index), value[index])
                    for index in range(len(value) - 1, -1, -1)
                    if _may_change(value[index])
                )
            case int() if is_rounded(value):
                found.append((pointer, _ROUNDED, False))
            case _:
                pass
    return tuple(found)


def _may_change(value: Json) -> bool:
    return isinstance(value, (dict, list)) or (isinstance(value, int) and is_rounded(value))


def _of_keys(pointer: str, value: JsonObject) -> Iterator[tuple[str, str, bool]]:
    if list(own_keys(value)) != list(value):
        yield pointer, _SORTED, False
    if PROTO in value:
        is_top = pointer == "/structuredContent"
        yield child(pointer, PROTO), _GONE if is_top else _DEEP_PROTO, not is_top
