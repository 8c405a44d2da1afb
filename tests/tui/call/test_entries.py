import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.json.exact import Json, JsonObject, equal
from inspector.schema.arguments import coerce, from_json
from inspector.schema.fields import Form, form_of
from inspector.tui.call.arguments import carried, checked, default_entries, in_short, misfit
from inspector.tui.call.entries import (
    MAX_LINES,
    ArgumentDraft,
    Entered,
    FormLine,
    Problem,
    Writing,
    draft,
    entries,
    form_lines,
    label,
    note,
    place_problems,
    placeholder,
    sensitive_entries,
    with_rows,
)

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "title": "The text", "description": "What to say", "maxLength": 5},
        "count": {"type": "integer", "minimum": 1, "default": 3},
        "ratio": {"type": "number"},
        "loud": {"type": "boolean"},
        "colour": {"enum": ["red", 7, None]},
        "size": {"oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "place": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "zip": {"type": "string"}},
            "required": ["city"],
        },
        "token": {"type": "string", "x-sensitive": True},
        "free": {},
    },
    "required": ["text"],
}
LINES = form_lines(form_of(SCHEMA))


def drafted(**entered: Entered) -> ArgumentDraft:
    return draft(LINES, {f"/{key.replace('__', '/')}": value for key, value in entered.items()}, coerce)


def line(pointer: str) -> FormLine:
    return next(found for found in LINES if found.field.pointer == pointer)


def test_the_fields_of_a_nested_object_follow_its_heading() -> None:
    found = [(found.field.pointer, found.depth, found.is_heading) for found in LINES]
    assert ("/place", 0, True) in found
    assert found[found.index(("/place", 0, True)) + 1] == ("/place/city", 1, False)


def test_a_form_has_a_limited_number_of_lines() -> None:
    wide: JsonObject = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(400)}}
    assert len(form_lines(form_of(wide))) == MAX_LINES


@pytest.mark.parametrize(
    ("entered", "arguments"),
    [
        ({}, {}),
        ({"text": Entered(text="hi")}, {"text": "hi"}),
        ({"count": Entered(text="4")}, {"count": 4}),
        ({"loud": Entered(chosen=1)}, {"loud": False}),
        ({"colour": Entered(chosen=2)}, {"colour": None}),
        ({"size": Entered(chosen=1)}, {"size": "l"}),
        ({"tags": Entered(text='["a","b"]')}, {"tags": ["a", "b"]}),
        ({"place__city": Entered(text="Ulm")}, {"place": {"city": "Ulm"}}),
        ({"free": Entered(text='{"a":[1]}')}, {"free": {"a": [1]}}),
    ],
)
def test_entries_become_arguments_and_empty_ones_are_left_out(
    entered: dict[str, Entered], arguments: Json
) -> None:
    assert drafted(**entered).arguments == arguments


def test_an_empty_required_field_is_only_reported_as_missing() -> None:
    assert drafted().problems == (Problem(pointer="/text", message="is required", missing=True),)


def test_an_invalid_entry_is_kept_as_text_with_a_problem() -> None:
    found = drafted(text=Entered(text="x"), count=Entered(text="many"))
    assert found.arguments == {"text": "x", "count": "many"}
    assert [problem.pointer for problem in found.problems] == ["/count"]


def test_the_schema_adds_only_problems_that_the_entries_do_not_show() -> None:
    found = checked(drafted(text=Entered(text="too long"), count=Entered(text="0")), SCHEMA)
    assert sorted(problem.pointer for problem in found.problems) == ["/count", "/text"]
    assert checked(drafted(), SCHEMA).problems == drafted().problems


def test_a_problem_is_shown_at_the_nearest_field_above_it() -> None:
    deep = Problem(pointer="/tags/0/x", message="is wrong")
    other = Problem(pointer="", message="is no good")
    assert place_problems(LINES, (deep, other)) == ({"/tags": "/0/x: is wrong"}, (other,))


def test_sensitive_entries_are_separated() -> None:
    entered = {"/token": Entered(text="hush"), "/text": Entered(text="hi")}
    assert sensitive_entries(LINES, entered) == {"/token": Entered(text="hush")}


def test_a_missing_argument_is_named_and_a_long_name_is_cut_with_a_sign() -> None:
    placed, _ = place_problems(LINES, drafted().problems)
    assert placed == {"/text": "text is required"}
    long = FormLine(field=replace(line("/text").field, name="start_timestamp_of_all"), depth=0)
    assert label(long, room=16).plain == "star…amp_of_all*"


def test_a_null_default_is_left_out_rather_than_written_as_text() -> None:
    form = form_of(
        {
            "type": "object",
            "properties": {"a": {"type": ["string", "null"], "default": None}, "b": {"default": 0}},
        }
    )
    assert default_entries(form) == {"/b": Entered(text="0")}


