"""The form of an input schema: one field for each argument.

Source: JSON Schema 2020-12 and draft-07, as far as a form can show them. A schema that a form cannot show
becomes a field for raw JSON.
"""

from enum import StrEnum
from math import ceil, floor
from typing import TYPE_CHECKING

from msgspec import Struct, field

from inspector.json.exact import DuplicateKeys, Json, JsonObject, scalar_text
from inspector.json.pointer import child
from inspector.schema.merging import Merged, merge, number_of
from inspector.schema.references import References
from inspector.schema.shapes import variants_of

if TYPE_CHECKING:
    from inspector.schema.positions import Position

MAX_FIELDS = 500
"""The maximum number of fields in one form, including nested ones."""
MAX_DEPTH = 6
"""The maximum nesting depth of objects and lists in a form; deeper ones are written as JSON."""


class FieldKind(StrEnum):
    """The kind of a field: how its value is entered."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    """One value of a closed set."""
    LIST = "list"
    OBJECT = "object"
    """An object, entered in fields of its own, or as JSON if it has no fields."""
    JSON = "json"
    """Entered as JSON: the schema allows several types, declares none, or leads back to itself."""


class Field(Struct, frozen=True, kw_only=True):
    """A field of the form, for one argument of a tool. All texts in it are untrusted."""

    pointer: str
    """Pointer into the arguments. `-` stands for any item of a list; RFC 6901 uses it for the item after the last."""
    name: str
    """The name of the argument; empty for an item of a list."""
    kind: FieldKind
    title: str | None = None
    description: str | None = None
    types: tuple[str, ...] = ()
    """The JSON types that are allowed; empty if the schema does not say."""
    nullable: bool = False
    """True if null is allowed in addition to values of the field's kind."""
    required: bool = False
    default: Json = None
    has_default: bool = False
    choices: tuple[Json, ...] = ()
    choice_titles: tuple[str, ...] = ()
    """A title for each choice, empty for a choice without one. No titles at all if no choice has one."""
    item: "Field | None" = None
    """The field for every item of a list, if the schema describes one."""
    fields: "tuple[Field, ...]" = ()
    format: str | None = None
    constraints: str = ""
    """The constraints in words: `1 to 10, a multiple of 2`."""
    sensitive: bool = False
    """True if the schema says that the value, or a part of it, is a password, write-only or sensitive.

    A misspelt `x-sensitive` counts, and so does a part of the schema that cannot be read.
    """
    examples: tuple[Json, ...] = ()
    plainest: Json = None
    """The simplest value that may be valid. A new form has it in a required field without a default."""


class Form(Struct, frozen=True, kw_only=True):
    """The fields in which a user enters the arguments of a tool."""

    fields: tuple[Field, ...] = ()
    open: bool = True
    """True if arguments without a field are allowed."""
    problem: str = ""
    """The reason why the form is incomplete or empty; empty if it is complete."""


def form_of(schema: Json) -> Form:
    """The form of an input schema. Never raises.

    A value that is not a schema gives an empty form with a problem.
    """
    if schema is None:
        return Form(problem="the tool has no input schema")
    builder = _Builder(schema)
    merged = merge(schema, builder.references)
    if merged.types and "object" not in merged.types:
        return Form(problem="the input schema does not describe an object")
    if merged.problem and not merged.keywords:
        return Form(problem=_about_input(merged.problem))
    fields = builder.fields(merged, "", builder.position, 0)
    problem = _about_input(merged.problem)
    properties = merged.keywords.get("properties", {})
    if not isinstance(properties, dict):
        twice = isinstance(properties, DuplicateKeys)
        problem = "`properties` has a duplicate key" if twice else "`properties` is not an object"
    elif builder.exhausted:
        problem = f"only the first {MAX_FIELDS} fields are shown"
    elif any(keyword in merged.keywords for keyword in ("anyOf", "oneOf", "if")):
        problem = problem or "the schema has conditions that a form cannot show"
    return Form(fields=fields, open=_is_open(merged.keywords), problem=problem)


