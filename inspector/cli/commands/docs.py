"""`sightline docs TARGET`: a safety table of all tools, from what they declare."""

import click

from inspector.claims.safety import safety_rows
from inspector.cli.help import SectionedCommand
from inspector.cli.options import (
    ConnectionOptions,
    RecordingOptions,
    format_option,
    quiet_option,
    takes,
)
from inspector.cli.output import DIAGNOSTICS, print_lines
from inspector.cli.start import Invocation, in_session, launch_of, target_of
from inspector.errors import ExitCode
from inspector.protocol.catalogue import Catalogue
from inspector.review.formats.safety import FORMATS
from inspector.session.live import Session


@click.command(
    name="docs",
    cls=SectionedCommand,
    examples=("sightline docs demo > SAFETY.md", "sightline docs --format html -- node server.js"),
)
@click.argument("target", required=False)
@format_option("markdown", *(name for name in FORMATS if name != "markdown"))
@quiet_option
@takes("connection", ConnectionOptions)
@takes("recording", RecordingOptions)
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    target: str | None,
    format_: str,
    connection: ConnectionOptions,
    recording: RecordingOptions,
) -> int:
    """Print what each tool of TARGET declares about its safety.

    The columns are effect, reversibility, destinations, data and confirmation.
    """
    chosen = target_of(target, connection, invocation.command_line)
    launch = launch_of(chosen, connection, recording=recording)
    DIAGNOSTICS.say(f"connecting to {chosen} …")
    title, catalogue = in_session(launch, lambda session: _listed(session, str(chosen)))
    print_lines(FORMATS[format_](title, safety_rows(catalogue.tools), catalogue.malformed), exactly=True)
    return ExitCode.OK


async def _listed(session: Session, target: str) -> tuple[str, Catalogue]:
    catalogue = await session.list_all()
    server = session.server
    named = f"{server.name} {server.version}".strip() if server else ""
    return f"{named} ({target})" if named else target, catalogue
