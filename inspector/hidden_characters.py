"""Finds hidden characters, which a model reads in a definition or result, but a person does not see.

Source: Unicode Technical Report 36 (bidirectional text), Unicode Standard Annex 44 (general categories and
default-ignorable characters).
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice

from msgspec import Struct

from inspector.json import pointer as json_pointer
from inspector.json.exact import DuplicateKeys, Json
from inspector.json.walk import CONTAINERS, below
from inspector.safe_text import is_plain, replaced_at, safe_line

MAX_PLACES = 20
"""The maximum number of places listed. If there are more, `hidden_sentences` says so in its last sentence."""

MAX_NAMED = 6
"""The maximum number of characters that one sentence names; others are counted."""


class HiddenKind(StrEnum):
    """Kinds of hidden characters, in the words of `hidden_sentences`."""

    CONTROL = "control"
    BIDIRECTIONAL = "bidirectional"
    INVISIBLE = "invisible"
    UNASSIGNED = "private or unassigned"


class HiddenCharacter(Struct, frozen=True, kw_only=True):
    """One character, and the number of its occurrences in one place."""

    code: int
    name: str
    """The Unicode name, such as `ZERO WIDTH SPACE`; `PRIVATE USE` or the like if the character has none."""
    kind: HiddenKind
    count: int


class Hidden(Struct, frozen=True, kw_only=True):
    """The hidden characters of one string."""

    pointer: str
    """Pointer to the string, or to the member whose key it is. May contain untrusted text."""
    in_key: bool
    characters: tuple[HiddenCharacter, ...]
    """The characters in the order of their first occurrence."""

    @property
    def count(self) -> int:
        return sum(character.count for character in self.characters)


def hidden_characters(value: Json) -> tuple[Hidden, ...]:
    """The first `MAX_PLACES` strings and keys of `value` with hidden characters, in document order.

    Line feeds, tabs, CRLF line ends, joiners and selectors of emoji, and non-joiners between joining letters
    are not hidden. Cost: linear in the size of `value`, at any depth.
    """
    return tuple(islice(_places(value), MAX_PLACES))


def hidden_sentences(value: Json) -> tuple[str, ...]:
    """Sentences for the user, one for each place that `hidden_characters` returns.

    If there are more places, a last sentence says so. The sentences contain no control or invisible characters
    themselves.
    """
    hidden = tuple(islice(_places(value), MAX_PLACES + 1))
    sentences = tuple(map(_sentence, hidden[:MAX_PLACES]))
    return (*sentences, "more places hold hidden characters") if len(hidden) > MAX_PLACES else sentences


def _sentence(hidden: Hidden) -> str:
    kinds = dict.fromkeys(character.kind for character in hidden.characters)
    named = ", ".join(
        f"U+{character.code:04X} {character.name}"
        + (f" ({character.count:,})" if character.count > 1 else "")
        for character in hidden.characters[:MAX_NAMED]
    )
    more = len(hidden.characters) - MAX_NAMED
    what = "the key" if hidden.in_key else "the text"
    ending = "" if hidden.count == 1 else "s"
    return (
        f"{what} holds {hidden.count:,} {' and '.join(kinds)} character{ending}: "
        f"{named}{f' and {more:,} others' if more > 0 else ''}, at {safe_line(hidden.pointer) or 'the root'}"
    )


def _places(value: Json) -> Iterator[Hidden]:
    """Yield each string and key with hidden characters. Builds pointers for these only."""
    if _all_plain(value):
        return
    path: list[str | int] = []
    waiting: list[Iterator[tuple[str | int, Json]]] = []
    if isinstance(value, str):
        yield from _place((), value, in_key=False)
    elif members := _members(value):
        waiting.append(members)
        path.append("")
    while waiting:
        token, member = next(waiting[-1], (None, None))
        if token is None:
            waiting.pop()
            path.pop()
            continue
        path[-1] = token
        if isinstance(token, str):
            yield from _place(path, token, in_key=True)
        if isinstance(member, str):
            yield from _place(path, member, in_key=False)
        elif not _is_plain(member) and (members := _members(member)):
            waiting.append(members)
            path.append("")


def _all_plain(value: Json) -> bool:
    """A quick test: True if nothing in a value is hidden. False does not mean that something is hidden."""
    keys = set[str]()
    level = [value]
    while level:
        inner: list[Json] = []
        for piece in below(level, keys):
            texts = [text for text in piece if isinstance(text, str)]
            others = [text for text in texts if not text.isascii()]
            ascii_texts = [text for text in texts if text.isascii()] if others else texts
            if not (is_plain("".join(ascii_texts)) and is_plain("".join(others))):
                return False
            inner += [member for member in piece if type(member) in CONTAINERS]
        level = inner
    return not isinstance(value, str) and is_plain("".join(keys))


def _is_plain(value: Json) -> bool:
    """A quick test: True if a container certainly holds no hidden character and no other container.

    If False, it may or may not hold one.
    """
    if isinstance(value, dict):
        texts = [*value, *(member for member in value.values() if isinstance(member, str))]
        members = value.values()
    elif isinstance(value, list):
        texts = [member for member in value if isinstance(member, str)]
        members = value
    else:
        return False
    return CONTAINERS.isdisjoint(map(type, members)) and is_plain("".join(texts))


def _members(value: Json) -> Iterator[tuple[str | int, Json]] | None:
    match value:
        case dict():
            return iter(value.items())
        case DuplicateKeys():
            return iter(value.pairs)
        case list():
            return iter(enumerate(value))
        case _:
            return None


def _place(path: list[str | int] | tuple[()], text: str, *, in_key: bool) -> Iterator[Hidden]:
    # A fast path for nearly all text.
    if is_plain(text):
        return
    counted = Counter(_hidden_in(text))
    if counted:
        yield Hidden(
            pointer=json_pointer.join(path),
            in_key=in_key,
            characters=tuple(
                HiddenCharacter(
                    code=ord(character), name=_name(character), kind=_kind(character), count=count
                )
                for character, count in counted.items()
            ),
        )


def _hidden_in(text: str) -> Iterator[str]:
    for index in replaced_at(text):
        if not text.startswith("\r\n", index) and not _is_in_use(text, index):
            yield text[index]


_JOINER = "\u200d"
_NON_JOINER = "\u200c"
_JOINING = (("\u0620", "\u06d3"), ("\u0900", "\u0dff"))
"""Ranges of joining letters: Arabic, Persian, and the scripts of India.

