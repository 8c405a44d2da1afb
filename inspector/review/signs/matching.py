"""Finds the positions of words in a sentence, and whether the words are negated.

The signs (patterns for text that gives a model instructions) are built on this.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from inspector.review.prose import names_secret_path
from inspector.review.texts import word_set

Weighed: TypeAlias = Iterator[tuple[float, str]]
"""Yields the weight and the reason of each sign. The reasons are by Sightline."""

NOT = word_set(
    "not never dont don't cannot can't mustn't shouldn't needn't avoid nor refrain without no nobody none"
)
_RESTART = word_set("and but then just also please instead")
_ADDRESS_TAILS = word_set("example com net org io dev co app me xyz ru cn info biz test cloud site")
_IDENTIFIER = re.compile(r"[a-z][a-z0-9]{0,60}(?:_[a-z0-9]{1,60}){1,8}|mcp[a-z0-9-]{2,60}")


class SentenceWords:
    """The words of a sentence. Frequent queries are cached."""

    __slots__ = ("_addresses", "_path", "_tools", "kinds", "known", "words")

    def __init__(self, words: Sequence[str], *, may_hold_paths: bool = False) -> None:
        """`words`: the words of the sentence, in lower case.

        `may_hold_paths`: whether the text contains a path at which secrets are usually stored.
        """
        self.words = words
        self.kinds = frozenset(words)
        """The distinct words."""
        self.known: dict[object, int | None] = {}
        """What the tests of named conditions returned for this sentence, by test."""
        self._path = _first_path(words) if may_hold_paths else None
        self._addresses: tuple[int, ...] | None = None
        self._tools: tuple[int, ...] | None = None

    def has(self, wanted: frozenset[str]) -> bool:
        return not wanted.isdisjoint(self.kinds)

    def where(self, wanted: frozenset[str]) -> Iterable[int]:
        """The indices of these words in the sentence, in order."""
        if wanted.isdisjoint(self.kinds):
            return ()
        return [index for index, word in enumerate(self.words) if word in wanted]

    def phrase(self, *wanted: str) -> bool:
        """True if the sentence contains these words next to each other. `|` separates alternatives."""
        kinds = _kinds_of(wanted)
        for kind in kinds:
            if kind.isdisjoint(self.kinds):
                return False
        words, size = self.words, len(kinds)
        for index in self.where(kinds[0]):
            if all(word in kind for word, kind in zip(words[index : index + size], kinds, strict=False)) and (
                index + size <= len(words)
            ):
                return True
        return False

    def is_denied(self, index: int) -> bool:
        """True if a negation is shortly before word `index`, and no word in between starts a new command."""
        for place in range(index - 1, max(-1, index - 5), -1):
            word = self.words[place]
            if word in NOT and not self._denies_nothing(place):
                return True
            if word in _RESTART:
                return False
        return False

    def _denies_nothing(self, place: int) -> bool:
        """True if the negation at `place` negates no verb.

        Examples: `not for display: include …`, `asked or not: include …`, `if none is given, include …`.
        """
        before, behind = self.words[place - 1 : place], self.words[place + 1]
        return (
            behind == "for"
            or before == ("or",)
            or (self.words[place] in {"none", "no"} and behind in {"is", "are"})
        )

    def asked(self, wanted: frozenset[str]) -> Iterator[int]:
        """The indices at which these words occur without a negation."""
        return (index for index in self.where(wanted) if not self.is_denied(index))

    @property
    def path(self) -> int | None:
        """The index of the first path where secrets or settings are usually stored; None if there is none."""
        return self._path

    @property
    def addresses(self) -> tuple[int, ...]:
        """The indices of destinations: web, mail and IP addresses, and numbers of phones and accounts."""
        if self._addresses is None:
            self._addresses = tuple(index for index, word in enumerate(self.words) if is_address(word))
        return self._addresses

    @property
    def tools(self) -> tuple[int, ...]:
        """The indices of words that look like names of tools."""
        if self._tools is None:
            self._tools = tuple(
                index
                for index, word in enumerate(self.words)
                if ("_" in word or word.startswith("mcp")) and _IDENTIFIER.fullmatch(word)
            )
        return self._tools


@lru_cache(maxsize=1_024)
def _kinds_of(wanted: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(each.split("|")) for each in wanted)


def _first_path(words: Sequence[str]) -> int | None:
    found = (
        index for index, word in enumerate(words) if names_secret_path(word) and not word.endswith(".pub")
    )
    return next(found, None)


def ends_of(phrases: Iterable[tuple[str, ...]]) -> frozenset[str]:
    """The last words of the phrases. A sentence without any of them contains no phrase."""
    return frozenset(word for phrase in phrases for word in phrase[-1].split("|"))


def is_address(word: str) -> bool:
    """True if a word in lower case looks like a destination."""
    if word.isalpha():
        return False
    if "://" in word:
        return True
    if "@" in word[1:]:
        return "." in word.rpartition("@")[2]
    if word.isdigit():
        return len(word) > 7
    if word.startswith("0x"):
        return len(word) > 6
    if len(word) > 14 and word[:2].isalpha() and word[2:].isdigit():
        # A bank account number.
        return True
    if word.count(".") == 3 and word.partition(":")[0].replace(".", "").isdigit():
        return True
    head, dot, tail = word.partition("/")[0].rpartition(".")
    return bool(dot) and tail in _ADDRESS_TAILS and len(head) > 3
