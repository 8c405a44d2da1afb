"""What of the signs the data files cannot say: conditions that other modules decide, and choices within a window."""

from collections.abc import Callable, Iterator, Mapping

from inspector.review.properties import words_of
from inspector.review.prose import QUOTED, names_secret_path
from inspector.review.secret_names import names_secret
from inspector.review.signs.conditions import Lists
from inspector.review.signs.matching import NOT, Said

_VARIABLE_ENDS = ("_key", "_token", "_secret", "_password", "_credentials", "database_url")


def _holds_secret_variable(said: Said) -> bool:
    """Whether it names a variable as environments have them, such as the one for a key."""
    return any(said.words[place].endswith(_VARIABLE_ENDS) for place in said.tools)


def _names_secret_argument(said: Said) -> bool:
    return any(
        names_secret(words_of(said.words[index + 1]))
        for index in said.where(frozenset({QUOTED}))
        if index + 1 < len(said.words)
    )


def _names_several_paths(said: Said) -> bool:
    return said.path is not None and sum(names_secret_path(word) for word in said.words) > 1


CONDITIONS: Mapping[str, Callable[[Said], bool]] = {
    "secret variable": _holds_secret_variable,
    "argument named for a secret": _names_secret_argument,
    "several paths": _names_several_paths,
}


def _setting_aside(said: Said, lists: Lists) -> Iterator[str]:
    """What is to be ignored: the first rules behind the verb, by what is before them and a little behind."""
    for index in said.asked(lists["IGNORE"]):
        behind = said.words[index + 1 : index + 9]
        rules = next((place for place, word in enumerate(behind) if word in lists["RULES"]), None)
        told = "told" in behind and not {"everything", "previously", "before", "you"}.isdisjoint(behind)
        standing = rules is not None and (
            not lists["STANDING"].isdisjoint(behind[: rules + 1])
            or not {"given", "told", "before"}.isdisjoint(behind[rules + 1 : rules + 6])
        )
        if told or standing:
            yield "quoted" if said.has(lists["ABOUT"]) else "instructions"
        elif not lists["USER"].isdisjoint(behind[:4]) and not lists["CHOICE"].isdisjoint(behind[1:6]):
            yield "wishes"


def _not_told(said: Said, lists: Lists) -> Iterator[str]:
    """Who is not to learn of what: the first verb behind the denial, and what follows it."""
    words, always = said.words, lists["ALWAYS_TOLD"]
    for index in said.where(NOT):
        if index and words[index - 1] in lists["DESCRIBED"] and words[index] not in {"without", "no"}:
            continue
        behind = words[index + 1 : index + 10]
        tell = next((place for place, word in enumerate(behind[:4]) if word in lists["TELL"]), None)
        if tell is None:
            continue
        verb, told = behind[tell], behind[tell + 1 : tell + 8]
        users = lists["USER"] if verb in always else lists["USER"] - {"them"}
        if not users.isdisjoint(told[: 7 if verb == "list" else 4]):
            shows = verb == "show" and not lists["THIS"].isdisjoint(told[:1])
            if verb in lists["ASKED"] and not shows:
                yield "unasked"
            else:
                yield "without" if words[index] == "without" else "user"
        elif not lists["THIS"].isdisjoint(told[:3]) and verb not in lists["SELDOM"]:
            yield "this"
        elif verb in always and words[index] in {"never", "without", "refrain", "avoid"}:
            yield "anything"


SIGNS: Mapping[str, Callable[[Said, Lists], Iterator[str]]] = {
    "setting aside": _setting_aside,
    "not told": _not_told,
}
"""Each yields names of outcomes, of which the data file has the weights and reasons."""
