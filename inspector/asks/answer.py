"""Answers to requests by a server, in the form in which they are sent."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from inspector.asks.ask import REFUSED, Ask, AskKind
from inspector.json.exact import Json, JsonObject, JsonText, parse
from inspector.protocol.client import Root
from inspector.protocol.outcome import Result, RpcError
from inspector.safe_text import safe_line
from inspector.schema.fields import form_of

MODEL = "none: the user of Sightline wrote this"
"""The text in place of a model's name, which an answer to sampling must contain."""


class Action(StrEnum):
    """The user's decision about a request."""

    ACCEPT = "accept"
    DECLINE = "decline"
    CANCEL = "cancel"


class Answer(Struct, frozen=True, kw_only=True):
    """An answer to a request of a server, and the reason for the answer if the user should know it."""

    action: Action
    content: Json = None
    """The values of an accepted form; for accepted sampling, a text or a JSON object. May be secret."""
    why: str = ""
    """The reason for the answer, as a clause that quotes no value; empty if the user need not know it."""


DECLINED = Answer(action=Action.DECLINE)


def answered(ask: Ask, answer: Answer, roots: Sequence[Root]) -> Result | RpcError:
    """The answer as it is sent to the server: a result, or an error if the user rejects sampling.

    `roots`: the folders that answer `roots/list`.
    """
    match ask.kind:
        case AskKind.ROOTS:
            folders: list[Json] = [{"uri": root.uri, "name": root.name} for root in roots]
            return Result(value={"roots": folders})
        case AskKind.SAMPLING if answer.action is Action.ACCEPT:
            return Result(value=_message(answer.content))
        case AskKind.SAMPLING:
            return RpcError(value={"code": REFUSED, "message": "the user rejected the sampling request"})
        case AskKind.FORM if answer.action is Action.ACCEPT:
            return Result(value={"action": answer.action.value, "content": answer.content})
        case _:
            return Result(value={"action": answer.action.value})


def _message(content: Json) -> JsonObject:
    """The result that is sent for an accepted sampling request. `content`: the user's answer.

    A text becomes the message of a model. An object with `role` and `content` is used as it is. If it has no
    `model`, its `model` is `MODEL`.
    """
    if isinstance(content, dict) and "role" in content and "content" in content:
        return {"model": MODEL, **content}
    text: JsonObject = {"type": "text", "text": content if isinstance(content, str) else ""}
    return {"role": "assistant", "content": text, "model": MODEL, "stopReason": "endTurn"}


def sampled(text: str) -> Answer:
    """The answer to a sampling request, made from a text that the user wrote.

    A JSON object with `content` is used as the message, with the role `assistant` if it has no role.
    """
    if text.lstrip().startswith("{"):
        parsed = parse(text.encode("utf-8", "replace"))
        if isinstance(parsed, JsonText) and isinstance(parsed.value, dict) and "content" in parsed.value:
            return Answer(action=Action.ACCEPT, content={"role": "assistant", **parsed.value})
    return Answer(action=Action.ACCEPT, content=text)


def filled(ask: Ask, content: JsonObject) -> Answer:
    """The answer that accepts a form with `content`, or declines it if the schema does not allow `content`.

    Takes seconds at most.
    """
    from inspector.schema.validation import violations  # noqa: PLC0415 - few servers ask for anything

    found = violations(content, ask.schema, limit=3)
    if found:
        # The message of a violation may quote the content, so only the place is named.
        named = (safe_line(violation.pointer[:80]) or "the form" for violation in found)
        places = ", ".join(dict.fromkeys(named))
        return Answer(action=Action.DECLINE, why=f"its schema does not allow the answer at {places}")
    return Answer(action=Action.ACCEPT, content=content)


def with_defaults(ask: Ask) -> Answer:
    """Accept a form with only the default values of its schema, or agree to a URL without opening it.

    Declines a form whose schema does not allow its own defaults.
    """
    if ask.kind is AskKind.URL:
        return Answer(action=Action.ACCEPT)
    fields = form_of(ask.schema).fields
    return filled(ask, {field.name: field.default for field in fields if field.has_default})