def field_of(schema: Json, name: str = "") -> Field:
    """The field for the schema of one value. Never raises."""
    builder = _Builder(schema)
    return builder.field(schema, name, "", builder.position, _Place())


def example_arguments(form: Form) -> JsonObject:
    """Arguments that fill in a new form: all defaults, and `plainest` for each other required argument.

    Containers among the defaults belong to the schema, so do not modify them.
    """
    return _example(form.fields)


class _Place(Struct, frozen=True, kw_only=True):
    """What the schema of the surrounding object or list determines about a field."""

    depth: int = 0
    required: bool = False
    sensitive: bool = False
    """True if the object or list around the field is sensitive."""
    above: frozenset[str] = field(default_factory=frozenset[str])
    """The references followed to reach the field."""


class _Builder:
    """Builds fields. Recursion ends at MAX_DEPTH, whatever the schema contains."""

    def __init__(self, root: Json) -> None:
        # Imported late: `positions` loads the pattern engine, which is needed only after the first paint.
        from inspector.schema.positions import positions_of  # noqa: PLC0415

        self.references = References(root)
        self.position = positions_of(root).start()
        self.exhausted = False
        self._left = MAX_FIELDS

    def fields(
        self, merged: Merged, pointer: str, position: "Position", depth: int, *, sensitive: bool = False
    ) -> tuple[Field, ...]:
        """The fields of an object: properties that `merged` describes, then those that it only requires."""
        properties = merged.keywords.get("properties")
        required = _names(merged.keywords.get("required"))
        named = properties if isinstance(properties, dict) else {}
        everything: JsonObject = {**named, **{name: True for name in required if name not in named}}
        found: list[Field] = []
        for name, schema in everything.items():
            if self._left <= 0:
                self.exhausted = True
                break
            place = _Place(
                depth=depth, required=name in required, sensitive=sensitive, above=merged.references
            )
            found.append(self.field(schema, name, child(pointer, name), position.step(name), place))
        return tuple(found)

    def field(self, schema: Json, name: str, pointer: str, position: "Position", place: _Place) -> Field:
        """The field for one schema, with the fields inside it."""
        self._left -= 1
        merged = merge(schema, self.references, place.above)
        keywords = merged.keywords
        choices, titles = _choices_of(keywords)
        kind = FieldKind.JSON if merged.problem else _kind(merged, choices)
        sensitive = place.sensitive or position.sensitive is not None or _is_private(keywords)
        item: Field | None = None
        fields: tuple[Field, ...] = ()
        if kind is FieldKind.OBJECT and place.depth < MAX_DEPTH:
            fields = self.fields(merged, pointer, position, place.depth + 1, sensitive=sensitive)
        elif kind is FieldKind.LIST and place.depth < MAX_DEPTH and "items" in keywords:
            below = _Place(depth=place.depth + 1, sensitive=sensitive, above=merged.references)
            item = self.field(keywords["items"], "", child(pointer, "-"), position.item(0), below)
            sensitive = sensitive or item.sensitive
        if not fields and not position.harmless:
            sensitive = True
        examples = keywords.get("examples")
        default = keywords.get("default")
        return Field(
            pointer=pointer,
            name=name,
            kind=kind,
            title=_string(keywords.get("title")),
            description=_string(keywords.get("description")),
            types=merged.types,
            nullable=merged.nullable or None in choices,
            required=place.required,
            default=default,
            has_default="default" in keywords and not isinstance(default, DuplicateKeys),
            choices=choices,
            choice_titles=titles,
            item=item,
            fields=fields,
            format=_string(keywords.get("format")),
            constraints=merged.problem or self._constraints(kind, merged),
            sensitive=sensitive,
            examples=tuple(examples) if isinstance(examples, list) else (),
            plainest=_example(fields) if fields else _plainest(merged, choices),
        )

    def _constraints(self, kind: FieldKind, merged: Merged) -> str:
        variants = ""
        if kind is FieldKind.JSON:
            variants = variants_of(merged.keywords, self.references, merged.references)
        return ", ".join(filter(None, (variants, _constraints_of(merged.keywords))))


