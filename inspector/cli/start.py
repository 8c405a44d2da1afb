"""Starts a session, or the terminal interface, from the words of a command line."""

import asyncio
import dataclasses
import shlex
import shutil
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import click
from click.core import ParameterSource
from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.options import Level
from inspector.cli.options import USUAL_HOST, ConnectionOptions, LensOptions, RecordingOptions
from inspector.cli.output import DIAGNOSTICS
from inspector.credentials.cutting import masked_start
from inspector.errors import ExitCode, InspectorError, UsageError
from inspector.json.exact import Malformed
from inspector.launch import Launch
from inspector.policy.gate.agreement import Agreement, Terms
from inspector.protocol.frames import Channel, begins_like_message
from inspector.protocol.page import Forms
from inspector.protocol.targets import (
    ConfiguredTarget,
    DemoTarget,
    HttpTarget,
    PageTarget,
    StdioTarget,
    Target,
    WrittenTarget,
    parse_target,
    stdio_target,
)

if TYPE_CHECKING:
    from inspector.asks.answer import Answer
    from inspector.asks.ask import Ask
    from inspector.cli.quoting import Quotes
    from inspector.pins.pins import ConfirmReason
    from inspector.session.live import Session

Returned = TypeVar("Returned")

_SCHEMES = ("http://", "https://", "sse+", "web+", "stdio:")
_FOR_RECORDINGS = {"words", "level", "host", "theme", "identity", "quiet"}
"""The names of the parameters of `sightline open` that may be given with a recording."""
_LEAST_PART = 3
"""The minimum number of characters of an unknown name for which names that contain it are suggested."""
_QUOTED_LINES = 3
_QUOTED_CHARACTERS = 200


class Interface(Protocol):
    """The terminal interface.

    The code that starts the command line passes it in, so that the command line need not import it.
    """

    def __call__(self, launch: Launch) -> int:
        """Run until the user leaves. Returns the exit code."""
        ...


class Invocation(Struct, frozen=True, kw_only=True):
    """What a command gets besides its options: the words after `--`, and the terminal interface."""

    command_line: tuple[str, ...] | None
    """The words after `--`; None if there is no `--`."""
    interface: Interface

    def check_terminal(self) -> None:
        """Raise UsageError if stdin or stdout is not a terminal, which the terminal interface needs."""
        if not has_terminal():
            raise UsageError(
                "the interface needs a terminal", "Use sightline list, sightline call, or another command."
            )

    def open(self, launch: Launch) -> int:
        """Run the terminal interface. Returns its exit code. Raises UsageError if there is no terminal."""
        self.check_terminal()
        # The interface shows later registrations of a page too, so it need not wait for the page to become
        # quiet.
        return self.interface(replace(_shown(launch), further=tuple(map(_shown, launch.further))))


def _shown(launch: Launch) -> Launch:
    return replace(launch, options=replace(launch.options, wait_s=None, forms=Forms.WAIT))


