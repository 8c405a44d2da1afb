"""Forms: what a key's value must look like. Types are exact: true is no number, and no word is matched loosely."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from inspector.json.exact import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What a value must look like."""

    words: str
    """In words, as docs/claims.md shows it."""
    problem: Callable[[Json], str]
    """Why a value is not of this form; empty where it is. Never raises, quotes nothing."""


def one_of(*words: str) -> Form:
    """Exactly one of `words`."""
    return _form(f"one of {', '.join(words)}", "is no known value", lambda value: _is_word(value, words))


def some_of(*words: str) -> Form:
    """A list of one or more of `words`."""
    return _form(
        f"list of {' and '.join(words)}",
        f"is no list of {' and '.join(words)}",
        lambda value: _is_list(value, lambda item: _is_word(item, words)),
    )


def possible(*words: str) -> Form:
    """One of `words`, or a list of those that are possible."""
    return _possible(f"one of {', '.join(words)}", lambda value: _is_word(value, words))


def _form(words: str, problem: str, holds: Callable[[Json], bool]) -> Form:
    return Form(words=words, problem=lambda value: "" if holds(value) else problem)


def _possible(words: str, holds: Callable[[Json], bool]) -> Form:
    def problem(value: Json) -> str:
        if not isinstance(value, list):
            return "" if holds(value) else "is no known value"
        return "" if _is_list(value, holds) else "is no list of known values"

    return Form(words=f"{words}; or a list of them", problem=problem)


def _is_word(value: Json, words: tuple[str, ...]) -> bool:
    return isinstance(value, str) and value in words


def _is_list(value: Json, holds: Callable[[Json], bool]) -> bool:
    return isinstance(value, list) and bool(value) and all(map(holds, value))


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_texts(value: Json) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_fraction(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def _is_moment(value: Json) -> bool:
    if not isinstance(value, str):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_data_class(value: Json) -> bool:
    if isinstance(value, str):
        return value in _DATA_CLASSES
    if not isinstance(value, dict) or value.keys() != {"regulated"}:
        return False
    regulated = value["regulated"]
    return isinstance(regulated, dict) and regulated.keys() == {"scopes"} and _is_texts(regulated["scopes"])


_DATA_CLASSES = ("none", "user", "pii", "financial", "credentials")

BOOLEAN = _form("boolean", "is no boolean", lambda value: isinstance(value, bool))
TEXT = _form("string", "is no string", _is_text)
TEXTS = _form("list of strings", "is no list of strings", _is_texts)
FRACTION = _form("number from 0 to 1", "is no number from 0 to 1", _is_fraction)
MOMENT = _form("ISO 8601 date and time", "is no ISO 8601 date and time", _is_moment)
DATA_CLASS = _possible(
    f"one of {', '.join(_DATA_CLASSES)}, or {{regulated: {{scopes: list of strings}}}}", _is_data_class
)
