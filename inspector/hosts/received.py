"""A tool result as a client library passes it to the host that uses it, and what stands in its place."""

from collections.abc import Callable
from dataclasses import dataclass

from inspector.boundary.bounded import Bounded
from inspector.hosts.notes import Notes
from inspector.hosts.obstacles import Parser, is_deep, obstacle
from inspector.hosts.profile import Call, ModelContext
from inspector.json.exact import Json, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A result that the client library accepted."""

    value: JsonObject
    """All that is left of it, in the library's order of members, with defaults filled in."""

    @property
    def blocks(self) -> tuple[JsonObject, ...]:
        """The blocks of content."""
        content = self.value["content"]
        return (
            tuple(block for block in content if isinstance(block, dict)) if isinstance(content, list) else ()
        )

    @property
    def structured(self) -> Json:
        """The structured content; None where there is none."""
        return self.value.get("structuredContent")

    @property
    def is_error(self) -> bool:
        """Whether the tool says that it failed."""
        return self.value.get("isError") is True

    @property
    def meta(self) -> Json:
        """The metadata of the result; None where there is none."""
        return self.value.get("_meta")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A JSON-RPC error."""

    code: int
    message: str
    data: Json
    """None where there is none, or null."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the host's profile has to work on."""

    result: JsonObject
    """The bounded result; empty where `failure` is set."""
    failure: Failure | None = None


UNJUDGED = "the profile could not judge this result"


def judged(
    parser: Parser, model: Callable[[Call, Answer, Notes], Json]
) -> Callable[[Bounded, Call], ModelContext]:
    """A host that hands over `model` of what can be judged; all else is withheld, with the reason."""

    def hand_over(bounded: Bounded, call: Call) -> ModelContext:
        notes = Notes(bounded.result)
        answer = _answer(bounded.result)
        reason = answer if isinstance(answer, str) else obstacle(bounded.result, parser)
        if isinstance(answer, str) or reason:
            notes.withhold(reason)
            return notes.context(None)
        if is_deep(bounded.result):
            notes.beyond("", "results this deep were never sent; the usual rule is followed")
        try:
            return notes.context(model(call, answer, notes))
        except Exception as fault:  # noqa: BLE001 - a profile that fails must withhold, whatever failed in it
            notes.withhold(f"{UNJUDGED} ({type(fault).__name__})")
            return notes.context(None)

    return hand_over


def _answer(value: Json) -> Answer | str:
    if not isinstance(value, dict):
        return "no object, so no tool result; client libraries refuse the message"
    if value.keys() != {"error"}:
        return Answer(result=value)
    error = value["error"]
    if not isinstance(error, dict):
        return "an error that is no object; client libraries refuse the message"
    code, message = error.get("code"), error.get("message")
    if not isinstance(code, int) or isinstance(code, bool) or not isinstance(message, str):
        return "an error without a whole code and a message; client libraries refuse the message"
    return Answer(result={}, failure=Failure(code=code, message=message, data=error.get("data")))
