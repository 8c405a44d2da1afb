"""The target of a recording: as its header may name it, the secrets in how it is reached, and a recording as a target."""

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
    """Kind and name: of a command its program alone, since any other word may be a secret; of a URL no query and no user."""
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
    """What is secret of a target from the start: environment, headers, query, user, and words that tell it."""
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
        # The scheme of an Authorization header is no secret; what follows it is.
        yield value.partition(" ")[2]


SUFFIX = ".jsonl"
"""Of a recording's name, as a target."""


class OpenedRecording(Struct, frozen=True, kw_only=True):
    """A file, by its name and its first line."""

    path: str
    header: Header
    identity: str | None = None
    """A file with the age identity that opens the sealed frames beside it; None to leave them closed."""

    def __str__(self) -> str:
        return self.path.rpartition("/")[2] or self.path

    @property
    def target(self) -> Target:
        """The recorded target, as far as the header names it: to show, never to connect to."""
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
