"""`sightline diff A B`: the changes between two versions of a server's definitions."""

import re
from pathlib import Path

import click
from msgspec import Struct

from inspector.cli.definitions import Instructions, change_lines, changes_shape
from inspector.cli.help import SectionedCommand
from inspector.cli.options import (
    ConnectionOptions,
    RecordingOptions,
    format_option,
    quiet_option,
    takes,
)
from inspector.cli.output import DIAGNOSTICS, print_json, print_lines
from inspector.cli.start import Invocation, configured, in_session, launch_of
from inspector.errors import ExitCode, UsageError
from inspector.pins.pins import ServerDefinitions, changes_between, definitions_of
from inspector.protocol.catalogue import Kind, Tool, decode_page
from inspector.protocol.exchanges import Matched, own_answer
from inspector.protocol.targets import Target, parse_target, stdio_target
from inspector.recording.files import Break, RecordingFile
from inspector.recording.format import Connected, Listed, RecordedFrame
from inspector.recording.replaying import Replay
from inspector.session.live import Session

_SUFFIX = ".jsonl"
_PIN = "pin:"
_PIN_FORMAT = re.compile(rb'\s*\{\s*"format"\s*:\s*"sightline-pin"')
_RESULTS = "Results are not compared: sightline verify RECORDING TARGET compares them."
_SAYS_INSTRUCTIONS = frozenset({"initialize", "server/discover"})


class _Side(Struct, frozen=True, kw_only=True):
    definitions: ServerDefinitions
    has_instructions: bool = True
    """True if the instructions of the server are known on this side of the comparison."""


@click.command(
    cls=SectionedCommand,
    exits=(ExitCode.DIFFERS,),
    examples=(
        "sightline diff before.jsonl after.jsonl",
        "sightline diff --exit-code session.jsonl -- node server.js",
    ),
)
@click.argument("before")
@click.argument("after", required=False)
@click.option("--exit-code", "exits", is_flag=True, help="Exit with 12 if anything changed.")
@format_option("text", "json")
@quiet_option
@takes("connection", ConnectionOptions, "timeout_s")
@takes("recording", RecordingOptions)
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    before: str,
    after: str | None,
    exits: bool,
    format_: str,
    connection: ConnectionOptions,
    recording: RecordingOptions,
) -> int:
    """Show what changed from BEFORE to AFTER: recordings (*.jsonl), pins (pin:TARGET, or a file of pin --file) or targets.

    AFTER may be the command after --. A change that drops a restriction (a hint, a mark, a schema) is marked, with what is lost.
    """
    if (after is None) == (invocation.command_line is None):
        raise UsageError(
            "diff compares two recordings, pins or targets", "Give both; the second may be -- COMMAND."
        )
    later = stdio_target(invocation.command_line) if invocation.command_line is not None else after or ""
    live = [word for word in (before, later) if not _is_file(word)]
    if recording.path is not None and len(live) != 1:
        raise UsageError(
            "--record only works with one server",
            "Compare one server with a recording or a pin, or leave out --record.",
        )
    old, new = (_side(word, connection, recording) for word in (before, later))
    changes = changes_between(old.definitions, new.definitions)
    known = old.has_instructions and new.has_instructions
    both = Instructions(before=old.definitions.instructions, after=new.definitions.instructions)
    instructions = both if known else None
    if format_ == "json":
        print_json(changes_shape(changes, instructions=instructions))
    else:
        lines = change_lines(changes, instructions=instructions)
        has_recording = any(isinstance(word, str) and word.endswith(_SUFFIX) for word in (before, later))
        print_lines([*lines, _RESULTS] if has_recording else lines)
    return ExitCode.DIFFERS if exits and (changes or (known and both.kind)) else ExitCode.OK


def _is_file(word: str | Target) -> bool:
    """True for a recording or a pin, neither of which needs a session."""
    return isinstance(word, str) and (word.endswith(_SUFFIX) or word.startswith(_PIN) or _is_pin(word))


def _is_pin(word: str) -> bool:
    """True if `word` is the path of a file that `sightline pin --file` wrote.

    Such a file begins with the member `format`, which a configuration file does not have.
    """
    if not word.endswith(".json"):
        return False
    try:
        with Path(word).open("rb") as file:
            return _PIN_FORMAT.match(file.read(256)) is not None
    except OSError:
        return False


def _side(word: str | Target, connection: ConnectionOptions, recording: RecordingOptions) -> _Side:
    if isinstance(word, str) and word.endswith(_SUFFIX) and not word.startswith(_PIN):
        return _recorded(Path(word))
    if isinstance(word, str) and word.startswith(_PIN):
        return _pinned(_target(word.removeprefix(_PIN)))
    if isinstance(word, str) and _is_pin(word):
        return _pinned_in(Path(word))
    target = _target(word)
    DIAGNOSTICS.say(f"connecting to {target} …")
    return _Side(definitions=in_session(launch_of(target, connection, recording=recording), listed))


def _target(word: str | Target) -> Target:
    return configured(parse_target(word)) if isinstance(word, str) else word


async def listed(session: Session) -> ServerDefinitions:
    """The definitions of a server, as listed now."""
    catalogue = await session.list_all()
    return definitions_of(catalogue, session.server.instructions if session.server else None)


def _pinned(target: Target) -> _Side:
    from inspector.pins.files import known_as, read_pin  # noqa: PLC0415 - most comparisons have no pin

    found = read_pin(known_as(target))
    if found is None:
        raise UsageError(f"there is no pin of {target}", "sightline pin --list shows all pins.")
    return _Side(definitions=found.definitions)


def _pinned_in(path: Path) -> _Side:
    from inspector.pins.files import read_pin_at  # noqa: PLC0415 - as above

    found = read_pin_at(path)
    if found is None:
        raise UsageError(f"there is no {path}", "Check the path of the pin.")
    return _Side(definitions=found.definitions)


def _recorded(path: Path) -> _Side:
    """The tools and the instructions of a recording, each as last recorded."""
    file = RecordingFile(path)
    replay = Replay()
    instructions = _Instructions()
    of_page: tuple[Tool, ...] | None = None
    for line in file.lines():
        match line:
            case Break():
                words = f"{path} line {line.line}: {line.reason}; the lines before it are compared"
                DIAGNOSTICS.say(words)
                continue
            case RecordedFrame():
                matched = replay.matched(line)
                instructions.take(matched)
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
        definitions=ServerDefinitions(tools=tools, instructions=instructions.last),
        has_instructions=instructions.is_known or of_page is not None,
    )


def _well_formed(tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """The well-formed tools among `tools`. Malformed tools are left out, as in pins and live listings."""
    decoded = decode_page(Kind.TOOL, {"tools": [tool.definition for tool in tools]})
    return tuple(entry for entry in decoded if isinstance(entry, Tool)) if isinstance(decoded, tuple) else ()


class _Instructions:
    """The latest instructions in the answers of a server, followed frame by frame."""

    def __init__(self) -> None:
        self.last: str | None = None
        self.is_known = False

    def take(self, matched: Matched) -> None:
        """Take the instructions from one more frame."""
        for event in matched.events:
            request, result = own_answer(event) or (None, {})
            if request and request.method in _SAYS_INSTRUCTIONS:
                found = result.get("instructions")
                self.last, self.is_known = found if isinstance(found, str) else None, True
