"""Finds echoes, which are copies of withheld values in other texts, in any spelling.

One automaton searches for all values at once, so the cost is linear in the text (Aho and Corasick, 1975).
"""

import re
from base64 import b64encode
from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from inspector.boundary.spellings import (
    SEPARATOR,
    SHORTEST,
    DecodedView,
    Spelling,
    has_escapes,
    is_visible,
    meant,
    needles,
    read_as,
    runs_of,
    spellings,
    unescaped,
    words,
)
from inspector.boundary.unseen import condensed, visible
from inspector.json.exact import DuplicateKeys, Json
from inspector.json.texts import LEAST_DIGITS, STRETCH, batches, forms_of, texts_in

if TYPE_CHECKING:
    from ahocorasick_rs import BytesAhoCorasick

_MANY, _PREFIX = 20_000, 8
"""With more needles than `_MANY`, the automaton holds only their first `_PREFIX` bytes, to limit its size.

A needle is a sequence of bytes to search for.
"""
_BETWEEN = re.compile(SEPARATOR.encode())
_CODED = frozenset({Spelling.HEX, Spelling.BASE64})
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z_-]*")


class Wanted(Struct, frozen=True, kw_only=True):
    """The texts to search for in one search for copies of withheld values."""

    anywhere: set[str] = field(default_factory=set[str])
    as_words: set[str] = field(default_factory=set[str])
    coded: dict[bytes, Spelling] = field(default_factory=dict[bytes, Spelling])
    """The hexadecimal and base64 forms of values shorter than `SHORTEST`, each with its spelling.

    The encoded forms are searched for, because an encoded text of this length is not decoded for the search.
    """


