"""A server that plays a script: its tools, their results, its resolutions, and its refusals. It writes down what it receives.

Arguments: a JSON file `{"tools", "results", "resolved", "refuses"}`, and the file for the received messages, one per line.
`results`: of a call, by tool. `resolved`: of `tools/resolve`, by tool. `refuses`: an error for requests which state that the
session took in data from an open world.
"""

import json
import sys
from pathlib import Path
from typing import Any

UNKNOWN = {"error": {"code": -32601, "message": "no such method"}}


def answer(message: Any, script: dict[str, Any]) -> dict[str, Any]:
    """`result` or `error` of a request."""
    params = message.get("params", {})
    match message["method"]:
        case "initialize":
            server = {"name": script.get("name", "scripted"), "version": "1"}
            capabilities: dict[str, object] = {"tools": {}}
            return {
                "result": {
                    "protocolVersion": "2025-11-25",
                    "capabilities": capabilities,
                    "serverInfo": server,
                }
            }
        case "tools/list":
            return {"result": {"tools": script["tools"]}}
        case "tools/resolve":
            found = script.get("resolved", {}).get(params["name"])
            return UNKNOWN if found is None else {"result": found}
        case "tools/call":
            said = params.get("_meta", {}).get("annotations", {})
            if said.get("openWorldHint") is True and "refuses" in script:
                return {"error": {"code": -32000, "message": script["refuses"]}}
            return {"result": script["results"][params["name"]]}
        case _:
            return UNKNOWN


def main() -> None:
    """Answer on stdio until stdin ends."""
    script = json.loads(Path(sys.argv[1]).read_text())
    with Path(sys.argv[2]).open("a") as heard:
        for line in sys.stdin:
            heard.write(line)
            heard.flush()
            message = json.loads(line)
            if "id" in message:
                reply = {"jsonrpc": "2.0", "id": message["id"], **answer(message, script)}
                sys.stdout.write(json.dumps(reply) + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
