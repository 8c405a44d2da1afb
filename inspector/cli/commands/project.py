"""`sightline project --result FILE`: the projection alone, offline."""

import click

from inspector.cli.definitions import definition_lines, definition_shape
from inspector.cli.diagnostics import DIAGNOSTICS, OK
from inspector.cli.documents import nonce_of, read_outcome, read_tool
from inspector.cli.lenses import Lens, lenses, lenses_of
from inspector.cli.output import columns, print_json, print_lines
from inspector.cli.shapes import findings_shape, unfinished_shape, withheld_shape
from inspector.cli.side_by_side import side_by_side
from inspector.errors import UsageError
from inspector.hosts.definitions.projection import project_definition
from inspector.hosts.profile import Call
from inspector.hosts.projection import project
from inspector.protocol.catalogue import Tool


@click.command()
@click.option(
    "--result",
    "result_file",
    metavar="FILE",
    help="A tools/call result, any JSON value of a page, or a whole JSON-RPC response; - is stdin."
    " Without it, the definition of --tool is projected.",
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
    result_file: str | None,
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
    tool = read_tool(tool_file) if tool_file else None
    if result_file is None:
        return _definition(tool, lens, as_json=format_ == "json")
    outcome = read_outcome(result_file)
    call = Call(server=server_name, tool=tool.name if tool else "tool", nonce=nonce_of(outcome))
    shown = project(outcome, tool, lens.level, host, call=call, policy=lens.policy)
    if format_ == "json":
        print_json(
            {
                "boundary": lens.level.value,
                "host": lens.host,
                "model": shown.context.model,
                "result": shown.bounded.result,
                "withheld": withheld_shape(shown.bounded.removals),
                "error": shown.bounded.error.value if shown.bounded.error else None,
                "undeclared": shown.undeclared,
                "findings": findings_shape(shown.findings),
                **unfinished_shape(shown),
            }
        )
        return OK
    raw = shown.raw if unmask else shown.masked
    print_lines(side_by_side(raw, shown, lens.level, lens.host, columns()))
    return OK


def _definition(tool: Tool | None, lens: Lens, *, as_json: bool) -> int:
    """Print what the model is given of the tool itself."""
    if tool is None:
        raise UsageError("nothing to project", "Give --result FILE, --tool FILE, or both.")
    shown = project_definition(tool, lens.level, lens.profile())
    if as_json:
        print_json(definition_shape(shown, lens.host))
    else:
        print_lines(definition_lines(shown, lens.host))
    return OK
