"""Read results, definitions and the arguments of a call, from files, stdin and options."""

import hashlib
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from inspector.boundary.mask import MASK
from inspector.boundary.reading import raw_of
from inspector.errors import UsageError
from inspector.json.exact import Json, JsonObject, JsonText, Malformed, dump, dump_text, parse
from inspector.json.members import text_at, value_at
from inspector.protocol.catalogue import Kind, Tool, decode_page
from inspector.protocol.outcome import Outcome, Result, RpcError
from inspector.schema.arguments import assigned, from_json

_OF_CALL = frozenset({"withheld", "undeclared_places", "duration_ms"})
"""Members that every output of `sightline call --json` has, and that distinguish it from a tool's result."""
_MOST_NAMED = 20


def result_hint(word: str) -> str:
    """A hint to pass the file `word` as --result; empty if `word` is not the path of a file."""
    return f"Write --result {shlex.quote(word)}." if Path(word).is_file() else ""


def read_outcome(path: str) -> Outcome:
    """A result from a file; `-` is stdin. Raises UsageError.

    The file may have a whole JSON-RPC response, or what `sightline call --json --unmask` prints.
    """
    value = _json(path, "A result is the JSON that tools/call returns.")
    if isinstance(value, dict) and value.keys() >= _OF_CALL:
        value = _sent_in(value, path)
    if isinstance(value, dict) and "jsonrpc" in value:
        if "error" in value:
            return RpcError(value=value["error"])
        if "result" in value:
            return Result(value=value["result"])
    return Result(value=value)


def _sent_in(printed: JsonObject, path: str) -> Json:
    """The result as the server sent it, from the output of `sightline call --json`."""
    if printed.get("raw") is None:
        hint = "Call with --view both or raw; a call without an answer has no result."
        raise UsageError(f"{path}: an output of sightline call without the result (`raw`)", hint)
    raw = printed["raw"]
    if MASK in dump_text(raw):
        hint = "Use the output of sightline call --json --unmask. A pipe to - keeps the unmasked values out of files."
        raise UsageError(f"{path}: values are masked in this output of sightline call", hint)
    return raw


def nonce_of(outcome: Outcome) -> str:
    """The nonce of the markers around untrusted text, for a result from a file.

    It is a hash of the result, so that each run prints the same.
    """
    return hashlib.sha256(dump(raw_of(outcome))).hexdigest()[:16]


def read_tool(path: str) -> Tool:
    """A tool, from a file with its definition; `-` is stdin. Raises UsageError.

    `path`: `FILE#NAME` picks a tool of a listing: what `sightline list --json` prints, or an answer to tools/list.
    """
    hint = "It is one item of tools/list: name, inputSchema, … FILE#NAME picks a tool of a listing."
    file, _, name = (path, "", "") if path == "-" or Path(path).is_file() else path.rpartition("#")
    value = _json(file or path, hint)
    listed = _listed_in(value)
    if listed is not None:
        value = _picked(listed, name, file or path)
    elif name:
        raise UsageError(f"--tool: {file} is not a listing of tools", f"Write --tool {shlex.quote(file)}.")
    page = decode_page(Kind.TOOL, {"tools": [value]})
    match page:
        case (Tool() as tool,):
            return tool
        case (Malformed(reason=reason),) | Malformed(reason=reason):
            raise UsageError(f"--tool: the definition {reason}", hint)
        case _:
            raise UsageError("--tool: not the definition of a tool", hint)


def _listed_in(value: Json) -> list[Json] | None:
    """The definitions in a listing of tools; None if the value is something else."""
    result = value_at(value, "result")
    tools = value_at(result if isinstance(result, dict) else value, "tools")
    if not isinstance(tools, list):
        return None
    return [item["definition"] if isinstance(item, dict) and "definition" in item else item for item in tools]


def _picked(listed: list[Json], name: str, file: str) -> Json:
    """The definition of the tool `name`; the only definition if `name` is empty. Raises UsageError."""
    names = [text_at(item, "name") or "" for item in listed]
    if name in names:
        return listed[names.index(name)]
    if len(listed) == 1 and not name:
        return listed[0]
    known = ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
    problem = f"lists no tool {name}" if name else f"lists {len(listed):,} tools"
    raise UsageError(f"--tool: {file} {problem}", f"Name one as {file}#NAME: {known}.")


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
