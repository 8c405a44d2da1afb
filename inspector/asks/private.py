"""Finds the parts of an answer that may be secret.

They are masked on the screen, and withheld from recordings and reports. A value is private if the form marks
it as sensitive, if its name or its text looks like that of a credential, or if it cannot be checked.
"""

from collections.abc import Iterator

from inspector.asks.answer import Answer
from inspector.asks.ask import CAPABILITIES, Ask, AskKind
from inspector.credentials.find import sightings
from inspector.credentials.names import names_secret, words_of
from inspector.json.exact import Json, JsonObject
from inspector.json.members import object_at, text_at
from inspector.json.pointer import child, resolve
from inspector.json.walk import walk
from inspector.schema.fields import Field, form_of

ELICIT = "elicitation/create"
TASK_RESULT = "tasks/result"
MAX_FORMS = 8
"""The maximum number of forms that Sightline remembers for one key of `inputRequests`.

The values of an answer are compared with all these forms. With more forms, the whole answer is private.
"""
MAX_KEYS = 1_000


def asks_for_secret(field: Field) -> bool:
    """True if a field of a form is marked as sensitive, or named like a credential."""
    names = (field.name, field.title or "")
    return field.sensitive or any(names_secret(words_of(name)) for name in names)


def private_in(content: Json, schema: Json) -> tuple[str, ...]:
    """The pointers of the private values in the content of an answer to a form with this schema. Never raises."""
    if content is None or content == {}:
        return ()
    form = form_of(schema) if isinstance(schema, dict) else None
    if form is None or not isinstance(content, dict) or (form.problem and not form.fields):
        return ("",)
    fields = {field.name: field for field in form.fields}
    return tuple(
        child("", name)
        for name, value in content.items()
        if name not in fields or asks_for_secret(fields[name]) or _looks_private(value)
    )


def private_texts(ask: Ask, answer: Answer) -> list[str]:
    """The private texts in an answer to a form. Takes seconds for a long form."""
    private = private_in(answer.content, ask.schema) if ask.kind is AskKind.FORM else ()
    leaves = (leaf for pointer in private for leaf in walk(resolve(answer.content, pointer)))
    return [leaf for leaf in leaves if isinstance(leaf, str)]


def _looks_private(value: Json) -> bool:
    return any(isinstance(leaf, str) and sightings(leaf) for leaf in walk(value))


def private_in_reply(method: str, params: Json, result: Json) -> tuple[str, ...]:
    """The pointers of the private values in the `result` of an answer to a request by a server. Never raises."""
    if method == ELICIT:
        found = private_in(object_at(result).get("content"), object_at(params).get("requestedSchema"))
        return tuple(f"/content{pointer}" for pointer in found)
    if method == TASK_RESULT:
        # The form of a task is in another request, so the whole content counts as private.
        return ("/content",) if "content" in object_at(result) else ()
    if method in CAPABILITIES:
        return ("/content",) if _looks_private(object_at(result).get("content")) else ()
    return ()


class Questions:
    """The forms that servers requested in `inputRequests`, by key.

    The answers to the forms are in a later request of the client.
    """

    def __init__(self) -> None:
        self._asked: dict[str, list[JsonObject]] = {}

    def take(self, result: Json) -> None:
        """Remember the forms in the `result` of a server's answer."""
        for key, request in object_at(result, "inputRequests").items():
            if key not in self._asked and len(self._asked) >= MAX_KEYS:
                continue
            known = self._asked.setdefault(key, [])
            # One form above the maximum tells `_private` that forms are missing, so all content is private.
            if isinstance(request, dict) and len(known) <= MAX_FORMS and request not in known:
                known.append(request)

    def private_in(self, params: Json) -> tuple[str, ...]:
        """The pointers of the private values in the `params` of a request that carries answers. Never raises."""
        responses = object_at(params).get("inputResponses")
        if responses is None:
            return ()
        if not isinstance(responses, dict):
            return ("/inputResponses",)
        found = dict.fromkeys(
            f"{child('/inputResponses', key)}{pointer}"
            for key, response in responses.items()
            for pointer in self._private(key, response)
        )
        return tuple(found)

    def _private(self, key: str, response: Json) -> Iterator[str]:
        asked = self._asked.get(key, [])
        if not asked or len(asked) > MAX_FORMS:
            # An action such as `decline` says nothing about the user.
            yield from ("/content",) if "content" in object_at(response) else ()
            return
        for request in asked:
            method = text_at(request, "method") or ELICIT
            yield from private_in_reply(method, request.get("params"), response)
