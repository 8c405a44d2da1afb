"""Containers, nested keys, references, embedded resources: cases that a table of single keys does not show."""

import pytest

from inspector.claims.claim import Claim, Standing, Subject
from inspector.claims.registry import (
    claims_of_item,
    claims_of_request,
    claims_of_resolution,
    claims_of_result,
    claims_of_tool,
)
from inspector.claims.vocabularies.unrecognised import OF_PROTOCOL
from inspector.json.exact import DuplicateKeys, Json, JsonObject, parse
from inspector.protocol.catalogue import Item, Kind, Tool

TRUST = "io.modelcontextprotocol/trust-annotations"
REFERENCE: JsonObject = {"type": "secret_reference", "id": "r1", "label": "API key", "redeemUrl": "/r/1"}


def brief(claims: tuple[Claim, ...]) -> list[tuple[str, str, str, bool]]:
    return [(claim.vocabulary, claim.key, claim.pointer, claim.well_formed) for claim in claims]


def of_tool(**members: Json) -> tuple[Claim, ...]:
    return claims_of_tool(Tool(name="a", definition={"name": "a", "inputSchema": {}, **members}))


def parsed(text: str) -> Json:
    document = parse(text)
    assert not hasattr(document, "reason")
    return getattr(document, "value", None)


WRONG: tuple[Json, ...] = (None, [], [{"readOnlyHint": True}], "readOnlyHint", 1, True)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_container_that_is_not_an_object_is_one_malformed_claim(wrong: Json) -> None:
    for claims, expected in (
        (of_tool(annotations=wrong), ("mcp", "annotations", "/annotations")),
        (of_tool(_meta=wrong), ("unrecognised", "_meta", "/_meta")),
        (
            of_tool(annotations={"inputMetadata": wrong}),
            ("sep-1913", "inputMetadata", "/annotations/inputMetadata"),
        ),
        (of_tool(_meta={"ifc": wrong}), ("ifc", "ifc", "/_meta/ifc")),
        (
            claims_of_result({"_meta": {TRUST: wrong}}),
            ("trust-annotations", TRUST, "/_meta/io.modelcontextprotocol~1trust-annotations"),
        ),
        (
            claims_of_result({"_meta": {"annotations": wrong}}),
            ("sep-1913", "_meta.annotations", "/_meta/annotations"),
        ),
        (claims_of_result({"annotations": wrong}), ("unrecognised", "annotations", "/annotations")),
        (
            claims_of_result({"content": [{"annotations": wrong}]}),
            ("mcp-content", "annotations", "/content/0/annotations"),
        ),
        (
            claims_of_resolution({"annotations": wrong}),
            ("tool-resolution", "annotations", "/annotations"),
        ),
    ):
        assert brief(claims) == [(*expected, False)]
        assert claims[0].container
        assert claims[0].value is wrong


def test_an_empty_extension_object_is_a_claim_without_content() -> None:
    (claim,) = claims_of_result({"_meta": {TRUST: {}}})
    assert (claim.key, claim.well_formed, claim.container) == (TRUST, True, True)
    assert of_tool(annotations={}, _meta={}) == ()


def test_an_unknown_key_in_an_object_of_a_vocabulary_is_a_malformed_claim() -> None:
    assert brief(of_tool(annotations={"inputMetadata": {"destination": "public", "retention": 1}})) == [
        ("sep-1913", "inputMetadata.destination", "/annotations/inputMetadata/destination", True),
        ("sep-1913", "inputMetadata.retention", "/annotations/inputMetadata/retention", False),
    ]


def test_evidence_that_cannot_be_checked_is_malformed() -> None:
    whole: Json = {"type": "data-class.v1", "digest": "sha256:00", "canonicalization": "jcs/rfc8785"}
    claims = claims_of_result({"_meta": {TRUST: {"evidenceRef": whole}}})
    assert [(claim.key, claim.well_formed) for claim in claims] == [
        ("evidenceRef.type", True),
        ("evidenceRef.digest", True),
        ("evidenceRef.canonicalization", True),
    ]
    part: Json = {"type": 1, "ref": "audit://1"}
    claims = claims_of_result({"_meta": {TRUST: {"evidenceRef": part}}})
    assert [(claim.key, claim.problem) for claim in claims] == [
        ("evidenceRef.type", "is not a string"),
        ("evidenceRef.ref", ""),
        ("evidenceRef", "lacks `digest` and `canonicalization`"),
    ]


