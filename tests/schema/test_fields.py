import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.json.exact import DuplicateKeys, Json, JsonObject, JsonText, Number, equal, parse
from inspector.schema.fields import (
    MAX_DEPTH,
    MAX_FIELDS,
    Field,
    FieldKind,
    Form,
    example_arguments,
    field_of,
    form_of,
)

K = FieldKind


def value_of(text: str) -> Json:
    parsed = parse(text)
    assert isinstance(parsed, JsonText), parsed
    return parsed.value


def form(properties: JsonObject, **more: Json) -> Form:
    return form_of({"type": "object", "properties": properties, **more})


@pytest.mark.parametrize(
    ("schema", "kind", "nullable"),
    [
        ('{"type": "string"}', K.STRING, False),
        ('{"type": "integer"}', K.INTEGER, False),
        ('{"type": "number"}', K.NUMBER, False),
        ('{"type": ["integer", "number"]}', K.NUMBER, False),
        ('{"type": "boolean"}', K.BOOLEAN, False),
        ('{"type": "array"}', K.LIST, False),
        ('{"type": "object"}', K.OBJECT, False),
        ('{"type": ["string", "null"]}', K.STRING, True),
        ('{"anyOf": [{"type": "integer"}, {"type": "null"}]}', K.INTEGER, True),
        ('{"oneOf": [{"const": null}, {"type": "object", "properties": {"a": {}}}]}', K.OBJECT, True),
        ('{"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]}', K.CHOICE, True),
        ('{"enum": ["a", null]}', K.CHOICE, True),
        ('{"enum": ["a", 1]}', K.CHOICE, False),
        ('{"type": "string", "enum": ["a"]}', K.CHOICE, False),
        ('{"const": 1}', K.CHOICE, False),
        ('{"oneOf": [{"const": "a"}, {"enum": ["b"]}]}', K.CHOICE, False),
        ('{"type": "string", "anyOf": [{"const": "a"}, {"const": "b"}]}', K.CHOICE, False),
        ('{"anyOf": [{"const": "a"}, {"type": "string"}]}', K.JSON, False),
        ('{"anyOf": [{"type": "string"}, {"type": "integer"}]}', K.JSON, False),
        ('{"type": ["string", "integer"]}', K.JSON, False),
        ('{"type": "string", "anyOf": [{"minLength": 3}, {"pattern": "x"}]}', K.STRING, False),
        ('{"type": "array", "prefixItems": [{"type": "string"}]}', K.JSON, False),
        ('{"type": "array", "items": [{"type": "string"}]}', K.JSON, False),
        ('{"type": "null"}', K.JSON, True),
        ('{"type": "text"}', K.JSON, False),
        ('{"type": 7}', K.JSON, False),
        ('{"enum": []}', K.JSON, False),
        ('{"enum": "a"}', K.JSON, False),
        ('{"properties": {"a": {"type": "string"}}}', K.JSON, False),
        ("{}", K.JSON, False),
        ("true", K.JSON, False),
        ("false", K.JSON, False),
        ("null", K.JSON, False),
        ('"string"', K.JSON, False),
        ('{"type": "string", "type": "integer"}', K.JSON, False),
        ('{"$ref": "#/nowhere"}', K.JSON, False),
        ('{"$ref": "https://example.org/schema"}', K.JSON, False),
        ('{"allOf": [{"type": "number"}, {"type": "integer"}]}', K.INTEGER, False),
        ('{"allOf": [{"type": "integer"}, {"type": ["number", "string"]}]}', K.INTEGER, False),
        ('{"allOf": [{"type": "string"}, {"type": "integer"}]}', K.JSON, False),
        ('{"allOf": "string", "type": "string"}', K.STRING, False),
    ],
)
def test_the_kind_of_a_field_follows_from_its_schema(schema: str, kind: FieldKind, *, nullable: bool) -> None:
    field = field_of(value_of(schema))
    assert (field.kind, field.nullable) == (kind, nullable)


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ('{"type": ["string", "null"]}', ("string", "null")),
        ('{"anyOf": [{"type": "string"}, {"type": ["integer", "null"]}]}', ("string", "integer", "null")),
        ('{"anyOf": [{"type": "string"}, {"minimum": 1}]}', ()),
        ('{"anyOf": [{"type": "string"}, {"type": "nothing"}]}', ()),
        ("{}", ()),
    ],
)
def test_a_field_knows_the_types_that_are_allowed(schema: str, types: tuple[str, ...]) -> None:
    assert field_of(value_of(schema)).types == types


