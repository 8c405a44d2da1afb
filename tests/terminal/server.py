"""A stdio server that puts hostile text wherever a server may put text. `dies` ends with its last words on stderr."""

import json
import sys
from typing import Any

from tests.terminal.payloads import EVERYTHING, PAYLOADS, fuzzed, marked

FUZZED = fuzzed(seed=1, number=400)
LAST_WORDS = "last words"


def schema(text: str) -> dict[str, Any]:
    """An input schema with `text` at every place."""
    return {
        "type": "object",
        "title": text,
        "description": text,
        "properties": {
            f"text{text}": {"type": "string", "title": text, "description": text, "default": text},
            "example": {"type": "string", "examples": [text], "format": text, "pattern": text, text: text},
            "choice": {"enum": [text, f"{text}2"], "description": text},
            "named": {"oneOf": [{"const": text, "title": text}, {"const": 1}]},
            "count": {"type": "integer", "title": text, "default": 1},
            "nested": {"type": "object", "title": text, "properties": {text: {"type": "boolean"}}},
            "list": {"type": "array", "items": {"enum": [text]}, "description": text},
        },
        text: {text: text},
    }


def definition(name: str, text: str) -> dict[str, Any]:
    """A tool with `text` at every place except its name."""
    return {
        "name": name,
        "title": text,
        "description": text,
        "inputSchema": schema(text),
        "outputSchema": {
            "type": "object",
            "properties": {text: {"type": "string", "x-sensitive": True, "title": text, "description": text}},
        },
        "annotations": {"title": text, "readOnlyHint": text, text: text, "audience": [text]},
        "_meta": {text: {text: text}, "mcp.dev/effect": text, "ifc": {"integrity": text}},
        text: text,
    }


def result(text: str) -> dict[str, Any]:
    """A result with `text` at every place."""
    return {
        "content": [
            {"type": "text", "text": text, "annotations": {"audience": [text]}, "_meta": {text: text}},
            {"type": text, text: text},
            {"type": "secret_reference", "id": text, "label": text, "redeemUrl": text},
            {"type": "resource_link", "uri": text, "name": text, "title": text, "mimeType": text},
            {"type": "resource", "resource": {"uri": text, "mimeType": text, "text": text}},
            {"type": "image", "data": text, "mimeType": text},
        ],
        "structuredContent": {text: f"withheld {text}", "open": [text, {text: text}]},
        "_meta": {text: text},
        text: text,
    }


TOOLS: list[dict[str, Any]] = [
    definition("everything", EVERYTHING),
    {"name": "fails", "description": EVERYTHING, "inputSchema": {"type": "object"}},
    {"name": "refuses", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
    {"name": "dies", "inputSchema": {"type": "object"}},
    {"name": "plain", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}},
    *(
        {"name": marked(name), "description": PAYLOADS[name], "inputSchema": schema(PAYLOADS[name])}
        for name in PAYLOADS
    ),
    *({"name": f"fuzz {text}", "description": text, "inputSchema": {text: text}} for text in FUZZED),
    {"name": EVERYTHING, "description": EVERYTHING, "inputSchema": EVERYTHING},
    {EVERYTHING: EVERYTHING},
]

LISTS: dict[str, dict[str, Any]] = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}, "resources": {}, "prompts": {}, "logging": {}, EVERYTHING: EVERYTHING},
        "serverInfo": {"name": EVERYTHING, "version": EVERYTHING, "title": EVERYTHING},
        "instructions": EVERYTHING,
    },
    "tools/list": {"tools": TOOLS},
    "resources/list": {"resources": [{"uri": EVERYTHING, "name": EVERYTHING, "description": EVERYTHING}]},
    "resources/templates/list": {"resourceTemplates": [{"uriTemplate": EVERYTHING, "name": EVERYTHING}]},
    "prompts/list": {"prompts": [{"name": EVERYTHING, "title": EVERYTHING, "description": EVERYTHING}]},
}

RESULTS: dict[str, dict[str, Any]] = {
    "everything": result(EVERYTHING),
    "fails": {"content": [{"type": "text", "text": EVERYTHING}], "isError": True},
    "plain": {
        "content": [{"type": "text", "text": "\n".join(FUZZED)}],
        "structuredContent": dict.fromkeys(FUZZED, 1),
    },
}


def write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def say(text: str) -> None:
    sys.stderr.buffer.write((text + "\n").encode("utf-8", "surrogatepass"))
    sys.stderr.flush()


def chatter(request: dict[str, Any]) -> None:
    """All messages that a server may send before it answers: progress, logs, other notifications, a request, garbage."""
    token = request.get("params", {}).get("_meta", {}).get("progressToken")
    if token is not None:
        params = {"progressToken": token, "progress": 1, "total": 2, "message": EVERYTHING}
        write({"method": "notifications/progress", "params": params})
    write(
        {
            "method": "notifications/message",
            "params": {"level": EVERYTHING, "logger": EVERYTHING, "data": EVERYTHING},
        }
    )
    write({"method": f"notifications/{EVERYTHING}", "params": {EVERYTHING: EVERYTHING}})
    write({"id": EVERYTHING, "method": EVERYTHING, "params": {"name": EVERYTHING}})
    write({"id": EVERYTHING, "result": EVERYTHING})
    sys.stdout.buffer.write(
        EVERYTHING.replace("\n", " ").encode("utf-8", "surrogatepass") + b" \xff\x9b777m\n"
    )
    sys.stdout.flush()


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        method, name = request.get("method"), request.get("params", {}).get("name")
        if method is None or "id" not in request:
            continue
        say(EVERYTHING)
        if sys.argv[1:] == ["dies"] or name == "dies":
            say(f"{LAST_WORDS} {EVERYTHING}")
            sys.exit(3)
        if method == "tools/call":
            chatter(request)
        answer = RESULTS.get(name) if method == "tools/call" else LISTS.get(method)
        error = {"code": -32000, "message": EVERYTHING, "data": {EVERYTHING: EVERYTHING}}
        write({"id": request["id"], **({"error": error} if answer is None else {"result": answer})})


if __name__ == "__main__":
    main()
