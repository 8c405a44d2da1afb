"""A text as sentences of words, read as a model reads it: hidden letters decoded, lookalikes folded."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from inspector.safe_text import replaced_at

MAX_SENTENCE = 400
"""Words of one sentence; longer ones count as several."""
QUOTED = "`"
"""Stands as a word of its own before one that is written as code is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence."""

    words: tuple[str, ...]
    """In lower case, without the marks around them. Paths, addresses and identifiers are one word."""
    at: int
    """The character of the text as read at which it starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """A text, taken apart."""

    text: str
    """As read."""
    sentences: tuple[Sentence, ...]
    markup: int | None
    """Where it imitates the markup of a prompt; None where nowhere."""
    shouts: int | None
    """Where it insists in capitals."""
    threat: int | None
    """Where it says what goes wrong otherwise."""
    paths: bool = False
    """Whether it names a place where people keep keys."""
    spaced: int | None = None
    """Where it is spelt with blanks between the letters."""
    moved: tuple[tuple[int, int], ...] = ()
    """Characters of the text as read, and of the text as sent, that belong together."""

    def original(self, at: int) -> int:
        """The character of the text as sent for one of the text as read."""
        if not self.moved:
            return at
        read, sent = self.moved[bisect_right(self.moved, (at, 1 << 60)) - 1]
        return sent + at - read


# Every repetition is of one class that nothing behind it can match, or is bounded: no way to take more than linear time.
_TOKEN = re.compile(r"[\w~@/.:'\u2019+*=&?%-]+")
_MARKUP = re.compile(
    r"<[ /|]{0,3}(?:important|system|secret|instructions?|critical|hidden|assistant|admin|override|im_start|im_end|inst|"
    r"developer|sys|prompt|mandatory)\b"
    r"|\[[ /]{0,3}(?:system|inst|important|hidden|admin|override|instructions?)\b"
    r"|(?:^|[\n>\]])[ #*]{0,6}system(?: (?:message|instruction|prompt|override|note)s?)?[ *]{0,3}:"
    r"|system instructions?:|</(?:tool|result|output|search|function|data|document|user)[a-z_]{0,20}>",
    re.IGNORECASE,
)
_SHOUT = re.compile(
    r"\b(?:IMPORTANT|CRITICAL|MANDATORY|URGENT|MUST|ALWAYS|NEVER|ATTENTION|VERY IMPORTANT|REQUIRED)\b"
)
_THREAT = re.compile(r"\b(?:[Oo]therwise|or else|or the \w{1,30} will|will not work|will fail|will crash)\b")
_SECRET_PATHS = (
    ".ssh", "id_rsa", "id_ed25519", "/etc/passwd", "/etc/shadow", ".aws/", ".netrc", ".kube/", "mcp.json", ".cursor/",
    "desktop_config", ".git-credentials", ".npmrc", ".pypirc", "bash_history", "zsh_history", "wallet.dat", ".gnupg",
    "credentials.json", ".password-store", "id_ecdsa", ".config/gcloud", ".docker/config", "logins.json", ".vault-token",
    ".azure/", "/proc/self/environ", "cookies.sqlite", "tfstate",
)  # fmt: skip
_ENV = re.compile(r"(?<![\w.])\.env\b")
_TAGS = range(0xE0020, 0xE007F)
_EDGES = ".:'-*?=&+"


def prose_of(text: str) -> Prose:
    """`text` taken apart. Linear in its length."""
    moved: tuple[tuple[int, int], ...] = ()
    if not text.isascii():
        text, moved = as_read(text)
    spaced = _SPACED.search(text)
    if spaced:
        text = _SPACED.sub(_joined, text)
    return Prose(
        text=text,
        sentences=tuple(_sentences(text)),
        markup=_at(_MARKUP, text)
        if "<" in text or "[" in text or "ystem" in text or "YSTEM" in text
        else None,
        shouts=_at(_SHOUT, text),
        threat=_at(_THREAT, text),
        paths=names_secret_path(text.lower()),
        spaced=spaced.start() if spaced else None,
        moved=moved,
    )


# Letters with one blank between them, and more blanks between their words. Each repetition has one fixed length.
_SPACED = re.compile(r"(?:\b\w {1,4}){7,400}\w\b")
_GAPS = re.compile(r" {2,4}")


def _joined(found: re.Match[str]) -> str:
    words = "  ".join(word.replace(" ", "") for word in _GAPS.split(found[0]))
    # The places behind it stay what they are.
    return words.ljust(len(found[0]))


def names_secret_path(lowered: str) -> bool:
    """Whether a text in lower case names a place where people keep keys and settings."""
    return any(path in lowered for path in _SECRET_PATHS) or (
        ".env" in lowered and _ENV.search(lowered) is not None
    )


def as_read(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """`text` with tag characters decoded, hidden ones gone and compatible ones folded; and which place is which."""
    parts: list[str] = []
    moved: list[tuple[int, int]] = []
    length = start = 0
    for at in (*replaced_at(text), len(text)):
        if start < at:
            part = unicodedata.normalize("NFKC", text[start:at])
            moved.append((length, start))
            parts.append(part)
            length += len(part)
        if at < len(text) and ord(text[at]) in _TAGS:
            moved.append((length, at))
            parts.append(chr(ord(text[at]) - 0xE0000))
            length += 1
        start = at + 1
    return "".join(parts), tuple(moved)


def tagged(text: str) -> str:
    """What the tag characters in `text` spell."""
    return "".join(chr(ord(character) - 0xE0000) for character in text if ord(character) in _TAGS)


def _at(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    return found.start() if found else None


def _sentences(text: str) -> Iterator[Sentence]:
    start = 0
    for found in _END.finditer(text):
        yield from _parts(text[start : found.end()], start)
        start = found.end()
    yield from _parts(text[start:], start)


def _parts(text: str, start: int) -> Iterator[Sentence]:
    """What stands up to the end of a sentence, in parts of at most `MAX_SENTENCE` words."""
    # Tools of one server share many sentences.
    parts = _known_words(text) if len(text) < _SHORT else _words(text)
    return (Sentence(words=words, at=start + at) for at, words in parts)


_END = re.compile(r"[.?](?![\w~@/.:'\u2019+*=&?%-])|!(?!\[)|;|\n[ \t]*[\n#*-]")
_SHORT = 400
"""Characters of a sentence that is remembered."""


@lru_cache(maxsize=4_096)
def _known_words(text: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
    return _words(text)


def _words(text: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """The words of one sentence, in parts, each with the character at which it starts."""
    parts: list[tuple[int, tuple[str, ...]]] = []
    words: list[str] = []
    start = 0
    for found in _TOKEN.finditer(text):
        if not words:
            start = found.start()
        if found.start() and text[found.start() - 1] == "`":
            words.append(QUOTED)
        word = found[0].lower().replace("\u2019", "'").strip("'*?=&+-:").rstrip(_EDGES)
        if word:
            words.append(word)
        if len(words) >= MAX_SENTENCE:
            parts.append((start, tuple(words)))
            words = []
    if words:
        parts.append((start, tuple(words)))
    return tuple(parts)
