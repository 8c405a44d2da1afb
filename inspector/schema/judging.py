"""jsonschema with the keywords of this package: nothing is fetched, every step is counted."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TypeAlias, cast
from urllib.parse import quote

from jsonschema import (
    Draft4Validator,
    Draft6Validator,
    Draft7Validator,
    Draft201909Validator,
    Draft202012Validator,
    validators,
)
from jsonschema.exceptions import ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import join
from inspector.schema.effort import Effort, cut
from inspector.schema.evaluated import UNEVALUATED
from inspector.schema.exact import is_integral
from inspector.schema.keywords import KEYWORDS, Judge, Keyword

_ROOT = -1
"""In the schema path of an error: what follows starts at the root of the schema."""
_DRAFTS = {
    "json-schema.org/draft-04/schema": Draft4Validator,
    "json-schema.org/draft-06/schema": Draft6Validator,
    "json-schema.org/draft-07/schema": Draft7Validator,
    "json-schema.org/draft/2019-09/schema": Draft201909Validator,
    "json-schema.org/draft/2020-12/schema": Draft202012Validator,
}
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_LOCAL: Registry[JsonObject | bool] = Registry()
"""No schema but the specifications' own, which jsonschema adds, and no way to fetch one."""

_Draft: TypeAlias = Callable[..., Judge]
_Descend: TypeAlias = Callable[..., Iterable[ValidationError]]


def draft_name(dialect: str) -> str | None:
    """The name of a known dialect by its `$schema`; None where it is not known."""
    name = dialect.partition("://")[2].removesuffix("#")
    return name if name in _DRAFTS else None


def judge_of(draft: str, schema: Json, effort: Effort) -> Judge:
    """A validator of `schema`."""
    return _draft(draft)(schema, registry=_LOCAL, format_checker=effort)


def metaschema_of(draft: str) -> JsonObject:
    """The schema that schemas of a draft must fit."""
    return cast("JsonObject", _DRAFTS[draft].META_SCHEMA)


def schema_pointer(error: ValidationError) -> str:
    """Where in the schema the keyword behind an error stands; what lies in other documents is told as the way there."""
    path = list(error.absolute_schema_path)
    start = max((index for index, token in enumerate(path) if token == _ROOT), default=-1) + 1
    return join(path[start:])


@lru_cache(maxsize=len(_DRAFTS))
def _draft(name: str) -> _Draft:
    known = _DRAFTS[name]
    keywords = cast("dict[str, Keyword]", known.VALIDATORS)
    bounded = {
        keyword: apply for keyword, apply in {**KEYWORDS, **UNEVALUATED}.items() if keyword in keywords
    }
    following = {keyword: _following(keywords[keyword]) for keyword in _REFERENCES if keyword in keywords}
    counted = {
        keyword: _counted(keyword, apply) for keyword, apply in {**keywords, **bounded, **following}.items()
    }
    types = known.TYPE_CHECKER
    if known is not Draft4Validator:
        types = types.redefine("integer", _is_integer)
    draft = validators.extend(known, validators=counted, type_checker=types)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    # A `$schema` inside the schema would make jsonschema go on with a validator of its own.
    draft.evolve = _evolved
    draft.descend = _descending(cast("_Descend", draft.descend))  # pyright: ignore[reportUnknownMemberType]
    return cast("_Draft", draft)


def _evolved(judge: Judge, **changes: object) -> Judge:
    # jsonschema has no public way to hand on where references are resolved.
    changes.setdefault("_resolver", judge._resolver)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    draft = cast("_Draft", type(judge))
    return draft(registry=_LOCAL, format_checker=judge.format_checker, **changes)


def _descending(descend: _Descend) -> _Descend:
    """As jsonschema descends, but that it knows where it was when a schema is `false`."""

    def descending(
        judge: Judge,
        instance: Json,
        schema: Json,
        path: str | int | None = None,
        schema_path: str | int | None = None,
        resolver: object = None,
    ) -> Iterable[ValidationError]:
        if schema is not False:
            return descend(judge, instance, schema, path, schema_path, resolver)
        return iter(
            [
                ValidationError(
                    "is not allowed here",
                    validator="",
                    path=() if path is None else [path],
                    schema_path=() if schema_path is None else [schema_path],
                )
            ]
        )

    return descending


def _counted(keyword: str, apply: Keyword) -> Keyword:
    def counted(judge: Judge, value: Json, instance: Json, schema: JsonObject) -> Iterable[ValidationError]:
        if not isinstance(value, _SHAPES.get(keyword, object)):
            # What only a reference leads to has not been checked with the rest of the schema.
            return [ValidationError(f"cannot be checked: `{keyword}` of the schema is malformed")]
        size = 0
        if keyword in _EVERY_ITEM and isinstance(instance, list):
            size = len(instance)
        elif keyword in _EVERY_BRANCH and isinstance(value, (list, dict)):
            size = len(value)
        # What passes over `true` and absent keys is cheap, but not free.
        judge.format_checker.spend(1 + size // 4)
        return apply(judge, value, instance, schema) or ()

    return counted


_SHAPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("$ref", "$dynamicRef", "$recursiveRef", "pattern", "format"), str),
    **dict.fromkeys(("properties", "patternProperties", "dependentSchemas", "dependentRequired"), dict),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "required", "enum", "prefixItems"), list),
    **dict.fromkeys(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), (int, float)
    ),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), (int, float)),
    **dict.fromkeys(("minProperties", "maxProperties"), (int, float)),
    "dependencies": dict,
    "type": (str, list),
    "uniqueItems": bool,
}
_EVERY_ITEM = frozenset({"items", "prefixItems", "additionalItems", "contains", "unevaluatedItems"})
_EVERY_BRANCH = frozenset({"allOf", "anyOf", "oneOf", "dependentSchemas"})


def _following(apply: Keyword) -> Keyword:
    """A reference whose errors know where in the schema it led, and which is an error where it leads nowhere."""

    def following(judge: Judge, value: Json, instance: Json, schema: JsonObject) -> Iterator[ValidationError]:
        place = judge.format_checker.follow(value, schema)
        try:
            if place is None:
                yield from apply(judge, value, instance, schema)
                return
            for error in apply(judge, f"#{quote(join(place.tokens))}", instance, schema):
                error.schema_path.extendleft(reversed((_ROOT, *place.tokens)))
                yield error
        except (Unresolvable, LookupError, ValueError):
            led = cut(value) if isinstance(value, str) else "nowhere"
            yield ValidationError(f"cannot be checked: the schema refers to {led}, which is not here")

    return following


def _is_integer(_: object, instance: object) -> bool:
    return isinstance(instance, (int, float)) and not isinstance(instance, bool) and is_integral(instance)
