"""`sightline hosts`: the host profiles, with versions and sources."""

import click

from inspector.cli.diagnostics import OK
from inspector.cli.output import columns, print_json, print_lines, table
from inspector.core.hosts.registry import hosts
from inspector.core.hosts.table import NOT_OBSERVED


@click.command()
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(*, format_: str) -> int:
    """List the hosts whose model context Sightline can show."""
    found = hosts()
    if format_ == "json":
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
        return OK
    rows = [("HOST", "VERSION", "AS OF", "KNOWN BY", "NOTES")]
    rows += [(host.name, host.version, host.as_of, host.how, host.notes) for host in found]
    print_lines(
        [*table(rows, columns()), "", f"Not observed, so without a profile: {', '.join(NOT_OBSERVED)}."]
    )
    return OK
