"""`sightline diff A B`: what changed of the definitions of a server."""

from dataclasses import dataclass
from pathlib import Path

import click

from inspector.cli.changes import change_lines, changes_shape
from inspector.cli.diagnostics import DIAGNOSTICS, DIFFERS, OK
from inspector.cli.options import WAIT_S, Invocation, in_session, resolved
from inspector.cli.output import print_json, print_lines
from inspector.cli.recording import Wish, recording, wish_of
from inspector.errors import UsageError
from inspector.pins.diff import definition_changes
from inspector.pins.pins import Definitions
from inspector.protocol.catalogue import Kind, Tool, decode_page
from inspector.protocol.exchanges import Matched, own_answer
from inspector.protocol.targets import Target, parse_target, stdio_target
from inspector.recording.files import Break, RecordingFile
from inspector.recording.format import Connected, Listed, RecordedFrame
from inspector.recording.replaying import Replay
from inspector.session.live import Session
from inspector.session.options import Options

_SUFFIX = ".jsonl"
_PIN = "pin:"
_SAYS_INSTRUCTIONS = frozenset({"initialize", "server/discover"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    definitions: Definitions
    has_instructions: bool = True
    """Whether it is known what the instructions were."""


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
@recording
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
    **options: object,
) -> int:
    """Tell what changed from BEFORE to AFTER: recordings (*.jsonl), pins (pin:TARGET), or targets.

    AFTER may be the command behind --. Of each change that makes a tool declare less, it is told what is lost.
    """
    DIAGNOSTICS.quiet = quiet
    if (after is None) == (invocation.command_line is None):
        raise UsageError(
            "diff compares two", "Give two recordings, pins or targets; the second may be -- COMMAND."
        )
    later = stdio_target(invocation.command_line) if invocation.command_line is not None else after or ""
    recorded = wish_of(options)
    live = [word for word in (before, later) if not _is_at_rest(word)]
    if recorded.path is not None and len(live) != 1:
        raise UsageError(
            "--record records one session",
            "Compare one target, with its recording or its pin; or leave it out.",
        )
    how = Options(timeout_s=timeout_s, connect_timeout_s=min(timeout_s, 30.0), wait_s=WAIT_S)
    old, new = _side(before, how, recorded), _side(later, how, recorded)
    found = definition_changes(old.definitions.tools, new.definitions.tools)
    known = old.has_instructions and new.has_instructions
    instructions = old.definitions.instructions != new.definitions.instructions if known else None
    if format_ == "json":
        print_json(changes_shape(found, instructions=instructions))
    else:
        print_lines(change_lines(found, instructions=instructions))
    return DIFFERS if exits and (found or instructions) else OK


def _is_at_rest(word: str | Target) -> bool:
    """Whether it is a file that is compared, and no session."""
    return isinstance(word, str) and (word.endswith(_SUFFIX) or word.startswith(_PIN))


def _side(word: str | Target, options: Options, recorded: Wish) -> _Side:
    if isinstance(word, str) and word.endswith(_SUFFIX) and not word.startswith(_PIN):
        return _recorded(Path(word))
    if isinstance(word, str) and word.startswith(_PIN):
        return _pinned(_target(word.removeprefix(_PIN)))
    target = _target(word)
    DIAGNOSTICS.say(f"connecting to {target} …")
    return _Side(definitions=in_session(target, recorded.taken(options, target), listed))


def _target(word: str | Target) -> Target:
    return resolved(parse_target(word)) if isinstance(word, str) else word


async def listed(session: Session) -> Definitions:
    """What a server tells of itself now."""
    catalogue = await session.list_all()
    return Definitions(
        tools=catalogue.tools, instructions=session.server.instructions if session.server else None
    )


def _pinned(target: Target) -> _Side:
    from inspector.pins.files import known_as, read_pin  # noqa: PLC0415 - most comparisons have no pin

    found = read_pin(known_as(target))
    if found is None:
        raise UsageError(f"nothing is pinned of {target}", "sightline pin --list shows what is.")
    return _Side(definitions=found.definitions)


def _recorded(path: Path) -> _Side:
    """The tools of a recording, each as it was listed last; the instructions as they were said last."""
    file = RecordingFile(path)
    replay = Replay()
    said = _Instructions()
    of_page: tuple[Tool, ...] | None = None
    for line in file.lines():
        match line:
            case Break():
                words = f"{path} line {line.line}: {line.reason}; what is before it is compared"
                DIAGNOSTICS.say(words)
                continue
            case RecordedFrame():
                matched = replay.matched(line)
                said.take(matched)
                for _ in replay.take(matched):
                    pass
            case Listed(tools=tools):
                of_page = tuple(
                    Tool(name=tool.name, definition=tool.definition)
                    for tool in tools
                    if isinstance(tool.definition, dict)
                )
            case Connected():
                replay.connect()
            case _:
                pass
    file.close()
    tools = _well_formed(replay.definitions.tools) if of_page is None else of_page
    return _Side(
        definitions=Definitions(tools=tools, instructions=said.last),
        has_instructions=said.is_said or of_page is not None,
    )


def _well_formed(tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """Those that a live listing would take for tools: of a pin and of a server no others are compared."""
    decoded = decode_page(Kind.TOOL, {"tools": [tool.definition for tool in tools]})
    return tuple(entry for entry in decoded if isinstance(entry, Tool)) if isinstance(decoded, tuple) else ()


class _Instructions:
    """What a server said of itself, as its answers come by."""

    def __init__(self) -> None:
        self.last: str | None = None
        self.is_said = False

    def take(self, matched: Matched) -> None:
        """One more frame."""
        for event in matched.events:
            request, result = own_answer(event) or (None, {})
            if request and request.method in _SAYS_INSTRUCTIONS:
                found = result.get("instructions")
                self.last, self.is_said = found if isinstance(found, str) else None, True
