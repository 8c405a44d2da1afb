"""JSON as Python programs write it: `json.dumps`, pydantic's JSON, and `repr`."""

import json
import math

from inspector.hosts.facts import STRIDE, facts
from inspector.hosts.sharing import shared
from inspector.hosts.writing import Leaf, WritingStyle, WrittenForm, digits_of, in_pieces, rebuilt, write
from inspector.json.exact import Json, JsonObject, Number, scalar_text


@shared
def dumps(value: Json) -> str:
    """The result of `json.dumps(value)`.

    `value` must have no duplicate keys, and must not be nested deeper than pydantic's parser accepts.
    """
    return in_pieces(value, _DUMPED)


def as_dict(pairs: list[tuple[str, Json]]) -> JsonObject:
    """Build a `dict`, as a hook of Python's JSON parser. The hook lets other threads run between objects."""
    return dict(pairs)


@shared
def compact(value: Json) -> str:
    """The result of `TypeAdapter(Any).dump_json(value)`.

    It has no blanks, minimal escapes, and null for a number that is not finite.
    """
    return write(value, _COMPACT)


def represented(value: Json) -> str:
    """The result of `repr(value)`."""
    return _text_repr(value) if isinstance(value, str) else write(value, _REPR)


def loaded(value: Json) -> Json:
    """`value` with numbers as Python reads them: exact integers, and floats.

    The returned value must not be modified.
    """
    return _loaded(value) if facts(value).has_spelt else value


@shared
def _loaded(value: Json) -> Json:
    return rebuilt(value, _loaded_leaf)


def finite(value: Json) -> Json:
    """`value` with null for numbers that are not finite, as in pydantic's JSON mode.

    The returned value must not be modified.
    """
    if not facts(value).has_infinite:
        return value
    return rebuilt(value, lambda leaf: None if isinstance(leaf, float) and not math.isfinite(leaf) else leaf)


def shortened(text: str) -> str:
    """A text as pydantic quotes it in errors: up to 50 bytes whole, otherwise its first 25 and last 24 bytes."""
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= 50:
        return text
    front = raw[:25].decode("utf-8", "ignore")
    at = len(raw) - 24
    while at < len(raw) and raw[at] & 0xC0 == 0x80:
        at += 1
    return f"{front}...{raw[at:].decode('utf-8', 'ignore')}"


def type_name(value: Json) -> str:
    """The result of `type(value).__name__`."""
    return "float" if isinstance(value, float) else type(value).__name__


def compact_leaf(value: Leaf) -> str:
    """A leaf other than text as compact JSON, with numbers as Python writes them."""
    return float_text(value) if isinstance(value, float) else scalar_text(value)


def float_text(value: float) -> str:
    """A float as pydantic writes it."""
    if not math.isfinite(value):
        return "null"
    if value == 0:
        return "-0.0" if math.copysign(1, value) < 0 else "0.0"
    digits = digits_of(value)
    if digits.point > 16:
        return digits.scientific.replace("e", "e+")
    if digits.point <= -5:
        return digits.scientific
    return digits.plain if digits.point < len(digits.digits) else digits.plain + ".0"


def _loaded_leaf(value: Json) -> Json:
    if not isinstance(value, Number):
        return value
    # Only -0, and integers with too many digits for Python, are of class `Number`. The function `obstacle`
    # has rejected the long ones before.
    return int(value.text) if value.text.lstrip("-").isdigit() else float(value)


def _repr_leaf(value: Leaf) -> str:
    return float.__repr__(value) if isinstance(value, float) else repr(value)


def _text_repr(text: str) -> str:
    if len(text) <= STRIDE:
        return repr(text)
    # Python uses single quotes, or double quotes if the text has single quotes but no double quotes.
    quote, marks, behind = ('"', "'", -2) if "'" in text and '"' not in text else ("'", "\"'", -4)
    parts = (repr(text[start : start + STRIDE] + marks)[1:behind] for start in range(0, len(text), STRIDE))
    return f"{quote}{''.join(parts)}{quote}"


_DUMPED = WrittenForm(whole=json.dumps, comma=", ", colon=": ")
_COMPACT = WritingStyle(leaf=compact_leaf)
_REPR = WritingStyle(comma=", ", colon=": ", text=_text_repr, leaf=_repr_leaf)
