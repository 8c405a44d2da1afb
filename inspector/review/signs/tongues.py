"""The same signs in other languages than English, by the stems of their words.

A clause is asked for words of several kinds, in any order: languages differ in it. Stems stand at the beginning of a
word, in scripts without blanks anywhere. Cost: linear in the text, for a fixed number of stems.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated

import msgspec

from inspector.review.prose import names_secret_path
from inspector.review.signs.files import read
from inspector.review.signs.matching import is_address

# One class each, no repetition of a repetition.
_CLAUSE_END = re.compile("[.!?](?=\\s|$)|[\u3002\uff01\uff1f\uff1b;\u0964\u061f\n]")
_BLANKS = re.compile("[\\s,\u060c\u3001\uff0c:()\u00ab\u00bb\u201e\u201c\u201d\"'\u2019`]+")
_LETTERS = re.compile(r"[^\W\d_]")
_LONGEST = 2_000
"""Characters of one clause that are looked at."""


class Kind(StrEnum):
    """What a word is there for; languages.toml says it in words."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The stems of one language."""

    letters: tuple[tuple[str, str], ...]
    """Ranges of characters by which it is known; none where its small words tell."""
    stems: Mapping[Kind, frozenset[str]]


_Range = Annotated[str, msgspec.Meta(pattern="^.-.$")]


def languages_of(text: str) -> Mapping[str, Language]:
    """The languages that a data file describes. Raises ValueError where it has unknown keys."""
    found: dict[str, Language] = {}
    for name, table in tomllib.loads(text).items():
        letters = msgspec.convert(table.pop("letters", []), tuple[_Range, ...])
        found[name] = Language(
            letters=tuple((each[0], each[2]) for each in letters),
            stems={
                kind: frozenset(word.replace("_", " ") for word in words.split())
                for kind, words in msgspec.convert(table, dict[Kind, str]).items()
            },
        )
    return found


@cache
def _languages() -> Mapping[str, Language]:
    return languages_of(read("languages"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One clause of a text."""

    at: int
    """The character at which it starts."""
    kinds: frozenset[Kind]
    path: bool
    address: bool


def foreign_signs(text: str) -> Iterator[tuple[float, str, int]]:
    """Weight, reason and place of each sign in a text; none where it is in English, or in a language that is not known."""
    language = _language(text)
    if language is None:
        return
    for clause in _clauses(text, language.stems, spaced=not language.letters):
        for weight, reason in _signs(clause):
            yield weight, reason, clause.at


def _language(text: str) -> Language | None:
    """The language whose small words stand in it most often; None where these are few."""
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
        name: language.stems[Kind.SMALL] for name, language in _languages().items() if not language.letters
    }


@cache
def _any_small() -> frozenset[str]:
    return frozenset(word for name, small in _small().items() if name != "en" for word in small)


def _clauses(text: str, lexicon: Mapping[Kind, frozenset[str]], *, spaced: bool) -> Iterator[Clause]:
    start = 0
    for end in (*(found.end() for found in _CLAUSE_END.finditer(text)), len(text)):
        said = text[start : min(end, start + _LONGEST)].lower()
        if said.strip():
            words = [word.strip(".!?\u3002\uff01\uff1f") for word in _BLANKS.split(said)]
            line = f" {' '.join(words)}" if spaced else said
            mark = " " if spaced else ""
            yield Clause(
                at=start,
                kinds=frozenset(
                    kind
                    for kind, stems in lexicon.items()
                    if kind is not Kind.SMALL and any(f"{mark}{stem}" in line for stem in stems)
                ),
                path=names_secret_path(said),
                address=any(
                    is_address(word)
                    for word in words
                    if "." in word or "@" in word or (word and not _LETTERS.match(word))
                ),
            )
        start = end


def _signs(clause: Clause) -> Iterator[tuple[float, str]]:
    has = clause.kinds.issuperset
    # Where the user is not to be told, the denial belongs to that.
    kept = has({Kind.NOT, Kind.TELL, Kind.USER})
    denied = Kind.NOT in clause.kinds and not kept
    if has({Kind.IGNORE, Kind.RULES}) and (Kind.FORMER in clause.kinds or Kind.ALL in clause.kinds):
        yield 5, "it tells the reader to set other instructions aside"
    if kept:
        yield 4, "something is to be kept from the user"
    if Kind.SECRETLY in clause.kinds:
        acts = Kind.SEND in clause.kinds or Kind.PASS in clause.kinds
        yield (4 if acts and not denied else 2), "something is to happen in secret"
    handed = bool({Kind.READ, Kind.PASS, Kind.SEND} & clause.kinds)
    if clause.path and handed:
        yield 5, "it asks for data that are not the tool's business"
    if Kind.TALK in clause.kinds and Kind.SEND in clause.kinds and not (denied and not clause.address):
        yield (5 if clause.address else 2), "they are to be sent away"
    if (
        Kind.SECRETS in clause.kinds
        and handed
        and not (denied and not clause.address and Kind.TELL not in clause.kinds)
    ):
        due = bool({Kind.USER, Kind.ALL, Kind.FIRST} & clause.kinds) or clause.address
        yield (3 if due else 1), "it asks for data that are not the tool's business"
    if has({Kind.TALK, Kind.PASS}) and not denied and (kept or Kind.ALL in clause.kinds):
        yield 3, "they are to be handed over in an argument"
    yield from _acts(clause, denied=denied)
    if clause.address and Kind.SEND in clause.kinds and Kind.ALL in clause.kinds:
        yield 4, "all of a kind is to go to an address that the text names"
    elif clause.address and Kind.SEND in clause.kinds:
        yield 2, "something is to be sent to an address that the text names"
    if has({Kind.FIRST, Kind.TOOL, Kind.ALL}):
        yield 1.5, "it speaks of all other tools"


def _acts(clause: Clause, *, denied: bool) -> Iterator[tuple[float, str]]:
    """What the reader is to do behind the user's back."""
    has = clause.kinds.issuperset
    if has({Kind.CHANGE, Kind.OTHER, Kind.TOOL}) and not denied:
        yield 4, "it changes how other tools are used"
        if Kind.USER in clause.kinds:
            yield 1, "it is to be done where the user asks for something else"
    if has({Kind.PRETEND, Kind.USER}):
        yield 3, "the user is to be told what is not true"
        if has({Kind.TOOL, Kind.ALL}):
            yield 1.5, "it changes how other tools are used"
    if (
        Kind.MODEL in clause.kinds
        and {Kind.RULES, Kind.NOT, Kind.PASS, Kind.SEND, Kind.PRETEND} & clause.kinds
    ):
        yield 1, "it gives orders to the model"
