"""A server over stdio whose results break their output schemas, each in its own way."""

import json
import sys
from typing import Any

SECRET = "hunter2-hunter2-hunter2"
PROPERTIES: dict[str, Any] = {"id": {"type": "integer"}, "placed": {"type": "string", "format": "date"}}
ORDER: dict[str, Any] = {
    "type": "object",
    "properties": PROPERTIES,
    "required": ["id", "placed"],
}
RESULTS: dict[str, Any] = {
    "order": {"content": [], "structuredContent": {"id": "seven"}},
    "fine": {"content": [], "structuredContent": {"id": 7, "placed": "2026-01-01"}},
    "unstructured": {"content": [{"type": "text", "text": "seven"}]},
    "contentless": {"structuredContent": {"id": 7, "placed": "2026-01-01"}},
    "failing": {"content": [{"type": "text", "text": "no"}], "isError": True},
    "secret": {"content": [], "structuredContent": {"id": "x", "placed": "2026-01-01", "token": [SECRET]}},
    "uncheckable": {"content": [], "structuredContent": {"id": 7}},
}
SCHEMAS: dict[str, Any] = {
    "secret": {
        **ORDER,
        "properties": {**PROPERTIES, "token": {"type": "string", "x-sensitive": True}},
    },
    "uncheckable": {"type": "objekt"},
}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    match method:
        case "initialize":
            return {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "broken-output", "version": "1"},
            }
        case "tools/list":
            return {
                "tools": [
                    {
                        "name": name,
                        "inputSchema": {"type": "object"},
                        "outputSchema": SCHEMAS.get(name, ORDER),
                    }
                    for name in RESULTS
                ]
            }
        case _:
            return RESULTS[str(params["name"])]


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            sent: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
            if message["method"] in {"initialize", "tools/list", "tools/call"}:
                sent["result"] = answer(message["method"], message.get("params", {}))
            else:
                sent["error"] = {"code": -32601, "message": "method not found"}
            sys.stdout.write(json.dumps(sent) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
