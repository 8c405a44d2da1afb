"""Invariant 1: withheld values have no influence on what passes."""

import pytest
from hypothesis import strategies as st

from inspector.boundary.bounded import Bounded, Level
from inspector.json.exact import Json, dump_text
from inspector.json.pointer import split
from tests.proof.cases import Case, cases
from tests.proof.sinks import STRICT, bounded_by, contexts, echoes_of, explanations, occurs, text_of
from tests.proof.tally import PARTS, prove


def everything(bounded: Bounded) -> list[str]:
    """Everything that a result reveals, and every removal."""
    removals: list[Json] = [[removal.pointer, removal.schema_pointer] for removal in bounded.removals]
    handed = contexts(bounded)
    changes: list[Json] = [[change.pointer, change.what] for each in handed for change in each.changes]
    return [
        dump_text(bounded.result),
        str(bounded.error),
        dump_text(removals),
        dump_text(explanations(bounded)),
        dump_text(changes),
        *(dump_text(context.model) for context in handed),
    ]


def unseen(case: Case, bounded: Bounded) -> list[int]:
    """The words that must not be visible in a bounded result, nor in the pointers of its removals."""
    words = case.words(0)
    pointers: list[Json] = [list(split(removal.pointer)) for removal in bounded.removals]
    text = text_of(bounded.result, pointers)
    return [index for index, word in enumerate(words) if not occurs(word, echoes_of(case, index), text)]


def differs_in_nothing(case: Case, level: Level) -> set[str]:
    one = bounded_by(case, case.outcome(case.words(0)), level)
    changed = unseen(case, one)
    other = bounded_by(case, case.outcome(case.words(0, changed)), level)
    assert everything(one) == everything(other)
    had = {"removal"} if one.removals else set[str]()
    had |= {"changed"} if changed else set[str]()
    had |= {"canary"} if case.guarded.intersection(changed) else set[str]()
    return had | ({"echo"} if any(echo.index in changed for echo in case.echoes) else set[str]())


@pytest.mark.parametrize("part", PARTS)
def test_results_that_differ_only_in_withheld_values_are_bounded_alike(part: int) -> None:
    def check(drawn: tuple[Case, Level]) -> set[str]:
        return differs_in_nothing(*drawn)

    strategy = st.tuples(cases(), st.sampled_from(STRICT))
    prove("1 non-interference", part, strategy, check, mostly=("removal", "changed"))


@pytest.mark.parametrize("part", PARTS)
def test_results_that_differ_only_in_withheld_values_and_echoes_are_alike(part: int) -> None:
    def check(drawn: tuple[Case, Level]) -> set[str]:
        return differs_in_nothing(*drawn)

    strategy = st.tuples(cases(echoes=True), st.sampled_from(STRICT))
    prove("1 non-interference with echoes", part, strategy, check, mostly=("removal", "changed"))
