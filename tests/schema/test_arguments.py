import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import UsageError
from inspector.json.exact import Json, JsonText, Number, dump_text, equal, parse
from inspector.schema.arguments import assigned, assignments_for, coerce, from_json
from inspector.schema.fields import field_of


def value_of(text: str) -> Json:
    parsed = parse(text)
    assert isinstance(parsed, JsonText), parsed
    return parsed.value


_TEXT_OR_LIST = '{"type": ["string", "array"], "items": {"type": "string"}}'
COERCED = [
    ('{"type": "string"}', "1234", '"1234"'),
    ('{"type": "string"}', "", '""'),
    ('{"type": "string"}', " a ", '" a "'),
    ('{"type": "string"}', "null", '"null"'),
    ('{"type": "string"}', '"quoted"', r'"\"quoted\""'),
    ('{"type": ["string", "null"]}', "null", "null"),
    ('{"type": ["string", "null"]}', "nil", '"nil"'),
    ('{"type": "integer"}', "-12", "-12"),
    ('{"type": "integer"}', " 7 ", "7"),
    ('{"type": "integer"}', "9" * 40, "9" * 40),
    ('{"type": "integer"}', "9" * 5000, "9" * 5000),
    ('{"type": "number"}', "1.10", "1.10"),
    ('{"type": "number"}', "1e400", "1e400"),
    ('{"type": "number"}', "-0", "-0"),
    ('{"type": "number"}', "3", "3"),
    ('{"type": "boolean"}', "true", "true"),
    ('{"type": "boolean"}', "Yes", "true"),
    ('{"type": "boolean"}', "1", "true"),
    ('{"type": "boolean"}', "no", "false"),
    ('{"type": "boolean"}', "FALSE", "false"),
    ('{"type": "boolean"}', "0", "false"),
    ('{"enum": ["a", "1", 1, true, null]}', "1", '"1"'),
    ('{"enum": ["a", 1, true]}', "1", "1"),
    ('{"enum": ["a", 1.50, true]}', "1.5", "1.50"),
    ('{"enum": ["a", true]}', "true", "true"),
    ('{"enum": ["a", null]}', "null", "null"),
    ('{"enum": ["a", 1]}', '"a"', '"a"'),
    ('{"enum": [" a", "a"]}', " a", '" a"'),
    ('{"oneOf": [{"const": 1, "title": "one"}, {"const": 2, "title": "two"}]}', "two", "2"),
    ('{"enum": [{"a": 1}]}', '{"a": 1.0}', '{"a": 1}'),
    ('{"type": "array", "items": {"type": "string"}}', "a, b,c", '["a", "b", "c"]'),
    ('{"type": "array", "items": {"type": "integer"}}', "1,2", "[1, 2]"),
    ('{"type": "array", "items": {"type": "integer"}}', "[1, 2.50]", "[1, 2.50]"),
    ('{"type": "array"}', "a,1", '["a", "1"]'),
    ('{"type": "array"}', "", "[]"),
    ('{"type": "array", "items": {"type": "object"}}', '[{"a": 1}]', '[{"a": 1}]'),
    ('{"type": "object"}', '{"a": {"b": [1e2]}}', '{"a": {"b": [1e2]}}'),
    ('{"type": ["object", "null"]}', "null", "null"),
    ("{}", "[1, null]", "[1, null]"),
    ('{"anyOf": [{"type": "integer"}, {"type": "string"}]}', '"7"', '"7"'),
    (_TEXT_OR_LIST, "lung cancer, late", '"lung cancer, late"'),
    (_TEXT_OR_LIST, '["a", "b"]', '["a", "b"]'),
    (_TEXT_OR_LIST, '"a" or b', '"\\"a\\" or b"'),
    (_TEXT_OR_LIST, "{a}", '"{a}"'),
    (_TEXT_OR_LIST, "5", '"5"'),
    ('{"type": ["boolean", "string"]}', "true", "true"),
    ('{"type": ["boolean", "string"]}', "main", '"main"'),
    ('{"type": ["integer", "string"]}', "1.5", '"1.5"'),
    ('{"type": ["number", "string"]}', "1.50", "1.50"),
    ("{}", "plain", '"plain"'),
    ('{"type": "array", "items": {"type": ["string", "object"]}}', "a, b", '["a", "b"]'),
]


@pytest.mark.parametrize(("schema", "text", "expected"), COERCED)
def test_text_is_converted_to_the_declared_type(schema: str, text: str, expected: str) -> None:
    for declared in (value_of(schema), field_of(value_of(schema))):
        assert dump_text(coerce(text, declared)) == dump_text(value_of(expected))