def test_claims_of_one_vocabulary_are_in_the_order_of_the_wire() -> None:
    claims = of_tool(
        _meta={"z": 1},
        outputSchema={"x-sensitive": True},
        annotations={"openWorldHint": True, "b": 1, "sensitiveHint": True, "readOnlyHint": True, "a": 1},
    )
    assert [(claim.vocabulary, claim.key) for claim in claims] == [
        ("mcp", "openWorldHint"),
        ("mcp", "readOnlyHint"),
        ("webmcp-110", "x-sensitive"),
        ("webmcp-110", "sensitiveHint"),
        ("unrecognised", "z"),
        ("unrecognised", "b"),
        ("unrecognised", "a"),
    ]


@pytest.mark.parametrize("key", sorted(OF_PROTOCOL))
def test_metadata_of_the_protocol_is_no_claim_but_only_in_meta(key: str) -> None:
    assert claims_of_result({"_meta": {key: {"name": "demo"}}}) == ()
    assert [claim.key for claim in claims_of_result({"annotations": {key: 1}})] == [key]


def test_an_unrecognised_member_is_a_well_formed_claim_with_its_value() -> None:
    strange: Json = {"deep": [1, {"x": None}]}
    (claim,) = of_tool(_meta={"com.example/x": strange})
    assert brief((claim,)) == [("unrecognised", "com.example/x", "/_meta/com.example~1x", True)]
    assert claim.value is strange
    assert claim.standing is Standing.UNRECOGNISED


def test_a_result_has_claims_of_its_own_and_of_each_block() -> None:
    result: Json = {
        "_meta": {"annotations": {"openWorldHint": True, "mood": "good"}, "requestId": 7},
        "content": [
            {"type": "text", "text": "a"},
            "no block",
            {"type": "text", "text": "b", "annotations": {"audience": ["user"]}, "_meta": {"tag": 1}},
            {"type": "resource", "resource": {"uri": "a:b", "_meta": {"ifc": {"integrity": "untrusted"}}}},
        ],
        "structuredContent": {"_meta": {"ifc": 1}, "annotations": 1},
    }
    claims = claims_of_result(result)
    assert [(claim.subject, *brief((claim,))[0][:3]) for claim in claims] == [
        (Subject.RESULT, "sep-1913", "openWorldHint", "/_meta/annotations/openWorldHint"),
        (Subject.RESULT, "unrecognised", "mood", "/_meta/annotations/mood"),
        (Subject.RESULT, "unrecognised", "requestId", "/_meta/requestId"),
        (Subject.BLOCK, "mcp-content", "audience", "/content/2/annotations/audience"),
        (Subject.BLOCK, "unrecognised", "tag", "/content/2/_meta/tag"),
        (Subject.BLOCK, "ifc", "integrity", "/content/3/resource/_meta/ifc/integrity"),
    ]


@pytest.mark.parametrize(
    "result", [None, 1, "x", [], [{"_meta": {"a": 1}}], {}, {"content": {"_meta": {"a": 1}}}]
)
def test_a_malformed_result_or_content_has_no_claims(result: Json) -> None:
    assert claims_of_result(result) == ()
    assert claims_of_resolution(result) == claims_of_request(result) == ()


def test_claims_of_a_resource_have_their_own_subject() -> None:
    item = Item(kind=Kind.TEMPLATE, name="a", definition={"annotations": {"priority": 1, "hue": 3}})
    assert [(claim.subject, claim.vocabulary, claim.key) for claim in claims_of_item(item)] == [
        (Subject.RESOURCE, "mcp-content", "priority"),
        (Subject.RESOURCE, "unrecognised", "hue"),
    ]


def test_a_title_outside_the_annotations_is_a_claim_for_page_tools_only() -> None:
    assert of_tool(title="A") == ()
    assert [claim.key for claim in of_tool(title="A", origin="https://a.example")] == ["title", "origin"]


def test_hints_of_core_mcp_are_claimed_only_once_for_page_tools() -> None:
    claims = of_tool(
        annotations={"readOnlyHint": True, "untrustedContentHint": True}, origin="https://a.example"
    )
    assert [(claim.vocabulary, claim.key) for claim in claims] == [
        ("mcp", "readOnlyHint"),
        ("webmcp", "untrustedContentHint"),
        ("webmcp", "origin"),
    ]


