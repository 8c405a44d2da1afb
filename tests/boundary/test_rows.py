"""Rows are judged together with the same outcome as one by one, and listed and masked alike."""

from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.boundary import mask as masks
from inspector.boundary import walking
from inspector.boundary.bound import bound
from inspector.boundary.bounded import Bounded, Level, Removal
from inspector.boundary.contract import contract_of
from inspector.boundary.mask import MASK, mask
from inspector.boundary.removals import MarkedRows, places
from inspector.boundary.undeclared import undeclared
from inspector.boundary.walking import ROWS
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump
from inspector.protocol.outcome import Result
from tests.boundary.bounding import HINT, REFERENCE, SENSITIVE, TWICE, fields, structured_of, tool_with

ITEM = fields(id={"type": "integer"}, name={"type": "string"}, pin=SENSITIVE, **{"a/b~": SENSITIVE})
SCHEMAS: tuple[Json, ...] = (
    fields(rows={"type": "array", "items": ITEM}),
    fields(rows={"items": {"properties": {"pin": SENSITIVE}}}),
    fields(rows={"type": "array", "items": {**ITEM, "patternProperties": {"^k": SENSITIVE}}}),
    fields(rows={"type": "array", "items": {**ITEM, "propertyNames": {"x-sensitive": True}}}),
    fields(rows={"type": "array", "prefixItems": [{"type": "object"}], "items": ITEM}),
    fields(rows={"type": "array", "items": SENSITIVE}),
    fields(rows={"type": "array", "items": {"type": "array", "properties": {"pin": SENSITIVE}}}),
)
PERHAPS = fields(rows={"items": {"if": {"properties": {"pin": SENSITIVE}}}})
"""Rows of no declared type."""
ODD: tuple[Json, ...] = (
    TWICE,
    REFERENCE,
    "[withheld]",
    5,
    [],
    {},
    {"id": 1, "name": {"pin": "an-inner-pin"}, "pin": "p-7"},
    {"pin": "other-pin", "id": 2, "name": "n"},
    {"id": "no integer", "name": "n", "pin": "x-pin-x"},
    {"id": 1, "name": "n", "pin": ["list-of", "pins-here"]},
    {"id": 3, "type": "secret_reference", "pin": "a-pin-of-a-reference"},
)
KEYS = st.sampled_from([("id", "name", "pin"), ("id", "type", "pin"), ("pin", "a/b~", "k"), ("id", "name")])


def row(keys: tuple[str, ...], number: int) -> JsonObject:
    return {key: number if key == "id" else f"{key}-value-{number}" for key in keys}


