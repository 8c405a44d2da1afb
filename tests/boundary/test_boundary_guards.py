"""Guards that the examples do not show: each test here fails if one of them is removed."""

import pytest

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Bounded, Level
from inspector.json.exact import DuplicateKeys, Json
from inspector.protocol.outcome import Result

TRUST = "io.modelcontextprotocol/trust-annotations"
STRICT = [Level.DECLARED, Level.CLOSED]
UNCLEAR = "a content block has an `audience` that is empty or malformed, so that nobody knows whom it is for"


def with_annotations(annotations: Json, level: Level = Level.DECLARED) -> Bounded:
    block: Json = {"type": "text", "text": "words", "annotations": annotations}
    return bound(Result(value={"content": [block]}), None, level)


@pytest.mark.parametrize("annotations", [{"audience": []}, {"audience": "user"}, {"audience": [5]}, 5])
def test_an_unreadable_audience_is_a_finding(annotations: Json) -> None:
    assert UNCLEAR in with_annotations(annotations).remarks


@pytest.mark.parametrize(
    "annotations",
    [{"audience": ["user"]}, {"audience": ["assistant"], "priority": "high"}, {"priority": 5}, {}],
)
def test_a_readable_audience_is_not_a_finding(annotations: Json) -> None:
    assert UNCLEAR not in with_annotations(annotations).remarks


@pytest.mark.parametrize(
    "annotations", [{"audience": {"user": True}}, {"priority": "high"}, {"audience": ""}]
)
def test_a_block_without_a_list_of_users_as_audience_passes_at_declared(annotations: Json) -> None:
    assert [str(removal.rule) for removal in with_annotations(annotations).removals] == []


@pytest.mark.parametrize("level", STRICT)
def test_an_audience_that_repeats_the_user_is_for_the_user_alone(level: Level) -> None:
    removals = with_annotations({"audience": ["user", "user"]}, level).removals
    assert [str(removal.rule) for removal in removals] == ["audience"]


@pytest.mark.parametrize(
    ("annotations", "rule"),
    [
        ({"priority": "high"}, "no-contract"),
        ({"lastModified": 5}, "no-contract"),
        ({"audience": ["user", 5]}, "audience"),
        (5, "audience"),
    ],
)
def test_at_closed_the_reason_is_the_audience_only_if_it_is_malformed(annotations: Json, rule: str) -> None:
    removals = with_annotations(annotations, Level.CLOSED).removals
    assert [str(removal.rule) for removal in removals] == [rule]


@pytest.mark.parametrize("level", STRICT)
def test_a_block_whose_annotations_have_a_duplicate_key_is_replaced(level: Level) -> None:
    twice = DuplicateKeys((("audience", ["assistant"]), ("audience", ["user"])))
    removals = with_annotations(twice, level).removals
    assert [str(removal.rule) for removal in removals] == ["internal"]


def rules_of(bounded: Bounded) -> list[tuple[str, str]]:
    return [(removal.pointer, str(removal.rule)) for removal in bounded.removals]


@pytest.mark.parametrize("level", STRICT)
def test_a_label_applies_at_any_position_among_others(level: Level) -> None:
    block: Json = {"type": "text", "text": "words", "_meta": {TRUST: {"untrusted": True, "sensitive": True}}}
    bounded = bound(Result(value={"content": [block]}), None, level)
    assert rules_of(bounded) == [("/content/0", "labelled")]


def test_a_member_named_meta_in_a_page_result_is_an_ordinary_value() -> None:
    value: Json = {"_meta": {"k": 1}, "a": 1}
    bounded = bound(Result(value=value), None, Level.DECLARED)
    assert bounded.removals == ()
    assert bounded.result == {"structuredContent": value}


def test_a_hint_that_is_false_passes() -> None:
    value: Json = {"content": [], "_meta": {"annotations": {"sensitiveHint": False}}}
    bounded = bound(Result(value=value), None, Level.DECLARED)
    assert bounded.removals == ()
    assert bounded.result == value


@pytest.mark.parametrize("level", STRICT)
def test_the_meta_of_a_withheld_block_is_not_listed_separately(level: Level) -> None:
    block: Json = {"type": "text", "text": "w", "annotations": {"audience": ["user"]}, "_meta": {"k": 1}}
    bounded = bound(Result(value={"content": [block]}), None, level)
    assert rules_of(bounded) == [("/content/0", "audience")]


def test_a_block_with_a_false_sensitive_hint_passes() -> None:
    block: Json = {"type": "text", "text": "words", "annotations": {"sensitiveHint": False}}
    bounded = bound(Result(value={"content": [block]}), None, Level.DECLARED)
    assert bounded.removals == ()
    assert bounded.result == {"content": [block]}


@pytest.mark.parametrize("label", [5, None, ["l"], {"a": "l"}])
def test_a_label_of_a_reference_that_is_not_a_string_is_withheld(label: Json) -> None:
    block: Json = {"type": "secret_reference", "label": label}
    bounded = bound(Result(value={"content": [block]}), None, Level.DECLARED)
    said = "[secret reference; only the user can reveal what it stands for]"
    assert bounded.result == {"content": [{"type": "text", "text": said}]}
    assert rules_of(bounded) == [("/content/0/label", "secret-reference")]


def test_the_declaration_behind_a_reference_is_the_reference_itself() -> None:
    block: Json = {"type": "secret_reference", "id": "i", "label": "l", "redeemUrl": "u"}
    labelled: Json = {**block, "_meta": {TRUST: {"untrusted": True}}, "annotations": {"audience": ["user"]}}
    for sent in (block, labelled):
        bounded = bound(Result(value={"content": [sent]}), None, Level.DECLARED)
        claims = [removal.claim.key if removal.claim else "" for removal in bounded.removals]
        assert set(claims) == {"secret_reference"}
        assert rules_of(bounded)[0] == ("/content/0/id", "secret-reference")
