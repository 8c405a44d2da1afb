"""Every rule by example."""

import re
from collections import Counter

import pytest

from inspector.credentials.find import may_hold, sightings
from inspector.credentials.rules import RULES
from tests.credentials.examples import FINDS, NEAR_MISSES

IDS = [rule.id for rule in RULES]


def test_a_credential_is_found_at_its_exact_position(subtests: pytest.Subtests) -> None:
    for find in FINDS:
        with subtests.test(find.rule, text=find.text):
            assert may_hold(find.text)
            start = len(find.before)
            assert [(found.rule.id, found.start, found.end) for found in sightings(find.text)] == [
                (find.rule, start, start + len(find.secret))
            ]


def test_a_text_that_only_resembles_a_credential_is_not_found(subtests: pytest.Subtests) -> None:
    for near in NEAR_MISSES:
        with subtests.test(near.rule, text=near.text):
            assert [found.rule.id for found in sightings(near.text)] == []


def test_every_rule_has_examples_of_both_kinds() -> None:
    for examples in (Counter(find.rule for find in FINDS), Counter(near.rule for near in NEAR_MISSES)):
        assert examples.keys() == set(IDS)
        assert min(examples.values()) >= 3


def test_no_example_occurs_twice() -> None:
    texts = [*(find.text for find in FINDS), *(near.text for near in NEAR_MISSES)]
    assert len(set(texts)) == len(texts)


def test_every_rule_has_a_unique_name_and_lower_case_keywords() -> None:
    assert len(set(IDS)) == len(IDS)
    for rule in RULES:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.id), rule.id
        assert rule.title, rule.id
        assert rule.keywords, rule.id
        assert all(keyword.isascii() and keyword == keyword.lower() for keyword in rule.keywords)


def test_every_keyword_is_needed() -> None:
    for rule in RULES:
        for keyword in rule.keywords:
            others = set(rule.keywords) - {keyword}
            assert not any(other in keyword for other in others), keyword


def test_every_repetition_in_a_pattern_is_bounded_and_matches_only_ascii() -> None:
    for rule in RULES:
        assert rule.pattern.flags & re.ASCII, rule.id
        without_classes = re.sub(r"\[\^?\]?(?:\\.|[^\]\\])*\]", "C", rule.pattern.pattern)
        unescaped = re.sub(r"\\.", "", without_classes)
        assert not re.search(r"[*+](?<![}]\+)", unescaped), rule.id
        assert not re.search(r"\{\d*,\}", unescaped), rule.id
        assert set(rule.pattern.groupindex) <= {"secret"}, rule.id
        assert rule.pattern.groups == len(rule.pattern.groupindex), rule.id
