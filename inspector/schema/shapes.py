"""The variants of a value in one line, such as `{kind: "card", number} or {kind: "cash", amount?}`."""

from collections.abc import Iterator

from inspector.json.exact import Json, JsonObject, dump_text
from inspector.schema.merging import merge
from inspector.schema.references import References

_MOST_VARIANTS = 6
_MOST_MEMBERS = 8
_LONGEST = 40


def variants_of(keywords: JsonObject, references: References, above: frozenset[str]) -> str:
    """The variants of `anyOf` or `oneOf` in words; empty if a schema has none.

    The words quote untrusted text.

    `keywords`: the keywords of the merged schema. `above`: the references that were followed to reach that
    schema.
    """
    branches = next(
        (found for name in ("anyOf", "oneOf") if isinstance(found := keywords.get(name), list)), None
    )
    if not branches:
        return ""
    shapes = dict.fromkeys(_shape(branch, references, above) for branch in branches[:_MOST_VARIANTS])
    return " or ".join((*shapes, *(("…",) if len(branches) > _MOST_VARIANTS else ())))


def _shape(schema: Json, references: References, above: frozenset[str]) -> str:
    """The text for one variant of a value: the members of an object, the only allowed value, or the types."""
    merged = merge(schema, references, above)
    properties = merged.keywords.get("properties")
    if isinstance(properties, dict) and properties:
        members = [*_members(properties, merged.keywords.get("required"))]
        return "{" + ", ".join((*members, *(("…",) if len(properties) > _MOST_MEMBERS else ()))) + "}"
    return _only(merged.keywords) or " or ".join(merged.types) or "any JSON"


def _members(properties: JsonObject, required: Json) -> Iterator[str]:
    names = required if isinstance(required, list) else []
    for name, schema in list(properties.items())[:_MOST_MEMBERS]:
        only = _only(schema) if isinstance(schema, dict) else ""
        yield f"{name[:_LONGEST]}{'' if name in names else '?'}{f': {only}' if only else ''}"


def _only(schema: JsonObject) -> str:
    """The only value that a schema allows, as JSON; empty if it allows others."""
    if "const" in schema:
        return dump_text(schema["const"])[:_LONGEST]
    listed = schema.get("enum")
    return dump_text(listed[0])[:_LONGEST] if isinstance(listed, list) and len(listed) == 1 else ""
