"""`sightline hosts`: the host profiles, with versions and sources; one result through all of them."""

import click

from inspector.boundary.options import DEFAULT_POLICY, Level
from inspector.cli.diagnostics import OK
from inspector.cli.lenses import Lens
from inspector.cli.output import columns, print_json, print_lines, table
from inspector.errors import UsageError
from inspector.hosts.registry import NOT_OBSERVED, hosts


@click.command()
@click.option("--compare", is_flag=True, help="Print one result through all hosts.")
@click.option("--result", "result_file", metavar="FILE", help="What is compared, as for sightline project.")
@click.option("--tool", "tool_file", metavar="FILE", help="The tool's definition, as tools/list gives it.")
@click.option("--server-name", metavar="NAME", help="The name under which a host knows the server.")
@click.option(
    "--boundary",
    type=click.Choice([level.value for level in Level]),
    help="How much is withheld from the models: declared, where nothing is said.",
)
@click.option("--host", "host_name", metavar="NAME", help="Print what the model of this host sees, in full.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    *,
    compare: bool,
    result_file: str | None,
    tool_file: str | None,
    server_name: str | None,
    boundary: str | None,
    host_name: str | None,
    format_: str,
) -> int:
    """List the hosts whose model context Sightline can show; with --compare, show what each makes of a result."""
    if compare:
        if result_file is None:
            raise UsageError("--compare: no result", "Give it with --result FILE; - is stdin.")
        if result_file == "-" and tool_file == "-":
            raise UsageError("--result - and --tool - both read stdin", "Put one of them into a file.")
        level = Level(boundary or Level.DECLARED.value)
        _compare(result_file, tool_file, server_name or "server", level, host_name, as_json=format_ == "json")
        return OK
    if any(given is not None for given in (result_file, tool_file, server_name, boundary, host_name)):
        raise UsageError("nothing to compare", "Give --compare beside --result FILE.")
    _list(as_json=format_ == "json")
    return OK


def _list(*, as_json: bool) -> None:
    found = hosts()
    if as_json:
        print_json(
            {
                "hosts": [
                    {
                        "name": host.name,
                        "title": host.title,
                        "version": host.version,
                        "asOf": host.as_of,
                        "how": host.how,
                        "source": host.source,
                        "notes": host.notes,
                    }
                    for host in found
                ]
            }
        )
        return
    rows = [("HOST", "VERSION", "AS OF", "KNOWN BY", "NOTES")]
    rows += [(host.name, host.version, host.as_of, host.how, host.notes) for host in found]
    print_lines(
        [*table(rows, columns()), "", f"Not observed, so without a profile: {', '.join(NOT_OBSERVED)}."]
    )


def _compare(
    result_file: str,
    tool_file: str | None,
    server_name: str,
    level: Level,
    host_name: str | None,
    *,
    as_json: bool,
) -> None:
    from inspector.cli.comparison import comparison_lines, comparison_shape, host_lines  # noqa: PLC0415
    from inspector.cli.documents import nonce_of, read_outcome, read_tool  # noqa: PLC0415
    from inspector.hosts.comparison import compare  # noqa: PLC0415
    from inspector.hosts.profile import Call  # noqa: PLC0415

    if host_name is not None:
        Lens(level=level, host=host_name, policy=DEFAULT_POLICY).profile()
    outcome = read_outcome(result_file)
    tool = read_tool(tool_file) if tool_file else None
    call = Call(server=server_name, tool=tool.name if tool else "tool", nonce=nonce_of(outcome))
    found = compare(outcome, tool, level, call=call)
    if as_json:
        print_json(comparison_shape(found))
        return
    lines = comparison_lines(found, columns())
    row = found.row(host_name) if host_name else None
    print_lines([*lines, "", *host_lines(row, level)] if row else lines)
