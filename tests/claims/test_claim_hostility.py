"""Any input from a server: nothing raises, depth does not recurse, and large values are not walked."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.claims.claim import Claim
from inspector.claims.contradictions import contradictions
from inspector.claims.registry import (
    claims_of_item,
    claims_of_request,
    claims_of_resolution,
    claims_of_result,
    claims_of_tool,
    vocabularies,
)
from inspector.claims.traits import badges, traits
from inspector.json import pointer
from inspector.json.exact import DuplicateKeys, Json, Number, dump
from inspector.protocol.catalogue import Item, Kind, Tool

NAMES = sorted(
    {part for found in vocabularies() for key in found.keys for part in (key.name, *key.name.split("."))}
    | {container for found in vocabularies() for key in found.keys for container in key.within}
    | {
        "content",
        "type",
        "resource",
        "properties",
        "items",
        "tool",
        "regulated",
        "scopes",
        "x_sensitive",
        "id",
    }
)
WORDS = sorted(
    {
        word
        for found in vocabularies()
        for key in found.keys
        for implication in key.implications
        for word in implication.meanings
    },
    key=str,
)
names = st.sampled_from(NAMES) | st.text(max_size=3)
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(WORDS)
    | st.text(max_size=3)
    | st.sampled_from([Number("NaN"), Number("1e400"), Number("-0"), "secret_reference", "\ud800"])
)


def containers(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    pairs = st.lists(st.tuples(names, inner), max_size=3)
    twice = pairs.map(lambda found: DuplicateKeys((*found, *found)) if found else DuplicateKeys(()))
    return st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4) | twice


values: st.SearchStrategy[Json] = st.recursive(leaves, containers, max_leaves=12)
roots = st.dictionaries(
    st.sampled_from(
        ["annotations", "_meta", "content", "outputSchema", "tool", "origin", "type", "resource"]
    ),
    values,
    max_size=4,
)


def everything(value: Json) -> tuple[Claim, ...]:
    """Every claim that can be read from a value, in every role that it could have."""
    found = claims_of_result(value) + claims_of_request(value) + claims_of_resolution(value)
    found += claims_of_result({"content": [value]})
    if isinstance(value, dict):
        found += claims_of_tool(Tool(name="a", definition=value))
        found += claims_of_item(Item(kind=Kind.PROMPT, name="a", definition=value))
    return found


def judged(claims: tuple[Claim, ...]) -> None:
    found = traits(claims)
    assert dump(found.as_json())
    badges(found)
    contradictions(claims)


@given(roots | values)
def test_reading_claims_never_raises_for_any_value(value: Json) -> None:
    claims = everything(value)
    judged(claims)
    for claim in claims:
        assert claim.well_formed is not bool(claim.problem)
        assert claim.pointer.startswith("/")


def is_named_twice(value: Json, place: str) -> bool:
    """True if a key in a pointer is a duplicate: a pointer reaches only the last of its values."""
    tokens = pointer.split(place)
    for index, token in enumerate(tokens):
        around = pointer.resolve(value, pointer.join(tokens[:index]))
        if isinstance(around, DuplicateKeys) and [key for key, _ in around.pairs].count(token) > 1:
            return True
    return False


@given(roots)
def test_the_pointer_of_every_claim_leads_to_its_value(value: dict[str, Json]) -> None:
    for claim in claims_of_tool(Tool(name="a", definition=value)) + claims_of_result(value):
        if not is_named_twice(value, claim.pointer):
            assert pointer.resolve(value, claim.pointer) is claim.value


def nested(depth: int, *, key: str | None = None) -> Json:
    value: Json = "x"
    for _ in range(depth):
        value = {key: value} if key else [value]
    return value


@pytest.mark.parametrize(
    "deep", [nested(100_000), nested(100_000, key="regulated"), nested(100_000, key="_meta")]
)
def test_very_deep_values_are_read_at_any_place(deep: Json, subtests: pytest.Subtests) -> None:
    for name in NAMES:
        with subtests.test(name):
            inner: Json = {name: deep}
            roots: tuple[Json, ...] = (
                inner,
                {"annotations": inner},
                {"_meta": inner},
                {"_meta": {"annotations": inner}},
            )
            for value in roots:
                judged(everything(value))


def test_a_schema_of_any_depth_is_read_without_recursion() -> None:
    schema: Json = nested(100_000, key="items")
    judged(claims_of_tool(Tool(name="a", definition={"outputSchema": schema})))


def test_structured_content_and_text_are_not_walked() -> None:
    rows: list[Json] = [{"_meta": {"ifc": 1}}] * 1_000_000
    block: Json = {"type": "text", "text": "x" * 20_000_000}
    result: Json = {"content": [block], "structuredContent": {"rows": rows}}
    started = time.process_time()
    assert claims_of_result(result) == ()
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize("length", [1, 200_000])
def test_the_cost_of_a_schema_does_not_grow_with_the_length_of_its_names(length: int) -> None:
    properties: Json = {str(number): {"x-sensitive": True} for number in range(2_000)}
    schema: Json = {"properties": {"k" * length: {"properties": properties}}}
    started = time.process_time()
    claims = claims_of_tool(Tool(name="a", definition={"outputSchema": schema}))
    assert time.process_time() - started < 1
    positions = traits(claims).sensitive_positions.value
    assert isinstance(positions, tuple)
    assert len(positions) == (2_000 if length == 1 else 1)