def has_terminal() -> bool:
    """True if both stdin and stdout are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def launch_of(
    target: Target,
    connection: ConnectionOptions,
    *,
    lens: LensOptions | None = None,
    recording: RecordingOptions | None = None,
    terms: Terms | None = None,
    agreement: Agreement = Agreement.NONE,
    theme: str | None = None,
) -> Launch:
    """The launch of a session with `target`, with these options and a new recorder. Raises UsageError.

    `in_session` closes the recorder.
    """
    if lens is not None:
        lens.check()
    options = connection.options()
    if isinstance(target, HttpTarget):
        from inspector.cli.authorizing import authorizing_of  # noqa: PLC0415 - only for HTTP targets

        options = replace(options, authorizing=authorizing_of(connection.authorization, target.client))
    if options.certificates.is_insecure:
        DIAGNOSTICS.say("certificates are not checked (--insecure)")
    if lens is not None:
        options = replace(options, policy=lens.policy)
    if recording is not None:
        options = replace(
            options, recorder=recording.recorder(target, lens, client=options.client.profile.name)
        )
    return Launch(
        target=target,
        options=options,
        level=lens.level if lens else Level.DECLARED,
        host=lens.host if lens else USUAL_HOST,
        terms=terms or Terms(),
        agreement=agreement,
        theme=theme,
    )


def watching_launch(launch: Launch, paths: Sequence[str]) -> Launch:
    """A copy of `launch` that starts its server again when one of `paths` is saved.

    Without paths, the files of the target are watched. Raises UsageError for a path that does not exist.
    """
    from inspector.files.watching import watching_of  # noqa: PLC0415 - only with --watch

    watching = watching_of(launch.target, paths)
    return replace(launch, watching=watching, options=replace(launch.options, is_quick_to_end=True))


def in_session(
    launch: Launch, use: Callable[["Session"], Awaitable[Returned]], quotes: "Quotes | None" = None
) -> Returned:
    """Connect, await `use` with the session, and return what `use` returns. The session is always closed.

    Ctrl-C and SIGTERM end the server too. `quotes`: holds back texts of the server, which are written at the
    end of the session.
    """
    from inspector.session.events import Event, SessionState, StateChanged  # noqa: PLC0415 - as below
    from inspector.session.live import Session  # noqa: PLC0415 - the interface opens sooner without it

    known: set[str] = set()

    async def decline(ask: "Ask") -> "Answer":
        from inspector.cli.answers import declined  # noqa: PLC0415 - few servers ask for anything
        from inspector.cli.quoting import Quotes  # noqa: PLC0415 - as above

        nonlocal quotes
        quotes = quotes or Quotes(waits=True)
        return await declined(ask, known, quotes, launch.options.roots)

    options = replace(launch.options, responder=launch.options.responder or decline)

    def say(event: Event) -> None:
        if isinstance(event, StateChanged) and event.state is SessionState.READY and event.message:
            from inspector.credentials.find import dotted  # noqa: PLC0415 - few sessions have such a message

            # The message may quote what the server printed to stdout.
            DIAGNOSTICS.say(dotted(session.masked(event.message)))

    session = Session(launch.target, options, say)
    returned: list[Returned] = []

    async def work() -> None:
        DIAGNOSTICS.conceal(session.own.mask)
        task = asyncio.current_task()
        if task:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        try:
            for note in (await session.connect()).notes:
                DIAGNOSTICS.say_once(note)
            # The value is stored, not returned, because `asyncio.run` may build the `repr` of a task's return
            # value when it ends, with the secrets in it.
            returned.append(await use(session))
        except InspectorError as error:
            # The error may quote stderr, which may repeat what was withheld from an earlier call.
            error.mask(session.masked)
            raise
        finally:
            await session.close()
            if quotes:
                quotes.release(session)
            for sentence in stray_output(session):
                DIAGNOSTICS.say(session.masked(sentence))
            for why, count in session.asker.unanswered.items():
                times = f" ({count:,} times)" if count > 1 else ""
                DIAGNOSTICS.say(f"not answered: {_mask_of(session)(why)}{times}")
            if launch.options.recorder:
                await asyncio.to_thread(launch.options.recorder.close)

    try:
        asyncio.run(work())
    except asyncio.CancelledError as error:
        raise Terminated from error
    return returned[0]


def changes_since_pin(session: "Session", name: str) -> "tuple[ConfirmReason, ...]":
    """The changes of a tool's definition since it was pinned, as reasons to ask the user."""
    from inspector.pins.files import Watch  # noqa: PLC0415 - few commands read pins

    instructions = session.server.instructions if session.server else None
    return Watch(session.target).listed(session.catalogue, instructions).asks(name)


