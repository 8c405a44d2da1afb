"""Prepares the terminal interface for several servers that one command line names."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.cli.options import ConnectionOptions, LensOptions, RecordingOptions
from inspector.cli.start import configured, launch_of, names_recording, written_target
from inspector.errors import UsageError
from inspector.launch import Launch
from inspector.policy.gate.agreement import Terms
from inspector.protocol.targets import (
    CONFIGURATIONS,
    ConfiguredTarget,
    HttpTarget,
    Target,
    WrittenTarget,
    short_name,
    stdio_target,
)

_IN_A_FILE = "Write the settings of each server to a configuration file, and name its entries. To record a server, press w in the interface."
_OPEN_ALONE = "Open the server alone, or set its OAuth client under `oauth` in its entry of a configuration file. With several servers, only --remember, --stored-auth-only, --no-browser, --client-metadata-url and --cacert work."


class NamedServer(Struct, frozen=True, kw_only=True):
    """One of several targets, as the command line names it."""

    written: WrittenTarget
    word: str | None = None
    command: tuple[str, ...] | None = None
    """The words after `--`, if they are the target; None for a target in another form."""
    is_required: bool = True
    """True if the user named this server, so that nothing opens if its entry cannot be read.

    False if the user named a whole file.
    """


def named_servers(
    words: Sequence[str], connection: ConnectionOptions, command_line: tuple[str, ...] | None
) -> tuple[NamedServer, ...]:
    """The servers that a command line names; empty if it names fewer than two. Raises UsageError.

    A configuration file without the name of an entry means all of its servers.
    """
    named = len(words) + (connection.config is not None) + (command_line is not None)
    is_file = bool(words) and words[0].endswith(CONFIGURATIONS) and not names_recording(words[0])
    if named < 2 and not is_file and connection.config is None:
        return ()
    found = tuple(_named(words, connection, command_line))
    return found if len(found) > 1 else ()


def _named(
    words: Sequence[str], connection: ConnectionOptions, command_line: tuple[str, ...] | None
) -> Iterator[NamedServer]:
    for number, word in enumerate(words, 1):
        if names_recording(word):
            raise UsageError(f"{word} is a recording", "A recording is opened alone, without servers.")
        written = written_target(word, is_alone=False, following=words[number:])
        if isinstance(written, ConfiguredTarget):
            yield from _entries(written)
        else:
            yield NamedServer(written=written, word=word)
    if connection.config is not None:
        for name in connection.servers or (None,):
            yield from _entries(ConfiguredTarget(path=connection.config, name=name))
    elif connection.servers:
        raise UsageError("--server names an entry of a configuration file", "Add --config FILE.")
    if command_line is not None:
        yield NamedServer(written=stdio_target(command_line), command=command_line)


def _entries(target: ConfiguredTarget) -> Iterator[NamedServer]:
    from inspector.files.config import server_names  # noqa: PLC0415 - most targets need no file

    names = server_names(target.path) if target.name is None else ()
    for name in names or (target.name,):
        written = ConfiguredTarget(path=target.path, name=name)
        yield NamedServer(written=written, is_required=target.name is not None)


def several_launch(
    servers: Sequence[NamedServer],
    connection: ConnectionOptions,
    recording: RecordingOptions,
    *,
    lens: LensOptions,
    terms: Terms,
    theme: str | None,
) -> Launch:
    """The launch of the terminal interface on several servers.

    Raises UsageError for options that apply to one server only.
    """
    given = (*connection.of_one_server, *(("--record",) if recording.path is not None else ()))
    if given:
        is_of_client = not set(given).isdisjoint(connection.authorization.of_one_server)
        raise UsageError(
            f"these options only work with one server: {', '.join(given)}",
            _OPEN_ALONE if is_of_client else _IN_A_FILE,
        )

    def launched(server: NamedServer) -> Launch:
        unreadable: UsageError | None = None
        try:
            target = configured(server.written)
        except UsageError as error:
            if server.is_required:
                raise
            hint = f"{error.hint} Correct it, then start Sightline again.".strip()
            unreadable, target = UsageError(error.message, hint), stdio_target((str(server.written),))
        launch = launch_of(target, connection, lens=lens, terms=terms, theme=theme)
        name = server.written.name if isinstance(server.written, ConfiguredTarget) else None
        known = replace(launch, name=name or short_name(target), unreadable=unreadable)
        return known if unreadable is not None else replace(known, as_saved=_as_saved(server, target))

    first, *further = map(launched, servers)
    if connection.authorization.is_given and not any(
        isinstance(each.target, HttpTarget) for each in (first, *further)
    ):
        raise UsageError(
            "authorization and certificate options only work with HTTP targets",
            "Name a URL, or leave these options out.",
        )
    if first.unreadable is not None and all(each.unreadable is not None for each in further):
        raise first.unreadable
    return replace(first, further=tuple(further))


def _as_saved(server: NamedServer, target: Target) -> Callable[[], str]:
    def as_saved() -> str:
        from inspector.saved.call import saved_server  # noqa: PLC0415 - only to save a call

        return saved_server(_words(server, target))

    return as_saved


def _words(server: NamedServer, target: Target) -> tuple[str, ...] | None:
    from inspector.cli.overview import words_of  # noqa: PLC0415 - only to keep a target

    if isinstance(server.written, ConfiguredTarget):
        return (str(server.written),)
    return words_of(server.word, ConnectionOptions(), server.command, target)


def remember_several(servers: Sequence[NamedServer], launch: Launch) -> None:
    """Add the targets to the recent targets of the overview, unless one of them holds a credential."""
    from inspector.cli.overview import remember_words  # noqa: PLC0415 - the interface opens sooner without it

    launches = (launch, *launch.further)
    each = [_words(server, one.target) for server, one in zip(servers, launches, strict=True)]
    if all(words is not None for words in each):
        remember_words(tuple(word for words in each for word in words or ()))