_KINDS = {
    "string": FieldKind.STRING,
    "integer": FieldKind.INTEGER,
    "number": FieldKind.NUMBER,
    "boolean": FieldKind.BOOLEAN,
    "array": FieldKind.LIST,
    "object": FieldKind.OBJECT,
}


def _kind(merged: Merged, choices: tuple[Json, ...]) -> FieldKind:
    types = merged.concrete_types
    if choices:
        return FieldKind.CHOICE
    if set(types) == {"integer", "number"}:
        return FieldKind.NUMBER
    if len(types) != 1 or "prefixItems" in merged.keywords:
        return FieldKind.JSON
    if isinstance(merged.keywords.get("items"), list):
        return FieldKind.JSON
    return _KINDS[types[0]]


def _example(fields: tuple[Field, ...]) -> JsonObject:
    return {
        field.name: field.default if field.has_default else field.plainest
        for field in fields
        if field.has_default or field.required
    }


def _is_private(keywords: JsonObject) -> bool:
    if keywords.get("writeOnly") is True or keywords.get("format") == "password":
        return True
    branches = [
        branch
        for keyword in ("anyOf", "oneOf")
        if isinstance(found := keywords.get(keyword), list)
        for branch in found
    ]
    return any(
        isinstance(branch, dict) and (branch.get("writeOnly") is True or branch.get("format") == "password")
        for branch in branches
    )


def _is_open(keywords: JsonObject) -> bool:
    return (
        keywords.get("additionalProperties") is not False
        and keywords.get("unevaluatedProperties") is not False
    )


def _about_input(problem: str) -> str:
    return problem.replace("its schema", "the input schema", 1)