@pytest.mark.parametrize(
    ("schema", "choices", "titles"),
    [
        ('{"enum": ["a", 1.50, null]}', ["a", Number("1.50"), None], ()),
        ('{"enum": ["a", "b"], "enumNames": ["A", "B"]}', ["a", "b"], ("A", "B")),
        ('{"enum": ["a", "b"], "enumNames": ["A"]}', ["a", "b"], ()),
        ('{"oneOf": [{"const": 1, "title": "one"}, {"const": 2}]}', [1, 2], ("one", "")),
        ('{"anyOf": [{"const": "a"}, {"const": "b"}, {"type": "null"}]}', ["a", "b", None], ()),
        ('{"const": {"a": [1]}}', [{"a": [1]}], ()),
    ],
)
def test_closed_sets_keep_their_values_and_titles(
    schema: str, choices: Json, titles: tuple[str, ...]
) -> None:
    field = field_of(value_of(schema))
    assert equal(list(field.choices), choices)
    assert field.choice_titles == titles


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ('{"minimum": 1, "maximum": 10, "multipleOf": 2}', "1 to 10, a multiple of 2"),
        ('{"minimum": 0.50}', "at least 0.50"),
        ('{"exclusiveMinimum": 0, "maximum": 1e400}', "more than 0, at most 1e400"),
        ('{"exclusiveMaximum": 5}', "less than 5"),
        ('{"minLength": 3}', "at least 3 characters"),
        ('{"minLength": 1}', "at least 1 character"),
        ('{"maxLength": 5}', "at most 5 characters"),
        ('{"minLength": 2, "maxLength": 5}', "2 to 5 characters"),
        ('{"minLength": 4, "maxLength": 4}', "4 characters"),
        ('{"minItems": 1, "maxItems": 1, "uniqueItems": true}', "1 item, all different"),
        ('{"maxProperties": 2}', "at most 2 members"),
        ('{"pattern": "^a"}', "matches ^a"),
        ('{"pattern": "' + "a" * 61 + '"}', "matches " + "a" * 60 + "…"),
        ('{"contentEncoding": "base64"}', "encoded as base64"),
        ('{"minimum": true, "minLength": "3", "maximum": NaN, "pattern": 1, "multipleOf": []}', ""),
        ('{"allOf": [{"minimum": 1}, {"minimum": 3, "maximum": 9}, {"maximum": 7}]}', "3 to 7"),
        ('{"$ref": "#/nowhere"}', "its schema refers to a schema that is not in the definition"),
        ('{"$ref": "#"}', ""),
        (
            '{"$defs": {"a": {"minLength": 2}}, "allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}',
            "at least 2 characters",
        ),
        ('{"a": 1, "a": 2}', "its schema names a key twice"),
        ("false", "its schema allows no value"),
    ],
)
def test_constraints_are_described_in_words(schema: str, words: str) -> None:
    assert field_of(value_of(schema)).constraints == words


def test_a_form_has_a_field_for_every_property_in_order() -> None:
    shown = form(
        {
            "zoom": {"type": "integer", "title": "Zoom", "default": 3, "examples": [1, 2]},
            "a/b": {"type": "string", "description": "Where", "format": "uri"},
        },
        required=["a/b", "other", 7, "other"],
        additionalProperties=False,
    )
    zoom, where, other = shown.fields
    assert (zoom.name, zoom.pointer, zoom.kind, zoom.title) == ("zoom", "/zoom", K.INTEGER, "Zoom")
    assert (zoom.has_default, zoom.default, zoom.required, zoom.examples) == (True, 3, False, (1, 2))
    assert (where.pointer, where.description, where.format) == ("/a~1b", "Where", "uri")
    assert (where.required, where.has_default) == (True, False)
    assert (other.name, other.kind, other.required) == ("other", K.JSON, True)
    assert (shown.open, shown.problem) == (False, "")


