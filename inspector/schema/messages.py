"""Messages about values that do not fit a schema, from a table of the errors of jsonschema-rs.

A message is a phrase that follows a pointer, such as `must be an integer, is "seven"`. Texts that a message
quotes are cut; `validation` escapes control and invisible characters in them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.json.exact import DuplicateKeys, Json, dump_text, equal

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

Path = tuple[str | int, ...]

_QUOTED = 60
_LISTED = 120
_MAX_NAMED = 10
"""The maximum number of values of an `enum` that a message names."""
_MAX_COMPARED = 100
"""The maximum number of items that are compared to find two equal ones."""
_MAX_JOINED = 4
"""The maximum number of alternatives that one message joins with "or"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One error at one place of a value, in words."""

    path: Path
    words: str
    given: str = ""
    """The end of the sentence, which says what was found instead; it may quote the value."""
    kind: str = ""
    """The end of the sentence without a quotation of the value, in place of `given`; may be empty."""
    keyword: str = ""
    schema_path: Path = ()


def messages_of(error: "ValidationError", value: Json) -> Iterator[Message]:
    """The messages about one error. `value`: the whole value that was checked, from which messages quote."""
    name, path = type(error.kind).__name__, tuple(error.instance_path)
    kind: Any = error.kind
    match name:
        case "Required":
            yield _message(error, (*path, kind.property), "is missing")
        case "AdditionalProperties" | "UnevaluatedProperties":
            for key in kind.unexpected:
                yield _message(error, (*path, key), "is not a member that the schema allows")
        case "FalseSchema":
            yield from _forbidden(error, path, value)
        case "PropertyNames":
            yield from _misnamed(error)
        case "AnyOf" | "OneOfNotValid":
            yield from _alternatives(error, kind.context, value)
        case _:
            yield _plain(error, path, _at(value, path))


def kind_of(value: Json) -> str:
    """The type of a value, with its article."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case dict():
            return "an object"
        case list():
            return "an array"
        case DuplicateKeys():
            return "an object with repeated keys"
        case _:
            return "a number"


def cut(text: str, most: int = _QUOTED) -> str:
    """A text, cut to at most `most` characters, for a message."""
    return text if len(text) <= most else f"{text[:most]}…"


def _plain(error: "ValidationError", path: Path, given: Json) -> Message:
    """The message about an error in one value, with the words that `_TABLE` has for the kind of error."""
    name = type(error.kind).__name__
    asks = _TABLE.get(name)
    words = asks(error.kind) if asks else "does not fit the schema"
    if name == "Contains":
        words = _CONTAINS.get(str(error.schema_path[-1]), words)
    if name == "UniqueItems" and isinstance(given, list):
        alike = _alike(given)
        return _message(error, path, words, given=alike, kind=alike)
    if name in _SIZES and isinstance(given, (str, list, dict)):
        return _message(error, path, words, given=f", has {len(given)}")
    if name in _QUOTING:
        kind = f", is {kind_of(given)}"
        return _message(
            error, path, words, given=f", is {_shown(given)}", kind=kind if name == "Type" else ""
        )
    return _message(error, path, words)


def _alike(items: list[Json]) -> str:
    """The end of a sentence with the indices of two equal items; empty if the first items all differ."""
    first = items[:_MAX_COMPARED]
    for index, item in enumerate(first):
        for earlier in range(index):
            if equal(first[earlier], item):
                return f"; {earlier} and {index} are"
    return ""


def _forbidden(error: "ValidationError", path: Path, value: Json) -> Iterator[Message]:
    around = _at(value, path)
    # The engine names no key if `additionalProperties: false` is the only keyword about members.
    keys = (
        list(around)
        if isinstance(around, dict) and error.schema_path[-1:] == ["additionalProperties"]
        else []
    )
    for key in keys:
        yield _message(error, (*path, key), "is not a member that the schema allows")
    if not keys:
        yield _message(error, path, "is not allowed here")


def _misnamed(error: "ValidationError") -> Iterator[Message]:
    kind: Any = error.kind
    inner: ValidationError = kind.error
    key = str(inner.instance)
    for found in messages_of(inner, key):
        quoted, plain = f'the key "{cut(key)}" {found.words}{found.given}', f"a key {found.words}"
        # Both are whole sentences. The key is part of the value, so only the text for `given` may quote it.
        yield _message(error, tuple(error.instance_path), "", given=quoted, kind=plain)


def _alternatives(
    error: "ValidationError", context: "list[list[ValidationError]]", value: Json
) -> Iterator[Message]:
    """The messages about the alternative that the value most likely follows.

    If each alternative has one error, and the error says what the value must be, one message joins them.
    """
    here = len(error.instance_path)
    branches = sorted((branch for branch in context if branch), key=lambda branch: _distance(branch, here))
    if not branches:
        yield _message(error, tuple(error.instance_path), "fits none of the alternatives")
        return
    candidates = [list(messages_of(branch[0], value)) for branch in branches if len(branch) == 1]
    simple = [found[0] for found in candidates if len(found) == 1 and _is_simple(found[0], here)]
    if len(simple) == len(branches):
        asked = sorted(dict.fromkeys(found.words.removeprefix(_MUST) for found in simple), key="null".__eq__)
        words = _MUST + " or ".join(asked[:_MAX_JOINED]) + (" or another" if len(asked) > _MAX_JOINED else "")
        given = next((found for found in simple if found.given.startswith(", is ")), simple[0])
        yield _message(error, given.path, words, given=given.given, kind=given.kind)
        return
    for inner in branches[0]:
        yield from messages_of(inner, value)


_MUST = "must be "


