"""A reimplementation of the part of pydantic 2.14 that MCP's Python client needs: lax validation with its error texts.

Source: docs.pydantic.dev, Validation Errors and Conversion Table; url.spec.whatwg.org, which pydantic follows.
"""

import math
import re
import sys
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias, assert_never

from msgspec import Struct

from inspector.hosts.python_text import represented, shortened, type_name
from inspector.json.exact import MAX_INTEGER_DIGITS, Json, JsonObject

Place: TypeAlias = tuple[str | int, ...]


class Issue(Struct, frozen=True, kw_only=True):
    """A validation error."""

    type: str
    place: Place
    message: str
    value: Json

    @property
    def text(self) -> str:
        quoted = f"input_value={shortened(represented(self.value))}, input_type={type_name(self.value)}"
        return (
            f"{'.'.join(map(str, self.place))}\n  {self.message} [type={self.type}, {quoted}]\n"
            f"    For further information visit https://errors.pydantic.dev/2.14/v/{self.type}"
        )


def error_text(title: str, issues: tuple[Issue, ...]) -> str:
    """The text of a ValidationError, as `str(error)` gives it."""
    count = f"{len(issues)} validation error{'' if len(issues) == 1 else 's'} for {title}"
    return "\n".join([count, *(issue.text for issue in issues)])


class Scalar(Enum):
    """A pydantic type without parameters, such as `str` or `int`."""

    TEXT = "str"
    URI = "AnyUrl"
    """A URL. Only its scheme is checked here, although pydantic checks all of it."""
    TRUTH = "bool"
    WHOLE = "int"
    SHARE = "float"
    """A number from 0 to 1."""
    MAPPING = "dict[str, Any]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A `Literal`, with its values."""

    values: tuple[str, ...]


class Items(Struct, frozen=True, kw_only=True):
    """A type `list[…]`, with the type of its items."""

    of: "Kind"


class ModelField(Struct, frozen=True, kw_only=True):
    """A field of a model."""

    name: str
    """The name in Python."""
    wire: str
    """The name in JSON."""
    kind: "Kind"
    required: bool = False
    nullable: bool = True


class Model(Struct, frozen=True, kw_only=True):
    """A Pydantic model class."""

    name: str
    members: tuple[ModelField, ...]
    keeps_others: bool = False
    """True if the model keeps unknown members (`extra="allow"`)."""

    @property
    def types(self) -> tuple[str, ...]:
        """The allowed values of the model's field `type`; empty if the model has no such field."""
        for member in self.members:
            if member.wire == "type" and isinstance(member.kind, Choice):
                return member.kind.values
        return ()


class AnyOf(Struct, frozen=True, kw_only=True):
    """A union of models, distinguished by their required members."""

    models: tuple[Model, ...]


Kind: TypeAlias = Scalar | Choice | Items | Model | AnyOf


@dataclass(slots=True, kw_only=True)
class Checked:
    """The result of a validation: a coerced value, or errors."""

    value: Json = None
    issues: list[Issue] = field(default_factory=list[Issue])


def check(value: Json, kind: Kind, place: Place = ()) -> Checked:
    """The result of `validate_python(value)`.

    The depth of recursion is that of the model, not of the value.
    """
    match kind:
        case Scalar.TEXT:
            return (
                Checked(value=value)
                if isinstance(value, str)
                else _wrong("string_type", "string", place, value)
            )
        case Scalar.URI:
            return _uri(value, place)
        case Scalar.TRUTH:
            return _truth(value, place)
        case Scalar.WHOLE:
            return _whole(value, place)
        case Scalar.SHARE:
            return _share(value, place)
        case Choice():
            if isinstance(value, str) and value in kind.values:
                return Checked(value=value)
            allowed = " or ".join(f"'{choice}'" for choice in kind.values)
            return _fault("literal_error", f"Input should be {allowed}", place, value)
        case Scalar.MAPPING:
            return (
                Checked(value=value)
                if isinstance(value, dict)
                else _wrong("dict_type", "dictionary", place, value)
            )
        case Items():
            return _items(value, kind, place)
        case Model():
            return _model(value, kind, place)
        case AnyOf():
            return _any_of(value, kind, place)
        case _:
            assert_never(kind)


