"""The output of a program to a terminal, parsed by a grammar that accepts only the interface's own sequences."""

import re
import unicodedata
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_COLOURS = r"\x1b\[[0-9;]*m"
_POSITION = r"\x1b\[[0-9]{1,3};[0-9]{1,3}H"
_POINTER = r"\x1b\]22;(?:default|pointer|text)\x07"
_COPIED = re.compile(r"\x1b\]52;c;([A-Za-z0-9+/]+=*)\x07")
_OFTEN = re.compile(f"{_COLOURS}|{_POSITION}|{_POINTER}")
# Modes and queries of the driver, and how often each may occur: at the start, and as often at the end.
_SELDOM = {
    "\x1b[?1049h": 1, "\x1b[?1049l": 1, "\x1b[?25l": 1, "\x1b[?25h": 1, "\x1b[?1004h": 1, "\x1b[?1004l": 1,
    "\x1b[?2004h": 1, "\x1b[?2004l": 1, "\x1b[?7l": 1, "\x1b[?7h": 1, "\x1b[>25u": 1, "\x1b[<u": 1,
    "\x1b[?2026$p": 1, "\x1b[?2048$p": 1,
    **{f"\x1b[?{mode}{ending}": 2 for mode in (1000, 1003, 1006, 1015) for ending in "hl"},
}  # fmt: skip
# Invisible characters outside category C: fillers, selectors, line separators.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_ANY = re.compile("|".join((_OFTEN.pattern, *map(re.escape, _SELDOM), "\r\n")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One sequence, or the text up to the next one."""

    text: str
    is_sequence: bool


def pieces(written: bytes) -> Iterator[Piece]:
    """The output, in pieces. Raises UnicodeDecodeError if it is not UTF-8."""
    text = written.decode("utf-8")
    end = 0
    for found in _ANY.finditer(text):
        if found.start() > end:
            yield Piece(text=text[end : found.start()], is_sequence=False)
        yield Piece(text=found[0], is_sequence=True)
        end = found.end()
    if end < len(text):
        yield Piece(text=text[end:], is_sequence=False)


def assert_interface(written: bytes, *, copied: tuple[str, ...] = ()) -> None:
    """Assert that there are only the interface's own sequences, and text without anything of category C.

    `copied`: what the user copied; nothing else may reach the clipboard.
    """
    seldom: Counter[str] = Counter()
    assert tuple(clipboard(written)) == copied
    for piece in pieces(_COPIED.sub("", written.decode("utf-8")).encode()):
        if not piece.is_sequence:
            assert_text(piece.text)
        elif piece.text in _SELDOM:
            seldom[piece.text] += 1
        else:
            assert "777" not in piece.text, repr(piece.text)
    for sequence, times in seldom.items():
        assert times <= _SELDOM[sequence], repr(sequence)


def clipboard(written: bytes) -> Iterator[str]:
    """Every text that was sent to the clipboard."""
    for found in _COPIED.finditer(written.decode("utf-8")):
        yield b64decode(found[1]).decode("utf-8")


def assert_text(text: str) -> None:
    """Assert that a text has no control, format, surrogate, private or unassigned character, filler or selector."""
    found = next(
        (
            index
            for index, character in enumerate(text)
            if unicodedata.category(character)[0] == "C" or _UNSEEN.match(character)
        ),
        None,
    )
    assert found is None, f"{hex(ord(text[found]))} in {text[max(found - 40, 0) : found + 40]!r}"


def assert_lines(written: bytes) -> str:
    """Assert that there are only lines of text without any sequence, as from a command without an interface; return the text."""
    text = written.decode("utf-8").replace("\r\n", "\n")
    for line in text.split("\n"):
        assert_text(line)
    return text