def stray_output(session: "Session") -> list[str]:
    """Sentences about lines on the server's stdout that are not JSON objects.

    A client may stop reading at such a line. Values that results withhold, and texts that look like
    credentials, are masked. A line that begins like a message but cannot be parsed is not quoted, because it
    may be a result.
    """
    stray = [
        matched.frame.raw
        for matched in session.timeline.matched
        if matched.frame.channel is Channel.STDIO and any(map(_is_no_object, matched.events))
    ]
    if not stray:
        return []
    from inspector.credentials.find import dotted  # noqa: PLC0415 - few servers print to stdout

    mask = _mask_of(session)
    sentences: list[str] = []
    for raw in stray[:_QUOTED_LINES]:
        if begins_like_message(raw):
            sentences.append(f"server sent a message that cannot be read, of {len(raw):,} bytes")
            continue
        text = raw.decode("utf-8", "replace").strip()
        shown = masked_start(text, lambda line: dotted(mask(line)), _QUOTED_CHARACTERS, " …")
        sentences.append(f'server printed to stdout instead of stderr: "{shown}"')
    if len(stray) > _QUOTED_LINES:
        sentences.append(f"server printed {len(stray) - _QUOTED_LINES:,} more such lines to stdout")
    return sentences


def _mask_of(session: "Session") -> Callable[[str], str]:
    """Return a function that masks the user's credentials, and the values that results of the session withhold."""
    from inspector.pins.withheld import OutputMasks  # noqa: PLC0415 - few servers print to stdout

    masks = [
        OutputMasks(call.tool, call.arguments, call.outcome, call.judgement.secrets(call.policy))
        for call in session.calls
    ]

    def mask(text: str) -> str:
        for each in masks:
            text = "\n".join(each.masked(text.split("\n")).lines)
        return DIAGNOSTICS.mask(text)

    return mask


def _is_no_object(event: object) -> bool:
    return isinstance(event, Malformed) and not isinstance(event.value, dict)


class Terminated(InspectorError):  # noqa: N818 - not an error, but it ends the command like one
    """The process received SIGTERM."""

    code = "terminated"
    exit_code = ExitCode.TERMINATED

    def __init__(self) -> None:
        super().__init__("ended by SIGTERM")


def target_of(
    word: str | None, connection: ConnectionOptions, command_line: tuple[str, ...] | None
) -> Target:
    """The one target that a command line names. Raises UsageError for none, or for two.

    `command_line`: the words after `--`.
    """
    browser = connection.browser
    named = [name for name in (word, command_line, connection.config) if name is not None]
    if not named and browser.cdp:
        return _adjusted(PageTarget(url=""), connection)
    if len(named) != 1:
        forms = "a URL, web+URL for a page, mcp.json:NAME, --config FILE --server NAME, demo, or -- COMMAND at the end."
        raise UsageError("two targets" if named else "no target", f"{_usage()}Give one of: {forms}")
    if command_line is not None:
        target: WrittenTarget = stdio_target(command_line)
    elif connection.config is not None:
        target = ConfiguredTarget(path=connection.config, name=connection.server)
    else:
        target = written_target(word or "")
    return _adjusted(configured(target, connection), connection)


def written_target(word: str, *, is_alone: bool = True, following: Sequence[str] = ()) -> WrittenTarget:
    """Parse a target. Raises UsageError, which shows what to write if the word is the name of a program.

    `is_alone`: whether it is the only target. Only then may it be the name of a program on `PATH`. `following`: the
    words after it on the command line.
    """
    try:
        return parse_target(word)
    except UsageError as error:
        meant = meant_command((word, *following))
        if meant:
            raise UsageError(error.message, f"{meant}\n{error.hint}") from error
        program = _program(word, is_alone=is_alone)
        if not program:
            raise
        hint = f"It is a program: {_usual_words('--', program)}\n{error.hint}"
        raise UsageError(error.message, hint) from error


def meant_command(words: Sequence[str]) -> str:
    """`Did you mean -- python server.py?` if `words` are the command of a server, written without `--`; else empty."""
    is_command = len(words) > 1 and not any(map(_is_target, words[:2])) and _program(words[0], is_alone=True)
    return f"Did you mean -- {shlex.join(words)}?" if is_command else ""


def _program(word: str, *, is_alone: bool) -> str:
    """The executable file that a word names, as the first word of a command; empty if there is none."""
    # A command without a slash is looked for on PATH only.
    path = word if "/" in word else f"./{word}"
    if shutil.which(path):
        return path
    return word if is_alone and shutil.which(word) else ""


