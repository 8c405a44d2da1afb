"""URI templates of resources. Source: RFC 6570, levels 1 to 4; docs/decisions/0014-uri-templates.md."""

from collections.abc import Mapping
from typing import cast

from msgspec import Struct
from uritemplate import URITemplate
from uritemplate.variable import Operator, VariableValue

from inspector.json.exact import Json

_REQUIRED = frozenset({Operator.default, Operator.reserved})
"""The operators whose expressions leave a gap if a variable has no value."""
MAX_CHARACTERS = 20_000
"""The maximum number of characters of a template, and of the URI that it expands to."""


class Variable(Struct, frozen=True, kw_only=True):
    """A variable of a URI template (RFC 6570)."""

    name: str
    is_required: bool
    is_exploded: bool
    """True if each item of a list or object is expanded separately: `{?list*}`."""


def variables(template: str) -> tuple[Variable, ...]:
    """The variables of a template, in the order of first use; empty if the template cannot be parsed."""
    try:
        expressions = _parsed(template).variables
    except ValueError:
        return ()
    found: dict[str, Variable] = {}
    for expression in expressions:
        for name, modifiers in expression.variables:
            before = found.get(name)
            found[name] = Variable(
                name=name,
                is_required=expression.operator in _REQUIRED or bool(before and before.is_required),
                is_exploded=bool(modifiers.get("explode")) or bool(before and before.is_exploded),
            )
    return tuple(found.values())


def expanded(template: str, values: Mapping[str, Json]) -> str:
    """The URI that a template expands to. Variables without a value are left out.

    Raises ValueError if the template or a value cannot be used, or if a text is too long.
    """
    uri = _parsed(template).expand({name: _value(name, value) for name, value in values.items()})
    if len(uri) > MAX_CHARACTERS:
        raise ValueError(f"the URI would have more than {MAX_CHARACTERS:,} characters")
    return uri


def _parsed(template: str) -> URITemplate:
    if len(template) > MAX_CHARACTERS:
        raise ValueError(f"the template has more than {MAX_CHARACTERS:,} characters")
    return URITemplate(template)


def _value(name: str, value: Json) -> VariableValue:
    match value:
        case list():
            return [_scalar(name, item) for item in value]
        case dict():
            # Pairs keep their order. The library would sort the keys of a dictionary.
            return cast("VariableValue", [(key, _scalar(name, item)) for key, item in value.items()])
        case _:
            return _scalar(name, value)


def _scalar(name: str, value: Json) -> str:
    match value:
        case str():
            return value
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
        case _:
            raise ValueError(f"{name} is not a text, a number, or a list or object of these")
