"""A draft put together again: a tool result that a gateway could forward, with its notice."""

from dataclasses import replace
from functools import cache, partial

from inspector.boundary.bounded import Bounded, ErrorCode, Level, Removal, Rule
from inspector.boundary.contract import is_result
from inspector.boundary.draft import Block, Draft, Fate, Structured
from inspector.boundary.error_code import coded_error
from inspector.boundary.notice import MEMBER, Amount, Notice, merged, notice_of, text_block
from inspector.boundary.removals import Noted, Removals
from inspector.boundary.rules.untrusted import delimited
from inspector.boundary.same_content import MIRRORED, text_of, text_pointer, with_text
from inspector.json.exact import Json, JsonObject, dump_text, equal
from inspector.protocol.outcome import COMPLETE, Outcome, Result

_OUTSIDE = ("/content/", "/isError", "/_meta")
"""Where in a tool result nothing is a field. Nor is `/content` one, where content is none or a page's field.

What a page returned has no such places, and what is withheld of it is `Noted`, or all of it.
"""


def assemble(draft: Draft) -> Bounded:
    """The bounded result of a draft that has been through all rules."""
    if draft.error is not None:
        return _bounded(draft, {"error": draft.error})
    notice = merged(draft.earlier, _notice(draft))
    structured = _with_notice(draft.structured, notice)
    is_as_sent = structured is not None and structured.value is structured.raw
    text = cache(partial(dump_text, None if structured is None else structured.value))
    content: list[Json] = []
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
    if not notice.is_empty:
        content.append(text_block(notice.text))
    return _bounded(draft.removing(removals), _result(draft, content, structured))


def whole_withheld(level: Level, code: ErrorCode | None, outcome: Outcome, detail: str) -> Bounded:
    """What is left of a result that cannot be judged."""
    removal = Removal(pointer="", rule=Rule.INTERNAL, detail=detail)
    return Bounded(
        level=level,
        result=_nothing_of(outcome, code),
        removals=Removals(((removal,),)),
        error=code,
        findings=(detail,),
    )


def withheld_by_policy(judged: Bounded, outcome: Outcome, reason: str) -> Bounded:
    """Nothing of a result, because a rule says so. What else is withheld of it is kept, for it is secret all the same."""
    removal = Removal(pointer="", rule=Rule.POLICY, detail=reason)
    return replace(
        judged,
        result=_nothing_of(outcome, judged.error),
        removals=Removals(((removal,), judged.removals)),
        repetitions=0,
    )


def withheld_unfinished(judged: Bounded, outcome: Outcome, reason: str) -> Bounded:
    """Nothing of an answer that does not end the call. What is withheld of it besides is secret all the same."""
    removal = Removal(pointer="", rule=Rule.UNFINISHED, detail=reason)
    return replace(
        judged,
        result=_nothing_of(outcome, None),
        removals=Removals(((removal,), judged.removals)),
        error=None,
        repetitions=0,
        unfinished=reason,
    )


def _nothing_of(outcome: Outcome, code: ErrorCode | None) -> JsonObject:
    """What a model is told of a result of which it gets nothing."""
    if not isinstance(outcome, Result):
        return {"error": coded_error(code)}
    told: JsonObject = {"content": [text_block(Notice(others=Amount.ALL, blocks=Amount.ALL).text)]}
    return told | {"isError": True} if code else told


def _bounded(draft: Draft, result: JsonObject) -> Bounded:
    return Bounded(
        level=draft.level,
        result=result,
        removals=draft.removals,
        error=draft.code,
        repetitions=sum(block.fate is Fate.MIRROR for block in draft.blocks),
        findings=tuple(dict.fromkeys(draft.findings)),
    )


def _result(draft: Draft, content: list[Json], structured: Structured | None) -> JsonObject:
    """The members of a tool result, in the order of the raw one."""
    members: JsonObject = dict(draft.members or {})
    members["content"] = content
    if structured:
        members["structuredContent"] = structured.value
    members["isError"] = draft.code is not None
    if draft.meta is not None:
        members["_meta"] = draft.meta
    sent = draft.raw if is_result(draft.raw, draft.contract) else {}
    if sent.get("resultType") == COMPLETE:
        members["resultType"] = COMPLETE
    order = (*(() if "content" in sent else ("content",)), *sent, "structuredContent")
    return {key: members[key] for key in dict.fromkeys(order) if key in members}


def _notice(draft: Draft) -> Notice:
    """What these rules have taken from the model and not told it in a text of their own."""
    names: list[str | None] = []
    if draft.structured or draft.members is not None:
        for segment in draft.removals.segments:
            if isinstance(segment, Noted):
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
    """The structured content that is left, with its notice; None where none is left."""
    if structured is None or structured.gone:
        return None
    if notice.is_empty or not isinstance(structured.value, dict):
        return structured
    return replace(structured, value={**structured.value, MEMBER: notice.value})


def _delimited(draft: Draft, block: Block, value: Json) -> Json:
    text = text_of(value) if block.delimited else None
    return value if text is None else with_text(value, delimited(text, draft.nonce))
