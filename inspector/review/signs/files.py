"""Loads the data files with the patterns for instructions, when the first text is reviewed."""

import pkgutil
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TypeAlias

import msgspec

from inspector.review.signs.coded import CONDITIONS, SIGNS
from inspector.review.signs.conditions import (
    SPECIAL,
    CompiledCondition,
    Condition,
    Lists,
    Sign,
    compiled,
    listed_from,
    remembered,
)
from inspector.review.signs.matching import SentenceWords, Weighed

SignFinder: TypeAlias = Callable[[SentenceWords], Weighed]
"""Yields the signs in a sentence that one data file of this folder defines."""

_FOLDER = "inspector.review.signs"
_SHARED = "shared"
_KINDS = ("overriding", "concealing", "asking", "sending", "steering", "claiming", "acting")
"""The names of the files. Their order decides between reasons of the same weight."""


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    words: dict[str, str] = {}
    conditions: dict[str, Condition] = {}
    sign: tuple[Sign, ...] = ()


def read(name: str) -> str:
    """The text of a data file in this folder."""
    data = pkgutil.get_data(_FOLDER, f"{name}.toml")
    if data is None:
        raise FileNotFoundError(f"{name}.toml is not in {_FOLDER}")
    return data.decode()


@cache
def kinds() -> tuple[SignFinder, ...]:
    """The functions that find signs in an English sentence, from all data files."""
    lists, named, _ = _parsed(read(_SHARED), {}, _coded())
    return tuple(signs_of(read(name), lists, named) for name in _KINDS)


def signs_of(text: str, lists: Lists, named: Mapping[str, CompiledCondition]) -> SignFinder:
    """Compile the signs in a data file. `lists`, `named`: the word lists and conditions of other files.

    Raises ValueError for unknown keys or names, and for weights out of range. ValidationError and
    TOMLDecodeError are subclasses of ValueError.
    """
    lists, named, signs = _parsed(text, lists, named)
    all_signs = tuple(_sign(sign, lists, named) for sign in signs)

    def kind(sentence: SentenceWords) -> Weighed:
        kinds = sentence.kinds
        for needs, weighed in all_signs:
            for words in needs:
                if words.isdisjoint(kinds):
                    break
            else:
                yield from weighed(sentence)

    return kind


def _coded() -> Mapping[str, CompiledCondition]:
    return {name: remembered(_plain(holds)) for name, holds in CONDITIONS.items()}


def _plain(holds: Callable[[SentenceWords], bool]) -> CompiledCondition:
    return CompiledCondition(test=lambda sentence, _: -1 if holds(sentence) else None)


def _parsed(
    text: str, lists: Lists, named: Mapping[str, CompiledCondition]
) -> tuple[Lists, Mapping[str, CompiledCondition], tuple[Sign, ...]]:
    file = msgspec.convert(tomllib.loads(text), _File)
    lists, named = dict(lists), dict(named)
    for name, words in file.words.items():
        if name in SPECIAL or name in lists or not name.isupper():
            raise ValueError(f"no list of words can have the name {name}")
        lists[name] = listed_from(words, lists)
    for name, condition in file.conditions.items():
        if name in named:
            raise ValueError(f"two conditions have the name {name!r}")
        named[name] = remembered(compiled(condition, lists, named))
    return lists, named, file.sign


def _sign(
    sign: Sign, lists: Lists, named: Mapping[str, CompiledCondition]
) -> tuple[tuple[frozenset[str], ...], SignFinder]:
    """Compile a sign. Returns the words that a sentence must have for it, and a function that finds it."""
    if sign.code is not None:
        return (), _coded_sign(sign, sign.code, lists)
    condition = compiled(sign, lists, named)
    test = condition.test
    cases = tuple(
        (compiled(case, lists, named).test, (case.weight, case.reason or sign.reason or ""))
        for case in sign.cases
    )
    if sign.reason is None or (sign.weight is None and not cases) or sign.outcomes:
        raise ValueError("a sign must have a reason, and either a weight or cases")
    otherwise = None if sign.weight is None else (sign.weight, sign.reason)

    def weighed(sentence: SentenceWords) -> Iterator[tuple[float, str]]:
        at = test(sentence, -1)
        if at is not None:
            found = next((outcome for case, outcome in cases if case(sentence, at) is not None), otherwise)
            if found is not None:
                yield found

    return condition.needs, weighed


def _coded_sign(sign: Sign, code: str, lists: Lists) -> SignFinder:
    if code not in SIGNS or sign != Sign(code=code, outcomes=sign.outcomes):
        raise ValueError(
            f"a sign with `code` has outcomes and nothing else, and `code` names a function in coded.SIGNS: {code!r}"
        )
    outcomes = {name: (outcome.weight, outcome.reason) for name, outcome in sign.outcomes.items()}
    return lambda sentence: (outcomes[name] for name in SIGNS[code](sentence, lists))
