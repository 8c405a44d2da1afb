"""The target of a recorded session: its public name and its secrets; and an opened recording."""

from collections.abc import Iterator

from msgspec import Struct

from inspector.protocol.targets import (
    DemoTarget,
    HttpTarget,
    PageTarget,
    StdioTarget,
    Target,
    secret_words,
    secrets_of_url,
)
from inspector.recording.format import Header, Lenses, RecordedTarget


def header_of(target: Target, lenses: Lenses, *, created: str, software: str) -> Header:
    """The first line of a recording of `target`. `created`: RFC 3339, in UTC."""
    kind, name = named(target)
    return Header(
        created=created, software=software, recorded=RecordedTarget(kind=kind, name=name), lenses=lenses
    )


def named(target: Target) -> tuple[str, str]:
    """The kind and the public name of a target.

    For a command, the name is only the program, because any other word may be a secret; for a URL, the query
    and the user are left out.
    """
    match target:
        case StdioTarget(command=command):
            return "stdio", command[0].rpartition("/")[2]
        case HttpTarget(older_sse=older):
            return "sse" if older else "http", str(target)
        case PageTarget():
            return "page", str(target)
        case DemoTarget():
            return "demo", "demo"


def secret_values(target: Target) -> tuple[str, ...]:
    """The values of a target that are secret from the start.

    These are values of the environment and of headers, user and query of a URL, the client secret, and words of
    the command that look like secrets.
    """
    match target:
        case StdioTarget():
            values = [*target.environment.values(), *secret_words(target.command)]
        case HttpTarget(client=client):
            secret = client.client_secret if client else None
            values = [*_of_headers(target.headers), *secrets_of_url(target.url), secret or ""]
        case PageTarget(url=url, cdp=cdp):
            values = [*secrets_of_url(url), *secrets_of_url(cdp or "")]
        case DemoTarget():
            values = []
    return tuple(dict.fromkeys(value for value in values if value))


def _of_headers(headers: tuple[tuple[str, str], ...]) -> Iterator[str]:
    for _, value in headers:
        yield value
        # The scheme in an Authorization header is not secret, unlike what follows it.
        yield value.partition(" ")[2]


SUFFIX = ".jsonl"
"""The extension of a recording's file name when it is given as a target."""


class OpenedRecording(Struct, frozen=True, kw_only=True):
    """An opened recording: its path and its header."""

    path: str
    header: Header
    identity: str | None = None
    """A file with the age identity for its sealed frames; None to leave them sealed."""

    def __str__(self) -> str:
        return self.path.rpartition("/")[2] or self.path

    @property
    def target(self) -> Target:
        """The recorded target as far as the header names it.

        Only for display: Sightline must not connect to it.
        """
        name = self.header.target
        match self.header.kind:
            case "demo":
                return DemoTarget()
            case "http" | "sse" as kind:
                return HttpTarget(url=name, older_sse=kind == "sse")
            case "page":
                return PageTarget(url=name.removeprefix("web+"))
            case _:
                return StdioTarget(command=(name,))
