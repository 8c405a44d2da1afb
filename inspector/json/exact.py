"""JSON as it was on the wire: exact numbers, key order, and duplicate keys are kept.

Source: RFC 8259. Content that the RFC forbids but servers send (NaN, a lone surrogate, a byte order mark,
invalid UTF-8) is kept too, and reported as a fault, never as an exception.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from json.decoder import scanstring  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
from typing import Self, TypeAlias, Union, cast

import msgspec
from msgspec import Struct

MAX_INTEGER_DIGITS = 4_300
"""The maximum number of digits of an `int`. A longer integer becomes a `Number`.

Python refuses to convert longer ones (CVE-2020-10735).
"""


class Number(float):
    """A number that keeps its text as sent, because a float loses it. Examples: `1.10`, `1e400`, `NaN`."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        """`text`: the number as it was on the wire. The float is infinite if the number is out of range."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __reduce__(self) -> tuple[type["Number"], tuple[str]]:
        return Number, (self.text,)


class DuplicateKeys:
    """An object that has a key more than once.

    It is no dict, so that no code reads only one of the values by accident.
    """

    __slots__ = ("pairs",)

    def __init__(self, pairs: "tuple[tuple[str, Json], ...]") -> None:
        self.pairs = pairs

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DuplicateKeys) and self.pairs == other.pairs

    def __hash__(self) -> int:
        return hash(tuple(key for key, _ in self.pairs))

    def __repr__(self) -> str:
        return f"DuplicateKeys({', '.join(key for key, _ in self.pairs)})"

    @property
    def repeated(self) -> tuple[str, ...]:
        """The keys that occur more than once, in the order of their second occurrence."""
        seen: set[str] = set()
        repeated: dict[str, None] = {}
        for key, _ in self.pairs:
            if key in seen:
                repeated[key] = None
            seen.add(key)
        return tuple(repeated)


Json: TypeAlias = Union[bool, int, float, str, DuplicateKeys, "list[Json]", "dict[str, Json]", None]
"""Any JSON value. A `float` may be a `Number`."""

JsonObject: TypeAlias = dict[str, Json]


class Malformed(Struct, frozen=True, kw_only=True):
    """Content, sent by a server, that does not follow the protocol. It is data to show, not an exception."""

    pointer: str
    """Pointer (RFC 6901) into the content as sent; empty for the whole content."""
    reason: str
    value: Json = None
    name: str | None = None
    """The name that the content gives itself, if it has one."""


class JsonText(Struct, frozen=True, kw_only=True):
    """A parsed JSON document: its value, and how it violates RFC 8259."""

    value: Json
    faults: tuple[str, ...] = ()
    """The ways in which the document violates the RFC."""


def parse(raw: bytes | str) -> JsonText | Malformed:
    """Parse `raw` exactly. Never raises. Deeply nested documents are parsed too, only more slowly."""
    faults: list[str] = []
    text = _decoded(raw, faults) if isinstance(raw, bytes) else raw
    if text.startswith("\ufeff"):
        faults.append("starts with a byte order mark")
        text = text[1:]
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        try:
            value = _parse_deep(text)
        except ValueError as error:
            return Malformed(pointer="", reason=f"not JSON: {error}")
    except ValueError as error:
        return Malformed(pointer="", reason=f"not JSON: {error}")
    return JsonText(value=value, faults=tuple(faults))


def dump(value: Json) -> bytes:
    """Write `value` as compact UTF-8 JSON. Never raises.

    Keys, their order, duplicates, and the texts of numbers stay the same.
    """
    try:
        return msgspec.json.encode(value, enc_hook=_encode_special)
    except (RecursionError, UnicodeEncodeError, ValueError, OverflowError):
        return "".join(_written(value)).encode("utf-8", "surrogatepass")


def dump_text(value: Json) -> str:
    """The result of `dump`, as text."""
    return dump(value).decode("utf-8", "surrogatepass")


def inert(written: bytes) -> bytes:
    """Escape characters in JSON that could act on a terminal: controls, format characters, line separators.

    `written`: the result of `dump`, or a part of it that ends between characters. The result reads back as
    the same value.
    """
    if not written.translate(None, _NEVER_ACTING):
        return written
    text = written.decode("utf-8", "surrogatepass")
    return _ACTING.sub(code_units, text).encode("utf-8", "surrogatepass") if _ACTING.search(text) else written