def test_lists_and_objects_have_nested_fields() -> None:
    shown = form(
        {
            "rows": {
                "type": "array",
                "items": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
            }
        }
    )
    rows = shown.fields[0]
    assert rows.kind is K.LIST
    assert rows.item is not None
    assert (rows.item.kind, rows.item.pointer, rows.item.name) == (K.OBJECT, "/rows/-", "")
    inner = rows.item.fields[0]
    assert (inner.kind, inner.pointer, inner.required) == (K.INTEGER, "/rows/-/id", True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("null", "the tool has no input schema"),
        ("[]", "the input schema is neither an object nor a boolean"),
        ("false", "the input schema allows no value"),
        ('{"type": "string"}', "the input schema does not describe an object"),
        ('{"a": 1, "a": 2}', "the input schema names a key twice"),
        ('{"properties": []}', "`properties` is not an object"),
        ('{"properties": {"a": {}, "a": {}}}', "`properties` has a duplicate key"),
        (
            '{"type": "object", "anyOf": [{"required": ["a"]}]}',
            "the schema has conditions that a form cannot show",
        ),
        ('{"$ref": "#/nowhere"}', "the input schema refers to a schema that is not in the definition"),
        ('{"type": "object"}', ""),
        ("{}", ""),
        ("true", ""),
    ],
)
def test_a_schema_that_a_form_cannot_show_is_explained(text: str, problem: str) -> None:
    shown = form_of(value_of(text))
    assert shown.problem == problem
    assert shown.fields == ()


def test_references_and_all_of_are_merged() -> None:
    shown = form_of(
        {
            "$defs": {
                "name": {"type": "string", "title": "Name", "minLength": 2},
                "named": {"properties": {"name": {"$ref": "#/$defs/name"}}, "required": ["name"]},
                "anchored": {"$anchor": "age", "type": "integer"},
            },
            "type": "object",
            "allOf": [{"$ref": "#/$defs/named"}, {"properties": {"name": {"maxLength": 9}}}],
            "properties": {"name": {"title": "First name"}, "age": {"$ref": "#age"}},
        }
    )
    name, age = shown.fields
    assert (name.title, name.kind, name.constraints, name.required) == (
        "First name",
        K.STRING,
        "2 to 9 characters",
        True,
    )
    assert age.kind is K.INTEGER


def test_required_and_closed_in_all_of_apply_to_the_form() -> None:
    shown = form_of(
        {
            "properties": {"a": {}, "b": {}},
            "required": ["a"],
            "additionalProperties": True,
            "allOf": [{"required": ["b"]}, {"additionalProperties": False}],
        }
    )
    assert [field.required for field in shown.fields] == [True, True]
    assert shown.open is False
    assert form_of({"unevaluatedProperties": False}).open is False


def test_a_reference_into_another_schema_resource_is_not_followed() -> None:
    inner: Json = {"$id": "https://example.org/other", "$defs": {"x": {"type": "integer"}}}
    field = field_of({"$defs": {"other": inner}, "$ref": "#/$defs/other/$defs/x"})
    assert (field.kind, field.constraints) == (
        K.JSON,
        "its schema refers to a schema that is not in the definition",
    )


def test_a_recursive_schema_ends_as_a_json_field() -> None:
    shown = form_of(
        {
            "$defs": {
                "tree": {
                    "type": "object",
                    "properties": {
                        "label": {"type": "string"},
                        "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
                    },
                }
            },
            "properties": {"tree": {"$ref": "#/$defs/tree"}, "again": {"$ref": "#/$defs/tree"}},
        }
    )
    for tree in shown.fields:
        label, children = tree.fields
        assert (label.kind, children.kind) == (K.STRING, K.LIST)
        assert children.item is not None
        assert (children.item.kind, children.item.constraints) == (K.JSON, "its schema refers to itself")


