"""Sets of words, written as one text."""

from functools import cache


@cache
def word_set(text: str) -> frozenset[str]:
    """The words of `text`, which blanks stand between."""
    return frozenset(text.split())
