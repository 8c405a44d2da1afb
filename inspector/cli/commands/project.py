"""`sightline project --result FILE`: the projection alone, offline."""

import sys
from pathlib import Path

import click

from inspector.cli.diagnostics import DIAGNOSTICS, OK
from inspector.cli.lenses import lenses, lenses_of
from inspector.cli.output import columns, print_json, print_lines
from inspector.cli.shapes import findings_shape, withheld_shape
from inspector.cli.side_by_side import side_by_side
from inspector.core.catalogue import Kind, Tool, decode_page
from inspector.core.hosts.profile import Call
from inspector.core.json_text import Json, JsonText, Malformed, parse
from inspector.core.outcome import Outcome, Result, RpcError
from inspector.core.projection import project
from inspector.errors import UsageError


@click.command()
@click.option(
    "--result",
    "result_file",
    required=True,
    metavar="FILE",
    help="A tools/call result, any JSON value of a page, or a whole JSON-RPC response; - is stdin.",
)
@click.option(
    "--tool", "tool_file", metavar="FILE", help="The tool's definition, as tools/list gives it; - is stdin."
)
@click.option(
    "--server-name",
    default="server",
    show_default=True,
    metavar="NAME",
    help="The name under which a host knows the server.",
)
@lenses
@click.option("--unmask", is_flag=True, help="Show sensitive values in the raw view.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("-q", "quiet", is_flag=True, help="Nothing on stderr but errors.")
def command(
    *,
    result_file: str,
    tool_file: str | None,
    server_name: str,
    unmask: bool,
    format_: str,
    quiet: bool,
    **options: object,
) -> int:
    """Show what a model would see of a result, with no server and no network."""
    DIAGNOSTICS.quiet = quiet
    if result_file == "-" and tool_file == "-":
        raise UsageError("--result - and --tool - both read stdin", "Put one of them into a file.")
    lens = lenses_of(options)
    host = lens.profile()
    outcome = _outcome(_json(result_file))
    tool = _tool(_json(tool_file)) if tool_file else None
    call = Call(server=server_name, tool=tool.name if tool else "tool")
    shown = project(outcome, tool, lens.level, host, call=call)
    if format_ == "json":
        print_json(
            {
                "boundary": lens.level.value,
                "host": lens.host,
                "model": shown.context.model,
                "result": shown.bounded.result,
                "withheld": withheld_shape(shown.bounded.removals),
                "error": shown.bounded.error.value if shown.bounded.error else None,
                "findings": findings_shape(shown.bounded),
            }
        )
        return OK
    raw = shown.raw if unmask else shown.masked
    print_lines(side_by_side(raw, shown, lens.level, lens.host, columns()))
    return OK


def _json(path: str) -> Json:
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "Check the path; - is stdin.") from error
    match parse(raw):
        case JsonText(value=value):
            return value
        case Malformed(reason=reason):
            raise UsageError(f"{path}: {reason}", "A result is JSON, as tools/call answers it.")


def _outcome(value: Json) -> Outcome:
    """A whole JSON-RPC response is opened; anything else is the result itself."""
    if isinstance(value, dict) and "jsonrpc" in value:
        if "error" in value:
            return RpcError(value=value["error"])
        if "result" in value:
            return Result(value=value["result"])
    return Result(value=value)


def _tool(value: Json) -> Tool:
    page = decode_page(Kind.TOOL, {"tools": [value]})
    match page:
        case (Tool() as tool,):
            return tool
        case (Malformed(reason=reason),) | Malformed(reason=reason):
            raise UsageError(
                f"--tool: the definition {reason}", "It is one item of tools/list: name, inputSchema, …"
            )
        case _:
            raise UsageError("--tool: no definition", "It is one item of tools/list: name, inputSchema, …")