@pytest.mark.parametrize(
    ("schema", "text", "message"),
    [
        ('{"type": "integer"}', "1.5", 'n: expected an integer, got "1.5"'),
        ('{"type": "integer"}', "٣", 'n: expected an integer, got "٣"'),
        ('{"type": "integer"}', "007", 'n: expected an integer, got "007"'),
        ('{"type": "integer"}', "null", 'n: expected an integer, got "null"'),
        ('{"type": "integer"}', "", 'n: expected an integer, got ""'),
        ('{"type": "number"}', "NaN", 'n: expected a number, such as 0.5, got "NaN"'),
        ('{"type": "number"}', ".5", 'n: expected a number, such as 0.5, got ".5"'),
        ('{"type": "boolean"}', "maybe", 'n: expected true or false, got "maybe"'),
        ('{"enum": ["a", 1]}', "b", 'n: expected one of a, 1, got "b"'),
        ('{"type": "array", "items": {"type": "integer"}}', "1,x", 'n[1]: expected an integer, got "x"'),
        ('{"type": "array"}', "[1", "n: not JSON: Expecting ',' delimiter (line 1, column 3)"),
        ('{"type": "array", "items": {"type": "object"}}', "{}", 'n: expected a JSON list, got "{}"'),
        ('{"type": "object"}', "[]", 'n: expected a JSON object, got "[]"'),
        ('{"type": "object"}', "a", 'n: expected a JSON object, got "a"'),
        (
            '{"type": "object"}',
            "{a}",
            "n: not JSON: Expecting property name enclosed in double quotes (line 1, column 2)",
        ),
        ('{"type": "object"}', '{"a": {"b": 1, "b": 2}}', "n: names a key twice: b (at /a)"),
        ("{}", "[NaN]", "n: NaN is not a JSON number (at /0)"),
        (_TEXT_OR_LIST, "[a, b]", "n: not JSON: Expecting value (line 1, column 2)"),
        ('{"type": ["integer", "object"]}', "a", "n: not JSON: Expecting value (line 1, column 1)"),
        ('{"type": "integer"}', "x" * 70, f'n: expected an integer, got "{"x" * 60}…"'),
        ('{"type": "integer", "writeOnly": true}', "12 34", "n: expected an integer, got something else"),
        (
            '{"type": "array", "items": {"type": "integer", "x-sensitive": true}}',
            "1,secret",
            "n[1]: expected an integer, got something else",
        ),
    ],
)
def test_an_error_names_the_argument_the_expected_type_and_the_value(
    schema: str, text: str, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        coerce(text, value_of(schema), "n")
    assert caught.value.message == message


SCHEMA = value_of("""{
    "type": "object",
    "properties": {
        "pin": {"type": "string"},
        "count": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "rows": {"type": "array", "items": {"type": "object"}},
        "a.b": {"type": "integer"},
        "a": {"type": "object", "properties": {
            "b": {"type": "string"},
            "c": {"type": "object", "properties": {"d": {"type": "boolean"}}},
            "e.f": {"type": "integer"}
        }},
        "headers": {"type": "object"},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "object"}]},
        "number": {"type": ["integer", "boolean"]},
        "flag": {"type": ["boolean", "string"]},
        "maybe": {"type": ["integer", "null"]},
        "names": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        "anything": {}
    }
}""")


@pytest.mark.parametrize(
    ("assignments", "expected"),
    [
        ("pin=1234", '{"pin": "1234"}'),
        ("pin:=1234", '{"pin": 1234}'),
        ("pin=a=b:=c", '{"pin": "a=b:=c"}'),
        ("pin=", '{"pin": ""}'),
        ("count=5 maybe=null", '{"count": 5, "maybe": null}'),
        ('count:="five"', '{"count": "five"}'),
        ("tags=a", '{"tags": ["a"]}'),
        ("tags=a tags=b,c tags:=[4]", '{"tags": ["a", "b", "c", 4]}'),
        ('rows:={"x":1} rows:={"x":2}', '{"rows": [{"x": 1}, {"x": 2}]}'),
        ("a.b=1", '{"a.b": 1}'),
        ("a.c.d=yes a.e.f=2 a.new.key=3", '{"a": {"c": {"d": true}, "e.f": 2, "new.key": "3"}}'),
        ('a:={"b":"x"} a.c.d=0', '{"a": {"b": "x", "c": {"d": false}}}'),
        ("headers.X-Y=1 headers.a.b=2", '{"headers": {"X-Y": "1", "a.b": "2"}}'),
        ("either=5", '{"either": 5}'),
        ('either={"a":5}', '{"either": {"a": 5}}'),
        ("either.key=5", '{"either": {"key": "5"}}'),
        ('either="5"', '{"either": "5"}'),
        ("flag=true", '{"flag": true}'),
        ("flag=yes", '{"flag": "yes"}'),
        ("either=true", '{"either": "true"}'),
        ("number=5", '{"number": 5}'),
        ("names=a,b", '{"names": "a,b"}'),
        ("names=a names=b", '{"names": ["a", "b"]}'),
        ("anything=5 unknown=true", '{"anything": "5", "unknown": "true"}'),
        ("anything=[5]", '{"anything": [5]}'),
        ("un.known=1", '{"un.known": "1"}'),
        ("pin.x=1", '{"pin.x": "1"}'),
        ("a.=1", '{"a.": "1"}'),
        ("", "{}"),
    ],
)
def test_assignments_are_read_as_the_schema_declares(assignments: str, expected: str) -> None:
    assert dump_text(assigned(assignments.split(), SCHEMA)) == dump_text(value_of(expected))


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        ("pin", "not an argument: pin"),
        ("=1", "not an argument: =1"),
        (":=1", "not an argument: :=1"),
        ("count=x", 'count: expected an integer, got "x"'),
        ("a.c.d=x", 'a.c.d: expected true or false, got "x"'),
        ("number=x", "number: not JSON: Expecting value (line 1, column 1)"),
        ("pin=1 pin=2", "pin is given twice"),
        ("unknown=1 unknown=2", "unknown is given twice"),
        ("a:=1 a.b=2 a.c.d=1", "a.c.d: a was given a value that is not an object"),
        ('pin:={"a":1,"a":2}', "pin: names a key twice: a"),
        ("pin:=NaN", "pin: NaN is not a JSON number"),
        ("pin:=", "pin: not JSON: Expecting value (line 1, column 1)"),
    ],
)
def test_a_wrong_assignment_is_a_usage_error(assignments: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        assigned(assignments.split(), SCHEMA)
    assert caught.value.message == message


def test_assignments_need_no_schema() -> None:
    assert assigned(["a=1", "b:=2"], None) == {"a": "1", "b": 2}


@pytest.mark.parametrize("order", [("a", "a.b"), ("a.b", "a")])
def test_a_member_is_assigned_to_the_object_with_the_longer_name(order: tuple[str, str]) -> None:
    schema: Json = {"properties": {name: {"type": "object"} for name in order}}
    assert assigned(["a.b.c=1"], schema) == {"a.b": {"c": "1"}}


def test_arguments_as_json_are_kept_exactly() -> None:
    text = '{"b": 1.10, "a": [1e400, -0, 12345678901234567890123], "c": "\\u001b\\ud800"}'
    assert json.loads(dump_text(from_json(text))) == json.loads(text)
    assert dump_text(from_json(text)).startswith('{"b":1.10,"a":[1e400,-0,12345678901234567890123]')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON: Expecting value (line 1, column 1)"),
        ('{"a": 1,\n  "b" 2}', "not JSON: Expecting ':' delimiter (line 2, column 7)"),
        ("{} {}", "not JSON: Extra data (line 1, column 4)"),
        ("\ufeff\n[", "not JSON: Expecting value (line 2, column 2)"),
        ('{"a":' * 3000 + "\n x", "not JSON: expected a value (line 2, column 2)"),
        ("[]", "expected a JSON object, got a list"),
        ("null", "expected a JSON object, got null"),
        ("true", "expected a JSON object, got a boolean"),
        ("1", "expected a JSON object, got a number"),
        ('"{}"', "expected a JSON object, got a string"),
        ('{"a": 1, "a": 2}', "names a key twice: a"),
        ('{"x": [{"a": 1, "a": 2}]}', "names a key twice: a (at /x/0)"),
        ('{"x": [0, NaN]}', "NaN is not a JSON number (at /x/1)"),
        ('{"x": -Infinity}', "-Infinity is not a JSON number (at /x)"),
    ],
)
def test_a_text_that_is_not_a_json_object_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        from_json(text)
    assert caught.value.message == message


