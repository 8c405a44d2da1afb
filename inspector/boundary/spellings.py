"""How a value may be spelt where it is repeated: the needle to search for, and the views of a text to search in.

Not the needles are multiplied but the views: decoding a whole text costs next to nothing, an automaton of many needles much.
Needles and views are folded in the same way: letters without case and accents, in Unicode's compatibility form, nothing that a
reader skips, no white space, one alphabet for base64. So case, line breaks and `base64url` cost nothing extra.
"""

import re
from binascii import a2b_base64, unhexlify
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from unicodedata import normalize
from urllib.parse import unquote_to_bytes

from inspector.boundary.unseen import visible

SHORTEST = 6
"""Of a value, in characters: what is shorter is searched for as a whole word only."""
LONGEST = 128
"""Of a needle, in bytes: what begins like a longer value counts as that value."""

SEPARATOR = "\0"
"""Stands between texts that are searched together, and counts as nothing within one."""
_BETWEEN = SEPARATOR.encode()


class Spelling(StrEnum):
    """The form in which a value was found. The values are words for the user."""

    PLAIN = "as it is"
    REVERSED = "reversed"
    HEX = "in hexadecimal"
    BASE64 = "in base64"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A text in one spelling undone, ready to be searched."""

    spelling: Spelling
    text: bytes
    source: bytes
    """What it was made from, with the separators that stand in it."""
    place: Callable[[int, int], int]
    """From where a match starts and ends in `text` to where it lies in `source`."""


def needles(values: Iterable[str]) -> frozenset[bytes]:
    """What to search for in views, cut to LONGEST. Decoded views keep white space and marks, and know the case of ASCII alone."""
    short, coded, found = list[str](), list[str](), set[bytes]()
    for value in values:
        begins = value.strip()[:_ENOUGH]
        coded.extend(
            (begins,) if begins.isascii() else (begins, *(normalize(form, begins) for form in _FORMS))
        )
        if len(value) <= _ENOUGH:
            short.append(value.replace(SEPARATOR, ""))
        else:
            # What a reader skips must not use up the length. In a form's encoding, a space is a plus.
            for spelt in (value, value.replace(" ", "+")):
                found.add(_folded(_squeezed(spelt.replace(SEPARATOR, ""))[:_ENOUGH]))
    joined = SEPARATOR.join(short)
    plain = SEPARATOR.join(value.replace(SEPARATOR, "") for value in coded)
    found.update(plain.encode("utf-8", "surrogatepass").translate(_PLAIN).split(_BETWEEN))
    found.update(_folded(_squeezed(joined)).split(_BETWEEN))
    found.update(_folded(_squeezed(joined.replace(" ", "+"))).split(_BETWEEN))
    return frozenset(needle[:LONGEST] for needle in found if needle)


def spellings(text: str) -> Iterator[View]:
    """The views of a text, in which escapes are undone already."""
    asked, text = text, _squeezed(text)
    forwards = _folded(text)
    yield View(spelling=Spelling.PLAIN, text=forwards, source=forwards, place=lambda start, _: start)
    # A ligature's letters keep their order.
    backwards = _folded(text[::-1] if asked.isascii() else _squeezed(asked[::-1]))
    yield View(
        spelling=Spelling.REVERSED,
        text=backwards,
        source=forwards,
        place=lambda _, end: len(backwards) - end,
    )
    raw = text.encode("utf-8", "surrogatepass").translate(_ALPHABET, _CONTROL)
    letters = raw.translate(_ONLY_BASE64)
    for shift in range(4):
        whole = letters[shift : shift + (len(letters) - shift) // 4 * 4]
        yield _decoded(Spelling.BASE64, a2b_base64(whole), raw, shift, (4, 3))
    if _HEX_RUN.search(raw):
        digits = raw.translate(_ONLY_HEX)
        for shift in range(2):
            whole = digits[shift : shift + (len(digits) - shift) // 2 * 2]
            yield _decoded(Spelling.HEX, unhexlify(whole), raw, shift, (2, 1))


def words(text: str) -> bytes:
    """A text as whole words are searched in it: without case and what a reader skips."""
    text = text if text.isascii() else visible(text)
    return text.casefold().encode("utf-8", "surrogatepass").translate(None, _CONTROL)


def unescaped(text: str) -> tuple[str, ...]:
    """The text itself, and what it says once escapes in it are undone: either kind, and one within the other."""
    views = [text]
    for view in views:
        for undone in _undone(view):
            if undone not in views and len(views) < _MOST_VIEWS:
                views.append(undone)
    return tuple(views)


def read_as(text: str) -> tuple[str, ...]:
    """The text, and what it says in tag characters, which a model may read as ASCII."""
    if text.isascii() or not _TAG.search(text):
        return (text,)
    return text, *(said.translate(_OF_TAGS) for said in (text, "".join(_TAG.findall(text))))


def has_escapes(text: str) -> bool:
    """Whether `unescaped` may have more to say of a text."""
    return "\\" in text or "%" in text or (not text.isascii() and _TAG.search(text) is not None)


def _undone(text: str) -> Iterator[str]:
    if "\\" in text:
        yield _without_escapes(text)
    if "%" in text:
        yield unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
    if not text.isascii() and _TAG.search(text):
        yield text.translate(_OF_TAGS)


def _squeezed(text: str) -> str:
    return "".join((text if text.isascii() else visible(text)).split())


def _folded(text: str) -> bytes:
    return text.casefold().encode("utf-8", "surrogatepass").translate(_ALPHABET, _CONTROL)


def _decoded(spelling: Spelling, text: bytes, source: bytes, shift: int, ratio: tuple[int, int]) -> View:
    coded, plain = ratio
    return View(
        spelling=spelling,
        text=text.translate(_PLAIN),
        source=source,
        place=lambda start, _: shift + start * coded // plain,
    )


def _without_escapes(text: str) -> str:
    text = text.replace("\\\\", _BACKSLASH)
    if "\\u" in text:
        text = _CODE.sub(_character, text)
    for letter, meaning in _LETTERS:
        text = text.replace(letter, meaning)
    return text.replace(_BACKSLASH, "\\")


def _character(found: re.Match[str]) -> str:
    high, low, alone = found.groups()
    return (
        chr(int(alone, 16))
        if alone
        else chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    )


_MOST_VIEWS = 14
_ENOUGH = 2 * LONGEST
_FORMS = ("NFC", "NFD")
_TAG = re.compile("[\U000e0020-\U000e007e]")
_OF_TAGS = {0xE0000 + code: code for code in range(0x20, 0x7F)}
"""Tag characters repeat ASCII: no reader sees them, and models read them."""
_BACKSLASH = "\x01"
_CODE = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})")
_LETTERS = (
    *(("\\" + letter, " ") for letter in "nrtbf"),
    ('\\"', '"'),
    ("\\/", "/"),
)
_HEX_RUN = re.compile(rb"[0-9a-fA-F]{%d}" % (2 * SHORTEST))
_CONTROL = bytes(code for code in (*range(1, 32), 127) if code not in b"\t\n\v\f\r\x1c\x1d\x1e\x1f")
_ALPHABET = bytes.maketrans(b"-_", b"+/")
_PLAIN = bytes(range(256)).lower().translate(_ALPHABET)
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_ONLY_BASE64 = bytes(code if code in _BASE64 else ord("A") for code in range(256))
_ONLY_HEX = bytes(code if code in b"0123456789abcdefABCDEF" else ord("0") for code in range(256))
