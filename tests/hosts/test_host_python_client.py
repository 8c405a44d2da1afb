"""Sightline reads results as the Python SDK does."""

import math
from typing import Annotated

import mcp_types
import pytest
from hypothesis import assume, given, settings
from mcp_types import methods
from pydantic import Field, TypeAdapter, ValidationError

from inspector.hosts.pydantic_check import Kind, Scalar, check
from inspector.hosts.python_client import (
    RESULT,
    Names,
    PydanticRefused,
    dumped,
    model_of,
    model_repr,
    receive,
    receive_first,
)
from inspector.hosts.python_text import compact
from inspector.hosts.received import Received
from inspector.json.exact import Json, JsonObject
from tests.hosts.results import RESULTS


def parsed(result: JsonObject) -> mcp_types.CallToolResult | str:
    try:
        found = methods.parse_server_result("tools/call", "2025-06-18", result)
    except ValidationError as error:
        return str(error)
    assert isinstance(found, mcp_types.CallToolResult)
    return found


@settings(max_examples=150, deadline=None)
@given(RESULTS)
def test_a_result_is_accepted_or_refused_as_by_the_sdk(result: Json) -> None:
    assume(isinstance(result, dict))
    assert isinstance(result, dict)
    assume("isError" not in result or result["isError"] is not None)
    theirs, ours = parsed(result), receive(result)
    if isinstance(ours, PydanticRefused):
        assert ours.exact
        assert theirs == ours.text
        return
    assert isinstance(theirs, mcp_types.CallToolResult), theirs
    dump = dumped(ours.value, RESULT, Names.WIRE, with_none=True)
    dump["isError"] = ours.is_error
    assert compact(dump) == theirs.model_dump_json(by_alias=True, exclude={"result_type"})
    blocks = [compact(dumped(block, model_of(block), Names.PYTHON, with_none=True)) for block in ours.blocks]
    assert blocks == [block.model_dump_json() for block in theirs.content]


def test_the_message_for_a_null_flag_is_not_known_exactly() -> None:
    refused = receive({"content": [], "isError": None})
    assert isinstance(refused, PydanticRefused)
    assert not refused.exact


def test_version_1_of_the_sdk_keeps_unknown_members() -> None:
    block: JsonObject = {
        "type": "resource",
        "resource": {"uri": "https://example.org", "text": "t", "more": [1.0, None]},
        "annotations": {"priority": 1, "lastModified": "today"},
    }
    received = receive_first({"content": [block]})
    assert isinstance(received, Received)
    assert model_repr(received.blocks[0]) == (
        "EmbeddedResource(type='resource', resource=TextResourceContents(uri=AnyUrl('https://example.org/'), "
        "mimeType=None, meta=None, text='t', more=[1.0, None]), "
        "annotations=Annotations(audience=None, priority=1.0, lastModified='today'), meta=None)"
    )


def test_version_1_of_the_sdk_refuses_an_invalid_uri() -> None:
    refused = receive_first({"content": [{"type": "resource_link", "uri": "x", "name": "n"}]})
    assert isinstance(refused, PydanticRefused)
    assert (
        "content.0.ResourceLink.uri\n  Input should be a valid URL, relative URL without a base"
        in refused.text
    )


ODD_SCALARS: list[Json] = [
    *(0, 1, 2, -1, 2**63, -(2**70), 10**400, 0.0, 1.0, 0.5, 2.0, -0.0, 2.0**63, 1e300, math.inf, -math.inf),
    *(
        True,
        False,
        None,
        [],
        {},
        "",
        "x",
        "1",
        "0",
        "yes",
        "NO",
        "T",
        "on",
        "off",
        "true ",
        " 1 ",
        "1.0",
        "1.5",
        "5.",
    ),
    *(
        "1e3",
        "1_000",
        "1__0",
        "0x1",
        "+5",
        "-5",
        "9" * 30,
        "9" * 5_000,
        "inf",
        "nan",
        " 0.5",
        ".5",
        "-1",
        "٣",
        "1\xa0",
    ),
]


def coerced(value: Json, by: TypeAdapter[object]) -> str:
    """The repr of the value that pydantic makes of a value, or its validation errors."""
    try:
        return repr(by.validate_python(value))
    except ValidationError as error:
        return str(error).partition("\n")[2]


@pytest.mark.parametrize(
    ("kind", "theirs"),
    [
        (Scalar.WHOLE, TypeAdapter[object](int)),
        (Scalar.TRUTH, TypeAdapter[object](bool)),
        (Scalar.SHARE, TypeAdapter[object](Annotated[float, Field(ge=0.0, le=1.0)])),
    ],
    ids=["int", "bool", "float"],
)
def test_scalars_are_coerced_or_refused_as_pydantic_does(kind: Kind, theirs: TypeAdapter[object]) -> None:
    for value in ODD_SCALARS:
        checked = check(value, kind)
        # At the root there is no location to name.
        ours = "".join(issue.text.removeprefix("\n") for issue in checked.issues) or repr(checked.value)
        assert ours == coerced(value, theirs), value
