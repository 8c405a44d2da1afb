"""Tests quickly, before a search, whether a text has a long enough run of bytes that occur in needles.

A needle is a text that is searched for. Only such a run can contain a needle. Most texts have no such run, and
this test costs a tenth of a search. The test may say yes for a text without a needle, but never no for a text
with one.
"""

from collections import defaultdict
from collections.abc import Iterable

_LONGEST = 32
"""The maximum length, in bytes, of the runs that are looked for."""


class Runs:
    """The bytes that occur in needles, and the minimum length of a run of such bytes.

    Needles of similar length form a group; each group has its own bytes and its own length.
    """

    __slots__ = ("_base64", "_bytes")

    def __init__(self, needles: Iterable[bytes], read_as: bytes) -> None:
        """`read_as`: a table of 256 bytes by which decoded text is folded before it is searched."""
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
            # The first of four letters of base64 has six bits of one byte. So the first letters show every
            # third byte of a needle.
            firsts = {byte >> 2 for byte in range(256) if read_as[byte] in among}
            begins = frozenset(letter for letter, value in _VALUES.items() if value in firsts)
            self._base64.append((_table(begins), b"\1" * (min(least, _LONGEST) // 3)))

    def may_hold(self, text: bytes) -> bool:
        """True if a text may contain a needle."""
        return any(run in text.translate(table) for table, run in self._bytes)

    def may_hold_decoded(self, letters: bytes, shift: int) -> bool:
        """True if the base64 text `letters`, decoded from index `shift`, may contain a needle."""
        firsts = letters[shift::4]
        return any(run in firsts.translate(table) for table, run in self._base64)


def _table(among: frozenset[int]) -> bytes:
    return bytes(byte in among for byte in range(256))


_VALUES = {
    letter: value
    for value, letter in enumerate(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}
