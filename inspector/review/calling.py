"""Decides which tools a review may call, and with which arguments."""

from collections.abc import Iterator, Sequence

from inspector.claims.contradictions import ContradictionKind
from inspector.json.exact import Json, JsonObject
from inspector.review.reviewed import Offer, ReviewedCall
from inspector.schema.references import References
from inspector.schema.validation import violations

_MAX_DEPTH = 8
_UNSURE = frozenset(
    {
        ContradictionKind.READ_ONLY_DESTRUCTIVE,
        ContradictionKind.READ_ONLY_EFFECT,
        ContradictionKind.READ_ONLY_OUTCOME,
        ContradictionKind.READ_ONLY_NAME,
    }
)
NOT_READ_ONLY = "it is not declared read-only"
"""The reason that `forbids` returns for a tool that is not declared read-only."""
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
_TEXTS = ("EXAMPLE", "EXAMPLE-1", "example-1", "1", "1.0.0", "#112233", "/example", "A1")
"""Texts that are tried if the usual text does not match the `pattern` of a schema."""


def forbids(offer: Offer) -> str:
    """The reason not to call a tool without asking the user; empty if there is none.

    There is none if the tool is declared read-only, neither another declaration nor its name or description
    contradicts that, and no declaration requires confirmation.
    """
    if offer.claimed("mcp", "readOnlyHint") is not True and offer.claimed("webmcp", "readOnly") is not True:
        return NOT_READ_ONLY
    unsure = [found for found in offer.contradictions if found.kind in _UNSURE]
    if unsure:
        said = unsure[0].message.removesuffix(".")
        return f"it may change something: {said[:1].lower()}{said[1:]}"
    joined = offer.traits
    if joined.effect.value != "read" or joined.destructive.value is True:
        return "it declares effects other than reading"
    if joined.confirm.value is True or joined.outcome.value not in {None, "benign"}:
        return "it requires confirmation"
    return ""


def arguments_for(offer: Offer) -> JsonObject | None:
    """Arguments that the input schema allows, from examples, defaults and types; None if none were found."""
    schema = offer.definition.get("inputSchema")
    sample = _Sampler(schema).sample(schema)
    return sample if isinstance(sample, dict) and not violations(sample, schema, limit=1) else None


def misfit_for(offer: Offer) -> JsonObject | None:
    """Arguments that the input schema forbids; None if the schema allows all arguments that were tried."""
    schema = offer.definition.get("inputSchema")
    candidates: tuple[JsonObject, ...] = ({}, {"sightline-misfit": [{}]})
    return next((arguments for arguments in candidates if violations(arguments, schema, limit=1)), None)


def repetition(calls: Sequence[ReviewedCall]) -> str:
    """The number of tools that were called, as a phrase such as `of 2 tools`; empty if each was called once.

    The phrase also counts the calls whose arguments the input schema forbids, if there are any.
    """
    tools = len({call.offer.name for call in calls})
    if tools == len(calls):
        return ""
    wrong = sum(call.misfit for call in calls)
    of_tools = f"of {tools:,} {'tool' if tools == 1 else 'tools'}"
    return (
        f"{of_tools}, {wrong:,} of them with arguments that the input schema forbids" if wrong else of_tools
    )


class _Sampler:
    """Makes an example value for a schema. Resolves references inside the root schema."""

    def __init__(self, root: Json) -> None:
        self._references = References(root)

    def sample(self, schema: Json, depth: int = 0) -> Json:
        if not isinstance(schema, dict) or depth > _MAX_DEPTH:
            return "example"
        for stated in _stated(schema):
            return stated
        place = self._references.resolve(schema.get("$ref"))
        if place is not None and isinstance(place.value, dict):
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            return self.sample({**place.value, **beside}, depth + 1)
        for key in ("anyOf", "oneOf"):
            options = schema.get(key)
            if isinstance(options, list) and options and "properties" not in schema:
                return self.sample(options[0], depth + 1)
        types = schema.get("type")
        kind = types[0] if isinstance(types, list) and types else types
        match kind if isinstance(kind, str) else "object" if "properties" in schema else "":
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, depth)
            case "string":
                return _string(schema)
            case "integer" | "number":
                return _number(schema)
            case "boolean":
                return False
            case "null":
                return None
            case _:
                return "example"

    def _object(self, schema: JsonObject, depth: int) -> Json:
        properties, required = schema.get("properties"), schema.get("required")
        if not isinstance(required, list):
            return {}
        known = properties if isinstance(properties, dict) else {}
        return {name: self.sample(known.get(name), depth + 1) for name in required if isinstance(name, str)}

    def _array(self, schema: JsonObject, depth: int) -> Json:
        least = schema.get("minItems")
        count = least if isinstance(least, int) and 0 < least <= 10 else 0
        return [self.sample(schema.get("items"), depth + 1) for _ in range(count)]


def _stated(schema: JsonObject) -> Iterator[Json]:
    """The values that the schema states in `const`, `examples`, `default` and `enum`, in this order."""
    if "const" in schema:
        yield schema["const"]
    for key in ("examples", "default", "enum"):
        value = schema.get(key)
        if key == "default" and key in schema:
            yield value
        elif key != "default" and isinstance(value, list):
            yield from value[:1]


def _string(schema: JsonObject) -> Json:
    form, least, pattern = schema.get("format"), schema.get("minLength"), schema.get("pattern")
    text = str(_FORMATS.get(form, "example")) if isinstance(form, str) else "example"
    text += "e" * (max(0, least - len(text)) if isinstance(least, int) and least < 1_000 else 0)
    if not isinstance(pattern, str):
        return text
    known = (text, *_TEXTS, *map(str, _FORMATS.values()))
    return next((each for each in known if not violations(each, schema, limit=1)), text)


def _number(schema: JsonObject) -> Json:
    least = schema.get("minimum", schema.get("exclusiveMinimum"))
    most = schema.get("maximum", 1)
    if isinstance(least, (int, float)) and not isinstance(least, bool):
        return least if "minimum" in schema else least + 1
    return min(1, most) if isinstance(most, (int, float)) else 1
