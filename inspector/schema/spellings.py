"""The spellings of `x-sensitive` that count as meant."""

import re

MARK = "x-sensitive"
_FILLERS = re.compile(r"[\s_.:-]+")


def is_mark(keyword: str) -> bool:
    """True if a keyword of a schema is `x-sensitive`, or a misspelling of it: in capitals, or with other separators."""
    return keyword == MARK or _FILLERS.sub("", keyword).lower() == "xsensitive"
