"""`sightline project --result FILE`: a model's view of a saved result or definition."""

import click

from inspector.boundary.options import Level
from inspector.cli.definitions import definition_lines, definition_shape
from inspector.cli.help import SectionedCommand, WordChoice
from inspector.cli.inputs import nonce_of, read_outcome, read_tool, result_hint
from inspector.cli.options import (
    WITHHOLDING,
    LensOptions,
    format_option,
    quiet_option,
    server_name_option,
    takes,
)
from inspector.cli.output import columns, print_json, print_lines
from inspector.cli.results import (
    UNMASK,
    ResultSides,
    addressing_of,
    remarks_shape,
    result_lines,
    unfinished_shape,
    withheld_shape,
)
from inspector.errors import ExitCode, UsageError
from inspector.hosts.definitions.projection import project_definition
from inspector.hosts.profile import Call
from inspector.hosts.projection import project
from inspector.protocol.catalogue import Tool


@click.command(
    cls=SectionedCommand,
    examples=(
        "sightline project --result result.json --tool tool.json",
        "sightline project --result - --host claude-code < result.json",
    ),
)
@click.argument("others", nargs=-1, metavar="")
@click.option(
    "--result",
    "result_file",
    metavar="FILE",
    help="A tools/call result, a JSON value of a page, or a whole JSON-RPC response; - is stdin."
    " Without --result, Sightline shows what the model gets of the definition in --tool.",
)
@click.option(
    "--tool",
    "tool_file",
    metavar="FILE[#NAME]",
    help="The tool's definition, or FILE#NAME for a tool in the output of sightline list --json; - is stdin.",
)
@server_name_option
@click.option("--unmask", is_flag=True, help=UNMASK)
@click.option(
    "--view",
    type=WordChoice(ResultSides),
    default=ResultSides.BOTH.value,
    show_default=True,
    help="Print what the model sees, what the server sent (raw), or both.",
)
@format_option("text", "json")
@quiet_option
@takes("lens", LensOptions)
def command(  # noqa: PLR0913 - an option each
    *,
    others: tuple[str, ...],
    result_file: str | None,
    tool_file: str | None,
    server_name: str | None,
    unmask: bool,
    view: ResultSides,
    format_: str,
    lens: LensOptions,
) -> int:
    """Show what a model would see of a saved result, without server or network."""
    if others:
        raise UsageError(
            f"too many words: {others[0]}",
            f"{result_hint(others[0]) or 'The result is --result FILE, or stdin.'} Try sightline project --help.",
        )
    if result_file == "-" and tool_file == "-":
        raise UsageError("--result - and --tool - both read stdin", "Put one of them into a file.")
    host = lens.profile()
    tool = read_tool(tool_file) if tool_file else None
    if result_file is None:
        lens.refuse(WITHHOLDING, "only works with --result", "A definition has no result: leave it out.")
        return _definition(tool, lens, as_json=format_ == "json")
    outcome = read_outcome(result_file)
    call = Call(server=server_name or "server", tool=tool.name if tool else "tool", nonce=nonce_of(outcome))
    shown = project(outcome, tool, lens.level, host, call=call, policy=lens.policy)
    model = shown.context.model if unmask else shown.masked_model
    if format_ == "json":
        passed = shown.bounded.result
        to_model, limit = addressing_of(shown)
        print_json(
            {
                "boundary": lens.level.value,
                "host": lens.host,
                "model": model,
                "result": passed if unmask or lens.level is not Level.OPEN else shown.masks.model(passed),
                "withheld": withheld_shape(shown.bounded.removals),
                "error": shown.bounded.error.value if shown.bounded.error else None,
                "undeclared": shown.undeclared.number,
                "undeclared_places": [*shown.undeclared.places],
                "remarks": remarks_shape((*shown.remarks, *to_model, *filter(None, (limit,)))),
                **unfinished_shape(shown),
            }
        )
        return ExitCode.OK
    raw = shown.raw if unmask else shown.masked_sent
    print_lines(result_lines(raw, shown, lens.host, columns(), view, model=model))
    return ExitCode.OK


def _definition(tool: Tool | None, lens: LensOptions, *, as_json: bool) -> int:
    """Print the model's view of the tool's definition."""
    if tool is None:
        raise UsageError("nothing to project", "Give --result FILE, --tool FILE, or both.")
    shown = project_definition(tool, lens.level, lens.profile())
    if as_json:
        print_json(definition_shape(shown, lens.host))
    else:
        print_lines(definition_lines(shown, lens.host))
    return ExitCode.OK