def _is_simple(found: Message, here: int) -> bool:
    return len(found.path) == here and found.words.startswith(_MUST)


def _distance(branch: "list[ValidationError]", here: int) -> tuple[bool, bool, int, int]:
    """A sort key that puts the most likely alternative first.

    An alternative is likely if its type and its tag fit, and if its errors are few or deep in the value.
    """
    roots = [error for error in branch if len(error.instance_path) == here]
    below = [error for error in branch if len(error.instance_path) == here + 1]
    return (
        any(type(error.kind).__name__ in {"Type", "FalseSchema"} for error in roots),
        any(type(error.kind).__name__ in {"Constant", "Enum"} for error in below),
        len(branch),
        -max(len(error.instance_path) for error in branch),
    )


def _message(error: "ValidationError", path: Path, words: str, *, given: str = "", kind: str = "") -> Message:
    name = error.kind.name
    schema_path: Path = tuple(error.schema_path)
    last = schema_path[-1] if schema_path else ""
    if name == "falseSchema":
        name = last if isinstance(last, str) and last in _EVERY_OTHER else "false"
    elif name == "contains":
        name = str(last)
    return Message(path=path, words=words, given=given, kind=kind, keyword=name, schema_path=schema_path)


def _at(value: Json, path: Path) -> Json:
    for token in path:
        match value:
            case dict():
                value = value[str(token)]
            case list():
                value = value[int(token)]
            case DuplicateKeys():
                value = dict(value.pairs)[str(token)]
            case _:
                return None
    return value


def _shown(value: Json) -> str:
    if isinstance(value, (dict, list, DuplicateKeys)):
        return kind_of(value)
    if isinstance(value, str):
        return f'"{cut(value)}"'
    return cut(_one(value))


def _one(value: object) -> str:
    """The JSON text of a value that an error of the engine quotes from the schema."""
    if isinstance(value, (dict, list, str, bool, int, float)) or value is None:
        return dump_text(value)  # pyright: ignore[reportUnknownArgumentType] - the engine returns JSON
    return str(value)


def _limit(words: str, noun: str = "") -> Callable[[Any], str]:
    def asks(kind: Any) -> str:
        plural = "" if kind.limit == 1 else "s"
        return f"{words} {cut(_one(kind.limit))}{f' {noun}{plural}' if noun else ''}"

    return asks


def _named(options: "list[object]") -> str:
    listed = ", ".join(_one(option) for option in options[:_MAX_NAMED])
    return f"{cut(listed, _LISTED)}, …" if len(options) > _MAX_NAMED else cut(listed, _LISTED)


def _types(kind: Any) -> str:
    names: list[str] = sorted(kind.types, key="null".__eq__)
    return "must be " + " or ".join(_TYPES.get(name, name) for name in names)


_TYPES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
FORMATS = {
    "date": "a date (YYYY-MM-DD)",
    "date-time": "a date and time (YYYY-MM-DDThh:mm:ssZ)",
    "time": "a time (hh:mm:ssZ)",
    "duration": "a duration (such as P1DT2H)",
    "email": "an e-mail address",
    "hostname": "a host name",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
    "uri": "a URI",
    "uri-reference": "a URI or a relative reference",
    "uuid": "a UUID",
    "json-pointer": "a JSON pointer",
    "regex": "a regular expression that can be matched safely",
}
_CONTAINS = {
    "minContains": "has fewer items that match `contains` than `minContains` requires",
    "maxContains": "has more items that match `contains` than `maxContains` allows",
}
_EVERY_OTHER = frozenset(
    {"additionalProperties", "unevaluatedProperties", "items", "additionalItems", "unevaluatedItems"}
)
_SIZES = frozenset(
    {"MinLength", "MaxLength", "MinItems", "MaxItems", "MinProperties", "MaxProperties", "AdditionalItems"}
)
_QUOTING = frozenset(
    {
        "Type",
        "Enum",
        "Constant",
        "Minimum",
        "Maximum",
        "ExclusiveMinimum",
        "ExclusiveMaximum",
        "MultipleOf",
        "Pattern",
        "Format",
    }
)
_TABLE: dict[str, Callable[[Any], str]] = {
    "Type": _types,
    "Enum": lambda kind: f"must be {'one of ' if len(kind.options) > 1 else ''}{_named(kind.options)}",
    "Constant": lambda kind: f"must be {cut(_one(kind.expected_value))}",
    "Minimum": _limit("must be at least"),
    "Maximum": _limit("must be at most"),
    "ExclusiveMinimum": _limit("must be more than"),
    "ExclusiveMaximum": _limit("must be less than"),
    "MultipleOf": lambda kind: f"must be a multiple of {cut(_one(kind.multiple_of))}",
    "MinLength": _limit("must be at least", "character"),
    "MaxLength": _limit("must be at most", "character"),
    "MinItems": _limit("must have at least", "item"),
    "MaxItems": _limit("must have at most", "item"),
    "MinProperties": _limit("must have at least", "member"),
    "MaxProperties": _limit("must have at most", "member"),
    "AdditionalItems": _limit("must have at most", "item"),
    "Pattern": lambda kind: f"must match {cut(kind.pattern)}",
    "Format": lambda kind: f"must be {FORMATS.get(kind.format, cut(kind.format))}",
    "UniqueItems": lambda _: "must not have two equal items",
    "Contains": lambda _: "has no item that matches `contains`",
    # The message names no item, because the engine returns the items without their indices.
    "UnevaluatedItems": lambda _: "has items that the schema does not allow",
    "Not": lambda _: "must not fit the schema under `not`",
    "OneOfMultipleValid": lambda _: "must fit exactly one of the alternatives, fits several",
}
