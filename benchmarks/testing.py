"""The pytest plugin: the cost of importing it, and the cost of a call beyond the server's own time."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.measuring import Report
from inspector.testing import McpServer, connect

SERVER = Path(__file__).parent.parent / "tests" / "testing" / "project" / "plain.py"
CALLS = 300
_IMPORT = "import time, pytest; at = time.perf_counter(); import inspector.testing.plugin; print(time.perf_counter() - at)"
_HELLO = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n'
_CALL = (
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"make_key","arguments":{"name":"x"}}}\n'
)


def measure(report: Report) -> None:
    """Print all rows."""
    report.section("The pytest plugin")
    report.row("import, after pytest", [_imported() for _ in range(7)], aim=0.03)
    bare = report.row("call over bare pipes", [_bare() for _ in range(5)])
    with connect([sys.executable, str(SERVER)]) as server:
        for name, run in (("mcp_server.call", _calls), ("async_mcp_server.call", _async_calls)):
            beyond = [run(server) - bare.median for _ in range(5)]
            report.row(f"{name}, beyond that", beyond, aim=0.005)
        report.row("call, three assertions", [_asserted(server) for _ in range(5)])


def _imported() -> float:
    ran = subprocess.run([sys.executable, "-c", _IMPORT], capture_output=True, check=True)
    return float(ran.stdout)


def _bare() -> float:
    """The seconds of one call, with only two pipes in between."""
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
