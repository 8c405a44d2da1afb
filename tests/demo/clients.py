"""Raw clients for the demo's dialogues: they write and read bytes, and know nothing of MCP but its envelope."""

import asyncio
import http.client
import sys
from dataclasses import dataclass
from typing import Self

from inspector.json.exact import Json, JsonObject, JsonText, dump, parse

PATIENCE_S = 20.0
"""The time, in seconds, that a test waits for an event that must happen."""

MODERN = "2026-07-28"
LEGACY = "2025-11-25"

ARGUMENTS: dict[str, JsonObject] = {
    "echo_arguments": {"text": "hello", "count": 2},
    "clean_clock": {},
    "generate_api_key": {"name": "production"},
    "create_share_link": {"document": "/handbook.md", "ttl": 60},
    "rotate_token": {"service": "wiki"},
    "sync_calendar": {},
    "read_drafts": {"folder": "handover"},
    "list_inbox": {},
    "send_mail": {"to": "pia@printers.example", "subject": "Hello", "body": "Hi"},
    "search_web": {"query": "harbours"},
    "delete_project": {"project": "old-website"},
    "export_report": {"seconds": 0.05, "steps": 3},
    "list_audit_log": {"rows": 20},
    "update_salary": {"person": "ada", "amount": 72_000},
    "patient_record": {"person": "chidi"},
    "team_photo": {},
    "resolve_path": {"path": "/handbook.md"},
    "write_file": {"path": "/notes.md", "text": "n", "mode": "create"},
    "poisoned_weather": {"city": "Kiel"},
    "odd_claims": {},
    "broken_tool": {},
}
"""Arguments with which every tool does its job, in the order of the list."""


def member(value: Json, *path: str | int) -> Json:
    """The value at a path of keys and indices."""
    for step in path:
        match value, step:
            case dict(), str():
                value = value[step]
            case list(), int():
                value = value[step]
            case _:
                raise AssertionError(f"no {step!r} in {value!r}")
    return value


def read_object(raw: bytes) -> JsonObject:
    parsed = parse(raw)
    assert isinstance(parsed, JsonText), parsed
    assert parsed.faults == ()
    assert isinstance(parsed.value, dict), parsed
    return parsed.value


def request(identity: Json, method: str, params: JsonObject | None = None) -> JsonObject:
    message: JsonObject = {"jsonrpc": "2.0", "id": identity, "method": method}
    return message if params is None else {**message, "params": params}


def initialize(version: str = LEGACY) -> JsonObject:
    client: JsonObject = {"name": "test", "version": "1"}
    params: JsonObject = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
    return request("init", "initialize", params)


def enveloped(params: JsonObject | None = None, meta: JsonObject | None = None) -> JsonObject:
    """Parameters with the metadata that a stateless request carries."""
    envelope: JsonObject = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        **(meta or {}),
    }
    return {**(params or {}), "_meta": envelope}


def call(name: str, arguments: JsonObject | None = None) -> JsonObject:
    return {"name": name, "arguments": ARGUMENTS[name] if arguments is None else arguments}


class StdioClient:
    """The demo as a child process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.others: list[JsonObject] = []
        """Messages that arrived while another answer was awaited."""

    @classmethod
    async def start(cls, *options: str) -> Self:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "inspector.demo",
            "stdio",
            *options,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=64 * 1024 * 1024,
        )
        return cls(process)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.communicate()

    async def write(self, raw: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(raw)
        await self.process.stdin.drain()

    async def send(self, message: Json) -> None:
        await self.write(dump(message) + b"\n")

    async def read_line(self) -> bytes:
        assert self.process.stdout
        async with asyncio.timeout(PATIENCE_S):
            return await self.process.stdout.readline()

    async def read(self) -> JsonObject:
        return read_object(await self.read_line())

    async def ask(self, message: JsonObject) -> JsonObject:
        """Send a request and wait for its answer."""
        await self.send(message)
        while True:
            received = await self.read()
            if received.get("id") == message["id"] and "method" not in received:
                return received
            self.others.append(received)

    async def opened(self, version: str = LEGACY) -> Self:
        """This client, after the handshake."""
        await self.ask(initialize(version))
        await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    async def leave(self) -> tuple[int, bytes]:
        """Close standard input. Returns the exit code and all of standard error."""
        _, errors = await self.hang_up()
        assert self.process.returncode is not None
        return self.process.returncode, errors

    async def hang_up(self) -> tuple[bytes, bytes]:
        """Close standard input. Returns the unread rest of standard output and standard error."""
        assert self.process.stdin
        self.process.stdin.close()
        async with asyncio.timeout(PATIENCE_S):
            return await self.process.communicate()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The answer to an HTTP request."""

    status: int
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def value(self) -> JsonObject:
        return read_object(self.body)

    @property
    def events(self) -> list[JsonObject]:
        """The messages of an event stream."""
        lines = self.body.split(b"\n")
        return [read_object(line.removeprefix(b"data: ")) for line in lines if line.startswith(b"data: ")]


async def fetch(
    origin: str, method: str, path: str, headers: dict[str, str] | None = None, body: bytes | None = None
) -> Reply:
    """One HTTP exchange on a connection of its own."""
    return await asyncio.to_thread(_fetch, origin, method, path, headers or {}, body)


def _fetch(origin: str, method: str, path: str, headers: dict[str, str], body: bytes | None) -> Reply:
    connection = http.client.HTTPConnection(origin.removeprefix("http://"), timeout=PATIENCE_S)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        named = {name.lower(): value for name, value in response.getheaders()}
        return Reply(status=response.status, headers=named, body=response.read())
    finally:
        connection.close()


POSTED = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


async def post(origin: str, message: Json | bytes, headers: dict[str, str] | None = None) -> Reply:
    raw = message if isinstance(message, bytes) else dump(message)
    return await fetch(origin, "POST", "/mcp", {**POSTED, **(headers or {})}, raw)


def stateless_headers(message: JsonObject, **others: str) -> dict[str, str]:
    """The headers in which a stateless request repeats parts of its body."""
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": str(message["method"])}
    params = message.get("params")
    name = (params.get("name") or params.get("uri")) if isinstance(params, dict) else None
    return {**headers, **({"Mcp-Name": name} if isinstance(name, str) else {}), **others}
