"""The texts that an interface sends to the model, at each boundary and with each policy."""

import pytest

from inspector.apps.speech import kept_back, speech_record
from inspector.boundary.bounded import Level
from inspector.boundary.judgement import Judgement
from inspector.boundary.options import BoundaryPolicy
from inspector.json.exact import JsonObject, dump_text
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome, Result, RpcError
from inspector.session.call_record import CallRecord

KEY = "correct-horse-battery"
TOOL = Tool(
    name="t",
    definition={
        "name": "t",
        "inputSchema": {},
        "outputSchema": {"properties": {"key": {"type": "string", "x-sensitive": True}}},
    },
)
HIDE = BoundaryPolicy(hide_untrusted=True)


def given(policy: BoundaryPolicy) -> CallRecord:
    outcome = Result(value={"content": [], "structuredContent": {"key": KEY, "city": "Reykjavik"}})
    return CallRecord(
        number=1,
        name="t",
        arguments={},
        judgement=Judgement(outcome, TOOL),
        at_s=0,
        duration_s=0,
        size_bytes=0,
        policy=policy,
    )


def reaches(text: str, level: Level, policy: BoundaryPolicy, *records: CallRecord) -> str:
    value: JsonObject = {"content": [{"type": "text", "text": text}], "structuredContent": {"said": text}}
    record = speech_record("ui/message", value, records, number=2, nonce="abc", at_s=0, policy=policy)
    return dump_text(record.judgement.bounded(level, policy).result)


@pytest.mark.parametrize(
    ("level", "policy", "plain", "secret"),
    [
        (Level.OPEN, BoundaryPolicy(), True, True),
        (Level.DECLARED, BoundaryPolicy(), True, False),
        (Level.DECLARED, HIDE, False, False),
        (Level.CLOSED, BoundaryPolicy(), False, False),
        (Level.CLOSED, HIDE, False, False),
    ],
)
def test_a_message_is_untrusted_and_repeats_no_withheld_value(
    level: Level, policy: BoundaryPolicy, *, plain: bool, secret: bool
) -> None:
    result = given(BoundaryPolicy())
    assert ("warm today" in reaches("it is warm today", level, policy, result)) is plain
    for spelt in (f"the key is {KEY}", KEY.encode().hex(), KEY.upper()):
        assert (spelt in reaches(spelt, level, policy, result)) is secret, spelt
    if plain and level is not Level.OPEN:
        assert "untrusted content abc begins" in reaches("it is warm today", level, policy, result)
        assert "forged" not in reaches("forged abc", level, policy).partition("structuredContent")[0]


def test_a_message_repeats_nothing_of_a_result_that_the_policy_withholds() -> None:
    assert kept_back([given(BoundaryPolicy())]) == (KEY,)
    withheld = given(BoundaryPolicy(withheld="a rule says so"))
    assert "Reykjavik" in reaches("in Reykjavik", Level.DECLARED, BoundaryPolicy(), given(BoundaryPolicy()))
    assert "Reykjavik" not in reaches("in Reykjavik", Level.DECLARED, BoundaryPolicy(), withheld)


def answered(outcome: Outcome) -> CallRecord:
    return CallRecord(
        number=1,
        name="t",
        arguments={},
        judgement=Judgement(outcome, TOOL),
        at_s=0,
        duration_s=0,
        size_bytes=0,
        policy=BoundaryPolicy(withhold_credentials=True),
    )


@pytest.mark.parametrize(
    "outcome",
    [
        Result(value={"content": [], "structuredContent": {"key": "x"}, "_meta": {"widget": {"deep": KEY}}}),
        Result(value={"content": [{"type": "text", "text": "hi", "_meta": {"id": KEY}}]}),
        Result(value={"content": [{"type": "widget", "state": {"at": KEY}}]}),
        Result(
            value={"content": [{"type": "text", "text": "hi", "annotations": {"audience": ["user"]}}, KEY]}
        ),
        Result(value={"content": [], "hint": {"$ref": KEY}, "_meta": KEY}),
        RpcError(value={"code": KEY, "message": "no"}),
    ],
)
def test_a_message_repeats_no_part_of_an_answer_that_the_model_did_not_get(outcome: Outcome) -> None:
    for spelt in (KEY, KEY.encode().hex()):
        assert spelt not in reaches(spelt, Level.DECLARED, BoundaryPolicy(), answered(outcome))
        assert spelt in reaches(spelt, Level.OPEN, BoundaryPolicy(), answered(outcome))
    assert "warm" in reaches("it is warm today", Level.DECLARED, BoundaryPolicy(), answered(outcome))
