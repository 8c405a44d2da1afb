"""Views of what a session holds, made in worker threads from frozen inputs. Importing this loads the core."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from inspector.boundary.bounded import Level, Removal
from inspector.boundary.mask import mask
from inspector.boundary.reading import raw_of
from inspector.claims.claim import Claim
from inspector.claims.contradictions import Contradiction, contradictions
from inspector.claims.registry import claims_of_item, claims_of_result, claims_of_tool
from inspector.claims.resolution import METHOD as RESOLVE
from inspector.claims.traits import traits
from inspector.hosts.profile import Call
from inspector.hosts.projection import project, projection_of
from inspector.hosts.registry import host as host_of
from inspector.json.document import Document, Line, SpanKind
from inspector.json.exact import Json, JsonObject, JsonText, Malformed, dump, dump_text, equal
from inspector.protocol.catalogue import Catalogue, Entry, Tool
from inspector.protocol.exchanges import Answered, Asked, Event, Late, Matched, message_of
from inspector.protocol.frames import Request, Response
from inspector.protocol.outcome import Result, RpcError
from inspector.recording.markers import with_ids
from inspector.schema.fields import Field, form_of
from inspector.schema.validation import violations
from inspector.secrets.holdings import Holdings, holdings_in
from inspector.secrets.own_credentials import OwnCredentials
from inspector.session.call_record import CallRecord
from inspector.tui.present import badges
from inspector.tui.present.alignment import Alignment, align, side_by_side
from inspector.tui.present.claims import ClaimRow, value_text
from inspector.tui.present.form import Draft, merged
from inspector.tui.present.frame import FrameView, pieces
from inspector.tui.present.marks import marks
from inspector.tui.present.page import changed_lines, origin_lines
from inspector.tui.present.result import ResultView, begins, line_text
from inspector.tui.present.tool import ToolView

_CALL = "tools/call"

MAX_ALIGNED_LINES = 20_000
"""Longer documents stand line beside line."""


def tool_view(entry: Entry, record: CallRecord | None, before: Entry | None = None) -> ToolView:
    """An item of the catalogue with its claims, and with those of its last result. `before`: what is shown now."""
    definition: Json = entry.value if isinstance(entry, Malformed) else entry.definition
    claims = _claims(entry)
    of_result = (
        claims_of_result(record.outcome.value) if record and isinstance(record.outcome, Result) else ()
    )
    tool = entry if isinstance(entry, Tool) else None
    page = tool.page if tool else None
    resolution = record.resolution if record else None
    resolved = resolution.claims if resolution else ()
    found = (
        *contradictions((*claims, *of_result), tool=tool),
        *(resolution.widenings if resolution else ()),
    )
    known = traits((*claims, *of_result))
    return ToolView(
        entry=entry,
        definition=Document(definition),
        definition_bytes=len(dump(definition)),
        badges=badges.words(known),
        traits=badges.trait_lines(known),
        claims=tuple(_claim_row(claim, found) for claim in (*claims, *of_result, *resolved)),
        origins=(*origin_lines(page), *changed_lines(page)) if page else (),
        form=form_of(tool.input_schema) if tool else None,
        is_same=before is not None and _same(before, entry),
    )


def result_view(record: CallRecord, level: Level, host: str, *, server: str, chunk: int) -> ResultView:
    """A call through two lenses. `server`: the name that hosts know the server by. `chunk`: as of a document."""
    profile = host_of(host) or host_of("spec")
    if profile is None:
        raise LookupError(host)
    call = Call(server=server, tool=record.name, nonce=record.nonce)
    shown = projection_of(record.judgement, level, profile, call, record.policy)
    masked = with_ids(shown.masked, shown.raw) if record.has_ids else shown.masked
    raw = Document(masked, chunk=chunk)
    model = Document(shown.context.model, chunk=chunk)
    removals = shown.bounded.removals
    pointed = tuple(change for change in shown.context.changes if change.pointer)
    found = marks(_extent(raw, removal.pointer) for removal in removals)
    changed = marks(_extent(raw, change.pointer) for change in pointed)
    rows = aligned(raw, model)
    return ResultView(
        record=record,
        level=level,
        host=host,
        raw=raw,
        model=model,
        rows=rows or side_by_side(raw.line_count, model.line_count),
        removals=removals,
        rules=shown.removals_by_rule,
        marks=found,
        changes=shown.context.changes,
        pointed=pointed,
        change_marks=changed,
        begins=begins(rows, found, changed),
        aligned=rows is not None,
        observed=shown.context.observed,
        findings=shown.findings,
        raw_bytes=shown.raw_bytes,
        model_bytes=shown.model_bytes,
        undeclared=shown.undeclared if level is Level.DECLARED else None,
        unfinished=shown.unfinished,
        values=(masked, shown.context.model),
    )


def holdings(record: CallRecord) -> Holdings:
    """What a call leaves in the user's keeping."""
    return holdings_in(raw_of(record.outcome), withheld(record))


def withheld(record: CallRecord) -> "Sequence[Removal]":
    """What `declared` withholds of a result."""
    return record.judgement.secrets(record.policy)


def checked(draft: Draft, schema: Json) -> Draft:
    """A draft with what its schema finds wrong."""
    found = violations(draft.arguments, schema) if draft.arguments is not None else ()
    return replace(draft, problems=merged(draft, found))


