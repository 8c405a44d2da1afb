"""Invariant 1: withheld values have no influence on what passes. Invariant 2 is tried on the same cases."""

import pytest
from hypothesis import strategies as st

from inspector.boundary.bounded import Bounded, Level
from inspector.json.exact import Json, dump_text
from inspector.json.pointer import split
from tests.proof.cases import Case, cases
from tests.proof.sinks import STRICT, Judged, bounded_by, echoes_of, explanations, judged, occurs, text_of
from tests.proof.tally import PARTS, Invariant, prove_all
from tests.proof.test_canaries import is_masked, reaches_no_sink


def everything(found: Judged) -> list[str]:
    """Everything that a result reveals, and every removal."""
    bounded = found.bounded
    removals: list[Json] = [[removal.pointer, removal.schema_pointer] for removal in bounded.removals]
    changes: list[Json] = [
        [change.pointer, change.what] for each in found.contexts for change in each.changes
    ]
    return [
        dump_text(bounded.result),
        str(bounded.error),
        dump_text(removals),
        dump_text(explanations(bounded)),
        dump_text(changes),
        *(dump_text(context.model) for context in found.contexts),
    ]


def unseen(case: Case, bounded: Bounded) -> list[int]:
    """The words that must not be visible in a bounded result, nor in the pointers of its removals."""
    words = case.words(0)
    pointers: list[Json] = [list(split(removal.pointer)) for removal in bounded.removals]
    text = text_of(bounded.result, pointers)
    return [index for index, word in enumerate(words) if not occurs(word, echoes_of(case, index), text)]


def differs_in_nothing(drawn: tuple[Case, Level]) -> set[str]:
    case, level = drawn
    one = judged(case, level)
    changed = unseen(case, one.bounded)
    other = Judged(bounded_by(case, case.outcome(case.words(0, changed)), level))
    assert everything(one) == everything(other)
    had = {"removal"} if one.bounded.removals else set[str]()
    had |= {"changed"} if changed else set[str]()
    had |= {"canary"} if case.guarded.intersection(changed) else set[str]()
    return had | ({"echo"} if any(echo.index in changed for echo in case.echoes) else set[str]())


@pytest.mark.parametrize("part", PARTS)
def test_a_withheld_value_reaches_no_sink_is_masked_and_has_no_influence(part: int) -> None:
    prove_all(
        part,
        st.tuples(cases(), st.sampled_from(STRICT)),
        Invariant(name="1 non-interference", check=differs_in_nothing, mostly=("removal", "changed")),
        Invariant(name="2 canary", check=reaches_no_sink, mostly=("removal", "canary")),
        Invariant(name="2 canary in the masked raw result", check=is_masked),
    )


@pytest.mark.parametrize("part", PARTS)
def test_an_echo_of_a_withheld_value_reaches_no_sink_is_masked_and_has_no_influence(part: int) -> None:
    prove_all(
        part,
        st.tuples(cases(echoes=True), st.sampled_from(STRICT)),
        Invariant(
            name="1 non-interference with echoes", check=differs_in_nothing, mostly=("removal", "changed")
        ),
        Invariant(name="2 canary with echoes", check=reaches_no_sink, mostly=("removal", "canary", "echo")),
        Invariant(name="2 canary with echoes in the masked raw result", check=is_masked),
    )