A non-joiner between two such letters is part of the spelling.
"""
_SELECTORS = "\ufe0e\ufe0f"
_KEYCAPS = "#*0123456789"


def _is_in_use(text: str, index: int) -> bool:
    """True if the character at `index` has a visible effect, so that it does not count as hidden.

    Such a character selects the form of a symbol, joins two symbols, or separates two joining letters.
    """
    before = text[index - 1] if index else ""
    match text[index]:
        case character if character in _SELECTORS:
            return _is_symbol(before) or (before != "" and before in _KEYCAPS)
        case character if character == _JOINER:
            return (_is_symbol(before) or (before != "" and before in _SELECTORS)) and _is_symbol(
                text[index + 1 : index + 2]
            )
        case character if character == _NON_JOINER:
            return _is_joining(before) and _is_joining(text[index + 1 : index + 2])
        case _:
            return False


def _is_joining(character: str) -> bool:
    return any(first <= character <= last for first, last in _JOINING)


def _is_symbol(character: str) -> bool:
    """True if a character is a symbol such as an emoji (So, Sm) or a skin tone (Sk)."""
    return character != "" and unicodedata.category(character) in {"So", "Sk", "Sm"}


_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNNAMED = {"Cc": "CONTROL", "Cs": "LONE SURROGATE", "Co": "PRIVATE USE", "Cn": "UNASSIGNED"}


def _kind(character: str) -> HiddenKind:
    if character in _BIDIRECTIONAL:
        return HiddenKind.BIDIRECTIONAL
    match unicodedata.category(character):
        case "Cc":
            return HiddenKind.CONTROL
        case "Cs" | "Co" | "Cn":
            return HiddenKind.UNASSIGNED
        case _:
            return HiddenKind.INVISIBLE


def _name(character: str) -> str:
    unnamed = _UNNAMED.get(unicodedata.category(character), "NO NAME")
    if ord(character) < 0x20:
        # Control characters have no name, but their symbols do: SYMBOL FOR ESCAPE.
        return unicodedata.name(safe_line(character)).removeprefix("SYMBOL FOR ")
    return unicodedata.name(character, unnamed)
