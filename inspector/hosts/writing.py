"""JSON values as text, the way other programs write them: one writer, and a style for each program.

Code in C keeps the interpreter's lock, and with it the event loop, until it has written all that it was given:
large values are written piece by piece.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from json.encoder import encode_basestring
from typing import NamedTuple, TypeVar, cast

import msgspec

from inspector.hosts.facts import EXACT, facts
from inspector.hosts.sharing import shared
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text, scalar_text

Item = TypeVar("Item")
Leaf = bool | int | float | None
_PIECE = 32
"""Members of a container that are written at once."""
_MANY = 256
"""Containers of more members are opened, wherever they are reached."""
_LEVELS = 6
"""Down to which containers of few members are opened too, outside of those of many."""
_DEEPEST = 100
"""Levels of containers of many members in each other that are opened."""


def _as_sent(value: JsonObject) -> Iterable[str]:
    return value


def string_text(value: str) -> str:
    """A text as JSON; half a UTF-16 pair is escaped."""
    return encode_basestring(value) if value.isascii() else scalar_text(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a program writes JSON, or what it writes for it."""

    comma: str = ","
    colon: str = ":"
    indent: int = 0
    """Blanks for each level; 0 writes on one line."""
    text: Callable[[str], str] = string_text
    leaf: Callable[[Leaf], str] = scalar_text
    """Numbers, booleans, null."""
    order: Callable[[JsonObject], Iterable[str]] = _as_sent
    """The keys of an object in the order written."""

    @property
    def is_compact(self) -> bool:
        """Whether only leaves and the order of keys are its own."""
        return not self.indent and (self.comma, self.colon, self.text) == (",", ":", string_text)


class _Open(NamedTuple):
    """A container that is being written."""

    members: Iterator[tuple[str, Json]]
    """What stands in front of a value, and the value."""
    closer: str
    depth: int


def write(value: Json, style: Style) -> str:
    """`value` in that style, to any depth. Never raises; of an object that names a key twice, all pairs are written."""
    if not style.is_compact or not isinstance(value, (dict, list)):
        return _written(value, style)
    known = facts(value)
    if known.has_twice or known.has_half:
        return _written(value, style)
    if not (known.has_float or known.has_rounded or known.has_odd_keys):
        return _plain(value)
    return in_pieces(value, Form(whole=lambda part: _at_once(part, style), order=style.order))


@shared
def _plain(value: Json) -> str:
    """What all programs write alike."""
    return in_pieces(value, Form(whole=dump_text))


def _at_once(value: Json, style: Style) -> str:
    try:
        return msgspec.json.encode(_ready(value, style)).decode()
    except RecursionError:
        return _written(value, style)


def _ready(value: Json, style: Style) -> object:
    """`value` with the numbers that the style writes in its own way as they are written."""
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


def _written(value: Json, style: Style) -> str:
    pieces: list[str] = []
    stack: list[_Open] = []
    _begin(value, style, pieces, stack)
    while stack:
        top = stack[-1]
        found = next(top.members, None)
        if found is None:
            pieces.append(top.closer)
            stack.pop()
            continue
        pieces.append(found[0])
        _begin(found[1], style, pieces, stack)
    return "".join(pieces)


def _begin(value: Json, style: Style, pieces: list[str], stack: list[_Open]) -> None:
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
    value: JsonObject | DuplicateKeys | list[Json], style: Style, depth: int
) -> Iterator[tuple[str, Json]]:
    """Each member with all that is written between the one before it and its value."""
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


def _break(style: Style, depth: int) -> str:
    return "\n" + " " * (style.indent * depth) if style.indent else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a program writes JSON on one line."""

    whole: Callable[[Json], str]
    """Any value at once, with the same commas and colons."""
    comma: str = ","
    colon: str = ":"
    order: Callable[[JsonObject], Iterable[str]] = _as_sent
    """The keys of an object in the order written."""


def in_pieces(value: Json, form: Form) -> str:
    """`form.whole(value)`, of which only small parts are written at a time."""
    return "".join(_pieces(value, form, _LEVELS, _DEEPEST))


def _pieces(value: Json, form: Form, levels: int, left: int) -> Iterator[str]:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """A member that is written in pieces itself."""

    front: str
    """What stands in front of it."""
    value: Json


def _grouped_members(
    value: JsonObject | list[Json], form: Form, below: int
) -> Iterator[JsonObject | list[Json] | _Opened]:
    """The members of a container, those that need not be opened together in small containers."""
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
    """A finite number by the fewest digits that read back as it."""

    sign: str
    digits: str
    """Without zeros at either end; `0` for zero."""
    point: int
    """Where the decimal point stands, counted from the front of the digits."""

    @property
    def scientific(self) -> str:
        """One digit in front of the point, and the exponent, with a sign where it is negative."""
        head, tail = self.digits[0], self.digits[1:]
        return f"{self.sign}{head}{'.' if tail else ''}{tail}e{self.point - 1}"

    @property
    def plain(self) -> str:
        """Without an exponent, and without a fraction where there is none."""
        if self.point <= 0:
            return f"{self.sign}0.{'0' * -self.point}{self.digits}"
        if self.point >= len(self.digits):
            return self.sign + self.digits.ljust(self.point, "0")
        return f"{self.sign}{self.digits[: self.point]}.{self.digits[self.point :]}"


def digits_of(value: float) -> Digits:
    """The digits of a finite float."""
    sign, digits, exponent = Decimal(float.__repr__(value)).as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + int(exponent)
    stripped = text.lstrip("0")
    point -= len(text) - len(stripped)
    stripped = stripped.rstrip("0")
    return Digits("-" if sign else "", stripped or "0", point if stripped else 1)


def rebuilt(value: Json, leaf: Callable[[Json], Json]) -> Json:
    """`value` with every leaf put through `leaf`, to any depth. An object that names a key twice is a leaf."""
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
