"""The texts of values: of scalars, of content blocks, and of JSON that a text contains."""

from inspector.json.exact import DuplicateKeys, Json, scalar_text
from inspector.json.opened import TEXT, opened
from inspector.tui.values.sides import ABSENT, Value, shape_of
from inspector.tui.values.wrap import PieceKind

_OPENED = (TEXT, "result")
"""The ends of the labels at which a text may be JSON: the text of a content block, and the member of structured content
in which the SDK for Python puts the text that a function returns."""


def may_be_opened(label: str) -> bool:
    """True if a text with this label is shown as JSON, if it is JSON."""
    return label.rstrip().endswith(_OPENED)


def block_texts(one: Value, other: Value) -> tuple[Value, Value] | None:
    """The texts of two text blocks without other members. An absent side stays absent; None if a side is anything else."""
    found: list[Value] = []
    for value in (one, other):
        if value is ABSENT:
            found.append(ABSENT)
        elif isinstance(value, dict) and value.keys() == {"type", TEXT} and value["type"] == TEXT:
            text = value[TEXT]
            if not isinstance(text, str):
                return None
            found.append(text)
        else:
            return None
    return found[0], found[1] if one is not other else found[0]


def opened_texts(one: Value, other: Value) -> tuple[Value, Value] | None:
    """Both texts parsed as JSON; None if either is not a JSON container, or if their kinds differ."""
    first = ABSENT if one is ABSENT else _filled(one)
    second = first if one is other else ABSENT if other is ABSENT else _filled(other)
    if first is None or second is None:
        return None
    if first is not ABSENT and second is not ABSENT and shape_of(first) != shape_of(second):
        return None
    return first, second


def _filled(text: Json) -> Json:
    """A text parsed as a JSON container with members; None if it is not one."""
    found = opened(text)
    return found if found is not None and shape_of(found) else None


def leaf_text(value: Json) -> tuple[str, PieceKind]:
    """The text of a scalar or an empty container, and its kind.

    A string is returned as sent, without quotes.
    """
    match value:
        case str():
            return value, PieceKind.STRING
        case list():
            return "[]", PieceKind.PUNCTUATION
        case dict() | DuplicateKeys():
            return "{}", PieceKind.PUNCTUATION
        case _:
            return scalar_text(value), PieceKind.SCALAR
