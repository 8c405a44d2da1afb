"""Builds the bounded result from the last draft: a tool result that a gateway could forward to a model.

The result ends with a notice that lists the withheld parts for the model.
"""

from collections.abc import Iterator
from functools import cache, partial

from msgspec.structs import replace

from inspector.boundary.bounded import Bounded, ErrorCode, Level, Removal, Rule
from inspector.boundary.contract import is_result
from inspector.boundary.draft import Block, Draft, Fate, Structured
from inspector.boundary.error_code import coded_error
from inspector.boundary.notice import MEMBER, Amount, Notice, merged, notice_of, text_block
from inspector.boundary.reading_shape import ReadingShape
from inspector.boundary.removals import NotedRemovals, Removals
from inspector.boundary.rules.untrusted import delimited
from inspector.boundary.same_content import MIRRORED, is_part_of_result, text_of, text_pointer, with_text
from inspector.json.exact import Json, JsonObject, dump_text, equal
from inspector.protocol.catalogue import Kind
from inspector.protocol.outcome import COMPLETE, Outcome, Result

_OUTSIDE = ("/content/", "/isError", "/_meta")
"""The notice does not list a removal as a field if its pointer begins with one of these texts.

A removal at `/content` itself is listed as a field, because a page can return a field of this name. Removals
in a `NotedRemovals` are always listed as fields.
"""


def assemble(draft: Draft) -> Bounded:
    """Build the bounded result from a draft, after all boundary rules."""
    if draft.error is not None:
        return _bounded(draft, {"error": draft.error})
    notice = merged(draft.earlier, _notice(draft))
    structured = _with_notice(draft.structured, notice)
    is_as_sent = structured is not None and structured.value is structured.raw
    text = cache(partial(dump_text, None if structured is None else structured.value))
    content: list[Json] = []
    pointers: list[str] = []
    removals: list[Removal] = []
    for block in draft.blocks:
        if block.fate is Fate.MIRROR:
            if draft.level is Level.CLOSED:
                value = text_block(text())
            else:
                value = block.value if is_as_sent else with_text(block.value, text())
            if not block.noted and not equal(value, block.value):
                removals.append(MIRRORED.at(block.pointer + text_pointer(block.value)))
            content.append(_delimited(draft, block, value))
        elif block.fate is not Fate.WITHHELD:
            content.append(_delimited(draft, block, block.value))
        if block.fate is not Fate.WITHHELD:
            pointers.append(block.pointer)
    if not notice.is_empty:
        content.append(text_block(notice.text))
        pointers.append("")
    result = _result(draft, content, structured)
    draft = draft.removing(removals)
    if draft.shape is None:
        return _bounded(draft, result)
    placed = draft.removals.changed(draft.shape.placed).and_then(draft.shape.removals)
    return _bounded(replace(draft, removals=placed), draft.shape.result(result, pointers))


def whole_withheld(
    level: Level, code: ErrorCode | None, outcome: Outcome, detail: str, kind: Kind = Kind.TOOL
) -> Bounded:
    """The bounded result of an outcome that the rules cannot read: all of the outcome is withheld."""
    removal = Removal(pointer="", rule=Rule.INTERNAL, detail=detail)
    return Bounded(
        level=level,
        result=_nothing_of(outcome, code, kind),
        removals=Removals(((removal,),)),
        error=code,
        kind=kind,
        remarks=(detail,),
    )


def withheld_as_a_whole(judged: Bounded, outcome: Outcome, rule: Rule, reason: str) -> Bounded:
    """A copy of the bounded result `judged` in which the whole result is withheld by `rule`.

    The removals of `judged` stay listed, because they say where the secrets in the raw result are.
    """
    removal = Removal(pointer="", rule=rule, detail=reason)
    return replace(
        judged,
        result=_nothing_of(outcome, judged.error, judged.kind),
        removals=Removals(((removal,), judged.removals)),
        free_blocks=(),
        credentials=(),
    )


