"""`invalid-output`: withholds values that do not fit an output schema that uses `x-sensitive`.

The marks of the schema may miss such values: a misspelt member may hold the secret that the schema marks
under another name. A result from which a gateway with a boundary has already removed parts may lack required
members, so it is not checked again.

Source: MCP 2025-11-25, Tools, "Output Schema": structured results must conform to it.
"""

from msgspec.structs import replace

from inspector.boundary.bounded import Rule
from inspector.boundary.draft import Draft, Reason, Structured, withhold_structured
from inspector.boundary.notice import MEMBER
from inspector.boundary.removals import Ledger
from inspector.boundary.walking import WITHHELD
from inspector.json.edit import Copied
from inspector.json.exact import Json
from inspector.schema.fitting import EVERYTHING, Path, misfits
from inspector.schema.positions import SchemaPositions

_WHOLE = Reason(
    rule=Rule.INVALID_OUTPUT,
    detail="it does not fit the output schema or cannot be checked, so the sensitivity marks may miss it",
)
_PART = "it does not fit the output schema, so the sensitivity marks may miss it"


def apply(draft: Draft) -> Draft:
    """Withhold the parts of the structured content that do not fit its schema."""
    structured, positions = draft.structured, draft.contract.positions
    if structured is None or structured.gone or positions is None or not draft.earlier.is_empty:
        return draft
    if not (positions.marks_any or draft.hint):
        return draft
    paths = _misfits(structured, draft.contract.schema, positions)
    if () in paths:
        return withhold_structured(draft, _WHOLE)
    ledger = Ledger(draft.contract, structured.pointer)
    copied = Copied(structured.value)
    for path in sorted(paths, key=len):
        _drop(copied, path, ledger)
    if not ledger:
        return draft
    structured = replace(structured, value=copied.value, touched=True)
    return replace(draft, structured=structured).removing(ledger.removals, ledger.secrets)


def _misfits(structured: Structured, schema: Json, positions: SchemaPositions) -> tuple[Path, ...]:
    pointers = tuple(pointer for pointer in positions.faulty if pointer is not None)
    if len(pointers) < len(positions.faulty):
        return EVERYTHING
    raw = structured.raw
    if isinstance(raw, dict):
        raw = {key: value for key, value in raw.items() if key != MEMBER}
    return misfits(raw, schema, pointers, repetition=positions.repetition)


def _drop(copied: Copied, path: Path, ledger: Ledger) -> None:
    try:
        value: Json = copied.at(path)
        if value == WITHHELD:
            return
        copied.drop(path, WITHHELD)
    except LookupError:
        # Its container is withheld already.
        return
    ledger.note_at(path, Rule.INVALID_OUTPUT, _PART, value)
