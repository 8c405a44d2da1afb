"""Closed sets of values: `const`, `enum`, and alternatives that are one value each."""

from inspector.json.exact import Json, JsonObject


def choices_of(keywords: JsonObject) -> tuple[tuple[Json, ...], tuple[str, ...]]:
    """The closed set that a value is from, and the titles of its members."""
    if "const" in keywords:
        return (keywords["const"],), ()
    listed = keywords.get("enum")
    if isinstance(listed, list):
        names = keywords.get("enumNames")
        titles = tuple(_text(name) or "" for name in names) if isinstance(names, list) else ()
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
            titled.append((_text(branch.get("title")) if isinstance(branch, dict) else None) or "")
        else:
            return tuple(values), tuple(titled) if any(titled) else ()
    return (), ()


def _only_value(schema: Json) -> list[Json] | None:
    """The one value that a schema allows, in a list; None where it allows others."""
    if not isinstance(schema, dict):
        return None
    if "const" in schema:
        return [schema["const"]]
    listed = schema.get("enum")
    if isinstance(listed, list) and len(listed) == 1:
        return listed
    return [None] if schema.get("type") == "null" else None


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
