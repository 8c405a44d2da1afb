"""The type of a demo tool: its definition on the wire, a function for calls, and helpers for results."""

import json
from collections.abc import Callable, Iterable
from typing import TypeAlias

import jsonschema_rs
from msgspec import Struct

from inspector.demo.secrets import Mint, Reference
from inspector.demo.workspace import Workspace
from inspector.json.exact import Json, JsonObject, dump, dump_text


class DemoContext(Struct, frozen=True, kw_only=True):
    """What a call may use besides its arguments and the workspace, such as fake secrets."""

    mint: Mint
    now: str
    """The time of the call, RFC 3339 in UTC."""
    deposit: Callable[[str, int], Reference]
    """Keeps a secret for a number of seconds, and returns the reference to redeem it with."""
    log: Callable[[str, Json], None]
    """Sends a log message of a level (`debug`, `info`, …) to a client that requested this level."""
    request_annotations: JsonObject
    """The request's `params._meta.annotations`: the client's statements about its context."""


class Slow(Struct, frozen=True, kw_only=True):
    """A result that the server returns after a delay."""

    seconds: float
    steps: tuple[str, ...]
    """One progress message for each step. The steps take equal times."""
    result: JsonObject


Handler: TypeAlias = Callable[[JsonObject, Workspace, DemoContext], JsonObject | Slow]
Resolver: TypeAlias = Callable[[JsonObject], JsonObject]


class DemoTool(Struct, frozen=True, kw_only=True):
    """A tool of the demo server: its definition, and the functions that answer calls of it."""

    definition: JsonObject
    """The definition as in `tools/list`."""
    handle: Handler
    """Returns the `tools/call` result for valid arguments."""
    resolve: Resolver | None = None
    """Returns the `tools/resolve` result for valid arguments; None if the tool is not resolvable."""
    sound: bool = True
    """False if strict clients reject the whole listing because of this tool."""

    @property
    def name(self) -> str:
        return str(self.definition["name"])

    def problem(self, arguments: JsonObject) -> str | None:
        """The first violation of the input schema, in one sentence; None if there is none."""
        schema = self.definition.get("inputSchema")
        if not isinstance(schema, dict):
            return None
        try:
            # The validator accepts plain Python values only.
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


def content_result(*blocks: Json) -> JsonObject:
    """A result of content blocks only."""
    return {"content": list(blocks)}


def mirrored(structured: JsonObject) -> JsonObject:
    """A structured result with the same JSON as text, for clients that read only text."""
    return {"content": [text_block(dump_text(structured))], "structuredContent": structured}


def error_result(text: str) -> JsonObject:
    """A result for a call that the tool could not complete."""
    return {"content": [text_block(text)], "isError": True}


def text_of(arguments: JsonObject, key: str, default: str = "") -> str:
    """The value of a text argument, or `default` if it is missing."""
    value = arguments.get(key)
    return value if isinstance(value, str) else default


def number_of(arguments: JsonObject, key: str, default: float) -> float:
    """The value of a numeric argument, or the default."""
    value = arguments.get(key)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else default


def integer_of(arguments: JsonObject, key: str, default: int) -> int:
    """The value of an integer argument, or the default. JSON Schema also accepts 3.0 as an integer."""
    return int(number_of(arguments, key, default))
