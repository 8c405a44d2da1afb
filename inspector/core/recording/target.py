"""A target as a recording may name it, and the secrets in how it is reached."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

from inspector.core.credentials.find import sightings
from inspector.core.recording.format import Header, Lenses
from inspector.core.targets import DemoTarget, HttpTarget, PageTarget, StdioTarget, Target

_TELLS = re.compile(r"key|token|secret|pass|pwd|auth|cred|bearer|session|cookie", re.IGNORECASE)


def header_of(target: Target, lenses: Lenses, *, created: str, software: str) -> Header:
    """The first line of a recording of `target`. `created`: RFC 3339, in UTC."""
    kind, name = named(target)
    return Header(created=created, software=software, kind=kind, target=name, lenses=lenses)


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
            found = [*target.environment.values(), *_words(target.command)]
        case HttpTarget():
            found = [*_of_headers(target.headers), *_of_url(target.url)]
        case PageTarget(url=url, cdp=cdp):
            found = [*_of_url(url), *_of_url(cdp or "")]
        case DemoTarget():
            found = []
    return tuple(dict.fromkeys(value for value in found if value))


def _words(command: tuple[str, ...]) -> Iterator[str]:
    tells = False
    for word in command[1:]:
        option, equals, value = word.partition("=")
        if tells and not word.startswith("-"):
            yield word
        elif equals and _TELLS.search(option):
            yield value
        elif sightings(word):
            yield word
        tells = word.startswith("-") and not equals and _TELLS.search(word) is not None
        if "://" in word:
            yield from _of_url(word)


def _of_headers(headers: tuple[tuple[str, str], ...]) -> Iterator[str]:
    for _, value in headers:
        yield value
        # The scheme of an Authorization header is no secret; what follows it is.
        yield value.partition(" ")[2]


def _of_url(url: str) -> Iterator[str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    yield parts.query
    yield from (value for _, value in parse_qsl(parts.query))
    user, at, _ = parts.netloc.rpartition("@")
    if at:
        # The name alone is none, and may be a word of the language.
        yield from (unquote(word) for word in (user, user.partition(":")[2]))
