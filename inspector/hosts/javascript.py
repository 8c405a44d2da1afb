"""JSON in JavaScript: numbers are doubles, integer-like keys come first, and text is UTF-16.

Source: ECMA-262, JSON.stringify, Number::toString and OrdinaryOwnPropertyKeys.
"""

import math
import re
from collections.abc import Iterable, Iterator

from inspector.hosts.facts import EXACT, facts
from inspector.hosts.notes import Notes
from inspector.hosts.sharing import shared
from inspector.hosts.writing import Leaf, WritingStyle, digits_of, write
from inspector.json.exact import Json, JsonObject, scalar_text
from inspector.json.pointer import child

PROTO = "__proto__"
_ROUNDED = "JavaScript reads the number as a double, which rounds it"
_SORTED = "JavaScript moves keys that look like array indices to the front"
_GONE = "the host's client library drops a member of this name"
_DEEP_PROTO = "a `__proto__` at this depth was not tested; it is kept here"
_INDEX = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)
_MAX_INDEX = 2**32 - 2
_SPACE = "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_BASE64 = re.compile(r"[A-Za-z0-9+/]*", re.ASCII)
_ASCII_SPACE = str.maketrans("", "", "\t\n\f\r ")


def stringify(value: Json, indent: int = 0) -> str:
    """What JavaScript returns for `JSON.stringify(value, null, indent)`, with its key order and numbers."""
    return write(value, _PRETTY) if indent else _on_one_line(value)


@shared
def _on_one_line(value: Json) -> str:
    return write(value, _COMPACT)


def number_text(value: float) -> str:
    """The text of a number as JavaScript writes it; integers are doubles too."""
    double = as_double(value)
    if not math.isfinite(double):
        return "null"
    if double == 0:
        return "0"
    digits = digits_of(double)
    if -6 < digits.point <= 21:
        return digits.plain
    exponent = digits.point - 1
    return digits.scientific if exponent < 0 else digits.scientific.replace("e", "e+")


def as_double(value: float) -> float:
    """The nearest double; infinity if the value is out of range."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def is_rounded(value: float) -> bool:
    """True if the conversion to a double changes the number."""
    return isinstance(value, int) and abs(value) > EXACT and as_double(value) != value


def own_keys(value: JsonObject) -> Iterable[str]:
    """The keys in JavaScript's order: array indices by value, then the others in insertion order."""
    indices = [key for key in value if _INDEX.fullmatch(key) and int(key) <= _MAX_INDEX]
    if not indices:
        return value
    first = sorted(indices, key=int)
    among = frozenset(first)
    return [*first, *(key for key in value if key not in among)]


def trim(text: str) -> str:
    """The result of `text.trim()` in JavaScript."""
    return text.strip(_SPACE)


def length(text: str) -> int:
    """The result of `text.length` in JavaScript: the number of UTF-16 units."""
    return (
        len(text) + sum(1 for character in text if character > "\uffff") if not text.isascii() else len(text)
    )


def head(text: str, units: int) -> str:
    """The result of `text.slice(0, units)` in JavaScript."""
    return text[:units] if text.isascii() else _decoded(_encoded(text)[: units * 2])


def tail(text: str, units: int) -> str:
    """The result of `text.slice(-units)` in JavaScript."""
    return text[-units:] if text.isascii() else _decoded(_encoded(text)[-units * 2 :])


def head_and_tail(text: str, front: int, back: int) -> tuple[str, str, int]:
    """The first and last UTF-16 units of a text, and the number of units between them."""
    return head(text, front), tail(text, back), length(text) - front - back


def grouped(count: int) -> str:
    """The result of `count.toLocaleString("en-US")` in JavaScript."""
    return f"{count:,}"


def accepts_base64(text: str) -> bool:
    """True if `atob` accepts the text."""
    bare = text.translate(_ASCII_SPACE)
    if len(bare) % 4 == 0:
        bare = bare[:-2] if bare.endswith("==") else bare.removesuffix("=")
    return len(bare) % 4 != 1 and _BASE64.fullmatch(bare) is not None


def base64_size(text: str) -> int:
    """The number of bytes that `atob` decodes from the text."""
    return len(text.translate(_ASCII_SPACE).rstrip("=")) * 3 // 4


def note_structure_changes(result: JsonObject, notes: Notes) -> None:
    """Add a note for each change that JavaScript makes to structured content when it parses a result."""
    for pointer, what, is_beyond in _changes(result.get("structuredContent")):
        (notes.beyond if is_beyond else notes.change)(pointer, what)


@shared
def _changes(structured: Json) -> tuple[tuple[str, str, bool], ...]:
    """The changes in document order: pointer, description, and true if the change was not observed."""
    known = facts(structured)
    if not (known.has_odd_keys or known.has_rounded):
        return ()
    changes: list[tuple[str, str, bool]] = []
    stack: list[tuple[str, Json]] = [("/structuredContent", structured)]
    while stack:
        pointer, value = stack.pop()
        match value:
            case dict():
                if known.has_odd_keys:
                    changes.extend(_of_keys(pointer, value))
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
                changes.append((pointer, _ROUNDED, False))
            case _:
                pass
    return tuple(changes)


def _may_change(value: Json) -> bool:
    return isinstance(value, (dict, list)) or (isinstance(value, int) and is_rounded(value))


def _of_keys(pointer: str, value: JsonObject) -> Iterator[tuple[str, str, bool]]:
    if list(own_keys(value)) != list(value):
        yield pointer, _SORTED, False
    if PROTO in value:
        is_top = pointer == "/structuredContent"
        yield child(pointer, PROTO), _GONE if is_top else _DEEP_PROTO, not is_top


def _encoded(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _decoded(units: bytes) -> str:
    return units.decode("utf-16-le", "surrogatepass")


def _leaf(value: Leaf) -> str:
    return scalar_text(value) if value is None or isinstance(value, bool) else number_text(value)


_COMPACT = WritingStyle(leaf=_leaf, order=own_keys)
_PRETTY = WritingStyle(indent=2, colon=": ", leaf=_leaf, order=own_keys)
