"""What one call leaves in the user's keeping: its secret references, and the values that are withheld from models."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.mask import SHOWN
from inspector.boundary.secret_references import ListedReference, SecretReference, references_in
from inspector.json.exact import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A reference, and every place at which the result has it."""

    reference: ListedReference
    pointers: tuple[str, ...]


class Withheld:
    """The removals whose values are secret, in their order, each made when it is asked for."""

    __slots__ = ("_places", "_removals")

    def __init__(self, removals: Sequence[Removal]) -> None:
        """`removals`: those of `declared`."""
        self._removals = removals
        # A reference has a row of its own; what else the user may see, the raw pane shows.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """Of one call."""

    references: tuple[Found, ...]
    withheld: Withheld

    def __len__(self) -> int:
        return len(self.references) + len(self.withheld)


def holdings_in(raw: Json, removals: Sequence[Removal]) -> Holdings:
    """What is to be kept for the user of a result.

    `removals`: those of `declared`, into `raw`. Takes time in proportion to the size of both. Never raises.
    """
    return Holdings(references=_told_once(references_in(raw)), withheld=Withheld(removals))


def _told_once(listed: Iterable[ListedReference]) -> tuple[Found, ...]:
    """Servers repeat a reference in text and structure; to redeem it is one thing."""
    found: dict[object, Found] = {}
    for place, reference in enumerate(listed):
        known = (
            (reference.id, reference.redeem_url, reference.label, reference.ttl_s)
            if isinstance(reference, SecretReference)
            else place
        )
        before = found.get(known)
        pointers = (*before.pointers, reference.pointer) if before else (reference.pointer,)
        found[known] = replace(
            before or Found(reference=reference, pointers=()),
            pointers=pointers,
        )
    return tuple(found.values())