def test_arguments_may_have_three_thousand_levels() -> None:
    text = '{"a":' * 3000 + "1" + "}" * 3000
    assert dump_text(from_json(text)) == text


scalars = st.one_of(
    st.tuples(st.just("string"), st.text()),
    st.tuples(st.just("integer"), st.integers()),
    st.tuples(st.just("number"), st.floats(allow_nan=False, allow_infinity=False)),
    st.tuples(st.just("number"), st.sampled_from(["1.10", "1e400", "-0"]).map(Number)),
    st.tuples(st.just("boolean"), st.booleans()),
)


@given(scalars)
def test_a_plain_value_written_as_text_is_read_back(typed: tuple[str, Json]) -> None:
    name, value = typed
    text = value if isinstance(value, str) else dump_text(value)
    assert equal(coerce(text, {"type": name}), value)
    assert equal(coerce(text, {"enum": [value]}), value)


@given(st.lists(st.integers() | st.booleans() | st.none() | st.dictionaries(st.text(), st.text())))
def test_a_list_written_as_json_is_read_back(value: list[Json]) -> None:
    assert equal(coerce(dump_text(value), {"type": "array"}), value)


@given(st.text(), st.sampled_from([schema for schema, _, _ in COERCED]))
def test_any_text_is_converted_or_refused_as_a_usage_error(text: str, schema: str) -> None:
    with suppress(UsageError):
        coerce(text, value_of(schema), "name")
    with suppress(UsageError):
        assigned([f"a={text}", text], {"properties": {"a": value_of(schema)}})
    with suppress(UsageError):
        from_json(text)


