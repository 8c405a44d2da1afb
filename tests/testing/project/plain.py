"""A server without a library, which starts at once: keys that are declared sensitive, and tools that forget it."""

import base64
import json
import os
import secrets
import sys

KEY = "plr_" + "9f4c" * 6
TEXT = {"type": "string"}
HIDDEN = {"type": "string", "x-sensitive": True}


def made(name):
    return {"id": "key-1", "name": name, "secret": KEY}


def leaked(name):
    return {"note": f"{name}: {base64.b64encode(KEY.encode()).decode()}"}


def changing():
    number = 10**6 + secrets.randbelow(10**6)
    return {"id": secrets.token_hex(8), "day": number, "note": "red \x1b[31m or not"}


def process():
    return {"result": os.getpid()}


def variable(name):
    return {"value": os.environ.get(name, "")}


def fail():
    raise ValueError("it did not work")


TOOLS = {
    "make_key": (made, {"name": TEXT}, {"id": TEXT, "name": TEXT, "secret": HIDDEN}),
    "leak_key": (leaked, {"name": TEXT}, {"note": TEXT}),
    "changing": (changing, {}, {"id": TEXT, "day": {"type": "integer"}, "note": TEXT}),
    "process": (process, {}, {"result": {"type": "integer"}}),
    "variable": (variable, {"name": TEXT}, {"value": TEXT}),
    "fail": (fail, {}, None),
}


def schema(properties):
    return {"type": "object", "properties": properties, "required": list(properties)}


def definition(name):
    _, takes, returns = TOOLS[name]
    told = {"name": name, "description": f"A tool: {name}.", "inputSchema": schema(takes)}
    return told if returns is None else {**told, "outputSchema": schema(returns)}


def called(name, arguments):
    if name not in TOOLS:
        return {"error": {"code": -32602, "message": "unknown tool"}}
    try:
        structured = TOOLS[name][0](**arguments)
    except (ValueError, TypeError) as error:
        return {"result": {"content": [{"type": "text", "text": str(error)}], "isError": True}}
    text = {"type": "text", "text": json.dumps(structured)}
    return {"result": {"content": [text], "structuredContent": structured}}


def answered(method, params):
    if method == "initialize":
        info = {"name": "polar", "version": "1"}
        return {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}}
    if method == "tools/list":
        return {"result": {"tools": [definition(name) for name in TOOLS]}}
    if method == "tools/call":
        return called(params["name"], params.get("arguments", {}))
    return {"error": {"code": -32601, "message": "no such method"}}


if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked:
            answer = {"jsonrpc": "2.0", "id": asked["id"], **answered(asked["method"], asked.get("params", {}))}
            print(json.dumps(answer), flush=True)
