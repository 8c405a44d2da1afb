"""Read results, definitions and the arguments of a call, from files, stdin and options."""

import hashlib
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from inspector.boundary.reading import raw_of
from inspector.errors import UsageError
from inspector.json.exact import Json, JsonObject, JsonText, Malformed, dump, parse
from inspector.protocol.catalogue import Kind, Tool, decode_page
from inspector.protocol.outcome import Outcome, Result, RpcError
from inspector.schema.arguments import assigned, from_json


def result_hint(word: str) -> str:
    """How to name a file with a result; empty if `word` names no file."""
    return f"Write --result {shlex.quote(word)}." if Path(word).is_file() else ""


def read_outcome(path: str) -> Outcome:
    """A result, or a whole JSON-RPC response, from a file; `-` is stdin. Raises UsageError."""
    value = _json(path, "A result is the JSON that tools/call returns.")
    if isinstance(value, dict) and "jsonrpc" in value:
        if "error" in value:
            return RpcError(value=value["error"])
        if "result" in value:
            return Result(value=value["result"])
    return Result(value=value)


def nonce_of(outcome: Outcome) -> str:
    """The nonce of the markers around untrusted text, for a result from a file.

    It is a hash of the result, so that each run prints the same.
    """
    return hashlib.sha256(dump(raw_of(outcome))).hexdigest()[:16]


def read_tool(path: str) -> Tool:
    """A tool, from a file with its definition; `-` is stdin. Raises UsageError."""
    hint = "It is one item of tools/list: name, inputSchema, …"
    page = decode_page(Kind.TOOL, {"tools": [_json(path, hint)]})
    match page:
        case (Tool() as tool,):
            return tool
        case (Malformed(reason=reason),) | Malformed(reason=reason):
            raise UsageError(f"--tool: the definition {reason}", hint)
        case _:
            raise UsageError("--tool: not the definition of a tool", hint)


def _json(path: str, hint: str) -> Json:
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise UsageError(f"cannot read {path}: {reason}", "Check the path; - is stdin.") from error
    match parse(raw):
        case JsonText(value=value):
            return value
        case Malformed(reason=reason):
            raise UsageError(f"{path}: {reason}", hint)


def given_arguments(whole: str | None, single: Sequence[str], tool: Tool | None) -> JsonObject:
    """The arguments from `--args` and `--arg`, which takes precedence. Raises UsageError.

    `whole`: JSON, `@FILE` or `-` for stdin.
    """
    return {**whole_arguments(whole), **assigned(single, tool.input_schema if tool else {})}


RESERVED_META = frozenset(
    {"progressToken", "annotations"}
    | {
        f"io.modelcontextprotocol/{name}"
        for name in ("protocolVersion", "clientInfo", "clientCapabilities", "logLevel")
    }
)
"""The members of `_meta` that Sightline sets."""


def given_meta(words: Sequence[str]) -> JsonObject:
    """The members of `_meta` from each `--meta KEY=JSON`. Raises UsageError."""
    meta: JsonObject = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not key or not equals:
            raise UsageError(f"--meta {word}: not KEY=JSON", "Write it as --meta 'example.com/key=\"text\"'.")
        if key in RESERVED_META:
            raise UsageError(f"--meta {key}: Sightline sets this member of `_meta` itself", "Leave it out.")
        match parse(text.encode()):
            case JsonText(value=value):
                meta[key] = value
            case Malformed(reason=reason):
                raise UsageError(f"--meta {key}: {reason}", "The value is JSON; a text needs quotes.")
    return meta


def whole_arguments(whole: str | None) -> JsonObject:
    """The arguments from `--args`: JSON, `@FILE` or `-` for stdin; empty if it is not given. Raises UsageError."""
    if whole is None:
        return {}
    try:
        return from_json(_text_of(whole))
    except UsageError as error:
        if whole.startswith(("@", "-")):
            raise
        hint = (
            _QUOTING
            if whole.startswith("{")
            else "--args takes one JSON object, @FILE or -; --arg NAME=VALUE gives one argument."
        )
        raise UsageError(error.message, hint) from error


_QUOTING = (
    "JSON has double quotes around names and texts, and a shell keeps them between single quotes: "
    """--args '{"name": "value"}'. --arg name=value needs none."""
)


def _text_of(word: str) -> str:
    if word == "-":
        return sys.stdin.read()
    if word.startswith("@"):
        try:
            return Path(word[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read {word[1:]}: {error}", "Check --args @FILE.") from error
    return word
