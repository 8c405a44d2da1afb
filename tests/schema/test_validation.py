from typing import Protocol, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator, Draft201909Validator, Draft202012Validator

from inspector.json.exact import DuplicateKeys, Json, JsonObject, JsonText, Number, dump_text, parse
from inspector.json.pointer import resolve
from inspector.safe_text import safe_line
from inspector.schema.validation import Violation, faults_of, schema_check, violations

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"


def value_of(text: str) -> Json:
    parsed = parse(text)
    assert isinstance(parsed, JsonText), parsed
    return parsed.value


def found(value: str, schema: str) -> list[str]:
    """`pointer message schema_pointer` of each violation."""
    return [
        " ".join(part for part in (each.pointer, each.message, each.schema_pointer) if part)
        for each in violations(value_of(value), value_of(schema))
    ]


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ('{"type": "string"}', "12", "must be a string, is 12 /type"),
        ('{"type": ["string", "null"]}', "true", "must be a string or null, is true /type"),
        ('{"type": "integer"}', "1.5", "must be an integer, is 1.5 /type"),
        ('{"type": "object"}', "[1]", "must be an object, is an array /type"),
        ('{"type": "array"}', '{"a": 1}', "must be an array, is an object /type"),
        ('{"type": "boolean"}', '"yes"', 'must be true or false, is "yes" /type'),
        ('{"type": "number"}', "null", "must be a number, is null /type"),
        ('{"enum": ["a", 1]}', '"b"', 'must be one of "a", 1, is "b" /enum'),
        ('{"enum": [1]}', "true", "must be 1, is true /enum"),
        ('{"const": {"a": [1]}}', '{"a": [2]}', 'must be {"a":[1]}, is an object /const'),
        ('{"minimum": 1}', "0", "must be at least 1, is 0 /minimum"),
        ('{"maximum": 1.50}', "2", "must be at most 1.5, is 2 /maximum"),
        ('{"exclusiveMinimum": 1}', "1.0", "must be more than 1, is 1.0 /exclusiveMinimum"),
        ('{"exclusiveMaximum": 1}', "1", "must be less than 1, is 1 /exclusiveMaximum"),
        ('{"multipleOf": 3}', "4", "must be a multiple of 3, is 4 /multipleOf"),
        ('{"minLength": 1}', '""', "must be at least 1 character, has 0 /minLength"),
        ('{"maxLength": 2}', '"🎉🎉🎉"', "must be at most 2 characters, has 3 /maxLength"),
        ('{"minItems": 2}', "[]", "must have at least 2 items, has 0 /minItems"),
        ('{"maxItems": 0}', "[1]", "must have at most 0 items, has 1 /maxItems"),
        ('{"minProperties": 1}', "{}", "must have at least 1 member, has 0 /minProperties"),
        ('{"maxProperties": 0}', '{"a": 1}', "must have at most 0 members, has 1 /maxProperties"),
        (
            '{"uniqueItems": true}',
            '[1, {"a": 2}, 1.0]',
            "must not have two equal items; 0 and 2 are /uniqueItems",
        ),
        ('{"pattern": "^a"}', '"ba"', 'must match ^a, is "ba" /pattern'),
        ('{"pattern": "^(?=.*[0-9])a"}', '"ab"', 'must match ^(?=.*[0-9])a, is "ab" /pattern'),
        ('{"required": ["a"]}', "{}", "/a is missing /required"),
        (
            '{"dependentRequired": {"a": ["b"]}}',
            '{"a": 1}',
            "/b is missing /dependentRequired",
        ),
        ('{"properties": {"a": {"type": "null"}}}', '{"a": 1}', "/a must be null, is 1 /properties/a/type"),
        ('{"properties": {"a/b": false}}', '{"a/b": 1}', "/a~1b is not allowed here /properties/a~1b"),
        (
            '{"patternProperties": {"^x": {"type": "null"}}}',
            '{"ax": 1, "xa": 1}',
            "/xa must be null, is 1 /patternProperties/^x/type",
        ),
        (
            '{"properties": {"a": {}}, "patternProperties": {"^x": {}}, "additionalProperties": false}',
            '{"a": 1, "x1": 2, "b": 3}',
            "/b is not a member that the schema allows /additionalProperties",
        ),
        (
            '{"additionalProperties": {"type": "null"}}',
            '{"b": 3}',
            "/b must be null, is 3 /additionalProperties/type",
        ),
        (
            '{"propertyNames": {"maxLength": 1}}',
            '{"ab": 1}',
            'the key "ab" must be at most 1 character, has 2 /propertyNames/maxLength',
        ),
        ('{"items": {"type": "null"}}', "[null, 1]", "/1 must be null, is 1 /items/type"),
        ('{"prefixItems": [{}], "items": false}', "[1, 2]", "/1 is not allowed here /items"),
        ('{"contains": {"type": "null"}}', "[1]", "has no item that matches `contains` /contains"),
        (
            '{"contains": {"type": "null"}, "minContains": 2}',
            "[null]",
            "has fewer items that match `contains` than `minContains` requires /minContains",
        ),
        (
            '{"contains": {"type": "null"}, "maxContains": 1}',
            "[null, null]",
            "has more items that match `contains` than `maxContains` allows /maxContains",
        ),
        ('{"allOf": [{"type": "null"}]}', "1", "must be null, is 1 /allOf/0/type"),
        (
            '{"anyOf": [{"type": "null"}, {"properties": {"a": {"type": "null"}}}]}',
            '{"a": 1}',
            "/a must be null, is 1 /anyOf/1/properties/a/type",
        ),
        (
            '{"oneOf": [{"type": "null"}, {"type": "string"}]}',
            "1",
            "must be a string or null, is 1 /oneOf",
        ),
        ('{"oneOf": [{}, {}]}', "1", "must fit exactly one of the alternatives, fits several /oneOf"),
        ('{"not": {"type": "integer"}}', "1", "must not fit the schema under `not` /not"),
        ('{"if": {"minimum": 1}, "then": {"maximum": 5}}', "6", "must be at most 5, is 6 /then/maximum"),
        ('{"if": {"minimum": 1}, "else": {"maximum": -5}}', "0", "must be at most -5, is 0 /else/maximum"),
        (
            '{"dependentSchemas": {"a": {"required": ["b"]}}}',
            '{"a": 1}',
            "/b is missing /dependentSchemas/a/required",
        ),
        (
            '{"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false}',
            '{"a": 1, "b": 2}',
            "/b is not a member that the schema allows /unevaluatedProperties",
        ),
        (
            (
                '{"if": {"required": ["z"]}, "then": {"properties": {"a": {}}}, "else": {"properties": {"b": {}}},'
                ' "unevaluatedProperties": false}'
            ),
            '{"a": 1, "b": 2}',
            "/a is not a member that the schema allows /unevaluatedProperties",
        ),
        (
            (
                '{"anyOf": [{"properties": {"a": {"type": "null"}}}, {"properties": {"b": {}}}],'
                ' "unevaluatedProperties": false}'
            ),
            '{"a": 1, "b": 2}',
            "/a is not a member that the schema allows /unevaluatedProperties",
        ),
        (
            '{"$ref": "#/$defs/a", "$defs": {"a": {"patternProperties": {"^a": {}}}}, "unevaluatedProperties": false}',
            '{"a": 1, "b": 2}',
            "/b is not a member that the schema allows /unevaluatedProperties",
        ),
        (
            '{"prefixItems": [{}], "unevaluatedItems": {"type": "null"}}',
            "[1, 2]",
            "has items that the schema does not allow /unevaluatedItems",
        ),
        (
            '{"$defs": {"a/%41": {"type": "null"}}, "properties": {"x": {"$ref": "#/$defs/a~1%2541"}}}',
            '{"x": 1}',
            "/x must be null, is 1 /$defs/a~1%41/type",
        ),
        (
            '{"$defs": {"a": {"$anchor": "here", "type": "null"}}, "items": {"$ref": "#here"}}',
            "[1]",
            "/0 must be null, is 1 /$defs/a/type",
        ),
        (
            '{"$defs": {"a": {"$dynamicAnchor": "here", "type": "null"}}, "items": {"$dynamicRef": "#here"}}',
            "[1]",
            "/0 must be null, is 1 /$defs/a/type",
        ),
        (
            '{"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}',
            '"tomorrow"',
            'must be a date (YYYY-MM-DD) or null, is "tomorrow" /anyOf',
        ),
        (
            (
                '{"oneOf": [{"properties": {"kind": {"const": "a"}, "x": {"type": "null"}}},'
                ' {"properties": {"kind": {"const": "b"}}, "required": ["y", "z"], "maxProperties": 1}]}'
            ),
            '{"kind": "a", "x": 1}',
            "/x must be null, is 1 /oneOf/0/properties/x/type",
        ),
        (
            '{"additionalProperties": false}',
            '{"a": 1}',
            "/a is not a member that the schema allows /additionalProperties",
        ),
        ("false", "1", "is not allowed here"),
    ],
)
def test_each_keyword_has_a_plain_message(schema: str, value: str, expected: str) -> None:
    assert found(value, schema) == [expected]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ('{"type": "integer"}', "1.0"),
        ('{"type": "integer"}', "1e400"),
        ('{"type": "integer"}', "9" * 4000),
        ('{"type": "number"}', "1"),
        ('{"enum": [1.0, {"a": 1, "b": 2}]}', '{"b": 2.0, "a": 1}'),
        ('{"const": 1.10}', "1.1"),
        ('{"multipleOf": 0.01}', "1.10"),
        ('{"multipleOf": 0.1}', "1e400"),
        ('{"minLength": 2, "maxLength": 2}', '"ab"'),
        ('{"pattern": "a$"}', '"ba"'),
        ('{"uniqueItems": true}', '[1, true, "1", null]'),
        ('{"minimum": 1}', '"text"'),
        ('{"required": ["a"]}', "[]"),
        ('{"anyOf": [{"type": "null"}, {}]}', "1"),
        ('{"if": {"minimum": 1}}', "0"),
        ('{"$ref": "https://json-schema.org/draft/2020-12/schema"}', '{"type": "string"}'),
        ('{"format": "nonsense"}', '"x"'),
        ('{"allOf": [{"unevaluatedProperties": true}], "unevaluatedProperties": false}', '{"a": 1}'),
        ('{"allOf": [{"additionalProperties": {}}], "unevaluatedProperties": false}', '{"a": 1}'),
        ('{"allOf": [{"unevaluatedItems": true}], "unevaluatedItems": false}', "[1]"),
        ('{"contains": {"type": "null"}, "unevaluatedItems": false}', "[null]"),
        (
            '{"dependentSchemas": {"a": {"properties": {"a": {}}}}, "unevaluatedProperties": false}',
            '{"a": 1}',
        ),
        ('{"$comment": "x", "title": "x", "x-anything": 1}', "1"),
        ("true", "1"),
        ("{}", "1"),
    ],
)
def test_a_value_that_fits_has_no_violations(schema: str, value: str) -> None:
    assert found(value, schema) == []


