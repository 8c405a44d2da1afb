"""Choices from drawn bytes.

Hypothesis draws the bytes of a case at once: hundreds of draws would cost more than the boundary itself. Each choice
takes one byte, and byte 0, to which Hypothesis shrinks, is always the first option, so that small cases are plain ones.
"""

from collections.abc import Sequence
from typing import TypeVar

Option = TypeVar("Option")


class Choices:
    """A supply of choices; past its end every choice is the first option."""

    def __init__(self, drawn: bytes) -> None:
        self._bytes = iter(drawn)

    def pick(self, options: Sequence[Option]) -> Option:
        return options[next(self._bytes, 0) % len(options)]

    def one_in(self, count: int) -> bool:
        return next(self._bytes, 0) % count == count - 1

    def between(self, least: int, most: int) -> int:
        return least + next(self._bytes, 0) % (most - least + 1)
