"""Compiles the conditions in the data files to functions.

A list of words is a text with blanks. A name in capitals refers to a list of the file or to one of `SPECIAL`,
and `-` removes a word or a list. All parts of a condition must hold:

- `has`: the sentence contains a word of each of these lists. `two`: it contains two words of the list.
  `lacks`: it contains no word of these lists.
- `phrase`: the sentence contains one of these phrases, with adjacent words; `|` separates alternatives.
- `words`: the list of words that fit at a position. `within`: the first and last position to try, relative to
  the position of the enclosing condition; without `words`, any word fits. `denied`: whether the word must be
  negated. `part`: a list that contains a part of the name at the position. `first`: whether only the first
  position is tried.
- `all`, `any`, `none`: all, at least one, or none of these conditions hold around the position.
- `is`, `isnt`: named conditions that must or must not hold for the whole sentence.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta, Struct

from inspector.review.signs.matching import NOT, SentenceWords, ends_of

Lists: TypeAlias = Mapping[str, frozenset[str]]
Test: TypeAlias = Callable[[SentenceWords, int], int | None]
"""Takes a sentence and a position.

Returns the position at which the condition holds; None if it does not hold.

The result is -1 if the condition holds at no particular position.
"""


class CompiledCondition(Struct, frozen=True, kw_only=True):
    """A condition, compiled to a function."""

    test: Test
    needs: tuple[frozenset[str], ...] = ()
    """Sets of words. A sentence matches only if it has a word of each set, which is quick to test."""


_MOST = 5
Weight: TypeAlias = Annotated[int, Meta(gt=0, le=_MOST)] | Annotated[float, Meta(gt=0, le=_MOST)]


class Condition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A condition as it is written in a data file. The module's docstring describes the members."""

    has: tuple[str, ...] = ()
    two: str | None = None
    lacks: tuple[str, ...] = ()
    phrase: tuple[str, ...] = ()
    words: str | None = None
    within: tuple[int, int] | None = None
    denied: bool | None = None
    part: str | None = None
    first: bool = False
    all: "tuple[Condition, ...]" = ()
    any: "tuple[Condition, ...]" = ()
    none: "tuple[Condition, ...]" = ()
    holds: tuple[str, ...] = msgspec.field(default=(), name="is")
    isnt: tuple[str, ...] = ()