@pytest.mark.parametrize(
    ("dialect", "schema", "value", "expected"),
    [
        (DRAFT_7, '"items": [{"type": "null"}], "additionalItems": false', "[1, 2]", 2),
        (DRAFT_2019, '"items": [{"type": "null"}], "additionalItems": false', "[1, 2]", 2),
        (DRAFT_2020, '"prefixItems": [{"type": "null"}], "items": false', "[1, 2]", 2),
        (DRAFT_7, '"prefixItems": [{"type": "null"}]', "[1]", 0),
        (DRAFT_7, '"dependencies": {"a": ["b"], "c": {"required": ["d"]}}', '{"a": 1, "c": 1}', 2),
        (DRAFT_2020, '"dependencies": {"a": ["b"]}', '{"a": 1}', 1),
        (DRAFT_7, '"definitions": {"a": {}}, "$ref": "#/definitions/a", "type": "null"', "1", 0),
        (DRAFT_2019, '"$defs": {"a": {}}, "$ref": "#/$defs/a", "type": "null"', "1", 1),
        (DRAFT_2019, '"properties": {"a": {"$recursiveRef": "#"}}, "required": ["a"]', '{"a": {}}', 1),
        (DRAFT_2019, '"unevaluatedProperties": false', '{"a": 1}', 1),
        (DRAFT_2019, '"items": [{}], "unevaluatedItems": false', "[1, 2]", 1),
        (DRAFT_7, '"unevaluatedProperties": false', '{"a": 1}', 0),
        ("http://json-schema.org/draft-06/schema#", '"contains": {"type": "null"}', "[1]", 1),
        ("http://json-schema.org/draft-04/schema#", '"minimum": 1, "exclusiveMinimum": true', "1", 1),
        ("http://json-schema.org/draft-04/schema#", '"type": "integer"', "1.0", 1),
        ("https://json-schema.org/draft-07/schema", '"const": 1', "2", 1),
    ],
)
def test_the_meaning_of_a_keyword_depends_on_the_dialect(
    dialect: str, schema: str, value: str, expected: int
) -> None:
    assert len(found(value, f'{{"$schema": "{dialect}", {schema}}}')) == expected


