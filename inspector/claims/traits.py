"""Traits: what Sightline concludes from all claims about one tool or result. The more cautious claim wins.

The vocabularies declare the implications of each key (`ClaimKey.implications`); this module joins them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from inspector.claims.claim import (
    EFFECTS,
    LEVELS,
    OUTCOMES,
    Claim,
    Implication,
    Sort,
    TraitName,
    Word,
    words_of,
)
from inspector.claims.once import once
from inspector.claims.registry import claims_of_tool, keys_by_name, vocabularies
from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Tool

TraitValue: TypeAlias = bool | str | tuple[str, ...] | None
"""The value of a trait; None if it is unknown and has no default."""


class Trait(Struct, frozen=True, kw_only=True):
    """The value of one trait, with the claims for and against it."""

    value: TraitValue
    claims_for: tuple[Claim, ...] = ()
    claims_against: tuple[Claim, ...] = ()
    """The claims that imply the least cautious value, if the value of the trait is more cautious."""
    defaulted: bool = False
    """True if no claim implies a value, so that the default applies."""
    overridden: bool = False
    """True if the operator set the value."""


class Override(Struct, frozen=True, kw_only=True):
    """The value of a trait that the operator of Sightline sets in place of the claims."""

    trait: TraitName
    value: TraitValue


class Traits(Struct, frozen=True, kw_only=True):
    """All traits of a tool, or of a tool and one of its results; one for each `TraitName`."""

    effect: Trait
    """The main effect of a call: read, write, external, delete or unknown."""
    destructive: Trait
    idempotent: Trait
    open_world: Trait
    sensitive: Trait
    """True if the whole result is sensitive. For single sensitive positions, see `sensitive_positions`."""
    data_classes: Trait
    """The classes of returned data; regulated data with scopes, as in `regulated:GDPR`. Untrusted text."""
    sensitivity_level: Trait
    """How widely a result may be shared: public, internal, confidential or restricted; None if unknown."""
    sensitive_positions: Trait
    """The sensitive positions of a result, as pointers into the output schema."""
    untrusted: Trait
    malicious: Trait
    confirm: Trait
    outcome: Trait
    """The worst outcome of a call: benign, consequential or irreversible; None if unknown."""
    destinations: Trait
    sources: Trait
    attribution: Trait
    """The sources of the data, as URIs. Untrusted text."""
    resolvable: Trait
    debugging: Trait

    def trait(self, name: TraitName) -> Trait:
        return cast("Trait", getattr(self, _FIELDS[name]))

    def as_json(self) -> JsonObject:
        """Each trait by name: `value`, `defaulted`, and references to the claims `for` and `against` it."""
        return {name.value: _trait_json(self.trait(name)) for name in TraitName}


_FIELDS: Mapping[TraitName, str] = {name: name.name.lower() for name in TraitName}


class _Scale(Struct, frozen=True, kw_only=True):
    """The scale of a trait whose value is the most cautious step that any claim implies."""

    steps: tuple[Word, ...]
    """The values of the trait that a claim can imply, from the least cautious to the most cautious."""
    default: Word | None

    def rank(self, words: tuple[Word, ...]) -> int:
        """The index of the most cautious step in `words`; an unknown word counts as the last step."""
        last = len(self.steps) - 1
        return max((self.steps.index(word) if word in self.steps else last for word in words), default=last)


_DANGER = _Scale(steps=(False, True), default=False)
_BENEFIT = _Scale(steps=(True, False), default=False)

_SCALES: Mapping[TraitName, _Scale] = {
    TraitName.EFFECT: _Scale(steps=EFFECTS, default="unknown"),
    TraitName.DESTRUCTIVE: _Scale(steps=(False, True), default=True),
    TraitName.IDEMPOTENT: _BENEFIT,
    TraitName.OPEN_WORLD: _Scale(steps=(False, True), default=True),
    TraitName.SENSITIVE: _DANGER,
    TraitName.SENSITIVITY_LEVEL: _Scale(steps=LEVELS, default=None),
    TraitName.UNTRUSTED: _DANGER,
    TraitName.MALICIOUS: _DANGER,
    TraitName.CONFIRM: _DANGER,
    TraitName.OUTCOME: _Scale(steps=OUTCOMES, default=None),
    TraitName.RESOLVABLE: _BENEFIT,
    TraitName.DEBUGGING: _DANGER,
}
"""The traits with a scale. All other traits are sets, joined by union."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one claim implies for one trait: one value, or any number of values if the trait is a set."""

    claim: Claim
    words: tuple[Word, ...]


def traits(claims: Iterable[Claim]) -> Traits:
    """The traits that follow from all `claims`, in any order. More claims never make a trait less cautious."""
    readings: dict[TraitName, list[_Reading]] = {}
    for claim in claims:
        words_by_trait: dict[TraitName, tuple[Word, ...]] = {}
        for implication in _implications(claim):
            words = _words(claim, implication)
            if words is not None:
                words_by_trait[implication.trait] = words_by_trait.get(implication.trait, ()) + words
        for name, words in words_by_trait.items():
            readings.setdefault(name, []).append(_Reading(claim, words))
    joined = {
        name: _joined(name, readings[name]) if name in readings else default
        for name, default in _unclaimed().items()
    }
    # The default is destructive, but the specification gives the hint no meaning for a tool that only reads.
    if joined[TraitName.DESTRUCTIVE].defaulted and joined[TraitName.EFFECT].value == "read":
        joined[TraitName.DESTRUCTIVE] = Trait(value=False, defaulted=True)
    return Traits(**{_FIELDS[name]: trait for name, trait in joined.items()})