def test_the_variants_of_a_union_are_in_the_note_of_its_field() -> None:
    card: JsonObject = {
        "type": "object",
        "properties": {"kind": {"const": "card"}, "number": {"type": "string"}},
        "required": ["kind"],
    }
    schema: JsonObject = {
        "type": "object",
        "$defs": {"card": card},
        "properties": {"pay": {"anyOf": [{"$ref": "#/$defs/card"}, {"type": "string"}], "title": "Pay"}},
    }
    (pay,) = form_of(schema).fields
    assert note(pay).plain == '{kind: "card", number?} or string'
    assert placeholder(pay) == "text or JSON, optional"


def test_a_line_describes_its_field() -> None:
    assert label(line("/text")).plain == "text*"
    assert label(line("/place/zip")).plain == "  zip"
    assert placeholder(line("/text").field) == "text, required"
    assert placeholder(line("/count").field) == "integer, optional, default 3"
    assert placeholder(line("/token").field) == "sensitive text, optional"
    assert "What to say" in note(line("/text").field).plain


texts = st.text(min_size=1, max_size=5).filter(lambda text: text.strip() == text)
PLACES: dict[str, st.SearchStrategy[Json]] = {"city": texts, "zip": texts}
OPTIONAL: dict[str, st.SearchStrategy[Json]] = {
    "count": st.integers(1, 10**30),
    "ratio": st.integers() | st.decimals(-100, 100, places=2).map(float),
    "loud": st.booleans(),
    "colour": st.sampled_from(["red", 7, None]),
    "size": st.sampled_from(["s", "l"]),
    "tags": st.lists(texts).map(list[Json]),
    "place": st.fixed_dictionaries(PLACES),
    "token": texts,
    "free": st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5),
}
REQUIRED: dict[str, st.SearchStrategy[Json]] = {"text": texts}
arguments_of_form = st.fixed_dictionaries(REQUIRED, optional=OPTIONAL)


@given(arguments_of_form)
def test_arguments_that_a_form_can_show_are_read_back_unchanged(arguments: JsonObject) -> None:
    entered = entries(LINES, arguments)
    if entered is not None:
        assert equal(draft(LINES, entered, coerce).arguments, arguments)


def test_a_value_outside_its_set_cannot_be_shown_by_the_form() -> None:
    assert entries(LINES, {"colour": "blue"}) is None
    assert entries(LINES, {"text": ""}) is None


ORDERS = form_lines(
    form_of(
        {
            "type": "object",
            "properties": {
                "orders": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "id": {"type": "integer"},
                            "parts": {
                                "type": "array",
                                "items": {"type": "object", "properties": {"name": {"type": "string"}}},
                            },
                        },
                        "required": ["id"],
                    },
                },
                "note": {"type": "string"},
            },
        }
    )
)


def test_a_list_of_objects_has_a_line_for_each_field_of_each_object() -> None:
    entered = {"/orders": Entered(chosen=2), "/orders/1/parts": Entered(chosen=1)}
    lines = with_rows(ORDERS, entered)
    assert [(line.field.pointer, line.depth) for line in lines] == [
        ("/orders", 0),
        ("/orders/0", 1),
        ("/orders/0/id", 2),
        ("/orders/0/parts", 2),
        ("/orders/1", 1),
        ("/orders/1/id", 2),
        ("/orders/1/parts", 2),
        ("/orders/1/parts/0", 3),
        ("/orders/1/parts/0/name", 4),
        ("/note", 0),
    ]
    assert with_rows(lines, {}) == ORDERS
    assert len(with_rows(lines, {"/orders": Entered(chosen=10)})) == 32


COLOURS = form_lines(
    form_of(
        {
            "type": "object",
            "properties": {"colours": {"type": "array", "items": {"enum": ["red", "green", None, 4]}}},
        }
    )
)


@pytest.mark.parametrize(
    ("picked", "values"), [((), []), ((1,), ["green"]), ((0, 2, 3), ["red", None, 4]), (None, None)]
)
def test_values_of_a_list_are_picked_from_a_closed_set(
    picked: tuple[int, ...] | None, values: list[Json] | None
) -> None:
    arguments: JsonObject = {} if values is None else {"colours": values}
    entered = {} if picked is None else {"/colours": Entered(picked=picked)}
    assert draft(COLOURS, entered, coerce).arguments == arguments
    assert entries(COLOURS, arguments) == entered


@pytest.mark.parametrize("values", [["green", "red"], ["red", "red"], ["blue"], "red", [["red"]]])
def test_a_list_that_cannot_be_picked_needs_the_json_editor(values: Json) -> None:
    assert entries(COLOURS, {"colours": values}) is None


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("{}", []),
        ('{"orders": []}', []),
        ('{"orders": [{}], "note": "n"}', ["/orders/0/id"]),
        ('{"orders": [{"id": 1, "parts": [{"name": "a"}, {}]}, {"id": 2, "parts": []}]}', []),
    ],
)
def test_the_rows_of_a_list_are_read_back_as_its_arguments(text: str, missing: list[str]) -> None:
    arguments = from_json(text)
    entered = entries(ORDERS, arguments)
    assert entered is not None
    made = draft(ORDERS, entered, coerce)
    assert equal(made.arguments, arguments)
    assert [problem.pointer for problem in made.problems] == missing


