"""The pytest plugin: what importing it costs, and what a call costs beyond the server's own time."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.measuring import Measurement, measured
from inspector.testing import McpServer, connect

SERVER = Path(__file__).parent.parent / "tests" / "testing" / "project" / "plain.py"
CALLS = 300
_IMPORT = "import time, pytest; at = time.perf_counter(); import inspector.testing.plugin; print(time.perf_counter() - at)"
_HELLO = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n'
_CALL = (
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"make_key","arguments":{"name":"x"}}}\n'
)


def main() -> None:
    """Print all measurements."""
    print("Tests")
    imported = tuple(_imported() for _ in range(7))
    print(Measurement(name="import of the plugin, after pytest", runs_s=imported).line())
    bare = measured("call over bare pipes", _bare)
    print(bare.line())
    with connect([sys.executable, str(SERVER)]) as server:
        print(measured("mcp_server.call", lambda: _calls(server)).line(bare))
        print(measured("async_mcp_server.call", lambda: _async_calls(server)).line(bare))
        print(measured("call, three assertions", lambda: _asserted(server)).line(bare))


def _imported() -> float:
    ran = subprocess.run([sys.executable, "-c", _IMPORT], capture_output=True, check=True)
    return float(ran.stdout)


def _bare() -> float:
    """Seconds of one call, with nothing but two pipes between."""
    with subprocess.Popen(
        [sys.executable, str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin  # noqa: S101 - they are pipes
        assert process.stdout  # noqa: S101 - as above
        process.stdin.write(_HELLO)
        process.stdin.flush()
        process.stdout.readline()
        started = time.perf_counter()
        for _ in range(CALLS):
            process.stdin.write(_CALL)
            process.stdin.flush()
            process.stdout.readline()
        took = time.perf_counter() - started
        process.stdin.close()
    return took / CALLS


def _calls(server: McpServer) -> float:
    started = time.perf_counter()
    for _ in range(CALLS):
        server.call("make_key", name="x")
    return (time.perf_counter() - started) / CALLS


def _async_calls(server: McpServer) -> float:
    async def all_of_them() -> float:
        started = time.perf_counter()
        for _ in range(CALLS):
            await server.asynchronous.call("make_key", name="x")
        return (time.perf_counter() - started) / CALLS

    return asyncio.run(all_of_them())


def _asserted(server: McpServer) -> float:
    started = time.perf_counter()
    for _ in range(CALLS // 10):
        result = server.call("make_key", name="x")
        result.assert_fits_schema()
        result.assert_withheld("/secret")
        result.assert_never_seen("plr_", hosts="all")
    return (time.perf_counter() - started) / (CALLS // 10)


if __name__ == "__main__":
    main()
