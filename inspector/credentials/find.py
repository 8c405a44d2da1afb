"""Finds strings in a text that look like credentials.

The rules are a deny-list: text without matches may still contain secrets. Any string is valid input.
"""

from collections.abc import Iterator
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.credentials.rules import RULES, CredentialRule

if TYPE_CHECKING:
    from ahocorasick_rs import BytesAhoCorasick

MOST_JUDGED = 100_000
"""The maximum number of matches of one rule that are checked. The text after them counts as a match."""

_FIRST_SLICE = 4_096
_SLICE = 262_144


class Sighting(Struct, frozen=True, kw_only=True):
    """A match of a credential rule: its rule and place, without the matched text."""

    rule: CredentialRule
    start: int
    end: int
    """`start` and `end` are character offsets in the searched text; the range is never empty."""


def sightings(text: str) -> tuple[Sighting, ...]:
    """The matches in a text, in order and without overlaps.

    Of overlapping matches, the match of the most specific rule counts; of the same rule, the first match.
    Never raises. If a check raises, its match counts. If a rule matches more than `MOST_JUDGED` times, the
    rest of the text counts as a match. Linear in the length of `text`.
    """
    keywords = _keywords_in(_folded(text))
    if not keywords:
        return ()
    found: list[Sighting] = []
    taken = bytearray(len(text))  # one byte per character: 1 inside a match
    unjudged: list[Sighting] = []
    for rule in RULES:
        if keywords.isdisjoint(_ENCODED[rule.id]):
            continue
        group = "secret" if "secret" in rule.pattern.groupindex else 0
        for number, match in enumerate(rule.pattern.finditer(text)):
            if number == MOST_JUDGED:
                unjudged.append(Sighting(rule=rule, start=match.start(), end=len(text)))
                break
            start, end = match.span(group)
            if _accepted(rule, match[group]) and taken.find(1, start, end) < 0:
                taken[start:end] = b"\x01" * (end - start)
                found.append(Sighting(rule=rule, start=start, end=end))
    found.sort(key=attrgetter("start"))
    return tuple(_with_rest(found, unjudged) if unjudged else found)


def dotted(text: str) -> str:
    """The text, with a `•` in place of each character of a match."""
    for sighting in sightings(text):
        text = text[: sighting.start] + "•" * (sighting.end - sighting.start) + text[sighting.end :]
    return text


def may_hold(text: str) -> bool:
    """True if the text contains a keyword of any rule, so a search may find something."""
    return _holds_keyword(_folded(text))


def _accepted(rule: CredentialRule, matched: str) -> bool:
    if rule.accepts is None:
        return True
    try:
        return rule.accepts(matched)
    except Exception:  # noqa: BLE001 - a match that cannot be checked must not count as harmless
        return True


def _with_rest(found: list[Sighting], unjudged: list[Sighting]) -> Iterator[Sighting]:
    """The matches before the first unchecked one, and one match for the rest of the text."""
    rest = min(unjudged, key=attrgetter("start"))
    start = rest.start
    for sighting in found:
        if sighting.start < rest.start:
            yield sighting
            start = max(start, sighting.end)
    if start < rest.end:
        yield Sighting(rule=rest.rule, start=start, end=rest.end)


def _folded(text: str) -> bytes:
    """The text in lower case, one byte per character; `?` replaces non-ASCII characters, which no keyword contains."""
    return text.encode("ascii", "replace").lower()


def _holds_keyword(folded: bytes) -> bool:
    search = _search().find_matches_as_indexes
    start, size = 0, _FIRST_SLICE
    # A search returns all matches, but one is enough. A text full of keywords has one in its first slice.
    while start < len(folded):
        if search(folded[start : start + size + _LONGEST]):
            return True
        start, size = start + size, _SLICE
    return False


def _keywords_in(folded: bytes) -> set[bytes]:
    search = _search().find_matches_as_indexes
    found: set[int] = set()
    for start in range(0, len(folded), _SLICE):
        part = folded[start : start + _SLICE + _LONGEST]
        found.update([index for index, _, _ in search(part, overlapping=True)])
    return {_KEYWORDS[index] for index in found}


@cache
def _search() -> "BytesAhoCorasick":
    from ahocorasick_rs import BytesAhoCorasick  # noqa: PLC0415 - only where text is searched

    return BytesAhoCorasick(_KEYWORDS)


_ENCODED = {rule.id: tuple(keyword.encode() for keyword in rule.keywords) for rule in RULES}
_KEYWORDS = tuple({keyword for keywords in _ENCODED.values() for keyword in keywords})
_LONGEST = max(map(len, _KEYWORDS))
