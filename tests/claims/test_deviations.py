"""Remarks on results whose trust declarations deviate from those of their tools."""

import pytest

from inspector.claims.deviations import deviations
from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result


def tool(annotations: JsonObject) -> Tool:
    return Tool(name="t", definition={"name": "t", "annotations": annotations})


def answer(annotations: Json) -> Result:
    return Result(value={"content": [], "_meta": {"annotations": annotations}})


@pytest.mark.parametrize(
    ("declared", "said", "remark"),
    [
        ({"openWorldHint": False}, {"openWorldHint": True}, "closed-world"),
        (
            {"returnMetadata": {"source": ["user", "internal"], "sensitivity": "pii"}},
            {"returnMetadata": {"source": "untrustedPublic", "sensitivity": "pii"}},
            "has a value of returnMetadata.source",
        ),
        (
            {"returnMetadata": {"source": "user", "sensitivity": "pii"}},
            {"returnMetadata": {"source": "user", "sensitivity": "credentials"}},
            "has a value of returnMetadata.sensitivity",
        ),
        ({}, {"returnMetadata": {"source": ["user", "internal"], "sensitivity": "pii"}}, "one value"),
        ({"maliciousActivityHint": False}, {"maliciousActivityHint": True}, "declares that it never is"),
    ],
)
def test_a_result_that_contradicts_its_tool_has_a_remark(
    declared: JsonObject, said: JsonObject, remark: str
) -> None:
    (found,) = deviations(tool(declared), answer(said))
    assert remark in found


def test_a_result_that_agrees_with_its_tool_has_none() -> None:
    declared = tool({"returnMetadata": {"source": ["user", "internal"], "sensitivity": ["pii", "user"]}})
    said: JsonObject = {
        "returnMetadata": {"source": "user", "sensitivity": "pii"},
        "maliciousActivityHint": True,
    }
    assert deviations(declared, answer(said)) == ()
    assert deviations(None, answer(said)) == ()
