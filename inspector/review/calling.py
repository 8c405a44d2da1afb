"""Decides which tools a review may call, and with which arguments."""

from collections.abc import Callable

from inspector.claims.contradictions import ContradictionKind
from inspector.json.exact import Json, JsonObject
from inspector.review.reviewed import Offer
from inspector.schema.validation import violations

_MAX_DEPTH = 8
_UNSURE = frozenset(
    {
        ContradictionKind.READ_ONLY_DESTRUCTIVE,
        ContradictionKind.READ_ONLY_EFFECT,
        ContradictionKind.READ_ONLY_OUTCOME,
    }
)
NOT_READ_ONLY = "it is not declared read-only"
"""The usual reason of `forbids`."""
_FORMATS: JsonObject = {
    "date": "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "email": "nobody@example.com",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "ipv4": "192.0.2.1",
    "hostname": "example.com",
}


def forbids(offer: Offer) -> str:
    """The reason not to call a tool without asking the user; empty if the tool is declared read-only."""
    if offer.claimed("mcp", "readOnlyHint") is not True and offer.claimed("webmcp", "readOnly") is not True:
        return NOT_READ_ONLY
    if any(found.kind in _UNSURE for found in offer.contradictions):
        return "it is declared read-only, but other declarations contradict that"
    joined = offer.traits
    if joined.effect.value != "read" or joined.destructive.value is True:
        return "it declares effects other than reading"
    if joined.confirm.value is True or joined.outcome.value not in {None, "benign"}:
        return "it requires confirmation"
    return ""


def arguments_for(offer: Offer) -> JsonObject | None:
    """Arguments that the input schema allows, from examples, defaults and types; None if none were found."""
    schema = offer.definition.get("inputSchema")
    sample = _sample(schema, 0)
    return sample if isinstance(sample, dict) and not violations(sample, schema, limit=1) else None


def misfit_for(offer: Offer) -> JsonObject | None:
    """Arguments that the input schema forbids; None if the schema allows all arguments that were tried."""
    schema = offer.definition.get("inputSchema")
    candidates: tuple[JsonObject, ...] = ({}, {"sightline-misfit": [{}]})
    return next((arguments for arguments in candidates if violations(arguments, schema, limit=1)), None)


def _sample(schema: Json, depth: int) -> Json:
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return "example"
    if "const" in schema:
        return schema["const"]
    for key in ("examples", "enum"):
        listed = schema.get(key)
        if "default" in schema and key == "enum":
            break
        if isinstance(listed, list) and listed:
            return listed[0]
    if "default" in schema:
        return schema["default"]
    for key in ("anyOf", "oneOf"):
        options = schema.get(key)
        if isinstance(options, list) and options and "properties" not in schema:
            return _sample(options[0], depth + 1)
    types = schema.get("type")
    kind = types[0] if isinstance(types, list) and types else types
    make = _MAKERS.get(kind if isinstance(kind, str) else "object" if "properties" in schema else "")
    return make(schema, depth) if make else "example"


def _object(schema: JsonObject, depth: int) -> Json:
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(required, list):
        return {}
    known = properties if isinstance(properties, dict) else {}
    return {name: _sample(known.get(name), depth + 1) for name in required if isinstance(name, str)}


def _array(schema: JsonObject, depth: int) -> Json:
    least = schema.get("minItems")
    count = least if isinstance(least, int) and 0 < least <= 10 else 0
    return [_sample(schema.get("items"), depth + 1) for _ in range(count)]


def _string(schema: JsonObject, _depth: int) -> Json:
    form, least = schema.get("format"), schema.get("minLength")
    text = _FORMATS.get(form, "example") if isinstance(form, str) else "example"
    return str(text) + "e" * (
        max(0, least - len(str(text))) if isinstance(least, int) and least < 1_000 else 0
    )


def _number(schema: JsonObject, _depth: int) -> Json:
    least = schema.get("minimum", schema.get("exclusiveMinimum"))
    most = schema.get("maximum", 1)
    if isinstance(least, (int, float)) and not isinstance(least, bool):
        return least if "minimum" in schema else least + 1
    return min(1, most) if isinstance(most, (int, float)) else 1


def _boolean(_schema: JsonObject, _depth: int) -> Json:
    return False


def _null(_schema: JsonObject, _depth: int) -> Json:
    return None


_MAKERS: dict[str, Callable[[JsonObject, int], Json]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _number,
    "number": _number,
    "boolean": _boolean,
    "null": _null,
}