class Echoes:
    """Finds copies of withheld values. Built once per result."""

    def __init__(
        self,
        values: Iterable[Json],
        *,
        names: frozenset[str] = frozenset(),
        but: tuple[Iterable[Json], set[str]] = ((), set()),
        anywhere_from: int = SHORTEST,
    ) -> None:
        """`values`: the withheld values, any JSON; every value and key in a container is searched for too.

        `names`: keys that are not secret.

        `but`: further withheld values, and the texts in them that are not secret. `anywhere_from`: the
        minimum length, in characters, of a value that is found inside words too; a smaller number finds more
        by chance.
        """
        wanted = Wanted()
        self._names = names
        self._anywhere_from = anywhere_from
        self.is_weak = False
        """True if a short value or a boolean is among the values.

        Such a value is found only as a whole word, or not at all.
        """
        least = max(SHORTEST, anywhere_from)
        for value in values:
            # Most values are texts of this kind. `_take` would do the same with them, but slower.
            if type(value) is str and is_visible(value) and len(value) - value.count(" ") >= least:
                wanted.anywhere.add(value)
                self._take_meaning(value, wanted)
            else:
                self._take(value, wanted, set())
        for value in but[0]:
            self._take(value, wanted, but[1])
        self.wanted = wanted
        """The texts to search for. If they are equal in two instances, `matches` finds the same in both."""
        self._automata: tuple[_Automaton, ...] | None = None

    @property
    def is_empty(self) -> bool:
        return not (self.wanted.anywhere or self.wanted.as_words)

    @property
    def shortest(self) -> int:
        """The length, in characters, of the shortest text that could contain one of the withheld values."""
        return 2 if self.wanted.as_words else min(SHORTEST, self._anywhere_from)

    def holds(self, value: Json) -> bool:
        """True if any text in a JSON value contains a withheld value. Keys that are not secret are skipped."""
        values, keys = set[str](), set[str]()
        texts_in(value, values, keys, at_least=self.shortest)
        return bool(self.matches(values | (keys - self._names)))

    def matches(self, texts: Iterable[str]) -> Mapping[str, Spelling]:
        """The texts that contain a copy of a withheld value, each with the spelling of the copy."""
        searched = list(texts)
        matches: dict[str, Spelling] = {}
        if not self.is_empty:
            self._search(searched, matches)
            for text in [text for text in searched if len(text) > STRETCH]:
                # With invisible characters between its letters, a value may be longer than a stretch.
                close = condensed(text) if text not in matches else None
                if close is not None:
                    self._search([close], within := dict[str, Spelling]())
                    matches.update((text, spelling) for spelling in within.values())
        return matches

    def _search(self, texts: Iterable[str], matches: dict[str, Spelling]) -> None:
        for searched, owners in batches(texts):
            batch = _batch(searched, owners)
            for automaton in self._searching():
                automaton.search(batch, matches)

    def _take(self, value: Json, wanted: Wanted, known: set[str]) -> None:
        stack = [value]
        while stack:
            item = stack.pop()
            if isinstance(item, dict):
                self._take_keys(item, wanted)
                stack.extend(item.values())
            elif isinstance(item, list):
                stack.extend(item)
            elif isinstance(item, DuplicateKeys):
                self._take_keys((key for key, _ in item.pairs), wanted)
                stack.extend(member for _, member in item.pairs)
            else:
                self._take_leaf(item, wanted, known)

    def _take_keys(self, keys: Iterable[str], wanted: Wanted) -> None:
        for key in keys:
            if key not in self._names and _length(key) >= SHORTEST:
                # A key that could be a field name may also occur in longer words.
                (wanted.as_words if _IDENTIFIER.fullmatch(key) else wanted.anywhere).add(key)

    def _take_leaf(self, leaf: Json, wanted: Wanted, known: set[str]) -> None:
        if leaf is None or leaf == "":
            # An empty value has no copies.
            return
        forms = forms_of(leaf)
        self.is_weak = self.is_weak or not forms
        for form in forms:
            if form not in known:
                # The sign of a number is easily omitted.
                for text in read_as(form if isinstance(leaf, str) else form.lstrip("-")):
                    self._take_text(text, wanted)
                self._take_meaning(form, wanted)

    def _take_meaning(self, text: str, wanted: Wanted) -> None:
        for spelt in meant(text):
            if _length(spelt) >= max(SHORTEST, self._anywhere_from):
                wanted.anywhere.add(spelt)

    def _take_text(self, text: str, wanted: Wanted) -> None:
        length = _length(text)
        if length >= self._anywhere_from:
            wanted.anywhere.add(text)
            if length < SHORTEST:
                coded = {needle: spelling for needle, spelling in _word_needles(text) if spelling in _CODED}
                wanted.coded.update(coded)
            return
        self.is_weak = True
        shown = visible(text.replace(SEPARATOR, "")).strip()
        if length > 1 and not (length < LEAST_DIGITS and shown.isdecimal()):
            wanted.as_words.update((shown, text.strip()))

    def _searching(self) -> "tuple[_Automaton, ...]":
        if self._automata is None:
            wanted = self.wanted
            automata: list[_Automaton] = []
            if wanted.anywhere:
                automata.append(_Automaton(wanted.anywhere, whole_words=False, coded=wanted.coded))
            if wanted.as_words:
                automata.append(_Automaton(wanted.as_words, whole_words=True))
            self._automata = tuple(automata)
        return self._automata


class _Batch(Struct, frozen=True, kw_only=True):
    """Texts that are searched together."""

    units: Sequence[str]
    """The texts to search, as they are or with their escapes decoded, without separators."""
    texts: Sequence[str]
    """The original text of each unit."""


