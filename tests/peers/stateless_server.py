"""A stdio server of the stateless era (2026-07-28) that answers calls in unfinished ways. Usage: stateless_server.py [LISTEN]

It uses no library. LISTEN selects the handling of `subscriptions/listen`: `serves` (default), `refuses` (-32601), `ends` (acknowledges and
ends each one), `silent` (never says anything). Each call of `grow` adds a tool and announces it to the subscribers.
"""

import json
import sys
from typing import Any

LISTEN = sys.argv[1] if len(sys.argv) > 1 else "serves"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
OBJECT = {"type": "object"}
FORM = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name"],
}
RESULTS: dict[str, Any] = {
    "ask": {
        "resultType": "input_required",
        "inputRequests": {
            "who": {
                "method": "elicitation/create",
                "params": {"message": "Who \u001b[31mare you?", "requestedSchema": FORM},
            },
            "folders": {"method": "roots/list"},
            "words": {
                "method": "sampling/createMessage",
                "params": {
                    "messages": [{"role": "user", "content": {"type": "text", "text": "Rhyme!"}}],
                    "maxTokens": 9,
                },
            },
        },
        "requestState": "opaque-state",
    },
    "later": {"resultType": "task", "taskId": "t-1", "status": "working", "ttlMs": 60_000},
    "created": {
        "task": {"taskId": "t-2", "status": "working", "createdAt": "now", "lastUpdatedAt": "now", "ttl": 1}
    },
    "odd": {
        "resultType": "half",
        "content": [{"type": "text", "text": "half-an-answer"}],
        "structuredContent": {"half": "half-an-answer"},
    },
}
DISCOVERED = {
    "resultType": "complete",
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {"listChanged": True}, "resources": {}, "prompts": {}},
    "_meta": {
        "io.modelcontextprotocol/serverInfo": {
            "name": "stateless",
            "title": "The stateless one",
            "version": "1",
            "icons": [{"src": "data:image/png;base64,AA=="}],
        }
    },
    "ttlMs": 1000,
    "cacheScope": "private",
}
listening: list[Any] = []
grown: list[str] = []


def write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(request: Any, result: dict[str, Any]) -> None:
    write({"id": request["id"], "result": {"resultType": "complete", **result}})


def refuse(request: Any) -> None:
    write({"id": request["id"], "error": {"code": -32601, "message": "Method not found"}})


def notify(method: str, listener: Any, **params: Any) -> None:
    write({"method": method, "params": {**params, "_meta": {SUBSCRIPTION: listener}}})


def listen(request: Any) -> None:
    if LISTEN == "refuses":
        refuse(request)
        return
    if LISTEN == "silent":
        return
    asked = request["params"]["notifications"]
    notify("notifications/subscriptions/acknowledged", request["id"], notifications=asked)
    if LISTEN == "ends":
        answer(request, {"_meta": {SUBSCRIPTION: request["id"]}})
    elif asked.get("toolsListChanged"):
        listening.append(request["id"])


def tools() -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = [{"name": name, "inputSchema": OBJECT} for name in (*RESULTS, "grow")]
    listed += [
        {"name": f"{support}_task", "inputSchema": OBJECT, "execution": {"taskSupport": support}}
        for support in ("required", "optional")
    ]
    return [*listed, *({"name": name, "inputSchema": OBJECT} for name in grown)]


def call(request: Any) -> None:
    name = request["params"]["name"]
    if name == "no id":
        write({"id": None, "error": {"code": -32700, "message": "cannot read"}})
        return
    if name == "grow":
        grown.append(f"grown_{len(grown) + 1}")
        for listener in listening:
            notify("notifications/tools/list_changed", listener)
    if name == "ask" and "inputResponses" in request["params"]:
        said = {key: request["params"][key] for key in ("inputResponses", "requestState")}
        answer(request, {"content": [{"type": "text", "text": json.dumps({"id": request["id"], **said})}]})
        return
    answer(request, RESULTS.get(name, {"content": [{"type": "text", "text": f"{name} done"}]}))


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        match message.get("method"):
            case "server/discover":
                answer(message, DISCOVERED)
            case "tools/list":
                answer(message, {"tools": tools(), "ttlMs": 5000, "cacheScope": "public", "x-page": 1})
            case "resources/list":
                answer(message, {"resources": [{"uri": "note://1", "name": "one", "x-odd": [1]}], "ttlMs": 0})
            case "prompts/list":
                answer(message, {"prompts": [{"name": "greet", "description": "Greets."}]})
            case "tools/call":
                call(message)
            case "subscriptions/listen":
                listen(message)
            case _ if "id" in message:
                refuse(message)
            case _:
                pass


main()
