"""The outcome of a call: a result, a JSON-RPC error, no answer, or an answer that does not end the call.

An answer whose `resultType` is not `complete`, including an unknown value, is unfinished: the model gets none
of it. Source: MCP 2026-07-28, `ResultType` and `InputRequiredResult`; MCP 2025-11-25, `CreateTaskResult`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import TypeAlias

import msgspec
from msgspec import Struct

from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text
from inspector.json.members import object_at, text_at, value_at
from inspector.safe_text import safe_line

METHOD_NOT_FOUND = -32601

CANCELLED_HERE = "cancelled in Sightline"
"""The detail of a call that the user has cancelled."""


class FailureKind(StrEnum):
    """The reason why there was no answer. Decided by facts of the protocol, never by texts of the server."""

    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    CONNECTION_LOST = "connection_lost"
    HTTP_STATUS = "http_status"
    PROTOCOL = "protocol"
    SESSION_ENDED = "session_ended"
    """The server no longer knows the session. It did not execute the request."""
    UNSUBMITTED = "unsubmitted"
    """A form of a page was filled in and not submitted."""
    NOT_RECORDED = "not_recorded"
    """A recording does not contain how the call ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The `result` member of the answer: any JSON value, as sent."""

    value: Json
    of_page: bool = field(default=False, compare=False)
    """True if a page's tool returned it. Then no member of it belongs to the protocol."""
    left_page: bool | None = field(default=None, compare=False)
    """True if the tool's document was gone before the answer, so that the browser answered for the tool.

    None if that is not known.
    """
    omitted: Mapping[str, str] = field(default_factory=dict[str, str], compare=False)
    """For a recorded result: the placeholders for values that the boundary withheld, each with its rule.

    The placeholder is empty if the whole result could not be judged.
    """


class RpcError(Struct, frozen=True, kw_only=True):
    """The `error` member of the answer: normally an object of code, message and data."""

    value: Json
    beside: Json = None
    """The `result` of an answer that has both members, although the protocol allows only one."""
    of_page: bool = False
    """True if a page's tool threw it, so that it has no code: `{"message", "data"}`."""
    omitted: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    """For a recorded error: the placeholders for values that the boundary withheld, each with its rule.

    The placeholder is empty if the whole error could not be judged.
    """

    @property
    def who(self) -> str:
        """Who made the error, as the beginning of a sentence."""
        return "the tool threw an error" if self.of_page else "the server answered with an error"

    @property
    def is_method_not_found(self) -> bool:
        return value_at(self.value, "code") == METHOD_NOT_FOUND


class Failure(Struct, frozen=True, kw_only=True):
    """A call that got no answer."""

    kind: FailureKind
    detail: str
    """A description for the user. May quote untrusted text."""
    http_status: int | None = None


Outcome: TypeAlias = Result | RpcError | Failure


COMPLETE = "complete"
INPUT_REQUIRED = "input_required"
TASK = "task"

MAX_ASKS = 20
MAX_CHARACTERS = 300
"""The maximum number of characters shown of one text that the server wrote."""

_KEY = "resultType"
_REASONS = {
    INPUT_REQUIRED: "the server asks for input before it answers",
    TASK: "the server made the call a task, whose result comes later",
}
_UNKNOWN = "its `resultType` is not one that Sightline knows"


class Unfinished(Struct, frozen=True, kw_only=True):
    """The reason why an answer does not end its call."""

    reason: str
    """A clause that quotes nothing of the answer."""
    asks: tuple[str, ...] = ()
    """The server's requests, or the state of its task. Each is one safe line that quotes untrusted text."""

    @property
    def sentence(self) -> str:
        """The reason as a sentence, which quotes nothing of the answer."""
        return f"the call is unfinished: {self.reason}"

    @property
    def line(self) -> str:
        """The reason and the server's requests, on one line."""
        return f"{self.sentence}: {'; '.join(self.asks)}" if self.asks else self.sentence

    def as_json(self) -> JsonObject:
        return {"reason": self.reason, "asks": [*self.asks]}