def code_units(character: "re.Match[str]") -> str:
    r"""A matched character as the JSON escape `\uXXXX`, or as two escapes if it is above U+FFFF."""
    raw = character[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{raw[at : at + 2].hex()}" for at in range(0, len(raw), 2))


def scalar_text(value: float | str | None) -> str:
    """One leaf as JSON text; a lone surrogate is escaped."""
    match value:
        case str():
            text = _quoted(value)
            return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
        case Number():
            return value.text
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            # Raises ValueError for an int of more than MAX_INTEGER_DIGITS digits; `parse` never returns one.
            return str(value)
        case _:
            # Written as by `dump`, which uses msgspec if it can.
            return msgspec.json.encode(value).decode()


def equal(left: Json, right: Json) -> bool:
    """True if two values are equal as JSON: key order is ignored, true is not 1, and 1 is 1.0.

    Works at any depth.
    """
    stack: list[tuple[Json, Json]] = [(left, right)]
    while stack:
        a, b = stack.pop()
        match a, b:
            case dict(), dict():
                if a.keys() != b.keys():
                    return False
                stack.extend((a[key], b[key]) for key in a)
            case list(), list():
                if len(a) != len(b):
                    return False
                stack.extend(zip(a, b, strict=True))
            case DuplicateKeys(), DuplicateKeys():
                if [key for key, _ in a.pairs] != [key for key, _ in b.pairs]:
                    return False
                stack.extend((x, y) for (_, x), (_, y) in zip(a.pairs, b.pairs, strict=True))
            case (bool(), _) | (_, bool()) | (None, _) | (_, None):
                if a is not b:
                    return False
            case ((float() | int()), (float() | int())):
                if not _same_number(a, b):
                    return False
            case str(), str():
                if a != b:
                    return False
            case _:
                return False
    return True


def _same_number(a: float, b: float) -> bool:
    if isinstance(a, Number) and isinstance(b, Number) and (a in _INFINITE or a != a):  # noqa: PLR0124
        return a.text == b.text
    return a == b


_INFINITE = (float("inf"), float("-inf"))


def _decoded(raw: bytes, faults: list[str]) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        faults.append(f"not UTF-8 at byte {error.start}")
        return raw.decode("utf-8", "replace")


def _object(pairs: list[tuple[str, Json]]) -> JsonObject | DuplicateKeys:
    members = dict(pairs)
    return members if len(members) == len(pairs) else DuplicateKeys(tuple(pairs))


def _float(text: str) -> float:
    number = float(text)
    return number if repr(number) == text else Number(text)


def _int(text: str) -> int | Number:
    if text == "-0" or len(text) > MAX_INTEGER_DIGITS:
        return Number(text)
    return int(text)


def _fast_decoder() -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=_object, parse_float=_float, parse_int=_int, parse_constant=Number, strict=False
    )


_DECODER = _fast_decoder()
_quoted = json.JSONEncoder(ensure_ascii=False).encode
_SURROGATE = re.compile("[\ud800-\udfff]")
# The characters of Unicode's categories Cc, Cf, Zl and Zp, without the controls that JSON escapes anyway.
# Also fillers and variation selectors of other categories, because they hide or reorder text.
_ACTING = re.compile(
    # The first set is only there for speed: it skips most characters.
    r"[^\x00-\x7e\xa0-\xac\xae-\u034e\u0350-\u05ff](?<="
    "[\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff])"
)
# The bytes that begin the UTF-8 of no character in `_ACTING`. Most texts have only these bytes. The check for
# other bytes is fifty times faster than a search with `_ACTING`.
_NEVER_ACTING = bytes(set(range(256)) - set(b"\x7f\xc2\xcd\xd8\xdb\xdc\xe0\xe1\xe2\xe3\xef\xf0\xf3"))
_NUMBER = re.compile(r"(-?(?:0|[1-9]\d*))(\.\d+)?([eE][-+]?\d+)?", re.ASCII)
_SPACE = re.compile(r"[ \t\n\r]*")
_WORDS: dict[str, Json] = {
    "true": True,
    "false": False,
    "null": None,
    "NaN": Number("NaN"),
    "Infinity": Number("Infinity"),
    "-Infinity": Number("-Infinity"),
}


