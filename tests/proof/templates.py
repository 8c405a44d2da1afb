"""Results with blanks for words, so that one result can be filled with different words and differ in nothing else."""

import base64
import json
import random
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias, Union
from urllib.parse import quote

from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text
from inspector.json.pointer import child


class Kind(Enum):
    """The kind of characters in a word."""

    LONG = auto()
    ODD = auto()
    """With characters that JSON and URLs escape."""
    SHORT = auto()
    """Below six characters, so that it is only found as a whole word."""
    NUMBER = auto()


class Encoding(Enum):
    """The encoding in which an echo writes its word."""

    VERBATIM = auto()
    JSON = auto()
    URL = auto()
    BASE64 = auto()
    HEX = auto()
    REVERSED = auto()
    FOLDED = auto()
    SPLIT = auto()
    INTERSPERSED = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A blank for one word, as a whole leaf or key."""

    index: int


@dataclass(frozen=True, slots=True)
class Echo:
    """A word again, in some encoding, with other text around it."""

    index: int
    encoding: Encoding
    variant: int


@dataclass(frozen=True, slots=True)
class Say:
    """A string composed of text and blanks."""

    parts: "tuple[str | Token | Echo, ...]"


@dataclass(frozen=True, slots=True)
class AsText:
    """A string that is the JSON of a value."""

    value: "Template"
    style: int


@dataclass(frozen=True, slots=True)
class Members:
    """An object. Its keys may contain blanks too."""

    pairs: "tuple[tuple[str | Say, Template], ...]"
    twice: bool = False
    """True if it repeats its first key at its end."""

    def __or__(self, other: "Members") -> "Members":
        return Members((*self.pairs, *other.pairs), self.twice)


Template: TypeAlias = Union[Json, Token, Say, AsText, Members, "list[Template]"]
Word: TypeAlias = str | int


def members(**pairs: Template) -> Members:
    return Members(tuple(pairs.items()))


def filled(template: Template, words: Sequence[Word]) -> Json:
    """The JSON value of a template filled with these words."""
    match template:
        case Token():
            return words[template.index]
        case Say():
            return said(template, words)
        case AsText():
            return _text(filled(template.value, words), template.style)
        case Members():
            pairs = [
                (key if isinstance(key, str) else said(key, words), filled(value, words))
                for key, value in template.pairs
            ]
            found: JsonObject = dict(pairs)
            if template.twice and pairs:
                return DuplicateKeys((*found.items(), pairs[0]))
            return found
        case list():
            return [filled(item, words) for item in template]
        case _:
            return template


def said(template: Say, words: Sequence[Word]) -> str:
    return "".join(_part(part, words) for part in template.parts)


def _part(part: str | Token | Echo, words: Sequence[Word]) -> str:
    match part:
        case str():
            return part
        case Token():
            return str(words[part.index])
        case Echo():
            return written(words[part.index], part.encoding, part.variant)[0]


def _text(value: Json, style: int) -> str:
    compact = dump_text(value)
    if style == 0 or "\\u" in compact or '":' not in compact:
        return compact
    # Spaces between members, at places where no string can contain such a sequence.
    return compact.replace('":', '": ') if style == 1 else f"\n {compact} "


def blanks(template: Template) -> Iterator[Token | Echo]:
    """Every blank, including those in JSON texts."""
    match template:
        case Token():
            yield template
        case Say():
            yield from (part for part in template.parts if not isinstance(part, str))
        case AsText():
            yield from blanks(template.value)
        case Members():
            for key, value in template.pairs:
                if isinstance(key, Say):
                    yield from blanks(key)
                yield from blanks(value)
        case list():
            for item in template:
                yield from blanks(item)
        case _:
            pass


def places(template: Template, words: Sequence[Word], pointer: str = "") -> Iterator[tuple[int, str, bool]]:
    """Every word that occurs, with its pointer and whether it is the whole leaf; keys by their object."""
    match template:
        case Token():
            yield template.index, pointer, True
        case Say():
            whole = len(template.parts) == 1
            yield from ((part.index, pointer, whole) for part in template.parts if isinstance(part, Token))
        case Members():
            for key, value in template.pairs:
                name = key if isinstance(key, str) else said(key, words)
                if isinstance(key, Say):
                    yield from places(key, words, pointer)
                yield from places(value, words, child(pointer, name))
        case list():
            for index, item in enumerate(template):
                yield from places(item, words, child(pointer, index))
        case _:
            pass


def written(word: Word, encoding: Encoding, variant: int) -> tuple[str, str]:
    """A word in an encoding with other text around it, and the part of that by which the word is recognisable."""
    text = str(word)
    if isinstance(word, int) or len(text) < LEAST:
        return f"({text})", text
    core = _ENCODERS[encoding](text, variant)
    if encoding is Encoding.BASE64:
        return core[0] + core[1] + core[2], core[1]
    return ("", "v=", "in ")[variant % 3] + core[1] + ("", " end", ",")[variant % 3], core[1]


def _plain(text: str) -> tuple[str, str, str]:
    return "", text, ""


def _json(text: str, variant: int) -> tuple[str, str, str]:
    if variant % 2:
        return _plain("".join(f"\\u{ord(character):04x}" for character in text))
    return _plain(json.dumps(text)[1:-1])


def _url(text: str, variant: int) -> tuple[str, str, str]:
    if variant % 2:
        return _plain("".join(f"%{byte:02x}" for byte in text.encode()))
    return _plain(quote(text, safe=""))


def _base64(text: str, variant: int) -> tuple[str, str, str]:
    before = b"ab"[: variant % 3]
    after = b"tail!"[: variant % 4]
    encode = base64.urlsafe_b64encode if variant % 5 == 4 else base64.b64encode
    whole = encode(before + text.encode() + after).decode()
    # Characters that encode no bit of the text around the word.
    start = (len(before) * 8 + 5) // 6
    end = (len(before) + len(text.encode())) * 8 // 6
    return whole[:start], whole[start:end], whole[end:]


def _hex(text: str, variant: int) -> tuple[str, str, str]:
    found = text.encode().hex()
    return _plain(found.upper() if variant % 2 else found)


def _reversed(text: str, _variant: int) -> tuple[str, str, str]:
    return _plain(text[::-1])


def _folded(text: str, variant: int) -> tuple[str, str, str]:
    return _plain(text.swapcase() if variant % 2 else text.casefold())


def _split(text: str, variant: int) -> tuple[str, str, str]:
    space = (" ", "\n", "\t", "  ")[variant % 4]
    size = 1 + variant % 3
    return _plain(space.join(text[start : start + size] for start in range(0, len(text), size)))


def _interspersed(text: str, variant: int) -> tuple[str, str, str]:
    sign = _SKIPPED[variant % len(_SKIPPED)]
    return _plain(sign.join(text) if variant % 2 else f"{text[:2]}{sign * 3}{text[2:]}")


def _verbatim(text: str, _variant: int) -> tuple[str, str, str]:
    return _plain(text)


_ENCODERS = {
    Encoding.VERBATIM: _verbatim,
    Encoding.JSON: _json,
    Encoding.URL: _url,
    Encoding.BASE64: _base64,
    Encoding.HEX: _hex,
    Encoding.REVERSED: _reversed,
    Encoding.FOLDED: _folded,
    Encoding.SPLIT: _split,
    Encoding.INTERSPERSED: _interspersed,
}
_SKIPPED = (
    "\u0600\u06dd\u08e2\U000110bd\U00013430\U00013440\u0301\u20dd\u2065\u200b\U000e0061\U000e01f0\ufff3"
)
"""Format characters, marks and ignorable code points."""
LEAST = 6
MOST_WORDS = 96


def _long(random_: random.Random, size: int) -> str:
    # At least one upper-case letter, lower-case letter and digit, so that folding and reversing always change something.
    return "Kx7" + "".join(random_.choices(string.ascii_letters + string.digits, k=size)) + "q4Z"


def _word(random_: random.Random, kind: Kind, size: int) -> Word:
    match kind:
        case Kind.LONG:
            return _long(random_, size)
        case Kind.ODD:
            return f'{_long(random_, size)}"/\\é+&'
        case Kind.SHORT:
            return "".join(random_.choices(string.ascii_lowercase, k=2)) + str(random_.randrange(10, 100))
        case Kind.NUMBER:
            return random_.randrange(10**size, 10 ** (size + 1)) * 10 + 7


def _supply(seed: int) -> dict[Kind, tuple[Word, ...]]:
    """Different words of every kind. Each supply has its own words with different lengths."""
    random_ = random.Random(seed)  # noqa: S311 - the same words in every run
    found: dict[Kind, tuple[Word, ...]] = {}
    for kind in Kind:
        words: dict[Word, None] = {}
        while len(words) < MOST_WORDS:
            words[_word(random_, kind, size=4 + 3 * seed + len(words) % 5)] = None
        found[kind] = tuple(words)
    return found


SUPPLIES = (_supply(1), _supply(2))
