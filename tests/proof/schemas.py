"""Output schemas with marks anywhere, each with a result that fits it. The generator records what it builds.

All constructs of docs/boundaries.md, in the spelling of 2020-12 or of draft-07.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from inspector.json.exact import Json, JsonObject, Number
from tests.proof.choices import Choices
from tests.proof.templates import AsText, Kind, Members, Say, Template, Token, blanks

MARKS: tuple[JsonObject, ...] = (
    {},
    {},
    {},
    {"x-sensitive": True},
    {"x-sensitive": False},
    {"x-sensitive": True},
    {},
    {"x_sensitive": True},
    {"x-sensitive": "yes"},
    {"x-sensitive": False},
)
NAMES = ("id", "name", "secret", "key", "a b", "~/", "rows", "type", "9")
KINDS = (Kind.LONG, Kind.LONG, Kind.ODD, Kind.NUMBER, Kind.LONG, Kind.SHORT)
SCALARS: tuple[tuple[JsonObject, Json], ...] = (
    ({"type": "null"}, None),
    ({"type": "boolean"}, True),
    ({"type": "integer"}, 2**60 + 1),
    ({"type": "integer"}, 10**40),
    ({"type": "number"}, Number("1.10")),
    ({"type": "number"}, Number("1e400")),
    ({"type": ["number", "null"]}, 1.5),
    ({"enum": ["plain", 1]}, "plain"),
    ({"const": 3}, 3),
    ({}, "[withheld]"),
    ({"type": "string"}, "\ud800"),
    ({}, 12),
)
REMOTE = "https://schemas.example/other.json"

Fit = tuple[Json, Template]
"""A schema, and a value that fits it."""


@dataclass(slots=True, kw_only=True)
class Making:
    """One case under construction."""

    choices: Choices
    kinds: list[Kind] = field(default_factory=list[Kind])
    """The kind of each word."""
    guarded: set[int] = field(default_factory=set[int])
    """The words at places that a declaration withholds from the model."""
    partial: set[int] = field(default_factory=set[int])
    """The words that are only a part of a key: they are not values, whose echoes are searched for."""
    definitions: JsonObject = field(default_factory=dict[str, Json])
    is_old: bool = False
    """True if the schema is one of draft-07."""

    def word(self, *, guarded: bool, kind: Kind | None = None) -> Token:
        self.kinds.append(kind or self.choices.pick(KINDS))
        index = len(self.kinds) - 1
        if guarded:
            self.guarded.add(index)
        return Token(index)

    def again(self, value: Template) -> Template:
        """The same value with other words, withheld or not as those."""
        match value:
            case Token():
                word = self.word(guarded=value.index in self.guarded, kind=self.kinds[value.index])
                if value.index in self.partial:
                    self.partial.add(word.index)
                return word
            case Say():
                parts = (self.again(part) if isinstance(part, Token) else part for part in value.parts)
                return Say(tuple(part for part in parts if isinstance(part, (str, Token))))
            case Members():
                return Members(
                    tuple((_key(key, self.again), self.again(inner)) for key, inner in value.pairs),
                    value.twice,
                )
            case list():
                return [self.again(item) for item in value]
            case AsText():
                return AsText(self.again(value.value), value.style)
            case _:
                return value


def _key(key: str | Say, again: Callable[[Template], Template]) -> str | Say:
    changed = again(key)
    return changed if isinstance(changed, (str, Say)) else key


def output_schema(making: Making) -> Fit:
    """A whole schema, and a value that fits it."""
    making.is_old = making.choices.one_in(3)
    schema, value = _recursive(making) if making.choices.one_in(7) else _object(making, 2, guarded=False)
    if making.choices.one_in(5):
        schema, value = _combined(making, schema, value, 2, guarded=False)
    if making.choices.one_in(10):
        making.guarded.clear()
        schema, value = _fit(making, 2, guarded=False)
    whole: JsonObject = dict(schema) if isinstance(schema, dict) else {"allOf": [schema]}
    if making.is_old:
        whole = {"$schema": "http://json-schema.org/draft-07/schema#", **whole}
        if "$ref" in whole:
            whole = {"$schema": whole.pop("$schema"), "allOf": [whole]}
    if making.definitions:
        whole["definitions" if making.is_old else "$defs"] = dict(making.definitions)
    return whole, value


def _fit(making: Making, depth: int, *, guarded: bool) -> Fit:
    mark = making.choices.pick(MARKS)
    guarded = guarded or _hides(mark)
    schema: Json
    if depth == 0 or making.choices.one_in(2):
        schema, value = _leaf(making, guarded=guarded)
    elif making.choices.one_in(3):
        schema, value = _array(making, depth, guarded=guarded)
    else:
        schema, value = _object(making, depth, guarded=guarded)
    if isinstance(schema, dict):
        # Draft-07 ignores keywords next to a reference.
        beside: JsonObject = {"allOf": [schema]} if "$ref" in schema and mark else schema
        schema = {**beside, **mark}
    if making.choices.one_in(6):
        return _combined(making, schema, value, depth, guarded=guarded)
    return schema, value


def _hides(mark: JsonObject) -> bool:
    return bool(mark) and mark != {"x-sensitive": False}


def _leaf(making: Making, *, guarded: bool) -> Fit:
    if making.choices.one_in(4):
        return making.choices.pick(SCALARS)
    word = making.word(guarded=guarded)
    if making.kinds[word.index] is Kind.NUMBER:
        return {"type": making.choices.pick(("integer", "number"))}, word
    return {"type": "string"} if not making.choices.one_in(6) else {}, word


def _object(making: Making, depth: int, *, guarded: bool) -> Fit:
    choices = making.choices
    schema: JsonObject = {} if choices.one_in(8) else {"type": "object"}
    pairs: list[tuple[str | Say, Template]] = []
    if choices.one_in(12):
        schema["propertyNames"] = {"x-sensitive": True}
        guarded = True
        pairs.append((Say((making.word(guarded=True, kind=Kind.LONG),)), 5))
    named: JsonObject = {}
    for name in dict.fromkeys(choices.pick(NAMES) for _ in range(choices.between(1, 4))):
        named[name], value = _fit(making, depth - 1, guarded=guarded)
        pairs.append((name, value))
    schema["properties"] = named
    if choices.one_in(3) and named:
        schema["required"] = list(named)
    if choices.one_in(6):
        inner, value = _fit(making, 0, guarded=guarded)
        hidden = guarded or (isinstance(inner, dict) and _hides_itself(inner))
        schema["patternProperties"] = {"^p_": inner}
        word = making.word(guarded=hidden, kind=Kind.LONG)
        making.partial.add(word.index)
        pairs.append((Say(("p_", word)), value))
    elif choices.one_in(6):
        keyword = "additionalProperties" if making.is_old else choices.pick(OTHERS)
        schema[keyword], value = _fit(making, 0, guarded=guarded)
        pairs.append(("other", value))
    elif choices.one_in(6):
        schema["additionalProperties"] = False
    return schema, Members(tuple(pairs))


OTHERS = ("additionalProperties", "unevaluatedProperties")


def _hides_itself(schema: JsonObject) -> bool:
    return any(key in schema and schema[key] is not False for key in ("x-sensitive", "x_sensitive"))


def _array(making: Making, depth: int, *, guarded: bool) -> Fit:
    choices = making.choices
    first, value = _fit(making, depth - 1, guarded=guarded)
    more = [making.again(value) for _ in range(choices.between(0, 2))]
    keyword = choices.pick(("items", "items", "contains", "prefix", "unevaluatedItems"))
    schema: JsonObject = {"type": "array"}
    if keyword == "prefix" or (keyword == "unevaluatedItems" and making.is_old):
        second, other = _fit(making, 0, guarded=guarded)
        schema["items" if making.is_old else "prefixItems"] = [first, second]
        if choices.one_in(2):
            third, rest = _fit(making, 0, guarded=guarded)
            schema["additionalItems" if making.is_old else "items"] = third
            return schema, [value, other, rest, making.again(rest)]
        return schema, [value, other]
    schema[keyword] = first
    return schema, [value, *more]


def _combined(making: Making, schema: Json, value: Template, depth: int, *, guarded: bool) -> Fit:
    """The same value through a combining keyword, whose other branch may mark the value too."""
    choices = making.choices
    mark = choices.pick(MARKS)
    if _hides(mark) and not guarded:
        making.guarded.update(blank.index for blank in blanks(value))
    match choices.between(0, 7):
        case 0:
            return {"allOf": [schema, {**mark}]}, value
        case 1:
            return {"anyOf": [{**mark}, schema]}, value
        case 2:
            return {"oneOf": [{"const": "never"}, schema], **mark}, value
        case 3:
            return {"if": True, "then": schema, **mark}, value
        case 4:
            return {"if": False, "then": False, "else": {"allOf": [schema], **mark}}, value
        case 5 if isinstance(value, Members):
            keyword = "dependencies" if making.is_old else "dependentSchemas"
            key = next((key for key, _ in value.pairs if isinstance(key, str)), "id")
            return {keyword: {key: schema}, **mark}, value
        case 6 if depth > 0:
            making.guarded.update(blank.index for blank in blanks(value))
            return {"allOf": [{"$ref": choices.pick((REMOTE, "#/nowhere"))}]}, value
        case _:
            return _referenced(making, {"allOf": [schema], **mark}), value


def _referenced(making: Making, schema: Json) -> Json:
    name = f"d{len(making.definitions)}"
    making.definitions[name] = schema
    return {"$ref": f"#/{'definitions' if making.is_old else '$defs'}/{name}"}


def _recursive(making: Making) -> Fit:
    """A tree: a schema that refers to itself."""
    inner, value = _fit(making, 0, guarded=False)
    secret: JsonObject = {"type": "string", "x-sensitive": True}
    properties: JsonObject = {"secret": secret, "name": inner}
    node: JsonObject = {"type": "object", "properties": properties}
    reference = _referenced(making, node)
    properties["next"] = reference
    properties["rows"] = {"type": "array", "items": reference}

    def grown(levels: int) -> Template:
        below: tuple[tuple[str, Template], ...] = ()
        if levels and making.choices.one_in(2):
            below = (("next", grown(levels - 1)),)
        elif levels:
            below = (("rows", [grown(levels - 1), grown(0)]),)
        word = making.word(guarded=True, kind=Kind.LONG)
        return Members((("secret", word), ("name", making.again(value)), *below))

    return reference, grown(making.choices.between(1, 3))