def unfinished(outcome: Outcome) -> Unfinished | None:
    """The reason why `outcome` does not end its call; None if it ends the call.

    A value that a page's tool returns always ends the call.
    """
    return unfinished_in(outcome.value) if isinstance(outcome, Result) and not outcome.of_page else None


def unfinished_in(result: Json) -> Unfinished | None:
    """The reason why the `result` member of an answer does not end its call; None if it ends the call.

    An answer without `resultType` counts as complete.
    """
    if isinstance(result, DuplicateKeys):
        # Some parsers take the first of duplicate members, others the last. So all must be `complete`.
        kinds = [value for key, value in result.pairs if key == _KEY]
        return None if all(kind == COMPLETE for kind in kinds) else Unfinished(reason=_UNKNOWN)
    if not isinstance(result, dict):
        return None
    kind = kind_of(result)
    if kind == COMPLETE:
        return None
    reason = _REASONS.get(kind, _UNKNOWN) if isinstance(kind, str) else _UNKNOWN
    try:
        asks = tuple(islice(_asks(result, kind), MAX_ASKS))
    except Exception:  # noqa: BLE001 - whatever an answer asks for in whatever way, it is unfinished
        asks = ()
    return Unfinished(reason=reason, asks=asks)


def kind_of(result: JsonObject) -> Json:
    """The kind of a result, such as `complete` or `task`: the value of its member `resultType`.

    If the member is absent or `complete`, and the result is no tool result, other members decide the kind.
    """
    kind = result.get(_KEY, COMPLETE)
    if kind != COMPLETE or "content" in result or "structuredContent" in result:
        return kind
    if isinstance(result.get("inputRequests"), dict):
        return INPUT_REQUIRED
    return COMPLETE if text_at(result, "task", "taskId") is None else TASK


def _asks(result: JsonObject, kind: Json) -> Iterator[str]:
    if kind not in (INPUT_REQUIRED, TASK):
        yield f"`resultType` is {_shown(kind)}"
    task = result.get("task", result)
    if kind == TASK and isinstance(task, dict):
        yield ", ".join(f"{word} {_shown(task[key])}" for key, word in _OF_TASKS.items() if key in task)
    requests = result.get("inputRequests")
    if isinstance(requests, dict):
        for key, request in requests.items():
            yield f"{_shown(key)}: {_request(request)}"
        if len(requests) > MAX_ASKS:
            yield f"{len(requests) - MAX_ASKS:,} more"


_OF_TASKS = {"taskId": "task", "status": "status", "statusMessage": "message"}


def _request(request: Json) -> str:
    """One entry of `inputRequests` in words: `elicitation/create: Who are you? (fields: name, age)`."""
    if not isinstance(request, dict):
        return "not a request"
    about = object_at(request, "params")
    words = _shown(request.get("method"))
    for key in ("message", "url"):
        if isinstance(about.get(key), str):
            words += f": {_shown(about[key])}"
    messages = about.get("messages")
    if isinstance(messages, list):
        words += f": {'; '.join(_text_of(message) for message in messages[:3])}"
    fields = _fields(about.get("requestedSchema"))
    return f"{words} (fields: {fields})" if fields else words


def _text_of(message: Json) -> str:
    text = text_at(message, "content", "text")
    return _shown(value_at(message, "content") if text is None else text)


def _fields(schema: Json) -> str:
    properties = object_at(schema, "properties")
    more = f" and {len(properties) - MAX_ASKS:,} more" if len(properties) > MAX_ASKS else ""
    return ", ".join(map(_shown, islice(properties, MAX_ASKS))) + more


def _shown(value: Json) -> str:
    text = value if isinstance(value, str) else dump_text(value)
    return safe_line(text[:MAX_CHARACTERS]) + ("…" if len(text) > MAX_CHARACTERS else "")
