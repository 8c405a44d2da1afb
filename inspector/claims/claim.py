"""Claims, the declarations of servers and pages, and vocabularies, the sets of keys that they use."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct, field

from inspector.json.exact import DuplicateKeys, Json, JsonObject

Word: TypeAlias = bool | str
"""A value of a trait or of a key."""

EFFECTS = ("read", "write", "external", "delete")
OUTCOMES = ("benign", "consequential", "irreversible")
LEVELS = ("public", "internal", "confidential", "restricted")
"""The levels of sensitivity of a result, from the least cautious value to the most cautious.

The values of EFFECTS and OUTCOMES are ordered in the same way.
"""


class TraitName(StrEnum):
    """A trait: a property of a tool or a result that Sightline concludes from claims.

    The values are names in JSON.
    """

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
    """How the value of a claimed key becomes the value of a trait."""

    TABLE = "table"
    """Look the value up in `meanings`; a value that is not listed implies nothing."""
    VERBATIM = "verbatim"
    """Take the value of the claimed key as it is."""
    POSITION = "position"
    """The value of the trait is the position in the schema that the claim marks.

    A claim marks a position if the claimed value is true or malformed.
    """


class Implication(Struct, frozen=True, kw_only=True):
    """The value of one trait that follows from a claim with a certain key."""

    trait: TraitName
    sort: Sort = Sort.TABLE
    meanings: Mapping[Word, Word] = field(default_factory=dict[Word, Word])
    malformed: Word | None = None
    """The cautious value that a malformed claim implies. None: a malformed claim implies nothing."""

    def __str__(self) -> str:
        match self.sort:
            case Sort.TABLE if all(word == implied for word, implied in self.meanings.items()):
                return f"{self.trait}: {' or '.join(map(written, self.meanings))}, as written"
            case Sort.TABLE:
                implied = ", ".join(
                    f"{written(word)} → {written(implied)}" for word, implied in self.meanings.items()
                )
                return f"{self.trait}: {implied}"
            case Sort.VERBATIM:
                return f"{self.trait}: as written"
            case Sort.POSITION:
                return f"{self.trait}: the marked position"


def flag(trait: TraitName, *, malformed: bool = True) -> Implication:
    """The implication of a boolean key with the same meaning as a boolean trait."""
    return Implication(trait=trait, meanings={True: True, False: False}, malformed=malformed)


def table(trait: TraitName, meanings: Mapping[Word, Word], *, malformed: Word | None) -> Implication:
    """The implication of a key whose values translate to values of the trait.

    `malformed`: the value that a malformed claim implies, the most cautious one in `meanings`. None: a
    malformed claim implies nothing.
    """
    return Implication(trait=trait, meanings=meanings, malformed=malformed)


def verbatim(trait: TraitName, *, malformed: Word | None) -> Implication:
    """The implication of a key whose values are values of the trait."""
    return Implication(trait=trait, sort=Sort.VERBATIM, malformed=malformed)


def written(word: Word) -> str:
    """The value as JSON writes it, without quotation marks."""
    return word if isinstance(word, str) else str(word).lower()


def words_of(value: Json) -> Iterator[Word]:
    """The single values in a well-formed value of a claim: the value itself, or the items of a list.

    Regulated data yields `regulated`, then `regulated:SCOPE` for each of its scopes.
    """
    for item in value if isinstance(value, list) else (value,):
        match item:
            case bool() | str():
                yield item
            case {"regulated": {"scopes": [*scopes]}}:
                yield "regulated"
                yield from (f"regulated:{scope}" for scope in scopes if isinstance(scope, str))
            case _:
                pass


class Standing(StrEnum):
    """The status of a vocabulary in MCP, from core specification to unrecognised."""

    CORE = "core"
    EXTENSION = "extension"
    PROPOSAL = "proposal"
    WITHDRAWN = "withdrawn"
    VENDOR = "vendor"
    UNRECOGNISED = "unrecognised"


class Subject(StrEnum):
    """The things that a claim can be about."""

    TOOL = "tool"
    RESULT = "result"
    BLOCK = "block"
    RESOURCE = "resource"
    REQUEST = "request"
    RESOLUTION = "resolution"


class Claim(Struct, frozen=True, kw_only=True):
    """One declaration of a server or page, as received: a key and its value."""

    subject: Subject
    pointer: str
    """The pointer to the declaration in its subject, such as the definition of a tool, or a result.

    For a claim about a content block, the pointer is relative to the result that contains the block.
    """
    vocabulary: str
    key: str
    value: Json
    """The value as received."""
    standing: Standing
    well_formed: bool
    problem: str = ""
    """The reason why the claim is malformed, such as `is not a boolean`; empty for a well-formed claim."""
    container: bool = False
    """True for a claim about the object that holds the keys.

    The object is empty, or it is malformed and its keys were not read.
    """
    note: str = ""
    """A note by Sightline if a browser dropped or changed the declaration; empty otherwise."""


class ClaimKey(Struct, frozen=True, kw_only=True):
    """One key that a vocabulary defines, such as `readOnlyHint` among the annotations of a tool."""

    name: str
    type: str
    """The type in words: `boolean`, `list of strings`, `one of read, write, delete, external`."""
    default: str
    """The value if the key is absent, according to the vocabulary; empty if the vocabulary does not say.

    It is shown as a default, never as a claim.
    """
    meaning: str
    effect: str
    """The implications for traits, in words for people."""
    implications: tuple[Implication, ...] = ()
    within: frozenset[str] = frozenset()
    """The containers that may hold the key, such as `annotations`.

    The name of a container is the key of the claim that reports it as malformed.
    """


Reader: TypeAlias = Callable[[Subject, JsonObject | DuplicateKeys], Iterable[Claim]]


class Vocabulary(Struct, frozen=True, kw_only=True):
    """A vocabulary: a set of keys with a defined meaning, and their places in messages."""

    name: str
    title: str
    source: str
    """The specification and section, or a URL."""
    standing: Standing
    as_of: str
    """The month (YYYY-MM) in which the status was looked up."""
    where: str
    """Where in messages the keys of the vocabulary are, in words for people, such as `tool.annotations`."""
    keys: tuple[ClaimKey, ...]
    read: Reader
    """Yields the claims of this vocabulary about a subject, in wire order. Never raises."""
    owns: Callable[[Subject, str], bool]
    """True if this vocabulary defines the member at the pointer, which is relative to the subject.

    Such a member is not `unrecognised`.
    """
    paths: Mapping[Subject, frozenset[tuple[str, ...]]] = field(
        default_factory=dict[Subject, frozenset[tuple[str, ...]]]
    )
    """The paths of all keys, by subject. A path has the names of all members from the subject to the key."""
    subjects: frozenset[Subject] = frozenset(Subject)
    """The subjects for which the vocabulary defines keys; `read` yields nothing for others."""
    remark: str = ""
    """An addition to the status, such as `closed` or `experimental`; empty if there is none."""
