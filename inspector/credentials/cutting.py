"""Cuts a text that may repeat a secret: it is covered first, since the search would not find a part of a secret."""

from collections.abc import Callable

_BEHIND = 1024
"""So near to the end of what is searched, a secret may be too incomplete to be found."""
_LONGEST = 4096
"""In bytes, of a secret that is kept whole."""


def covered_start(text: str, cover: Callable[[str], str], most: int, more: str = "…") -> str:
    """The first `most` characters of a text that `cover` has covered, and `more` where there are others."""
    searched = text[: most + 2 * _BEHIND]
    shown = cover(searched)
    if len(searched) < len(text):
        shown = shown[:-_BEHIND]
    elif len(shown) <= most:
        return shown
    return shown[:most] + more


def covered_bytes(raw: bytes, cover: Callable[[str], str], most: int) -> bytes:
    """The first `most` bytes as they are, or fewer, so that they do not end within a secret that `cover` covers."""
    if len(raw) <= most:
        return raw
    start = max(0, most - _LONGEST)
    around = raw[start : most + _BEHIND].decode("utf-8", "replace")
    return raw[:start] if cover(around) != around else raw[:most]
