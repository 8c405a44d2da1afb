"""Bearings: what a claim's value says of a trait, as data that the vocabularies declare and traits.py joins."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from inspector.json.exact import Json

Word: TypeAlias = bool | str
"""One value that a trait can take, or one that a key can."""

EFFECTS = ("read", "write", "external", "delete")
OUTCOMES = ("benign", "consequential", "irreversible")
LEVELS = ("public", "internal", "confidential", "restricted")
"""Words in order, from the least cautious to the most."""


class TraitName(StrEnum):
    """What can be concluded about a tool or a result, by its name in JSON."""

    EFFECT = "effect"
    DESTRUCTIVE = "destructive"
    IDEMPOTENT = "idempotent"
    OPEN_WORLD = "openWorld"
    SENSITIVE = "sensitive"
    DATA_CLASSES = "dataClasses"
    SENSITIVITY_LEVEL = "sensitivityLevel"
    SENSITIVE_POSITIONS = "sensitivePositions"
    UNTRUSTED = "untrusted"
    MALICIOUS = "malicious"
    CONFIRM = "confirm"
    OUTCOME = "outcome"
    DESTINATIONS = "destinations"
    SOURCES = "sources"
    ATTRIBUTION = "attribution"
    RESOLVABLE = "resolvable"
    DEBUGGING = "debugging"


class Sort(StrEnum):
    """How a value is turned into what it says of the trait."""

    TABLE = "table"
    """By `meanings`; a value that is not there says nothing."""
    VERBATIM = "verbatim"
    """The value's own words."""
    POSITION = "position"
    """Where true or malformed, the schema position that the claim stands in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearing:
    """What one key says of one trait."""

    trait: TraitName
    sort: Sort = Sort.TABLE
    meanings: Mapping[Word, Word] = field(default_factory=dict[Word, Word])
    malformed: Word | None = None
    """How a malformed value is read: in the safe direction. None where no reading would be safer than none."""

    def __str__(self) -> str:
        match self.sort:
            case Sort.TABLE if all(word == said for word, said in self.meanings.items()):
                return f"{self.trait}: {' or '.join(map(written, self.meanings))}, as written"
            case Sort.TABLE:
                said = ", ".join(f"{written(word)} → {written(said)}" for word, said in self.meanings.items())
                return f"{self.trait}: {said}"
            case Sort.VERBATIM:
                return f"{self.trait}: as written"
            case Sort.POSITION:
                return f"{self.trait}: the position that it marks"


def flag(trait: TraitName, *, malformed: bool = True) -> Bearing:
    """A boolean key that says of a boolean trait what it says itself."""
    return Bearing(trait=trait, meanings={True: True, False: False}, malformed=malformed)


def table(trait: TraitName, meanings: Mapping[Word, Word], *, malformed: Word | None) -> Bearing:
    """A key whose values say something else of the trait; `malformed` is the safe reading."""
    return Bearing(trait=trait, meanings=meanings, malformed=malformed)


def verbatim(trait: TraitName, *, malformed: Word | None) -> Bearing:
    """A key whose words are the trait's."""
    return Bearing(trait=trait, sort=Sort.VERBATIM, malformed=malformed)


def written(word: Word) -> str:
    """A word as JSON writes it, without quotation marks."""
    return word if isinstance(word, str) else str(word).lower()


def words_of(value: Json) -> Iterator[Word]:
    """The words in a well-formed value: itself, its items, regulated data with their scopes."""
    for item in value if isinstance(value, list) else (value,):
        match item:
            case bool() | str():
                yield item
            case {"regulated": {"scopes": [*scopes]}}:
                yield "regulated"
                yield from (f"regulated:{scope}" for scope in scopes if isinstance(scope, str))
            case _:
                pass
