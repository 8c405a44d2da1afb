"""Claims that cannot all be true, each next to claims that can."""

import pytest
from msgspec.structs import replace

from inspector.claims.claim import Claim
from inspector.claims.contradictions import ContradictionKind, contradictions
from inspector.claims.registry import (
    claims_of_request,
    claims_of_resolution,
    claims_of_result,
    claims_of_tool,
)
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.protocol.catalogue import Tool

Kind = ContradictionKind
TRUST = "io.modelcontextprotocol/trust-annotations"
ACTION = "io.modelcontextprotocol/action-metadata"
MARKED: Json = {"properties": {"a": {"x-sensitive": True}}}
OUTCOMES: tuple[Json, ...] = ("consequential", "irreversible", ["benign", "irreversible"])
MISSPELT: tuple[JsonObject, ...] = ({"xSensitive": True}, {"x_sensitive": False}, {"x-sensitive": "yes"})
REFERENCE: Json = {"type": "secret_reference", "id": "1", "label": "a", "redeemUrl": "/1"}


def tool_of(**members: Json) -> Tool:
    return Tool(name="a", definition={"name": "a", "inputSchema": {}, **members})


def annotated(hints: JsonObject | None = None, /, **more: Json) -> JsonObject:
    return {"annotations": {**(hints or {}), **more}}


def returning(source: Json, **more: Json) -> JsonObject:
    return {"annotations": {"returnMetadata": {"source": source}}, **more}


def schemed(schema: JsonObject) -> JsonObject:
    return {"outputSchema": {"properties": {"a": schema}}}


CASES: list[tuple[JsonObject, Json, Kind, list[str]]] = [
    (
        annotated(readOnlyHint=True, destructiveHint=True),
        None,
        Kind.READ_ONLY_DESTRUCTIVE,
        ["readOnlyHint", "destructiveHint"],
    ),
    (
        annotated(readOnly=True, destructiveHint=True),
        None,
        Kind.READ_ONLY_DESTRUCTIVE,
        ["readOnly", "destructiveHint"],
    ),
    *(
        (
            {
                **annotated(readOnlyHint=True),
                "_meta": {"mcp.dev/effect": effect, "mcp.dev/requiresConfirmation": True},
            },
            None,
            Kind.READ_ONLY_EFFECT,
            ["readOnlyHint", "mcp.dev/effect"],
        )
        for effect in ("write", "delete", "external")
    ),
    *(
        (
            annotated({"inputMetadata": {"outcomes": outcome}}, readOnlyHint=True),
            None,
            Kind.READ_ONLY_OUTCOME,
            ["readOnlyHint", "inputMetadata.outcomes"],
        )
        for outcome in OUTCOMES
    ),
    (
        annotated({ACTION: {"outcome": "irreversible"}}, readOnlyHint=True),
        None,
        Kind.READ_ONLY_OUTCOME,
        ["readOnlyHint", "outcome"],
    ),
    ({"_meta": {"mcp.dev/effect": "delete"}}, None, Kind.DELETE_UNCONFIRMED, ["mcp.dev/effect"]),
    (
        {"_meta": {"mcp.dev/effect": "delete", "mcp.dev/requiresConfirmation": False}},
        None,
        Kind.DELETE_UNCONFIRMED,
        ["mcp.dev/effect", "mcp.dev/requiresConfirmation"],
    ),
    (
        {"_meta": {"mcp.dev/effect": "delete", "mcp.dev/requiresConfirmation": "yes"}},
        None,
        Kind.DELETE_UNCONFIRMED,
        ["mcp.dev/effect"],
    ),
    *(
        (
            {**annotated(idempotentHint=core), "_meta": {"mcp.dev/idempotent": not core}},
            None,
            Kind.IDEMPOTENT_DISAGREES,
            ["idempotentHint", "mcp.dev/idempotent"],
        )
        for core in (True, False)
    ),
    (
        annotated(openWorldHint=False),
        {"_meta": {"annotations": {"openWorldHint": True}}},
        Kind.RESULT_OPEN_WORLD,
        ["openWorldHint", "openWorldHint"],
    ),
    (
        {},
        {"_meta": {"annotations": {"returnMetadata": {"sensitivity": ["pii"]}}}},
        Kind.SET_IN_RESULT,
        ["returnMetadata.sensitivity"],
    ),
    (
        {},
        {"_meta": {"annotations": {"inputMetadata": {"destination": ["user", "public"]}}}},
        Kind.SET_IN_RESULT,
        ["inputMetadata.destination"],
    ),
    (
        annotated(inputMetadata={"destination": ["user", "public"], "sensitivity": ["pii", "credentials"]}),
        None,
        Kind.PUBLIC_CREDENTIALS,
        ["inputMetadata.destination", "inputMetadata.sensitivity"],
    ),
    (annotated(sensitiveHint=True), None, Kind.SENSITIVE_UNMARKED, ["sensitiveHint"]),
    (
        {**annotated(sensitiveHint=True), "outputSchema": {"x-sensitive": False}},
        {"content": []},
        Kind.SENSITIVE_UNMARKED,
        ["sensitiveHint"],
    ),
    # A key of that name that no vocabulary defines marks nothing.
    (
        {**annotated({"x-sensitive": True}, sensitiveHint=True), "outputSchema": {}},
        None,
        Kind.SENSITIVE_UNMARKED,
        ["sensitiveHint"],
    ),
    *((schemed(mark), None, Kind.MARK_MISSPELT, ["x-sensitive"]) for mark in MISSPELT),
    (annotated(sensitive_hint="yes"), None, Kind.MARK_MISSPELT, ["sensitiveHint"]),
    ({"annotations": [{"sensitiveHint": True}]}, None, Kind.MARK_MISSPELT, ["sensitiveHint"]),
    (
        returning("untrustedPublic", _meta={"ifc": {"integrity": "trusted"}}),
        None,
        Kind.SOURCE_DISAGREES,
        ["returnMetadata.source", "integrity"],
    ),
    (
        returning(["untrustedPublic", "internal"], _meta={"ifc": {"integrity": "trusted"}}),
        None,
        Kind.SOURCE_DISAGREES,
        ["returnMetadata.source", "integrity"],
    ),
    (
        returning("untrustedPublic"),
        {"_meta": {TRUST: {"untrusted": False}}},
        Kind.SOURCE_DISAGREES,
        ["returnMetadata.source", "untrusted"],
    ),
    (
        annotated(returnMetadata={"source": "untrustedPublic"}, untrustedContentHint=False),
        None,
        Kind.SOURCE_DISAGREES,
        ["returnMetadata.source", "untrustedContentHint"],
    ),
    (
        annotated(
            {
                "returnMetadata": {"source": "untrustedPublic"},
                ACTION: {"returnMetadata": {"source": "trustedPublic"}},
            }
        ),
        None,
        Kind.SOURCE_DISAGREES,
        ["returnMetadata.source", "returnMetadata.source"],
    ),
]


