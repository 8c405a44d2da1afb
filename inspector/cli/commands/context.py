"""`sightline context TARGET`: the content that reaches a model before its first call, with its size."""

import asyncio

import click

from inspector.cli.help import SectionedCommand
from inspector.cli.options import (
    ConnectionOptions,
    LensOptions,
    RecordingOptions,
    format_option,
    quiet_option,
    takes,
)
from inspector.cli.output import columns, print_json, print_lines, table
from inspector.cli.start import Invocation, in_session, launch_of, target_of
from inspector.errors import ExitCode
from inspector.files.tokenizer import tokenizer
from inspector.hosts.context import ASSUMED, GIVEN, LISTED, Context, HostTotal, context_of, host_totals
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
@click.option("--hosts", "by_host", is_flag=True, help="Also show the total for every host.")
@takes("connection", ConnectionOptions)
@takes("lens", LensOptions, "level", "host")
@takes("recording", RecordingOptions)
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    target: str | None,
    format_: str,
    by_host: bool,
    connection: ConnectionOptions,
    lens: LensOptions,
    recording: RecordingOptions,
) -> int:
    """Show what reaches a model before its first call to TARGET: instructions, definitions of tools, prompts.

    Each part has its size in bytes and tokens. The largest comes first.
    """
    host = lens.profile()
    chosen = target_of(target, connection, invocation.command_line)
    launch = launch_of(chosen, connection, lens=lens, recording=recording)

    async def work(session: Session) -> tuple[Context, tuple[HostTotal, ...]]:
        catalogue = await session.list_all()
        instructions = session.server.instructions if session.server else None
        counter = await asyncio.to_thread(tokenizer)
        found = context_of(instructions, catalogue, launch.level, host, counter)
        return found, host_totals(instructions, catalogue, launch.level, counter) if by_host else ()

    found, totals = in_session(launch, work)
    if format_ == "json":
        of_hosts: JsonObject = {name: each.tokens for each in totals for name in each.hosts}
        print_json({**_shape(found, launch), **({"hosts": of_hosts} if by_host else {})})
    else:
        print_lines([*_lines(found, launch), *_totals(totals)])
    return ExitCode.OK


def _shape(found: Context, launch: Launch) -> JsonObject:
    return {
        "boundary": launch.level.value,
        "host": launch.host,
        "tokens": found.counted_by,
        "total": {"bytes": found.size_bytes(*GIVEN), "tokens": found.tokens(*GIVEN)},
        **{
            word: {"bytes": found.size_bytes(kind), "tokens": found.tokens(kind)}
            for kind, word in LISTED.items()
        },
        "parts": [
            {
                "kind": part.kind.value,
                "name": part.name,
                "bytes": part.size_bytes,
                "tokens": part.tokens,
            }
            for part in found.parts
        ],
        "notes": [*found.notes],
    }


def _lines(found: Context, launch: Launch) -> list[str]:
    rows = [("TOKENS", "BYTES", "KIND", "WHAT")]
    rows += [
        (f"{part.tokens:,}", f"{part.size_bytes:,}", part.kind.value, safe_line(part.name))
        for part in found.parts
    ]
    total = f"before the first call: {found.tokens(*GIVEN):,} tokens ({found.counted_by})"
    return [
        f"{launch.target} (boundary: {launch.level.value}, host: {launch.host})",
        *table(rows, columns()),
        total + found.more,
        *found.notes,
    ]


def _totals(totals: tuple[HostTotal, ...]) -> list[str]:
    rows = [("TOKENS", "HOSTS"), *((f"{each.tokens:,}", each.names) for each in totals)]
    assumed = [ASSUMED] if any(each.assumed for each in totals) else []
    return ["", *table(rows, columns()), *assumed] if totals else []
