"""Traits: what all claims about one subject amount to, joined in the safe direction only.

Which claim bears on which trait, and how, the vocabularies say (`Key.bearings`). Here is only the joining.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias, cast

from inspector.claims.bearing import EFFECTS, LEVELS, OUTCOMES, Bearing, Sort, TraitName, Word, words_of
from inspector.claims.claim import Claim, Key
from inspector.claims.registry import vocabularies
from inspector.json.exact import Json, JsonObject

TraitValue: TypeAlias = bool | str | tuple[str, ...] | None
"""None where nothing is known and no default holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trait:
    """One conclusion."""

    value: TraitValue
    claims_for: tuple[Claim, ...] = ()
    claims_against: tuple[Claim, ...] = ()
    """Those that say the least cautious thing, where the value is another."""
    defaulted: bool = False
    """Whether no claim bears on it, so that the value is only what absence means."""
    overridden: bool = False
    """Whether the operator set it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """What the operator knows better."""

    trait: TraitName
    value: TraitValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """All conclusions about a tool, or about a tool and one of its results. One for each `TraitName`."""

    effect: Trait
    """read, write, external, delete or unknown."""
    destructive: Trait
    idempotent: Trait
    open_world: Trait
    sensitive: Trait
    """Of a result as a whole; single positions are in `sensitive_positions`."""
    data_classes: Trait
    """Of what comes back; regulated data with their scopes, as `regulated:GDPR`. Foreign text."""
    sensitivity_level: Trait
    """public, internal, confidential or restricted."""
    sensitive_positions: Trait
    """Pointers into the output schema."""
    untrusted: Trait
    malicious: Trait
    confirm: Trait
    outcome: Trait
    """benign, consequential or irreversible."""
    destinations: Trait
    sources: Trait
    attribution: Trait
    """Foreign text."""
    resolvable: Trait
    debugging: Trait

    def trait(self, name: TraitName) -> Trait:
        """The one of that name."""
        return cast("Trait", getattr(self, name.name.lower()))

    def as_json(self) -> JsonObject:
        """Each trait by its name: `value`, `defaulted`, and the claims `for` and `against`, by where they stand."""
        return {name.value: _trait_json(self.trait(name)) for name in TraitName}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    """How a trait of one value is joined: the furthest step that any claim names."""

    steps: tuple[Word, ...]
    """From the least cautious to the most."""
    default: Word | None

    def rank(self, words: tuple[Word, ...]) -> int:
        """The furthest step in `words`. What is no step counts as the last."""
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
"""The other traits are sets, and joined by union."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one claim says of one trait: one word, or for a set any number."""

    claim: Claim
    words: tuple[Word, ...]


def traits(claims: Iterable[Claim]) -> Traits:
    """What `claims` amount to, whatever their order. Another claim makes nothing that a claim said less safe."""
    readings: dict[TraitName, list[_Reading]] = {name: [] for name in TraitName}
    for claim in claims:
        said: dict[TraitName, tuple[Word, ...]] = {}
        for bearing in _bearings(claim):
            words = _words(claim, bearing)
            if words is not None:
                said[bearing.trait] = said.get(bearing.trait, ()) + words
        for name, words in said.items():
            readings[name].append(_Reading(claim, words))
    joined = {name: _joined(name, readings[name]) for name in TraitName}
    # Absence means destructive, but the specification gives the hint no meaning for a tool that only reads.
    if joined[TraitName.DESTRUCTIVE].defaulted and joined[TraitName.EFFECT].value == "read":
        joined[TraitName.DESTRUCTIVE] = Trait(value=False, defaulted=True)
    return Traits(**{name.name.lower(): trait for name, trait in joined.items()})


def overridden(found: Traits, overrides: Sequence[Override]) -> Traits:
    """The same with what the operator set: it wins over all claims, which stay visible."""
    changed = {
        each.trait.name.lower(): replace(
            found.trait(each.trait), value=each.value, defaulted=False, overridden=True
        )
        for each in overrides
    }
    return replace(found, **changed)


def _joined(name: TraitName, readings: Sequence[_Reading]) -> Trait:
    scale = _SCALES.get(name)
    return _furthest(scale, readings) if scale else _union(readings)


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
def _keys() -> Mapping[tuple[str, str], Key]:
    return {(found.name, key.name): key for found in vocabularies() for key in found.keys}


@cache
def _bearings_within(container: str) -> tuple[Bearing, ...]:
    found = (
        key.bearings for vocabulary in vocabularies() for key in vocabulary.keys if container in key.within
    )
    return tuple(bearing for bearings in found for bearing in bearings)


def _bearings(claim: Claim) -> tuple[Bearing, ...]:
    """What a claim bears on. A container that could not be read bears on all that it might have held."""
    if claim.container:
        return () if claim.well_formed or _holds_nothing(claim.value) else _bearings_within(claim.key)
    key = _keys().get((claim.vocabulary, claim.key))
    return key.bearings if key else ()


def _holds_nothing(value: Json) -> bool:
    """Whether nothing can be declared in it: some servers write null or an empty list for an empty object."""
    return value is None or (isinstance(value, (list, str)) and not value)


def _words(claim: Claim, bearing: Bearing) -> tuple[Word, ...] | None:
    """What a claim says through one bearing; None where nothing. A malformed one says the safe thing."""
    if bearing.sort is Sort.POSITION:
        marked = claim.value is True or not claim.well_formed
        return (_position(claim),) if marked else ()
    if not claim.well_formed:
        return None if bearing.malformed is None else (bearing.malformed,)
    words = tuple(words_of(claim.value))
    if bearing.sort is Sort.VERBATIM:
        classes = bearing.trait is TraitName.DATA_CLASSES
        return tuple(word for word in words if word != "none") if classes else words
    return tuple(bearing.meanings[word] for word in words if word in bearing.meanings) or None


def _position(claim: Claim) -> str:
    return claim.pointer.removeprefix("/outputSchema").rpartition("/")[0]


def _trait_json(trait: Trait) -> Json:
    value: Json = list(trait.value) if isinstance(trait.value, tuple) else trait.value
    found: JsonObject = {
        "value": value,
        "defaulted": trait.defaulted,
        "for": [_reference(claim) for claim in trait.claims_for],
        "against": [_reference(claim) for claim in trait.claims_against],
    }
    return found | {"overridden": True} if trait.overridden else found


def _reference(claim: Claim) -> Json:
    return {
        "subject": claim.subject.value,
        "vocabulary": claim.vocabulary,
        "key": claim.key,
        "pointer": claim.pointer,
    }
