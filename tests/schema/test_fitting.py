"""The parts of an output that do not fit its schema."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.json.exact import DuplicateKeys, Json, JsonObject, JsonText, parse
from inspector.schema.fitting import EVERYTHING, MAX_DEPTH, MAX_MISFITS, Path, misfits

ROW: JsonObject = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "s": {"type": "string"}},
    "required": ["a"],
}
DRAFT_07 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"


def parsed(text: str) -> Json:
    found = parse(text)
    assert isinstance(found, JsonText)
    return found.value


MANY: list[Json] = [0] * (MAX_MISFITS + 1)
CASES: list[tuple[str, Json, Json, tuple[Path, ...]]] = [
    ("all fits", {"a": 1}, ROW, ()),
    ("a schema of true", [1], True, ()),
    ("a schema of false", [1], False, EVERYTHING),
    ("another type", {"a": "x"}, ROW, (("a",),)),
    ("a missing member", {"s": "x"}, ROW, ((),)),
    ("one of several", [{"a": 1}, 5, {"a": "x"}], {"items": ROW}, ((1,), (2, "a"))),
    ("a forbidden member", {"a": 1, "x": 2, "y": 3}, {**ROW, "additionalProperties": False}, (("x",), ("y",))),
    ("an unevaluated one", {"a": 1, "x": 2}, {"allOf": [ROW], "unevaluatedProperties": False}, (("x",),)),
    ("no branch", {"b": {"a": "x"}}, {"properties": {"b": {"anyOf": [ROW, {"type": "null"}]}}}, (("b",),)),
    ("a format", "x", {"format": "date"}, ()),
    ("a pattern", "x", {"pattern": "^y$"}, ((),)),
    ("a pattern that is none", "x", {"pattern": "(", "type": "integer"}, ((),)),
    ("a pattern of browsers alone", "x", {"pattern": r"^[\w-\.]+@x$"}, ()),
    ("a pattern that looks around", "x", {"pattern": "(?=y)"}, ()),
    ("a description that is null", {"a": 5}, {"properties": {"a": {"description": None, "type": "string"}}}, (("a",),)),
    ("a required that is true", {"a": 5}, {"properties": {"a": {"required": True, "type": "string"}}}, (("a",),)),
    ("a type that is none", {"a": 5}, {"properties": {"a": {"type": "any"}}}, ()),
    ("limits of draft-04 where none is named", 0, {"minimum": 1, "exclusiveMinimum": True}, ((),)),
    ("a tuple of draft-07 where none is named", ["x"], {"items": [{"type": "integer"}], "type": "object"}, ((),)),
    ("draft-07 by https", ["x"], {"$schema": DRAFT_07.replace("http:", "https:"), "items": [{"type": "integer"}]}, ((0,),)),
    ("a remote reference", 1, {"$ref": "https://example.com/s"}, EVERYTHING),
    ("a schema that is none", 1, "x", EVERYTHING),
    ("a schema that names a key twice", 1, DuplicateKeys((("type", "x"), ("type", "y"))), EVERYTHING),
    ("draft-07 items", ["x", 5], {"$schema": DRAFT_07, "items": [{"type": "string"}, {"type": "string"}]}, ((1,),)),
    ("items where prefixItems says nothing", ["x"], {"$schema": DRAFT_2019, "prefixItems": [True], "items": False}, ((0,),)),
    ("an unknown dialect", 5, {"$schema": "https://example.com/d", "type": "string"}, ((),)),
    ("a dialect that is not text", 5, {"$schema": 5, "type": "integer"}, EVERYTHING),
    ("numbers as they are spelt", parsed('{"a":1.0,"b":1.10,"c":-0,"d":1e400}'), {"additionalProperties": {"type": "number"}}, ()),
    ("a spelt number that is none", parsed('{"a":"x","b":1.10}'), {"not": {"properties": {"b": {"type": "number"}}}}, ((),)),
    ("no number at all", parsed('{"a":NaN,"b":1}'), {"additionalProperties": {"type": "number"}}, (("a",),)),
    ("a number of 5,000 digits", parsed("9" * 5_000), {"type": "integer"}, ()),
    ("a lone surrogate", "\ud800", {"type": "string", "minLength": 1}, EVERYTHING),
    ("too many", MANY, {"items": {"type": "string"}}, EVERYTHING),
]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "schema", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_the_parts_that_do_not_fit_are_listed(value: Json, schema: Json, expected: tuple[Path, ...]) -> None:
    assert set(misfits(value, schema)) == set(expected)


def test_excluded_subschemas_fit_everything() -> None:
    schema: JsonObject = {"properties": {"a": {"$ref": "#/nowhere"}, "b": {"type": "string"}}}
    assert misfits({"a": 1}, schema) == EVERYTHING
    assert misfits({"a": 1}, schema, ("/properties/a",)) == ()
    assert misfits({"a": 1, "b": 2}, schema, ("/properties/a",)) == (("b",),)
    assert misfits(1, {"$ref": "https://example.com/s"}, ("",)) == ()
    assert misfits(1, schema, ("/properties/none",)) == EVERYTHING


def test_a_value_below_the_depth_limit_does_not_fit() -> None:
    schema: JsonObject = {"properties": {"next": {"$ref": "#"}, "n": {"type": "integer"}}}
    value: JsonObject = {"n": 1}
    for _ in range(MAX_DEPTH - 1):
        value = {"next": value}
    assert misfits(value, schema) == ()
    deeper: Json = {"next": {"next": value, "n": "x"}, "n": 1}
    assert set(misfits(deeper, schema)) == {("next", "n"), ("next",) * MAX_DEPTH}
    wide: Json = [[] for _ in range(200_000)]
    for _ in range(MAX_DEPTH - 1):
        wide = [wide]
    assert misfits(wide, True) == EVERYTHING


def test_too_many_faults_make_the_whole_value_a_misfit() -> None:
    wrong: list[Json] = [{"type": "any"} for _ in range(60)]
    assert misfits(1, {"allOf": wrong}) == EVERYTHING
    words: list[Json] = ["x" * 1_000 for _ in range(100)]
    large: Json = [words, 5]
    assert misfits(large, {"items": {"type": "array"}, "$comment": "y" * 1_000_000}) == EVERYTHING
    assert misfits(large, {"items": {"type": "array"}}) == ((1,),)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(json_values, json_values)
def test_fitting_never_raises(value: Json, schema: Json) -> None:
    assert isinstance(misfits(value, schema), tuple)
