"""Recognises the keyword `x-sensitive` and the annotation `sensitiveHint`, even if they are misspelt."""

import re

MARK = "x-sensitive"
HINT = "sensitiveHint"
_FILLERS = re.compile(r"[\W_]+")


def is_mark(keyword: str) -> bool:
    """True if a keyword of a schema is `x-sensitive`, or a misspelling: with capitals, other or invisible separators."""
    return keyword == MARK or _FILLERS.sub("", keyword).lower() == "xsensitive"


def is_hint(key: str) -> bool:
    """True if a key of annotations is `sensitiveHint`, or a misspelling as for `is_mark`."""
    return key == HINT or _FILLERS.sub("", key).lower() == "sensitivehint"


def names_hint(text: str) -> bool:
    """True if `sensitiveHint`, or a misspelling as for `is_mark`, is in `text`."""
    return "sensitivehint" in _FILLERS.sub("", text).lower()