FORMATS = {
    "date": ("2026-02-28", "2026-02-30"),
    "date-time": ("2026-02-28T12:00:00Z", "2026-02-28"),
    "email": ("a@example.org", "a at example"),
    "uri": ("https://example.org/a?b", "not a uri"),
    "ipv4": ("127.0.0.1", "127.0.0.256"),
    "ipv6": ("::1", "::g"),
    "uuid": ("2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_common_formats_are_checked(name: str) -> None:
    good, bad = FORMATS[name]
    assert violations(good, {"format": name}) == ()
    assert [each.keyword for each in violations(bad, {"format": name})] == ["format"]
    assert [each.keyword for each in violations("\ud800", {"format": name})] == ["format"]
    assert violations(1, {"format": name}) == ()


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ('{"type": "text"}', "the schema is broken at /type: "),
        (
            '{"properties": {"a": {"pattern": 1}}}',
            "the schema is broken at /properties/a/pattern: must be a string",
        ),
        (
            '{"$schema": "http://json-schema.org/draft-07/schema#", "required": "a"}',
            "the schema is broken at /required: ",
        ),
        ("[]", "the schema is broken: it is neither an object nor a boolean"),
        ('"string"', "the schema is broken: it is neither an object nor a boolean"),
        ('{"a": {"b": 1, "b": 2}}', "the schema is broken at /a: names a key twice: b"),
        ('{"minimum": NaN}', "the schema is broken at /minimum: NaN is not a JSON number"),
        (
            '{"$schema": "https://example.org/own"}',
            "the schema is broken at /$schema: its dialect is not known: https",
        ),
        ('{"$schema": 7}', "the schema is broken at /$schema: its dialect is not known: something that"),
        (
            '{"$schema": "http://json-schema.org/draft-03/schema#"}',
            "the schema is broken at /$schema: its dialect",
        ),
        ('{"properties":' * 3000 + "{}" + "}" * 3000, "the schema is broken: it nests too deeply"),
    ],
)
def test_a_broken_schema_is_one_violation(schema: str, message: str) -> None:
    (violation,) = violations(value_of('{"a": [1]}'), value_of(schema))
    assert violation.message.startswith(message)
    assert (violation.pointer, violation.schema_pointer, violation.keyword) == ("", "", "")


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        (
            '{"$ref": "https://example.org/a"}',
            "1",
            "cannot be checked: the schema refers to https://example.org/a, which it does not contain",
        ),
        (
            '{"$ref": "#/nowhere"}',
            "1",
            "cannot be checked: the schema refers to #/nowhere, which it does not contain",
        ),
        (
            '{"$ref": "#nowhere"}',
            "1",
            "cannot be checked: the schema refers to #nowhere, which it does not contain",
        ),
        (
            '{"$ref": "#/required/a", "required": ["x"]}',
            "1",
            "cannot be checked: the schema refers to #/required/a, which it does not contain",
        ),
        (
            '{"$ref": "#/x", "x": {"pattern": 1}}',
            '"a"',
            "the schema is broken at /x/pattern: must be a string, is 1",
        ),
        (
            '{"$ref": "#/x", "x": 7}',
            "1",
            "the schema is broken at /x: must be true or false or an object, is 7",
        ),
        (
            '{"items": {"$ref": "#"}}',
            "[" * 3000 + "]" * 3000,
            "cannot be checked: it nests deeper than 400 levels",
        ),
        ('{"$ref": "#/nowhere", "not": {"$ref": "https://[", "pattern": "("}}', '"a"', "cannot be checked: "),
        ('{"pattern": "("}', '"a"', "cannot be checked: the pattern ( cannot be matched safely"),
        (
            '{"pattern": "(?=a)(a+)+$"}',
            f'"{"a" * 20001}"',
            "cannot be checked: the pattern (?=a)(a+)+$ cannot be matched safely",
        ),
        (
            '{"pattern": "(?!y)(.*.*.*.*)\\\\1q"}',
            f'"{"ab" * 400}"',
            "cannot be checked: the pattern takes too many steps",
        ),
        (
            '{"pattern": "((a{100}){100}){100}"}',
            '"a"',
            "cannot be checked: the pattern ((a{100}){100}){100} cannot be matched",
        ),
        (
            '{"patternProperties": {"(": true}}',
            '{"a": 1}',
            "cannot be checked: the pattern ( cannot be matched safely",
        ),
        ('{"maximum": 1}', "1." + "1" * 5000, "cannot be checked: the number has too many digits"),
        ('{"multipleOf": 2}', "1" * 5000, "cannot be checked: the number has too many digits"),
    ],
)
def test_a_value_that_cannot_be_checked_is_a_violation(schema: str, value: str, message: str) -> None:
    violation = violations(value_of(value), value_of(schema))[0]
    assert violation.message.startswith(message)
    assert violation.is_unchecked