class Case(Condition, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Another weight or reason for a sign, used if the case also holds at the position of the sign."""

    weight: Weight
    reason: str | None = None


class Outcome(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The weight and reason of one outcome of a sign in code. A function of `coded.SIGNS` yields its name."""

    weight: Weight
    reason: str


class Sign(Condition, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sign in a data file: a condition with a weight or with cases, or the name of a function in `code`.

    The first case that holds counts.
    """

    weight: Weight | None = None
    reason: str | None = None
    cases: tuple[Case, ...] = ()
    code: str | None = None
    outcomes: dict[str, Outcome] = {}


SPECIAL: Mapping[str, Callable[[SentenceWords], Sequence[int]]] = {
    "PATH": lambda sentence: () if sentence.path is None else (sentence.path,),
    "TOOL": lambda sentence: sentence.tools,
    "ADDRESS": lambda sentence: sentence.addresses,
    "URL": lambda sentence: [place for place in sentence.addresses if "://" in sentence.words[place]],
    "PERSON": lambda sentence: [
        place
        for place in sentence.addresses
        if "@" in sentence.words[place][1:] and "/" not in sentence.words[place]
    ],
    "NUMBER": lambda sentence: [place for place, word in enumerate(sentence.words) if word.isdigit()],
    "DIGITS": lambda sentence: [
        place for place, word in enumerate(sentence.words) if any(map(str.isdigit, word))
    ],
}
"""Kinds of words that cannot be listed, as functions that return their positions.

`PATH` is the first path at which secrets or settings are usually stored.
"""


class WordList(Struct, frozen=True, kw_only=True):
    """The words to find in a sentence: those that are listed, and those that a function finds."""

    listed: frozenset[str]
    special: tuple[Callable[[SentenceWords], Sequence[int]], ...] = ()

    def are_in(self, sentence: SentenceWords) -> bool:
        return not self.listed.isdisjoint(sentence.kinds) or any(places(sentence) for places in self.special)

    def places(self, sentence: SentenceWords) -> Iterable[int]:
        if not self.special:
            return sentence.where(self.listed)
        return sorted(
            {*sentence.where(self.listed), *(at for places in self.special for at in places(sentence))}
        )


def words_from(text: str, lists: Lists) -> WordList:
    """Parse a list of words. Raises ValueError for an unknown name."""
    listed: set[str] = set()
    special: list[Callable[[SentenceWords], Sequence[int]]] = []
    for token in text.split():
        name = token.removeprefix("-")
        if token in SPECIAL:
            special.append(SPECIAL[name])
            continue
        if name.isupper() and name not in lists and name != "NOT":
            raise ValueError(f"no list of words has the name {name}")
        words = NOT if name == "NOT" else lists.get(name, {name})
        listed = listed - words if name != token else listed | words
    return WordList(listed=frozenset(listed), special=tuple(special))


def listed_from(text: str, lists: Lists) -> frozenset[str]:
    """Parse a list of words that may not contain names of `SPECIAL`.

    Raises ValueError for such a name, or for an unknown name.
    """
    words = words_from(text, lists)
    if words.special:
        raise ValueError(f"only `has`, `lacks` and `words` can name what no list can: {text}")
    return words.listed


def compiled(condition: Condition, lists: Lists, named: Mapping[str, CompiledCondition]) -> CompiledCondition:
    """Compile a condition. Raises ValueError for an unknown name."""
    _check(condition, named)
    anchored = _is_of_a_place(condition)
    own, in_sentence = _in_sentence(condition, lists)
    every, some, no = (
        tuple(compiled(each, lists, named) for each in conditions)
        for conditions in (condition.all, condition.any, condition.none)
    )
    around = _around(every, some, no)
    candidates = _candidates(condition, lists) if anchored else None
    holds = tuple(named[name] for name in condition.holds)
    fails = tuple(named[name].test for name in condition.isnt)
    needs = (*own, *(words for each in (*every, *holds) for words in each.needs), *_either(some))
    tests = tuple(each.test for each in holds)
    first = condition.first

    def test(sentence: SentenceWords, at: int) -> int | None:
        kinds = sentence.kinds
        for words in needs:
            if words.isdisjoint(kinds):
                return None
        if in_sentence is not None and not in_sentence(sentence):
            return None
        found: int | None = None
        if candidates is None:
            found = around(sentence, at)
        else:
            for place in candidates(sentence, at):
                found = None if around(sentence, place) is None else place
                if found is not None or first:
                    break
        if found is None:
            return None
        for each in fails:
            if each(sentence, -1) is not None:
                return None
        for each in tests:
            place = each(sentence, -1)
            if place is None:
                return None
            found = place if found < 0 else found
        return found

    return CompiledCondition(test=test, needs=needs)


def _is_of_a_place(condition: Condition) -> bool:
    return condition.words is not None or condition.within is not None


def _check(condition: Condition, named: Mapping[str, CompiledCondition]) -> None:
    for name in (*condition.holds, *condition.isnt):
        if name not in named:
            raise ValueError(f"no condition has the name {name!r}")
    of_a_place = condition.denied is not None or condition.part is not None or condition.first
    if of_a_place and not _is_of_a_place(condition):
        raise ValueError("`denied`, `part` and `first` need a position: `words` or `within` is missing")


def remembered(condition: CompiledCondition) -> CompiledCondition:
    """A copy of `condition` with a cache, so that it is evaluated once per sentence."""
    test = condition.test

    def known(sentence: SentenceWords, _: int) -> int | None:
        if test not in sentence.known:
            sentence.known[test] = test(sentence, -1)
        return sentence.known[test]

    return CompiledCondition(test=known, needs=condition.needs)


def _either(some: Sequence[CompiledCondition]) -> tuple[frozenset[str], ...]:
    """The value of `needs` for a condition that holds if at least one condition of `some` holds.

    It contains one set of words; any matching sentence has at least one of these words. It is empty if `some`
    is empty, or if a condition of `some` needs no word.
    """
    if not some or not all(each.needs for each in some):
        return ()
    return (frozenset(word for each in some for word in min(each.needs, key=len)),)


def _in_sentence(
    condition: Condition, lists: Lists
) -> tuple[list[frozenset[str]], Callable[[SentenceWords], bool] | None]:
    """The words that a sentence needs, and a test of the other conditions about the whole sentence.

    The test is None if there are no such conditions.
    """
    wanted = [words_from(text, lists) for text in condition.has]
    if condition.words is not None:
        wanted.append(words_from(condition.words, lists))
    phrases = tuple(tuple(phrase.split()) for phrase in condition.phrase)
    two = None if condition.two is None else listed_from(condition.two, lists)
    unwanted = tuple(words_from(text, lists) for text in condition.lacks)
    needs = [words.listed for words in wanted if not words.special]
    if phrases:
        needs.append(ends_of(phrases))
    special = tuple(words for words in wanted if words.special)
    if not (phrases or two or unwanted or special):
        return needs, None

    def holds(sentence: SentenceWords) -> bool:
        if phrases and not any(sentence.phrase(*phrase) for phrase in phrases):
            return False
        return (
            all(words.are_in(sentence) for words in special)
            and not any(words.are_in(sentence) for words in unwanted)
            and (two is None or len(two & sentence.kinds) > 1)
        )

    return needs, holds


def _around(
    every: Sequence[CompiledCondition], some: Sequence[CompiledCondition], no: Sequence[CompiledCondition]
) -> Test:
    every_test, some_test, no_test = (tuple(each.test for each in tests) for tests in (every, some, no))

    def around(sentence: SentenceWords, at: int) -> int | None:
        for test in every_test:
            if test(sentence, at) is None:
                return None
        for test in no_test:
            if test(sentence, at) is not None:
                return None
        for test in some_test:
            place = test(sentence, at)
            if place is not None:
                return place
        return None if some_test else at

    return around


def _candidates(condition: Condition, lists: Lists) -> Callable[[SentenceWords, int], Iterator[int]]:
    words = None if condition.words is None else words_from(condition.words, lists)
    part = None if condition.part is None else listed_from(condition.part, lists)
    within, denied = condition.within, condition.denied

    def candidates(sentence: SentenceWords, at: int) -> Iterator[int]:
        first, last = (0, len(sentence.words) - 1) if within is None else (at + within[0], at + within[1])
        places = range(max(first, 0), min(last + 1, len(sentence.words)))
        for place in places if words is None else words.places(sentence):
            if place not in places or (denied is not None and sentence.is_denied(place) is not denied):
                continue
            if part is None or not part.isdisjoint(sentence.words[place].split("_")):
                yield place

    return candidates
