"""Finds the arguments of a call that may be secret. Neither saved calls nor the history contain their values."""

from inspector.asks.private import asks_for_secret
from inspector.credentials.find import sightings
from inspector.credentials.names import names_secret, words_of
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import split
from inspector.json.texts import texts_in
from inspector.recording.bounding import sensitive_arguments
from inspector.schema.fields import form_of


def may_be_secret(arguments: JsonObject, schema: Json) -> frozenset[str]:
    """The names of arguments that the schema marks as sensitive, or that look like secrets by name or value.

    An argument that contains a sensitive or secret-looking value is included. If the schema cannot be read,
    all arguments are included. Never raises.
    """
    places = [split(removal.pointer) for removal in sensitive_arguments(arguments, schema)]
    if () in places:
        return frozenset(arguments)
    marked = {place[0] for place in places}
    marked.update(field.name for field in form_of(schema).fields if asks_for_secret(field))
    return frozenset(
        name for name, value in arguments.items() if name in marked or _looks_secret(name, value)
    )


def _looks_secret(name: str, value: Json) -> bool:
    texts, keys = set[str](), {name}
    texts_in(value, texts, keys)
    return any(names_secret(words_of(key)) for key in keys) or any(sightings(text) for text in texts | keys)
