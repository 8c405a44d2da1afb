"""A server whose results contain planted secrets: on stdio as a program, and over HTTP within a test.

Usage: server.py FILE, where FILE contains the planted secrets as JSON. It uses no library. It writes the received messages
to `heard`, next to FILE.
"""

import json
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Planted = dict[str, str]
"""The planted secrets by place: `redeemed`, `withheld`, `error`, `resource`. And `origin`, where references are redeemed."""

INITIALIZED: dict[str, object] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "planted", "version": "1"},
}
SECRET = {"type": "string", "x-sensitive": True}


def tools() -> list[object]:
    """Three tools, whose results contain secrets in three ways."""
    return [
        {"name": "mint", "annotations": {"idempotentHint": True}, **_schemas({}, "key")},
        {"name": "refuse", **_schemas({"token": SECRET}, "detail")},
        {"name": "show", **_schemas({}, "body")},
    ]


def _schemas(properties: dict[str, object], secret: str) -> dict[str, object]:
    return {
        "inputSchema": {"type": "object", "properties": properties},
        "outputSchema": {"type": "object", "properties": {secret: SECRET}},
    }


def result(tool: str, number: object, planted: Planted) -> dict[str, object]:
    """The result of a call. `number`: of the request; each result has a reference of its own."""
    if tool == "mint":
        key = planted["withheld"]
        reference = {
            "type": "secret_reference",
            "id": f"s{number}",
            "label": "API key",
            "redeemUrl": f"{planted['origin']}/secrets/{number}",
            "ttl": 600,
        }
        text = {"type": "text", "text": f"A key was made: {key}."}
        return {"content": [reference, text], "structuredContent": {"key": key}}
    if tool == "refuse":
        detail = planted["error"]
        text = {"type": "text", "text": f"cannot go on with {detail}"}
        return {"isError": True, "content": [text], "structuredContent": {"detail": detail}}
    body = planted["resource"]
    resource = {"uri": "file:///notes", "mimeType": "text/plain", "text": f"Notes: {body}"}
    return {"content": [{"type": "resource", "resource": resource}], "structuredContent": {"body": body}}


def answer(message: Any, planted: Planted) -> dict[str, object] | None:
    """The answer to a JSON-RPC message; None to a notification."""
    if "id" not in message:
        return None
    reply: dict[str, object] = {"jsonrpc": "2.0", "id": message["id"]}
    match message.get("method"):
        case "initialize":
            return {**reply, "result": INITIALIZED}
        case "tools/list":
            return {**reply, "result": {"tools": tools()}}
        case "tools/call":
            return {**reply, "result": result(message["params"]["name"], message["id"], planted)}
        case _:
            return {**reply, "error": {"code": -32601, "message": "no such method"}}


class Endpoint(ThreadingHTTPServer):
    """MCP under `/mcp`, and under `/secrets/` the secret of each reference, given once."""

    daemon_threads = True

    def __init__(self, planted: Planted) -> None:
        super().__init__(("127.0.0.1", 0), _handler(self))
        self.planted = planted
        self.heard: list[str] = []
        self.redeemed: set[str] = set()

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self.server_address[1]}"


def _handler(endpoint: Endpoint) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._hear("")
            if not self.path.startswith("/secrets/"):
                self._reply(405, None)
            elif self.path in endpoint.redeemed:
                self._reply(410, {"error": "used"})
            else:
                endpoint.redeemed.add(self.path)
                self._reply(200, {"value": endpoint.planted["redeemed"]})

        def do_DELETE(self) -> None:
            self._hear("")
            self._reply(405, None)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            self._hear(body)
            reply = answer(json.loads(body), endpoint.planted)
            self._reply(202 if reply is None else 200, reply)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
            del format, args

        def _hear(self, body: str) -> None:
            endpoint.heard.append(f"{self.requestline}\n{self.headers}\n{body}")

        def _reply(self, status: int, content: object) -> None:
            body = b"" if content is None else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("cache-control", "no-store")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def main() -> None:
    """Answer on stdio until stdin ends."""
    file = Path(sys.argv[1])
    planted: Planted = json.loads(file.read_text())
    with (file.parent / "heard").open("a") as heard:
        for line in sys.stdin:
            heard.write(line)
            heard.flush()
            message = json.loads(line)
            sys.stderr.write(f"heard {message.get('method')}\n")
            sys.stderr.flush()
            reply = answer(message, planted)
            if reply is not None:
                sys.stdout.write(json.dumps(reply) + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
