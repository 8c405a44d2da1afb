"""Recognises the keyword `x-sensitive` and the annotation `sensitiveHint`, even if they are misspelt."""

import re

MARK = "x-sensitive"
HINT = "sensitiveHint"
_FILLERS = re.compile(r"[\W_]+")


def is_mark(keyword: str) -> bool:
    """True if a keyword is `x-sensitive`, even with capitals, or with other, invisible or no separators."""
    return keyword == MARK or _FILLERS.sub("", keyword).lower() == "xsensitive"


def is_hint(key: str) -> bool:
    """True if a key of annotations is `sensitiveHint`, even with other capitals or with separators."""
    return key == HINT or _FILLERS.sub("", key).lower() == "sensitivehint"


def names_hint(text: str) -> bool:
    """True if `text` contains `sensitiveHint`, even with other capitals or with separators."""
    return "sensitivehint" in _FILLERS.sub("", text).lower()
