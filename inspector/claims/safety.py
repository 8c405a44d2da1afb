"""The safety table, which shows what all tools of a server claim about the effects of a call.

Source: the policy-hints proposal, Use cases ("documentation generators producing safety tables from metadata").
"""

from collections.abc import Iterable

from msgspec import Struct

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
    "The server declares all of this; it is not verified.",
    "(default): not declared, so the default applies. (disputed): declarations contradict each other, so the more cautious one applies.",
    "Not declared: no declaration and no default.",
)
NOT_DECLARED = "not declared"
_MOST = 20
"""The maximum number of values in a cell."""


class Cell(Struct, frozen=True, kw_only=True):
    """A cell of the safety table: values, and a note on their origin."""

    values: tuple[str, ...]
    """The values in the cell, as text. Never empty. Untrusted text if `is_foreign` is true."""
    is_foreign: bool = False
    note: str = ""
    """`default` for a default value, `disputed` if declarations contradict each other; otherwise empty."""


class SafetyRow(Struct, frozen=True, kw_only=True):
    """The row of one tool in the safety table."""

    name: str
    """The name of the tool. Untrusted text."""
    cells: tuple[Cell, ...]
    """The cells in the order of `COLUMNS`, without the first."""
    contradictions: tuple[str, ...]
    """The contradictions, in sentences without untrusted text."""


def safety_rows(tools: Iterable[Tool]) -> tuple[SafetyRow, ...]:
    """One row for each tool. Never raises; linear."""
    return tuple(map(_row, tools))


def _row(tool: Tool) -> SafetyRow:
    claims = claims_of_tool(tool)
    joined = traits(claims)
    cells = (
        _word(joined.effect),
        _reversible(joined),
        _yes_or_no(joined.idempotent),
        _yes_or_no(joined.open_world),
        _set(joined.destinations),
        _set(joined.data_classes),
        _sensitive(joined),
        _yes_or_no(joined.untrusted),
        _yes_or_no(joined.confirm),
    )
    messages = dict.fromkeys(item.message for item in contradictions(claims, tool=tool))
    return SafetyRow(name=tool.name, cells=cells, contradictions=tuple(messages))


def _word(trait: Trait) -> Cell:
    known = isinstance(trait.value, str) and not trait.defaulted
    return Cell(values=(str(trait.value) if known else NOT_DECLARED,), note=_note(trait) if known else "")


def _yes_or_no(trait: Trait) -> Cell:
    return Cell(values=("yes" if trait.value is True else "no",), note=_note(trait))


def _set(trait: Trait) -> Cell:
    values = trait.value if isinstance(trait.value, tuple) else ()
    if not values:
        return Cell(values=("none" if trait.claims_for else NOT_DECLARED,))
    more = (f"and {len(values) - _MOST:,} more",) if len(values) > _MOST else ()
    return Cell(values=(*values[:_MOST], *more), is_foreign=True, note=_note(trait))


def _reversible(joined: Traits) -> Cell:
    """The cell that says whether the effects can be undone, according to the outcome and destructiveness."""
    outcome, destructive, effect = joined.outcome, joined.destructive, joined.effect
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
    return Cell(values=(NOT_DECLARED,))


def _sensitive(joined: Traits) -> Cell:
    """The cell with the sensitive parts of a result (all, or positions of its schema) and its sensitivity level."""
    positions, level = joined.sensitive_positions.value, joined.sensitivity_level
    marked = positions if isinstance(positions, tuple) else ()
    values = ["the whole result"] if joined.sensitive.value is True else []
    values += marked[:_MOST]
    if len(marked) > _MOST:
        values.append(f"and {len(marked) - _MOST:,} more")
    graded = (f"level {level.value}",) if isinstance(level.value, str) and not level.defaulted else ()
    if not values:
        return Cell(values=("no", *graded), note="" if graded else _note(joined.sensitive))
    return Cell(values=(*values, *graded), is_foreign=bool(marked))


def _note(trait: Trait) -> str:
    if trait.defaulted:
        return "default"
    return "disputed" if trait.claims_for and trait.claims_against else ""
