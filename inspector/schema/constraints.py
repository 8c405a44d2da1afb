"""What a schema asks of a value, in words; and the plainest value that may do."""

from math import ceil, floor

from inspector.json.exact import Json, JsonObject, scalar_text
from inspector.schema.merging import Merged, number_of

_LONGEST_PATTERN = 60
_LARGEST_FILL = 10**15
"""Bounds beyond this are not worth filling in."""


def constraints(keywords: JsonObject) -> str:
    """The bounds of a value, in words; empty where there are none. Quotes the server's pattern."""
    words = [
        _range(keywords),
        _count(keywords, "Length", "character"),
        _count(keywords, "Items", "item"),
        _count(keywords, "Properties", "member"),
    ]
    multiple = number_of(keywords.get("multipleOf"))
    if multiple is not None:
        words.append(f"a multiple of {scalar_text(multiple)}")
    if keywords.get("uniqueItems") is True:
        words.append("no two alike")
    pattern = keywords.get("pattern")
    if isinstance(pattern, str):
        cut = pattern if len(pattern) <= _LONGEST_PATTERN else f"{pattern[:_LONGEST_PATTERN]}…"
        words.append(f"matches {cut}")
    encoding = keywords.get("contentEncoding")
    if isinstance(encoding, str):
        words.append(f"encoded as {encoding[:_LONGEST_PATTERN]}")
    return ", ".join(word for word in words if word)


def plainest(merged: Merged, choices: tuple[Json, ...]) -> Json:
    """The plainest value that may do: an example, null where it is allowed, zero, the empty text, list or object."""
    examples = merged.keywords.get("examples")
    if isinstance(examples, list) and examples:
        return examples[0]
    if merged.nullable or (not merged.types and not choices):
        return None
    if choices:
        return choices[0]
    match merged.types[0]:
        case "string":
            return ""
        case "integer":
            return _plainest_integer(merged.keywords)
        case "number":
            return _plainest_number(merged.keywords)
        case "boolean":
            return False
        case "array":
            return []
        case _:
            return {}


def _range(keywords: JsonObject) -> str:
    low, above = number_of(keywords.get("minimum")), number_of(keywords.get("exclusiveMinimum"))
    high, below = number_of(keywords.get("maximum")), number_of(keywords.get("exclusiveMaximum"))
    if low is not None and high is not None and above is None and below is None:
        return f"{scalar_text(low)} to {scalar_text(high)}"
    words = (
        ("at least", low),
        ("more than", above),
        ("at most", high),
        ("less than", below),
    )
    return ", ".join(f"{word} {scalar_text(bound)}" for word, bound in words if bound is not None)


def _count(keywords: JsonObject, suffix: str, noun: str) -> str:
    low, high = number_of(keywords.get(f"min{suffix}")), number_of(keywords.get(f"max{suffix}"))
    if low is not None and high is not None:
        amount = scalar_text(low) if low == high else f"{scalar_text(low)} to {scalar_text(high)}"
        return f"{amount} {noun}" if high == 1 else f"{amount} {noun}s"
    for word, bound in (("at least", low), ("at most", high)):
        if bound is not None:
            return (
                f"{word} {scalar_text(bound)} {noun}"
                if bound == 1
                else f"{word} {scalar_text(bound)} {noun}s"
            )
    return ""


def _plainest_integer(keywords: JsonObject) -> int:
    low, high = _bounds(keywords)
    step = keywords.get("multipleOf")
    value = 0
    if low is not None and low > 0:
        value = ceil(low)
    elif high is not None and high < 0:
        value = floor(high)
    if isinstance(step, int) and step > 0:
        return -(-value // step) * step if value > 0 else value // step * step
    return value


def _plainest_number(keywords: JsonObject) -> float:
    low, high = _bounds(keywords)
    if low is not None and low > 0:
        return low
    return high if high is not None and high < 0 else 0


def _bounds(keywords: JsonObject) -> tuple[float | None, float | None]:
    """The least and the greatest value; exclusive bounds stepped over by one."""
    low, high = number_of(keywords.get("minimum")), number_of(keywords.get("maximum"))
    above, below = number_of(keywords.get("exclusiveMinimum")), number_of(keywords.get("exclusiveMaximum"))
    lows = [bound for bound in (low, above + 1 if above is not None else None) if _fills(bound)]
    highs = [bound for bound in (high, below - 1 if below is not None else None) if _fills(bound)]
    return (
        max((bound for bound in lows if bound is not None), default=None),
        min((bound for bound in highs if bound is not None), default=None),
    )


def _fills(bound: float | None) -> bool:
    return bound is not None and abs(bound) < _LARGEST_FILL