def _fault(type_: str, message: str, place: Place, value: Json) -> Checked:
    return Checked(issues=[Issue(type=type_, place=place, message=message, value=value)])


def _wrong(type_: str, expected: str, place: Place, value: Json, more: str = "") -> Checked:
    return _fault(type_, f"Input should be a valid {expected}{more}", place, value)


def _uri(value: Json, place: Place) -> Checked:
    if not isinstance(value, str):
        return _fault("url_type", "URL input should be a string or URL", place, value)
    if not _SCHEME.match(value.strip(_URL_SPACE)):
        detail = "input is empty" if not value.strip(_URL_SPACE) else "relative URL without a base"
        return _wrong("url_parsing", "URL", place, value, f", {detail}")
    return Checked(value=value)


def _truth(value: Json, place: Place) -> Checked:
    match value:
        case bool():
            return Checked(value=value)
        case str() if value.lower() in _YES or value.lower() in _NO:
            return Checked(value=value.lower() in _YES)
        case int() | float() if value in {0, 1}:
            return Checked(value=value == 1)
        case str():
            return _wrong("bool_parsing", "boolean", place, value, ", unable to interpret input")
        case int() | float() if _is_whole(value):
            return _wrong("bool_parsing", "boolean", place, value, ", unable to interpret input")
        case _:
            return _wrong("bool_type", "boolean", place, value)


def _is_whole(value: float) -> bool:
    """True if a number is an integer of 64 bits."""
    return abs(value) < _BEYOND and value == int(value)


def _whole(value: Json, place: Place) -> Checked:
    match value:
        case float():
            if not math.isfinite(value):
                return _fault("finite_number", "Input should be a finite number", place, value)
            if value != math.trunc(value):
                detail = ", got a number with a fractional part"
                return _wrong("int_from_float", "integer", place, value, detail)
            return Checked(value=int(value)) if _is_whole(value) else _too_big(value, place)
        case int():
            return Checked(value=int(value))
        case str() if len(value) > MAX_INTEGER_DIGITS:
            return _too_big(value, place)
        case str() if _INTEGER.fullmatch(value.strip()):
            return Checked(value=int(value.strip().replace("_", "").split(".")[0]))
        case str():
            return _wrong("int_parsing", "integer", place, value, ", unable to parse string as an integer")
        case _:
            return _wrong("int_type", "integer", place, value)


def _too_big(value: Json, place: Place) -> Checked:
    detail = "Unable to parse input string as an integer, exceeded maximum size"
    return _fault("int_parsing_size", detail, place, value)


def _share(value: Json, place: Place) -> Checked:
    match value:
        case int() if abs(value) > sys.float_info.max:
            return _wrong("float_type", "number", place, value)
        case int() | float():
            number = float(value)
        case str():
            try:
                number = float(value) if value.isascii() else float(value.strip().encode("ascii"))
            except ValueError:
                return _wrong("float_parsing", "number", place, value, ", unable to parse string as a number")
        case _:
            return _wrong("float_type", "number", place, value)
    if not number <= 1:
        return _fault("less_than_equal", "Input should be less than or equal to 1", place, value)
    if number < 0:
        return _fault("greater_than_equal", "Input should be greater than or equal to 0", place, value)
    return Checked(value=number)


def _items(value: Json, kind: Items, place: Place) -> Checked:
    if not isinstance(value, list):
        return _wrong("list_type", "list", place, value)
    checked = Checked()
    kept: list[Json] = []
    for index, item in enumerate(value):
        inner = check(item, kind.of, (*place, index))
        kept.append(inner.value)
        checked.issues.extend(inner.issues)
    checked.value = kept
    return checked


