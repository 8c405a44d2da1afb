"""`sightline context TARGET`: what reaches a model before its first call, and what it costs."""

import click

from inspector.cli.options import (
    ConnectionOptions,
    LensOptions,
    RecordingOptions,
    SectionedCommand,
    format_option,
    quiet_option,
    takes,
)
from inspector.cli.output import OK, columns, print_json, print_lines, table
from inspector.cli.start import Invocation, in_session, launch_of, target_of
from inspector.hosts.context import ESTIMATE, GIVEN, Context, PartKind, context_of
from inspector.json.exact import JsonObject
from inspector.launch import Launch
from inspector.safe_text import safe_line
from inspector.session.live import Session


@click.command(
    cls=SectionedCommand,
    examples=("sightline context demo", "sightline context --host claude-code -- node server.js"),
)
@click.argument("target", required=False)
@format_option("text", "json")
@quiet_option
@takes("connection", ConnectionOptions)
@takes("lens", LensOptions, "level", "host")
@takes("recording", RecordingOptions)
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    target: str | None,
    format_: str,
    connection: ConnectionOptions,
    lens: LensOptions,
    recording: RecordingOptions,
) -> int:
    """Show what reaches a model before its first call to TARGET: instructions, definitions of tools, prompts.

    With the size of each part in bytes and tokens, the largest first.
    """
    host = lens.profile()
    chosen = target_of(target, connection, invocation.command_line)
    launch = launch_of(chosen, connection, lens=lens, recording=recording)

    async def work(session: Session) -> Context:
        catalogue = await session.list_all()
        instructions = session.server.instructions if session.server else None
        return context_of(instructions, catalogue, launch.level, host)

    found = in_session(launch, work)
    if format_ == "json":
        print_json(_shape(found, launch))
    else:
        print_lines(_lines(found, launch))
    return OK


def _shape(found: Context, launch: Launch) -> JsonObject:
    return {
        "boundary": launch.level.value,
        "host": launch.host,
        "tokens": ESTIMATE,
        "total": {"bytes": found.size_bytes(*GIVEN), "tokens": found.about_tokens(*GIVEN)},
        "prompts": {
            "bytes": found.size_bytes(PartKind.PROMPT),
            "tokens": found.about_tokens(PartKind.PROMPT),
        },
        "parts": [
            {
                "kind": part.kind.value,
                "name": part.name,
                "bytes": part.size_bytes,
                "tokens": part.about_tokens,
            }
            for part in found.parts
        ],
        "notes": [*found.notes],
    }


def _lines(found: Context, launch: Launch) -> list[str]:
    rows = [("TOKENS", "BYTES", "KIND", "WHAT")]
    rows += [
        (f"{part.about_tokens:,}", f"{part.size_bytes:,}", part.kind.value, safe_line(part.name))
        for part in found.parts
    ]
    prompts = found.about_tokens(PartKind.PROMPT)
    total = f"before the first call: about {found.about_tokens(*GIVEN):,} tokens ({ESTIMATE})"
    return [
        f"{launch.target} (boundary: {launch.level.value}, host: {launch.host})",
        *table(rows, columns()),
        total + (f"; the list of prompts: about {prompts:,} more" if prompts else ""),
        *found.notes,
    ]