def test_the_older_shape_of_a_resolution_is_read_and_reported_as_older() -> None:
    tool: Json = {"name": "a", "annotations": {"readOnlyHint": True, "hue": 1}, "_meta": {"b": 2}}
    claims = claims_of_resolution({"tool": tool})
    assert brief(claims) == [
        ("tool-resolution", "tool", "/tool", False),
        ("tool-resolution", "readOnlyHint", "/tool/annotations/readOnlyHint", True),
        ("unrecognised", "hue", "/tool/annotations/hue", True),
        ("unrecognised", "b", "/tool/_meta/b", True),
    ]
    assert "older" in claims[0].problem


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, ""),
        ({"ttl": 60}, ""),
        ({"ttl": 0.5, "annotations": {}}, ""),
        ({"id": None}, "`id` is not text"),
        ({"label": ""}, "`label` is not text"),
        ({"redeemUrl": ["/r/1"]}, "`redeemUrl` is not text"),
        ({"ttl": True}, "`ttl` is not a number of seconds"),
        ({"ttl": "60"}, "`ttl` is not a number of seconds"),
        ({"ttl": -1}, "`ttl` is not a number of seconds"),
        ({"ttl": None}, "`ttl` is not a number of seconds"),
    ],
)
def test_a_malformed_secret_reference_is_a_claim_with_the_reason(changes: JsonObject, problem: str) -> None:
    block = REFERENCE | changes
    (claim,) = claims_of_result({"content": [{"type": "text", "text": "a"}, block]})
    assert (claim.subject, claim.vocabulary, claim.key) == (Subject.BLOCK, "webmcp-110", "secret_reference")
    assert (claim.pointer, claim.problem, claim.well_formed) == ("/content/1", problem, not problem)
    assert claim.value is block


@pytest.mark.parametrize("missing", ["id", "label", "redeemUrl"])
def test_a_secret_reference_that_lacks_a_member_names_it(missing: str) -> None:
    block: JsonObject = {key: value for key, value in REFERENCE.items() if key != missing}
    (claim,) = claims_of_result({"content": [block]})
    assert claim.problem == f"lacks `{missing}`"


def test_an_infinite_ttl_is_malformed() -> None:
    for text in ("1e999", "NaN"):
        block = REFERENCE | {"ttl": parsed(text)}
        assert not claims_of_result({"content": [block]})[0].well_formed


def test_duplicate_keys_are_all_read_and_never_well_formed() -> None:
    tool = parsed('{"annotations":{"sensitiveHint":true,"readOnlyHint":true,"readOnlyHint":false}}')
    assert isinstance(tool, dict)
    assert brief(claims_of_tool(Tool(name="a", definition=tool))) == [
        ("mcp", "readOnlyHint", "/annotations/readOnlyHint", False),
        ("mcp", "readOnlyHint", "/annotations/readOnlyHint", False),
        ("webmcp-110", "sensitiveHint", "/annotations/sensitiveHint", True),
    ]
    result = parsed(
        '{"content":[{"annotations":{"audience":["user"]}}],"content":[],"_meta":{"ifc":{"integrity":"trusted"}},'
        '"_meta":{"ifc":{"integrity":"trusted"}}}'
    )
    assert brief(claims_of_result(result)) == [
        ("ifc", "integrity", "/_meta/ifc/integrity", False),
        ("ifc", "integrity", "/_meta/ifc/integrity", False),
        ("mcp-content", "audience", "/content/0/annotations/audience", False),
    ]
    block = parsed('{"type":"text","type":"secret_reference","id":"a","label":"b","redeemUrl":"c"}')
    assert isinstance(block, DuplicateKeys)
    assert brief(claims_of_result({"content": [block]})) == [
        ("webmcp-110", "secret_reference", "/content/0", False)
    ]


def test_claims_are_read_from_the_context_of_a_request() -> None:
    claims = claims_of_request(
        {"name": "a", "_meta": {"annotations": {"openWorldHint": True}, "progressToken": 1}}
    )
    assert brief(claims) == [
        ("sep-1913", "openWorldHint", "/_meta/annotations/openWorldHint", True),
        ("unrecognised", "progressToken", "/_meta/progressToken", True),
    ]
