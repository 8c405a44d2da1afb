"""Any JSON value in any place: nonsensical results, errors and definitions, built of words with a meaning."""

from hypothesis import strategies as st

from inspector.boundary.bounded import Level
from inspector.json.exact import DuplicateKeys, Json, JsonObject, Number
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from tests.proof.choices import Choices

DRAWN_BYTES = 200
RESULT_KEYS = (
    "content",
    "structuredContent",
    "isError",
    "_meta",
    "type",
    "text",
    "resource",
    "uri",
    "name",
    "data",
    "mimeType",
    "annotations",
    "audience",
    "id",
    "label",
    "_withheld",
    "io.modelcontextprotocol/trust-annotations",
    "sensitive",
    "ifc",
    "code",
    "message",
    "resultType",
)
SCHEMA_KEYS = (
    "type",
    "properties",
    "items",
    "x-sensitive",
    "$ref",
    "$defs",
    "allOf",
    "anyOf",
    "if",
    "then",
    "patternProperties",
    "propertyNames",
    "additionalProperties",
    "prefixItems",
    "contains",
    "unevaluatedProperties",
    "unevaluatedItems",
    "dependentSchemas",
    "enum",
    "required",
    "$schema",
    "$id",
)
TOOL_KEYS = ("outputSchema", "outputSchema", "outputSchema", "annotations", "_meta", "title", "description")
SCALARS: tuple[Json, ...] = (
    None,
    True,
    False,
    0,
    -5,
    2**70,
    Number("1" + "0" * 5_000),
    1.5,
    Number("1e400"),
    Number("NaN"),
    Number("-Infinity"),
    "",
    "text",
    "resource",
    "secret_reference",
    "image",
    "user",
    "object",
    "array",
    "#",
    "#/properties/content",
    "https://schemas.example/x.json",
    "[withheld]",
    '{"content": [], "id": NaN}',
    '{"a": 1, "a": 2}',
    "[" * 60,
    'Withheld from this result: {"fields":["id"]}',
    "\ud800",
    "\u202e\u0000\x1b[31m",
    "(a+)+$",
    "http://json-schema.org/draft-07/schema#",
    "complete",
)


def value(choices: Choices, keys: tuple[str, ...], depth: int = 5) -> Json:
    """Any JSON value."""
    kind = choices.between(0, 9) if depth else 9
    if kind <= 4:
        pairs = [(choices.pick(keys), value(choices, keys, depth - 1)) for _ in range(choices.between(0, 3))]
        if kind == 4:
            return DuplicateKeys((*pairs, *pairs[:1]))
        return dict(pairs)
    if kind <= 6:
        return [value(choices, keys, depth - 1) for _ in range(choices.between(0, 3))]
    if kind == 7 and choices.one_in(40):
        return _deep(choices)
    return choices.pick(SCALARS)


def _deep(choices: Choices) -> Json:
    found: Json = choices.pick(SCALARS)
    for _ in range(3_000):
        found = [found] if choices.one_in(2) else {choices.pick(RESULT_KEYS): found}
    return found


def _outcome(choices: Choices) -> Outcome:
    match choices.between(0, 7):
        case 0:
            return RpcError(value=value(choices, RESULT_KEYS))
        case 1:
            kind = choices.pick(tuple(FailureKind))
            return Failure(kind=kind, detail="words", http_status=choices.pick((None, 401, 200, 503)))
        case 2:
            return Result(value=value(choices, RESULT_KEYS))
        case _:
            content: JsonObject = {"content": [value(choices, RESULT_KEYS) for _ in range(2)]}
            content["structuredContent"] = value(choices, RESULT_KEYS)
            if choices.one_in(4):
                content[choices.pick(RESULT_KEYS)] = value(choices, RESULT_KEYS)
            return Result(value=content)


def _tool(choices: Choices) -> Tool | None:
    if choices.one_in(10):
        return None
    definition: JsonObject = {"name": "tool", "inputSchema": {}}
    for key in (choices.pick(TOOL_KEYS) for _ in range(choices.between(1, 3))):
        definition[key] = value(
            choices, (*SCHEMA_KEYS, *RESULT_KEYS) if key == "outputSchema" else RESULT_KEYS
        )
    return Tool(name="tool", definition=definition)


def _call(drawn: bytes) -> tuple[Tool | None, Outcome, Level]:
    choices = Choices(drawn)
    return _tool(choices), _outcome(choices), choices.pick(tuple(Level))


calls: st.SearchStrategy[tuple[Tool | None, Outcome, Level]] = st.binary(
    min_size=DRAWN_BYTES, max_size=DRAWN_BYTES
).map(_call)
