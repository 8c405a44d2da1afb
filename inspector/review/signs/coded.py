"""Patterns for instructions to a model that need Python code, and so are not in the data files."""

from collections.abc import Callable, Iterator, Mapping

from inspector.credentials.names import names_secret, words_of
from inspector.review.prose import QUOTED, names_secret_path
from inspector.review.signs.conditions import Lists
from inspector.review.signs.matching import NOT, SentenceWords

_VARIABLE_ENDS = ("_key", "_token", "_secret", "_password", "_credentials", "database_url")


def _holds_secret_variable(sentence: SentenceWords) -> bool:
    """True if the sentence contains the name of an environment variable for a secret."""
    return any(sentence.words[place].endswith(_VARIABLE_ENDS) for place in sentence.tools)


def _names_secret_argument(sentence: SentenceWords) -> bool:
    return any(
        names_secret(words_of(sentence.words[index + 1]))
        for index in sentence.where(frozenset({QUOTED}))
        if index + 1 < len(sentence.words)
    )


def _names_several_paths(sentence: SentenceWords) -> bool:
    return sentence.path is not None and sum(names_secret_path(word) for word in sentence.words) > 1


CONDITIONS: Mapping[str, Callable[[SentenceWords], bool]] = {
    "secret variable": _holds_secret_variable,
    "argument whose name suggests a secret": _names_secret_argument,
    "several paths": _names_several_paths,
}


def _setting_aside(sentence: SentenceWords, lists: Lists) -> Iterator[str]:
    """The kinds of things that a sentence tells its reader to ignore: `quoted`, `instructions` or `wishes`.

    `instructions` are earlier ones. `quoted` are instructions that the sentence may only talk about. `wishes`
    are those of the user. The kind depends on the first word of the list `RULES` after the verb, and on the
    words around that word.
    """
    for index in sentence.asked(lists["IGNORE"]):
        behind = sentence.words[index + 1 : index + 9]
        rules = next((place for place, word in enumerate(behind) if word in lists["RULES"]), None)
        mentions_past = "told" in behind and not {"everything", "previously", "before", "you"}.isdisjoint(
            behind
        )
        standing = rules is not None and (
            not lists["STANDING"].isdisjoint(behind[: rules + 1])
            or not {"given", "told", "before"}.isdisjoint(behind[rules + 1 : rules + 6])
        )
        if mentions_past or standing:
            yield "quoted" if sentence.has(lists["ABOUT"]) else "instructions"
        elif not lists["USER"].isdisjoint(behind[:4]) and not lists["CHOICE"].isdisjoint(behind[1:6]):
            yield "wishes"


_ARTICLES = frozenset({"a", "an", "the", "any", "its", "their", "your", "existing"})


def _concealing(sentence: SentenceWords, lists: Lists) -> Iterator[str]:
    """How a sentence asks to conceal something: `unasked`, `without`, `user`, `this` or `anything`.

    The way depends on the negation, the first verb of telling after it, and the words after that verb.
    """
    words, always = sentence.words, lists["ALWAYS_EVIDENCE"]
    for index in sentence.where(NOT):
        if index and words[index - 1] in lists["DESCRIBED"] and words[index] not in {"without", "no"}:
            continue
        behind = words[index + 1 : index + 10]
        tell = next((place for place, word in enumerate(behind[:4]) if word in lists["TELL"]), None)
        if tell is None:
            continue
        if (
            words[index] == "without"
            and behind[0] in lists["CHANGING"]
            and _ARTICLES.issuperset(behind[1:tell])
        ):
            # In `without changing the alert rules`, `alert` is no verb.
            continue
        verb, rest = behind[tell], behind[tell + 1 : tell + 8]
        users = lists["USER"] if verb in always else lists["USER"] - {"them"}
        if not users.isdisjoint(rest[: 7 if verb == "list" else 4]):
            shows = verb == "show" and not lists["THIS"].isdisjoint(rest[:1])
            if verb in lists["ASKED"] and not shows:
                yield "unasked"
            else:
                yield "without" if words[index] == "without" else "user"
        elif not lists["THIS"].isdisjoint(rest[:3]) and verb not in lists["SELDOM"]:
            yield "this"
        elif verb in always and words[index] in {"never", "without", "refrain", "avoid"}:
            yield "anything"


SIGNS: Mapping[str, Callable[[SentenceWords, Lists], Iterator[str]]] = {
    "setting aside": _setting_aside,
    "concealing": _concealing,
}
"""The functions that find the signs with `code` in the data files, by the value of `code`.

Each yields names of outcomes. The data file has the weight and the reason of each outcome.
"""
