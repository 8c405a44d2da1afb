import pytest

from inspector.boundary import counted as module
from inspector.boundary.bounded import MOST_PASSING, Removal, Rule
from inspector.boundary.counted import COUNTED, Counted, counted, in_words, passing_words
from inspector.boundary.removals import Removals
from inspector.boundary.rules.untrusted import DELIMITED

DETAIL = min(DELIMITED)


def removal(rule: Rule, detail: str = "") -> Removal:
    return Removal(pointer="/a", rule=rule, detail=detail)


def test_a_count_of_removals_is_in_the_singular_for_one_and_in_the_plural_for_more() -> None:
    assert in_words(1, Rule.SECRET_REFERENCE) == "1 of a secret reference"
    assert in_words(1, Rule.ERROR) == "1 error text"
    assert in_words(3_000, Rule.ERROR) == "3,000 error texts"
    assert in_words(2, Rule.MIRROR) == "2 copies of structured content"
    # Nothing that ends like a noun in the singular is left as it is.
    nouns = {rule for rule, words in COUNTED.items() if words.split()[0] in {"copy", "secret", "error"}}
    assert all(in_words(2, rule) != f"2 {COUNTED[rule]}" for rule in nouns)


def test_removals_that_do_not_matter_to_a_host_are_not_counted() -> None:
    found = counted([removal(Rule.X_SENSITIVE), removal(Rule.MIRROR), removal(Rule.MIRROR)])
    assert found.without(Rule.MIRROR, 1).withheld == {"mirror": 1, "x-sensitive": 1}
    assert found.without(Rule.MIRROR, 2).withheld == {"x-sensitive": 1}
    assert found.without(Rule.ERROR, 0) == found


@pytest.mark.parametrize(
    ("removals", "expected", "words", "others"),
    [
        ([], Counted(withheld={}, metadata=0, delimited=0), "nothing withheld", ""),
        (
            [
                removal(Rule.POLICY),
                removal(Rule.META),
                *[removal(Rule.X_SENSITIVE)] * 2,
                removal(Rule.UNTRUSTED, DETAIL),
            ],
            Counted(withheld={"x-sensitive": 2, "policy": 1}, metadata=1, delimited=1),
            "3 withheld: 2 marked sensitive, 1 by policy",
            "1 untrusted text between Sightline's markers; protocol metadata left out",
        ),
        (
            [*[removal(Rule.UNTRUSTED, DETAIL)] * 2, removal(Rule.UNTRUSTED), removal(Rule.POLICY, DETAIL)],
            Counted(withheld={"untrusted": 1, "policy": 1}, metadata=0, delimited=2),
            "2 withheld: 1 untrusted, 1 by policy",
            "2 untrusted texts between Sightline's markers",
        ),
        (
            [removal(Rule.META)] * 2_000,
            Counted(withheld={}, metadata=2_000, delimited=0),
            "nothing withheld",
            "protocol metadata left out",
        ),
    ],
)
def test_removals_are_counted_by_what_became_of_the_value(
    removals: list[Removal], expected: Counted, words: str, others: str
) -> None:
    for found in (counted(removals), counted(Removals((removals,)))):
        assert found == expected
        assert list(found.withheld) == list(expected.withheld)
        assert (found.words, found.other_words) == (words, others)


def test_credentials_that_pass_are_counted_in_words() -> None:
    assert [passing_words(number) for number in (1, 2, MOST_PASSING - 1, MOST_PASSING)] == [
        *("1 value looks", "2 values look"),
        *(f"{MOST_PASSING - 1} values look", f"at least {MOST_PASSING} values look"),
    ]
    assert passing_words(1, "text") == "1 text looks"


def test_very_many_removals_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_READ", 2)
    found = [counted([removal(Rule.UNTRUSTED, DETAIL)] * number) for number in (2, 3)]
    assert [each.delimited for each in found] == [2, 0]
    assert [each.withheld for each in found] == [{}, {"untrusted": 3}]