@once
def traits_of_tool(tool: Tool) -> Traits:
    """The traits of a tool by its own claims."""
    return traits(claims_of_tool(tool))


def overridden(joined: Traits, overrides: Sequence[Override]) -> Traits:
    """The traits with the values that the operator sets, which win over all claims.

    The claims stay visible.
    """
    changed = {
        each.trait.name.lower(): replace(
            joined.trait(each.trait), value=each.value, defaulted=False, overridden=True
        )
        for each in overrides
    }
    return replace(joined, **changed)


def _joined(name: TraitName, readings: Sequence[_Reading]) -> Trait:
    scale = _SCALES.get(name)
    return _furthest(scale, readings) if scale else _union(readings)


@cache
def _unclaimed() -> Mapping[TraitName, Trait]:
    """The traits of a tool without claims."""
    return {name: _joined(name, ()) for name in TraitName}


def _furthest(scale: _Scale, readings: Sequence[_Reading]) -> Trait:
    ranked = [(reading.claim, scale.rank(reading.words)) for reading in readings]
    if not ranked:
        return Trait(value=scale.default, defaulted=True)
    highest = max(rank for _, rank in ranked)
    return Trait(
        value=scale.steps[highest],
        claims_for=tuple(claim for claim, rank in ranked if rank or not highest),
        claims_against=tuple(claim for claim, rank in ranked if highest and not rank),
    )


def _union(readings: Sequence[_Reading]) -> Trait:
    words = {str(word): None for reading in readings for word in reading.words}
    return Trait(
        value=tuple(sorted(words)),
        claims_for=tuple(each.claim for each in readings if each.words or not words),
        claims_against=tuple(each.claim for each in readings if words and not each.words),
        defaulted=not readings,
    )


@cache
def _implications_within(container: str) -> tuple[Implication, ...]:
    groups = (
        key.implications
        for vocabulary in vocabularies()
        for key in vocabulary.keys
        if container in key.within
    )
    return tuple(implication for implications in groups for implication in implications)


def _implications(claim: Claim) -> tuple[Implication, ...]:
    """The implications of a claim. A malformed container implies whatever its keys might have implied."""
    if claim.container:
        return () if claim.well_formed or _is_empty(claim.value) else _implications_within(claim.key)
    key = keys_by_name().get((claim.vocabulary, claim.key))
    return key.implications if key else ()


def _is_empty(value: Json) -> bool:
    """True for an empty value, because some servers write null or an empty list for an empty object."""
    return value is None or (isinstance(value, (list, str)) and not value)


def _words(claim: Claim, implication: Implication) -> tuple[Word, ...] | None:
    """The values of a trait that a claim implies; None if the claim implies nothing.

    A malformed claim implies the value `Implication.malformed`.
    """
    if implication.sort is Sort.POSITION:
        marked = claim.value is True or not claim.well_formed
        return (_position(claim),) if marked else ()
    if not claim.well_formed:
        return None if implication.malformed is None else (implication.malformed,)
    words = tuple(words_of(claim.value))
    if implication.sort is Sort.VERBATIM:
        classes = implication.trait is TraitName.DATA_CLASSES
        return tuple(word for word in words if word != "none") if classes else words
    return tuple(implication.meanings[word] for word in words if word in implication.meanings) or None


def _position(claim: Claim) -> str:
    return claim.pointer.removeprefix("/outputSchema").rpartition("/")[0]


def _trait_json(trait: Trait) -> Json:
    value: Json = list(trait.value) if isinstance(trait.value, tuple) else trait.value
    fields: JsonObject = {
        "value": value,
        "defaulted": trait.defaulted,
        "for": [_reference(claim) for claim in trait.claims_for],
        "against": [_reference(claim) for claim in trait.claims_against],
    }
    return fields | {"overridden": True} if trait.overridden else fields


def _reference(claim: Claim) -> Json:
    return {
        "subject": claim.subject.value,
        "vocabulary": claim.vocabulary,
        "key": claim.key,
        "pointer": claim.pointer,
    }


class Badge(StrEnum):
    """A short word about a tool, for lists of tools. The values are the words, the worst first."""

    MALICIOUS = "malic"
    UNTRUSTED = "untr"
    SENSITIVE = "sens"
    DESTRUCTIVE = "destr"
    EXTERNAL = "ext"
    CONFIRM = "asks"
    WRITE = "write"
    READ = "read"

    @property
    def word(self) -> str:
        return "asks first" if self is Badge.CONFIRM else self.name.lower()


def badges(traits: Traits) -> tuple[Badge, ...]:
    """The badges of `traits`, in the order of `Badge`. A trait that has only its default gives no badge."""
    return tuple(badge for badge in Badge if _EARNED[badge](traits))


def _declared(trait: Trait) -> bool:
    return trait.value is True and not trait.defaulted


_EARNED: dict[Badge, Callable[[Traits], bool]] = {
    Badge.READ: lambda traits: traits.effect.value == "read",
    Badge.WRITE: lambda traits: traits.effect.value == "write",
    Badge.DESTRUCTIVE: lambda traits: traits.effect.value == "delete" or _declared(traits.destructive),
    Badge.EXTERNAL: lambda traits: traits.effect.value == "external" or _declared(traits.open_world),
    Badge.SENSITIVE: lambda traits: _declared(traits.sensitive) or bool(traits.sensitive_positions.value),
    Badge.UNTRUSTED: lambda traits: _declared(traits.untrusted),
    Badge.CONFIRM: lambda traits: _declared(traits.confirm),
    Badge.MALICIOUS: lambda traits: _declared(traits.malicious),
}
