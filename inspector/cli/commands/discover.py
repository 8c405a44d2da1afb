"""`sightline discover`: the servers that MCP clients on this machine are configured with. Nothing is started."""

import shlex
from collections.abc import Iterator
from itertools import groupby

import click

from inspector.cli.help import SectionedCommand
from inspector.cli.options import format_option, quiet_option
from inspector.cli.output import print_json, print_lines
from inspector.errors import ExitCode
from inspector.files.config import FoundServer, installed
from inspector.json.exact import JsonObject
from inspector.protocol.targets import StdioTarget, shown_command


@click.command(
    name="discover",
    cls=SectionedCommand,
    examples=("sightline discover", "sightline discover --format json"),
)
@format_option("text", "json")
@quiet_option
def command(*, format_: str) -> int:
    """List the servers in the configurations of MCP clients: of the current folder, then of the user.

    Nothing is started or connected to. Values of variables and headers are not shown.
    """
    found = list(installed())
    if format_ == "json":
        print_json({"servers": [_shape(each) for each in found]})
    else:
        print_lines(_lines(found), exactly=True)
    return ExitCode.OK


def _lines(found: list[FoundServer]) -> Iterator[str]:
    for (client, path), servers in groupby(found, key=lambda each: (each.client, each.path)):
        yield f"{client}, {path}"
        for each in servers:
            note = " (disabled)" if each.is_disabled else ""
            if each.problem:
                yield f"  ! {each.name or 'the file'}{note}: {each.problem}"
            else:
                yield f"  {each.name}{note}: {each.shown}"
                yield f"    sightline {shlex.quote(each.word)}"
        yield ""
    if found:
        yield "sightline review --installed reviews them, after asking once."
    else:
        yield "No configured servers. docs/configuration.md lists where Sightline looks."


def _shape(found: FoundServer) -> JsonObject:
    shape: JsonObject = {
        "client": found.client,
        "file": str(found.path),
        "name": found.name or None,
        "target": found.word,
        "disabled": found.is_disabled,
    }
    if found.problem:
        return {**shape, "problem": found.problem}
    target = found.covered()
    if isinstance(target, StdioTarget):
        return {
            **shape,
            "transport": "stdio",
            "command": list(shown_command(target.command)),
            "env": {**target.environment},
            "cwd": target.cwd,
        }
    transport = "sse" if target.older_sse else "http"
    return {**shape, "transport": transport, "url": str(target), "headers": dict(target.headers)}
