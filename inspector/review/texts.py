"""The texts of a definition, each with its place: what a model may be given to read."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from inspector.json.exact import DuplicateKeys, Json
from inspector.json.pointer import child
from inspector.review.word_set import word_set

MAX_POINTER = 4_096
"""Characters. Deeper texts are judged too, under the pointer of what they stand in."""


READ = 2_000_000
"""Characters of a result in which orders to a model are looked for."""
LONGEST_READ = 200_000
"""Characters of one text of it."""
_EACH = 80
"""Characters that a text counts for beside its own."""


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


def first_of(texts: Iterable[Text]) -> tuple[tuple[Text, ...], bool]:
    """As many of the texts, from the first, as are read of a result; and whether these are all."""
    left = READ
    found: list[Text] = []
    for text in texts:
        left -= min(len(text.text), LONGEST_READ) + _EACH
        if left < 0:
            return tuple(found), False
        found.append(text)
    return tuple(found), True


_Found: TypeAlias = tuple[Json, str, Place]
"""A value, its pointer, and what a text there is for."""


def texts_of(value: Json) -> Iterator[Text]:
    """Every string in `value` but those of one character, and every key that is no usual keyword; of an object its keys first.

    Cost: linear; depth makes no difference. Of a long list no more than one member is held at a time.
    """
    way: list[Iterator[_Found]] = [iter([(value, "", Place.VALUE)])]
    while way:
        item, pointer, place = next(way[-1], _END)
        match item:
            case str():
                if len(item) > 1:
                    yield Text(pointer=pointer, place=place, text=item)
            case dict() | DuplicateKeys():
                below: list[_Found] = []
                for key, member in item.items() if isinstance(item, dict) else item.pairs:
                    usual, holds = key in _KEYWORDS, isinstance(member, _HOLDERS)
                    if usual and not holds:
                        continue
                    at = _below(pointer, key)
                    if not usual:
                        yield Text(pointer=at, place=Place.KEY, text=key)
                    if holds:
                        below.append((member, at, _PLACES.get(key, Place.VALUE)))
                way.append(iter(below))
            case list():
                way.append(_members(item, pointer, place))
            case _:
                way.pop()


_END: _Found = (None, "", Place.VALUE)
"""No scalar but a text is ever among what is found."""


def _members(items: list[Json], pointer: str, place: Place) -> Iterator[_Found]:
    return (
        (member, _below(pointer, index), place)
        for index, member in enumerate(items)
        if isinstance(member, _HOLDERS)
    )


def _below(pointer: str, token: str | int) -> str:
    return pointer if len(pointer) > MAX_POINTER else child(pointer, token)
