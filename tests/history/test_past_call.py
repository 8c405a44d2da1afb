"""The parts of a call that the history keeps: never a value that may be secret, never a text of the server."""

from base64 import b64encode
from urllib.parse import quote

import msgspec
import pytest

from inspector.boundary.judgement import Judgement
from inspector.history.past_call import MAX_CHARACTERS, Ended, Keeper, LeftOut, PastCall, Why
from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from inspector.session.call_record import CallRecord
from tests.sinks.searching import found_in

CANARY = "CANARY-b7Qd93xLw0"
SPELT = (
    CANARY,
    CANARY.upper(),
    CANARY[::-1],
    CANARY.encode().hex(),
    b64encode(CANARY.encode()).decode(),
    quote(CANARY, safe="").replace("C", "%43"),
)
"""A few of the spellings that the boundary knows."""
AT = "2026-11-23T13:00:00.000Z"
GITHUB = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "pin": {"type": "string", "x-sensitive": True},
        "options": {"type": "object", "properties": {"mark": {"type": "string", "writeOnly": True}}},
        "users": {"type": "array", "items": {"properties": {"code": {"format": "password"}}}},
    },
}
OUTPUT: JsonObject = {
    "type": "object",
    "properties": {"key": {"type": "string", "x-sensitive": True}, "n": {"type": "integer"}},
    "required": ["n"],
}


def tool(**members: Json) -> Tool:
    return Tool(name="mint", definition={"name": "mint", "inputSchema": SCHEMA, **members})


EMPTY = Result(value={"content": []})


def record(arguments: JsonObject, outcome: Outcome = EMPTY, of: Tool | None = None) -> CallRecord:
    return CallRecord(
        number=1,
        name="mint",
        arguments=arguments,
        judgement=Judgement(outcome, of or tool()),
        at_s=0,
        duration_s=0.5,
        size_bytes=40,
    )


def keeper(*secrets: str) -> Keeper:
    return Keeper(bytes(32), secrets)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("pin", CANARY),
        ("pin", {"deep": [CANARY]}),
        ("options", {"mark": CANARY}),
        ("users", [{"code": CANARY}]),
        ("api_key", CANARY),
        ("name", GITHUB),
        ("name", {"password": CANARY}),
        ("name", {GITHUB: 1}),
        ("name", f"Bearer {CANARY}"),
        *(("name", f"see {spelt} there") for spelt in SPELT),
    ],
)
def test_an_argument_that_may_be_secret_is_not_kept(argument: str, value: Json) -> None:
    past = keeper(CANARY).answered(record({argument: value, "days": 3}), AT)
    assert past.kept == {"days": 3}
    assert past.left_out == (LeftOut(name=argument, why=Why.SECRET),)
    assert past.lacks == f"{argument} (secret)"
    assert found_in(msgspec.json.encode(past), CANARY) == []
    assert GITHUB not in past.arguments


def test_an_argument_name_that_may_be_secret_is_not_kept() -> None:
    past = keeper().answered(record({GITHUB: 1}), AT)
    assert past.left_out == (LeftOut(name="", why=Why.SECRET),)
    assert past.lacks == "an argument (secret)"
    assert past.kept == {}


def test_a_value_withheld_from_a_result_is_left_out_of_later_arguments() -> None:
    keeping, minting = keeper(), tool(outputSchema=OUTPUT)
    kept = keeping.answered(record({"name": CANARY}), AT)
    assert kept.kept == {"name": CANARY}, "nothing says that it is secret"
    minted = Result(value={"structuredContent": {"key": CANARY, "n": 1}, "content": []})
    assert keeping.answered(record({"name": "ada"}, minted, minting), AT).kept == {"name": "ada"}
    for again in (f"use {CANARY} now", *SPELT):
        past = keeping.answered(record({"name": again, "days": 3}), AT)
        assert past.kept == {"days": 3}
        assert found_in(msgspec.json.encode(past), CANARY) == []


def test_arguments_that_cannot_be_judged_are_not_kept() -> None:
    unlisted = CallRecord(
        number=1,
        name="gone",
        arguments={"name": "x"},
        judgement=Judgement(Result(value={"content": []}), None),
        at_s=0,
        duration_s=0,
        size_bytes=0,
    )
    assert keeper().answered(unlisted, AT).kept == {}
    remote = tool(inputSchema={"$ref": "https://elsewhere.example/schema.json"})
    assert keeper().answered(record({"name": "x"}, of=remote), AT).kept == {}


MESSAGE = "CANARY said by the server"


@pytest.mark.parametrize(
    ("outcome", "ended", "error", "fits"),
    [
        (Result(value={"content": [], "structuredContent": {"n": 1, "key": CANARY}}), Ended.OK, "", True),
        (Result(value={"content": [], "structuredContent": {"n": MESSAGE}}), Ended.OK, "", False),
        (
            Result(value={"isError": True, "content": [{"type": "text", "text": MESSAGE}]}),
            Ended.ERROR,
            "tool_error",
            None,
        ),
        (RpcError(value={"code": -32602, "message": MESSAGE}), Ended.ERROR, "invalid_arguments", None),
        (Failure(kind=FailureKind.TIMEOUT, detail=MESSAGE), Ended.NO_ANSWER, "network_timeout", None),
        (Failure(kind=FailureKind.CANCELLED, detail=MESSAGE), Ended.CANCELLED, "cancelled", None),
        (Result(value={"resultType": MESSAGE}), Ended.UNFINISHED, "", None),
    ],
)
def test_the_outcome_of_a_call_is_kept_without_any_text_of_the_answer(
    *, outcome: Outcome, ended: Ended, error: str, fits: bool | None
) -> None:
    past = keeper().answered(record({"name": "ada"}, outcome, tool(outputSchema=OUTPUT)), AT)
    assert (past.ended, past.error, past.fits) == (ended, error, fits)
    assert (past.at, past.tool, past.duration_s, past.size_bytes) == (AT, "mint", 0.5, 40)
    assert b"CANARY" not in msgspec.json.encode(past)
    assert past.withheld >= (CANARY in str(outcome))
    assert msgspec.json.decode(msgspec.json.encode(past), type=PastCall) == past


def test_a_cancelled_call_keeps_its_arguments() -> None:
    past = keeper().cancelled("mint", tool(), {"pin": CANARY, "name": "ada"}, AT, 1.5)
    assert (past.ended, past.kept, past.lacks) == (Ended.CANCELLED, {"name": "ada"}, "pin (secret)")


def test_the_longest_arguments_are_left_out_if_they_are_too_long() -> None:
    past = keeper().answered(record({"name": "ada", "text": "x " * MAX_CHARACTERS, "more": "y"}), AT)
    assert past.kept == {"name": "ada", "more": "y"}
    assert past.lacks == "text (too long)"
    assert len(past.arguments) <= MAX_CHARACTERS


@pytest.mark.parametrize("arguments", ["", "[1]", "{", '"x"', "{}"])
def test_invalid_arguments_in_the_file_are_read_as_none(arguments: str) -> None:
    assert PastCall(at=AT, tool="t", ended=Ended.OK, arguments=arguments).kept == {}


def test_numbers_keep_their_spelling() -> None:
    past = PastCall(at=AT, tool="t", ended=Ended.OK, arguments='{"a":1.50,"b":12345678901234567890}')
    assert str(past.kept["b"]) == "12345678901234567890"
