"""The user's own credentials: values in `--header`, `-e`, a configuration, a command line or a URL.

A server may repeat them in errors and logs. Sightline masks them in its own texts, even if they are encoded,
as far as `inspector.boundary.echoes` finds them. docs/secrets.md defines which values count.
"""

import re
from base64 import b64decode
from collections.abc import Container, Iterable, Iterator

from inspector.boundary.echoes import Echoes
from inspector.boundary.mask import mask_lines, mask_words
from inspector.boundary.spellings import SHORTEST, Spelling, parts_in
from inspector.credentials.find import sightings
from inspector.json.edit import Copied
from inspector.json.exact import DuplicateKeys, Json
from inspector.json.texts import forms_of, texts_in
from inspector.json.walk import places
from inspector.protocol.targets import (
    COVERED,
    SECRET_NAME,
    DemoTarget,
    HttpTarget,
    PageTarget,
    StdioTarget,
    Target,
    secret_words,
    secrets_of_url,
)

LEAST_VARIABLE = 8
"""The minimum length of a variable's value to be masked, if its name or value looks like a credential."""
LEAST_UNNAMED = 16
"""The minimum length of a variable's value to be masked, if neither name nor value looks like a credential.

A path is not masked.
"""
_HALVED = 20
"""Each half of a value of at least this length is masked too, because an excerpt may contain only one."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*[ \t]+(?=\S)")
_WORDS = re.compile(r"\S+")
_CUT = "…"


class OwnCredentials:
    """Masks the user's credentials wherever a text repeats them."""

    def __init__(self, values: Iterable[str]) -> None:
        self._values: list[str] = []
        self.is_empty = True
        self.add(values)

    @property
    def values(self) -> tuple[str, ...]:
        """The values that are masked, the longest first."""
        return tuple(self._values)

    def add(self, values: Iterable[str]) -> None:
        """Also mask `values` in all later texts. Values that are too short for the search are left out."""
        new = {value.strip() for value in values} - set(self._values)
        found = [value for value in new if len("".join(value.split())) >= SHORTEST]
        if not found and self._values:
            return
        self._values = sorted((*self._values, *found), key=lambda value: (-len(value), value))
        self.is_empty = not self._values
        self._has_lines = any(len(value.splitlines()) > 1 for value in self._values)
        self._starts = re.compile(
            "|".join(re.escape(value[:SHORTEST]) for value in self._values), re.IGNORECASE
        )
        self._plain = re.compile("|".join(map(re.escape, self._values)), re.IGNORECASE)
        parts = (part for value in self._values for part in _with_halves(value))
        self._echoes = Echoes((*parts, *parts_in(self._values)))

    def mask(self, text: str) -> str:
        """Mask the words that repeat a credential; if no single word does, mask the whole line or text.

        Never raises: a text that cannot be searched is masked as a whole.
        """
        if self.is_empty or not text:
            return text
        try:
            return self._covered(text)
        except Exception:  # noqa: BLE001 - if the search fails, nothing may get through
            return COVERED

    def masked(self, value: Json) -> tuple[Json, int]:
        """Mask credentials in a JSON value. Returns the value and the number of masked places. Never raises."""
        if self.is_empty:
            return value, 0
        try:
            return self._without(value)
        except Exception:  # noqa: BLE001 - as above
            return COVERED, 1

    def _covered(self, text: str) -> str:
        shown = self._without_parts(self._plain.sub(COVERED, text))
        if self._has_lines or ("\n" in shown and self._is_encoded_in(shown)):
            # Another word or line may have the rest of a copy.
            return mask_lines(shown, (), self._echoes.matches, Echoes(()).matches, COVERED)
        return mask_words(shown, self._repeating, COVERED)

    def _without_parts(self, text: str) -> str:
        """`text` with a mask for each beginning of a credential before a `…`, where the text was cut."""
        if _CUT not in text or not self._starts.search(text):
            return text
        *parts, rest = text.split(_CUT)
        return _CUT.join((*map(self._without_end, parts), rest))

    def _without_end(self, text: str) -> str:
        words = text.rsplit(maxsplit=1)
        word = words[-1].casefold() if words else ""
        if not any(
            word.endswith(value[:length].casefold())
            for value in self._values
            if value[:SHORTEST].casefold() in word
            for length in range(SHORTEST, len(value))
        ):
            return text
        return text[: text.rfind(words[-1])] + COVERED

    def _is_encoded_in(self, text: str) -> bool:
        return self._echoes.matches((text,)).get(text, Spelling.PLAIN) is not Spelling.PLAIN

    def _repeating(self, texts: set[str]) -> Container[str]:
        return self._echoes.matches(texts)

    def _without(self, value: Json) -> tuple[Json, int]:
        texts, keys = set[str](), set[str]()
        texts_in(value, texts, keys)
        repeated = set(self._echoes.matches(texts | keys))
        paths = list(places(value, lambda item: _holds_any(item, repeated))) if repeated else []
        copied = Copied(value)
        for tokens in paths:
            text = copied.at(tokens)
            copied.put(tokens, self.mask(text) if isinstance(text, str) else COVERED)
        return copied.value, len(paths)