def _parse_deep(text: str) -> Json:
    """Parse `text` without recursion, because the standard parser stops at about a thousand levels."""
    position = _skip(text, 0)
    # For each open container, its pairs or items so far. `keys` has the next key, or None for an array.
    open_objects: list[list[tuple[str, Json]] | list[Json]] = []
    keys: list[str | None] = []
    while True:
        opener = text[position : position + 1]
        value: Json
        if opener in {"{", "["} and opener:
            position = _skip(text, position + 1)
            closer = "}" if opener == "{" else "]"
            if text[position : position + 1] != closer:
                open_objects.append([])
                key, position = _key(text, position) if opener == "{" else (None, position)
                keys.append(key)
                continue
            value = cast("Json", {} if opener == "{" else [])
            position += 1
        else:
            value, position = _leaf(text, position)
        while True:
            position = _skip(text, position)
            if not open_objects:
                if position != len(text):
                    raise ValueError(f"extra data at character {position}")
                return value
            key = keys[-1]
            container = open_objects[-1]
            is_object = key is not None
            container.append(cast("Json", (key, value) if is_object else value))  # pyright: ignore[reportArgumentType]
            after = text[position : position + 1]
            if after == ",":
                position = _skip(text, position + 1)
                if is_object:
                    keys[-1], position = _key(text, position)
                break
            if after != ("}" if is_object else "]"):
                raise ValueError(f"expected a comma or an end at character {position}")
            open_objects.pop()
            keys.pop()
            value = (
                _object(cast("list[tuple[str, Json]]", container))
                if is_object
                else cast("list[Json]", container)
            )
            position += 1


def _skip(text: str, position: int) -> int:
    blanks = _SPACE.match(text, position)
    return blanks.end() if blanks else position


def _key(text: str, position: int) -> tuple[str, int]:
    if text[position : position + 1] != '"':
        raise ValueError(f"expected a key at character {position}")
    key, position = cast("tuple[str, int]", scanstring(text, position + 1, False))
    position = _skip(text, position)
    if text[position : position + 1] != ":":
        raise ValueError(f"expected a colon at character {position}")
    return key, _skip(text, position + 1)


def _leaf(text: str, position: int) -> tuple[Json, int]:
    if text[position : position + 1] == '"':
        return cast("tuple[Json, int]", scanstring(text, position + 1, False))
    for word, value in _WORDS.items():
        if text.startswith(word, position):
            return value, position + len(word)
    number = _NUMBER.match(text, position)
    if not number:
        raise ValueError(f"expected a value at character {position}")
    whole = not (number.group(2) or number.group(3))
    return (_int if whole else _float)(number.group()), number.end()


def _encode_special(value: object) -> object:
    match value:
        case Number():
            return msgspec.Raw(value.text.encode())
        case DuplicateKeys():
            return msgspec.Raw("".join(_written(value)).encode())
        case _:
            raise TypeError(type(value).__name__)


def _written(value: Json) -> Iterator[str]:
    """The text of `value` in pieces, without recursion."""
    stack: list[Json | _Text] = [value]
    while stack:
        item = stack.pop()
        match item:
            case _Text():
                yield item.text
            case dict() | DuplicateKeys():
                pairs = tuple(item.items()) if isinstance(item, dict) else item.pairs
                yield "{"
                stack.append(_Text("}"))
                for index, (key, child) in reversed(tuple(enumerate(pairs))):
                    stack.append(child)
                    stack.append(_Text(("," if index else "") + scalar_text(key) + ":"))
            case list():
                yield "["
                stack.append(_Text("]"))
                for index, child in reversed(tuple(enumerate(item))):
                    stack.append(child)
                    if index:
                        stack.append(_Text(","))
            case _:
                yield scalar_text(item)


@dataclass(frozen=True, slots=True)
class _Text:
    """JSON text between two values, such as a comma, on the stack of `_written`."""

    text: str
