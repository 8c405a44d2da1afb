"""What a tool of the demo is: a definition as it goes over the wire, and a function that answers calls."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import jsonschema_rs

from inspector.demo.secrets import Mint, Reference
from inspector.demo.workspace import Workspace
from inspector.json.exact import Json, JsonObject, dump, dump_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a call may use besides its arguments and the workspace."""

    mint: Mint
    now: str
    """The time of the call, RFC 3339 in UTC."""
    deposit: Callable[[str, int], Reference]
    """Keeps a secret for so many seconds and says where to fetch it."""
    log: Callable[[str, Json], None]
    """Sends a log message of a level (`debug`, `info`, …) to a client that asked for it."""
    request_annotations: JsonObject
    """`params._meta.annotations` of the request: what the client says about its context."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slow:
    """A result that takes its time."""

    seconds: float
    steps: tuple[str, ...]
    """What is done in each step, one progress message each; the time is shared evenly."""
    result: JsonObject


Handler: TypeAlias = Callable[[JsonObject, Workspace, Context], JsonObject | Slow]
Resolver: TypeAlias = Callable[[JsonObject], JsonObject]


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoTool:
    """One tool."""

    definition: JsonObject
    """As `tools/list` gives it."""
    handle: Handler
    """The `tools/call` result for arguments that keep to the input schema."""
    resolve: Resolver | None = None
    """The `tools/resolve` result for such arguments; None where the tool is not resolvable."""
    sound: bool = True
    """False where a strict client would reject the whole listing over it."""

    @property
    def name(self) -> str:
        """The name under which it is called."""
        return str(self.definition["name"])

    def problem(self, arguments: JsonObject) -> str | None:
        """What keeps `arguments` from the input schema, in one sentence."""
        schema = self.definition.get("inputSchema")
        if not isinstance(schema, dict):
            return None
        try:
            # The validator knows plain Python values only.
            plain = json.loads(dump(arguments))
            validator = jsonschema_rs.validator_for(schema, validate_formats=True)
            first = next(iter(validator.iter_errors(plain)), None)
        except (ValueError, RecursionError):
            return "The arguments hold something that cannot be checked."
        if first is None:
            return None
        where = "/".join(map(str, first.instance_path))
        return f"Argument {where}: {first.message}." if where else f"{first.message}."


def object_schema(properties: JsonObject, required: Iterable[str] = ()) -> JsonObject:
    """The schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def text_block(text: str) -> JsonObject:
    """A content block of plain text."""
    return {"type": "text", "text": text}


def said(*blocks: Json) -> JsonObject:
    """A result of content blocks alone."""
    return {"content": list(blocks)}


def mirrored(structured: JsonObject) -> JsonObject:
    """A structured result with the same JSON as text, for clients that read only that."""
    return {"content": [text_block(dump_text(structured))], "structuredContent": structured}


def failed(text: str) -> JsonObject:
    """A result that says the tool could not do it."""
    return {"content": [text_block(text)], "isError": True}


def text_of(arguments: JsonObject, key: str, default: str = "") -> str:
    """A text argument."""
    value = arguments.get(key)
    return value if isinstance(value, str) else default


def number_of(arguments: JsonObject, key: str, default: float) -> float:
    """A numeric argument."""
    value = arguments.get(key)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else default


def whole_of(arguments: JsonObject, key: str, default: int) -> int:
    """A whole number; JSON Schema counts 3.0 as one."""
    return int(number_of(arguments, key, default))