def frame_view(
    matched: Matched,
    catalogue: Catalogue,
    *,
    chunk: int,
    has_ids: bool = False,
    own: OwnCredentials | None = None,
) -> FrameView:
    """A frame of a session; what its tools declare sensitive is covered, in arguments and in results; so is what `own` holds.

    `has_ids`: whether it is of a recording, where ids stand in place of what is withheld.
    """
    frame = matched.frame
    if own and frame.head:
        frame = replace(frame, head=own.cover(frame.head))
    if not isinstance(frame.body, JsonText):
        text = frame.raw.decode("utf-8", "replace")
        text = own.cover(text) if own else text
        return FrameView(frame=frame, document=None, text=pieces(text, chunk), masked=0)
    batch = frame.body.value if isinstance(frame.body.value, list) else None
    masked = 0
    shown: list[Json] = []
    for event in matched.events:
        message = message_of(event)
        if message is None:
            continue
        value, number = (
            _covered(message.value, event, catalogue)
            if not isinstance(message, Malformed)
            else (message.value, 0)
        )
        shown.append(with_ids(value, message.value) if number and has_ids else value)
        masked += number
    value: Json = shown if batch is not None else shown[0]
    if own:
        value, number = own.covered(value)
        masked += number
    text = dump_text(value) if masked else frame.raw.decode("utf-8", "replace")
    return FrameView(
        frame=frame,
        document=Document(value, chunk=max(chunk - 24, 40)),
        text=pieces(text, chunk),
        masked=masked,
    )


def sensitive_pointers(tool: Tool) -> tuple[str, ...]:
    """The arguments that the input schema marks, as pointers into the arguments."""
    found: list[str] = []
    waiting: list[Field] = list(form_of(tool.input_schema).fields)
    while waiting:
        field = waiting.pop()
        if field.sensitive:
            found.append(field.pointer)
        waiting.extend(field.fields)
    return tuple(found)


def _same(before: Entry, after: Entry) -> bool:
    if before is after:
        return True
    if isinstance(before, Malformed) or isinstance(after, Malformed):
        return False
    return type(before) is type(after) and equal(before.definition, after.definition)


def _claims(entry: Entry) -> tuple[Claim, ...]:
    match entry:
        case Tool():
            return claims_of_tool(entry)
        case Malformed():
            return ()
        case _:
            return claims_of_item(entry)


def _claim_row(claim: Claim, found: Iterable[Contradiction]) -> ClaimRow:
    against = tuple(
        contradiction.message for contradiction in found if any(claim is one for one in contradiction.claims)
    )
    return ClaimRow(claim=claim, value=value_text(claim.value), contradictions=against)


def aligned(raw: Document, model: Document) -> Alignment | None:
    """Both documents with what is the same on one row; None where they are too large, or have too little in common.

    A host that hands over a text of its own has nothing that could stand beside a line of the raw result.
    """
    if raw.line_count + model.line_count > MAX_ALIGNED_LINES:
        return None
    left, right = raw.lines(0, raw.line_count), model.lines(0, model.line_count)
    left_keys, right_keys = [_key(line) for line in left], [_key(line) for line in right]
    found = align(
        [line_text(line) for line in left],
        [line_text(line) for line in right],
        lambda a, b: left_keys[a] is not None and left_keys[a] == right_keys[b],
    )
    return found if found.shared * 2 >= min(len(left), len(right)) else None


def _key(line: Line) -> str | None:
    return next((span.text for span in line.spans if span.kind is SpanKind.KEY), None)


def _extent(document: Document, pointer: str) -> tuple[int, int]:
    lines = document.extent(pointer)
    return (lines.start, lines.stop) if lines else (0, 0)


def _tool_of(request: Request, catalogue: Catalogue) -> Tool | None:
    """The tool whose arguments a request carries: to call it, or to ask what a call would do."""
    if request.method not in {_CALL, RESOLVE}:
        return None
    if not isinstance(request.params, dict):
        return None
    name = request.params.get("name")
    return catalogue.tool(name) if isinstance(name, str) else None


def _covered(value: JsonObject, event: Event, catalogue: Catalogue) -> tuple[Json, int]:
    match event:
        case Asked(exchange=exchange):
            tool = _tool_of(exchange.request, catalogue)
            removals = [
                Removal(pointer=f"/params/arguments{pointer}", rule="x-sensitive", detail="")
                for pointer in (sensitive_pointers(tool) if tool else ())
                if isinstance(exchange.request.params, dict) and "arguments" in exchange.request.params
            ]
            return (mask(value, removals), len(removals)) if removals else (value, 0)
        case Answered(exchange=exchange, response=response) | Late(exchange=exchange, response=response):
            is_call = exchange.request.method == _CALL
            tool = _tool_of(exchange.request, catalogue) if is_call else None
            return _covered_answer(value, response, tool) if tool else (value, 0)
        case _:
            return value, 0


def _covered_answer(value: JsonObject, response: Response, tool: Tool) -> tuple[Json, int]:
    profile = host_of("spec")
    if profile is None:
        return {"withheld": "no host profile to judge it by"}, 1
    outcome = RpcError(value=response.error) if response.is_error else Result(value=response.result)
    judged = project(outcome, tool, Level.DECLARED, profile)
    if not judged.sensitive:
        return value, 0
    covered = judged.masked
    if response.is_error and isinstance(covered, dict):
        return {**value, **covered}, len(judged.sensitive)
    return {**value, "result": covered}, len(judged.sensitive)
