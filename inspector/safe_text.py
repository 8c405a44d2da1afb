"""Makes untrusted text safe to show: afterwards it can neither control a terminal nor hide characters.

Line feed and tab stay as they are. Every other character of Unicode's category C (control, format, surrogate,
private use, unassigned) becomes a visible symbol, as do fillers, variation selectors and line separators.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

_C0_PICTURES = 0x2400
_DELETE = 0x7F
_DELETE_PICTURE = "␡"

# Characters outside category C that hide or break text: fillers, variation selectors and line separators.
_INVISIBLE = frozenset(
    "\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0\u034f\u2800\u2028\u2029"
) | {chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))}

# Characters that are always plain. Such text is returned unchanged.
_PLAIN = re.compile(r"[\n\t\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027]*")
_NOT_PLAIN = re.compile(r"[^\n\t\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027]")


class Safe(Struct, frozen=True, kw_only=True):
    """Text without control or hidden characters, and the number of characters that were replaced."""

    text: str
    replaced: int


def safe(text: str) -> str:
    """`text` with every control or hidden character made visible: `␛`, `⟨U+202E⟩`."""
    return text if _PLAIN.fullmatch(text) else _NOT_PLAIN.sub(_shown_match, text)


def is_plain(text: str) -> bool:
    """A quick test: True if `safe` certainly changes nothing.

    If False, `safe` may or may not change something.
    """
    return (text.isascii() and text.isprintable()) or _PLAIN.fullmatch(text) is not None


def safe_line(text: str) -> str:
    """`safe` for one line: line feeds and tabs become symbols too."""
    shown = safe(text)
    if "\n" in shown or "\t" in shown:
        return shown.replace("\n", "␊").replace("\t", "␉")
    return shown


def safe_name(text: str) -> str:
    """`safe_line` for a name: in a word with Latin letters, letters of lookalike scripts become symbols too.

    A Cyrillic letter is shown as in `send_rep⟨U+043E⟩rt`, so that it is not taken for a Latin one.
    """
    shown = safe_line(text)
    return shown if shown.isascii() else _WORD.sub(_unmixed, shown)


_WORD = re.compile(r"[^\W\d_]+")
_LOOKALIKES = frozenset({"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"})


def _unmixed(word: re.Match[str]) -> str:
    if word[0].isascii():
        return word[0]
    scripts = [_script(character) for character in word[0]]
    if "LATIN" not in scripts:
        return word[0]
    return "".join(
        f"⟨U+{ord(character):04X}⟩" if script in _LOOKALIKES else character
        for character, script in zip(word[0], scripts, strict=True)
    )


@lru_cache(maxsize=4096)
def _script(character: str) -> str:
    return unicodedata.name(character, "").partition(" ")[0]


def inspect(text: str) -> Safe:
    """The result of `safe`, with the number of replaced characters."""
    if _PLAIN.fullmatch(text):
        return Safe(text=text, replaced=0)
    shown = [_shown(character) for character in text]
    replaced = sum(1 for before, after in zip(text, shown, strict=True) if before != after)
    return Safe(text="".join(shown), replaced=replaced)


def replaced_at(text: str) -> Iterator[int]:
    """The positions of the characters that `safe` replaces, in order."""
    for match in _NOT_PLAIN.finditer(text):
        if not _is_unchanged(match[0]):
            yield match.start()


def _shown_match(match: re.Match[str]) -> str:
    return _shown(match[0])


def _shown(character: str) -> str:
    if character in "\n\t":
        return character
    code = ord(character)
    if code < 0x20:
        return chr(_C0_PICTURES + code)
    if code == _DELETE:
        return _DELETE_PICTURE
    if character in _INVISIBLE or unicodedata.category(character).startswith("C"):
        return f"⟨U+{code:04X}⟩"
    return character


@lru_cache(maxsize=4096)
def _is_unchanged(character: str) -> bool:
    return _shown(character) == character
