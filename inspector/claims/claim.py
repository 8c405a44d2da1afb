"""Claims: one declaration each, as a server or page made it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from inspector.claims.bearing import Bearing
from inspector.json.exact import DuplicateKeys, Json, JsonObject


class Standing(StrEnum):
    """How far a vocabulary has come."""

    CORE = "core"
    EXTENSION = "extension"
    PROPOSAL = "proposal"
    WITHDRAWN = "withdrawn"
    VENDOR = "vendor"
    UNRECOGNISED = "unrecognised"


class Subject(StrEnum):
    """What a claim is about."""

    TOOL = "tool"
    RESULT = "result"
    BLOCK = "block"
    RESOURCE = "resource"
    REQUEST = "request"
    RESOLUTION = "resolution"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One declaration, verbatim."""

    subject: Subject
    pointer: str
    """Where it stands, from the subject's own root: a tool's definition, a result. A block's, from its result's."""
    vocabulary: str
    key: str
    value: Json
    """As on the wire."""
    standing: Standing
    well_formed: bool
    problem: str = ""
    """Why it is not well formed."""
    container: bool = False
    """Whether it is no key but the object that would hold keys: empty, or where malformed, nothing in it was read."""
    note: str = ""
    """What became of it on the way, in words of ours: a browser dropped or changed it. Empty where nothing did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key that a vocabulary defines."""

    name: str
    type: str
    """In words: `boolean`, `list of strings`, `one of read, write, delete, external`."""
    default: str
    """What the vocabulary says absence means; empty where it says nothing. Shown as a default, never as a claim."""
    meaning: str
    effect: str
    """What it does to the traits, in words."""
    bearings: tuple[Bearing, ...] = ()
    """What it does to the traits."""
    within: frozenset[str] = frozenset()
    """The containers it may stand in, by the key of the claim that reports a wrong one."""


Reader: TypeAlias = Callable[[Subject, JsonObject | DuplicateKeys], Iterable[Claim]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """A set of keys that somebody defined, and how to find them on the wire."""

    name: str
    title: str
    source: str
    """Where it is defined: a specification and section, or a URL."""
    standing: Standing
    as_of: str
    """The date, as YYYY-MM, at which the standing was looked up."""
    where: str
    """Where on the wire it sits."""
    keys: tuple[Key, ...]
    read: Reader
    """The claims of this vocabulary in a subject, in the order of the wire. Never raises."""
    owns: Callable[[Subject, str], bool]
    """Whether the member at this pointer, from the subject's own root, is this vocabulary's: not `unrecognised`."""
    subjects: frozenset[Subject] = frozenset(Subject)
    """What it says anything about; `read` finds nothing in others."""
    remark: str = ""
    """What the standing alone does not say: `closed`, `experimental`."""
