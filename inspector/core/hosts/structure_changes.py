"""What JavaScript changes in structured content on the way through."""

from inspector.core.hosts.javascript import PROTO, is_rounded, own_keys
from inspector.core.hosts.notes import Notes
from inspector.core.json_text import Json, JsonObject
from inspector.core.pointer import child

_ROUNDED = "JavaScript reads the number as a double and hands over a rounded one"
_SORTED = "JavaScript puts keys that look like indices first"
_GONE = "the host's client library drops a member of this name"
_DEEP_PROTO = "a `__proto__` this deep was never sent; it is kept here"


def note_structure_changes(result: JsonObject, notes: Notes) -> None:
    """Note where the structured content of `result`, as the server sent it, will read otherwise."""
    stack: list[tuple[str, Json]] = [("/structuredContent", result.get("structuredContent"))]
    while stack:
        pointer, value = stack.pop()
        match value:
            case dict():
                if list(own_keys(value)) != list(value):
                    notes.change(pointer, _SORTED)
                if PROTO in value:
                    at = child(pointer, PROTO)
                    if pointer == "/structuredContent":
                        notes.change(at, _GONE)
                    else:
                        notes.beyond(at, _DEEP_PROTO)
                stack.extend((child(pointer, key), inner) for key, inner in reversed(value.items()))
            case list():
                stack.extend((child(pointer, index), value[index]) for index in range(len(value) - 1, -1, -1))
            case int() | float() if not isinstance(value, bool) and is_rounded(value):
                notes.change(pointer, _ROUNDED)
            case _:
                pass
