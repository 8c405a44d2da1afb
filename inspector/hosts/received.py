"""Tool results as client libraries return them to hosts, and the common part of all host profiles."""

from collections.abc import Callable

from msgspec import Struct

from inspector.boundary.bounded import Bounded
from inspector.hosts.facts import Parser, is_deep, obstacle
from inspector.hosts.notes import Notes
from inspector.hosts.profile import Call, ModelContext
from inspector.json.exact import Json, JsonObject


class Received(Struct, frozen=True, kw_only=True):
    """A result that the client library accepts."""

    value: JsonObject
    """The result in the library's order of members, with defaults."""

    @property
    def blocks(self) -> tuple[JsonObject, ...]:
        content = self.value["content"]
        return (
            tuple(block for block in content if isinstance(block, dict)) if isinstance(content, list) else ()
        )

    @property
    def structured(self) -> Json:
        return self.value.get("structuredContent")

    @property
    def is_error(self) -> bool:
        return self.value.get("isError") is True

    @property
    def meta(self) -> Json:
        return self.value.get("_meta")


class ReceivedError(Struct, frozen=True, kw_only=True):
    """A JSON-RPC error."""

    code: int
    message: str
    data: Json
    """The member `data`; None if it is missing or null."""


class ReceivedAnswer(Struct, frozen=True, kw_only=True):
    """What a host profile gets: the bounded result or error, before the host's client library reads it."""

    result: JsonObject
    """The bounded result; empty if `failure` is set."""
    failure: ReceivedError | None = None


UNJUDGED = "the profile failed on this result"


def judged(
    parser: Parser, model: Callable[[Call, ReceivedAnswer, Notes], Json]
) -> Callable[[Bounded, Call], ModelContext]:
    """Make the `model_view` of a host from the function `model`.

    The view of a result that `parser` may reject is unknown, and the reason is noted.
    """

    def model_view(bounded: Bounded, call: Call) -> ModelContext:
        notes = Notes(bounded.result)
        answer = _answer(bounded.result)
        reason = answer if isinstance(answer, str) else obstacle(bounded.result, parser)
        if isinstance(answer, str) or reason:
            notes.withhold(reason)
            return notes.context(None)
        if is_deep(bounded.result):
            notes.beyond("", "a result that is nested this deeply; shown by the usual rule")
        try:
            return notes.context(model(call, answer, notes))
        except Exception as fault:  # noqa: BLE001 - a failing profile must withhold
            notes.withhold(f"{UNJUDGED} ({type(fault).__name__})")
            return notes.context(None)

    return model_view


def _answer(value: Json) -> ReceivedAnswer | str:
    if not isinstance(value, dict):
        return "not an object, so not a tool result; client libraries refuse the message"
    if value.keys() != {"error"}:
        return ReceivedAnswer(result=value)
    error = value["error"]
    if not isinstance(error, dict):
        return "an error that is not an object; client libraries refuse the message"
    code, message = error.get("code"), error.get("message")
    if not isinstance(code, int) or isinstance(code, bool) or not isinstance(message, str):
        return "an error without an integer code and a message; client libraries refuse the message"
    return ReceivedAnswer(
        result={}, failure=ReceivedError(code=code, message=message, data=error.get("data"))
    )
