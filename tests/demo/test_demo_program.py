import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.demo.server import SEED_VARIABLE
from inspector.json.exact import dump
from tests.demo.clients import PATIENCE_S, StdioClient, call, enveloped, fetch, member, read_object, request

DEMO = (sys.executable, "-m", "inspector.demo")
KEY = request(1, "tools/call", enveloped(call("generate_api_key")))


def run(*arguments: str, seed: str | None = None, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **({SEED_VARIABLE: seed} if seed else {})}
    return subprocess.run(
        [*DEMO, *arguments],
        input=stdin,
        capture_output=True,
        timeout=PATIENCE_S,
        env=environment,
        check=False,
    )


def key_of(done: subprocess.CompletedProcess[bytes]) -> object:
    assert done.returncode == 0
    return member(read_object(done.stdout), "result", "structuredContent", "secret")


def test_a_seed_makes_runs_repeatable() -> None:
    line = dump(KEY) + b"\n"
    by_environment = key_of(run("stdio", seed="7", stdin=line))
    assert key_of(run("stdio", "--seed", "7", stdin=line)) == by_environment
    assert key_of(run("stdio", "--seed", "8", seed="7", stdin=line)) != by_environment
    assert key_of(run("stdio", stdin=line)) != key_of(run("stdio", stdin=line))


def test_standard_input_and_output_may_be_files(tmp_path: Path) -> None:
    asked, answered = tmp_path / "asked", tmp_path / "answered"
    asked.write_bytes(dump(KEY) + b"\n")
    with asked.open("rb") as stdin, answered.open("wb") as stdout:
        done = subprocess.run(
            [*DEMO, "stdio"],
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            timeout=PATIENCE_S,
            check=True,
        )
    assert member(read_object(answered.read_bytes()), "id") == 1
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments", [(), ("carrier-pigeon",), ("http", "--port", "x"), ("stdio", "--page-size", "0")]
)
def test_a_wrong_command_line_is_a_usage_error(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.returncode, b"Traceback" in done.stderr) == (2, False)


@pytest.mark.parametrize("busy", [True, False])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, None])
async def test_the_stdio_server_ends_without_an_error(number: signal.Signals | None, *, busy: bool) -> None:
    async with await StdioClient.start() as client:
        if busy:
            params = enveloped(call("export_report", {"seconds": 60, "steps": 1}))
            await client.send(request(1, "tools/call", params))
        await client.ask(request(2, "ping"))
        if number:
            client.process.send_signal(number)
            async with asyncio.timeout(PATIENCE_S):
                assert await client.process.wait() == 0
        code, errors = await client.leave()
        assert (code, b"Traceback" in errors, errors.count(b"\n")) == (0, False, 1)


def test_a_client_that_does_not_read_cannot_keep_the_server_alive() -> None:
    command = [*DEMO, "stdio"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0) as process:
        assert process.stdin
        assert process.stdout
        for number in range(4):
            params = enveloped(call("list_audit_log", {"rows": 50_000}))
            process.stdin.write(dump(request(number, "tools/call", params)) + b"\n")
        # It has begun to write more than a pipe can buffer.
        assert process.stdout.read(1) == b"{"
        process.terminate()
        assert process.wait(PATIENCE_S) == 0


def test_the_server_ends_silently_when_its_client_is_gone() -> None:
    with subprocess.Popen(
        [*DEMO, "stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.write(dump(KEY) + b"\n")
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_the_http_server_prints_its_address_and_leaves_nothing_behind(number: signal.Signals) -> None:
    process = await asyncio.create_subprocess_exec(
        *DEMO, "http", stderr=asyncio.subprocess.PIPE, start_new_session=True
    )
    assert process.stderr
    async with asyncio.timeout(PATIENCE_S):
        line = (await process.stderr.readline()).decode()
        url = line.removeprefix("listening on ").rstrip("\n")
        origin = url.removesuffix("/mcp")
        assert line == f"listening on {origin}/mcp\n"
        # An open stream must not delay it.
        host, port = origin.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await reader.readuntil(b"endpoint")
        process.send_signal(number)
        _, errors = await process.communicate()
    assert (process.returncode, errors) == (0, b"")
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    with pytest.raises(ConnectionRefusedError):
        await fetch(origin, "GET", "/mcp")
    writer.close()


async def test_a_port_that_is_in_use_ends_the_program_with_code_4() -> None:
    server = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        done = await asyncio.to_thread(run, "http", "--port", str(port))
    assert (done.returncode, b"Traceback" in done.stderr) == (4, False)
    assert done.stderr.startswith(f"cannot listen on 127.0.0.1 port {port}".encode())


HEAVY = (
    "mcp",
    "mcp_types",
    "pydantic",
    "anyio",
    "httpx",
    "httpx2",
    "starlette",
    "textual",
    "rich",
    "jsonschema",
)


def test_no_heavy_module_is_loaded_at_the_start() -> None:
    code = f"import sys, inspector.demo.__main__; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
