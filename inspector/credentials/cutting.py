"""Cuts a text that may contain a secret.

Secrets are masked before the cut, because a search does not find a secret that is cut in two.
"""

from collections.abc import Callable

_BEHIND = 1024
"""The number of characters, or bytes, after a cut that are searched for secrets but not returned.

The search does not find a secret that the end of the searched text cuts in two.
"""
_LONGEST = 4096
"""The maximum length, in bytes, of a secret that is recognised at the cut."""


def masked_start(text: str, mask: Callable[[str], str], most: int, more: str = "…") -> str:
    """Mask the secrets in `text` with `mask`, and return the first `most` characters of the masked text.

    `more` is added if characters are left out.
    """
    searched = text[: most + 2 * _BEHIND]
    shown = mask(searched)
    if len(searched) < len(text):
        shown = shown[:-_BEHIND]
    elif len(shown) <= most:
        return shown
    return shown[:most] + more


def bytes_without_cut_secret(raw: bytes, mask: Callable[[str], str], most: int) -> bytes:
    """The first `most` bytes, unmasked; up to `_LONGEST` fewer if `mask` finds a secret near the cut.

    The result therefore does not end within a secret.
    """
    if len(raw) <= most:
        return raw
    start = max(0, most - _LONGEST)
    around = raw[start : most + _BEHIND].decode("utf-8", "replace")
    return raw[:start] if mask(around) != around else raw[:most]
