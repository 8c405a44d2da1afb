"""Remembers the values that a session has withheld, and finds copies of them elsewhere."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from inspector.boundary.echoes import Echoes
from inspector.boundary.mask import MASK, mask_lines, outer_values
from inspector.boundary.passing import KNOWN_KEYS
from inspector.boundary.spellings import MOST_IN_PARTS, SHORTEST, Spelling, parts_in
from inspector.boundary.unseen import visible
from inspector.json.edit import Copied
from inspector.json.exact import DuplicateKeys, Json
from inspector.json.pointer import join
from inspector.json.texts import forms_of, texts_in
from inspector.recording.markers import MARKER, Marker, MarkerKey, places, text_for, unforged

ECHO = "echo"
QUERY = "query"
_PROTOCOL = KNOWN_KEYS | {
    *("jsonrpc", "id", "method", "params", "result", "error", "arguments", "content", "structuredContent"),
    *("isError", "progressToken", "progress", "total", "message", "level", "logger", "requestId", "reason"),
}
_COMMON_WORDS = (
    "a all an and any are as at be been but by can could did do does for from get got had has have he her him his how "
    "i if in into is it its may me my new no nor not now of off old on one or our out set she so than that the them "
    "then there they this to too two up us use was way we were what when where which who why will with yes you your "
    "bad day done empty end error fail false fast file good hello high idle info item key last left list low main max "
    "min more name next none null ok okay open other page read ready right run size slow start state stop text time "
    "total true type unit user valid value week year zero"
)
"""Words that are in many texts, and that no secret consists of. Names of people and places are not among them."""
_MOST_GENERATIONS = 8
_MOST_KEPT = 500
"""The maximum number of texts for which the outcome of a search is kept."""
_LONGEST_KEPT = 10_000
"""The maximum length, in characters, of a text for which the outcome of a search is kept."""
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s?]*\?\S+")


class KnownValues:
    """The values that a session has withheld.

    Long values are found anywhere. Short values are found only as whole words, and only if the caller asks for it.
    """

    def __init__(self) -> None:
        self.names = set(_PROTOCOL)
        """Keys that are not secret: the protocol's, and those named in schemas."""
        self.public = set[str]()
        """Texts, such as names of tools, that are not secret even if they equal a withheld value."""
        self._strong = _Generations()
        self._weak = _Generations()
        self._parts = _Generations()
        """The lines and pieces of long values."""
        self._longest = _Generations()
        """The values that are too long for all of their parts to be found."""
        self._forget()

    def _forget(self) -> None:
        """Replace the caches of searches, because the values have changed.

        New caches are made, because a search in another thread may still put its outcome into the old ones. A
        review needs caches, because it asks about the same texts again and again.
        """
        self._outer = lru_cache(1)(self._outer_values)
        self._is_repeating = lru_cache(_MOST_KEPT)(self._repeats)
        self._without_known = lru_cache(_MOST_KEPT)(self._without_copies)

    def learn(self, values: Iterable[Json], *, is_whole: bool = False) -> None:
        """Add withheld values.

        `is_whole`: true if the values are withheld with the whole result, not each by a declaration of its own.
        Common words, such as `ok` or `the`, are then left out, because they occur by chance.
        """
        try:
            self._learn(values, is_whole=is_whole)
        finally:
            # This is last: a search that ran meanwhile may have kept an outcome for only some of the values.
            self._forget()

    def _learn(self, values: Iterable[Json], *, is_whole: bool) -> None:
        spelt, keys = set[str](), set[str]()
        for value in values:
            texts_in(value, spelt, keys)
        texts = {_unsigned(text) for text in spelt} - self.public
        strong = {text for text in texts if len("".join(visible(text).split())) >= SHORTEST}
        self._strong.add(strong)
        self._parts.add(parts_in(strong) - self.public)
        self._longest.add({text for text in strong if len(text) > MOST_IN_PARTS})
        weak, keys = texts - strong, keys - self.names
        if is_whole:
            common = set(_COMMON_WORDS.split())
            weak, keys = ({text for text in found if text.lower() not in common} for found in (weak, keys))
        # `Echoes` finds keys that could be the name of a field only as whole words, as `_weak` requires.
        self._weak.add(weak, keys)

    def publish(self, texts: Iterable[str], names: Iterable[str] = ()) -> None:
        """Note that texts and keys are public, except for those that repeat a withheld value."""
        fresh, keys = set(texts) - self.public, set(names) - self.names
        self.public |= fresh - self._strong.found(list(fresh))
        self.names |= keys - self._strong.found(list(keys))
        self._forget()

    @property
    def is_empty(self) -> bool:
        """True if no withheld value is long enough for a search to be useful. Short values occur by chance."""
        return self._strong.is_empty

    @property
    def texts(self) -> frozenset[str]:
        """The withheld texts that are long enough not to occur by chance."""
        return self._strong.texts

    def repeats(self, value: Json) -> bool:
        """True if a JSON value repeats a withheld value that is long enough not to occur by chance."""
        if isinstance(value, str) and len(value) <= _LONGEST_KEPT:
            return self._is_repeating(value)
        return self._repeats(value)

    def _repeats(self, value: Json) -> bool:
        return bool(self.found(self.texts_of(value), weak=False))

    def texts_of(self, value: Json) -> set[str]:
        """The texts and keys of a JSON value that may be secret."""
        texts, keys = set[str](), set[str]()
        texts_in(value, texts, keys)
        return (texts - self.public) | (keys - self.names)

    def found(self, texts: Iterable[str], *, weak: bool, parts: bool = False) -> set[str]:
        """The members of `texts` that repeat a withheld value.

        `weak`: whether short values count. `parts`: whether a line or a piece of a long value does.
        """
        asked = list(texts)
        bad = self._strong.found(asked)
        if weak:
            bad |= self._weak.found(asked)
        return bad | self._parts.found(asked) if parts else bad

    def covered(self, value: Json, key: MarkerKey, *, weak: bool, parts: bool = False) -> Json:
        """`value` with a marker in place of each leaf that repeats a withheld value.

        If a key of an object repeats a withheld value, a marker replaces the whole object. The queries of
        URLs are withheld too, and so are objects of a server that look like a marker. `weak`, `parts`: as in
        `found`.
        """
        texts, keys = set[str](), set[str]()
        texts_in(value, texts, keys)
        if MARKER in keys:
            value = unforged(value, key)
        bad = self.found(texts, weak=weak, parts=parts) - self.public
        bad_keys = self.found(keys - self.names - {MARKER}, weak=weak)
        queried = any("?" in text and _URL.fullmatch(text) for text in texts)
        if not (bad or bad_keys or queried):
            return value
        copied = Copied(value)
        for tokens in list(places(value, lambda item: _repeats(item, bad, bad_keys))):
            copied.put(tokens, key.marker(ECHO, copied.at(tokens)))
        if queried:
            for tokens in list(places(copied.value, _is_queried)):
                copied.put(tokens, without_query(str(copied.at(tokens)), key))
        return copied.value

    def masked(self, value: Json) -> Json:
        """`value` with a mask in place of each leaf that repeats a withheld value. For display.

        If a key of an object repeats a withheld value, a mask replaces the whole object.
        """
        bad = self.found(self.texts_of(value), weak=False)
        copied = Copied(value)
        for tokens in list(places(value, lambda item: _repeats(item, bad, bad - self.names))) if bad else ():
            copied.put(tokens, MASK)
        return copied.value

    def repeated(self, value: Json) -> Iterator[str]:
        """The pointers to the leaves of `value` that repeat a withheld value.

        If a key of an object repeats a withheld value, the pointer to the object is among them.
        """
        bad = self.found(self.texts_of(value), weak=False)
        found = places(value, lambda item: _repeats(item, bad, bad - self.names)) if bad else ()
        return map(join, found)

    def masked_text(self, text: str) -> str:
        """`text` with a mask for each copy of a withheld value or of a part of one. For display.

        Short values are masked too. The number of lines stays. See `mask_lines`.
        """
        return (self._without_known if len(text) <= _LONGEST_KEPT else self._without_copies)(text)

    def _without_copies(self, text: str) -> str:
        if not self._spellings((text,)):
            return text
        return mask_lines(text, self._outer(), self._spellings, self._longest.spellings)

    def _outer_values(self) -> tuple[str, ...]:
        return outer_values(self._strong.texts | self._weak.texts)

    def _spellings(self, texts: Collection[str]) -> Mapping[str, Spelling]:
        found: dict[str, Spelling] = {}
        for searches in (self._strong, self._weak, self._parts):
            found |= searches.spellings(texts)
        return found

    def covered_text(self, text: str, key: MarkerKey, *, weak: bool = True) -> Json:
        """The text, or a marker if it repeats a withheld value or a part of one."""
        return key.marker(ECHO, text) if self.found((text,), weak=weak, parts=True) else text

    def covered_name(self, name: str, key: MarkerKey) -> str:
        """The name of a tool, or the text for a marker if it repeats a withheld value."""
        is_bad = name not in self.public and self.found((name,), weak=False)
        return text_for(key.marker(ECHO, name)) if is_bad else name


