"""The list of removals, and the declarations behind them."""

from collections import Counter

import pytest

from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.contract import Contract
from inspector.boundary.counted import COUNTED
from inspector.boundary.mask import MASK, mask
from inspector.boundary.removals import MarkedRows, NotedRemovals, Removals, places
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child
from inspector.schema.positions import Source
from tests.boundary.bounding import (
    REFERENCE,
    SECRET,
    SENSITIVE,
    STRICT,
    bounded_of,
    claim_of,
    fields,
    judged,
    rules_of,
    structured_of,
)


@pytest.mark.parametrize("pointer", [None, "/a"])
def test_an_unmarked_position_has_no_declaration(pointer: str | None) -> None:
    claim = claim_of("webmcp-110", "x-sensitive", True)
    contract = Contract(marks={f"/outputSchema/a/{key}": claim for key in ("None", "x-sensitive")})
    unmarked = Source(reason="r", schema_pointer=pointer, mark_key=None)
    too_deep = Source(reason="r", schema_pointer=None, mark_key="x-sensitive")
    marked = Source(reason="r", schema_pointer="/a", mark_key="x-sensitive")
    assert [contract.claim_at(source) for source in (unmarked, too_deep, marked)] == [None, None, claim]


def test_a_removal_without_a_declaration_has_no_vocabulary() -> None:
    claim = claim_of("webmcp-110", "x-sensitive", True)
    removals = [Removal(pointer="", rule=Rule.META, detail="d", claim=said) for said in (claim, None)]
    assert [removal.vocabulary for removal in removals] == ["webmcp-110", None]


PARTS: JsonObject = {
    "structuredContent": {"pin": SECRET, "rows": [{"pin": "x1"}, {"pin": "x2"}], "r": REFERENCE},
    "_meta": {"k": 1},
}


@pytest.mark.parametrize("level", STRICT)
def test_a_slice_of_the_removals_contains_the_removals_of_that_range(level: Level) -> None:
    schema = fields(pin=SENSITIVE, rows={"type": "array", "items": fields(pin=SENSITIVE)})
    removals = judged(PARTS, schema, level).removals
    assert isinstance(removals, Removals)
    every = list(removals)
    assert len(every) > 3
    for segment in removals.segments:
        assert list(segment[1:]) == list(segment)[1:]
    assert list(removals[1:3]) == every[1:3]
    assert removals.by_rule() == dict(Counter(str(removal.rule) for removal in every))


def pointers_of(place: str | MarkedRows) -> list[str]:
    if isinstance(place, str):
        return [place]
    entries = map(place.at, range(place.size))
    return [child(entry.above, entry.token) for entry in entries if entry.token is not None]


ROWS: list[Json] = [{"pin": f"row-{number}"} for number in range(20)]
PAIRS: list[Json] = [{"pin": "p", "other": "o", "n": number} for number in range(9)]
SUMMED: list[tuple[JsonObject, Json]] = [
    (fields(pin=SENSITIVE, rows={"type": "array", "items": fields(pin=SENSITIVE)}), {"pin": SECRET, "rows": ROWS, "r": REFERENCE}),
    (fields(rows={"type": "array", "items": fields(pin=SENSITIVE, other=SENSITIVE)}), {"rows": PAIRS}),
    ({"x-sensitive": True}, {"None": 1, "pin": SECRET}),
    (fields(box={"type": "object", "patternProperties": {"^tok": SENSITIVE}}), {"box": {"tok": SECRET, "None": 1}}),
    (fields(), {"a": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value"), SUMMED)
@pytest.mark.parametrize("level", STRICT)
def test_every_summary_of_removals_is_that_of_the_single_removals(
    schema: JsonObject, value: Json, level: Level
) -> None:
    removals = judged({"structuredContent": value, "_meta": {"k": 1}}, schema, level).removals
    assert isinstance(removals, Removals)
    assert removals.by_rule() == dict(Counter(str(removal.rule) for removal in removals))
    listed = [(rule, pointer) for rule, place in places(removals) for pointer in pointers_of(place)]
    assert listed == [(removal.rule, removal.pointer) for removal in removals]
    for segment in removals.segments:
        if isinstance(segment, NotedRemovals):
            assert list(segment.names()) == [removal.name for removal in segment]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (
            fields(box={"type": "object", "patternProperties": {"^tok": SENSITIVE}}),
            {"tok-of-someone": SECRET},
        ),
        ({"type": "object", "properties": {"box": {"x-sensitive": True}}}, {"a": SECRET}),
    ],
)
def test_a_member_with_the_name_of_nothing_does_not_take_the_mask_of_what_is_beside_it(
    schema: JsonObject, value: JsonObject
) -> None:
    result: JsonObject = {"content": [], "structuredContent": {"box": {**value, "None": 1}, "n": 2}}
    masked = mask(result, judged(result, schema).removals)
    assert masked == {"content": [], "structuredContent": {"box": MASK, "n": 2}}
    whole = mask(result, judged(result, {"x-sensitive": True}).removals)
    assert whole == {"content": [], "structuredContent": MASK}


def test_removals_can_be_indexed_from_both_ends_within_their_bounds() -> None:
    removals = bounded_of({"content": [REFERENCE, {"type": "new"}], "_meta": {"k": 1}}).removals
    assert len(removals) == 3
    assert [removals[index] for index in (-1, -2, -3)] == [removals[index] for index in (2, 1, 0)]
    for index in (3, -4):
        with pytest.raises(IndexError):
            removals[index]


def test_removals_equal_only_a_sequence_of_the_same_removals() -> None:
    removals = bounded_of({"content": [REFERENCE], "_meta": {"k": 1}}).removals
    assert removals == tuple(removals)
    assert removals == Removals((tuple(removals), ()))
    assert removals != Removals((removals[:1],))
    assert removals != list(removals)
    assert removals != len(removals)
    assert (len(Removals()), list(Removals())) == (0, [])


def test_a_page_field_with_a_protocol_name_is_listed_by_its_parent_pointer() -> None:
    schema = fields(pin=SENSITIVE, _meta={"type": "object", "additionalProperties": SENSITIVE})
    bounded = bounded_of({"pin": SECRET, "_meta": {SECRET: "some-value"}}, schema)
    assert rules_of(bounded) == [("/pin", "x-sensitive"), ("/_meta", "x-sensitive")]
    assert structured_of(bounded) == {"_meta": {}, "_withheld": {"fields": ["pin"], "otherFields": "1"}}


def test_a_count_has_words_for_every_rule() -> None:
    assert COUNTED.keys() == set(Rule)
