"""A saved call as source code: curl, the Python SDK, the TypeScript SDK, pytest. It contains no secret."""

import json
import re
import shlex
from collections.abc import Iterator

from msgspec import Struct

from inspector.errors import UsageError
from inspector.json.exact import JsonObject, code_units, dump_text
from inspector.protocol.targets import (
    COVERED,
    DemoTarget,
    HttpTarget,
    StdioTarget,
    Target,
    secret_words,
    secrets_of_url,
)
from inspector.saved.call import Expectations, SavedCall

LANGUAGES = ("python", "typescript", "curl", "pytest")

_PROTOCOL = "2025-11-25"


class Generated(Struct, frozen=True, kw_only=True):
    """Source code, and notes on what the user has to add."""

    lines: tuple[str, ...]
    notes: tuple[str, ...] = ()


def generated(saved: SavedCall, target: Target, language: str, *, words: tuple[str, ...]) -> Generated:
    """The code of one call. Raises UsageError if no code in `language` can reach `target`.

    `words`: the target as on a command line, for pytest.
    """
    if isinstance(target, (StdioTarget, HttpTarget)):
        _check_plain(target)
    if language == "pytest":
        return Generated(lines=tuple(_pytest(saved, words)), notes=tuple(_notes(saved)))
    if not isinstance(target, (StdioTarget, HttpTarget)):
        serves = "sightline demo --serve http serves it and prints its URL. Give that URL as TARGET."
        hint = serves if isinstance(target, DemoTarget) else "Give a command or a URL."
        raise UsageError(f"{target} cannot be reached from other programs", hint)
    if isinstance(target, HttpTarget) and target.older_sse:
        raise UsageError(
            "no code for the older HTTP+SSE transport",
            "Give the URL at which the server offers Streamable HTTP.",
        )
    notes = tuple(_notes(saved, target))
    match language:
        case "python":
            return Generated(lines=tuple(_python(saved, target)), notes=notes)
        case "typescript":
            return Generated(lines=tuple(_typescript(saved, target)), notes=notes)
        case _:
            if isinstance(target, StdioTarget):
                raise UsageError("curl is for servers over HTTP", "Use --as python or --as typescript.")
            return Generated(lines=tuple(_curl(saved, target)), notes=notes)


def _check_plain(target: StdioTarget | HttpTarget) -> None:
    """Raise UsageError for a target with a secret in it, because code is kept and shared."""
    secrets = secret_words(target.command) if isinstance(target, StdioTarget) else secrets_of_url(target.url)
    if any(secrets):
        raise UsageError(
            f"{target} holds a secret, which the code would contain",
            f"Pass the secret ({COVERED}) to the server in an environment variable.",
        )


def _notes(saved: SavedCall, target: StdioTarget | HttpTarget | None = None) -> Iterator[str]:
    names = [_variable(source, argument) for argument, source in saved.secrets.items()]
    if target is not None:
        names += target.environment if isinstance(target, StdioTarget) else _headers(target).values()
    if names:
        yield f"Environment variables to set first: {', '.join(dict.fromkeys(names))}."


def _variable(source: str, argument: str) -> str:
    """The environment variable from which the code reads a secret argument.

    For a secret from the keyring, the name of the variable is made from the name of the argument.
    """
    kind, _, name = source.partition(":")
    return name if kind == "env" else _as_variable(argument)


def _as_variable(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9]", "_", name).upper()
    return f"_{plain}" if plain[:1].isdigit() else plain


def _headers(target: HttpTarget) -> dict[str, str]:
    """The headers of a target, each with the environment variable for its value."""
    return {name: _as_variable(name) for name, _ in target.headers}


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)


def _json(value: JsonObject) -> str:
    """JSON in ASCII, for a shell."""
    return re.sub(r"[^\x20-\x7e]", code_units, dump_text(value))