def _usual_words(*target: str) -> str:
    """The command that runs now, with `target` in place of its own target, as a line for a shell."""
    context = click.get_current_context(silent=True)
    if context is None:
        return shlex.join(["sightline", *target])
    command = context.command_path.removesuffix(" open")
    return " ".join(
        [command, *(word for word in _arguments(context) if word != "TARGET"), shlex.join(target)]
    )


def _arguments(context: click.Context) -> list[str]:
    """The names of the arguments of the running command: `TOOL`, `TARGET`."""
    pieces = context.command.collect_usage_pieces(context)
    return [piece.strip("[].") for piece in pieces if piece not in {"", "[OPTIONS]"}]


def _usage() -> str:
    """How to write the running command with a target: `Write sightline call TOOL TARGET. `. Empty outside of commands."""
    context = click.get_current_context(silent=True)
    if context is None:
        return ""
    words = _arguments(context)
    return f"Write {' '.join([context.command_path, *words])}. " if "TARGET" in words else ""


def check_named(
    what: str, word: str, target: str | None, connection: ConnectionOptions, more: Sequence[str] = ()
) -> None:
    """Raise UsageError if the user gave a target in place of the item to use, or before it.

    `what`: the kind of item that the command takes before the target, such as `tool` or `URI`. `more`:
    further words of the command line that the hint suggests.
    """
    command = click.get_current_context().command_path
    if target is not None and _is_target(word) and not _is_target(target):
        raise UsageError(
            f"the {what} comes before the target: {word}",
            f"Write {shlex.join([*command.split(), target, word, *more])}",
        )
    command_line = click.get_current_context().find_object(Invocation).command_line  # pyright: ignore[reportOptionalMemberAccess]
    has_target = target is not None or command_line is not None or connection.config is not None
    if has_target or connection.browser.cdp or not _is_surely_target(word, what):
        return
    raise UsageError(
        f"no {what}: {word} is the target",
        f"sightline list {shlex.quote(word)} lists what it has; then {command} {what.upper()} {shlex.quote(word)}.",
    )


def _is_target(word: str) -> bool:
    if "://" in word and not word.startswith(_SCHEMES):
        # The URI of a resource may end like the name of a configuration file.
        return False
    try:
        parse_target(word)
    except UsageError:
        return False
    return True


def _is_surely_target(word: str, what: str) -> bool:
    """True for a word that names a target and cannot name an item. A URI of a resource may look like a URL.

    `what`: the kind of item that the command takes, such as `tool` or `URI`.
    """
    if word.startswith(_SCHEMES):
        return what != "URI"
    return word == "demo" or (".json" in word and "://" not in word)


def listing_hint(word: str, known: Sequence[str]) -> str:
    """A hint for an item that the server does not list, with similar names and the command that lists all.

    If no name in `known` is similar, the hint has the first names.
    """
    if not known:
        return "It lists none."
    listing = "sightline list TARGET lists all."
    folded = {name.casefold(): name for name in known}
    close = get_close_matches(word.casefold(), folded, n=3)
    if len(word) >= _LEAST_PART:
        close += [name for name in folded if word.casefold() in name]
    if close:
        return f"Did you mean {' or '.join(folded[name] for name in dict.fromkeys(close[:3]))}? {listing}"
    return f"It lists: {', '.join(known[:20])}. {listing}"


def configured(target: Target | ConfiguredTarget, connection: ConnectionOptions | None = None) -> Target:
    """The target that a configuration file describes; any other target unchanged. Raises UsageError.

    The -e, --header and authorization options of `connection` take precedence over the file's.
    """
    if not isinstance(target, ConfiguredTarget):
        return target
    from inspector.cli.prompts import asked_for  # noqa: PLC0415 - most targets need no file
    from inspector.files.config import read_target  # noqa: PLC0415 - as above

    environment, headers = (connection.environment, connection.headers) if connection else ((), ())
    server = read_target(
        target.path,
        target.name,
        [_assignment(word)[0] for word in environment],
        [_header(word)[0] for word in headers],
        asked_for,
        connection.authorization.of_client if connection else (),
    )
    for note in server.notes:
        DIAGNOSTICS.say(note)
    return server.target


