"""Properties that hold for every text."""

import time
from base64 import urlsafe_b64encode
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.credentials import find
from inspector.credentials.find import MOST_JUDGED, may_hold, sightings
from inspector.credentials.rules import RULES
from tests.credentials.examples import FINDS, FLOODS, NEAR_MISSES

KEYWORDS = sorted({keyword for rule in RULES for keyword in rule.keywords})
SECRETS = {example.rule: example.secret for example in FINDS}

fragments = (
    st.sampled_from([example.text for example in FINDS])
    | st.sampled_from([example.text for example in NEAR_MISSES])
    | st.sampled_from(KEYWORDS)
    | st.sampled_from([" ", "=", "://", ":", '"', "\\", "@h", "\ud800", "\u0130", "\u212a", "\u017f", "日本"])
    | st.text(st.characters(codec=None), max_size=8)
)
texts = st.lists(fragments, max_size=8).map("".join)


@given(texts)
@settings(max_examples=100, deadline=None)
def test_sightings_are_ordered_disjoint_and_within_the_text(text: str) -> None:
    end = 0
    for found in sightings(text):
        assert end <= found.start < found.end <= len(text)
        end = found.end


@given(
    st.lists(
        st.sampled_from(["\ud800", "日", *(part for key in KEYWORDS for part in (key, key[1:], key[:-1]))])
    )
)
@settings(max_examples=100, deadline=None)
def test_a_text_may_contain_a_credential_if_it_contains_a_keyword(parts: list[str]) -> None:
    text = "".join(parts)
    assert may_hold(text) == any(keyword in text.lower() for keyword in KEYWORDS)
    assert may_hold(text.upper()) == may_hold(text)


@given(texts)
@settings(max_examples=100, deadline=None)
def test_text_without_a_keyword_has_no_sightings(text: str) -> None:
    assert may_hold(text) or sightings(text) == ()
    if not any(keyword in text.lower() for keyword in KEYWORDS):
        assert sightings(text) == ()


@pytest.mark.parametrize("offset", [0, 4_090, 4_096, 266_230, 266_240, 600_000])
@pytest.mark.parametrize("keyword", ["hooks.slack.com/", "pwd"])
def test_a_keyword_is_found_at_any_offset(keyword: str, offset: int) -> None:
    assert not may_hold("-" * offset)
    for shift in range(18):
        assert may_hold("-" * (offset + shift) + keyword + "-" * 300_000)


@pytest.mark.parametrize(
    ("before", "specific", "after"),
    [
        ("token = ", "github-token", ""),
        ('{"api_key": "', "google-api-key", '"}'),
        ("Authorization: Bearer ", "json-web-token", ""),
        ("https://user:", "gitlab-token", "@host.example/"),
        ("https://hooks.example/?token=", "stripe-key", ""),
        ('"secret": "', "secret-assignment", '"'),
    ],
)
def test_the_most_specific_of_several_matching_rules_applies(before: str, specific: str, after: str) -> None:
    secret = SECRETS[specific]
    assert [(found.rule.id, found.start, found.end) for found in sightings(before + secret + after)] == [
        (specific, len(before), len(before) + len(secret))
    ]


def test_a_key_with_a_longer_prefix_is_not_found_by_the_rule_of_a_shorter_one() -> None:
    assert [found.rule.id for found in sightings(SECRETS["anthropic-key"])] == ["anthropic-key"]
    assert [found.rule.id for found in sightings(SECRETS["openai-key"])] == ["openai-key"]


def test_all_credentials_in_a_text_are_found() -> None:
    text = ";\n".join(example.text for example in FINDS)
    found = [sighting.rule.id for sighting in sightings(text)]
    assert found == [example.rule for example in FINDS]
    assert [text[sighting.start : sighting.end] for sighting in sightings(text)] == [
        example.secret for example in FINDS
    ]