def _python(saved: SavedCall, target: StdioTarget | HttpTarget) -> Iterator[str]:
    is_command = isinstance(target, StdioTarget)
    headers = {} if is_command else _headers(target)
    variables = target.environment if is_command else headers
    yield '"""Made by sightline codegen. Needs: pip install \'mcp>=2.3\'."""'
    yield ""
    yield "import asyncio"
    yield "import json"
    if saved.secrets or variables:
        yield "import os"
    yield ""
    if is_command:
        yield "from mcp import Client, StdioServerParameters"
    else:
        yield "from mcp import Client"
        if headers:
            yield "from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client"
    yield ""
    if is_command:
        yield "SERVER = StdioServerParameters("
        yield f"    command={_literal(target.command[0])},"
        yield f"    args={_literal(list(target.command[1:]))},"
        if target.environment:
            pairs = ", ".join(
                f"{_literal(name)}: os.environ[{_literal(name)}]" for name in target.environment
            )
            yield f"    env={{{pairs}}},"
        if target.cwd:
            yield f"    cwd={_literal(target.cwd)},"
        yield ")"
    elif headers:
        pairs = ", ".join(f"{_literal(name)}: os.environ[{_literal(each)}]" for name, each in headers.items())
        yield f"HTTP = create_mcp_http_client(headers={{{pairs}}})"
        yield f"SERVER = streamable_http_client({_literal(target.url)}, http_client=HTTP)"
    else:
        yield f"SERVER = {_literal(target.url)}"
    yield f"ARGUMENTS = json.loads({_literal(dump_text(saved.arguments))})"
    for argument, source in saved.secrets.items():
        yield f"ARGUMENTS[{_literal(argument)}] = os.environ[{_literal(_variable(source, argument))}]"
    yield ""
    yield ""
    yield "async def main() -> None:"
    yield "    async with Client(SERVER) as client:"
    yield f"        result = await client.call_tool({_literal(saved.tool)}, ARGUMENTS)"
    yield "        print(result.model_dump_json(by_alias=True, exclude_none=True, indent=2))"
    yield ""
    yield ""
    yield "asyncio.run(main())"


def _typescript(saved: SavedCall, target: StdioTarget | HttpTarget) -> Iterator[str]:
    yield "// Made by sightline codegen. Needs: npm install @modelcontextprotocol/sdk"
    yield 'import { Client } from "@modelcontextprotocol/sdk/client/index.js";'
    if isinstance(target, StdioTarget):
        yield 'import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";'
        yield ""
        yield "const transport = new StdioClientTransport({"
        yield f"  command: {_literal(target.command[0])},"
        yield f"  args: {_literal(list(target.command[1:]))},"
        if target.environment:
            pairs = ", ".join(
                f'{_literal(name)}: process.env[{_literal(name)}] ?? ""' for name in target.environment
            )
            yield f"  env: {{ ...getDefaultEnvironment(), {pairs} }},"
        if target.cwd:
            yield f"  cwd: {_literal(target.cwd)},"
        yield "});"
    else:
        yield 'import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";'
        yield ""
        headers = _headers(target)
        pairs = ", ".join(
            f'{_literal(name)}: process.env[{_literal(each)}] ?? ""' for name, each in headers.items()
        )
        options = f", {{ requestInit: {{ headers: {{ {pairs} }} }} }}" if headers else ""
        yield f"const transport = new StreamableHTTPClientTransport(new URL({_literal(target.url)}){options});"
    yield f"const given = JSON.parse({_literal(dump_text(saved.arguments))});"
    for argument, source in saved.secrets.items():
        yield f"given[{_literal(argument)}] = process.env[{_literal(_variable(source, argument))}];"
    yield ""
    yield 'const client = new Client({ name: "sightline-codegen", version: "1.0.0" });'
    yield "await client.connect(transport);"
    yield f"const result = await client.callTool({{ name: {_literal(saved.tool)}, arguments: given }});"
    yield "console.log(JSON.stringify(result, null, 2));"
    yield "await client.close();"


