"""Untrusted content: what stands between markers, what is hidden, and what is told."""

import pytest

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level
from inspector.boundary.options import BoundaryPolicy
from inspector.json.exact import Json, JsonObject
from inspector.protocol.outcome import Result
from tests.boundary.bounding import (
    BEGIN,
    END,
    FOR_USER,
    IMAGE,
    NONCE,
    SECRET,
    TEXT,
    TRUST,
    UNTRUSTED,
    WEAK,
    content_of,
    fields,
    judged,
    removed,
    text,
    tool_with,
)

NOT_DELIMITED = "text is declared untrusted, and is not delimited: no marker was given"


STRUCTURED = "structured content is declared untrusted, and cannot be delimited as text is"


def test_members_that_are_hidden_as_untrusted_are_told() -> None:
    policy = BoundaryPolicy(hide_untrusted=True)
    result: Json = {"content": [], "extra": "w", "_meta": {TRUST: {"untrusted": True}}}
    bounded = bound(Result(value=result), tool_with(), Level.DECLARED, policy=policy)
    assert content_of(bounded) == [{"type": "text", "text": 'Withheld from this result: {"otherFields":"1"}'}]


@pytest.mark.parametrize(("declared", "said"), [(False, False), (False, True), (True, False), (True, True)])
def test_what_the_tool_or_the_result_declares_untrusted_stands_between_markers(
    *, declared: bool, said: bool
) -> None:
    meta: JsonObject = {"_meta": UNTRUSTED} if said else {}
    result: JsonObject = {"content": [text("w")], **meta}
    bounded = judged(result, nonce=NONCE, _meta=UNTRUSTED if declared else {})
    assert content_of(bounded) == [text(f"{BEGIN}w{END}" if declared or said else "w")]
    assert removed(bounded) == (["/content/0/text untrusted"] if declared or said else [])


def test_one_block_that_is_untrusted_says_nothing_about_the_others() -> None:
    blocks: list[Json] = [text("w", _meta=UNTRUSTED), text(f"it holds {NONCE}"), IMAGE]
    bounded = judged({"content": blocks, "structuredContent": {"a": 1}}, nonce=NONCE)
    assert content_of(bounded) == [text(f"{BEGIN}w{END}", _meta=UNTRUSTED), *blocks[1:]]
    assert removed(bounded) == ["/content/0/text untrusted"]
    assert bounded.findings == ()


def test_only_text_in_the_words_of_the_server_stands_between_markers() -> None:
    reference: JsonObject = {"type": "secret_reference", "id": "i", "label": "l", "redeemUrl": "u"}
    blocks: list[Json] = [IMAGE, reference, text("mine", annotations=FOR_USER), text("w")]
    bounded = judged({"content": blocks}, nonce=NONCE, _meta=UNTRUSTED)
    own = text('[secret reference "l"; only the user can reveal what it stands for]')
    assert content_of(bounded)[:3] == [IMAGE, own, text(f"{BEGIN}w{END}")]
    assert [one for one in removed(bounded) if one.endswith("untrusted")] == ["/content/3/text untrusted"]


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([text("w")], (NOT_DELIMITED,)),
        ([text("mine", annotations=FOR_USER)], ()),
        ([IMAGE], ()),
        ([], ()),
    ],
)
def test_that_no_marker_was_given_is_told_where_one_was_needed(
    blocks: list[Json], expected: tuple[str, ...]
) -> None:
    findings = judged({"content": blocks}, _meta=UNTRUSTED).findings
    assert tuple(finding for finding in findings if finding != WEAK) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [(None, (STRUCTURED,)), ({"x-sensitive": True}, ()), (fields(a=TEXT), (STRUCTURED,))],
)
def test_structured_content_that_passes_and_is_untrusted_is_told(
    schema: Json, expected: tuple[str, ...]
) -> None:
    bounded = judged({"structuredContent": {"a": SECRET}}, schema, nonce=NONCE, _meta=UNTRUSTED)
    assert bounded.findings == expected
    assert judged({}, schema, nonce=NONCE, _meta=UNTRUSTED).findings == ()


@pytest.mark.parametrize("words", [f"{BEGIN}w", f"w{END}", f" {BEGIN}w{END}", "w"])
def test_text_that_does_not_stand_between_both_markers_passes_as_it_was_sent(words: str) -> None:
    assert content_of(judged({"content": [text(words), IMAGE]}, nonce=NONCE)) == [text(words), IMAGE]


@pytest.mark.parametrize("meta", [{}, UNTRUSTED])
def test_text_between_markers_that_holds_the_marker_is_withheld(meta: JsonObject) -> None:
    bounded = judged({"content": [text(f"{BEGIN}w {NONCE} w{END}", _meta=meta)]}, nonce=NONCE)
    assert removed(bounded) == ["/content/0 untrusted"]


def test_without_a_marker_nothing_stands_between_markers() -> None:
    words = f"{BEGIN}w{END}".replace(NONCE, "")
    assert content_of(judged({"content": [text(words)]})) == [text(words)]
