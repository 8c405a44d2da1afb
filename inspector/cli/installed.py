"""Uses several servers one after the other, such as all that MCP clients on this machine are configured with."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import click
from msgspec import Struct

from inspector.cli.options import ConnectionOptions
from inspector.cli.output import DIAGNOSTICS
from inspector.cli.prompts import agreed, asked_for
from inspector.cli.start import Terminated
from inspector.errors import ExitCode, InspectorError, NotConfirmedError, UsageError
from inspector.files.config import FoundServer, installed
from inspector.protocol.targets import HttpTarget, StdioTarget
from inspector.safe_text import safe_line

Returned = TypeVar("Returned")

DISABLED = "it is disabled in its file"


class UnusedServer(Struct, frozen=True, kw_only=True):
    """A server that was not used. Untrusted text."""

    server: str
    why: str
    has_failed: bool = False
    """True if Sightline tried to use the server, and failed."""


@dataclass(slots=True, kw_only=True)
class InTurn:
    """Servers that are used one after the other. One that fails does not stop the others."""

    left_out: list[UnusedServer] = field(default_factory=list[UnusedServer])
    code: int = ExitCode.OK
    """The highest exit code so far."""

    def attempt(self, word: str, use: Callable[[], Returned]) -> Iterator[Returned]:
        """Yield what `use` returns, or nothing if it raises InspectorError, which is then reported.

        `word`: the name of the server. Raises Terminated.
        """
        try:
            made = use()
        except Terminated:
            raise
        except InspectorError as error:
            error.message = f"{word}: {error.message}"
            self.code = max(self.code, DIAGNOSTICS.fail(error))
            # `fail` has masked credentials in the message.
            why = error.message.partition("\n")[0].removeprefix(f"{word}: ")
            self.left_out.append(UnusedServer(server=word, why=why, has_failed=True))
        else:
            yield made


@dataclass(slots=True, kw_only=True)
class InstalledServers(InTurn):
    """The servers that the user agreed to start, and those that could not be used."""

    servers: list[FoundServer]
    _used: list[StdioTarget | HttpTarget] = field(default_factory=list[StdioTarget | HttpTarget])

    def each(self, use: Callable[[StdioTarget | HttpTarget], Returned]) -> Iterator[Returned]:
        """Yield what `use` returns for each server. A failure is reported, and the next server is used.

        A server that is in the configurations of several clients is used once.
        """
        for found in self.servers:
            for target in self.attempt(found.word, partial(self._target, found)):
                if target in self._used:
                    continue
                self._used.append(target)
                yield from self.attempt(found.word, partial(use, target))

    def _target(self, found: FoundServer) -> StdioTarget | HttpTarget:
        server = found.server(asked_for)
        for note in server.notes:
            DIAGNOSTICS.say(note)
        return server.target


def agreed_servers(connection: ConnectionOptions, *, is_agreed: bool) -> InstalledServers:
    """All configured servers, after the user agreed to start them. Raises NotConfirmedError, or UsageError.

    `is_agreed`: true if an option already agrees, so that the user is not asked.
    """
    of_client = [name for name, value in connection.authorization.of_one_client.items() if value]
    if connection.environment or connection.headers or connection.cwd or connection.config or of_client:
        named = "".join(f", {name}" for name in of_client)
        raise UsageError(
            f"-e, --header, --cwd, --config{named} only work with one target", "Leave out --installed."
        )
    found = list(installed())
    left_out = [
        UnusedServer(server=each.word, why=each.problem or DISABLED)
        for each in found
        if each.problem or each.is_disabled
    ]
    servers = [each for each in found if not each.problem and not each.is_disabled]
    if not servers:
        raise UsageError(
            "no configured servers", "sightline discover shows what was found, and what cannot be read."
        )
    lines = [f"These {len(servers)} configured servers would be started or connected to:"]
    lines += (f"  {each.shown}    ({each.client}, {each.word})" for each in servers)
    if is_agreed:
        DIAGNOSTICS.say("\n".join(map(safe_line, lines)))
    else:
        click.echo("\n".join(map(safe_line, lines)), err=True)
        if not agreed("Start them?"):
            raise NotConfirmedError("nothing was started", "Answer y in the terminal, or pass --yes.")
    return InstalledServers(servers=servers, left_out=left_out)
