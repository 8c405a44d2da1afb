"""A server on stdio that puts hostile text wherever a server may put text."""

import json
import sys
from typing import Any

from tests.peers.payloads import ALL, PAYLOADS

SCHEMA: dict[str, Any] = {
    "type": "object",
    "title": ALL,
    "properties": {
        f"text{ALL}": {"type": "string", "title": ALL, "description": ALL, "default": ALL, "examples": [ALL]},
        "choice": {"enum": [ALL, "b"], "description": ALL},
        "count": {"type": "integer", "minimum": 1, "default": 1, "title": ALL},
        "nested": {
            "type": "object",
            "title": ALL,
            "properties": {ALL: {"type": "boolean", "description": ALL}},
        },
        "list": {"type": "array", "items": {"type": "string", "enum": [ALL]}, "description": ALL},
        "matched": {"type": "string", "pattern": ALL, "format": ALL},
    },
}
TOOLS: list[dict[str, Any]] = [
    {
        "name": "first",
        "title": ALL,
        "description": ALL,
        "inputSchema": SCHEMA,
        "outputSchema": {"type": "object", "properties": {ALL: {"type": "string", "x-sensitive": ALL}}},
        "annotations": {"title": ALL, "readOnlyHint": ALL, ALL: ALL, "attribution": [ALL]},
        "_meta": {ALL: {ALL: ALL}, "mcp.dev/effect": ALL},
    },
    *({"name": f"{name} {payload}", "inputSchema": {}} for name, payload in PAYLOADS.items()),
    {"name": ALL, "description": ALL},
    {"name": "fails", "description": ALL, "inputSchema": {"type": "object"}},
    {"name": "refuses", "description": ALL, "inputSchema": {"type": "object"}},
]
RESULT: dict[str, Any] = {
    "content": [
        {"type": "text", "text": ALL, "annotations": {"audience": [ALL]}, "_meta": {ALL: ALL}},
        {"type": ALL, ALL: ALL},
        {"type": "secret_reference", "id": ALL, "label": ALL, "redeemUrl": ALL},
        {"type": "resource_link", "uri": ALL, "name": ALL, "description": ALL, "mimeType": ALL},
    ],
    "structuredContent": {ALL: ALL, "b": [ALL, {ALL: ALL}]},
    "_meta": {ALL: ALL},
    ALL: ALL,
}


def write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tell(method: str, **params: Any) -> None:
    write({"method": method, "params": params})


def answered(message: dict[str, Any]) -> dict[str, Any] | None:
    match message["method"]:
        case "initialize":
            identity = {"name": ALL, "version": ALL, "title": ALL}
            capabilities: dict[str, Any] = {"tools": {}, "resources": {}, "prompts": {}, ALL: ALL}
            return {
                "protocolVersion": "2025-11-25",
                "capabilities": capabilities,
                "serverInfo": identity,
                "instructions": ALL,
            }
        case "tools/list":
            return {"tools": TOOLS}
        case "resources/list":
            return {"resources": [{"uri": ALL, "name": ALL, "description": ALL}]}
        case "resources/templates/list":
            return {"resourceTemplates": [{"uriTemplate": ALL, "name": ALL}]}
        case "prompts/list":
            return {"prompts": [{"name": ALL, "title": ALL, "description": ALL}]}
        case "tools/call" if message["params"]["name"] == "fails":
            return {"content": [{"type": "text", "text": ALL}], "isError": True}
        case "tools/call" if message["params"]["name"] == "first":
            return RESULT
        case _:
            return None


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        sys.stderr.buffer.write((ALL + "\n").encode("utf-8", "surrogatepass"))
        sys.stderr.flush()
        if "id" not in message:
            continue
        token = message.get("params", {}).get("_meta", {}).get("progressToken")
        if token is not None:
            tell("notifications/progress", progressToken=token, progress=1, total=2, message=ALL)
        tell("notifications/message", level=ALL, logger=ALL, data=ALL)
        tell(f"notifications/{ALL}", data=ALL)
        sys.stdout.write(ALL.replace("\n", " ").encode("utf-8", "replace").decode() + "\n")
        result = answered(message)
        if result is None:
            write({"id": message["id"], "error": {"code": -32000, "message": ALL, "data": ALL}})
        else:
            write({"id": message["id"], "result": result})


main()
