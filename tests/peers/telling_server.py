"""A stdio server that repeats the secret of its result in progress messages and in requests to the client.

It uses no library. `plain` declares nothing, `marked` marks the secret, and `silent` does too but never answers.
"""

import json
import sys
from typing import Any

SECRET = "canary-7f3a91"
CUT = f"{'.' * 293} {SECRET}"
SCHEMA = {"type": "object", "properties": {"pin": {"type": "string", "x-sensitive": True}}}
TOOLS = [
    {"name": name, "inputSchema": {"type": "object"}, **({} if name == "plain" else {"outputSchema": SCHEMA})}
    for name in ("plain", "marked", "silent")
]
FORM = {"type": "object", "properties": {SECRET: {"type": "string", "title": SECRET, "default": SECRET}}}


def write(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def ask(method: str, **params: Any) -> None:
    write(id=method, method=method, params=params)
    sys.stdin.readline()


def call(request: Any) -> None:
    token = request["params"]["_meta"]["progressToken"]
    told = {"progressToken": token, "progress": 1, "total": 2, "message": f"making {SECRET}"}
    write(method="notifications/progress", params=told)
    ask("elicitation/create", message=CUT, requestedSchema=FORM)
    ask(
        "sampling/createMessage",
        messages=[{"role": "user", "content": {"type": "text", "text": CUT}}],
        maxTokens=9,
    )
    if request["params"]["name"] != "silent":
        write(id=request["id"], result={"content": [], "structuredContent": {"pin": SECRET}})


for line in sys.stdin:
    received = json.loads(line)
    match received.get("method"):
        case "initialize":
            about: Any = {"serverInfo": {"name": "telling", "version": "1"}, "capabilities": {"tools": {}}}
            write(id=received["id"], result={"protocolVersion": "2025-11-25", **about})
        case "tools/list":
            write(id=received["id"], result={"tools": TOOLS})
        case "tools/call":
            call(received)
        case _:
            pass
