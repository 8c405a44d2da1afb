"""The notice: what the model is told of what it does not get. Nothing in it comes from the result.

It is the last text block, and the member `_withheld` of structured content that is an object. Fields go by the
names that the output schema gives them, all else by rounded counts. What has exactly this form passes every
boundary, so that a bounded result can be bounded again; a server that writes it itself gains nothing by that.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from inspector.json.exact import Json, JsonObject, dump_text, equal, parse

MEMBER = "_withheld"
MAX_FIELDS = 50
"""Fields named; more are counted."""

_START = "Withheld from this result: "
_FIELDS = "fields"
_OTHERS = "otherFields"
_BLOCKS = "contentBlocks"


class Amount(StrEnum):
    """A count, rounded up."""

    ONE = "1"
    FIVE = "up to 5"
    TEN = "up to 10"
    FIFTY = "up to 50"
    MORE = "more than 50"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What is missing."""

    fields: tuple[str, ...] = ()
    others: Amount | None = None
    """Fields that the schema does not name; None where there are none."""
    blocks: Amount | None = None
    """Content blocks; None where there are none."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is missing."""
        return not (self.fields or self.others or self.blocks)

    @property
    def value(self) -> JsonObject:
        """As it stands in structured content."""
        said: JsonObject = {}
        if self.fields:
            said[_FIELDS] = list(self.fields)
        if self.others:
            said[_OTHERS] = self.others.value
        if self.blocks:
            said[_BLOCKS] = self.blocks.value
        return said

    @property
    def text(self) -> str:
        """As it stands in a text block."""
        return _START + dump_text(self.value)


NO_NOTICE = Notice()


def notice_of(names: Iterable[str | None], *, blocks: int, whole: bool) -> Notice:
    """The notice of fields by their names, None for each that has none, and of a number of content blocks.

    `whole`: whether all structured content is missing.
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
    """Both in one. Two counts give the larger: rounded, they do not add up."""
    fields = tuple(dict.fromkeys((*earlier.fields, *later.fields)))
    return Notice(
        fields=fields[:MAX_FIELDS],
        others=_larger(earlier.others, later.others),
        blocks=_larger(earlier.blocks, later.blocks),
    )


def notice_in(value: Json, names: frozenset[str]) -> Notice | None:
    """The notice that `value` is, exactly. `names`: those that the output schema has."""
    if not isinstance(value, dict):
        return None
    fields = value.get(_FIELDS, [])
    if not isinstance(fields, list) or len(fields) > MAX_FIELDS:
        return None
    named = dict.fromkeys(name for name in fields if isinstance(name, str) and name in names)
    notice = Notice(fields=tuple(named), others=_read(value.get(_OTHERS)), blocks=_read(value.get(_BLOCKS)))
    return notice if not notice.is_empty and equal(notice.value, value) else None


def notice_in_block(block: Json, names: frozenset[str]) -> Notice | None:
    """The notice that a content block is, exactly."""
    text = block.get("text") if isinstance(block, dict) else None
    if not isinstance(text, str) or not text.startswith(_START):
        return None
    # Of what is no JSON the value is null, which is no notice.
    notice = notice_in(parse(text.removeprefix(_START)).value, names)
    return notice if notice and equal(block, text_block(notice.text)) else None


def text_block(text: str) -> JsonObject:
    """A content block of our own."""
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
