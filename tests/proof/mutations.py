"""Results that almost fit: a fitting one with one part dropped, added, replaced or wrapped."""

from tests.proof.schemas import Making
from tests.proof.templates import Members, Say, Template, blanks


def almost(making: Making, value: Template) -> Template:
    """`value` with one change at some place."""
    match value:
        case Members() if value.pairs and not making.choices.one_in(3):
            at = making.choices.between(0, len(value.pairs) - 1)
            key, inner = value.pairs[at]
            return Members((*value.pairs[:at], (key, almost(making, inner)), *value.pairs[at + 1 :]))
        case list() if value and not making.choices.one_in(3):
            at = making.choices.between(0, len(value) - 1)
            return [*value[:at], almost(making, value[at]), *value[at + 1 :]]
        case _:
            return _changed(making, value)


def _changed(making: Making, value: Template) -> Template:
    choices = making.choices
    match choices.between(0, 4):
        case 0 if isinstance(value, Members):
            return Members((*value.pairs, ("undeclared", making.word(guarded=False))))
        case 1 if isinstance(value, Members) and value.pairs:
            return Members(value.pairs[1:])
        case 2:
            return choices.pick((None, 5, [making.word(guarded=False)], making.word(guarded=False)))
        case 3 if isinstance(value, Members) and value.pairs:
            return Members(value.pairs, twice=True)
        case _:
            return _wrapped(making, value)


def _wrapped(making: Making, value: Template) -> Template:
    # The marks no longer apply to its content; no declaration makes it sensitive at its new place.
    making.guarded.difference_update(blank.index for blank in blanks(value))
    if making.choices.one_in(2):
        return [value]
    return Members((("wrapped", value), ("more", Say(("plain words",)))))
