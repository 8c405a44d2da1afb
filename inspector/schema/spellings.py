"""Recognises the keyword `x-sensitive`, even if it is misspelt."""

import re

MARK = "x-sensitive"
_FILLERS = re.compile(r"[\W_]+")


def is_mark(keyword: str) -> bool:
    """True if a keyword of a schema is `x-sensitive`, or a misspelling: with capitals, other or invisible separators."""
    return keyword == MARK or _FILLERS.sub("", keyword).lower() == "xsensitive"