def test_a_schema_that_is_too_deep_or_too_wide_is_left_to_json() -> None:
    deep: Json = {"type": "string"}
    for _ in range(3000):
        deep = {"type": "object", "properties": {"a": deep}}
    field, depth = form_of(deep).fields[0], 1
    while field.fields:
        field, depth = field.fields[0], depth + 1
    assert (field.kind, depth) == (K.OBJECT, MAX_DEPTH + 1)

    nested: Json = {"type": "string"}
    for _ in range(3000):
        nested = {"type": "array", "items": nested}
    field, depth = form({"a": nested}).fields[0], 0
    while field.item:
        field, depth = field.item, depth + 1
    assert (field.kind, depth) == (K.LIST, MAX_DEPTH)

    wide = form({f"p{index}": {"type": "string"} for index in range(MAX_FIELDS + 5)})
    assert (len(wide.fields), wide.problem) == (MAX_FIELDS, f"only the first {MAX_FIELDS} fields are shown")


def test_a_schema_that_doubles_at_every_step_is_cut_off() -> None:
    definitions: JsonObject = {
        f"d{index}": {
            "type": "object",
            "properties": {side: {"$ref": f"#/$defs/d{index + 1}"} for side in "lmnopqr"},
        }
        for index in range(30)
    }
    schema: Json = {"$defs": definitions, "properties": {"a": {"$ref": "#/$defs/d0"}}}
    assert form_of(schema).problem == f"only the first {MAX_FIELDS} fields are shown"
    twin: Json = {"$ref": "#/$defs/d1"}
    parts: JsonObject = {f"d{index}": {"allOf": [twin, twin, {"minLength": index}]} for index in range(200)}
    every_part: list[Json] = [{"$ref": f"#/$defs/d{index}"} for index in range(200)]
    field = field_of({"$defs": parts, "type": "string", "allOf": every_part})
    assert (field.kind, field.constraints) == (K.JSON, "its schema has too many parts for a form")


@pytest.mark.parametrize(
    ("schema", "sensitive"),
    [
        ('{"type": "string", "x-sensitive": true}', True),
        ('{"type": "string", "x-sensitive": "yes"}', True),
        ('{"type": "string", "xSensitive": true}', True),
        ('{"type": "string", "x_sensitive": 1}', True),
        ('{"type": "string", "x-sensitive": false}', False),
        ('{"type": "string", "writeOnly": true}', True),
        ('{"type": "string", "writeOnly": false}', False),
        ('{"type": "string", "format": "password"}', True),
        ('{"type": "string"}', False),
        ('{"anyOf": [{"type": "string", "x-sensitive": true}, {"type": "integer"}]}', True),
        ('{"anyOf": [{"type": "string", "format": "password"}, {"type": "integer"}]}', True),
        ('{"allOf": [{"x-sensitive": false}, {"x-sensitive": true}]}', True),
        ('{"type": "array", "items": {"type": "string", "x-sensitive": true}}', True),
        ('{"type": "array", "items": {"type": "string", "writeOnly": true}}', True),
        ('{"type": "object", "additionalProperties": {"x-sensitive": true}}', True),
        ('{"properties": {"a": {"x-sensitive": true}}}', True),
        ('{"type": "object", "properties": {"x-sensitive": {"type": "string"}}}', False),
        ('{"$ref": "https://example.org/secret"}', True),
        ('{"x-sensitive": false, "x-sensitive": true}', True),
    ],
)
def test_sensitive_fields_are_recognised_in_every_spelling(schema: str, *, sensitive: bool) -> None:
    assert form({"value": value_of(schema)}).fields[0].sensitive is sensitive


