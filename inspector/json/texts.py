"""The texts in a JSON value: its keys, its strings, and its numbers as they are spelt."""

from collections.abc import Iterable, Iterator
from math import isfinite

from inspector.json.exact import DuplicateKeys, Json, Number
from inspector.json.walk import CONTAINERS, below

STRETCH, OVERLAP = 200_000, 4_000
"""Characters of a text that are searched at once, and of those how many the stretch before has too.

Of what is longer than the overlap, a search may find a part alone.
"""
LEAST_DIGITS = 4
"""Numbers of fewer digits, truth values and null occur everywhere by chance."""


def text_of(leaf: Json) -> str | None:
    """The text of a leaf that is long enough not to occur by chance; None for any other value."""
    return next(iter(forms_of(leaf)), None)


def forms_of(leaf: Json) -> tuple[str, ...]:
    """The texts of a leaf that are long enough not to occur by chance: of a number its spelling, and those of others."""
    match leaf:
        case str():
            return (leaf,)
        case bool() | None | dict() | list() | DuplicateKeys():
            return ()
        case int():
            spelt = str(leaf)
            return (spelt,) if _is_long(spelt) else ()
        case _:
            return _forms_of_float(leaf)


def _is_long(spelt: str) -> bool:
    return len(spelt.lstrip("-")) >= LEAST_DIGITS


def _forms_of_float(number: float) -> tuple[str, ...]:
    spelt = [number.text] if isinstance(number, Number) else []
    if isfinite(number):
        spelt.append(repr(float(number)))
        if number == int(number):
            spelt.append(str(int(number)))
    return tuple(dict.fromkeys(text for text in spelt if sum(map(str.isdigit, text)) >= LEAST_DIGITS))


def texts_in(value: Json, texts: set[str], keys: set[str], *, at_least: int = 1) -> None:
    """Add every distinct leaf of `value` to `texts`, but strings of fewer characters than `at_least`; and its keys."""
    for piece in leaves_of(value, keys, at_least=at_least):
        texts.update(piece)


def leaves_of(value: Json, keys: set[str], *, at_least: int = 1) -> Iterator[list[str]]:
    """The leaves of `value`, as `texts_in` adds them, some thousand at a time. Adds its keys to `keys`."""
    members = iter([[value]])
    while True:
        inner: list[Json] = []
        for piece in members:
            yield [leaf for leaf in piece if type(leaf) is str and len(leaf) >= at_least]
            yield list(filter(_is_long, [str(leaf) for leaf in piece if type(leaf) is int]))
            for leaf in [leaf for leaf in piece if type(leaf) in _FLOATS]:
                yield list(forms_of(leaf))
            inner += [member for member in piece if type(member) in CONTAINERS]
        if not inner:
            return
        members = below(inner, keys)


def keys_in(value: Json) -> set[str]:
    """Every distinct key in `value`, at any depth."""
    keys = set[str]()
    level = [value]
    while level:
        level = [one for piece in below(level, keys) for one in piece if type(one) in CONTAINERS]
    return keys


def stretches(text: str, size: int = STRETCH, overlap: int = OVERLAP) -> Iterator[str]:
    """A text in stretches of `size` characters, each of which begins `overlap` before the end of the one before."""
    if len(text) <= size:
        yield text
        return
    for start in range(0, len(text) - overlap, size - overlap):
        yield text[start : start + size]


def batches(
    texts: Iterable[str], size: int = STRETCH, overlap: int = OVERLAP
) -> Iterator[tuple[list[str], list[str]]]:
    """Texts, about `size` characters at a time, and beside each the text that it is of: long ones come in pieces.

    Each piece begins `overlap` before the end of the one before. So nothing that holds the interpreter's lock takes
    long, however long a text is.
    """
    every = list(texts)
    for start in range(0, len(every), _TOGETHER):
        group = every[start : start + _TOGETHER]
        if sum(map(len, group)) <= size:
            yield group, group
        else:
            yield from _sized(group, size, overlap)


def _sized(texts: list[str], size: int, overlap: int) -> Iterator[tuple[list[str], list[str]]]:
    pieces: list[str] = []
    owners: list[str] = []
    length = 0
    for text in texts:
        for stretch in stretches(text, size, overlap):
            pieces.append(stretch)
            owners.append(text)
            length += len(pieces[-1])
            if length >= size:
                yield pieces, owners
                pieces, owners, length = [], [], 0
    if pieces:
        yield pieces, owners


_FLOATS = frozenset({float, Number})
_TOGETHER = 2_000
"""Texts of a few words, as most are, that make up a batch."""