def _adjusted(target: Target, connection: ConnectionOptions) -> Target:
    """The target with the options for its kind applied. Raises UsageError for options that are for other kinds."""
    environment, headers, cwd = connection.environment, connection.headers, connection.cwd
    if connection.browser.is_given and not isinstance(target, PageTarget):
        raise UsageError(
            "--cdp, --headed, --chromium, --polyfill and --wait only work with web pages",
            "Write a page as web+https://…",
        )
    if connection.authorization.is_given and not isinstance(target, HttpTarget):
        raise UsageError(
            "authorization and certificate options only work with HTTP targets",
            "Write a URL, or leave these options out.",
        )
    match target:
        case PageTarget():
            if environment or headers or cwd:
                raise UsageError("-e, --header and --cwd do not work with web pages", "Leave them out.")
            return connection.browser.page(target)
        case StdioTarget():
            if headers:
                raise UsageError("--header only works with HTTP targets", "Use -e NAME=VALUE for a command.")
            variables = target.environment | dict(_assignment(word) for word in environment)
            return replace(target, environment=variables, cwd=cwd or target.cwd)
        case HttpTarget():
            if environment or cwd:
                raise UsageError(
                    "-e and --cwd only work with commands", 'Use --header "Name: value" for a URL.'
                )
            return replace(target, headers=(*target.headers, *(_header(word) for word in headers)))
        case DemoTarget():
            return target


def _assignment(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name:
        raise UsageError(f"-e {word}: not NAME=VALUE", "Write it as -e NAME=VALUE.")
    return name, value


def _header(word: str) -> tuple[str, str]:
    name, colon, value = word.partition(":")
    if not colon or not name.strip() or any(character in word for character in "\r\n"):
        raise UsageError("--header: not 'Name: value'", 'Write it as --header "Name: value".')
    return name.strip(), value.strip()


def recording_launch(
    word: str | None, identity: str | None, lens: LensOptions, theme: str | None, context: click.Context
) -> Launch | None:
    """The launch of the terminal interface on the recording that `word` names; None for any other target.

    The interface starts with the recorded boundary level and host, unless the user gives others. Raises
    UsageError.
    """
    if word is None or not names_recording(word):
        if identity is not None:
            raise UsageError("--identity only works with recordings", "Give a recording, or leave it out.")
        return None
    if context.find_object(Invocation).command_line is not None:  # pyright: ignore[reportOptionalMemberAccess]
        raise UsageError("two targets", "Give a recording, or a command after --.")
    others = [
        option.opts[0]
        for option in context.command.params
        if option.name not in _FOR_RECORDINGS and _is_given(context, option.name or "")
    ]
    if others:
        raise UsageError(
            f"these options do not work with recordings: {', '.join(others)}",
            "Leave them out: opening a recording connects to nothing and records nothing.",
        )
    from inspector.recording.files.reading import header_at  # noqa: PLC0415
    from inspector.recording.target import OpenedRecording  # noqa: PLC0415 - most targets are not a recording

    opened = OpenedRecording(path=word, header=header_at(Path(word)), identity=identity)
    recorded = opened.header.lenses
    if not _is_given(context, "level"):
        lens = dataclasses.replace(lens, level=Level(recorded.level))
    if _is_given(context, "host"):
        lens.check()
    else:
        try:
            dataclasses.replace(lens, host=recorded.host).check()
        except UsageError:
            # The recorded host is unknown here. The header of the screen shows the host that is used instead.
            lens = dataclasses.replace(lens, host=USUAL_HOST)
        else:
            lens = dataclasses.replace(lens, host=recorded.host)
    return Launch(target=opened.target, level=lens.level, host=lens.host, theme=theme, recording=opened)


def names_recording(word: str) -> bool:
    """True if a word of the command line names a recording, by its suffix or its first line."""
    if word.startswith(_SCHEMES) or word == "demo":
        return False
    from inspector.recording.files.reading import begins_as_recording  # noqa: PLC0415
    from inspector.recording.target import SUFFIX  # noqa: PLC0415 - as above

    return word.endswith(SUFFIX) or begins_as_recording(Path(word))


def _is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE
