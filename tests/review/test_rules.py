import re
from importlib import import_module
from pkgutil import iter_modules

import pytest

from inspector.review import rules as families
from inspector.review.registry import INTERNAL, findings_of, rules
from tests.review.examples import reviewed_of
from tests.review.rule_examples import EXAMPLES

ASKED = [rule for rule in rules() if rule is not INTERNAL]
POSITIVE = [(rule, example) for rule in ASKED for example in EXAMPLES[rule.id][0]]
NEGATIVE = [(rule, example) for rule in ASKED for example in EXAMPLES[rule.id][1]]
WITHOUT_EXAMPLE = {"SL-OUT012", "SL-OUT013", "SL-OUT014", "SL-RDM002", "SL-SKL002"}
"""Rules that an example cannot trigger: forbidden arguments, no answer, the server's address, a skill that was read. They have tests of their own."""


def test_a_rule_finds_its_positive_examples(subtests: pytest.Subtests) -> None:
    for rule, example in POSITIVE:
        with subtests.test(rule.id, example=example):
            found = findings_of(reviewed_of(example), [rule])
            assert found
            assert {finding.id for finding in found} == {rule.id}
            # docs/rules.md says of which rules the score gives the severity.
            assert all("(score " in finding.message for finding in found) is rule.is_scored


def test_a_rule_finds_nothing_in_its_negative_examples(subtests: pytest.Subtests) -> None:
    for rule, example in NEGATIVE:
        with subtests.test(rule.id, example=example):
            assert findings_of(reviewed_of(example), [rule]) == ()


def test_a_rule_has_title_explanation_and_examples(subtests: pytest.Subtests) -> None:
    for rule in ASKED:
        with subtests.test(rule.id):
            assert re.fullmatch(r"SL-[A-Z]{3}[0-9]{3}", rule.id)
            assert rule.title
            assert rule.consequence.endswith(".")
            assert rule.fix.endswith(".")
            assert rule.references
            positive, negative = EXAMPLES[rule.id]
            assert negative
            assert bool(positive) is (rule.id not in WITHOUT_EXAMPLE)
            assert any((rule.each, rule.whole, rule.call))


def test_each_family_is_one_module_and_all_ids_differ() -> None:
    assert len({rule.id for rule in rules()}) == len(rules())
    seen: list[str] = []
    for found in iter_modules(families.__path__):
        module = import_module(f"{families.__name__}.{found.name}")
        (family,) = {rule.family for rule in module.RULES}
        seen.append(family)
    assert len(set(seen)) == len(seen)


def test_no_rule_fails_on_the_examples_of_other_rules() -> None:
    for _, example in (*POSITIVE, *NEGATIVE):
        assert "SL-PRO000" not in {finding.id for finding in findings_of(reviewed_of(example))}


def test_a_protocol_fault_that_ends_connections_is_more_severe_than_one_that_clients_skip() -> None:
    faults = ["stray_output", "misshapen", "not_offered", "unasked", "encoding"]
    found = findings_of(reviewed_of({"tools": [], "faults": [*faults]}))
    severities = {finding.pointer.removeprefix("/"): finding.severity.value for finding in found}
    assert severities == {
        "stray_output": "medium",
        "misshapen": "medium",
        "not_offered": "medium",
        "unasked": "low",
        "encoding": "low",
    }