def judged(raw: Json, schema: Json, level: Level) -> tuple[Bounded, list[object]]:
    tool = tool_with(schema)
    bounded = bound(Result(value=raw), tool, level)
    listed: list[Removal] = list(bounded.removals)
    assert len(listed) == len(bounded.removals)
    assert [bounded.removals[place] for place in (0, -1, len(listed) // 2) if listed] == [
        listed[place] for place in (0, -1, len(listed) // 2) if listed
    ]
    masked = dump(mask(raw, bounded.removals))
    return bounded, [
        dump(bounded.result),
        listed,
        bounded.remarks,
        masked,
        undeclared(bounded, contract_of(tool)),
        dump(raw),
    ]


@pytest.mark.parametrize("level", [Level.DECLARED, Level.CLOSED])
@given(
    st.sampled_from(SCHEMAS),
    KEYS,
    st.integers(0, 40),
    st.lists(st.tuples(st.integers(0, 40), st.sampled_from(ODD)), max_size=3),
)
@example(SCHEMAS[0], ("id", "name", "pin"), 2 * ROWS + 3, [])
@example(SCHEMAS[0], ("id", "name", "pin"), 2 * ROWS + 9, [(ROWS + 5, TWICE)])
@example(SCHEMAS[1], ("id", "type", "pin"), 20, [(5, ODD[-1])])
@example(SCHEMAS[5], ("id", "name"), 20, [])
@example(SCHEMAS[6], ("pin",), 20, [])
@example(SCHEMAS[4], ("id", "name", "pin"), ROWS + 9, [(5, "[withheld]")])
def test_rows_judged_together_give_the_same_as_one_by_one(
    level: Level, schema: Json, keys: tuple[str, ...], count: int, odd: list[tuple[int, Json]]
) -> None:
    rows: list[Json] = [row(keys, number) for number in range(count)]
    for place, value in odd:
        rows.insert(min(place, len(rows)), value)
    content: list[Json] = [{"type": "text", "text": "pin-value-1 and pin-value-12"}]
    raw: Json = {"content": content, "structuredContent": {"rows": rows}}
    _, together = judged(raw, schema, level)
    with patch.object(walking, "_FEW", count + 10), patch.object(masks, "_mask_rows", return_value=False):
        assert together == judged(raw, schema, level)[1]


@pytest.mark.parametrize("level", [Level.DECLARED, Level.CLOSED])
@pytest.mark.parametrize(
    ("count", "odd", "lengths"),
    [
        (7, None, [1] * 7),
        (8, None, [8]),
        (2 * ROWS + 9, ROWS + 5, [ROWS, *[1] * ROWS, 9]),
        (2 * ROWS + 7, 5, [*[1] * ROWS, ROWS, *[1] * 7]),
    ],
)
def test_rows_are_listed_together_if_they_are_many_and_alike(
    level: Level, count: int, odd: int | None, lengths: list[int]
) -> None:
    rows: list[Json] = [row(("id", "name", "pin"), number) for number in range(count)]
    if odd:
        rows[odd] = TWICE
    raw: Json = {"content": [], "structuredContent": {"rows": rows}}
    removals = bound(Result(value=raw), tool_with(SCHEMAS[0]), level).removals
    assert [place.length if isinstance(place, MarkedRows) else 1 for _, place in places(removals)] == lengths


@pytest.mark.parametrize(("schema", "keys"), [(PERHAPS, ("pin", "k")), (SCHEMAS[0], ("id", "type", "pin"))])
def test_rows_without_a_declared_type_or_with_a_member_called_type_are_listed_together_too(
    schema: Json, keys: tuple[str, ...]
) -> None:
    rows: list[Json] = [row(keys, number) for number in range(20)]
    result = Result(value={"content": [], "structuredContent": {"rows": rows}})
    listed = places(bound(result, tool_with(schema), Level.DECLARED).removals)
    assert [place.length for _, place in listed if isinstance(place, MarkedRows)] == [20]


@pytest.mark.parametrize("level", [Level.DECLARED, Level.CLOSED])
def test_of_rows_in_a_sensitive_result_only_what_is_released_passes(level: Level) -> None:
    rows: list[Json] = [row(("id", "name"), number) for number in range(20)]
    item = fields(id={"type": "integer", "x-sensitive": False}, name={"type": "string"})
    tool = tool_with(fields(rows={"type": "array", "items": item}), annotations=HINT)
    bounded = bound(Result(value={"content": [], "structuredContent": {"rows": rows}}), tool, level)
    left = structured_of(bounded)
    assert isinstance(left, dict)
    assert left["rows"] == [{"id": number} for number in range(20)]


@pytest.mark.parametrize("keys", [("id", "name", "pin"), ("pin",)])
def test_rows_are_masked_without_a_pointer_to_each_value(keys: tuple[str, ...]) -> None:
    rows: list[Json] = [row(keys, number) for number in range(20)]
    raw: Json = {"content": [], "structuredContent": {"rows": rows}}
    removals = bound(Result(value=raw), tool_with(SCHEMAS[0]), Level.DECLARED).removals
    with patch.object(masks, "join", side_effect=AssertionError):
        masked = mask(raw, removals)
    assert dump(masked).count(MASK.encode()) == 20


def test_removals_of_missing_rows_mask_the_nearest_existing_value() -> None:
    rows: list[Json] = [row(("id", "name", "pin"), number) for number in range(20)]
    raw: Json = {"content": [], "structuredContent": {"rows": rows}}
    removals = bound(Result(value=raw), tool_with(SCHEMAS[0]), Level.DECLARED).removals
    lacking: list[Json] = [{"id": 1} for _ in rows]
    assert mask({"structuredContent": {"rows": lacking}}, removals) == {
        "structuredContent": {"rows": [MASK] * 20}
    }
    kept: list[Json] = [rows[:10], [*rows[:19], 5], "no rows", DuplicateKeys((("a", 1),))]
    for left in kept:
        value: Json = {"structuredContent": {"rows": left}}
        masked = dump(mask(value, removals))
        assert MASK.encode() in masked
        assert b"pin-value" not in masked
