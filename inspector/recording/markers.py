"""Markers: what stands in a recording for a withheld value.

`{"$withheld": rule, "id": hmac}`: under one key, equal values have equal ids, and nothing of a value can be told.
"""

import hmac
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.mask import SHOWN
from inspector.json.chunks import pieces
from inspector.json.edit import Copied
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.json.pointer import split

MARKER = "$withheld"
ID = "id"
_ID_DIGITS = 16

Tokens = tuple[str | int, ...]


class Marker(dict[str, Json]):
    """A marker of our own making. What a server sends in this shape is a plain dict."""


class Key:
    """The key of one recording: made for it, and written nowhere."""

    def __init__(self, key: bytes) -> None:
        """`key`: 32 bytes that nobody else knows."""
        self._key = key

    def marker(self, rule: str, value: Json) -> Marker:
        """What stands for `value`."""
        digest = hmac.new(self._key, digestmod="sha256")
        for piece in pieces(value):
            digest.update(piece)
        return Marker({MARKER: rule, ID: digest.hexdigest()[:_ID_DIGITS]})


def is_marker(value: Json) -> bool:
    """Whether a value is a marker in shape, as a recording has it."""
    return (
        isinstance(value, dict)
        and value.keys() == {MARKER, ID}
        and isinstance(value[MARKER], str)
        and isinstance(value[ID], str)
    )


def with_markers(raw: Json, removals: Iterable[Removal], key: Key) -> Json:
    """`raw` with a marker for each removal that is about a secret. Shares what it does not change; never raises.

    `removals`: those of `declared`, into `raw`.
    """
    copied = Copied(raw)
    for removal in removals:
        if removal.rule in SHOWN:
            continue
        tokens = split(removal.pointer)
        found = tokens[: copied.reach(tokens)]
        value = copied.at(found)
        if isinstance(value, Marker) or _is_within(copied, found):
            continue
        copied.put(found, key.marker(removal.rule, value))
    return copied.value


def _is_within(copied: Copied, tokens: tuple[str, ...]) -> bool:
    """Whether a place is inside a marker already."""
    return any(isinstance(copied.at(tokens[:length]), Marker) for length in range(len(tokens)))


class _Path(NamedTuple):
    above: "_Path | None"
    token: str | int


def places(value: Json, wanted: Callable[[Json], bool]) -> Iterator[Tokens]:
    """Where the values stand for which `wanted` holds. What is inside of one, or of a marker of ours, is not looked at.

    Objects with repeated keys are judged as they are, and not entered.
    """
    stack: list[tuple[Json, _Path | None]] = [(value, None)]
    while stack:
        item, path = stack.pop()
        if wanted(item):
            yield _tokens(path)
        elif isinstance(item, Marker):
            continue
        elif isinstance(item, dict):
            stack.extend((member, _Path(path, key)) for key, member in item.items())
        elif isinstance(item, list):
            stack.extend((member, _Path(path, index)) for index, member in enumerate(item))


def unforged(value: Json, key: Key) -> Json:
    """`value`, with markers in place of what only looks like one."""
    copied = Copied(value)
    for tokens in list(places(value, _is_forged)):
        copied.put(tokens, key.marker(Rule.INTERNAL, copied.at(tokens)))
    return copied.value


def _is_forged(value: Json) -> bool:
    if isinstance(value, DuplicateKeys):
        return any(name == MARKER for name, _ in value.pairs)
    return isinstance(value, dict) and MARKER in value and not isinstance(value, Marker)


def _tokens(path: _Path | None) -> Tokens:
    tokens: list[str | int] = []
    while path:
        tokens.append(path.token)
        path = path.above
    return tuple(reversed(tokens))


STANDS = re.compile(r"\[withheld [^\[\] ]+ [0-9a-f]{16}\]")
"""What `text_for` makes."""


def text_for(marker: JsonObject) -> str:
    """What a person, and a model of a replayed session, reads in place of the value."""
    return f"[withheld {marker[MARKER]} {marker[ID]}]"
