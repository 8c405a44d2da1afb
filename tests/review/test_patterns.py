"""No pattern of the rules can be made slow: none has nested unbounded repetitions, and none begins with a run."""

import re
from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, cast

import pytest

from inspector import review as findings

_PARSER: Any = import_module("re._parser")
_UNBOUNDED = int(_PARSER.MAXREPEAT)
_REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every compiled pattern in a variable or tuple of a module of the rules."""
    for found in walk_packages(findings.__path__, f"{findings.__name__}."):
        for name, value in vars(import_module(found.name)).items():
            held = cast("tuple[object, ...]", value if isinstance(value, tuple) else (value,))
            for each in held:
                if isinstance(each, re.Pattern):
                    yield f"{found.name}.{name}", cast("re.Pattern[str]", each)


ALL = {f"{name} {pattern.pattern[:40]}": pattern.pattern for name, pattern in patterns()}


def faults(pattern: str) -> list[str]:
    """The reasons why a pattern could take more than linear time."""
    parsed = _PARSER.parse(pattern)
    return [*_nested(parsed, bounded=True, inside=False), *_begins(parsed)]


def _nested(parsed: Any, *, bounded: bool, inside: bool) -> Iterator[str]:
    for operation, argument in parsed:
        name = str(operation)
        if name in _REPEATS:
            _, most, below = argument
            limited = most != _UNBOUNDED
            if inside and not (limited and bounded):
                yield "a repetition without a bound stands in another, or around one"
            yield from _nested(below, bounded=limited, inside=inside or most > 1)
        else:
            for below in _below(argument):
                yield from _nested(below, bounded=bounded, inside=inside)


def _begins(parsed: Any) -> Iterator[str]:
    """The reason why a search with a pattern is slow: it begins with an unbounded repetition.

    A search restarts at every character, and would read the repetition each time.
    """
    items = list(parsed)
    if not items:
        return
    name, argument = str(items[0][0]), items[0][1]
    if name in _REPEATS and argument[1] == _UNBOUNDED and len(items) > 1:
        yield "it begins with a run, and asks for something behind it"
    if name == "BRANCH":
        for below in argument[1]:
            yield from _begins(below)


def _below(argument: Any) -> Iterator[Any]:
    if isinstance(argument, _PARSER.SubPattern):
        yield argument
    elif isinstance(argument, (tuple, list)):
        for each in argument:  # pyright: ignore[reportUnknownVariableType]
            yield from _below(each)


@pytest.mark.parametrize("pattern", ALL.values(), ids=ALL.keys())
def test_a_pattern_takes_linear_time(pattern: str) -> None:
    assert faults(pattern) == []


@pytest.mark.parametrize(
    "pattern", ["(?:a+)+b", "(?:a|b*)*c", "(?:a{2,}){1,9}", "a+b", "x|a*b", "(?:(?:a?b*)){3}"]
)
def test_a_pattern_that_could_be_slow_is_detected(pattern: str) -> None:
    assert faults(pattern)


def test_all_patterns_of_the_rules_are_checked() -> None:
    assert len(ALL) > 15
