"""Untrusted content: text between markers, hidden content, and remarks."""

import pytest

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level
from inspector.boundary.contract import Contract
from inspector.boundary.counted import is_delimited
from inspector.boundary.options import BoundaryPolicy
from inspector.json.exact import Json, JsonObject
from inspector.protocol.outcome import Result
from tests.boundary.bounding import (
    BEGIN,
    END,
    FOR_USER,
    HIDE,
    IMAGE,
    NONCE,
    SECRET,
    TEXT,
    TRUST,
    UNTRUSTED,
    WEAK,
    content_of,
    details_of,
    fields,
    judged,
    removed,
    text,
    tool_with,
)

NOT_DELIMITED = "text is declared untrusted, and is not delimited: no marker was given"


STRUCTURED = "structured content is declared untrusted, and cannot be delimited as text is"


def test_members_hidden_as_untrusted_are_counted_in_the_notice() -> None:
    policy = BoundaryPolicy(hide_untrusted=True)
    result: Json = {"content": [], "extra": "w", "_meta": {TRUST: {"untrusted": True}}}
    bounded = bound(Result(value=result), tool_with(), Level.DECLARED, policy=policy)
    assert content_of(bounded) == [{"type": "text", "text": 'Withheld from this result: {"otherFields":"1"}'}]


@pytest.mark.parametrize(("declared", "said"), [(False, False), (False, True), (True, False), (True, True)])
def test_text_is_delimited_if_the_tool_or_the_result_is_untrusted(*, declared: bool, said: bool) -> None:
    meta: JsonObject = {"_meta": UNTRUSTED} if said else {}
    result: JsonObject = {"content": [text("w")], **meta}
    bounded = judged(result, nonce=NONCE, _meta=UNTRUSTED if declared else {})
    assert content_of(bounded) == [text(f"{BEGIN}w{END}" if declared or said else "w")]
    assert removed(bounded) == (["/content/0/text untrusted"] if declared or said else [])


def test_an_untrusted_block_does_not_affect_other_blocks() -> None:
    blocks: list[Json] = [text("w", _meta=UNTRUSTED), text(f"it holds {NONCE}"), IMAGE]
    bounded = judged({"content": blocks, "structuredContent": {"a": 1}}, nonce=NONCE)
    assert content_of(bounded) == [text(f"{BEGIN}w{END}", _meta=UNTRUSTED), *blocks[1:]]
    assert removed(bounded) == ["/content/0/text untrusted"]
    assert bounded.remarks == ()


def test_only_text_written_by_the_server_is_delimited() -> None:
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
def test_a_missing_marker_is_a_finding_if_one_was_needed(
    blocks: list[Json], expected: tuple[str, ...]
) -> None:
    remarks = judged({"content": blocks}, _meta=UNTRUSTED).remarks
    assert tuple(remark for remark in remarks if remark != WEAK) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [(None, (STRUCTURED,)), ({"x-sensitive": True}, ()), (fields(a=TEXT), (STRUCTURED,))],
)
def test_untrusted_structured_content_that_passes_is_a_finding(
    schema: Json, expected: tuple[str, ...]
) -> None:
    bounded = judged({"structuredContent": {"a": SECRET}}, schema, nonce=NONCE, _meta=UNTRUSTED)
    assert bounded.remarks == expected
    assert judged({}, schema, nonce=NONCE, _meta=UNTRUSTED).remarks == ()


@pytest.mark.parametrize("words", [f"{BEGIN}w", f"w{END}", f" {BEGIN}w{END}", "w"])
def test_text_without_both_markers_passes_as_it_was_sent(words: str) -> None:
    assert content_of(judged({"content": [text(words), IMAGE]}, nonce=NONCE)) == [text(words), IMAGE]


@pytest.mark.parametrize("meta", [{}, UNTRUSTED])
def test_delimited_text_that_contains_the_marker_is_withheld(meta: JsonObject) -> None:
    bounded = judged({"content": [text(f"{BEGIN}w {NONCE} w{END}", _meta=meta)]}, nonce=NONCE)
    assert removed(bounded) == ["/content/0 untrusted"]


def test_text_with_empty_markers_passes_as_it_was_sent() -> None:
    words = f"{BEGIN}w{END}".replace(NONCE, "")
    assert content_of(judged({"content": [text(words)]})) == [text(words)]


BY_CLAIM, BY_APP = "it is declared untrusted", "an interface sent it"


@pytest.mark.parametrize(("is_of_app", "why"), [(False, BY_CLAIM), (True, BY_APP)])
def test_what_an_interface_sends_is_untrusted_and_the_reasons_say_so(is_of_app: bool, why: str) -> None:  # noqa: FBT001 - a column of the table
    contract = Contract(is_of_app=is_of_app)
    meta: JsonObject = {} if is_of_app else {"_meta": UNTRUSTED}
    outcome = Result(
        value={"content": [text("w"), text(f"a {NONCE}")], "structuredContent": {"a": 1}, **meta}
    )
    shown = bound(outcome, None, Level.DECLARED, declared=contract, nonce=NONCE)
    assert content_of(shown)[0] == text(f"{BEGIN}w{END}")
    assert details_of(shown) == {
        "/content/1": f"{why}{', and it contains the marker of this message' if is_of_app else ' and contains the marker of this call'}",
        "/content/0/text": f"{why}, so it is put between markers",
    }
    assert [is_delimited(removal) for removal in shown.removals] == [False, True]
    assert shown.remarks == (
        "an interface sent structured content, which cannot be delimited as text is"
        if is_of_app
        else STRUCTURED,
    )
    hidden = bound(outcome, None, Level.DECLARED, declared=contract, policy=HIDE, nonce=NONCE)
    assert set(details_of(hidden).values()) == {f"{why}, and the policy withholds untrusted content"}
    plain = bound(Result(value={"content": [text("w")]}), None, Level.DECLARED, nonce=NONCE)
    assert content_of(plain) == [text("w")]
