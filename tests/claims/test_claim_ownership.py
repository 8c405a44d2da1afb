"""Every member of `annotations` and `_meta` is claimed, and by one vocabulary only."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from inspector.claims.claim import Claim, Subject
from inspector.claims.registry import claims_of_result, claims_of_tool, vocabularies
from inspector.json import pointer
from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Tool

KNOWN = sorted(
    {key.name.split(".")[0] for found in vocabularies() for key in found.keys}
    | {container for found in vocabularies() for key in found.keys for container in key.within}
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KNOWN) | st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
objects = st.dictionaries(st.sampled_from(KNOWN) | st.text(max_size=4), values, max_size=6)


def claimants(claims: tuple[Claim, ...], at: str) -> set[str]:
    """The vocabularies with a claim at a member, or below it."""
    return {claim.vocabulary for claim in claims if claim.pointer == at or claim.pointer.startswith(f"{at}/")}


def members_of(holder: str, value: JsonObject) -> list[str]:
    return [pointer.child(holder, key) for key in value]


@given(objects, objects)
def test_each_member_of_a_tool_is_claimed_by_one_vocabulary(
    annotations: JsonObject, meta: JsonObject
) -> None:
    claims = claims_of_tool(Tool(name="a", definition={"annotations": annotations, "_meta": meta}))
    for member in members_of("/annotations", annotations) + members_of("/_meta", meta):
        assert len(claimants(claims, member)) == 1, member


@given(objects, objects, objects)
def test_each_member_of_a_result_or_block_is_claimed_by_one_vocabulary(
    meta: JsonObject, annotations: JsonObject, inner: JsonObject
) -> None:
    block: Json = {"type": "text", "annotations": annotations, "_meta": meta}
    claims = claims_of_result(
        {"content": [block], "_meta": {**meta, "annotations": inner}, "annotations": meta}
    )
    members = [
        *members_of("/annotations", meta),
        *members_of("/_meta", {key: value for key, value in meta.items() if key != "annotations"}),
        *members_of("/_meta/annotations", inner),
        *members_of("/content/0/annotations", annotations),
        *members_of("/content/0/_meta", meta),
    ]
    for member in members:
        assert len(claimants(claims, member)) == 1, member


@given(objects)
def test_no_place_is_claimed_by_two_claims(annotations: JsonObject) -> None:
    claims = claims_of_tool(Tool(name="a", definition={"annotations": annotations}))
    # Evidence that lacks a member has a second claim that says so.
    places = Counter(claim.pointer for claim in claims if not claim.problem.startswith("lacks"))
    assert not [place for place, count in places.items() if count > 1]


def test_a_vocabulary_owns_the_places_that_it_reads() -> None:
    owned = {
        (Subject.TOOL, "/annotations/readOnlyHint"): "mcp",
        (Subject.TOOL, "/annotations/untrustedContentHint"): "webmcp",
        (Subject.TOOL, "/annotations/sensitiveHint"): "webmcp-110",
        (Subject.TOOL, "/annotations/inputMetadata/retention"): "sep-1913",
        (Subject.TOOL, "/annotations/inputMetadata/sensitivity/regulated/scopes/0"): "sep-1913",
        (Subject.TOOL, "/_meta/mcp.dev~1effect"): "policy-hints",
        (Subject.RESULT, "/_meta/annotations"): "sep-1913",
        (
            Subject.RESULT,
            "/_meta/io.modelcontextprotocol~1trust-annotations/evidenceRef/ref",
        ): "trust-annotations",
        (Subject.BLOCK, "/annotations"): "mcp-content",
        (Subject.BLOCK, "/_meta/ifc/x"): "ifc",
        (Subject.TOOL, "/_meta/annotations"): None,
        (Subject.TOOL, "/_meta/io.modelcontextprotocol~1trust-annotations"): None,
        (Subject.RESULT, "/_meta/annotations/readOnlyHint"): None,
        (Subject.BLOCK, "/annotations/readOnlyHint"): None,
        (Subject.TOOL, "/_meta"): None,
        (Subject.TOOL, ""): None,
    }
    for (subject, at), owner in owned.items():
        found = [vocabulary.name for vocabulary in vocabularies() if vocabulary.owns(subject, at)]
        assert found == ([owner] if owner else []), at
