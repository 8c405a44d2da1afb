"""A server whose definitions are in a file: it lists what the file contains at that time.

Each call of a tool announces a change: `notifications/tools/list_changed` is sent before its answer.
"""

import json
import sys
from pathlib import Path
from typing import Any


def result(method: str, said: dict[str, Any]) -> dict[str, Any] | None:
    """The result of a request; None for an unknown method."""
    match method:
        case "initialize":
            return {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": said.get("name", "changing"), "version": "1"},
                "instructions": said.get("instructions"),
            }
        case "tools/list":
            return {"tools": said["tools"]}
        case "tools/call":
            return {"content": [{"type": "text", "text": "done"}]}
        case _:
            return None


def send(message: dict[str, Any]) -> None:
    """One line."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Answer on stdio until stdin ends."""
    file = Path(sys.argv[1])
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        method = message["method"]
        if method == "tools/call":
            send({"method": "notifications/tools/list_changed"})
        found = result(method, json.loads(file.read_text()))
        answer = (
            {"error": {"code": -32601, "message": "no such method"}} if found is None else {"result": found}
        )
        send({"id": message["id"], **answer})


if __name__ == "__main__":
    main()
