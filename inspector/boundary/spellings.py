"""Makes needles, and the views of a text in which they are searched for.

A needle is a sequence of bytes to search for, made from a withheld value. A copy of a value may be encoded.
The views of a text are its decoded forms, because decoding a whole text is cheap, while a search for many
encoded needles is not. Needles and views are folded in the same way: without case, accents, white space and
invisible characters, in Unicode's compatibility form, and with one alphabet for base64. So case, line breaks
and `base64url` cost nothing extra.
"""

import re
import sys
from binascii import a2b_base64, unhexlify
from collections.abc import Callable, Collection, Iterable, Iterator
from enum import StrEnum
from html import unescape
from unicodedata import normalize
from urllib.parse import unquote_to_bytes

from msgspec import Struct

from inspector.boundary.runs import Runs
from inspector.boundary.unseen import visible

SHORTEST = 6
"""The minimum length, in characters, of a value that is found inside words.

A shorter value is searched for as a whole word.
"""
LONGEST = 128
"""The maximum length of a needle, in bytes. A longer needle is cut, so its value is found by its beginning."""
MOST_IN_PARTS = 64_000
"""The maximum number of characters of a value that `parts_in` reads."""

SEPARATOR = "\0"
"""Separates texts that are searched together; ignored within a text."""
_BETWEEN = SEPARATOR.encode()


class Spelling(StrEnum):
    """The way in which a copy of a withheld value is written. The values are texts for the user."""

    PLAIN = "unchanged"
    REVERSED = "reversed"
    HEX = "in hexadecimal"
    BASE64 = "in base64"


class DecodedView(Struct, frozen=True, kw_only=True):
    """A text with one spelling decoded, ready to be searched."""

    spelling: Spelling
    text: bytes
    source: bytes
    """The text before it was decoded, as bytes, including separators."""
    place: Callable[[int, int], int]
    """Maps the start and end of a match in `text` to a position in `source`."""


def needles(values: Collection[str]) -> frozenset[bytes]:
    """The needles to search for in views, each cut at `LONGEST` bytes.

    Some needles keep white space and combining marks and fold only ASCII case, as decoded views do.
    """
    if _are_simple(values):
        folded = SEPARATOR.join(values).encode().translate(_PLAIN)
        return frozenset(needle[:LONGEST] for needle in folded.split(_BETWEEN) if needle)
    short, coded, result = list[str](), list[str](), set[bytes]()
    for value in values:
        begins = value.strip()[:_ENOUGH]
        coded.extend(
            (begins,) if begins.isascii() else (begins, *(normalize(form, begins) for form in _FORMS))
        )
        if len(value) <= _ENOUGH:
            short.append(value.replace(SEPARATOR, ""))
        else:
            # Skip invisible and control characters before cutting. Form encoding writes a space as a plus.
            for spelt in (value, value.replace(" ", "+")):
                result.add(_folded(_squeezed(visible(spelt.replace(SEPARATOR, "")))[:_ENOUGH]))
    joined = SEPARATOR.join(short)
    plain = SEPARATOR.join(value.replace(SEPARATOR, "") for value in coded)
    result.update(plain.encode("utf-8", "surrogatepass").translate(_PLAIN).split(_BETWEEN))
    result.update(_folded(_squeezed(joined)).split(_BETWEEN))
    result.update(_folded(_squeezed(joined.replace(" ", "+"))).split(_BETWEEN))
    return frozenset(needle[:LONGEST] for needle in result if needle)


def parts_in(values: Iterable[str]) -> set[str]:
    """Split values of several lines into lines, and lines of more than `LONGEST` bytes into pieces.

    A program may write each part in another message, on another line or in another spelling. Parts that are
    too short to be found in a text are left out, and so are values of one line that are not cut.
    """
    return {
        part
        for value in values
        if is_cut(value) or "\n" in value or "\r" in value
        for line in value[:MOST_IN_PARTS].splitlines()
        for part in (_pieces(line) if is_cut(line) else (line,))
        # A first piece without blanks is the needle of the value itself.
        if not (len(part) == LONGEST and value.startswith(part) and is_visible(part) and " " not in part)
        if len("".join(visible(part.replace(SEPARATOR, "")).split())) >= SHORTEST
    }


