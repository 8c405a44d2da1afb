"""Splits a text into sentences and words in the form in which a model reads it.

Letters that are hidden in Unicode tag characters are decoded, and compatibility characters are normalized.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from inspector.safe_text import replaced_at

MAX_SENTENCE = 400
"""The maximum number of words of a sentence. Longer sentences are split."""
QUOTED = "`"
"""The mark for quoted words. It is inserted as a separate word before each word in backticks."""


class Sentence(Struct, frozen=True, kw_only=True):
    """A sentence, as words."""

    words: tuple[str, ...]
    """The words in lower case, without surrounding punctuation. A path, address or identifier is one word."""
    at: int
    """The start of the sentence, as an index into the decoded text."""


class Prose(Struct, frozen=True, kw_only=True):
    """A text, decoded and split into sentences, with features that may indicate instructions to a model."""

    text: str
    """The decoded text."""
    sentences: tuple[Sentence, ...]
    markup: int | None
    """The position of text that imitates the markup of a prompt; None if there is none."""
    shouts: int | None
    """The position of emphasis in capitals; None if there is none."""
    threat: int | None
    """The position of words that announce a consequence, such as "otherwise"; None if there are none."""
    paths: bool = False
    """True if the text contains a path at which secrets or settings are usually stored, such as `.ssh`."""
    spaced: int | None = None
    """The position of text with spaces between its letters; None if there is none."""
    moved: tuple[tuple[int, int], ...] = ()
    """Pairs of corresponding positions in the decoded text and the original; empty if all are equal."""

    def original(self, at: int) -> int:
        """The position in the original text that corresponds to position `at` in the decoded text."""
        if not self.moved:
            return at
        read, sent = self.moved[bisect_right(self.moved, (at, 1 << 60)) - 1]
        return sent + at - read


# Each repetition has a maximum, or repeats characters that nothing after it can match, so matching is linear.
_TOKEN = re.compile(r"[\w~@/.:'\u2019+*=&?%-]+")
SEQUENCE = re.compile(r"(?:\x1b\[|\x9b)([0-9:;<=>?]{0,40})[ -/]{0,4}([@-~])|(?:\x1b\]|\x9d)(\d{0,3});?")
"""Matches a control sequence of a terminal, or the start of an operating system command (OSC).

The groups are the parameters and the last character of the control sequence, and the number of the OSC.
"""
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
    """Decode and split `text`. Linear in its length."""
    moved: tuple[tuple[int, int], ...] = ()
    if "\x1b" in text or "\x9b" in text:
        text = SEQUENCE.sub(lambda match: " " * len(match[0]), text)
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


# Matches letters separated by one blank, and words separated by more. Each repetition has a maximum length.
_SPACED = re.compile(r"(?:\b\w {1,4}){7,400}\w\b")
_GAPS = re.compile(r" {2,4}")


def _joined(match: re.Match[str]) -> str:
    words = "  ".join(word.replace(" ", "") for word in _GAPS.split(match[0]))
    # Keep later positions unchanged.
    return words.ljust(len(match[0]))


def names_secret_path(lowered: str) -> bool:
    """True if a text in lower case contains a path at which secrets or settings are usually stored."""
    return any(path in lowered for path in _SECRET_PATHS) or (
        ".env" in lowered and _ENV.search(lowered) is not None
    )


def as_read(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text as a model reads it, and pairs of corresponding positions in the new and the original text.

    Tag characters are decoded, hidden characters are removed, and the rest is normalized to NFKC.
    """
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
    """The text that the tag characters in `text` encode."""
    return "".join(chr(ord(character) - 0xE0000) for character in text if ord(character) in _TAGS)


def _at(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    return match.start() if match else None


def _sentences(text: str) -> Iterator[Sentence]:
    start = 0
    for match in _END.finditer(text):
        yield from _parts(text[start : match.end()], start)
        start = match.end()
    yield from _parts(text[start:], start)


def _parts(text: str, start: int) -> Iterator[Sentence]:
    """One sentence of a text, in parts of at most `MAX_SENTENCE` words, each as a `Sentence`."""
    # The tools of one server share many sentences, so the words of short ones are cached.
    parts = _known_words(text) if len(text) < _SHORT else _words(text)
    return (Sentence(words=words, at=start + at) for at, words in parts)


_END = re.compile(r"[.?](?![\w~@/.:'\u2019+*=&?%-])|!(?!\[)|;|\n[ \t]*[\n#*-]")
_SHORT = 400
"""The length in characters below which the words of a sentence are cached."""


@lru_cache(maxsize=4_096)
def _known_words(text: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
    return _words(text)


def _words(text: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """The words of a sentence in parts of at most `MAX_SENTENCE`, each with the position of its first word."""
    parts: list[tuple[int, tuple[str, ...]]] = []
    words: list[str] = []
    start = 0
    for match in _TOKEN.finditer(text):
        if not words:
            start = match.start()
        if match.start() and text[match.start() - 1] == "`":
            words.append(QUOTED)
        word = match[0].lower().replace("\u2019", "'").strip("'*?=&+-:").rstrip(_EDGES)
        if word:
            words.append(word)
        if len(words) >= MAX_SENTENCE:
            parts.append((start, tuple(words)))
            words = []
    if words:
        parts.append((start, tuple(words)))
    return tuple(parts)