def own_credentials(target: Target) -> OwnCredentials:
    """The user's credentials in a target."""
    return OwnCredentials(credentials_of(target))


def credentials_of(target: Target) -> tuple[str, ...]:
    """The values of a target that are credentials, the longest first."""
    match target:
        case StdioTarget():
            values = [*_environment_credentials(target.environment), *secret_words(target.command)]
        case HttpTarget(client=client):
            secret = client.client_secret if client else None
            values = [*_header_credentials(target.headers), *secrets_of_url(target.url), secret or ""]
        case PageTarget(url=url, cdp=cdp):
            values = [*secrets_of_url(url), *secrets_of_url(cdp or "")]
        case DemoTarget():
            values = []
    long_enough = {value.strip() for value in values if len("".join(value.split())) >= SHORTEST}
    return tuple(sorted(long_enough, key=lambda value: (-len(value), value)))


def _holds_any(item: Json, credentials: set[str]) -> bool:
    """True if `item` is a leaf with one of the texts `credentials`, or an object with such a key."""
    if isinstance(item, dict):
        return not credentials.isdisjoint(item)
    if isinstance(item, DuplicateKeys):
        texts = set[str]()
        texts_in(item, texts, texts)
        return not texts.isdisjoint(credentials)
    return not isinstance(item, list) and not credentials.isdisjoint(forms_of(item))


def _with_halves(value: str) -> Iterator[str]:
    yield value
    if len(value) >= _HALVED and _WORDS.fullmatch(value):
        half = len(value) // 2
        yield value[:half]
        yield value[-half:]


def _header_credentials(headers: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, value in headers:
        if not (SECRET_NAME.search(name) or sightings(value)):
            continue
        yield value
        scheme = _SCHEME.match(value)
        if scheme is None:
            continue
        # The scheme is not secret; the rest is.
        credential = value[scheme.end() :]
        yield credential
        if scheme[0].strip().lower() == "basic":
            yield from _basic_credentials(credential)


def _basic_credentials(credential: str) -> Iterator[str]:
    """The pair `user:password` in the value of a Basic header, then the password alone."""
    try:
        pair = b64decode(credential, validate=True).decode()
    except ValueError:
        return
    yield pair
    yield pair.partition(":")[2]


def _environment_credentials(environment: dict[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        is_named = len(value) >= LEAST_VARIABLE and (SECRET_NAME.search(name) or sightings(value))
        is_path = "/" in value or "\\" in value
        if is_named or (len(value) >= LEAST_UNNAMED and not is_path):
            yield value
        if "://" in value:
            yield from secrets_of_url(value)
