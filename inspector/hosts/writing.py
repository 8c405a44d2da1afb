"""Writes JSON in the styles of other programs.

Large values are written in pieces, because code in C holds the interpreter's lock, and so blocks the event loop, until it
has finished.
"""

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from itertools import islice
from json.encoder import encode_basestring
from typing import NamedTuple, TypeVar, cast

import msgspec
from msgspec import Struct

from inspector.hosts.facts import EXACT, facts
from inspector.hosts.sharing import shared
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text, scalar_text

Item = TypeVar("Item")
Leaf = bool | int | float | None
_PIECE = 32
"""The number of members of a container to write at once."""
_MANY = 256
"""The number of members beyond which a container is always written in pieces."""
_LEVELS = 6
"""The depth up to which containers of at most `_MANY` members are written in pieces.

Inside a container with more than `_MANY` members, such containers are written at once.
"""
_DEEPEST = 100
"""The maximum nesting depth of containers that are written in pieces."""


def _as_sent(value: JsonObject) -> Iterable[str]:
    return value


def string_text(value: str) -> str:
    """A text as JSON; a lone surrogate is escaped."""
    return encode_basestring(value) if value.isascii() else scalar_text(value)


class WritingStyle(Struct, frozen=True, kw_only=True):
    """The style in which a program writes JSON."""

    comma: str = ","
    colon: str = ":"
    indent: int = 0
    """The number of spaces for each level of nesting; 0 writes on one line."""
    text: Callable[[str], str] = string_text
    leaf: Callable[[Leaf], str] = scalar_text
    """Writes numbers, booleans and null."""
    order: Callable[[JsonObject], Iterable[str]] = _as_sent
    """Returns the keys of an object in writing order."""

    @property
    def is_compact(self) -> bool:
        """True if the style writes containers like compact JSON, except for the order of keys."""
        return not self.indent and (self.comma, self.colon, self.text) == (",", ":", string_text)


class _Open(NamedTuple):
    """A container that is being written."""

    members: Iterator[tuple[str, Json]]
    """For each member that is not yet written: the text before its value, and the value."""
    closer: str
    depth: int


def write(value: Json, style: WritingStyle) -> str:
    """Write `value` in a style, at any depth. Never raises; writes all pairs of an object with duplicate keys."""
    if not style.is_compact or not isinstance(value, (dict, list)):
        return _written(value, style)
    known = facts(value)
    if known.has_twice or known.has_half:
        return _written(value, style)
    if not (known.has_float or known.has_rounded or known.has_odd_keys):
        return _plain(value)
    return in_pieces(value, WrittenForm(whole=lambda part: _at_once(part, style), order=style.order))


@shared
def _plain(value: Json) -> str:
    """The text of values that all programs write alike."""
    return in_pieces(value, WrittenForm(whole=dump_text))


def _at_once(value: Json, style: WritingStyle) -> str:
    try:
        return msgspec.json.encode(_ready(value, style)).decode()
    except RecursionError:
        return _written(value, style)