def _model(value: Json, kind: Model, place: Place) -> Checked:
    if not isinstance(value, dict):
        detail = f"Input should be a valid dictionary or instance of {kind.name}"
        return _fault("model_type", detail, place, value)
    checked = Checked()
    kept: JsonObject = {}
    for member in kind.members:
        at = (*place, member.wire)
        if member.wire not in value:
            if member.required:
                checked.issues.append(Issue(type="missing", place=at, message="Field required", value=value))
            continue
        given = value[member.wire]
        if given is None and member.nullable:
            kept[member.wire] = None
            continue
        inner = check(given, member.kind, at)
        checked.issues.extend(inner.issues)
        kept[member.wire] = inner.value
    if kind.keeps_others:
        known = {member.wire for member in kind.members}
        kept.update((key, inner) for key, inner in value.items() if key not in known)
    checked.value = kept
    return checked


def _any_of(value: Json, kind: AnyOf, place: Place) -> Checked:
    """Check a value against a union.

    If it fits several models, the one with the most fields present wins, then the first.
    """
    matching = next((model for model in kind.models if _names(value, model)), None)
    if matching:
        checked = check(value, matching, (*place, matching.name))
        if not checked.issues:
            return checked
    results = [check(value, model, (*place, model.name)) for model in kind.models]
    fits = [checked for checked in results if not checked.issues]
    if fits:
        return max(fits, key=lambda checked: len(checked.value) if isinstance(checked.value, dict) else 0)
    return Checked(issues=[issue for checked in results for issue in checked.issues])


def _names(value: Json, model: Model) -> bool:
    """True if the member `type` of a value selects this model."""
    type_ = value.get("type") if isinstance(value, dict) else None
    return isinstance(type_, str) and type_ in model.types


_BEYOND = 2**63
_YES = frozenset({"1", "on", "t", "true", "y", "yes"})
_NO = frozenset({"0", "off", "f", "false", "n", "no"})
_INTEGER = re.compile(r"[+-]?[0-9]+(_[0-9]+)*(\.0+)?", re.ASCII)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:", re.ASCII)
_URL_SPACE = "".join(map(chr, range(0x21)))

_PLAIN = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*):(//(?P<host>[A-Za-z0-9._-]*))?(?P<rest>[A-Za-z0-9._~:/?#@!$&()*+,;=%-]*)",
    re.ASCII,
)
_DOTS = re.compile(r"[/:]\.\.?(?:[/?#]|$)|%2e", re.IGNORECASE)
_WEB = frozenset({"http", "https", "ws", "wss", "ftp"})
_WEB_HOST = re.compile(r"[a-z][a-z-]*(\.[a-z][a-z-]*)*", re.ASCII)


class Rewritten(Struct, frozen=True, kw_only=True):
    """A URI in normalised form."""

    text: str
    certain: bool
    """False if the normalised form is not known; then `text` is as sent."""


def rewritten(uri: str) -> Rewritten:
    """The result of `str(AnyUrl(uri))`; most URIs do not change."""
    unsure = Rewritten(text=uri, certain=False)
    found = _PLAIN.fullmatch(uri)
    if not found or _DOTS.search(uri):
        return unsure
    host, rest = found["host"], found["rest"]
    if host is not None and rest and rest[0] not in "/?#":
        return unsure
    if found["scheme"] == "file":
        is_local = host == "" and rest.startswith("/") and not rest.startswith("//") and ":" not in rest
        return Rewritten(text=uri, certain=True) if is_local else unsure
    if found["scheme"] not in _WEB:
        return Rewritten(text=uri, certain=True)
    if host is None or not _WEB_HOST.fullmatch(host) or "xn--" in host:
        return unsure
    path = rest if rest.startswith("/") else f"/{rest}"
    return Rewritten(text=f"{found['scheme']}://{host}{path}", certain=True)
