"""The texts of a definition, each with its place: what a model may be given to read."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from inspector.core.findings.word_set import word_set
from inspector.core.json_text import DuplicateKeys, Json
from inspector.core.pointer import child

MAX_POINTER = 4_096
"""Characters. Deeper texts are judged too, under the pointer of what they stand in."""


class Place(StrEnum):
    """What a text is there for, in words that may be shown."""

    PROSE = "text"
    """A description, or the instructions of a server."""
    NAME = "name"
    TITLE = "title"
    KEY = "key"
    VALUE = "value"
    """Anything else: a default, an enum, an annotation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One text."""

    pointer: str
    """Of the string, or of the member whose key it is. Foreign where keys are."""
    place: Place
    text: str
    """As sent. Foreign."""


_PLACES = {
    "description": Place.PROSE,
    "instructions": Place.PROSE,
    "title": Place.TITLE,
    "name": Place.NAME,
    "uri": Place.NAME,
    "uriTemplate": Place.NAME,
}
_KEYWORDS = word_set(
    "name title description inputSchema outputSchema annotations _meta type properties required items enum default "
    "const examples format pattern minimum maximum minLength maxLength minItems maxItems additionalProperties anyOf "
    "oneOf allOf not $ref $defs $schema definitions readOnlyHint destructiveHint idempotentHint openWorldHint"
)


_HOLDERS = (str, dict, list, DuplicateKeys)


def texts_of(value: Json) -> tuple[Text, ...]:
    """Every string in `value` but those of one character, and every key that is no usual keyword, in document order.

    Cost: linear; depth makes no difference.
    """
    return tuple(_texts(value))


def _texts(value: Json) -> Iterator[Text]:
    stack: list[tuple[Json, str, Place]] = [(value, "", Place.VALUE)]
    while stack:
        item, pointer, place = stack.pop()
        match item:
            case str():
                if len(item) > 1:
                    yield Text(pointer=pointer, place=place, text=item)
            case dict() | DuplicateKeys():
                pairs = tuple(item.items()) if isinstance(item, dict) else item.pairs
                below: list[tuple[Json, str, Place]] = []
                for key, member in pairs:
                    usual, holds = key in _KEYWORDS, isinstance(member, _HOLDERS)
                    if usual and not holds:
                        continue
                    at = _below(pointer, key)
                    if not usual:
                        yield Text(pointer=at, place=Place.KEY, text=key)
                    if holds:
                        below.append((member, at, _PLACES.get(key, Place.VALUE)))
                stack.extend(reversed(below))
            case list():
                stack.extend(
                    (member, _below(pointer, index), place)
                    for index, member in reversed(tuple(enumerate(item)))
                    if isinstance(member, _HOLDERS)
                )
            case _:
                pass


def _below(pointer: str, token: str | int) -> str:
    return pointer if len(pointer) > MAX_POINTER else child(pointer, token)