def claims_of(definition: JsonObject, result: Json) -> tuple[Claim, ...]:
    return claims_of_tool(tool_of(**definition)) + claims_of_result(result)


@pytest.mark.parametrize(("definition", "result", "kind", "keys"), CASES)
def test_a_contradiction_is_found_with_the_claims_that_cause_it(
    definition: JsonObject, result: Json, kind: Kind, keys: list[str]
) -> None:
    found = contradictions(claims_of(definition, result))
    assert [each.kind for each in found] == [kind]
    assert [claim.key for claim in found[0].claims] == keys
    assert found[0].message.endswith(".")


@pytest.mark.parametrize(
    ("definition", "result"),
    [
        ({}, None),
        (annotated(readOnlyHint=True, destructiveHint=False), None),
        (annotated(readOnlyHint=False, destructiveHint=True), None),
        (annotated(readOnlyHint="true", destructiveHint=True), None),
        ({**annotated(readOnlyHint=True), "_meta": {"mcp.dev/effect": "read"}}, None),
        ({**annotated(readOnlyHint=True), "_meta": {"mcp.dev/effect": "destroy"}}, None),
        (annotated(readOnlyHint=True, inputMetadata={"outcomes": "benign"}), None),
        ({"_meta": {"mcp.dev/effect": "delete", "mcp.dev/requiresConfirmation": True}}, None),
        ({**annotated(idempotentHint=True), "_meta": {"mcp.dev/idempotent": True}}, None),
        (annotated(openWorldHint=True), {"_meta": {"annotations": {"openWorldHint": True}}}),
        (annotated(openWorldHint=False), {"_meta": {"annotations": {"openWorldHint": False}}}),
        ({}, {"_meta": {"annotations": {"attribution": ["a:"], "returnMetadata": {"source": "internal"}}}}),
        (annotated(returnMetadata={"sensitivity": ["pii"]}), None),
        (annotated(inputMetadata={"destination": "internal", "sensitivity": "credentials"}), None),
        (annotated(inputMetadata={"destination": "public", "sensitivity": ["pii"]}), None),
        ({**annotated(sensitiveHint=True), "outputSchema": MARKED}, None),
        ({**annotated(sensitiveHint=True), "outputSchema": {}}, {"content": [REFERENCE]}),
        ({**annotated(sensitiveHint=False), "outputSchema": {}}, None),
        (returning("untrustedPublic", _meta={"ifc": {"integrity": "untrusted"}}), None),
        (returning("internal", _meta={"ifc": {"integrity": "trusted"}}), None),
        (returning(["untrustedPublic", "internal"]), {"_meta": {TRUST: {"untrusted": False}}}),
        (returning("untrustedPublic"), {"_meta": {TRUST: {"untrusted": True}}}),
        (
            returning("untrustedPublic"),
            {"_meta": {"annotations": {"returnMetadata": {"source": "internal"}}}},
        ),
    ],
)
def test_claims_that_can_all_be_true_contradict_nothing(definition: JsonObject, result: Json) -> None:
    assert contradictions(claims_of(definition, result)) == ()


