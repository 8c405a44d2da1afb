"""Invariant 2: a value that a declaration withholds is found nowhere, in any encoding.

The cases of all kinds are in `test_non_interference.py`, where both invariants are tried on each.
"""

import pytest
from hypothesis import strategies as st

from inspector.boundary.bounded import Bounded, Level, Removal, Rule
from inspector.boundary.error_code import is_tool_result
from inspector.boundary.mask import mask
from inspector.boundary.reading import raw_of
from inspector.json.exact import Json
from inspector.json.pointer import resolve
from inspector.protocol.outcome import Outcome
from tests.proof.cases import Case, misplaced
from tests.proof.sinks import STRICT, echoes_of, given_away, judged, occurs, text_of
from tests.proof.tally import PARTS, prove

SOURCES = frozenset(
    {
        "x-sensitive",
        "sensitive-hint",
        "secret-reference",
        "audience",
        "labelled",
        "internal",
        "invalid-output",
        "detect",
    }
)
"""Rules that withhold a secret value, so that it may not pass in another way either."""


def withheld_words(
    case: Case, outcome: Outcome, bounded: Bounded, *, but: frozenset[str] = frozenset()
) -> dict[int, bool]:
    """The words at places that a removal by one of the sources withholds, except by some rules.

    With each, whether it is a withheld value, and not just a part of one: only values are found in other encodings.
    """
    raw = raw_of(outcome)
    covered = {
        removal.pointer
        for removal in bounded.removals
        if removal.rule in SOURCES - but and not _is_partial(removal, raw, bounded.result)
    }
    found: dict[int, bool] = {}
    for index, pointer, is_whole in case.places(case.words(0)):
        tokens = pointer.split("/")
        if any("/".join(tokens[:length]) in covered for length in range(1, len(tokens) + 1)):
            found[index] = found.get(index, False) or is_whole
    return found


def _is_partial(removal: Removal, raw: Json, left: Json) -> bool:
    """True if a removal points at an object of which a part passes: a reference's label, or members with other keys."""
    if not isinstance(resolve(raw, removal.pointer), dict):
        return False
    if removal.rule == Rule.SECRET_REFERENCE:
        return True
    if removal.pointer == "" and removal.rule == Rule.X_SENSITIVE and is_tool_result(raw):
        # All members that the protocol does not know, together.
        return True
    is_page = not removal.pointer.startswith(("/structuredContent", "/content", "/error"))
    try:
        return isinstance(resolve(left, f"{'/structuredContent' if is_page else ''}{removal.pointer}"), dict)
    except LookupError:
        return False


def reaches_no_sink(drawn: tuple[Case, Level]) -> set[str]:
    case, level = drawn
    found = judged(case, level)
    wanted = dict.fromkeys(case.guarded, False) | withheld_words(case, case.sent, found.bounded)
    assert_absent(case, wanted, given_away(found), f"at {level}")
    return counted(case, found.bounded, wanted)


def is_masked(drawn: tuple[Case, Level]) -> set[str]:
    case, _ = drawn
    bounded = judged(case, Level.DECLARED).bounded
    # A block for the user alone may be shown to the user.
    wanted = withheld_words(case, case.sent, bounded, but=frozenset({"audience"}))
    assert_absent(
        case, wanted, text_of(mask(raw_of(case.sent), bounded.removals)), "in the masked raw result"
    )
    return counted(case, bounded, wanted)


def assert_absent(case: Case, wanted: dict[int, bool], text: str, where: str) -> None:
    words = case.words(0)
    echoed = {echo.index for echo in case.echoes}
    for index, is_whole in wanted.items():
        if index in echoed and not is_whole:
            continue
        found = occurs(words[index], echoes_of(case, index), text)
        assert not found, f"{words[index]} as {found} {where} of {case!r}"


def counted(case: Case, bounded: Bounded, wanted: dict[int, bool]) -> set[str]:
    had = {"removal"} if bounded.removals else set[str]()
    had |= {"canary"} if wanted else set[str]()
    return had | ({"echo"} if any(wanted.get(echo.index) for echo in case.echoes) else set[str]())


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_does_not_fit_a_schema_with_marks_reaches_no_sink(part: int) -> None:
    strategy = st.tuples(misplaced(), st.sampled_from(STRICT))
    prove(
        "2 canary in a part that does not fit", part, strategy, reaches_no_sink, mostly=("removal", "canary")
    )
