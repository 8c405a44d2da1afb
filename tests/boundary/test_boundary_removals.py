"""The list of what is withheld, and the declarations behind it."""

from collections import Counter

import pytest

from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.contract import Contract
from inspector.boundary.removals import Removals
from inspector.json.exact import JsonObject
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
def test_a_position_that_nothing_marks_goes_back_to_no_declaration(pointer: str | None) -> None:
    claim = claim_of("webmcp-110", "x-sensitive", True)
    contract = Contract(marks={f"/outputSchema/a/{key}": claim for key in ("None", "x-sensitive")})
    unmarked = Source(reason="r", schema_pointer=pointer, mark_key=None)
    too_deep = Source(reason="r", schema_pointer=None, mark_key="x-sensitive")
    marked = Source(reason="r", schema_pointer="/a", mark_key="x-sensitive")
    assert [contract.claim_at(source) for source in (unmarked, too_deep, marked)] == [None, None, claim]


def test_a_removal_without_a_declaration_is_of_no_vocabulary() -> None:
    claim = claim_of("webmcp-110", "x-sensitive", True)
    removals = [Removal(pointer="", rule=Rule.META, detail="d", claim=said) for said in (claim, None)]
    assert [removal.vocabulary for removal in removals] == ["webmcp-110", None]


PARTS: JsonObject = {
    "structuredContent": {"pin": SECRET, "rows": [{"pin": "x1"}, {"pin": "x2"}], "r": REFERENCE},
    "_meta": {"k": 1},
}


@pytest.mark.parametrize("level", STRICT)
def test_a_part_of_the_removals_is_a_part_of_each(level: Level) -> None:
    schema = fields(pin=SENSITIVE, rows={"type": "array", "items": fields(pin=SENSITIVE)})
    removals = judged(PARTS, schema, level).removals
    assert isinstance(removals, Removals)
    every = list(removals)
    assert len(every) > 3
    for segment in removals.segments:
        assert list(segment[1:]) == list(segment)[1:]
    assert list(removals[1:3]) == every[1:3]
    assert removals.by_rule() == dict(Counter(str(removal.rule) for removal in every))


def test_removals_are_counted_from_both_ends_and_end_there() -> None:
    removals = bounded_of({"content": [REFERENCE, {"type": "new"}], "_meta": {"k": 1}}).removals
    assert len(removals) == 3
    assert [removals[index] for index in (-1, -2, -3)] == [removals[index] for index in (2, 1, 0)]
    for index in (3, -4):
        with pytest.raises(IndexError):
            removals[index]


def test_removals_equal_those_that_are_the_same_and_nothing_else() -> None:
    removals = bounded_of({"content": [REFERENCE], "_meta": {"k": 1}}).removals
    assert removals == tuple(removals)
    assert removals == Removals((tuple(removals), ()))
    assert removals != Removals((removals[:1],))
    assert removals != list(removals)
    assert removals != len(removals)
    assert (len(Removals()), list(Removals())) == (0, [])


def test_of_a_page_a_field_with_the_protocols_name_is_told_though_its_pointer_is_cut_short() -> None:
    schema = fields(pin=SENSITIVE, _meta={"type": "object", "additionalProperties": SENSITIVE})
    bounded = bounded_of({"pin": SECRET, "_meta": {SECRET: "some-value"}}, schema)
    assert rules_of(bounded) == [("/pin", "x-sensitive"), ("/_meta", "x-sensitive")]
    assert structured_of(bounded) == {"_meta": {}, "_withheld": {"fields": ["pin"], "otherFields": "1"}}
