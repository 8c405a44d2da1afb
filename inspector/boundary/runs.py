"""A quick test before a search: only a run of the bytes that needles consist of can hold one.

Most texts have no such run, and to see that costs a tenth of a search. The test may say yes in vain, but never no.
"""

from collections import defaultdict
from collections.abc import Iterable

_LONGEST = 32
"""Longer runs need not be told apart."""


class Runs:
    """The bytes of needles, for short, longer and long ones apart, and how many of them follow each other at least."""

    __slots__ = ("_base64", "_bytes")

    def __init__(self, needles: Iterable[bytes], read_as: bytes) -> None:
        """`read_as`: the byte as which a decoded text is searched, for each byte."""
        by_length: defaultdict[int, list[bytes]] = defaultdict(list)
        for needle in needles:
            by_length[len(needle)].append(needle)
        groups: defaultdict[int, list[bytes]] = defaultdict(list)
        for length, alike in by_length.items():
            groups[min(length, _LONGEST).bit_length()] += alike
        self._bytes: list[tuple[bytes, bytes]] = []
        self._base64: list[tuple[bytes, bytes]] = []
        for group in groups.values():
            least, among = min(map(len, group)), frozenset(b"".join(group))
            self._bytes.append((_table(among), b"\1" * min(least, _LONGEST)))
            # Of four letters of base64, the first is six bits of a byte: of every third byte of a needle.
            firsts = {byte >> 2 for byte in range(256) if read_as[byte] in among}
            begins = frozenset(letter for letter, value in _VALUES.items() if value in firsts)
            self._base64.append((_table(begins), b"\1" * (min(least, _LONGEST) // 3)))

    def may_hold(self, text: bytes) -> bool:
        """Whether a needle may be in a text."""
        return any(run in text.translate(table) for table, run in self._bytes)

    def may_hold_decoded(self, letters: bytes, shift: int) -> bool:
        """Whether a needle may be in what base64 decodes to, from its letter `shift` on."""
        firsts = letters[shift::4]
        return any(run in firsts.translate(table) for table, run in self._base64)


def _table(among: frozenset[int]) -> bytes:
    return bytes(byte in among for byte in range(256))


_VALUES = {
    letter: value
    for value, letter in enumerate(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}
