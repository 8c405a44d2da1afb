"""What `sightline` prints without a target: commands for the demo, recent targets and configured servers."""

import shlex
from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import Path

from inspector.cli.options import ConnectionOptions
from inspector.errors import InspectorError
from inspector.files.config import installed
from inspector.files.recent import recent_targets, remember_target
from inspector.protocol.targets import (
    ConfiguredTarget,
    DemoTarget,
    HttpTarget,
    PageTarget,
    StdioTarget,
    Target,
    parse_target,
)

_MOST = 8
"""The maximum number of targets listed under a heading."""


def overview_lines() -> list[str]:
    """One command for each target, under a heading for its kind."""
    lines = ["Give a target, or run one of these:", "", "  sightline demo    the built-in server"]
    for heading, commands in (("Recent", _recent()), ("Configured", _configured())):
        shown = list(islice(commands, _MOST))
        if shown:
            lines += ["", f"{heading}:", *(f"  {command}" for command in shown)]
    return [*lines, "", "sightline discover shows all that is configured; sightline --help, all commands."]


def _recent() -> Iterator[str]:
    here = str(Path.cwd())
    for each in recent_targets():
        command = f"sightline {shlex.join(each.words)}"
        yield command if each.folder == here else f"cd {shlex.quote(each.folder)} && {command}"


def _configured() -> Iterator[str]:
    for path, servers in groupby(installed(), lambda found: found.path):
        found = list(servers)
        usable = [server for server in found if not server.problem]
        # A file can be opened as a whole only if all of it can be read.
        if len(usable) == len(found) > 1:
            yield f"sightline {shlex.quote(str(path))}    all of its servers"
        yield from (f"sightline {shlex.quote(server.word)}" for server in usable)


def words_of(
    word: str | None, connection: ConnectionOptions, command_line: tuple[str, ...] | None, target: Target
) -> tuple[str, ...] | None:
    """`target` as the arguments of a command line; None if they would hold a credential."""
    if connection.config is not None:
        return (f"{connection.config}:{connection.server}" if connection.server else connection.config,)
    if word is not None and isinstance(parse_target(word), ConfiguredTarget):
        return (word,)
    if not _is_plain(target):
        return None
    if command_line is not None:
        return ("--", *command_line)
    return (word,) if word is not None else None


def remember(
    word: str | None, connection: ConnectionOptions, command_line: tuple[str, ...] | None, target: Target
) -> None:
    """Add a target to the recent targets of the overview, unless it is the demo or holds a credential."""
    words = None if isinstance(target, DemoTarget) else words_of(word, connection, command_line, target)
    if words is not None:
        remember_words(words)


def remember_words(words: tuple[str, ...]) -> None:
    """Add targets, written as on one command line, to the recent targets of the overview."""
    try:
        remember_target(words)
    except (InspectorError, OSError):
        # The working folder was removed meanwhile.
        return


def _is_plain(target: Target) -> bool:
    """True if nothing in a target looks like a credential, so that it is shown unmasked."""
    match target:
        case StdioTarget():
            return str(target) == shlex.join(target.command)
        case HttpTarget(url=url):
            return str(target) == url
        case PageTarget(url=url):
            return bool(url) and str(target) == f"web+{url}"
        case DemoTarget():
            return True
