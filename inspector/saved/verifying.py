"""Compares the answer to a call with the recorded answer, by pointer."""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from inspector.errors import UsageError
from inspector.json.diff import Change, ChangeKind, changes
from inspector.json.exact import Json, dump_text
from inspector.json.opened import opened_alike, resolve_opened
from inspector.json.pointer import join, split
from inspector.recording.known import QUERY
from inspector.recording.replaying import stands_for_something

MAX_DIFFERENCES = 100
"""The maximum number of differences of one call that are listed; more are counted."""

_ANY = "*"
_QUERY = re.compile(rf"\[withheld {QUERY} [0-9a-f]{{16}}\]")
_MOST_QUOTED = 100
"""The maximum number of characters of a value quoted in a sentence."""
_NO_POINTER = "Write it as /structuredContent/time, /content/*/text or TOOL:/POINTER; * is any one member."


class IgnoredPlace(Struct, frozen=True, kw_only=True):
    """A pointer below which differences are ignored. The token `*` matches any one member or list item."""

    tool: str
    """The name of a tool; empty for every tool."""
    tokens: tuple[str, ...]

    def covers(self, tool: str, pointer: str) -> bool:
        """True if the value at `pointer`, or a value that contains it, is ignored."""
        place = split(pointer)
        return (
            self.tool in {"", tool}
            and len(place) >= len(self.tokens)
            and all(mine in {_ANY, other} for mine, other in zip(self.tokens, place, strict=False))
        )

    def __str__(self) -> str:
        return f"{self.tool}:{join(self.tokens)}" if self.tool else join(self.tokens)


class AnswerDifference(Struct, frozen=True, kw_only=True):
    """One difference between an answer and the recorded answer."""

    pointer: str
    what: str
    """What differs at `pointer`, such as `is missing; it was 7`. Quotes nothing that is withheld."""


def ignored_of(word: str) -> IgnoredPlace:
    """Parse `word`, which is a pointer, or `TOOL:` and a pointer. Raises UsageError."""
    tool, colon, pointer = word.rpartition(":/")
    try:
        tokens = split(f"/{pointer}" if colon else word)
    except ValueError as error:
        raise UsageError(f"{word} is not a JSON pointer", _NO_POINTER) from error
    if not tokens:
        raise UsageError("the whole result cannot be ignored", _NO_POINTER)
    return IgnoredPlace(tool=tool, tokens=tokens)


def differences(
    tool: str,
    recorded: Json,
    now: Json,
    *,
    masked: Json,
    removed: Iterable[str],
    ignored: Iterable[IgnoredPlace],
) -> Iterator[AnswerDifference]:
    """Each difference between `recorded` and `now` that is not ignored, also in JSON in a text. Never raises.

    `recorded`: the recorded result, with texts in place of withheld values. A value that was withheld counts
    as equal if it is withheld now too. `masked`: a copy of `now` with withheld values masked. `removed`: the
    pointers of the values withheld now.
    """
    withheld = frozenset(removed)
    places = tuple(ignored)
    for change in _changes(recorded, now, withheld):
        if any(each.covers(tool, change.pointer) for each in places):
            continue
        if change.kind is ChangeKind.CHANGED and stands_for_something(change.before):
            if _is_withheld(change.pointer, withheld) or _is_but_for_queries(change.before, change.after):
                continue
            yield AnswerDifference(pointer=change.pointer, what="was withheld, and no longer is")
            continue
        shown = _shown(masked, change.pointer)
        match change.kind:
            case ChangeKind.ADDED:
                what = f"is new: {shown}"
            case ChangeKind.REMOVED:
                what = f"is missing; it was {_quoted(change.before)}"
            case ChangeKind.CHANGED:
                what = f"is {shown}; it was {_quoted(change.before)}"
        yield AnswerDifference(pointer=change.pointer, what=what)


def proposed(tool: str, one: Json, other: Json, *, removed: Iterable[str]) -> Iterator[IgnoredPlace]:
    """The places to ignore: those at which two answers to the same call differ, as times and ids do.

    All items of a list have one pointer, with `*` in place of the index. `removed`: the pointers of withheld
    values, which are not compared.
    """
    seen: set[IgnoredPlace] = set()
    withheld = frozenset(removed)
    for change in _changes(one, other, withheld):
        if _is_withheld(change.pointer, withheld):
            continue
        tokens = tuple(_ANY if token.isdigit() else token for token in split(change.pointer))
        place = IgnoredPlace(tool=tool, tokens=tokens)
        if tokens and place not in seen:
            seen.add(place)
            yield place


def _changes(before: Json, now: Json, withheld: frozenset[str]) -> Iterator[Change]:
    """The changes between two results, also inside JSON in a text.

    A withheld text is not parsed as JSON, because its parts have no pointers in recordings.
    """
    return changes(*opened_alike(before, now, lambda pointer: not _is_withheld(pointer, withheld)))


def _is_withheld(pointer: str, withheld: frozenset[str]) -> bool:
    tokens = split(pointer)
    return any(join(tokens[:length]) in withheld for length in range(len(tokens) + 1))


def _is_but_for_queries(recorded: Json, now: Json) -> bool:
    """True if a text equals the recorded one, except for the queries of URLs, which recordings never contain."""
    if not isinstance(recorded, str) or not isinstance(now, str):
        return False
    first, *others = _QUERY.split(recorded)
    if not others or stands_for_something(first) or any(map(stands_for_something, others)):
        return False
    if not now.startswith(first):
        return False
    at = len(first)
    for text in others[:-1]:
        found = now.find(text, at)
        if found < 0:
            return False
        at = found + len(text)
    return now.endswith(others[-1]) and len(now) >= at + len(others[-1])


def _shown(masked: Json, pointer: str) -> str:
    try:
        return _quoted(resolve_opened(masked, pointer))
    except (LookupError, ValueError):
        # The pointer leads into a value that is masked as a whole.
        return "another value"


def _quoted(value: Json) -> str:
    text = dump_text(value)
    return text if len(text) <= _MOST_QUOTED else f"{text[:_MOST_QUOTED]}…"
