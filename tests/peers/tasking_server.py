"""A stdio server that turns its calls into tasks, well-formed and not. Usage: tasking_server.py legacy|modern

It uses no library. Each tool is one course of a task. Tasks are those of MCP 2025-11-25 in the handshake era, and those of
the extension in the stateless era. Half a poll interval of each is fast enough for a test.
"""

import json
import sys
from typing import Any

MODERN = sys.argv[1] == "modern"
EXTENSION = "io.modelcontextprotocol/tasks"
SECRET = "canary-51c0"
PROPERTIES = {"name": {"type": "string"}, "api_key": {"type": "string", "title": "Your API key"}}
FORM = {"message": "Who are you?", "requestedSchema": {"type": "object", "properties": PROPERTIES}}
ASK = {"method": "elicitation/create", "params": FORM}
OUTPUT = {"type": "object", "properties": {"key": {"type": "string", "x-sensitive": True}}}
TOOLS: dict[str, dict[str, Any]] = {
    "done": {},
    "secret": {"outputSchema": OUTPUT},
    "asks": {},
    "thousand": {},
    "error": {},
    "failed": {},
    "cancelled": {},
    "endless": {},
    "handle again": {},
    "state again": {},
    "speechless": {},
    "silent": {},
    "lost": {},
}
tasks: dict[str, dict[str, Any]] = {}
seen: list[str] = []
"""The requests about tasks, which the last call returns."""


def write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(request: Any, result: Any) -> None:
    kind = {"resultType": "complete"} if MODERN else {}
    write({"id": request["id"], "result": {**kind, **result}})


def refuse(request: Any, code: int, message: str) -> None:
    write({"id": request["id"], "error": {"code": code, "message": message}})


def text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}


def state(task: dict[str, Any]) -> dict[str, Any]:
    unit = "Ms" if MODERN else ""
    return {
        "taskId": task["id"],
        "status": task["status"],
        "statusMessage": task["message"],
        "createdAt": "2026-11-23T00:00:00Z",
        "lastUpdatedAt": "2026-11-23T00:00:00Z",
        f"ttl{unit}": 60_000,
        f"pollInterval{unit}": 1,
    }


def call(request: Any) -> None:
    params = request["params"]
    name = params["name"]
    if name == "seen":
        answer(request, text(json.dumps(seen)))
        return
    task: dict[str, Any] = {
        "id": f"task-{len(tasks)}",
        "name": name,
        "status": "working",
        "message": "thinking",
        "polls": 0,
        "said": None,
    }
    tasks[task["id"]] = task
    if MODERN:
        announced = params["_meta"]["io.modelcontextprotocol/clientCapabilities"]
        assert EXTENSION in announced["extensions"]
        write({"id": request["id"], "result": {"resultType": "task", **state(task)}})
    else:
        assert params["task"] == {}
        answer(request, {"task": state(task)})


def result_of(task: dict[str, Any]) -> dict[str, Any]:
    match task["name"]:
        case "secret":
            return {**text("kept"), "structuredContent": {"key": SECRET}}
        case "asks":
            return text(json.dumps(task["said"]))
        case "error":
            return {**text("no bees"), "isError": True}
        case "handle again":
            return {"resultType": "task", **state(task)} if MODERN else {"task": state(task)}
        case "state again":
            return state(task)
        case _:
            return text("done")


def goes_on(task: dict[str, Any]) -> None:
    """One step of a task, taken at each poll."""
    task["polls"] += 1
    name = task["name"]
    if name == "cancelled":
        task |= {"status": "cancelled", "message": "no time"}
    elif name in {"asks", "thousand"} and task["said"] is None:
        task |= {"status": "input_required", "message": "asks"}
    elif name == "secret" and task["polls"] == 1:
        task["message"] = f"got {SECRET}"
    elif name not in {"endless", "lost"} and task["polls"] > 1:
        task["status"] = "failed" if name == "failed" else "completed"


def about(request: Any) -> None:
    method, params = request["method"], request["params"]
    task = tasks[params["taskId"]]
    seen.append(method)
    name = task["name"]
    if method == "tasks/cancel":
        task["status"] = "cancelled"
        answer(request, {} if MODERN else state(task))
    elif method == "tasks/update":
        task |= {"said": params["inputResponses"], "status": "working"}
        answer(request, {})
    elif method == "tasks/result":
        if name == "asks":
            write({"id": "ask-1", **ASK})
            task |= {"said": reply(), "status": "completed"}
        if name == "failed":
            refuse(request, -32000, "out of bees")
        else:
            answer(request, result_of(task))
    elif name == "lost":
        refuse(request, -32602, "no such task")
    elif name == "speechless":
        answer(request, {})
    elif name != "silent":
        goes_on(task)
        shown = state(task)
        if MODERN and task["status"] == "completed":
            shown["result"] = result_of(task)
        if MODERN and task["status"] == "failed":
            shown["error"] = {"code": -32000, "message": "out of bees"}
        if MODERN and task["status"] == "input_required":
            keys = [str(number) for number in range(1_000)] if name == "thousand" else ["who"]
            shown["inputRequests"] = dict.fromkeys(keys, ASK)
        answer(request, shown)


def reply() -> Any:
    """The next answer of the client; polls in between are answered."""
    while line := sys.stdin.readline():
        message = json.loads(line)
        if "method" not in message:
            return {key: message[key] for key in message if key in ("result", "error")}
        if message["method"] == "tasks/get":
            answer(message, state(tasks[message["params"]["taskId"]]))
    sys.exit()


def main() -> None:
    support = {} if MODERN else {"execution": {"taskSupport": "required"}}
    tools = [
        {"name": name, "inputSchema": {"type": "object"}, **support, **more} for name, more in TOOLS.items()
    ]
    tools.append({"name": "seen", "inputSchema": {"type": "object"}})
    for line in iter(sys.stdin.readline, ""):
        message = json.loads(line)
        method = message.get("method")
        if method == "initialize" and not MODERN:
            can: dict[str, Any] = {"tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}}
            info = {"name": "tasking", "version": "1"}
            answer(message, {"protocolVersion": "2025-11-25", "capabilities": can, "serverInfo": info})
        elif method == "server/discover" and MODERN:
            can = {"tools": {}, "extensions": {EXTENSION: {}}}
            answer(message, {"supportedVersions": ["2026-07-28"], "capabilities": can})
        elif method == "tools/list":
            answer(message, {"tools": tools})
        elif method == "tools/call":
            call(message)
        elif method and method.startswith("tasks/"):
            about(message)
        elif "id" in message and method:
            refuse(message, -32601, "Method not found")


main()
