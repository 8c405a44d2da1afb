"""The words of a command line as they may be shown: what tells a key or a token is covered."""

import re
import shlex
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

from inspector.credentials.find import sightings

COVERED = "•••"
TELLS = re.compile(r"key|token|secret|pass|pwd|auth|cred|bearer|session|cookie", re.IGNORECASE)
"""What the name of an option, a variable, a header or a parameter of a query holds where its value is a secret."""


def shown_command(command: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a command, its secret ones covered."""
    secrets = tuple(dict.fromkeys(value for value in secret_words(command) if value))
    return tuple(_covered(word, secrets) for word in command)


def shown_line(command: tuple[str, ...]) -> str:
    """The same as in a shell. What is covered is not quoted."""
    return shlex.join(shown_command(command))


def secret_words(command: tuple[str, ...]) -> Iterator[str]:
    """What is secret of a command line: values of options that say so, what looks like a credential, and parts of URLs."""
    tells = False
    for word in command[1:]:
        option, equals, value = word.partition("=")
        if tells and not word.startswith("-"):
            yield word
        elif equals and TELLS.search(option):
            yield value
        elif sightings(word):
            yield word
        tells = word.startswith("-") and not equals and TELLS.search(word) is not None
        if "://" in word:
            yield from secrets_of_url(word)


def secrets_of_url(url: str) -> Iterator[str]:
    """What may be secret of a URL: its query, the values in that, and what identifies a user."""
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


def _covered(word: str, secrets: tuple[str, ...]) -> str:
    if word in secrets:
        return COVERED
    option, equals, value = word.partition("=")
    if equals and value in secrets:
        return f"{option}={COVERED}"
    if "://" in word:
        for secret in sorted(secrets, key=len, reverse=True):
            word = word.replace(secret, COVERED)
    return word
