"""Completions: values that a server offers for an argument while the user types.

Source: MCP 2025-11-25 and 2026-07-28, Completion.
"""

from inspector.json.exact import Json, JsonObject
from inspector.json.members import value_at
from inspector.protocol.catalogue import Item, Kind
from inspector.protocol.outcome import Outcome, Result

METHOD = "completion/complete"
TIMEOUT_S = 5.0
MAX_VALUES = 100
"""The maximum number of values used, which is that of the specification."""
MAX_CHARACTERS = 1_000
"""The maximum number of characters of a value. Longer values are left out."""


def is_announced(capabilities: Json) -> bool:
    """True if a server announces completions."""
    return isinstance(value_at(capabilities, "completions"), dict)


def params_of(item: Item, argument: str, value: str, filled: JsonObject) -> JsonObject:
    """The parameters of a completion request for one argument. `filled`: the other arguments so far."""
    ref: JsonObject = (
        {"type": "ref/prompt", "name": item.name}
        if item.kind is Kind.PROMPT
        else {"type": "ref/resource", "uri": item.name}
    )
    params: JsonObject = {"ref": ref, "argument": {"name": argument, "value": value}}
    return {**params, "context": {"arguments": filled}} if filled else params


def values_in(outcome: Outcome) -> tuple[str, ...]:
    """The values that the server offers, untrusted; empty if it offers none."""
    values = value_at(outcome.value, "completion", "values") if isinstance(outcome, Result) else None
    texts = (value for value in values if isinstance(value, str)) if isinstance(values, list) else ()
    return tuple(text for text in texts if 0 < len(text) <= MAX_CHARACTERS)[:MAX_VALUES]
