"""Builds and recognises the notice, a text that tells the model which parts of a result were withheld.

The notice quotes nothing from the result.

The notice is the last text block and, if the structured content is an object, its member `_withheld`. It names fields
as the output schema does, and gives rounded counts of everything else.

A notice of exactly this form passes every boundary level, so that the boundary can be applied to a bounded
result again. A server gains nothing from an imitation, because the form has no room for text of its own.
"""

import re
from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from inspector.boundary.bounded import Level
from inspector.json.exact import Json, JsonObject, JsonText, dump_text, equal, parse

MEMBER = "_withheld"
MAX_FIELDS = 50
"""The maximum number of fields that a notice names; further fields are only counted."""

START = "Withheld from this result: "
_FIELDS = "fields"
_OTHERS = "otherFields"
_BLOCKS = "contentBlocks"


class Amount(StrEnum):
    """A rounded number of fields or blocks."""

    ONE = "1"
    FIVE = "up to 5"
    TEN = "up to 10"
    FIFTY = "up to 50"
    MORE = "more than 50"
    ALL = "all"


class Notice(Struct, frozen=True, kw_only=True):
    """What the notice to a model says: the names of withheld fields, and counts of other withheld parts."""

    fields: tuple[str, ...] = ()
    others: Amount | None = None
    """The number of fields that are not named; None if there are none."""
    blocks: Amount | None = None
    """The number of withheld content blocks; None if there are none."""

    @property
    def is_empty(self) -> bool:
        return not (self.fields or self.others or self.blocks)

    @property
    def value(self) -> JsonObject:
        value: JsonObject = {}
        if self.fields:
            value[_FIELDS] = list(self.fields)
        if self.others:
            value[_OTHERS] = self.others.value
        if self.blocks:
            value[_BLOCKS] = self.blocks.value
        return value

    @property
    def text(self) -> str:
        return START + dump_text(self.value)


NO_NOTICE = Notice()


def notice_of(names: Iterable[str | None], *, blocks: int, whole: bool) -> Notice:
    """The notice about withheld fields and content blocks.

    `names`: the name of each field, None if the schema does not name it. `blocks`: the number of blocks.
    `whole`: true if all structured content is missing.
    """
    named: dict[str, None] = {}
    others = 0
    for name in names:
        if name is None or (name not in named and len(named) >= MAX_FIELDS):
            others += 1
        else:
            named[name] = None
    return Notice(
        fields=() if whole else tuple(named),
        others=Amount.ALL if whole else _amount(others),
        blocks=_amount(blocks),
    )


def merged(earlier: Notice, later: Notice) -> Notice:
    """Combine two notices. Of two counts, the larger is taken, because rounded counts do not add up."""
    fields = tuple(dict.fromkeys((*earlier.fields, *later.fields)))
    return Notice(
        fields=fields[:MAX_FIELDS],
        others=_larger(earlier.others, later.others),
        blocks=_larger(earlier.blocks, later.blocks),
    )


def notice_in(value: Json, names: frozenset[str]) -> Notice | None:
    """The notice in `value`; None if `value` does not have exactly the form of a notice.

    `names`: the names in the output schema. A notice names only fields that are among them.
    """
    if not isinstance(value, dict):
        return None
    fields = value.get(_FIELDS, [])
    if not isinstance(fields, list) or len(fields) > MAX_FIELDS:
        return None
    named = dict.fromkeys(name for name in fields if isinstance(name, str) and name in names)
    notice = Notice(fields=tuple(named), others=_read(value.get(_OTHERS)), blocks=_read(value.get(_BLOCKS)))
    return notice if not notice.is_empty and equal(notice.value, value) else None


def notice_in_block(block: Json, names: frozenset[str]) -> Notice | None:
    """The notice in a content block; None if the block does not have exactly the form of a notice."""
    text = block.get("text") if isinstance(block, dict) else None
    if not isinstance(text, str) or not text.startswith(START):
        return None
    # If the text is not JSON, the parsed value is null, which is not a notice.
    notice = notice_in(parse(text.removeprefix(START)).value, names)
    return notice if notice and equal(block, text_block(notice.text)) else None


def is_notice(block: Json) -> bool:
    """True if a content block begins like a notice. A server can imitate such a block."""
    return (_text_in(block) or "").startswith(START)


def text_block(text: str) -> JsonObject:
    """A text content block that the boundary writes."""
    return {"type": "text", "text": text}


def _read(value: Json) -> Amount | None:
    return next((amount for amount in Amount if amount.value == value), None)


def _amount(count: int) -> Amount | None:
    for most, amount in _ROUNDED:
        if count <= most:
            return amount
    return Amount.MORE


def _larger(one: Amount | None, other: Amount | None) -> Amount | None:
    if one is None or other is None:
        return one or other
    order = list(Amount)
    return max(one, other, key=order.index)


_ROUNDED = ((0, None), (1, Amount.ONE), (5, Amount.FIVE), (10, Amount.TEN), (50, Amount.FIFTY))


UNKNOWN_CONTENT = "[content that cannot be judged was withheld]"
_REFERENCE = "[secret reference{}; only the user can reveal what it stands for]"
_WITH_LABEL = re.compile(re.escape(_REFERENCE).replace(re.escape("{}"), ' (".*")'), re.DOTALL)


def reference_text(label: str | None) -> str:
    """The text that replaces a secret reference. `label` comes from the server."""
    return _REFERENCE.format("" if label is None else f" {dump_text(label)}")


def is_own(block: Json, level: Level) -> bool:
    """True if the boundary itself could have written a block.

    A server may imitate such a block. This is harmless, because the block only counts as a text of Sightline,
    and the label in it is a text that a server can send in any block.
    """
    text = _text_in(block)
    if text is None or block != text_block(text):
        return False
    if text in {UNKNOWN_CONTENT, reference_text(None)}:
        return True
    return level is not Level.CLOSED and label_in(block) is not None


def label_in(block: Json) -> str | None:
    """The label, which comes from the server, in a block that replaces a secret reference.

    None if the block has no label or does not replace a secret reference.
    """
    text = _text_in(block) or ""
    match = _WITH_LABEL.fullmatch(text)
    parsed = parse(match[1]) if match else None
    label = parsed.value if isinstance(parsed, JsonText) else None
    return label if isinstance(label, str) and text == reference_text(label) else None


def _text_in(block: Json) -> str | None:
    text = block.get("text") if isinstance(block, dict) else None
    return text if isinstance(text, str) else None
