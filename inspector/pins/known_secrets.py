"""Collects the values withheld from any call of a session, and masks them wherever else they are shown."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from threading import Lock

from inspector.boundary.echoes import Echoes
from inspector.boundary.mask import mask_lines, mask_literally, outer_values
from inspector.boundary.spellings import MOST_IN_PARTS, Spelling, parts_in
from inspector.json.edit import Copied
from inspector.json.exact import DuplicateKeys, Json
from inspector.json.pointer import join
from inspector.json.texts import forms_of, texts_in
from inspector.json.walk import places

_MOST_PARTS = 32
"""The maximum number of calls whose values are searched for separately.

If there are more calls, the values of the earlier ones are searched for together.
"""
_LONGEST = 4_000
"""The number of characters that `short` searches. It is small, because `short` delays key presses."""
_LEFT_OUT = 400
"""The number of characters that `short` drops from the end of a long text that it has cut.

The cut may divide a value. The part of the value that is left would not be found, and would not be masked.
"""
_MOST_SHOWN = 64_000
"""The number of characters that `lines` searches. It is limited, because `lines` delays key presses."""
_MOST_CACHED = 2_000


class _Part:
    """Values that were first withheld from one call. Can be used in several threads."""

    def __init__(self, number: int, texts: frozenset[str]) -> None:
        """`number`: the number of the call; 0 for values from several calls, or values fetched or entered."""
        self.number = number
        self.texts = texts
        self._echoes = Echoes(texts)
        self._in_parts = Echoes(parts_in(texts))
        self._longest = Echoes(text for text in texts if len(text) > MOST_IN_PARTS)
        # The first use builds a search, which takes time. It is built here, not while a key press is handled.
        for search in (self._echoes, self._in_parts, self._longest):
            search.matches(("built now, not where keys are handled",))

    @cached_property
    def literals(self) -> Sequence[str]:
        return outer_values(self.texts)

    def found(self, texts: Iterable[str]) -> set[str]:
        return set(self._echoes.matches(texts))

    def masked_lines(self, text: str) -> str:
        """`text`, in which `mask_lines` has masked each copy of one of the values."""
        return mask_lines(text, self.literals, self._matches, self._longest.matches)

    def _matches(self, texts: Collection[str]) -> Mapping[str, Spelling]:
        return {**self._in_parts.matches(texts), **self._echoes.matches(texts)}


class KnownSecrets:
    """The values that were withheld so far. Does not change, so it can be used in several threads."""

    def __init__(self, parts: tuple[_Part, ...] = ()) -> None:
        self._parts = parts
        self._short = dict[str, str]()

    def with_texts(self, number: int, texts: Iterable[str]) -> "KnownSecrets":
        """A `KnownSecrets` that also has the values `texts`, which were withheld from the call `number`.

        Takes time in proportion to all values.
        """
        fresh = frozenset(texts).difference(*(part.texts for part in self._parts))
        if not fresh:
            return self
        parts = self._parts
        if len(parts) == _MOST_PARTS:
            parts = (_Part(0, frozenset().union(*(part.texts for part in parts))),)
        return KnownSecrets((*parts, _Part(number, fresh)))

    @property
    def is_empty(self) -> bool:
        return not self._parts

    def repeats(self, text: str) -> bool:
        """True if a text repeats one of the withheld values."""
        return any(part.found((text,)) for part in self._parts)

    def masked(
        self, value: Json, word: Callable[[Json], str], but: int | None = None
    ) -> tuple[Json, Mapping[str, str]]:
        """Mask each copy of a withheld value in `value`.

        Returns the masked value, and the origin of each mask by its pointer. The origin is a text that says
        where the copied value was withheld, such as `withheld from #1`. `word`: returns the mask for a value.
        `but`: the number of a call whose values are not masked. Takes time in proportion to the value.
        """
        why = dict[str, str]()
        texts: set[str] | None = None
        for part in self._parts:
            if part.number == but:
                continue
            if texts is None:
                texts_in(value, texts := set[str](), texts)
            bad = part.found(texts)
            if bad:
                value = _covered(value, part, bad, word, why)
                texts = None
        return value, why

    def masked_text(self, text: str) -> str:
        """Mask each copy of a withheld value in a text, as by `mask_lines`. The number of lines stays."""
        for part in self._parts:
            text = part.masked_lines(text)
        return text

    def masked_lines(self, lines: Sequence[str]) -> tuple[str, ...]:
        """The lines, masked together as by `masked_text`."""
        return tuple(self.masked_text("\n".join(lines)).split("\n")) if lines else ()

    def short(self, text: str) -> str:
        """The start of a text, masked as by `masked_text`. A long text is cut, so this takes little time."""
        if not self._parts or not text:
            return text
        start = text[:_LONGEST]
        masked = self._short.get(start)
        if masked is None:
            if len(self._short) >= _MOST_CACHED:
                self._short.clear()
            self._short[start] = masked = self.masked_text(start)
        return masked if len(text) <= _LONGEST else masked[:-_LEFT_OUT]

    def lines(self, text: str) -> tuple[str, bool]:
        """The first lines of a text, masked as by `masked_text`, and whether there are more. Fast."""
        if not self._parts or len(text) <= _LONGEST:
            return self.short(text), False
        end = text.rfind("\n", 0, _MOST_SHOWN)
        if len(text) <= _MOST_SHOWN:
            return self.masked_text(text), False
        return self.masked_text(text[:end]) if end >= 0 else self.short(text), True


class SessionSecrets:
    """Collects the values that are withheld from the calls of all servers. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.known = KnownSecrets()
        """The values that have been added so far."""

    def add(self, number: int, texts: Iterable[str]) -> None:
        """Add values that were withheld from a call. `number`: 0 for values that were fetched or entered."""
        with self._lock:
            self.known = self.known.with_texts(number, texts)


def withheld_from(number: int) -> str:
    """A text that says where a value was withheld, such as `withheld from #1`.

    `number`: the number of the call; 0 if there is no single call.
    """
    return f"withheld from #{number:,}" if number else "withheld, fetched or entered before"


def calls_withheld_from(why: Iterable[str]) -> str:
    """A text about secret values, such as `what was withheld from #1 and from #2`.

    `why`: where each value was withheld from, as `KnownSecrets.masked` returns it.
    """
    first, *others = sorted(set(why))
    second = f" and {others[0].removeprefix('withheld ')}" if others else ""
    more = f" and {len(others) - 1:,} more" if len(others) > 1 else ""
    return f"what was {first}{second}{more}"


def _without(part: _Part, text: str, word: Callable[[Json], str]) -> str:
    masked = mask_literally(text, part.literals, word)
    return word(text) if part.found((masked,)) else masked


def _covered(
    value: Json, part: _Part, bad: set[str], word: Callable[[Json], str], why: dict[str, str]
) -> Json:
    copied = Copied(value)
    for tokens in list(places(value, lambda leaf: _repeats(leaf, bad))):
        here = copied.at(tokens) if tokens else value
        masked = _without(part, here, word) if isinstance(here, str) else word(here)
        why.setdefault(join(tokens), withheld_from(part.number))
        if not tokens:
            return masked
        copied.put(tokens, masked)
    return copied.value


def _repeats(value: Json, bad: set[str]) -> bool:
    if isinstance(value, dict):
        return not bad.isdisjoint(value)
    if isinstance(value, DuplicateKeys):
        texts = set[str]()
        texts_in(value, texts, texts)
        return not texts.isdisjoint(bad)
    return not isinstance(value, list) and not bad.isdisjoint(forms_of(value))
