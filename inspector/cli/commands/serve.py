"""`sightline serve RECORDING`: a recorded session as an MCP server, for hosts and clients to be tested against."""

from collections.abc import Iterator
from pathlib import Path

import click

from inspector.cli.diagnostics import DIAGNOSTICS, OK
from inspector.errors import UsageError
from inspector.recording.answering import Answers
from inspector.recording.codec import Broken
from inspector.recording.files import Break, RecordingFile
from inspector.recording.format import Line


@click.command()
@click.argument("recording")
@click.option(
    "--http", "port", type=click.IntRange(0, 65535), metavar="PORT", help="On loopback; 0 takes a free port."
)
@click.option(
    "--exact",
    is_flag=True,
    help="Answer no call with other arguments than a recorded one, not even the nearest.",
)
@click.option("-q", "quiet", is_flag=True, help="Nothing on stderr but errors.")
def command(*, recording: str, port: int | None, exact: bool, quiet: bool) -> int:
    """Answer as a recorded server did, on stdio or HTTP; no server is started, and nothing is fetched."""
    from inspector.recording.files.server import serve_http, serve_stdio  # noqa: PLC0415 - only for who serves

    DIAGNOSTICS.quiet = quiet and port is None
    file = RecordingFile(Path(recording))
    answers = Answers(_lines(file), lambda place: _line(file, place), exact=exact)
    if port is None:
        serve_stdio(answers.answer, DIAGNOSTICS.say)
    else:
        serve_http(answers.answer, DIAGNOSTICS.say, port)
    file.close()
    return OK


def _lines(file: RecordingFile) -> Iterator[tuple[int, Line]]:
    for place, line in enumerate(file.lines(), 1):
        if isinstance(line, Break):
            DIAGNOSTICS.say(f"line {line.line}: {line.reason}; what is before it is served")
        else:
            yield place, line


def _line(file: RecordingFile, place: int) -> Line:
    line = file.line(place)
    if isinstance(line, Broken):
        raise UsageError("the recording has changed since it was opened", "Start again.")
    return line
