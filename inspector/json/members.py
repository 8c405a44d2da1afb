"""Reads members of values of any shape. A missing member is None or empty; nothing raises."""

from inspector.json.exact import Json, JsonObject


def value_at(value: Json, *keys: str) -> Json:
    """The value at the path `keys`; None if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def object_at(value: Json, *keys: str) -> JsonObject:
    """The object at the path `keys`; an empty one if there is none."""
    member = value_at(value, *keys)
    return member if isinstance(member, dict) else {}


def text_at(value: Json, *keys: str) -> str | None:
    """The text at the path `keys`; None if there is none."""
    member = value_at(value, *keys)
    return member if isinstance(member, str) else None