def withheld_unfinished(judged: Bounded, outcome: Outcome, reason: str) -> Bounded:
    """A copy of the bounded result `judged` with everything withheld: the answer does not end the call.

    The removals of `judged` stay listed, because they say where the secrets in the answer are.
    """
    removal = Removal(pointer="", rule=Rule.UNFINISHED, detail=reason)
    return replace(
        judged,
        result=_nothing_of(outcome, None, judged.kind),
        removals=Removals(((removal,), judged.removals)),
        error=None,
        free_blocks=(),
        unfinished=reason,
        credentials=(),
    )


def _nothing_of(outcome: Outcome, code: ErrorCode | None, kind: Kind) -> JsonObject:
    """The result for the model if everything is withheld."""
    if not isinstance(outcome, Result):
        return {"error": coded_error(code)}
    result: JsonObject = {"content": [text_block(Notice(others=Amount.ALL, blocks=Amount.ALL).text)]}
    if kind is not Kind.TOOL:
        return ReadingShape(kind=kind).result(result, ("",))
    return result | {"isError": True} if code else result


def _bounded(draft: Draft, result: JsonObject) -> Bounded:
    return Bounded(
        level=draft.level,
        result=result,
        removals=draft.removals,
        error=draft.code,
        kind=draft.contract.kind,
        free_blocks=tuple(_free_blocks(draft)),
        remarks=tuple(dict.fromkeys(draft.remarks)),
        credentials=draft.passing,
    )


def _free_blocks(draft: Draft) -> Iterator[str]:
    structured = draft.structured.value if draft.structured and not draft.code else None
    for index, block in enumerate(draft.blocks):
        is_described = block.fate is Fate.MIRROR and not draft.code
        if block.fate in {Fate.RAW, Fate.MIRROR} and not is_described:
            text = text_of(block.value)
            if text is None or not is_part_of_result(text, index, structured):
                yield draft.place(block.pointer)


def _result(draft: Draft, content: list[Json], structured: Structured | None) -> JsonObject:
    """Build the tool result with its members in their original order."""
    members: JsonObject = dict(draft.members or {})
    sent = draft.raw if is_result(draft.raw, draft.contract) else {}
    # What a page returns becomes a tool result, which has content.
    if content or "content" in sent or draft.contract.is_of_page:
        members["content"] = content
    if structured:
        members["structuredContent"] = structured.value
    members["isError"] = draft.code is not None
    if draft.meta is not None:
        members["_meta"] = draft.meta
    # `resultType` is left out below unless it was sent. An answer of a server with another type is withheld,
    # because it does not end its call.
    members["resultType"] = COMPLETE
    order = (*(() if "content" in sent else ("content",)), *sent, "structuredContent")
    return {key: members[key] for key in dict.fromkeys(order) if key in members}


def _notice(draft: Draft) -> Notice:
    """Build the notice about the removals that no other text in the result announces."""
    names: list[str | None] = []
    if draft.structured or draft.members is not None:
        for segment in draft.removals.segments:
            if isinstance(segment, NotedRemovals):
                names.extend(segment.names())
            else:
                names.extend(
                    removal.name
                    for removal in segment
                    if removal.rule is not Rule.UNKNOWN_CONTENT and not removal.pointer.startswith(_OUTSIDE)
                )
    blocks = sum(block.fate is Fate.WITHHELD for block in draft.blocks)
    return notice_of(names, blocks=blocks, whole=draft.structured is not None and draft.structured.gone)


def _with_notice(structured: Structured | None, notice: Notice) -> Structured | None:
    """Add the notice to the remaining structured content; None if nothing remains."""
    if structured is None or structured.gone:
        return None
    if notice.is_empty or not isinstance(structured.value, dict):
        return structured
    return replace(structured, value={**structured.value, MEMBER: notice.value})


def _delimited(draft: Draft, block: Block, value: Json) -> Json:
    text = text_of(value) if block.delimited else None
    return value if text is None else with_text(value, delimited(text, draft.nonce))
