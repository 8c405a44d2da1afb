"""Stems of words by language and kind: what an order to a model is made of, in languages other than English."""

from collections.abc import Mapping
from enum import StrEnum

from inspector.review.word_set import word_set


class Kind(StrEnum):
    """What a word is there for."""

    SMALL = "small words by which the language is known"
    IGNORE = "to set aside"
    RULES = "instructions"
    FORMER = "earlier"
    NOT = "denial"
    TELL = "to tell"
    USER = "the user"
    SECRETLY = "in secret"
    READ = "to read"
    PASS = "to hand over"  # noqa: S105 - a verb
    SEND = "to send"
    TALK = "the conversation"
    SECRETS = "what is secret"
    ALL = "all"
    FIRST = "before"
    TOOL = "a tool"
    PRETEND = "to say what is not true"
    MODEL = "the model"
    CHANGE = "to change"
    OTHER = "another"


_ORDER = tuple(Kind)


def lexicon(*lines: str) -> Mapping[Kind, frozenset[str]]:
    """One line of stems for each kind, in the order of `Kind`; `_` stands for a blank."""
    return {
        kind: frozenset(word.replace("_", " ") for word in word_set(line))
        for kind, line in zip(_ORDER, lines, strict=True)
    }