def _ready(value: Json, style: WritingStyle) -> object:
    """`value` for msgspec: numbers that the style writes differently are already written as text."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if isinstance(value, dict):
        return {key: _ready(value[key], style) for key in style.order(value)}
    if isinstance(value, list):
        return [_ready(item, style) for item in value]
    if kind is int and -EXACT <= cast("int", value) <= EXACT:
        return value
    return msgspec.Raw(style.leaf(cast("Leaf", value)).encode())


def _written(value: Json, style: WritingStyle) -> str:
    pieces: list[str] = []
    stack: list[_Open] = []
    _begin(value, style, pieces, stack)
    while stack:
        top = stack[-1]
        member = next(top.members, None)
        if member is None:
            pieces.append(top.closer)
            stack.pop()
            continue
        pieces.append(member[0])
        _begin(member[1], style, pieces, stack)
    return "".join(pieces)


def _begin(value: Json, style: WritingStyle, pieces: list[str], stack: list[_Open]) -> None:
    match value:
        case str():
            pieces.append(style.text(value))
        case dict() | DuplicateKeys() | list():
            opener, closer = "[]" if isinstance(value, list) else "{}"
            pieces.append(opener)
            depth = stack[-1].depth + 1 if stack else 1
            members = _members(value, style, depth)
            if value if isinstance(value, (dict, list)) else value.pairs:
                closer = _break(style, depth - 1) + closer
            stack.append(_Open(members=members, closer=closer, depth=depth))
        case _:
            pieces.append(style.leaf(value))


def _members(
    value: JsonObject | DuplicateKeys | list[Json], style: WritingStyle, depth: int
) -> Iterator[tuple[str, Json]]:
    """Each member with the text between the previous member and its value."""
    front = _break(style, depth)
    between = (style.comma.rstrip() if style.indent else style.comma) + front
    if isinstance(value, list):
        for item in value:
            yield front, item
            front = between
        return
    pairs = (
        value.pairs if isinstance(value, DuplicateKeys) else ((key, value[key]) for key in style.order(value))
    )
    for key, member in pairs:
        yield f"{front}{style.text(key)}{style.colon}", member
        front = between


def _break(style: WritingStyle, depth: int) -> str:
    return "\n" + " " * (style.indent * depth) if style.indent else ""


class WrittenForm(Struct, frozen=True, kw_only=True):
    """How a program writes JSON on one line: its separators, and a function that writes a whole value."""

    whole: Callable[[Json], str]
    """Writes any value at once, with the separators `comma` and `colon`."""
    comma: str = ","
    colon: str = ":"
    order: Callable[[JsonObject], Iterable[str]] = _as_sent
    """Returns the keys of an object in writing order."""


def in_pieces(value: Json, form: WrittenForm) -> str:
    """The same text as `form.whole(value)`, put together from small parts."""
    return "".join(_pieces(value, form, _LEVELS, _DEEPEST))


def _pieces(value: Json, form: WrittenForm, levels: int, left: int) -> Iterator[str]:
    if not isinstance(value, (dict, list)) or not left or not _is_opened(value, levels):
        yield form.whole(value)
        return
    below = 0 if len(value) > _MANY else max(levels - 1, 0)
    opener, closer = "[]" if isinstance(value, list) else "{}"
    yield opener
    first = True
    for member in _grouped_members(value, form, below):
        if not first:
            yield form.comma
        first = False
        if isinstance(member, _Opened):
            yield member.front
            yield from _pieces(member.value, form, below, left - 1)
        else:
            yield form.whole(member)[1:-1]
    yield closer


class _Opened(Struct, frozen=True, kw_only=True):
    """A member that is written in pieces."""

    front: str
    """The text before the member."""
    value: Json


def _grouped_members(
    value: JsonObject | list[Json], form: WrittenForm, below: int
) -> Iterator[JsonObject | list[Json] | _Opened]:
    """The members of a container; members that are written whole are grouped in small containers."""
    if isinstance(value, list):
        for group in _groups(value):
            if not _has_opened(group, below):
                yield group
                continue
            for item in group:
                yield _Opened(front="", value=item) if _is_opened(item, below) else [item]
        return
    for keys in _groups(form.order(value)):
        members = {key: value[key] for key in keys}
        if not _has_opened(members.values(), below):
            yield members
            continue
        for key, item in members.items():
            if _is_opened(item, below):
                yield _Opened(front=form.whole(key) + form.colon, value=item)
            else:
                yield {key: item}


def _is_opened(value: Json, levels: int) -> bool:
    return isinstance(value, (dict, list)) and bool(value) and (levels > 0 or len(value) > _MANY)


def _has_opened(values: Iterable[Json], levels: int) -> bool:
    for value in values:
        kind = type(value)
        if (kind is dict or kind is list) and _is_opened(value, levels):
            return True
    return False


def _groups(items: Iterable[Item]) -> Iterator[list[Item]]:
    waiting = iter(items)
    while group := list(islice(waiting, _PIECE)):
        yield group


class Digits(NamedTuple):
    """The shortest digits that read back as a finite number."""

    sign: str
    digits: str
    """The digits without leading and trailing zeros; `0` for zero."""
    point: int
    """The position of the decimal point, relative to the first digit."""

    @property
    def scientific(self) -> str:
        """The number with one digit before the point and an exponent, which has a sign if it is negative."""
        head, tail = self.digits[0], self.digits[1:]
        return f"{self.sign}{head}{'.' if tail else ''}{tail}e{self.point - 1}"

    @property
    def plain(self) -> str:
        """The number without an exponent, and without a fraction if it is an integer."""
        if self.point <= 0:
            return f"{self.sign}0.{'0' * -self.point}{self.digits}"
        if self.point >= len(self.digits):
            return self.sign + self.digits.ljust(self.point, "0")
        return f"{self.sign}{self.digits[: self.point]}.{self.digits[self.point :]}"


def digits_of(value: float) -> Digits:
    """The sign, the shortest decimal digits that read back as `value`, and the position of the decimal point.

    `value` must be finite.
    """
    sign, digits, exponent = Decimal(float.__repr__(value)).as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + int(exponent)
    stripped = text.lstrip("0")
    point -= len(text) - len(stripped)
    stripped = stripped.rstrip("0")
    return Digits("-" if sign else "", stripped or "0", point if stripped else 1)


def rebuilt(value: Json, leaf: Callable[[Json], Json]) -> Json:
    """`value` with `leaf` applied to every leaf, at any depth. An object with duplicate keys is a leaf."""
    root = _copied(value, leaf)
    stack = [root]
    while stack:
        holder = stack.pop()
        match holder:
            case dict():
                for key, inner in holder.items():
                    holder[key] = fresh = _copied(inner, leaf)
                    stack.append(fresh)
            case list():
                for index, inner in enumerate(holder):
                    holder[index] = fresh = _copied(inner, leaf)
                    stack.append(fresh)
            case _:
                pass
    return root


def _copied(value: Json, leaf: Callable[[Json], Json]) -> Json:
    return value.copy() if isinstance(value, (dict, list)) else leaf(value)
