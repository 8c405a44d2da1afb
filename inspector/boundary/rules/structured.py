"""`x-sensitive`, `undeclared` and `sensitive-hint`: withhold parts of the structured content by its schema.

Source: WebMCP issue 110, `x-sensitive`; docs/decisions/0004-boundaries.md.
"""

from msgspec.structs import replace

from inspector.boundary.bounded import Level, Rule
from inspector.boundary.construct import Gate, construct
from inspector.boundary.draft import Draft, Reason, block_content, withhold_blocks, withhold_members
from inspector.boundary.notice import is_own
from inspector.boundary.removals import Ledger, Secrets
from inspector.boundary.walking import Walked
from inspector.boundary.withhold import withhold
from inspector.json.exact import Json
from inspector.schema.positions import Position, Source


def apply(draft: Draft) -> Draft:
    """Withhold parts of the structured content, and of members that the protocol does not define."""
    start = draft.contract.start()
    draft = _without_marked_content(draft, start)
    ledger = Ledger(draft.contract, "")
    structured, members = draft.structured, draft.members
    if structured and not structured.gone:
        ledger.root = structured.pointer
        walked = _walk(draft, structured.value, start, ledger)
        structured = replace(
            structured, value=walked.value, gone=walked.gone, touched=structured.touched or bool(ledger)
        )
    if start.sensitive:
        draft = withhold_members(draft, _marked(draft, start.sensitive))
        members = draft.members
    elif members:
        # A page may return fields of its own next to `content`; its schema describes them.
        ledger.root = ""
        left = withhold(members, start, ledger).value
        members = left if isinstance(left, dict) else {}
    positions = draft.contract.positions
    faults = positions.faults if positions and draft.structured else ()
    draft = replace(draft, structured=structured, members=members).removing(ledger.removals, ledger.secrets)
    return draft.remarking(*faults)


def _without_marked_content(draft: Draft, start: Position) -> Draft:
    """Withhold `content` if the schema marks a field `content` as sensitive.

    A page may return a field of that name that is not the content of a tool result.
    """
    source = start.step("content").sensitive
    # A result with a notice is a tool result whose structured content an earlier boundary withheld.
    if draft.members is None or draft.structured is not None or not draft.earlier.is_empty:
        return draft
    if all(is_own(block.raw, draft.level) for block in draft.blocks):
        return draft
    if source is None or "content" not in start.names:
        return draft
    reason = _marked(draft, source)
    values = [value for block in draft.blocks for value in block_content(block.raw)]
    draft = withhold_blocks(draft, lambda _: reason)
    return draft.removing((reason.at("/content"),), Secrets().add(reason.rule, values))


def _marked(draft: Draft, source: Source) -> Reason:
    return Reason(rule=Rule.X_SENSITIVE, detail=source.reason, claim=draft.contract.claim_at(source))


def settle(draft: Draft) -> Draft:
    """In a result declared sensitive, withhold objects and arrays in which no value may reach the model."""
    return apply(draft) if draft.hint else draft


def _walk(draft: Draft, value: Json, start: Position, ledger: Ledger) -> Walked:
    closed = draft.level is Level.CLOSED and draft.contract.positions is not None
    if closed or draft.hint:
        return construct(value, start, ledger, Gate(declared=closed, hint=draft.hint))
    return withhold(value, start, ledger)
