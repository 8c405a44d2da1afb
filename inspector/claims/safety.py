"""A safety table: what each tool of a server claims about what calling it does.

Source: the policy-hints proposal, Use cases ("documentation generators producing safety tables from metadata").
"""

from collections.abc import Iterable
from dataclasses import dataclass

from inspector.claims.contradictions import contradictions
from inspector.claims.registry import claims_of_tool
from inspector.claims.traits import Trait, Traits, traits
from inspector.protocol.catalogue import Tool

COLUMNS = (
    "Tool",
    "Effect",
    "Reversible",
    "Idempotent",
    "Open world",
    "Destinations",
    "Data classes",
    "Sensitive outputs",
    "Untrusted outputs",
    "Confirmation",
)
LEGEND = (
    "All of this is what the server says of itself; nobody has checked it.",
    "(default): nobody declares it; so it is taken. (disputed): declarations contradict each other; the more cautious one holds.",
    "Not said: nobody declares it, and nothing can be taken for granted.",
)
NOT_SAID = "not said"
_MOST = 20
"""Values of one cell that are told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One value of the table."""

    values: tuple[str, ...]
    """Never empty. Foreign text where `is_foreign`."""
    is_foreign: bool = False
    note: str = ""
    """`default` or `disputed`; empty for what is declared, or not said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SafetyRow:
    """One tool."""

    name: str
    """Foreign text."""
    cells: tuple[Cell, ...]
    """In the order of `COLUMNS`, without the first."""
    contradictions: tuple[str, ...]
    """In sentences that quote nothing foreign."""


def safety_rows(tools: Iterable[Tool]) -> tuple[SafetyRow, ...]:
    """A row for each tool, in their order. Never raises; linear."""
    return tuple(map(_row, tools))


def _row(tool: Tool) -> SafetyRow:
    claims = claims_of_tool(tool)
    found = traits(claims)
    cells = (
        _word(found.effect),
        _reversible(found),
        _yes_or_no(found.idempotent),
        _yes_or_no(found.open_world),
        _set(found.destinations),
        _set(found.data_classes),
        _sensitive(found),
        _yes_or_no(found.untrusted),
        _yes_or_no(found.confirm),
    )
    messages = dict.fromkeys(item.message for item in contradictions(claims, tool=tool))
    return SafetyRow(name=tool.name, cells=cells, contradictions=tuple(messages))


def _word(trait: Trait) -> Cell:
    known = isinstance(trait.value, str) and not trait.defaulted
    return Cell(values=(str(trait.value) if known else NOT_SAID,), note=_note(trait) if known else "")


def _yes_or_no(trait: Trait) -> Cell:
    return Cell(values=("yes" if trait.value is True else "no",), note=_note(trait))


def _set(trait: Trait) -> Cell:
    values = trait.value if isinstance(trait.value, tuple) else ()
    if not values:
        return Cell(values=("none" if trait.claims_for else NOT_SAID,))
    more = (f"and {len(values) - _MOST:,} more",) if len(values) > _MOST else ()
    return Cell(values=(*values[:_MOST], *more), is_foreign=True, note=_note(trait))


def _reversible(found: Traits) -> Cell:
    """Whether what it does can be undone, as far as its outcome or its being destructive says so."""
    outcome, destructive, effect = found.outcome, found.destructive, found.effect
    if outcome.value == "irreversible":
        return Cell(values=("no",), note=_note(outcome))
    if destructive.value is True and not destructive.defaulted:
        return Cell(values=("no",), note=_note(destructive))
    if effect.value == "read" and outcome.value != "consequential":
        return Cell(values=("changes nothing",), note=_note(effect))
    if outcome.value == "benign":
        return Cell(values=("yes",), note=_note(outcome))
    if destructive.value is True:
        return Cell(values=("no",), note="default")
    return Cell(values=(NOT_SAID,))


def _sensitive(found: Traits) -> Cell:
    """What of a result is sensitive: all of it, or positions of its schema; and how sensitive it is."""
    positions, level = found.sensitive_positions.value, found.sensitivity_level
    marked = positions if isinstance(positions, tuple) else ()
    values = ["the whole result"] if found.sensitive.value is True else []
    values += marked[:_MOST]
    if len(marked) > _MOST:
        values.append(f"and {len(marked) - _MOST:,} more")
    graded = (f"level {level.value}",) if isinstance(level.value, str) and not level.defaulted else ()
    if not values:
        return Cell(values=("no", *graded), note="" if graded else _note(found.sensitive))
    return Cell(values=(*values, *graded), is_foreign=bool(marked))


def _note(trait: Trait) -> str:
    if trait.defaulted:
        return "default"
    return "disputed" if trait.claims_for and trait.claims_against else ""