def test_the_position_of_a_sighting_is_counted_in_characters() -> None:
    secret = SECRETS["npm-token"]
    (found,) = sightings(f"日本\ud800🎉 {secret}")
    assert (found.start, found.end) == (5, 5 + len(secret))


def test_a_sighting_contains_no_text() -> None:
    for example in FINDS:
        assert example.secret not in repr(sightings(example.text))


def test_a_candidate_whose_check_raises_counts_as_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: str) -> bool:
        raise LookupError

    near = next(near for near in NEAR_MISSES if near.rule == "github-token" and "xxxx" in near.text)
    assert sightings(near.text) == ()
    monkeypatch.setattr(find, "RULES", tuple(replace(rule, accepts=fails) for rule in RULES))
    assert [found.rule.id for found in sightings(near.text)] == ["github-token"]


def test_a_token_with_a_too_deeply_nested_header_counts_as_found() -> None:
    header = '{"alg":"x","a":' + "[" * 1_400 + "]" * 1_400 + "}"
    token = urlsafe_b64encode(header.encode()).decode().rstrip("=") + ".aaaaaaaaaa.aaaaaaaaaa"
    assert [found.rule.id for found in sightings(token)] == ["json-web-token"]


def test_the_text_after_too_many_candidates_counts_as_found() -> None:
    unit = "Basic informat "
    enough = unit * MOST_JUDGED
    assert sightings(enough) == ()
    (rest,) = sightings(f"{enough} {unit} and so on")
    assert (rest.rule.id, rest.start, rest.end) == (
        "basic-authorization",
        len(enough) + 1,
        len(enough) + 1 + len(unit) + len(" and so on"),
    )


def test_sightings_before_too_many_candidates_stay_and_the_rest_is_one_sighting() -> None:
    token, unit = SECRETS["npm-token"], "a://u:xyz@h "
    text = f"{token} {unit * (MOST_JUDGED + 1)}{token}"
    found = sightings(text)
    assert found[0].rule.id == "npm-token"
    assert len(found) == MOST_JUDGED + 2
    assert (found[-1].rule.id, found[-1].end) == ("url-password", len(text))
    assert all(before.end <= after.start for before, after in pairwise(found))


def test_the_first_rule_with_too_many_candidates_ends_the_search() -> None:
    bearers, basics = "Bearer aaaaaaaaaaaaaaa1 ", "Basic informat "
    text = bearers * (MOST_JUDGED + 1) + basics * (MOST_JUDGED + 1)
    (rest,) = sightings(text)
    assert (rest.rule.id, rest.start, rest.end) == (
        "bearer-authorization",
        MOST_JUDGED * len(bearers),
        len(text),
    )


def test_a_sighting_that_reaches_into_the_unjudged_rest_does_not_overlap_it() -> None:
    unit = "Basic informat "
    whole = next(example.secret for example in FINDS if example.secret.endswith("KEY-----"))
    key = whole.replace("-----\n", f"-----\n{unit}", 1)
    before = unit * MOST_JUDGED
    found = sightings(f"{before}{key} and so on")
    assert [(sighting.rule.id, sighting.start, sighting.end) for sighting in found] == [
        ("private-key", len(before), len(before) + len(key)),
        ("basic-authorization", len(before) + len(key), len(before) + len(key) + len(" and so on")),
    ]


def test_a_keyword_split_by_other_characters_is_not_found() -> None:
    assert may_hold("token")
    assert not may_hold("to\u65e5ken")
    assert not may_hold("to\ud800ken")


@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_of_candidates_takes_linear_time(name: str) -> None:
    unit = FLOODS[name]
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()
    found = sightings(text)
    assert time.process_time() - started < 2
    assert all(before.end <= after.start for before, after in pairwise(found))


def test_a_text_without_keywords_is_searched_very_quickly() -> None:
    text = "0123456789 日本 " * 1_000_000
    started = time.process_time()
    assert not may_hold(text)
    assert sightings(text) == ()
    assert time.process_time() - started < 1
