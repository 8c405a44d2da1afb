"""`sightline diff A B`: what changed of the definitions of a server."""

from collections.abc import Sequence
from pathlib import Path

import click

from inspector.cli.diagnostics import DIAGNOSTICS, OK
from inspector.cli.invocation import Invocation, in_session
from inspector.cli.output import print_json, print_lines
from inspector.core.catalogue import Tool
from inspector.core.foreign import safe_line
from inspector.core.identity.definitions import DefinitionChange, definition_changes
from inspector.core.json_text import Json
from inspector.core.recording.format import RecordedFrame
from inspector.core.recording.replaying import Replay
from inspector.core.targets import ConfiguredTarget, Target, parse_target, stdio_target
from inspector.errors import UsageError
from inspector.session import Options, Session
from inspector.store.recordings import Break, RecordingFile

DIFFERS = 12
_SUFFIX = ".jsonl"


@click.command()
@click.argument("before")
@click.argument("after", required=False)
@click.option("--exit-code", "exits", is_flag=True, help="Exit 12 where anything changed.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0.1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="For one request to a server.",
)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("-q", "quiet", is_flag=True, help="Nothing on stderr but errors.")
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    before: str,
    after: str | None,
    exits: bool,
    timeout_s: float,
    format_: str,
    quiet: bool,
) -> int:
    """Tell what changed of the tools from BEFORE to AFTER: recordings (*.jsonl), or targets.

    AFTER may be the command behind --. Of each change that makes a tool declare less, it is told what is lost.
    """
    DIAGNOSTICS.quiet = quiet
    if (after is None) == (invocation.command_line is None):
        raise UsageError("diff compares two", "Give two recordings or targets; the second may be -- COMMAND.")
    options = Options(timeout_s=timeout_s, connect_timeout_s=min(timeout_s, 30.0))
    later = stdio_target(invocation.command_line) if invocation.command_line is not None else after or ""
    found = definition_changes(_tools(before, options), _tools(later, options))
    if format_ == "json":
        print_json({"changes": [_shape(change) for change in found]})
    else:
        print_lines(_lines(found))
    return DIFFERS if exits and found else OK


def _tools(word: str | Target, options: Options) -> Sequence[Tool]:
    if isinstance(word, str) and word.endswith(_SUFFIX):
        return _recorded(Path(word))
    target = parse_target(word) if isinstance(word, str) else word
    if isinstance(target, ConfiguredTarget):
        from inspector.store.config import read_target  # noqa: PLC0415 - most targets need no file

        target = read_target(target.path, target.name)
    DIAGNOSTICS.say(f"connecting to {target} …")
    return in_session(target, options, _listed)


async def _listed(session: Session) -> Sequence[Tool]:
    return (await session.list_all()).tools


def _recorded(path: Path) -> Sequence[Tool]:
    """The tools of a recording, each as it was listed last."""
    file = RecordingFile(path)
    replay = Replay()
    for line in file.lines():
        if isinstance(line, RecordedFrame):
            for _ in replay.take(replay.frame(line)):
                pass
        elif isinstance(line, Break):
            DIAGNOSTICS.say(f"{path} line {line.line}: {line.reason}; what is before it is compared")
    file.close()
    return replay.definitions.tools


def _shape(change: DefinitionChange) -> Json:
    return {
        "tool": change.tool,
        "kind": change.kind.value,
        "pointer": change.pointer,
        "weakens": list(change.weakens),
    }


def _lines(found: tuple[DefinitionChange, ...]) -> list[str]:
    lines: list[str] = []
    for change in found:
        sign = "!" if change.weakens else " "
        where = f" {change.pointer}" if change.pointer else ""
        lines.append(f"{sign} {safe_line(change.tool)}{safe_line(where)} {change.kind.value}")
        lines += [f"    declares less: {safe_line(what)}" for what in change.weakens]
    weaker = sum(bool(change.weakens) for change in found)
    return [*lines, f"{len(found)} changes, {weaker} of which declare less"]
