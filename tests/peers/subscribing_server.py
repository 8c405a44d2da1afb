"""A server of the handshake era on stdio that reports a change as soon as a client subscribes to a resource.

Its version is its process id. With an argument, it never answers when a client unsubscribes.
"""

import json
import os
import sys

ANSWERS: dict[str, object] = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "serverInfo": {"name": "subscribing", "version": str(os.getpid())},
        "capabilities": {"resources": {"subscribe": True}},
    },
    "tools/list": {"tools": []},
    "resources/list": {"resources": [{"uri": "note://a", "name": "a"}]},
    "resources/templates/list": {"resourceTemplates": []},
    "resources/read": {"contents": [{"uri": "note://a", "text": "first"}]},
    "resources/subscribe": {},
    "resources/unsubscribe": {},
}


def send(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    method = request["method"]
    if sys.argv[1:] and method == "resources/unsubscribe":
        continue
    if method not in ANSWERS:
        send({"id": request["id"], "error": {"code": -32601, "message": "Method not found"}})
        continue
    if method == "resources/subscribe" and request["params"]["uri"] == "note://refused":
        send({"id": request["id"], "error": {"code": -32602, "message": "not this one"}})
        continue
    send({"id": request["id"], "result": ANSWERS[method]})
    if method == "resources/subscribe":
        asked = request["params"]["uri"]
        for uri in (asked, f"{asked}/part", "note://never-asked"):
            send({"method": "notifications/resources/updated", "params": {"uri": uri}})
