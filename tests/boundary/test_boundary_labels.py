"""Labels on tools and results: which of them withhold, and which are unreadable."""

import pytest

from inspector.boundary.labels import (
    credentials_claim,
    is_concrete_class,
    is_sensitive_hint,
    labelling,
    says_yes,
)
from inspector.boundary.options import BoundaryPolicy
from inspector.claims.claim import Claim
from inspector.claims.registry import claims_of_result
from inspector.json.exact import Json, JsonObject
from tests.boundary.bounding import TRUST, bounded_of, claim_of, rules_of, text

LABELLED: Json = {TRUST: {"sensitive": True}}


def test_a_label_on_the_result_withholds_unknown_members() -> None:
    bounded = bounded_of({"content": [], "extra": "w", "_meta": LABELLED})
    assert rules_of(bounded)[0] == ("/extra", "labelled")
    assert "'extra'" not in str(bounded.result)


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (claim_of("policy-hints", "mcp.dev/resultSensitivity", "public"), ""),
        (claim_of("policy-hints", "mcp.dev/resultSensitivity", "internal"), ""),
        (claim_of("trust-annotations", "sensitive", False), ""),
        (claim_of("trust-annotations", "sensitive", False, well_formed=False), "it is labelled sensitive"),
        (claim_of("trust-annotations", "attribution", 5, well_formed=False), ""),
        (claim_of("trust-annotations", TRUST, {}, container=True), ""),
        (
            claim_of("trust-annotations", TRUST, 5, well_formed=False, container=True),
            "its labels are malformed",
        ),
        (claim_of("ifc", "integrity", 5, well_formed=False), ""),
        (claim_of("ifc", "ifc", {}, container=True), ""),
        (claim_of("ifc", "ifc", 5, well_formed=False, container=True), "its labels are malformed"),
    ],
)
def test_only_sensitive_or_unreadable_labels_withhold(claim: Claim, reason: str) -> None:
    assert labelling(claim, BoundaryPolicy(withhold_private=True)) == reason
    if claim.vocabulary == "ifc":
        assert labelling(claim, BoundaryPolicy(withhold_private=False)) == ""


@pytest.mark.parametrize(
    ("value", "well_formed", "yes"),
    [(False, True, False), (False, False, True), (True, True, True), ("no", False, True)],
)
def test_a_claim_is_false_only_if_it_is_false_and_well_formed(
    *, value: Json, well_formed: bool, yes: bool
) -> None:
    assert says_yes(claim_of("webmcp-110", "sensitiveHint", value, well_formed=well_formed)) is yes


def test_a_sensitive_hint_is_recognised_in_its_own_vocabulary_only() -> None:
    assert is_sensitive_hint(claim_of("webmcp-110", "sensitiveHint", True))
    assert not is_sensitive_hint(claim_of("webmcp-110", "untrustedContentHint", True))
    assert not is_sensitive_hint(claim_of("related", "sensitiveHint", True))


RETURNED = "returnMetadata.sensitivity"


@pytest.mark.parametrize(
    ("claim", "is_concrete"),
    [
        (claim_of("sep-1913", RETURNED, "none"), True),
        (claim_of("sep-1913", RETURNED, ["none"]), False),
        (claim_of("sep-1913", RETURNED, "none", well_formed=False), False),
        (claim_of("action-metadata", RETURNED, "none"), False),
        (claim_of("sep-1913", "returnMetadata.source", "none"), False),
    ],
)
def test_a_class_is_concrete_if_a_single_word_names_it(claim: Claim, *, is_concrete: bool) -> None:
    assert is_concrete_class(claim) is is_concrete


@pytest.mark.parametrize("vocabulary", ["sep-1913", "action-metadata"])
@pytest.mark.parametrize(
    "key", ["returnMetadata", "_meta.annotations", "io.modelcontextprotocol/action-metadata"]
)
def test_an_unreadable_class_list_counts_as_credentials(vocabulary: str, key: str) -> None:
    unreadable = claim_of(vocabulary, key, 5, well_formed=False, container=True)
    assert credentials_claim([], [unreadable]) is unreadable
    readable = claim_of(vocabulary, key, "credentials", container=True)
    assert credentials_claim([], [readable]) is None
    no_container = claim_of(vocabulary, key, 5, well_formed=False)
    assert credentials_claim([], [no_container]) is None
    another = claim_of(vocabulary, "inputMetadata", 5, well_formed=False, container=True)
    assert credentials_claim([], [another]) is None
    classes = claim_of(vocabulary, RETURNED, "credentials")
    assert credentials_claim([], [classes]) is classes


def test_classes_of_another_vocabulary_are_ignored() -> None:
    assert credentials_claim([], [claim_of("related", RETURNED, "credentials")]) is None


def test_a_result_that_repeats_the_declared_class_is_the_reason_itself() -> None:
    declared, said = (claim_of("sep-1913", RETURNED, "credentials") for _ in range(2))
    assert credentials_claim([declared], [said]) is said


def test_an_unreadable_class_in_a_result_does_not_replace_the_declared_ones() -> None:
    declared = claim_of("sep-1913", RETURNED, ["credentials", "none"])
    said = claim_of("sep-1913", RETURNED, "none", well_formed=False)
    assert credentials_claim([declared], [said]) is declared


@pytest.mark.parametrize(
    "annotations",
    [
        *({key: True} for key in ("sensitive_hint", "sensitivehint", "SensitiveHint", "sensitive\u200bHint")),
        {"sensitive/hint": "false"},
        [{"sensitiveHint": True}],
        ["sensitive-hint"],
        "sensitiveHint: true",
    ],
)
def test_a_misspelt_hint_withholds_as_the_right_one_does(annotations: Json) -> None:
    block: JsonObject = {"type": "text", "text": "words"}
    marked: JsonObject = {**block, "annotations": annotations}
    of_tool = bounded_of({"content": [block]}, annotations=annotations)
    of_result = bounded_of({"content": [block], "_meta": {"annotations": annotations}})
    of_block = bounded_of({"content": [marked, block]})
    for bounded in of_tool, of_result, of_block:
        assert bounded.removals[0].pointer == "/content/0"
        assert bounded.removals[0].rule in {"sensitive-hint", "labelled"}
    claims = claims_of_result({"_meta": {"annotations": annotations}})
    assert [claim.well_formed for claim in claims if is_sensitive_hint(claim)] == [False]


@pytest.mark.parametrize("annotations", [{"sensitive_hint": False}, {"insensitiveHint": True}, []])
def test_a_misspelt_hint_that_is_false_withholds_nothing(annotations: Json) -> None:
    assert not bounded_of({"content": [text("words")]}, annotations=annotations).removals