def test_the_fields_of_a_sensitive_object_are_sensitive() -> None:
    account: Json = {"type": "object", "x-sensitive": True, "properties": {"pin": {"type": "string"}}}
    holder: Json = {
        "type": "object",
        "properties": {"pin": {"type": "string", "writeOnly": True}, "city": {"type": "string"}},
    }
    first, second = form({"account": account, "holder": holder}).fields
    assert [first.sensitive, first.fields[0].sensitive] == [True, True]
    assert [second.sensitive, *(field.sensitive for field in second.fields)] == [False, True, False]


def test_example_arguments_have_defaults_and_simple_required_values() -> None:
    properties = value_of("""{
        "defaulted": {"type": "integer", "default": 7},
        "optional": {"type": "string"},
        "text": {"type": "string"},
        "sample": {"type": "string", "examples": ["like this", "or this"]},
        "count": {"type": "integer", "minimum": 3, "multipleOf": 5},
        "negative": {"type": "integer", "exclusiveMaximum": -2, "multipleOf": 4},
        "above": {"type": "integer", "exclusiveMinimum": 1e400},
        "ratio": {"type": "number", "minimum": 0.50},
        "below": {"type": "number", "maximum": -0.5},
        "flag": {"type": "boolean"},
        "colour": {"enum": ["red", "blue"]},
        "maybe": {"type": ["string", "null"], "minLength": 3},
        "tags": {"type": "array", "items": {"type": "string"}},
        "free": {"type": "object"},
        "either": {"type": ["object", "array"]},
        "any": {},
        "place": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"},
                  "z": {"default": 1}}, "required": ["x"]},
        "twice": {"type": "string", "default": {"a": 1, "a": 2}}
    }""")
    assert isinstance(properties, dict)
    required: list[Json] = [name for name in properties if name != "optional"]
    expected = value_of("""{
        "defaulted": 7, "text": "", "sample": "like this", "count": 5, "negative": -4, "above": 0,
        "ratio": 0.50, "below": -0.5, "flag": false, "colour": "red", "maybe": null, "tags": [], "free": {},
        "either": {}, "any": null, "place": {"x": 0, "z": 1}, "twice": ""
    }""")
    assert isinstance(expected, dict)
    found = example_arguments(form(properties, required=required))
    assert [name for name in found if not equal(found[name], expected[name])] == []
    assert list(found) == required


WORDS = [
    "type",
    "properties",
    "required",
    "items",
    "prefixItems",
    "anyOf",
    "oneOf",
    "allOf",
    "enum",
    "const",
    "$ref",
    "$defs",
    "title",
    "default",
    "examples",
    "minimum",
    "maximum",
    "multipleOf",
    "minLength",
    "additionalProperties",
    "x-sensitive",
    "string",
    "object",
    "integer",
    "array",
    "null",
    "#",
    "#/$defs/a",
    "#/properties/a",
    "a",
]
garbage = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(WORDS)
    | st.sampled_from(["NaN", "1e999", "0.10", "-0"]).map(Number),
    lambda children: (
        st.lists(children, max_size=4)
        | st.dictionaries(st.sampled_from(WORDS), children, max_size=5)
        | st.lists(st.tuples(st.sampled_from(WORDS), children), min_size=2, max_size=3).map(
            lambda pairs: DuplicateKeys((*pairs, pairs[0]))
        )
    ),
    max_leaves=25,
)


def every(fields: tuple[Field, ...]) -> list[Field]:
    found: list[Field] = []
    for field in fields:
        found += [field, *every(field.fields), *every((field.item,) if field.item else ())]
    return found


@given(garbage)
def test_no_schema_makes_a_form_raise(schema: Json) -> None:
    shown = form_of(schema)
    example_arguments(shown)
    for field in every(shown.fields):
        assert field.kind in FieldKind
        assert not field.choice_titles or len(field.choice_titles) == len(field.choices)
        assert bool(field.choices) == (field.kind is K.CHOICE) or field.kind is K.JSON
    field_of(schema, "name")
