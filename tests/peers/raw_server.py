"""A server on stdio that misbehaves on purpose. Usage: raw_server.py BEHAVIOUR

It uses no library: it writes exactly the bytes in this file.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

BEHAVIOUR = sys.argv[1]
EMPTY: dict[str, object] = {}
TOOL = {"name": "t", "inputSchema": {"type": "object"}, "x-acme": [1.10, {"deep": None}]}
INITIALIZED = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": EMPTY},
    "serverInfo": {"name": "raw", "version": "0"},
}


def write(text: str) -> None:
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()


def answer(request: Any, result: object) -> None:
    write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}))


def refuse(request: Any, code: int, message: str = "no") -> None:
    write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}}))


def call(request: Any) -> None:
    number = request["id"]
    match BEHAVIOUR:
        case "unknown fields":
            write(
                '{"jsonrpc":"2.0","id":%d,"extra":1,"result":{"content":[{"type":"hologram","x":1e400}],'
                '"zzz":12345678901234567890123}}' % number
            )
        case "garbage":
            write("Traceback (most recent call last):")
            write('{"jsonrpc":"2.0","method":')
            answer(request, {"content": []})
        case "batch":
            write(
                '[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hi"}},'
                '{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}]' % number
            )
        case "null result":
            answer(request, None)
        case "list result":
            answer(request, [1, 2])
        case "duplicate ids":
            answer(request, {"content": [], "which": 1})
            answer(request, {"content": [], "which": 2})
        case "both result and error":
            write('{"jsonrpc":"2.0","id":%d,"result":{},"error":{"code":-1,"message":"both"}}' % number)
        case "id as text":
            write('{"jsonrpc":"2.0","id":"%d","result":{"content":[]}}' % number)
        case "error without id":
            write('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"cannot read"}}')
        case "dies in a call":
            sys.stderr.write("about to fail\nTraceback: boom \x1b]52;c;x\x07\n")
            sys.stderr.flush()
            os._exit(3)
        case "silent":
            pass
        case "asks back":
            write('{"jsonrpc":"2.0","id":"p1","method":"ping"}')
            write('{"jsonrpc":"2.0","id":2,"method":"roots/list"}')
            replies = [json.loads(sys.stdin.readline()) for _ in range(2)]
            answer(request, {"content": [], "replies": replies})
        case "environment":
            answer(request, {"content": [], "environment": dict(os.environ), "cwd": str(Path.cwd())})
        case "large":
            answer(request, {"content": [{"type": "text", "text": "x" * 5_000_000}]})
        case "progress":
            token = request["params"]["_meta"]["progressToken"]
            for step in range(1, 5):
                params = {"progressToken": token, "progress": step, "total": 4, "message": "step %d" % step}
                write(json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))
                time.sleep(0.4)
            answer(request, {"content": []})
        case _:
            answer(request, {"content": [], "structuredContent": {"violates": "the schema"}})


def listing(request: Any) -> None:
    cursor = request.get("params", {}).get("cursor")
    match BEHAVIOUR:
        case "200 pages":
            page = int(cursor or 0)
            tools = [{"name": "tool_%05d" % (page * 50 + i), "inputSchema": EMPTY} for i in range(50)]
            answer(request, {"tools": tools, **({"nextCursor": str(page + 1)} if page < 199 else {})})
        case "circular pages":
            answer(
                request, {"tools": [{"name": "t%s" % cursor, "inputSchema": EMPTY}], "nextCursor": "again"}
            )
        case "numeric cursor":
            answer(request, {"tools": [TOOL], "nextCursor": 7})
        case "one broken tool":
            tools = [
                TOOL,
                {"name": "broken"},
                5,
                {"inputSchema": EMPTY},
                {"name": "t", "inputSchema": EMPTY},
                {"name": "hinted", "inputSchema": EMPTY, "annotations": {"readOnlyHint": "maybe"}},
            ]
            answer(request, {"tools": tools})
        case "page is not an object":
            answer(request, 7)
        case "no tools capability":
            refuse(request, -32601)
        case _:
            answer(request, {"tools": [TOOL]})


def leave_daemon(*, keeps_pipes: bool) -> None:
    """Start a process in a session of its own, with an empty environment, whose parent has ended."""
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    if not keeps_pipes:
        for descriptor in range(3):
            os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
    sleeping = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    os.execve(sys.executable, [sys.executable, "-S", "-E", "-c", sleeping, DAEMON_WORD], {})  # noqa: S606


DAEMON_WORD = "left-by-%d" % os.getpid()


def end_at_the_probe(message: Any) -> None:
    if BEHAVIOUR.startswith("refuses"):
        refuse(message, -32601)
    sys.exit(1)


def main() -> None:
    if BEHAVIOUR.startswith("leaves a daemon"):
        leave_daemon(keeps_pipes="with its pipes" in BEHAVIOUR)
    if BEHAVIOUR == "long usage":
        sys.stderr.write("cannot open /etc/nothing\n" + "".join("usage %d\n" % n for n in range(60)))
        sys.exit(2)
    if BEHAVIOUR == "endless line":
        while True:
            sys.stdout.buffer.write(b"x" * 65536)
    if BEHAVIOUR == "ends at once":
        sys.stderr.write("cannot open /etc/nothing\n")
        sys.exit(7)
    if BEHAVIOUR == "cannot be ended":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    if BEHAVIOUR == "slow to start":
        time.sleep(2.5)
    is_initialized = False
    for line in sys.stdin:
        message = json.loads(line)
        sys.stderr.write("got %s\n" % message.get("method"))
        sys.stderr.flush()
        match message.get("method"):
            case "server/discover" if BEHAVIOUR == "exits without a handshake":
                answer(message, {**INITIALIZED, "supportedVersions": ["2026-07-28"]})
            case "server/discover" if BEHAVIOUR.endswith("exits at the probe"):
                end_at_the_probe(message)
            case "server/discover" if BEHAVIOUR in {"silent at the probe", "never answers"}:
                pass
            case "server/discover":
                refuse(message, -32601)
            case "initialize" if BEHAVIOUR == "never answers":
                pass
            case "initialize" if BEHAVIOUR == "odd identity":
                answer(message, {**INITIALIZED, "serverInfo": ["x"], "capabilities": 5, "extra": 1})
            case "initialize" if BEHAVIOUR == "refuses":
                refuse(message, -32000, "not today")
            case "initialize":
                is_initialized = True
                answer(message, INITIALIZED)
            case "tools/list":
                listing(message)
            case "tools/call" if BEHAVIOUR == "exits without a handshake" and not is_initialized:
                sys.stderr.write("Error: expected initialize\n")
                sys.stderr.flush()
                os._exit(1)
            case "tools/call":
                call(message)
            case _:
                pass
    if BEHAVIOUR in {"cannot be ended", "ignores its end"}:
        time.sleep(600)


main()
