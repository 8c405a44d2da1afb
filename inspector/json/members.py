"""Members of values that may be anything: a step that leads nowhere gives nothing, and nothing raises."""

from inspector.json.exact import Json, JsonObject


def value_at(value: Json, *keys: str) -> Json:
    """The value that keys lead to, one below the other; None where one of them leads nowhere."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def object_at(value: Json, *keys: str) -> JsonObject:
    """The object that keys lead to; an empty one where there is none."""
    member = value_at(value, *keys)
    return member if isinstance(member, dict) else {}


def text_at(value: Json, *keys: str) -> str | None:
    """The text that keys lead to; None where there is none."""
    member = value_at(value, *keys)
    return member if isinstance(member, str) else None
