"""A server that repeats what one call returned as sensitive: on stderr, in logs, later results and questions, in parts.

The argument is a JSON file with the values `pem`, `long` and `code`.
"""

import json
import os
import sys
import time
from pathlib import Path

VALUES = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
EVERY = (f"code {VALUES['code']}\r", f"long: {VALUES['long']}", *VALUES["pem"].split("\n"))
MARKED = {"type": "string", "x-sensitive": True}
SCHEMAS: dict[str, dict[str, object]] = {
    "get": {"properties": dict.fromkeys(VALUES, MARKED)},
    "tells": {"properties": {"number": {"type": "integer"}, "text": {"type": "string"}}},
    "ends": {},
    "form": {},
    "sampling": {},
    "url": {},
}
LONG = VALUES["long"]
FORM = {
    "why": {
        "type": "string",
        "title": f"Why {VALUES['code']}",
        "description": VALUES["pem"],
        "default": LONG,
    },
    "which": {"type": "string", "enum": [LONG, "another"]},
    "each": {"type": "array", "items": {"type": "string", "enum": [LONG, "another"]}},
}
SAID = {"role": "user", "content": {"type": "text", "text": VALUES["pem"]}}
QUESTIONS: dict[str, tuple[str, dict[str, object]]] = {
    "form": (
        "elicitation/create",
        {"message": f"Is it {LONG}?", "requestedSchema": {"type": "object", "properties": FORM}},
    ),
    "sampling": ("sampling/createMessage", {"messages": [SAID], "systemPrompt": LONG, "maxTokens": 9}),
    "url": (
        "elicitation/create",
        {
            "mode": "url",
            "message": LONG,
            "elicitationId": "1",
            "url": f"https://a.example/{VALUES['code']}?{VALUES['code']}",
        },
    ),
}


def send(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def call(name: str) -> dict[str, object]:
    if name in QUESTIONS:
        method, params = QUESTIONS[name]
        send({"id": name, "method": method, "params": params})
        sys.stdin.readline()
    elif name != "get":
        for line in EVERY:
            sys.stderr.write(f"{line}\n")
            send({"method": "notifications/message", "params": {"level": "info", "data": line}})
    if name == "ends":
        time.sleep(0.2)
        os._exit(3)
    said = {"number": VALUES["code"], "text": f"It is {VALUES['long']}"}
    text = f"It is {VALUES['long']}" if name == "get" else "told"
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": VALUES if name == "get" else said,
    }


for line in sys.stdin:
    asked = json.loads(line)
    answer: dict[str, object] = {"error": {"code": -32601, "message": "no"}}
    if asked["method"] == "initialize":
        info = {"name": "parting", "version": "1"}
        found: dict[str, object] = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}, "logging": {}, "prompts": {}, "completions": {}},
            "serverInfo": info,
        }
        answer = {"result": found}
    elif asked["method"] == "tools/list":
        tools = [
            {
                "name": name,
                "inputSchema": {"type": "object"},
                "outputSchema": {"type": "object", **schema},
                "annotations": {"readOnlyHint": True},
            }
            for name, schema in SCHEMAS.items()
        ]
        answer = {"result": {"tools": tools}}
    elif asked["method"] == "prompts/list":
        answer = {"result": {"prompts": [{"name": "offering", "arguments": [{"name": "word"}]}]}}
    elif asked["method"] == "completion/complete":
        answer = {"result": {"completion": {"values": [VALUES["code"], LONG, "Cedar"]}}}
    elif asked["method"] == "tools/call":
        answer = {"result": call(asked["params"]["name"])}
    if "id" in asked:
        send({"id": asked["id"], **answer})
