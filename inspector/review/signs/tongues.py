"""Finds instructions to a model in languages other than English, by word stems.

A sign combines words of several kinds in one clause, in any order, because word order differs between
languages. Stems match at the beginning of a word, and anywhere in scripts without blanks. The cost is linear
in the text.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import Annotated

import msgspec
from msgspec import Struct

from inspector.review.prose import names_secret_path
from inspector.review.signs.files import read
from inspector.review.signs.matching import is_address

# Each pattern repeats one class, without nesting, so matching is linear.
_CLAUSE_END = re.compile("[.!?](?=\\s|$)|[\u3002\uff01\uff1f\uff1b;\u0964\u061f\n]")
_BLANKS = re.compile("[\\s,\u060c\u3001\uff0c:()\u00ab\u00bb\u201e\u201c\u201d\"'\u2019`]+")
_LETTERS = re.compile(r"[^\W\d_]")
_LONGEST = 2_000
"""The maximum number of characters of a clause."""


class WordKind(StrEnum):
    """The kind of a word, such as a negation or a verb for telling. languages.toml describes the members."""

    SMALL = "small"
    IGNORE = "ignore"
    RULES = "rules"
    FORMER = "former"
    NOT = "not"
    TELL = "tell"
    USER = "user"
    SECRETLY = "secretly"
    READ = "read"
    PASS = "pass"  # noqa: S105 - a verb
    SEND = "send"
    TALK = "talk"
    SECRETS = "secrets"
    ALL = "all"
    FIRST = "first"
    TOOL = "tool"
    PRETEND = "pretend"
    MODEL = "model"
    CHANGE = "change"
    OTHER = "other"


class Language(Struct, frozen=True, kw_only=True):
    """The word stems of a language."""

    letters: tuple[tuple[str, str], ...]
    """The ranges of characters that identify the language; empty if it is identified by its small words."""
    stems: Mapping[WordKind, frozenset[str]]


_Range = Annotated[str, msgspec.Meta(pattern="^.-.$")]


def languages_of(text: str) -> Mapping[str, Language]:
    """The languages in a data file. Raises ValueError for unknown keys."""
    languages: dict[str, Language] = {}
    for name, table in tomllib.loads(text).items():
        letters = msgspec.convert(table.pop("letters", []), tuple[_Range, ...])
        languages[name] = Language(
            letters=tuple((each[0], each[2]) for each in letters),
            stems={
                kind: frozenset(word.replace("_", " ") for word in words.split())
                for kind, words in msgspec.convert(table, dict[WordKind, str]).items()
            },
        )
    return languages


@cache
def _languages() -> Mapping[str, Language]:
    return languages_of(read("languages"))


class Clause(Struct, frozen=True, kw_only=True):
    """A clause of a text."""

    at: int
    """The position at which the clause starts."""
    kinds: frozenset[WordKind]
    path: bool
    address: bool


def foreign_signs(text: str) -> Iterator[tuple[float, str, int]]:
    """The weight, reason and position of each sign in a text in a language other than English.

    Yields nothing if the text is in English or in an unknown language.
    """
    language = _language(text)
    if language is None:
        return
    for clause in _clauses(text, language.stems, spaced=not language.letters):
        for weight, reason in _signs(clause):
            yield weight, reason, clause.at


def _language(text: str) -> Language | None:
    """The language of a text other than English, by its script or by its small words; None if unknown."""
    start = text[:4_000].lower()
    if not start.isascii():
        for language in _languages().values():
            if any(first <= character <= last for first, last in language.letters for character in start):
                return language
    words = set(_BLANKS.split(start[:1_000].replace(".", " ")))
    if len(words & _any_small()) < 2:
        return None
    counted = {name: len(words & small) for name, small in _small().items()}
    best = max(counted, key=lambda name: counted[name])
    known = counted[best] >= 2 and best != "en" and counted[best] > counted["en"]
    return _languages()[best] if known else None


@cache
def _small() -> Mapping[str, frozenset[str]]:
    return {
        name: language.stems[WordKind.SMALL]
        for name, language in _languages().items()
        if not language.letters
    }


@cache
def _any_small() -> frozenset[str]:
    return frozenset(word for name, small in _small().items() if name != "en" for word in small)


def _clauses(text: str, lexicon: Mapping[WordKind, frozenset[str]], *, spaced: bool) -> Iterator[Clause]:
    start = 0
    for end in (*(match.end() for match in _CLAUSE_END.finditer(text)), len(text)):
        clause = text[start : min(end, start + _LONGEST)].lower()
        if clause.strip():
            words = [word.strip(".!?\u3002\uff01\uff1f") for word in _BLANKS.split(clause)]
            line = f" {' '.join(words)}" if spaced else clause
            mark = " " if spaced else ""
            yield Clause(
                at=start,
                kinds=frozenset(
                    kind
                    for kind, stems in lexicon.items()
                    if kind is not WordKind.SMALL and any(f"{mark}{stem}" in line for stem in stems)
                ),
                path=names_secret_path(clause),
                address=any(
                    is_address(word)
                    for word in words
                    if "." in word or "@" in word or (word and not _LETTERS.match(word))
                ),
            )
        start = end


def _signs(clause: Clause) -> Iterator[tuple[float, str]]:
    has = clause.kinds.issuperset
    # In `do not tell the user`, the negation does not negate the other verbs of the clause.
    concealed = has({WordKind.NOT, WordKind.TELL, WordKind.USER})
    denied = WordKind.NOT in clause.kinds and not concealed
    if has({WordKind.IGNORE, WordKind.RULES}) and (
        WordKind.FORMER in clause.kinds or WordKind.ALL in clause.kinds
    ):
        yield 5, "it tells the reader to ignore other instructions"
    if concealed:
        yield 4, "it hides something from the user"
    if WordKind.SECRETLY in clause.kinds:
        acts = WordKind.SEND in clause.kinds or WordKind.PASS in clause.kinds
        yield (4 if acts and not denied else 2), "it demands secrecy"
    moved = bool({WordKind.READ, WordKind.PASS, WordKind.SEND} & clause.kinds)
    if clause.path and moved:
        yield 5, "it asks for data that the tool does not need"
    if (
        WordKind.TALK in clause.kinds
        and WordKind.SEND in clause.kinds
        and not (denied and not clause.address)
    ):
        yield (5 if clause.address else 2), "it asks to send data away"
    if (
        WordKind.SECRETS in clause.kinds
        and moved
        and not (denied and not clause.address and WordKind.TELL not in clause.kinds)
    ):
        due = bool({WordKind.USER, WordKind.ALL, WordKind.FIRST} & clause.kinds) or clause.address
        yield (3 if due else 1), "it asks for data that the tool does not need"
    if has({WordKind.TALK, WordKind.PASS}) and not denied and (concealed or WordKind.ALL in clause.kinds):
        yield 3, "it asks to pass data in an argument"
    yield from _acts(clause, denied=denied)
    if clause.address and WordKind.SEND in clause.kinds and WordKind.ALL in clause.kinds:
        yield 4, "it asks to send all data of a kind to an address in the text"
    elif clause.address and WordKind.SEND in clause.kinds:
        yield 2, "it asks to send something to an address in the text"
    if has({WordKind.FIRST, WordKind.TOOL, WordKind.ALL}):
        yield 1.5, "it refers to all other tools"


def _acts(clause: Clause, *, denied: bool) -> Iterator[tuple[float, str]]:
    """The signs of actions against the user's intent."""
    has = clause.kinds.issuperset
    if has({WordKind.CHANGE, WordKind.OTHER, WordKind.TOOL}) and not denied:
        yield 4, "it changes how other tools are used"
        if WordKind.USER in clause.kinds:
            yield 1, "it acts when the user asks for something else"
    if has({WordKind.PRETEND, WordKind.USER}):
        yield 3, "it asks the model to lie to the user"
        if has({WordKind.TOOL, WordKind.ALL}):
            yield 1.5, "it changes how other tools are used"
    if (
        WordKind.MODEL in clause.kinds
        and {WordKind.RULES, WordKind.NOT, WordKind.PASS, WordKind.SEND, WordKind.PRETEND} & clause.kinds
    ):
        yield 1, "it gives orders to the model"
