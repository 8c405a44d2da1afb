"""A text as sentences of words, read as a model reads it: hidden letters decoded, lookalikes folded."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.foreign import replaced_at

MAX_SENTENCE = 400
"""Words of one sentence; longer ones count as several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence."""

    words: tuple[str, ...] | list[str]
    """In lower case, without the marks around them. Paths, addresses and identifiers are one word."""
    at: int
    """The character of the text as read at which it starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """A text, taken apart."""

    sentences: tuple[Sentence, ...]
    markup: int | None
    """Where it imitates the markup of a prompt; None where nowhere."""
    shouts: int | None
    """Where it insists in capitals."""
    threat: int | None
    """Where it says what goes wrong otherwise."""
    paths: bool = False
    """Whether it names a place where people keep keys."""
    addressed: bool = False
    """Whether it may hold the address of a page or of a person."""
    moved: tuple[tuple[int, int], ...] = ()
    """Characters of the text as read, and of the text as sent, that belong together."""

    def original(self, at: int) -> int:
        """The character of the text as sent for one of the text as read."""
        if not self.moved:
            return at
        read, sent = self.moved[bisect_right(self.moved, (at, 1 << 60)) - 1]
        return sent + at - read


# Every repetition is of one class that nothing behind it can match, or is bounded: no way to take more than linear time.
_TOKEN = re.compile(r"[\w~@/.:'\u2019+*=&?%-]+|\n[ \t]*[\n#*-]|[!;]")
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
    "credentials.json",
)  # fmt: skip
_ENV = re.compile(r"(?<![\w.])\.env\b")
_TAGS = range(0xE0020, 0xE007F)
_EDGES = ".:'-*?=&+"


def prose_of(text: str) -> Prose:
    """`text` taken apart. Linear in its length."""
    moved: tuple[tuple[int, int], ...] = ()
    if not text.isascii():
        text, moved = as_read(text)
    return Prose(
        sentences=tuple(_sentences(text)),
        markup=_at(_MARKUP, text)
        if "<" in text or "[" in text or "ystem" in text or "YSTEM" in text
        else None,
        shouts=_at(_SHOUT, text),
        threat=_at(_THREAT, text),
        paths=names_secret_path(text.lower()),
        addressed="@" in text or "://" in text,
        moved=moved,
    )


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
    words: list[str] = []
    start = 0
    for found in _TOKEN.finditer(text):
        token = found[0]
        ends = token[0] in "\n!;"
        if not ends:
            if not words:
                start = found.start()
            word = token.lower().replace("\u2019", "'").strip("'*?=&+-:").rstrip(_EDGES)
            if word:
                words.append(word)
            ends = token[-1] in ".?!" or len(words) >= MAX_SENTENCE
        if ends and words:
            yield Sentence(words=words, at=start)
            words = []
    if words:
        yield Sentence(words=words, at=start)
