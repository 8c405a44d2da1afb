"""Where credential-shaped strings stand in a text.

A deny-list: what it does not find may still be a secret. Text is untrusted; any string will do.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING

from inspector.credentials.rule import CredentialRule
from inspector.credentials.rules import RULES

if TYPE_CHECKING:
    from ahocorasick_rs import BytesAhoCorasick

MOST_JUDGED = 100_000
"""How many matches of one rule are judged in a text. What comes after them counts as found."""

_FIRST_SLICE = 4_096
_SLICE = 262_144


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A place that a rule recognised. It holds no text."""

    rule: CredentialRule
    start: int
    end: int
    """Offsets into the text searched, in characters; never empty."""


def sightings(text: str) -> tuple[Sighting, ...]:
    """What looks like a credential, in order of place, without overlaps.

    Of overlapping ones, that of the most specific rule, and of one rule the first. Never raises. What
    cannot be judged counts as found: where a check fails, what it was to judge; where a rule matches more
    than `MOST_JUDGED` times, one last sighting that reaches to the end. Linear in the length of `text`.
    """
    folded = _folded(text)
    if not _holds_keyword(folded):
        return ()
    found: list[Sighting] = []
    taken = bytearray(len(text))  # a byte for each character: 1 where a sighting is
    unjudged: list[Sighting] = []
    for rule in RULES:
        if not any(keyword in folded for keyword in _ENCODED[rule.id]):
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


def may_hold(text: str) -> bool:
    """Whether a search could find anything: whether a keyword of any rule occurs."""
    return _holds_keyword(_folded(text))


def _accepted(rule: CredentialRule, matched: str) -> bool:
    if rule.accepts is None:
        return True
    try:
        return rule.accepts(matched)
    except Exception:  # noqa: BLE001 - what a check could not judge must not pass as harmless
        return True


def _with_rest(found: list[Sighting], unjudged: list[Sighting]) -> Iterator[Sighting]:
    """The sightings before the first place that was not judged, and one for all that follows."""
    rest = min(unjudged, key=attrgetter("start"))
    start = rest.start
    for sighting in found:
        if sighting.start < rest.start:
            yield sighting
            start = max(start, sighting.end)
    if start < rest.end:
        yield Sighting(rule=rest.rule, start=start, end=rest.end)


def _folded(text: str) -> bytes:
    """The text in lower case, a byte for each character; what is not ASCII, and so in no keyword, is `?`."""
    return text.encode("ascii", "replace").lower()


def _holds_keyword(folded: bytes) -> bool:
    search = _search().find_matches_as_indexes
    start, size = 0, _FIRST_SLICE
    # By slices, since a search gives all that it finds: text full of keywords is recognised by its start.
    while start < len(folded):
        if search(folded[start : start + size + _LONGEST]):
            return True
        start, size = start + size, _SLICE
    return False


@cache
def _search() -> "BytesAhoCorasick":
    from ahocorasick_rs import BytesAhoCorasick  # noqa: PLC0415 - only where text is searched

    return BytesAhoCorasick(_KEYWORDS)


_ENCODED = {rule.id: tuple(keyword.encode() for keyword in rule.keywords) for rule in RULES}
_KEYWORDS = frozenset(keyword for keywords in _ENCODED.values() for keyword in keywords)
_LONGEST = max(map(len, _KEYWORDS))