class _Generations:
    """A growing set of searches: new values get a search of their own, and many searches are merged into one."""

    def __init__(self) -> None:
        self._texts = set[str]()
        self._keys = set[str]()
        self._searches: list[Echoes] = []

    @property
    def is_empty(self) -> bool:
        return not self._searches

    @property
    def texts(self) -> frozenset[str]:
        return frozenset(self._texts)

    def add(self, texts: set[str], keys: set[str] | None = None) -> None:
        fresh, fresh_keys = texts - self._texts, (keys or set()) - self._keys
        if not (fresh or fresh_keys):
            return
        self._texts |= fresh
        self._keys |= fresh_keys
        if len(self._searches) == _MOST_GENERATIONS:
            self._searches.clear()
            fresh, fresh_keys = self._texts, self._keys
        self._searches.append(Echoes((*fresh, dict.fromkeys(fresh_keys))))

    def found(self, texts: list[str]) -> set[str]:
        return set(self.spellings(texts))

    def spellings(self, texts: Collection[str]) -> Mapping[str, Spelling]:
        """The texts that contain a copy of a value, each with the spelling of one copy."""
        found: dict[str, Spelling] = {}
        for search in self._searches:
            found |= search.matches(texts)
        return found


def without_query(url: str, key: MarkerKey) -> str:
    """The URL with an id in place of its query."""
    base, _, query = url.partition("?")
    return f"{base}?[withheld {QUERY} {key.marker(QUERY, query)['id']}]"


def _is_queried(value: Json) -> bool:
    return isinstance(value, str) and "?" in value and _URL.fullmatch(value) is not None


def _repeats(value: Json, bad: set[str], bad_keys: set[str]) -> bool:
    if isinstance(value, dict):
        return not isinstance(value, Marker) and not bad_keys.isdisjoint(value)
    if isinstance(value, DuplicateKeys):
        texts = set[str]()
        texts_in(value, texts, texts)
        return not texts.isdisjoint(bad | bad_keys)
    return not isinstance(value, list) and not bad.isdisjoint(forms_of(value))


def _unsigned(text: str) -> str:
    rest = text.removeprefix("-")
    return rest if rest[:1].isdigit() else text
