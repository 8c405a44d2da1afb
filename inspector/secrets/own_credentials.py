"""The user's own credentials: what `--header`, `-e`, a configuration, a command line or a URL gives to a server.

A server may repeat them in its errors and logs. They are covered in what Sightline says, in every spelling that
`inspector.boundary.echoes` finds. docs/secrets.md has the rule of what counts.
"""

import re
from base64 import b64decode
from collections.abc import Iterable, Iterator

from inspector.boundary.echoes import Echoes
from inspector.boundary.spellings import SHORTEST
from inspector.credentials.find import sightings
from inspector.json.edit import Copied
from inspector.json.exact import DuplicateKeys, Json
from inspector.json.texts import forms_of, texts_in
from inspector.protocol.command_words import COVERED, TELLS, secret_words, secrets_of_url
from inspector.protocol.targets import DemoTarget, HttpTarget, PageTarget, StdioTarget, Target
from inspector.recording.markers import places

LEAST_VARIABLE = 8
"""Characters of a variable's value whose name tells that it is a credential."""
LEAST_UNNAMED = 16
"""Characters of any other value, if it is no path."""
_HALVED = 20
"""Of a value of so many characters, a half is covered too: an excerpt may have cut it."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*[ \t]+(?=\S)")
_WORDS = re.compile(r"\S+")


class OwnCredentials:
    """Credentials of the user, covered wherever a text repeats them."""

    def __init__(self, values: Iterable[str]) -> None:
        whole = list(values)
        self.is_empty = not whole
        self._plain = re.compile("|".join(map(re.escape, whole)), re.IGNORECASE)
        self._echoes = Echoes(part for value in whole for part in _with_halves(value))

    def cover(self, text: str) -> str:
        """The text, its words that repeat a credential covered; all of a line, or of the text, where words do not hold it.

        Never raises: a text that cannot be searched is covered as a whole.
        """
        if self.is_empty or not text:
            return text
        try:
            return self._covered(text)
        except Exception:  # noqa: BLE001 - a fault of the search must let nothing through
            return COVERED

    def covered(self, value: Json) -> tuple[Json, int]:
        """A JSON value without what repeats a credential, and how many places that were. Never raises."""
        if self.is_empty:
            return value, 0
        try:
            return self._without(value)
        except Exception:  # noqa: BLE001 - as above
            return COVERED, 1

    def _covered(self, text: str) -> str:
        shown = self._plain.sub(COVERED, text)
        if not self._repeats(shown):
            return shown
        lines = self._lines(set(shown.split("\n")))
        shown = "\n".join(lines.get(line, line) for line in shown.split("\n"))
        # It may be spelt over several lines.
        return COVERED if self._repeats(shown) else shown

    def _lines(self, lines: set[str]) -> dict[str, str]:
        """Those of `lines` that repeat a credential, with what is shown of each. All words are searched at once."""
        found = self._echoes.matches(lines)
        words = {word for line in found for word in _WORDS.findall(line)}
        bad = self._echoes.matches(words)
        shown = {
            line: _WORDS.sub(lambda word: COVERED if word[0] in bad else word[0], line) for line in found
        }
        still = self._echoes.matches(set(shown.values()))
        return {line: COVERED if text in still else text for line, text in shown.items()}

    def _repeats(self, text: str) -> bool:
        return bool(self._echoes.matches((text,)))

    def _without(self, value: Json) -> tuple[Json, int]:
        said, keys = set[str](), set[str]()
        texts_in(value, said, keys)
        bad = set(self._echoes.matches(said | keys))
        found = list(places(value, lambda item: _says(item, bad))) if bad else []
        copied = Copied(value)
        for tokens in found:
            text = copied.at(tokens)
            copied.put(tokens, self.cover(text) if isinstance(text, str) else COVERED)
        return copied.value, len(found)


def own_credentials(target: Target) -> OwnCredentials:
    """What counts as a credential in how a target is reached."""
    return OwnCredentials(credentials_of(target))


def credentials_of(target: Target) -> tuple[str, ...]:
    """The values themselves, the longest first."""
    match target:
        case StdioTarget():
            found = [*_of_environment(target.environment), *secret_words(target.command)]
        case HttpTarget():
            found = [*_of_headers(target.headers), *secrets_of_url(target.url)]
        case PageTarget(url=url, cdp=cdp):
            found = [*secrets_of_url(url), *secrets_of_url(cdp or "")]
        case DemoTarget():
            found = []
    strong = {value.strip() for value in found if len("".join(value.split())) >= SHORTEST}
    return tuple(sorted(strong, key=lambda value: (-len(value), value)))


def _says(item: Json, bad: set[str]) -> bool:
    """Whether a leaf, or a key of an object, is one of these texts."""
    if isinstance(item, dict):
        return not bad.isdisjoint(item)
    if isinstance(item, DuplicateKeys):
        said = set[str]()
        texts_in(item, said, said)
        return not said.isdisjoint(bad)
    return not isinstance(item, list) and not bad.isdisjoint(forms_of(item))


def _with_halves(value: str) -> Iterator[str]:
    yield value
    if len(value) >= _HALVED and _WORDS.fullmatch(value):
        half = len(value) // 2
        yield value[:half]
        yield value[-half:]


def _of_headers(headers: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, value in headers:
        if not (TELLS.search(name) or sightings(value)):
            continue
        yield value
        scheme = _SCHEME.match(value)
        if scheme is None:
            continue
        # The scheme is no secret; what follows it is.
        credential = value[scheme.end() :]
        yield credential
        if scheme[0].strip().lower() == "basic":
            yield from _of_basic(credential)


def _of_basic(credential: str) -> Iterator[str]:
    """User and password together, and the password."""
    try:
        pair = b64decode(credential, validate=True).decode()
    except ValueError:
        return
    yield pair
    yield pair.partition(":")[2]


def _of_environment(environment: dict[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        is_named = len(value) >= LEAST_VARIABLE and (TELLS.search(name) or sightings(value))
        is_path = "/" in value or "\\" in value
        if is_named or (len(value) >= LEAST_UNNAMED and not is_path):
            yield value
        if "://" in value:
            yield from secrets_of_url(value)
