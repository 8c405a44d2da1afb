"""The two sides of a result: what the server sent, and what the model gets, put into the shape of what was sent."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import msgspec
from msgspec import Struct

from inspector.boundary.bounded import Level, Removal, Rule
from inspector.hosts.masks import masked_leaves, reaching_word, sent_word
from inspector.hosts.projection import Projection
from inspector.json.exact import Json, JsonObject, JsonText, parse
from inspector.pins.known_secrets import KnownSecrets
from inspector.recording.markers import with_ids
from inspector.session.call_record import CallRecord
from inspector.tui.values.blocks import BlockPairs, paired_content

KnownBeside: TypeAlias = Callable[[CallRecord], KnownSecrets]
"""Returns the values that were withheld from all calls so far, except perhaps from the given call.

Blocks: call it in a thread.
"""

FIRST = ("structuredContent", "content", "isError")
"""The members of a result that a model may see, in the order in which they are drawn."""


class Sides(Struct, frozen=True, kw_only=True):
    """The values of a result that are drawn on both sides."""

    sent: Json
    model: Json
    beside: Json
    """`model` in the shape of `sent`, so that the two can be aligned."""
    blocks: BlockPairs | None = None
    """The content blocks of `sent` and `beside` that share a row."""
    masks: int = 0
    reaching: Mapping[str, Removal] = msgspec.field(default_factory=dict[str, Removal])
    known: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    """Why values that the model gets are secret, by pointer into `beside`: texts such as `withheld from #1`.

    Contains only values that were withheld from other calls.
    """


def sides_of(record: CallRecord, shown: Projection, known: KnownSecrets | None = None) -> Sides:
    """Both sides of a call's result, masked. Takes linear time in the size of the result.

    `known`: the values that were withheld from calls of the session.
    """
    raw, model = shown.raw, shown.context.model
    if record.has_ids:
        # A recording has no values to mask, only their ids.
        sent = with_ids(shown.masked_sent, raw)
        there = beside(sent, model)
        return Sides(sent=sent, model=model, beside=there, blocks=paired_content(sent, there))
    masks = shown.masks
    is_open = shown.bounded.level is Level.OPEN
    reaching = {removal.pointer: removal for removal in reversed(masks.removals)} if is_open else {}
    there = unmasked = beside(raw, model)
    sent = masks.sent()
    same = there is model
    # At `open`, the model gets what was sent. At the other levels, it lacks the masked values.
    blocks = paired_content(raw if is_open else sent, there)
    if is_open:
        there = masks.model(there)
        model = there if same else masks.model(model)
    passing: Mapping[str, str] = {}
    if known is not None and not known.is_empty:
        sent, _ = known.masked(sent, sent_word)
        same = there is model
        there, passing = known.masked(there, reaching_word, record.number)
        model = there if same else known.masked(model, reaching_word, record.number)[0]
        passed = {at: Removal(pointer=at, rule=Rule.X_SENSITIVE, detail=why) for at, why in passing.items()}
        reaching = {**reaching, **passed}
    has_masks = masks.removals or (known is not None and not known.is_empty)
    count = (masked_leaves(sent, raw) or masked_leaves(there, unmasked)) if has_masks else 0
    return Sides(
        sent=sent, model=model, beside=there, blocks=blocks, masks=count, reaching=reaching, known=passing
    )


def beside(raw: Json, model: Json) -> Json:
    """The model's view in the shape of the raw result that is drawn next to it.

    A host may pass on only a part of the result. Content blocks alone are drawn as `content`, and JSON of the
    structured content as `structuredContent`. If the model gets structured
    content of a result that has none, such as one of a page, it is drawn as the members of the result, or as
    the result itself if that is not an object.
    """
    if not isinstance(raw, dict):
        return model["structuredContent"] if isinstance(model, dict) and is_moved(raw, model) else model
    if isinstance(model, dict) and is_moved(raw, model):
        return {**_structured(model), **_without(model, "structuredContent")}
    if isinstance(model, list) and isinstance(raw.get("content"), list):
        return {"content": model}
    if isinstance(model, str):
        return _text_beside(raw, model) or model
    if isinstance(model, dict) and isinstance(text := model.get("content"), str):
        return {**(_text_beside(raw, text) or {"content": text}), **_without(model, "content")}
    if isinstance(model, dict) and not model.keys() & raw.keys():
        structured = raw.get("structuredContent")
        if isinstance(structured, dict) and model.keys() & structured.keys():
            return {"structuredContent": model}
    return model


def is_moved(raw: Json, model: Json) -> bool:
    """True if the model gets a result, or its members, as structured content that was not sent as such."""
    if not isinstance(raw, dict):
        if not isinstance(model, dict) or model.get("content", []) != []:
            return False
        return model.keys() - {"content"} == {"structuredContent"}
    if not isinstance(model, dict) or "structuredContent" in raw:
        return False
    structured = _structured(model)
    others = model.keys() - {"structuredContent"}
    return not structured.keys().isdisjoint(raw) and others.isdisjoint(raw.keys() | structured.keys())


def _structured(model: JsonObject) -> JsonObject:
    found = model.get("structuredContent")
    return found if isinstance(found, dict) else {}


def _text_beside(raw: JsonObject, text: str) -> JsonObject | None:
    """The only text that a model gets, put back into the member of the result that it comes from.

    None if the result has no such member.
    """
    found = parse(text) if text[:1] in {"{", "["} else None
    if (
        isinstance(found, JsonText)
        and isinstance(found.value, dict)
        and isinstance(raw.get("structuredContent"), dict)
    ):
        return {"structuredContent": found.value}
    if isinstance(found, JsonText) and isinstance(found.value, dict) and found.value.keys() & raw.keys():
        return found.value
    return {"content": [{"type": "text", "text": text}]} if isinstance(raw.get("content"), list) else None


def _without(value: JsonObject, key: str) -> JsonObject:
    return {name: item for name, item in value.items() if name != key}


def in_order(value: Json, there: Json) -> Json:
    """A result with its members reordered, so that those that a model may see come first.

    If the model's view (`there`) has content but no structured content, content comes first of all, because it
    would be out of sight after thousands of rows of structured content.
    """
    if not isinstance(value, dict) or not any(key in value for key in FIRST):
        return value
    is_text_only = isinstance(there, dict) and "content" in there and "structuredContent" not in there
    order = ("content", "structuredContent", *FIRST[2:]) if is_text_only else FIRST
    first: JsonObject = {key: value[key] for key in order if key in value}
    return {**first, **{key: item for key, item in value.items() if key not in first}}


def in_order_of(raw: Json, model: Json, there: Json) -> Json:
    """`there`, the model's view in the shape of `raw`, with its members in the order in which they are drawn."""
    return there if is_moved(raw, model) else in_order(there, there)
