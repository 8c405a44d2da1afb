"""Finds the secrets in a call's result that the vault is to keep: secret references and withheld values."""

from array import array
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.mask import SHOWN
from inspector.boundary.secret_references import ListedReference, SecretReference, references_in
from inspector.json.exact import Json


class LocatedReference(Struct, frozen=True, kw_only=True):
    """A reference, and every pointer at which the result contains it."""

    reference: ListedReference
    pointers: tuple[str, ...]


class WithheldPlaces:
    """The places in a result from which a secret was withheld, in order.

    Each removal is looked up on access.
    """

    __slots__ = ("_places", "_removals")

    def __init__(self, removals: Sequence[Removal]) -> None:
        """`removals`: the removals of the boundary level `declared`."""
        self._removals = removals
        # Secret references have rows of their own, and the raw pane shows what the rules in `SHOWN` remove.
        self._places = array(
            "Q",
            (
                place
                for place, removal in enumerate(removals)
                if removal.rule not in SHOWN and removal.rule != Rule.SECRET_REFERENCE
            ),
        )

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: int) -> Removal:
        return self._removals[self._places[index]]


class Holdings(Struct, frozen=True, kw_only=True):
    """The secret references and the withheld values of one call."""

    references: tuple[LocatedReference, ...]
    withheld: WithheldPlaces

    def __len__(self) -> int:
        return len(self.references) + len(self.withheld)


def holdings_in(raw: Json, removals: Sequence[Removal]) -> Holdings:
    """The secrets in a result. Never raises.

    `removals`: the removals of the boundary level `declared`, with pointers into `raw`. Linear in the size of
    both.
    """
    return Holdings(references=_without_repeats(references_in(raw)), withheld=WithheldPlaces(removals))


def _without_repeats(listed: Iterable[ListedReference]) -> tuple[LocatedReference, ...]:
    """The references, each once, because servers repeat a reference in text and in structured content."""
    located: dict[object, LocatedReference] = {}
    for place, reference in enumerate(listed):
        known = (
            (reference.id, reference.redeem_url, reference.label, reference.ttl_s)
            if isinstance(reference, SecretReference)
            else place
        )
        before = located.get(known)
        pointers = (*before.pointers, reference.pointer) if before else (reference.pointer,)
        located[known] = replace(
            before or LocatedReference(reference=reference, pointers=()), pointers=pointers
        )
    return tuple(located.values())
