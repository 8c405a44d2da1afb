"""A stdio server that repeats its variable API_TOKEN everywhere except in results. It uses no library."""

import base64
import json
import os
import sys
from typing import Any


def repeated(credential: str) -> str:
    """A sentence with a credential in five spellings."""
    raw = credential.encode()
    return (
        f"bad {credential}, {credential[::-1]}, {raw.hex()}, {base64.b64encode(b'x' + raw).decode()}, "
        f"{''.join(f'%{byte:02x}' for byte in raw)}"
    )


def answers(message: Any, said: str) -> list[dict[str, object]]:
    """The messages that answer a JSON-RPC message."""
    head: dict[str, object] = {"jsonrpc": "2.0", "id": message.get("id")}
    match message.get("method"):
        case "initialize":
            capabilities: dict[str, object] = {"tools": {}, "resources": {}}
            info = {"name": "echoing", "version": "1"}
            result = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info}
            return [{**head, "result": result}]
        case "tools/list":
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("fails", "ends")]
            return [{**head, "result": {"tools": tools}}]
        case "tools/call":
            data = {"level": "error", "data": said}
            log: dict[str, object] = {"jsonrpc": "2.0", "method": "notifications/message", "params": data}
            return [log, {**head, "error": {"code": -32000, "message": said, "data": {said: [said]}}}]
        case _:
            return [{**head, "error": {"code": -32603, "message": said}}] if "id" in message else []


def main() -> None:
    """Answer on stdio; a call of `ends` ends it."""
    said = repeated(os.environ["API_TOKEN"])
    for line in sys.stdin:
        message = json.loads(line)
        sys.stderr.write(f"{said}\n")
        sys.stderr.flush()
        if message.get("method") == "tools/call" and message["params"]["name"] == "ends":
            sys.exit(3)
        for answer in answers(message, said):
            sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
