"""The texts in a JSON value, which are its keys, its strings, and its numbers as they are written."""

from collections.abc import Iterable, Iterator
from math import isfinite

from inspector.json.exact import DuplicateKeys, Json, Number
from inspector.json.walk import CONTAINERS, below

STRETCH, OVERLAP = 200_000, 4_000
"""The length of the stretches in which a text is searched, and their overlap, in characters.

A search may find only a part of a value that is longer than the overlap.
"""
LEAST_DIGITS = 4
"""The minimum number of digits of a number that is searched for.

Shorter numbers, booleans and null occur everywhere by chance.
"""


def text_of(leaf: Json) -> str | None:
    """The text of a leaf that is long enough not to occur by chance; None for any other value."""
    return next(iter(forms_of(leaf)), None)


def forms_of(leaf: Json) -> tuple[str, ...]:
    """The texts of a leaf that are long enough not to occur by chance.

    A number may have several texts, which are the number as sent and other ways to write the same value.
    """
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
    """Add every distinct leaf of `value` to `texts`, except strings shorter than `at_least`, and its keys to `keys`."""
    for piece in leaves_of(value, keys, at_least=at_least):
        texts.update(piece)


def leaves_of(value: Json, keys: set[str], *, at_least: int = 1) -> Iterator[list[str]]:
    """The leaves of `value`, as `texts_in` adds them, in lists of some thousand. Adds its keys to `keys`."""
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
    """Split a text into pieces of `size` characters.

    Each piece overlaps the previous by `overlap` characters.
    """
    if len(text) <= size:
        yield text
        return
    for start in range(0, len(text) - overlap, size - overlap):
        yield text[start : start + size]


def batches(
    texts: Iterable[str], size: int = STRETCH, overlap: int = OVERLAP
) -> Iterator[tuple[list[str], list[str]]]:
    """Batches of about `size` characters: pieces of texts, and for each piece the text that it comes from.

    A short text is one piece. Each further piece of a long text begins `overlap` characters before the end of
    the previous one. So no operation on a batch holds the interpreter's lock for long, however long a text
    is.
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
"""The maximum number of texts in a batch."""