def _string(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _names(value: Json) -> dict[str, bool]:
    """Properties named by the strings of a list, in order. Their schema is True, which allows everything."""
    listed = value if isinstance(value, list) else []
    return dict.fromkeys((name for name in listed if isinstance(name, str)), True)


def _choices_of(keywords: JsonObject) -> tuple[tuple[Json, ...], tuple[str, ...]]:
    """The values of a closed set and their titles; both empty if the schema describes no closed set."""
    if "const" in keywords:
        return (keywords["const"],), ()
    listed = keywords.get("enum")
    if isinstance(listed, list):
        names = keywords.get("enumNames")
        titles = tuple(_string(name) or "" for name in names) if isinstance(names, list) else ()
        return tuple(listed), titles if len(titles) == len(listed) and any(titles) else ()
    for keyword in ("oneOf", "anyOf"):
        branches = keywords.get(keyword)
        if not isinstance(branches, list) or not branches:
            continue
        values: list[Json] = []
        titled: list[str] = []
        for branch in branches:
            value = _only_value(branch)
            if value is None:
                break
            values += value
            titled.append((_string(branch.get("title")) if isinstance(branch, dict) else None) or "")
        else:
            return tuple(values), tuple(titled) if any(titled) else ()
    return (), ()


def _only_value(schema: Json) -> list[Json] | None:
    """The one value that a schema allows, in a list; None if it allows others."""
    if not isinstance(schema, dict):
        return None
    if "const" in schema:
        return [schema["const"]]
    listed = schema.get("enum")
    if isinstance(listed, list) and len(listed) == 1:
        return listed
    return [None] if schema.get("type") == "null" else None


_LONGEST_PATTERN = 60
_LARGEST_FILL = 10**15
"""The least magnitude of a bound in the schema that is not filled in as a value."""


def _constraints_of(keywords: JsonObject) -> str:
    """The constraints of a value, in words; empty if there are none. Quotes the server's pattern."""
    words = [
        _range(keywords),
        _count(keywords, "Length", "character"),
        _count(keywords, "Items", "item"),
        _count(keywords, "Properties", "member"),
    ]
    multiple = number_of(keywords.get("multipleOf"))
    if multiple is not None:
        words.append(f"a multiple of {scalar_text(multiple)}")
    if keywords.get("uniqueItems") is True:
        words.append("all different")
    pattern = keywords.get("pattern")
    if isinstance(pattern, str):
        cut = pattern if len(pattern) <= _LONGEST_PATTERN else f"{pattern[:_LONGEST_PATTERN]}…"
        words.append(f"matches {cut}")
    encoding = keywords.get("contentEncoding")
    if isinstance(encoding, str):
        words.append(f"encoded as {encoding[:_LONGEST_PATTERN]}")
    return ", ".join(word for word in words if word)


def _plainest(merged: Merged, choices: tuple[Json, ...]) -> Json:
    """The simplest value that may be valid, such as an example, null, a choice, zero, or an empty list."""
    examples = merged.keywords.get("examples")
    if isinstance(examples, list) and examples:
        return examples[0]
    if merged.nullable or (not merged.types and not choices):
        return None
    if choices:
        return choices[0]
    match merged.types[0]:
        case "string":
            return ""
        case "integer":
            return _plainest_integer(merged.keywords)
        case "number":
            return _plainest_number(merged.keywords)
        case "boolean":
            return False
        case "array":
            return []
        case _:
            return {}


def _range(keywords: JsonObject) -> str:
    low, above = number_of(keywords.get("minimum")), number_of(keywords.get("exclusiveMinimum"))
    high, below = number_of(keywords.get("maximum")), number_of(keywords.get("exclusiveMaximum"))
    if low is not None and high is not None and above is None and below is None:
        return f"{scalar_text(low)} to {scalar_text(high)}"
    words = (
        ("at least", low),
        ("more than", above),
        ("at most", high),
        ("less than", below),
    )
    return ", ".join(f"{word} {scalar_text(bound)}" for word, bound in words if bound is not None)


def _count(keywords: JsonObject, suffix: str, noun: str) -> str:
    low, high = number_of(keywords.get(f"min{suffix}")), number_of(keywords.get(f"max{suffix}"))
    if low is not None and high is not None:
        amount = scalar_text(low) if low == high else f"{scalar_text(low)} to {scalar_text(high)}"
        return f"{amount} {noun}" if high == 1 else f"{amount} {noun}s"
    for word, bound in (("at least", low), ("at most", high)):
        if bound is not None:
            return (
                f"{word} {scalar_text(bound)} {noun}"
                if bound == 1
                else f"{word} {scalar_text(bound)} {noun}s"
            )
    return ""


def _plainest_integer(keywords: JsonObject) -> int:
    low, high = _bounds(keywords)
    step = keywords.get("multipleOf")
    value = 0
    if low is not None and low > 0:
        value = ceil(low)
    elif high is not None and high < 0:
        value = floor(high)
    if isinstance(step, int) and step > 0:
        return -(-value // step) * step if value > 0 else value // step * step
    return value


def _plainest_number(keywords: JsonObject) -> float:
    low, high = _bounds(keywords)
    if low is not None and low > 0:
        return low
    return high if high is not None and high < 0 else 0


def _bounds(keywords: JsonObject) -> tuple[float | None, float | None]:
    """The least and the greatest value that may be filled in; None without a bound.

    An exclusive bound is moved by one.
    """
    low, high = number_of(keywords.get("minimum")), number_of(keywords.get("maximum"))
    above, below = number_of(keywords.get("exclusiveMinimum")), number_of(keywords.get("exclusiveMaximum"))
    lows = [bound for bound in (low, above + 1 if above is not None else None) if _fills(bound)]
    highs = [bound for bound in (high, below - 1 if below is not None else None) if _fills(bound)]
    return (
        max((bound for bound in lows if bound is not None), default=None),
        min((bound for bound in highs if bound is not None), default=None),
    )


def _fills(bound: float | None) -> bool:
    return bound is not None and abs(bound) < _LARGEST_FILL
