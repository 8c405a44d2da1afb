"""Reads keys from the terminal. Esc and a key right after it are two keys, even if they arrive together."""

import re
import sys
import termios
from collections.abc import Iterable
from contextlib import suppress

from textual import events
from textual._xterm_parser import XTermParser  # Textual has no other place to change how keys are read
from textual.drivers import linux_driver
from textual.keys import Keys

_ESC = "\x1b"
_KEY_SEQUENCE = re.compile(r"\x1b(?:\[(?!M)[0-9;:]*[@-Z^-~]|O[0-9]*[A-Za-z])")
"""The whole escape sequence of a key, known to Textual or not. Reports of the mouse and of modes have other forms."""


class KeyReader(XTermParser):
    """Textual's parser, changed so that what follows an Esc is never typed into the field that Esc leaves.

    Textual's own parser types `t` for Esc and `t`, `™` for Esc and `2`, `^` for an Esc that ends an unknown
    sequence, and the characters of that sequence.
    """

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:  # noqa: FBT001, FBT002 - as Textual declares it
        if sequence == _ESC:
            return
        found = list(super()._sequence_to_key_events(sequence))
        if alt:
            yield events.Key("escape", _ESC)
        elif sequence[0] == _ESC and not any(key.character is None for key in found):
            if len(sequence) == len(_ESC) + 1 and sequence[1] not in "[O":
                yield events.Key("escape", _ESC)
                found = super()._sequence_to_key_events(sequence[1])
            elif not found and _KEY_SEQUENCE.fullmatch(sequence):
                yield events.Key(Keys.Ignore, sequence)
        yield from found


def install() -> None:
    """Let Textual read the terminal with `KeyReader`. Drops earlier input, which was not for Sightline."""
    with suppress(termios.error, OSError, ValueError):
        termios.tcflush(sys.__stdin__ or 0, termios.TCIFLUSH)
    linux_driver.XTermParser = KeyReader  # pyright: ignore[reportPrivateImportUsage] - it has no parameter for this
