"""`sightline serve RECORDING`: answers as the recorded MCP server did, for testing hosts and clients."""

from collections.abc import Iterator
from pathlib import Path

import click

from inspector.cli.help import SectionedCommand
from inspector.cli.output import DIAGNOSTICS
from inspector.errors import ExitCode, UsageError
from inspector.recording.answering import Answers
from inspector.recording.codec import Broken
from inspector.recording.files import Break, RecordingFile
from inspector.recording.format import Line


@click.command(
    cls=SectionedCommand,
    examples=("sightline serve session.jsonl", "sightline serve session.jsonl --http 8080"),
)
@click.argument("recording")
@click.option(
    "--http",
    "port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Serve over HTTP on the loopback interface, not on stdio; 0 takes a free port.",
)
@click.option(
    "--exact",
    is_flag=True,
    help="Answer only calls with recorded arguments; do not fall back to the nearest recorded call.",
)
@click.option("-q", "quiet", is_flag=True, help="Print only errors on stderr.")
def command(*, recording: str, port: int | None, exact: bool, quiet: bool) -> int:
    """Serve a recording as an MCP server, on stdio or HTTP, without starting the recorded server."""
    from inspector.recording.files.server import serve_http, serve_stdio  # noqa: PLC0415 - only this command serves

    DIAGNOSTICS.quiet = quiet and port is None
    file = RecordingFile(Path(recording))
    answers = Answers(_lines(file), lambda place: _line(file, place), exact=exact)
    if port is None:
        serve_stdio(answers.answer, DIAGNOSTICS.say)
    else:
        serve_http(answers.answer, DIAGNOSTICS.say, port)
    file.close()
    return ExitCode.OK


def _lines(file: RecordingFile) -> Iterator[tuple[int, Line]]:
    for place, line in enumerate(file.lines(), 1):
        if isinstance(line, Break):
            DIAGNOSTICS.say(f"line {line.line}: {line.reason}; the lines before it are served")
        else:
            yield place, line


def _line(file: RecordingFile, place: int) -> Line:
    line = file.line(place)
    if isinstance(line, Broken):
        raise UsageError("the recording has changed since it was opened", "Start again.")
    return line
