"""`sightline docs TARGET`: a safety table of all tools, from what they claim."""

import click

from inspector.claims.safety import safety_rows
from inspector.cli.diagnostics import DIAGNOSTICS, OK
from inspector.cli.options import Invocation, in_session, reach_of, reaching
from inspector.cli.output import print_lines
from inspector.cli.recording import recording, wish_of
from inspector.protocol.catalogue import Catalogue
from inspector.review.formats.safety import FORMATS
from inspector.session.live import Session


@click.command(name="docs")
@reaching
@recording
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="markdown", show_default=True)
@click.pass_obj
def command(invocation: Invocation, *, target: str | None, format_: str, **options: object) -> int:
    """Print what every tool of TARGET claims of its safety: effect, reversibility, destinations, data, confirmation."""
    reach, wish = reach_of(options), wish_of(options)
    chosen = reach.target(target, invocation)
    session_options = wish.taken(reach.options(), chosen)
    DIAGNOSTICS.say(f"connecting to {chosen} …")
    title, catalogue = in_session(chosen, session_options, lambda session: _listed(session, str(chosen)))
    print_lines(FORMATS[format_](title, safety_rows(catalogue.tools), catalogue.malformed))
    return OK


async def _listed(session: Session, target: str) -> tuple[str, Catalogue]:
    catalogue = await session.list_all()
    server = session.server
    named = f"{server.name} {server.version}".strip() if server else ""
    return f"{named} ({target})" if named else target, catalogue