def doubling(leaf: Json, steps: int = 60) -> JsonObject:
    definitions: JsonObject = {f"d{steps}": leaf}
    for index in range(steps):
        both: Json = {"$ref": f"#/$defs/d{index + 1}"}
        definitions[f"d{index}"] = {"allOf": [both, both]}
    return {"$defs": definitions, "$ref": "#/$defs/d0"}


def times(item: Json, count: int) -> list[Json]:
    return [item] * count


HOSTILE: list[tuple[Json, Json]] = [
    ({"pattern": "^(a+)+$"}, "a" * 100_000 + "b"),
    ({"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}, {"a" * 50 + "b": 1}),
    ({"patternProperties": {"^(a+)+$": {}}, "unevaluatedProperties": False}, {"a" * 50 + "b": 1}),
    ({"properties": {"x": {"$schema": DRAFT_7, "pattern": "^(a+)+$"}}}, {"x": "a" * 50 + "b"}),
    ({"pattern": "^(?=a)(a+)+$"}, "a" * 900 + "b"),
    (doubling({"type": "integer"}), 1),
    ({"items": {"allOf": [*times(True, 2_000), False]}}, times(1, 2_000)),
    ({"not": {"$ref": "#/$defs/d0"}, "$defs": doubling(True)["$defs"]}, 1),
    ({"enum": list(range(30_000))}, "x"),
    ({"items": {"enum": list(range(3_000))}}, times(3_000, 3_000)),
    ({"uniqueItems": True}, [*({"a": number} for number in range(20_000)), {"a": 0}]),
    ({"items": {"properties": {f"p{n}": {} for n in range(3_000)}, "required": ["x"]}}, times({}, 3_000)),
    ({"unevaluatedItems": False, "prefixItems": times({}, 5)}, times(1, 20_000)),
    (
        {"anyOf": [{"items": {"type": "string"}} for _ in range(20)]},
        list(range(1_000_000)),
    ),
    ({"allOf": [{"required": [f"p{n}"]} for n in range(3_000)]}, {"a": times("x" * 1_000_000, 5)}),
    ({"$defs": {f"d{n}": {"$id": f"u:{n}"} for n in range(1_000)}, "items": {"$ref": "#a"}}, times(1, 2_000)),
]


@pytest.mark.parametrize(("schema", "value"), HOSTILE, ids=lambda item: str(item)[:40])
def test_no_schema_makes_validation_hang(schema: Json, value: Json) -> None:
    assert violations(value, schema)


def test_a_large_enum_is_searched_within_a_limit() -> None:
    schema: Json = {"items": {"enum": [{"n": number} for number in range(1_000)]}}
    value: list[Json] = [{"n": number} for number in range(1_000)]
    assert violations(value, schema) == ()
    assert violations([*value, {"n": -1}], schema)[0].pointer == "/1000"
    assert violations(value * 10, schema)[0].message == "cannot be checked: the schema lists too many values"
    names: Json = {"items": {"enum": [f"name-{number}" for number in range(10_000)]}}
    assert violations(list[Json](f"name-{number}" for number in range(10_000)), names) == ()


ROWS: JsonObject = {
    "properties": {
        "rows": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/row"}}, {"type": "null"}]}
    },
    "$defs": {"row": {"properties": {"id": {"type": "integer"}}, "required": ["name"]}},
}


def test_a_violation_in_a_large_value_is_found_at_its_place() -> None:
    rows: list[Json] = [{"id": number, "name": "x"} for number in range(100_000)]
    assert violations({"rows": rows}, ROWS) == ()
    rows[70_000] = {"id": "seven"}
    found = {(each.pointer, each.message) for each in violations({"rows": rows}, ROWS)}
    assert found == {("/rows/70000/id", 'must be an integer, is "seven"'), ("/rows/70000/name", "is missing")}
    whole: Json = {"not": ROWS["properties"], "contains": False}
    (violation,) = violations(rows, whole)
    assert (violation.pointer, violation.message) == (
        "",
        "does not fit the schema; it is too large to locate the error",
    )


def test_all_violations_are_counted_and_a_limited_number_returned() -> None:
    check = schema_check(times("x", 100), {"items": {"type": "null"}}, limit=7)
    assert (len(check.violations), check.more, check.unchecked) == (7, 93, ())
    check = schema_check({"a": 1, "b": 1}, {"properties": {"a": {"$ref": "#/no"}, "b": {"type": "null"}}})
    assert [each.pointer for each in check.violations] == ["/b"]
    assert check.unchecked == ("cannot be checked: the schema refers to #/no, which it does not contain",)


@pytest.mark.parametrize(
    ("number", "schema", "fits"),
    [
        ("9007199254740993", '{"maximum": 9007199254740992}', False),
        ("9007199254740993.0", '{"maximum": 9007199254740992}', False),
        ("12345678901234567890123", '{"minimum": 12345678901234567890124}', False),
        ("1e400", '{"maximum": 1e399}', False),
        ("1e399", '{"maximum": 1e400}', True),
        ("0.30000000000000000001", '{"maximum": 0.3}', False),
        ("0.3", '{"multipleOf": 0.1}', True),
        ("1e-7", '{"multipleOf": 1e-8}', True),
        ("1e-9", '{"multipleOf": 1e-8}', False),
        ("12345678901234567890123", '{"multipleOf": 3}', True),
        ("12345678901234567890124", '{"multipleOf": 3}', False),
        ("1e999999999", '{"multipleOf": 7}', False),
        ("7e999999999", '{"multipleOf": 7}', True),
        ("0e5", '{"multipleOf": 7}', True),
        ("1.0000000000000000000001", '{"type": "integer"}', False),
        ("1.00000000000000000000000", '{"type": "integer"}', True),
        ("0.1000000000000000055511151231257827", '{"const": 0.1}', False),
        ("100", '{"enum": [1e2]}', True),
        ("-0.0", '{"const": 0}', True),
        ("1e23", '{"const": 100000000000000000000000}', True),
    ],
)
def test_numbers_are_compared_exactly(number: str, schema: str, *, fits: bool) -> None:
    assert (violations(value_of(number), value_of(schema)) == ()) is fits


def test_duplicate_keys_and_invalid_numbers_are_violations_at_their_place() -> None:
    value = value_of('{"a": [0, {"b": 1, "b": 2}], "c": {"d": NaN}, "e": 1}')
    schema: Json = {"properties": {"e": {"type": "string"}}}
    assert [(each.pointer, each.message) for each in violations(value, schema)] == [
        ("/c/d", "NaN is not a JSON number"),
        ("/a/1", "names a key twice: b"),
        ("/e", "must be a string, is 1"),
    ]
    nested = violations(value_of('{"a": 1, "a": 2}'), {"type": "object"})
    assert [each.keyword for each in nested] == [""]


SECRET = "hunter2-hunter2"
MARKS: list[JsonObject] = [
    {"x-sensitive": True},
    {"xSensitive": "yes"},
    {"writeOnly": True},
    {"format": "password"},
    {"$ref": "https://example.org/secret"},
]
BREAKING: list[JsonObject] = [
    {"type": "null"},
    {"enum": ["a"]},
    {"const": "a"},
    {"pattern": "^x$"},
    {"maxLength": 3},
    {"minItems": 3},
    {"anyOf": [{"type": "null"}, {"const": 1}]},
    {"not": {}},
    {"propertyNames": {"maxLength": 1}},
    {"uniqueItems": True},
]


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("breaking", BREAKING)
def test_no_message_quotes_a_value_if_the_schema_has_a_mark(mark: JsonObject, breaking: JsonObject) -> None:
    schema: Json = {"properties": {"a": {**breaking, **mark}, "b": breaking}}
    held_values: list[Json] = [SECRET, [SECRET, SECRET], {SECRET: 1}]
    for held in held_values:
        for violation in violations({"a": held, "b": held}, schema):
            assert SECRET not in violation.message
            assert "15" not in violation.message


@pytest.mark.parametrize("breaking", BREAKING)
def test_the_plain_message_of_a_violation_quotes_no_value(breaking: JsonObject) -> None:
    held_values: list[Json] = [SECRET, {SECRET: 1}, DuplicateKeys(((SECRET, 1), (SECRET, 2)))]
    for held in held_values:
        for violation in violations(held, breaking):
            assert SECRET not in violation.plain
            assert "15" not in violation.plain


def test_the_messages_of_violations_are_safe_and_short() -> None:
    value = "\x1b]52;c;x\x07\u202e" * 1000
    for schema in BREAKING:
        for violation in violations({value: value, "a": [value]}, {"additionalProperties": schema, **schema}):
            assert safe_line(violation.message) == violation.message
            assert violation.message.count("U+202E") <= 14


@pytest.mark.parametrize("limit", [1, 7, 50])
def test_no_more_violations_than_the_limit_are_returned(limit: int) -> None:
    for wrong in (1, DuplicateKeys((("a", 1), ("a", 2)))):
        value: list[Json] = [wrong] * 100
        assert len(violations(value, {"items": {"type": "null"}}, limit=limit)) == limit


def test_without_a_schema_everything_is_allowed() -> None:
    assert violations(value_of('{"a": 1, "a": 2}'), None) == ()


class Reference(Protocol):
    """jsonschema's own validator."""

    def is_valid(self, instance: Json) -> bool: ...


# Against jsonschema itself, on schemas and values where floats and Python's regular expressions are exact too.
names = st.sampled_from(["a", "b", "ab"])
small: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([1.0, 0.5]) | names,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(names, children, max_size=3),
    max_leaves=6,
)
counts = st.integers(0, 2)
kinds = st.sampled_from(["string", "integer", "number", "boolean", "object", "array", "null"])


def schemas(children: st.SearchStrategy[Json]) -> st.SearchStrategy[JsonObject]:
    several = st.lists(children, min_size=1, max_size=3)
    named = st.dictionaries(names, children, max_size=3)
    found = st.fixed_dictionaries(
        {},
        optional={
            "type": kinds | st.lists(kinds, min_size=1, max_size=2, unique=True),
            "enum": st.lists(small, min_size=1, max_size=3),
            "const": small,
            "minimum": st.integers(-2, 2),
            "exclusiveMaximum": st.integers(-2, 2),
            "multipleOf": st.integers(1, 2),
            "minLength": counts,
            "maxItems": counts,
            "minProperties": counts,
            "pattern": st.sampled_from(["^a", "b$", "^ab?$"]),
            "uniqueItems": st.booleans(),
            "required": st.lists(names, max_size=2, unique=True),
            "properties": named,
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$"]), children, max_size=2),
            "additionalProperties": children,
            "propertyNames": children,
            "dependentRequired": st.dictionaries(names, st.lists(names, max_size=2, unique=True), max_size=2),
            "dependentSchemas": named,
            "items": children,
            "contains": children,
            "allOf": several,
            "anyOf": several,
            "oneOf": several,
            "not": children,
            "if": children,
            "then": children,
            "else": children,
            "unevaluatedProperties": children,
            "unevaluatedItems": children,
            "$ref": st.sampled_from(["#/definitions/x", "#named"]),
        },
    )
    return cast("st.SearchStrategy[JsonObject]", found)


anywhere = st.recursive(st.booleans() | st.builds(dict[str, Json]), schemas, max_leaves=8)


@pytest.mark.parametrize(
    ("dialect", "reference"),
    [(DRAFT_7, Draft7Validator), (DRAFT_2019, Draft201909Validator), (DRAFT_2020, Draft202012Validator)],
)
@given(schemas(anywhere), schemas(st.booleans() | st.builds(dict[str, Json])), small)
# Generating these takes long on a busy machine, which is not a fault of the code.
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
def test_the_verdict_agrees_with_jsonschema(
    dialect: str, reference: type[Draft202012Validator], schema: JsonObject, shared: JsonObject, value: Json
) -> None:
    shared.pop("$ref", None)
    anchor: JsonObject = {"$id": "#named"} if dialect == DRAFT_7 else {"$anchor": "named"}
    whole: JsonObject = {**schema, "$schema": dialect, "$defs": {"y": {**shared, **anchor}}}
    whole["definitions"] = {"x": shared, **({"y": {**shared, **anchor}} if dialect == DRAFT_7 else {})}
    if dialect == DRAFT_7:
        del whole["$defs"]
    judged = violations(value, whole)
    # jsonschema's 2019-09 treats the keywords of `additionalProperties` as names of members.
    if dialect != DRAFT_2019 or "unevaluated" not in dump_text(whole):
        assert (judged == ()) is cast("Reference", reference(whole)).is_valid(value)
    for violation in judged:
        missing = violation.message == "is missing"
        resolve(value, violation.pointer.rpartition("/")[0] if missing else violation.pointer)


WORDS = [
    "type",
    "properties",
    "items",
    "anyOf",
    "$ref",
    "$id",
    "$schema",
    "pattern",
    "enum",
    "minimum",
    "#",
    "#/type",
    "(",
]
garbage: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([*WORDS, "string", DRAFT_7, "https://[", "\ud800"])
    | st.sampled_from(["NaN", "1e999", "1e99999999999999999999", "0.10"]).map(Number),
    lambda children: (
        st.lists(children, max_size=4)
        | st.dictionaries(st.sampled_from(WORDS), children, max_size=4)
        | st.tuples(st.sampled_from(WORDS), children).map(lambda pair: DuplicateKeys((pair, pair)))
    ),
    max_leaves=12,
)


