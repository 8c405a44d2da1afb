"""Finds the texts in a definition or result, each with its place."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cache
from typing import TypeAlias

from msgspec import Struct

from inspector.json.exact import DuplicateKeys, Json
from inspector.json.pointer import child


@cache
def word_set(text: str) -> frozenset[str]:
    """The words in `text`, separated by blanks."""
    return frozenset(text.split())


MAX_POINTER = 4_096
"""The maximum number of characters of a pointer.

A text with a longer pointer gets the pointer of an enclosing value.
"""


READ = 2_000_000
"""The maximum number of characters of a result that are searched for instructions."""
_EACH = 80
"""The number of characters that are added to the length of each text, to compare the sum with `READ`."""


class TextPlace(StrEnum):
    """The kind of place in which a text is. The values are shown to the user."""

    PROSE = "text"
    """A description, or the instructions of a server."""
    NAME = "name"
    TITLE = "title"
    KEY = "key"
    VALUE = "value"
    """A value that is no description, name or title, such as a default, an enum or an annotation."""


class Text(Struct, frozen=True, kw_only=True):
    """A text with its place."""

    pointer: str
    """A pointer to the text; if the text is a key, to its member. Keys in the pointer are untrusted text."""
    place: TextPlace
    text: str
    """The text as sent. Untrusted text."""


_PLACES = {
    "description": TextPlace.PROSE,
    "instructions": TextPlace.PROSE,
    "title": TextPlace.TITLE,
    "name": TextPlace.NAME,
    "uri": TextPlace.NAME,
    "uriTemplate": TextPlace.NAME,
}
_KEYWORDS = word_set(
    "name title description inputSchema outputSchema annotations _meta type properties required items enum default "
    "const examples format pattern minimum maximum minLength maxLength minItems maxItems additionalProperties anyOf "
    "oneOf allOf not $ref $defs $schema definitions readOnlyHint destructiveHint idempotentHint openWorldHint"
)


_HOLDERS = (str, dict, list, DuplicateKeys)


class ReadTexts(Struct, frozen=True, kw_only=True):
    """The first texts of a value, up to the search limit."""

    texts: tuple[tuple[Text, int], ...]
    """Each text with the number of its first characters that are searched. Only the last text may be searched in part."""
    is_all: bool
    """True if these are all texts of the value, and each is searched completely."""

    @property
    def limit(self) -> str:
        """A clause that says how much of the value is searched; empty if all of it is searched."""
        if self.is_all:
            return ""
        number = sum(length for text, length in self.texts if text.place is not TextPlace.KEY)
        return f"only the first {number:,} characters of its texts are searched for instructions to a model"


def first_of(texts: Iterable[Text]) -> ReadTexts:
    """The first of `texts`, up to the search limit."""
    left = READ
    read: list[tuple[Text, int]] = []
    for text in texts:
        left -= _EACH
        if left <= 0:
            return ReadTexts(texts=tuple(read), is_all=False)
        length = min(len(text.text), left)
        read.append((text, length))
        left -= length
        if length < len(text.text):
            return ReadTexts(texts=tuple(read), is_all=False)
    return ReadTexts(texts=tuple(read), is_all=True)


_Found: TypeAlias = tuple[Json, str, TextPlace]
"""A value, its pointer, and the kind of place."""


def texts_of(value: Json) -> Iterator[Text]:
    """Every string in `value` that is longer than one character, and every unusual key.

    The keys of an object come before its values.

    Linear, for any depth. Long lists are read one item at a time.
    """
    way: list[Iterator[_Found]] = [iter([(value, "", TextPlace.VALUE)])]
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
                        yield Text(pointer=at, place=TextPlace.KEY, text=key)
                    if holds:
                        below.append((member, at, _PLACES.get(key, TextPlace.VALUE)))
                way.append(iter(below))
            case list():
                way.append(_members(item, pointer, place))
            case _:
                way.pop()


_END: _Found = (None, "", TextPlace.VALUE)
"""Marks the end of an iterator in `texts_of`, which otherwise yields only strings, objects and arrays."""


def _members(items: list[Json], pointer: str, place: TextPlace) -> Iterator[_Found]:
    return (
        (member, _below(pointer, index), place)
        for index, member in enumerate(items)
        if isinstance(member, _HOLDERS)
    )


def _below(pointer: str, token: str | int) -> str:
    return pointer if len(pointer) > MAX_POINTER else child(pointer, token)
