"""Recognises text blocks that copy the structured content."""

import re
from collections.abc import Callable

from inspector.boundary.bounded import Rule
from inspector.boundary.draft import Block, Draft, Reason, withhold_blocks, withhold_structured
from inspector.json.exact import DuplicateKeys, Json, JsonText, Number, equal, parse

MIRRORED = Reason(
    rule=Rule.MIRROR, detail="copy of the structured content; rewritten without the withheld values"
)

_STARTS = frozenset('{["-0123456789tfn')
_FRACTION = re.compile(r"\d[.eE]")


def text_of(block: Json) -> str | None:
    """The text of a text block, or of an embedded text resource."""
    if not isinstance(block, dict):
        return None
    holder = block.get("resource") if block.get("type") == "resource" else block
    text = holder.get("text") if isinstance(holder, dict) else None
    return text if isinstance(text, str) else None


def text_pointer(block: Json) -> str:
    """The pointer to the text in a block."""
    return "/resource/text" if isinstance(block, dict) and block.get("type") == "resource" else "/text"


def with_text(block: Json, text: str) -> Json:
    """A copy of `block` with `text` in place of its text."""
    match block:
        case {"type": "resource", "resource": dict() as resource}:
            return {**block, "resource": {**resource, "text": text}}
        case dict():
            return {**block, "text": text}
        case _:
            return block


def json_in(text: str) -> JsonText | None:
    """The JSON document in a text; None if it is not JSON."""
    start = text.lstrip(" \t\n\r\ufeff")[:1]
    if start not in _STARTS:
        return None
    parsed = parse(text)
    return parsed if isinstance(parsed, JsonText) else None


def repeats(text: str, parsed: Json, value: Json) -> bool:
    """True if the JSON in `text` equals `value`; `true` and 1 count as equal."""
    try:
        same = bool(parsed == value)
    except RecursionError:
        return equal(parsed, value)
    # In Python, NaN does not equal itself.
    return same or ("NaN" in text and equal(parsed, value))


def is_equally_spelt(text: str, parsed: Json, value: Json) -> bool:
    """True if every number in `text` is written as in `value`. The JSON in `text` must equal `value`.

    A number can be written in many ways, and a secret can be in its digits: `1.000000000000000000483920117`.
    """
    stack: list[tuple[Json, Json]] = [(parsed, value)] if _FRACTION.search(text) else []
    while stack:
        match stack.pop():
            case dict() as a, dict() as b:
                stack.extend((a[key], b[key]) for key in a)
            case list() as a, list() as b:
                stack.extend(zip(a, b, strict=True))
            case DuplicateKeys() as a, DuplicateKeys() as b:
                stack.extend((x, y) for (_, x), (_, y) in zip(a.pairs, b.pairs, strict=True))
            case Number() as a, b if not isinstance(b, Number) or a.text != b.text:
                return False
            case _:
                pass
    return True


def is_part_of_result(text: str, index: int, structured: Json) -> bool:
    """True if a text block copies the only member of the structured content.

    The official SDKs send a result that is no object as `{"result": value}`, and its text in a content block; a
    list gets a block for each item. Other servers do the same with other names, such as `content`.
    `index`: the index of the block.
    """
    if not isinstance(structured, dict) or len(structured) != 1:
        return False
    (value,) = structured.values()
    candidates = (value, value[index]) if isinstance(value, list) and index < len(value) else (value,)
    if text in candidates:
        return True
    parsed = json_in(text)
    return parsed is not None and any(repeats(text, parsed.value, value) for value in candidates)


def withhold_with_repetition(draft: Draft, reason_for: Callable[[Block], Reason | None]) -> Draft:
    """Withhold blocks as `withhold_blocks` does, and the structured content if one of these blocks copies it."""
    before = draft.blocks
    draft = withhold_blocks(draft, reason_for)
    if draft.structured is None:
        return draft
    for old, new in zip(before, draft.blocks, strict=True):
        reason = reason_for(old) if new.fate is not old.fate else None
        if reason and _repeats(old, draft.structured.raw):
            return withhold_structured(draft, reason)
    return draft


def _repeats(block: Block, structured: Json) -> bool:
    text = text_of(block.value)
    if text is None:
        return False
    parsed = json_in(text)
    return parsed is not None and repeats(text, parsed.value, structured)