def _pieces(line: str) -> Iterator[str]:
    step = LONGEST if line.isascii() else LONGEST // 4
    # The last piece may overlap the one before: a short one would be found by chance.
    yield from (line[start : start + step] for start in range(0, len(line) - step, step))
    yield line[-step:]


def is_cut(value: str) -> bool:
    """True if a value is longer than `LONGEST` bytes, so that its needle is only its beginning."""
    return len(value) > LONGEST // 4 and len(value.encode("utf-8", "surrogatepass")) > LONGEST


def _are_simple(values: Collection[str]) -> bool:
    """True if folding changes only the case of the values, and none is long enough to be cut."""
    together = "".join(values)
    return is_visible(together) and " " not in together and max(map(len, values), default=0) <= _ENOUGH


def is_visible(text: str) -> bool:
    """True if a text consists of printable ASCII characters only."""
    return text.isascii() and text.isprintable()


def runs_of(needles: Iterable[bytes]) -> Runs:
    """The quick test for whether a decoded text can contain one of the needles; see the module `runs`."""
    return Runs(needles, _PLAIN)


def spellings(text: str, runs: Runs) -> Iterator[DecodedView]:
    """The views of a text that may contain a needle.

    `text`: a text whose escapes are decoded. `runs`: the quick test for the needles.
    """
    original, text = text, _squeezed(text)
    forwards = _folded(text)
    if runs.may_hold(forwards):
        yield DecodedView(
            spelling=Spelling.PLAIN, text=forwards, source=forwards, place=lambda start, _: start
        )
    # Reversed before a ligature is decomposed, so that its letters keep their order.
    backwards = _folded(text[::-1] if original.isascii() else _squeezed(original[::-1]))
    if runs.may_hold(backwards):
        yield DecodedView(
            spelling=Spelling.REVERSED,
            text=backwards,
            source=forwards,
            place=lambda _, end: len(backwards) - end,
        )
    raw = text.encode("utf-8", "surrogatepass").translate(_ALPHABET, _CONTROL)
    letters = raw.translate(_ONLY_BASE64)
    for shift in range(4):
        if runs.may_hold_decoded(letters, shift):
            whole = letters[shift : shift + (len(letters) - shift) // 4 * 4]
            decoded = a2b_base64(whole).translate(_PLAIN)
            if runs.may_hold(decoded):
                yield _decoded(Spelling.BASE64, decoded, raw, shift, (4, 3))
    if _HEX_RUN in raw.translate(_AS_DIGITS):
        digits = raw.translate(_ONLY_HEX)
        for shift in range(2):
            whole = digits[shift : shift + (len(digits) - shift) // 2 * 2]
            decoded = unhexlify(whole).translate(_PLAIN)
            if runs.may_hold(decoded):
                yield _decoded(Spelling.HEX, decoded, raw, shift, (2, 1))


def words(text: str) -> bytes:
    """`text` prepared for the search for whole words: without case and invisible characters."""
    text = text if text.isascii() else visible(text)
    return text.casefold().encode("utf-8", "surrogatepass").translate(None, _CONTROL)


def unescaped(text: str) -> tuple[str, ...]:
    """The text itself and its decoded forms.

    They are without JSON escapes, URL encoding, HTML entities, tag characters, or several of these.
    """
    views = [text]
    for view in views:
        for undone in _undone(view):
            if undone not in views and len(views) < _MOST_VIEWS:
                views.append(undone)
    return tuple(views)


def read_as(text: str) -> tuple[str, ...]:
    """The text, and versions with ASCII letters in place of Unicode tag characters.

    A model may read tag characters like ASCII letters.
    """
    if text.isascii() or not _TAG.search(text):
        return (text,)
    return text, *(part.translate(_OF_TAGS) for part in (text, "".join(_TAG.findall(text))))


def meant(text: str) -> tuple[str, ...]:
    """The decoded forms of a withheld value that is itself escaped or in base64; empty for other values.

    These forms are searched for, because a copy of the value may be decoded.
    """
    views = unescaped(text)[1:] if has_escapes(text) else ()
    if not _IN_BASE64.fullmatch(text):
        return views
    raw = a2b_base64(text[:_MOST_CODED].encode().translate(_ALPHABET, b"=") + b"==")
    if raw.translate(None, _NOT_IN_TEXT) != raw:
        return views
    decoded = raw.decode("utf-8", "ignore")
    # The last character may be cut.
    is_text = len(raw) - len(decoded.encode()) < 4 and "".join(decoded.split()).isprintable()
    return (*views, decoded) if is_text else views


def has_escapes(text: str) -> bool:
    """True if `unescaped` may return more than the text."""
    return (
        "\\" in text
        or "%" in text
        or ("&" in text and _ENTITY.search(text) is not None)
        or (not text.isascii() and _TAG.search(text) is not None)
    )


def _undone(text: str) -> Iterator[str]:
    if "\\" in text:
        yield _without_escapes(text)
    if "%" in text:
        yield unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
    if "&" in text and _ENTITY.search(text):
        yield unescape(text)
    if not text.isascii() and _TAG.search(text):
        yield text.translate(_OF_TAGS)


def _squeezed(text: str) -> str:
    return "".join((text if text.isascii() else visible(text)).split())


def _folded(text: str) -> bytes:
    return text.casefold().encode("utf-8", "surrogatepass").translate(_ALPHABET, _CONTROL)


def _decoded(
    spelling: Spelling, text: bytes, source: bytes, shift: int, ratio: tuple[int, int]
) -> DecodedView:
    coded, plain = ratio
    return DecodedView(
        spelling=spelling,
        text=text,
        source=source,
        place=lambda start, _: shift + start * coded // plain,
    )


def _without_escapes(text: str) -> str:
    text = text.replace("\\\\", _BACKSLASH)
    if "\\u" in text or "\\x" in text or "\\U" in text:
        text = _CODE.sub(_character, text)
    for letter, meaning in _LETTERS:
        text = text.replace(letter, meaning)
    return _ESCAPED_SIGN.sub(r"\1", text).replace(_BACKSLASH, "\\")


def _character(match: re.Match[str]) -> str:
    high, low, *others = match.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    code = int(next(filter(None, others)), 16)
    return chr(code) if code <= sys.maxunicode else match[0]


_MOST_VIEWS = 22
"""The maximum number of decoded forms of a text, enough for every combination of two of the four escapes."""
_ENOUGH = 2 * LONGEST
_FORMS = ("NFC", "NFD")
_TAG = re.compile("[\U000e0020-\U000e007e]")
_OF_TAGS = {0xE0000 + code: code for code in range(0x20, 0x7F)}
"""Maps each tag character to its ASCII character. Tag characters are invisible, but models may read them."""
_BACKSLASH = "\x01"
_CODE = re.compile(
    r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})"
    r"|\\x([0-9a-fA-F]{2})|\\u\{([0-9a-fA-F]{1,6})\}|\\U([0-9a-fA-F]{8})"
)
"""Escapes of JSON, and of the languages in which servers print values."""
_LETTERS = tuple(("\\" + letter, " ") for letter in "nrtbf")
_ESCAPED_SIGN = re.compile(r"\\([!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&#?\w{2,31};")
_IN_BASE64 = re.compile(r"(?:[A-Za-z0-9+/_-]{4}){2,}(?:[A-Za-z0-9+/_-]{2,3}={0,2})?")
_MOST_CODED = 8 * LONGEST
_HEX = b"0123456789abcdefABCDEF"
_HEX_RUN = b"0" * (2 * SHORTEST)
_AS_DIGITS = bytes(ord("0" if code in _HEX else " ") for code in range(256))
_CONTROL = bytes(code for code in (*range(1, 32), 127) if code not in b"\t\n\v\f\r\x1c\x1d\x1e\x1f")
_NOT_IN_TEXT = _CONTROL + _BETWEEN + bytes(range(0xF5, 0x100))
"""Bytes that do not occur in UTF-8 text, or that are invisible in it."""
_ALPHABET = bytes.maketrans(b"-_", b"+/")
_PLAIN = bytes(range(256)).lower().translate(_ALPHABET)
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_ONLY_BASE64 = bytes(code if code in _BASE64 else ord("A") for code in range(256))
_ONLY_HEX = bytes(code if code in _HEX else ord("0") for code in range(256))