def test_malformed_claims_contradict_nothing() -> None:
    twice = DuplicateKeys((("readOnlyHint", True), ("destructiveHint", True), ("readOnlyHint", True)))
    assert contradictions(claims_of_tool(tool_of(annotations=twice))) == ()


def test_the_context_of_a_request_contradicts_no_tool() -> None:
    claims = claims_of_tool(tool_of(**annotated(openWorldHint=False)))
    context: Json = {"_meta": {"annotations": {"openWorldHint": True}}}
    assert contradictions(claims + claims_of_request(context)) == ()


def test_a_sensitive_tool_without_any_output_schema_has_nothing_to_mark() -> None:
    bare, described = (
        tool_of(**annotated(sensitiveHint=True)),
        tool_of(outputSchema={}, **annotated(sensitiveHint=True)),
    )
    assert contradictions(claims_of_tool(bare), tool=bare) == ()
    assert [each.kind for each in contradictions(claims_of_tool(described), tool=described)] == [
        Kind.SENSITIVE_UNMARKED
    ]


RESOLVED: JsonObject = {
    "readOnlyHint": False,
    "destructiveHint": False,
    "idempotentHint": False,
    "openWorldHint": False,
}


@pytest.mark.parametrize(
    ("hint", "static", "resolved"),
    [
        ("readOnlyHint", True, False),
        ("destructiveHint", False, True),
        ("idempotentHint", True, False),
        ("openWorldHint", False, True),
    ],
)
def test_a_resolution_that_widens_a_hint_is_found(hint: str, static: Json, resolved: Json) -> None:
    claims = claims_of_tool(tool_of(**annotated(**{hint: static})))
    inner: Json = {"annotations": {**RESOLVED, hint: resolved}}
    answers: tuple[Json, ...] = (inner, {"tool": inner})
    for answer in answers:
        (found,) = contradictions(claims + claims_of_resolution(answer))
        assert found.kind is Kind.RESOLUTION_WIDENS
        assert [claim.key for claim in found.claims] == [hint, hint]
    narrower = {**RESOLVED, hint: static}
    assert contradictions(claims + claims_of_resolution({"annotations": narrower})) == ()


def test_a_resolution_that_narrows_a_claim_is_not_a_contradiction() -> None:
    static = annotated(readOnlyHint=False, destructiveHint=True, idempotentHint=False, openWorldHint=True)
    resolved: Json = {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    claims = claims_of_tool(tool_of(**static)) + claims_of_resolution({"annotations": resolved})
    assert contradictions(claims) == ()


def test_a_read_only_call_need_not_be_declared_idempotent() -> None:
    claims = claims_of_tool(tool_of(**annotated(idempotentHint=True)))
    answer: Json = {"annotations": {"readOnlyHint": True, "idempotentHint": False}}
    assert contradictions(claims + claims_of_resolution(answer)) == ()


def test_a_resolution_can_contradict_itself() -> None:
    answer: Json = {"annotations": {"readOnlyHint": True, "destructiveHint": True}}
    assert [each.kind for each in contradictions(claims_of_resolution(answer))] == [
        Kind.READ_ONLY_DESTRUCTIVE
    ]


def test_claims_that_the_browser_dropped_are_one_finding_with_all_of_them() -> None:
    kept = claims_of_tool(tool_of(**annotated(untrustedContentHint=True, vendorHint=1)))
    lost = tuple(replace(claim, note="dropped by the browser") for claim in kept)
    assert contradictions(kept) == ()
    (found,) = contradictions(lost)
    assert (found.kind, found.claims) == (Kind.NOT_KEPT, lost)


def test_a_read_only_tool_that_is_named_for_a_change_contradicts_itself() -> None:
    named = Tool(name="delete_all", definition={"name": "delete_all", **annotated(readOnlyHint=True)})
    (found,) = contradictions(claims_of_tool(named), tool=named)
    assert (found.kind, [claim.key for claim in found.claims]) == (Kind.READ_ONLY_NAME, ["readOnlyHint"])
    assert "its name contains `delete`" in found.message
    other = Tool(name="delete_all", definition={"name": "delete_all", **annotated(readOnlyHint=False)})
    assert contradictions(claims_of_tool(other), tool=other) == ()


def test_every_kind_of_contradiction_has_a_case() -> None:
    of_their_own = {Kind.RESOLUTION_WIDENS, Kind.NOT_KEPT, Kind.READ_ONLY_NAME}
    assert {kind for _, _, kind, _ in CASES} | of_their_own == set(Kind)