@pytest.mark.parametrize(
    ("assignment", "hint"),
    [
        ("place=new_york", "Did you mean New York?"),
        ("place=Chicagoo", "Did you mean Chicago?"),
        ("place=London", ""),
        ("hidden=new_york", ""),
        ("tags=[a,b]", 'Write a, b or, as JSON, ["a", "b"].'),
        ("rows=[a,b]", "Write --arg 'rows:=[{\"id\": …}]'."),
        ("rows:=a", "Write --arg 'rows:=[{\"id\": …}]'."),
        ("grid=a", "Write --arg 'grid:=[…]'."),
        ("who=Ann", "Write --arg 'who:={\"name\": …}' or --arg who.name=VALUE."),
        ("who:={name}", "Write --arg 'who:={\"name\": …}' or --arg who.name=VALUE."),
        ("who.home=x", "Write --arg 'who.home:={\"key\": …}' or --arg who.home.key=VALUE."),
        ("text:=a", "A text after := needs double quotes, as in JSON; after = it needs none."),
    ],
)
def test_the_error_about_an_argument_has_the_nearest_fix(assignment: str, hint: str) -> None:
    schema = value_of("""{"type": "object", "properties": {
        "place": {"enum": ["New York", "Chicago", 5]}, "hidden": {"enum": ["New York"], "writeOnly": true},
        "tags": {"type": "array", "items": {"type": "string"}},
        "rows": {"type": "array", "items": {"type": "object", "required": ["id"]}}, "text": {"type": "string"},
        "grid": {"type": "array", "items": {"type": "array"}},
        "who": {"type": "object", "properties": {"nick": {}, "name": {}, "home": {"type": "object"}}, "required": ["name"]}
    }}""")
    with pytest.raises(UsageError) as caught:
        assigned([assignment], schema)
    assert caught.value.hint == hint


def test_missing_arguments_are_written_in_the_forms_of_their_types() -> None:
    schema = value_of("""{"type": "object", "properties": {
        "text": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}},
        "rows": {"type": "array", "items": {"type": "object", "required": ["id"]}},
        "either": {"type": ["integer", "object"]}, "free": {"type": "object"}, "1": {"type": "integer"},
        "a.b": {"type": "integer"}, "a": {"type": "object", "properties": {"b": {"type": "integer"}}},
        "who": {"type": "object", "required": ["name", "home"], "properties": {
            "nick": {}, "home": {"type": "object", "required": ["street", "flags"], "properties": {
                "flags": {"type": "object", "properties": {"x": {"type": "boolean"}}}}}
        }}
    }}""")

    def written(*path: str) -> list[str]:
        return list(assignments_for([path], schema))

    assert written("text") + written("tags") + written("1") == ["text=VALUE", "tags=VALUE", "1=VALUE"]
    assert written("rows") + written("either") + written("free") == ["rows:=[…]", "either:=JSON", "free:={…}"]
    assert written("undeclared") == ["undeclared=VALUE"]
    assert written("who") == ["who.home.flags:={…}", "who.home.street=VALUE", "who.name=VALUE"]
    assert written("who", "home", "street") == ["who.home.street=VALUE"]
    # No assignment sets a member of an item, and `a.b` is the argument of that name.
    assert written("rows", "0", "id") == written("a", "b") == written("undeclared", "id") == []