@pytest.mark.parametrize("value", ["{}", "3", f"[{', '.join(['{}'] * 11)}]"])
def test_a_list_that_rows_cannot_show_needs_the_json_editor(value: str) -> None:
    assert entries(ORDERS, from_json(f'{{"orders": {value}}}')) is None


def test_the_default_of_a_list_from_a_closed_set_is_picked() -> None:
    items: JsonObject = {"type": "string", "enum": ["drums", "guitar", "piano"]}
    listed: JsonObject = {"type": "array", "items": items, "default": ["guitar", "piano"]}
    form = form_of({"type": "object", "properties": {"list": listed}})
    assert default_entries(form) == {"/list": Entered(picked=(1, 2))}


def test_the_arguments_of_a_call_are_shown_as_they_are() -> None:
    arguments: JsonObject = {"text": "hello big  world, x", "days": 3, "filter": {"a": 1}, "key": "k"}
    schema: JsonObject = {"type": "object", "properties": {"key": {"type": "string", "x-sensitive": True}}}
    assert in_short(arguments, form_of(schema)) == 'text="hello big  world, x", days=3, filter={…}, key=•••'
    assert in_short({"list": [5, 6]}, None) == "list=[2 items]"
    assert in_short({str(number): 1 for number in range(9)}, None).endswith("7=1, …")


def test_the_default_of_a_list_of_objects_fills_its_rows() -> None:
    item: JsonObject = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}
    value: Json = [{"a": "x", "b": 1}, {"b": 2}]

    def form(default: Json) -> Form:
        listed: JsonObject = {"type": "array", "items": item, "default": default}
        return form_of({"type": "object", "properties": {"list": listed}})

    assert draft(form_lines(form(value)), default_entries(form(value)), coerce).arguments == {"list": value}
    assert default_entries(form([{"c": 1}])) == default_entries(form([{"a": "\u202e"}])) == {}


def takes(**properties: Json) -> Form:
    return form_of({"type": "object", "properties": dict(properties)})


TEXT: JsonObject = {"type": "string"}
TOKEN: JsonObject = {"type": "string", "x-sensitive": True}


@pytest.mark.parametrize(
    ("before", "now", "entered", "kept", "as_json"),
    [
        # A line that is alike keeps its entry; a text may be typed for another kind.
        ({"a": TEXT}, {"a": {"type": "integer"}}, {"a": Entered(text="5")}, {"a": Entered(text="5")}, None),
        # An argument without a field is shown with all others as JSON, but not what is sensitive.
        ({"a": TEXT, "b": TEXT}, {"b": TEXT}, {"a": Entered(text="x"), "b": Entered(text="y")}, {}, {"a": "x", "b": "y"}),
        (
            {"a": TEXT, "s": TOKEN},
            {"s": TOKEN},
            {"a": Entered(text="x"), "s": Entered(text="hush")},
            {"s": Entered(text="hush")},
            {"a": "x"},
        ),
        ({"a": TEXT, "s": TEXT}, {"s": TOKEN}, {"a": Entered(text="x"), "s": Entered(text="hush")}, {"s": Entered(text="hush")}, {"a": "x"}),
        # A default goes with its argument.
        ({"a": TEXT, "n": {"type": "integer", "default": 2}}, {"a": TEXT}, {"a": Entered(text="x"), "n": Entered(text="2")}, {"a": Entered(text="x")}, None),
        # A choice is the value, not its number.
        ({"c": {"enum": ["x", "y"]}}, {"c": {"enum": ["y", "z"]}}, {"c": Entered(chosen=1)}, {"c": Entered(chosen=0)}, None),
        ({"c": {"enum": ["x", "y"]}}, {"c": TEXT}, {"c": Entered(chosen=1)}, {"c": Entered(text="y")}, None),
        ({"c": {"enum": ["x", "y"]}}, {"c": {"enum": ["x"]}}, {"c": Entered(chosen=1)}, {}, {"c": "y"}),
    ],
)  # fmt: skip
def test_what_was_entered_is_carried_to_the_form_of_a_changed_definition(
    before: JsonObject,
    now: JsonObject,
    entered: dict[str, Entered],
    kept: dict[str, Entered],
    as_json: JsonObject | None,
) -> None:
    written = Writing(
        lines=form_lines(takes(**before)),
        entered={f"/{name}": entry for name, entry in entered.items()},
        text=None,
    )
    found = carried(written, takes(**now))
    assert dict(found.entered) == {f"/{name}": entry for name, entry in kept.items()}
    assert found.arguments == as_json
    same = carried(written, takes(**before))
    assert (same.entered, same.arguments) == (written.entered, None)


def test_the_first_reason_why_arguments_do_not_fit_names_no_value() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"owner": TEXT, "days": {"type": "integer"}},
        "required": ["owner"],
    }
    assert misfit({"owner": "ada"}, schema) == ""
    assert misfit({}, schema) == "owner is missing"
    words = misfit({"owner": "ada", "days": "hush"}, schema)
    assert words.startswith("days ")
    assert "hush" not in words
    assert misfit({"days": "x"}, schema).endswith(" and 1 more")