def referred(schema: Json) -> Json:
    return {"$defs": {"a": schema}, "$ref": "#/$defs/a"}


@given(garbage, garbage | garbage.map(referred))
def test_no_schema_and_no_value_make_validation_raise(value: Json, schema: Json) -> None:
    for violation in violations(value, schema):
        assert violation.message


def test_a_lone_surrogate_is_compared_like_any_character() -> None:
    schema: Json = {"title": "\ud83d", "properties": {"a\udc00": {"maxLength": 1, "format": "date"}}}
    assert violations({"b": 1}, schema) == ()
    found = violations({"a\udc00": "\ud83d\ud83d"}, schema)
    assert {each.keyword for each in found} == {"maxLength", "format"}


def test_a_schema_pointer_leads_to_the_keyword() -> None:
    schema = value_of(
        '{"$defs": {"n": {"type": "null"}}, "items": {"properties": {"a": {"$ref": "#/$defs/n"}}}}'
    )
    (violation,) = violations([{"a": 1}], schema)
    assert violation == Violation(
        pointer="/0/a",
        message="must be null, is 1",
        plain="must be null, is a number",
        schema_pointer="/$defs/n/type",
        keyword="type",
    )
    assert resolve(schema, violation.schema_pointer) == "null"


def test_faults_are_found_at_their_place_up_to_a_limit() -> None:
    value = value_of('[{"a/b": {"k": 1, "k": NaN}}, -Infinity, 1e999]')
    assert {(each.pointer, each.message) for each in faults_of(value, 9)} == {
        ("/0/a~1b", "names a key twice: k"),
        ("/0/a~1b/k", "NaN is not a JSON number"),
        ("/1", "-Infinity is not a JSON number"),
    }
    assert len(faults_of(value, 2)) == 2