class _Automaton:
    """An automaton that searches for all needles at once."""

    def __init__(
        self, values: Collection[str], *, whole_words: bool, coded: Mapping[bytes, Spelling] | None = None
    ) -> None:
        """`coded`: further needles, which are encoded forms, each with the name of its encoding."""
        self._spelled: dict[bytes, Spelling] = {}
        if whole_words:
            for value in values:
                for needle, spelling in _word_needles(value):
                    self._spelled.setdefault(needle, spelling)
        self._needles = frozenset(self._spelled) or needles(values)
        if coded:
            self._spelled.update(coded)
            self._needles |= coded.keys()
        self._whole_words = whole_words
        self._runs = runs_of(self._needles)
        self._starts: list[bytes] = []
        self._lengths: dict[bytes, set[int]] = {}
        self._automaton: BytesAhoCorasick | None = None
        """None until it is needed, which is when the first decoded form of a text may contain a needle.

        Most results have no such text.
        """

    def search(self, batch: _Batch, matches: dict[str, Spelling]) -> None:
        """Add the texts of a batch that contain a needle to `matches`."""
        joined = SEPARATOR.join(batch.units)
        if self._whole_words:
            text = words(joined)
            if self._runs.may_hold(text):
                view = DecodedView(
                    spelling=Spelling.PLAIN, text=text, source=text, place=lambda start, _: start
                )
                self._search(view, batch, matches)
            return
        for view in spellings(joined, self._runs):
            self._search(view, batch, matches)

    def _built(self) -> "BytesAhoCorasick":
        from ahocorasick_rs import BytesAhoCorasick  # noqa: PLC0415 - only where something is withheld

        if not self._whole_words and len(self._needles) <= _MANY:
            self._needles = _without_longer(self._needles)
        if len(self._needles) > _MANY:
            for needle in self._needles:
                self._lengths.setdefault(needle[:_PREFIX], set()).add(len(needle))
        self._starts = list(self._lengths or self._needles)
        return BytesAhoCorasick(self._starts)

    def _search(self, view: DecodedView, batch: _Batch, matches: dict[str, Spelling]) -> None:
        self._automaton = self._automaton or self._built()
        ends: list[int] | None = None
        known = (-1, -1)
        for index, start, end in self._automaton.find_matches_as_indexes(view.text, overlapping=True):
            place = view.place(start, end)
            if known[0] <= place < known[1]:
                continue
            spelling = self._verified(view, index, start)
            if spelling is None:
                continue
            if ends is None:
                ends = [match.start() for match in _BETWEEN.finditer(view.source)]
            unit = bisect(ends, place)
            matches.setdefault(batch.texts[unit], spelling)
            known = (ends[unit - 1] if unit else 0, ends[unit] if unit < len(ends) else len(view.source))

    def _verified(self, view: DecodedView, index: int, start: int) -> Spelling | None:
        begin = self._starts[index]
        for length in self._lengths.get(begin, ()) or (len(begin),):
            needle = view.text[start : start + length]
            if needle in self._needles and not (
                self._whole_words and not _is_word(view.text, start, start + length)
            ):
                return self._spelled.get(needle, view.spelling)
        return None


def _length(text: str) -> int:
    """The number of characters in a text, without white space and invisible characters."""
    if is_visible(text):
        return len(text) - text.count(" ")
    return len("".join(visible(text.replace(SEPARATOR, "")).split()))


def _without_longer(needles: frozenset[bytes]) -> frozenset[bytes]:
    """The needles that contain no other needle.

    These are enough, because a text with a longer needle also contains the shorter one. So at most one needle
    is found at each place.
    """
    from ahocorasick_rs import BytesAhoCorasick  # noqa: PLC0415 - as above

    every = list(needles)
    automaton = BytesAhoCorasick(every)
    return frozenset(
        needle
        for index, needle in enumerate(every)
        if all(hit == index for hit, _, _ in automaton.find_matches_as_indexes(needle, overlapping=True))
    )


def _word_needles(value: str) -> Iterator[tuple[bytes, Spelling]]:
    """The needles for a value that is searched for as a whole word, each with its spelling."""
    raw = value.encode("utf-8", "surrogatepass")
    yield words(value), Spelling.PLAIN
    yield words(value[::-1]), Spelling.REVERSED
    yield raw.hex().encode(), Spelling.HEX
    for alphabet in (b"+/", b"-_"):
        yield b64encode(raw, alphabet).rstrip(b"=").lower(), Spelling.BASE64


def _is_word(text: bytes, start: int, end: int) -> bool:
    """True if no letter of the same word is directly before or after the match."""
    word = text[start:end].decode("utf-8", "replace")
    before = text[max(start - 4, 0) : start].decode("utf-8", "ignore")[-1:]
    behind = text[end : end + 4].decode("utf-8", "ignore")[:1]
    return not (_joins(before, word[:1]) or _joins(word[-1:], behind))


def _joins(one: str, other: str) -> bool:
    """True if two characters can be in one word. False in scripts that put no spaces between words."""
    return _is_letter(one) and _is_letter(other)


def _is_letter(character: str) -> bool:
    return (character.isalnum() and character < _UNSPACED) or character == "_"


_UNSPACED = "\u0e00"


def _batch(searched: list[str], owners: list[str]) -> _Batch:
    joined = SEPARATOR.join(searched)
    if not (has_escapes(joined) or joined.count(SEPARATOR) >= len(searched)):
        return _Batch(units=searched, texts=owners)
    units: list[str] = []
    texts: list[str] = []
    for piece, owner in zip(searched, owners, strict=True):
        for view in unescaped(piece):
            units.append(view.replace(SEPARATOR, ""))
            texts.append(owner)
    return _Batch(units=units, texts=texts)