def _curl(saved: SavedCall, target: HttpTarget) -> Iterator[str]:
    """A shell script that makes the call with curl.

    The script begins with a handshake, which every server over Streamable HTTP supports.
    """
    yield "#!/bin/sh"
    yield f"# Made by sightline codegen. Needs curl{' and jq' if saved.secrets else ''}."
    yield "set -eu"
    yield f"URL={shlex.quote(target.url)}"
    given = " ".join(f'-H "{name}: ${{{variable}}}"' for name, variable in _headers(target).items())
    accepts = "-H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream'"
    yield "post() {"
    yield f'  curl -sS {accepts} {given + " " if given else ""}"$@" "$URL"'
    yield "}"
    hello: JsonObject = {
        "protocolVersion": _PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "sightline-codegen", "version": "1.0.0"},
    }
    yield f"HELLO={shlex.quote(_json({'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': hello}))}"
    yield 'SESSION=$(post -D - -o /dev/null -d "$HELLO" | tr -d "\\r" | sed -n "s/^[Mm]cp-[Ss]ession-[Ii]d: //p")'
    yield f'set -- -H "MCP-Protocol-Version: {_PROTOCOL}"'
    yield '[ -z "$SESSION" ] || set -- "$@" -H "Mcp-Session-Id: $SESSION"'
    ready = shlex.quote(_json({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    yield f'post "$@" -o /dev/null -d {ready}'
    params: JsonObject = {"name": saved.tool, "arguments": saved.arguments}
    body = shlex.quote(_json({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}))
    if not saved.secrets:
        yield f'post "$@" -d {body}'
        return
    filled = " | ".join(
        f".params.arguments[{_literal(argument)}] = env[{_literal(_variable(source, argument))}]"
        for argument, source in saved.secrets.items()
    )
    # Through a pipe, because a program's arguments are visible in the list of processes.
    yield f"printf '%s' {body} | jq -c {shlex.quote(filled)} | post \"$@\" -d @-"


def _pytest(saved: SavedCall, words: tuple[str, ...]) -> Iterator[str]:
    """A test that uses the pytest plugin of this package.

    `words`: the target; empty if the configuration of pytest names it.
    """
    function = re.sub(r"\W+", "_", saved.name, flags=re.ASCII).strip("_").lower() or "call"
    yield '"""Made by sightline codegen. Needs: pip install mcp-sightline pytest."""'
    yield ""
    yield "import json"
    if saved.secrets:
        yield "import os"
    yield ""
    if words:
        yield "import pytest"
    if saved.secrets:
        yield "from inspector.testing import SecretText"
    if words or saved.secrets:
        yield ""
    yield f"ARGUMENTS = json.loads({_literal(dump_text(saved.arguments))})"
    yield f"EXPECTED = json.loads({_literal(dump_text(_expected(saved.expect)))})"
    yield ""
    yield ""
    if words:
        target = f"-- {shlex.join(words[1:])}" if words[0] == "--" else words[0]
        yield f"@pytest.mark.mcp_server({_literal(target)})"
    yield f"def test_{function}(mcp_server):"
    secrets = "".join(
        f", {_literal(argument)}: SecretText(os.environ[{_literal(_variable(source, argument))}])"
        for argument, source in saved.secrets.items()
    )
    given = f"**{{**ARGUMENTS{secrets}}}" if secrets else "**ARGUMENTS"
    yield f"    result = mcp_server.call({_literal(saved.tool)}, {given})"
    yield "    result.assert_meets(**EXPECTED)"


def _expected(expect: Expectations) -> JsonObject:
    """The expectations that differ from the defaults, as arguments of `assert_meets`."""
    shape: JsonObject = {
        "fits_schema": expect.fits_schema,
        "equals": dict(expect.equals),
        "contains": [*expect.contains],
        "matches": expect.matches,
        "withheld": [*expect.withheld],
        "absent_for": [*expect.absent_for],
        "at_most_tokens": expect.at_most_tokens,
        "at_most_ms": expect.at_most_ms,
        "error": expect.error,
    }
    return {
        key: value for key, value in shape.items() if value is not None and value not in (False, "", [], {})
    }
