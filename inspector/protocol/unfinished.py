"""Answers that do not end a call: the server asks for input first, or made a task of the call.

Whatever `resultType` says but `complete` is unfinished, words that nobody knows included: the model gets nothing of it.
Source: MCP 2026-07-28, `ResultType` and `InputRequiredResult`; MCP 2025-11-25, `CreateTaskResult`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text
from inspector.protocol.outcome import Outcome, Result
from inspector.safe_text import safe_line

COMPLETE = "complete"
INPUT_REQUIRED = "input_required"
TASK = "task"

MAX_ASKS = 20
MAX_CHARACTERS = 300
"""Of one text that the server wrote."""

_KEY = "resultType"
_REASONS = {
    INPUT_REQUIRED: "the server asks for input before it answers",
    TASK: "the server made a task of it, and the result comes later",
}
_UNKNOWN = "its `resultType` is not one that Sightline knows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """Why an answer ends no call."""

    reason: str
    """A clause that quotes nothing of the answer."""
    asks: tuple[str, ...] = ()
    """What the server asks for, or says of its task. Foreign text, made safe for one line each."""

    @property
    def sentence(self) -> str:
        """The reason, as a sentence that quotes nothing of the answer."""
        return f"the call is unfinished: {self.reason}"

    @property
    def told(self) -> str:
        """The reason with all that is asked for, on one line."""
        return f"{self.sentence}: {'; '.join(self.asks)}" if self.asks else self.sentence

    def as_json(self) -> JsonObject:
        """`reason` and `asks`."""
        return {"reason": self.reason, "asks": [*self.asks]}


def unfinished(outcome: Outcome) -> Unfinished | None:
    """Why `outcome` ends no call; None where it does. What a page's tool returned is always the whole of it."""
    return unfinished_in(outcome.value) if isinstance(outcome, Result) and not outcome.of_page else None


def unfinished_in(result: Json) -> Unfinished | None:
    """The same of the `result` member of an answer. Without `resultType`, an answer is complete."""
    if isinstance(result, DuplicateKeys):
        # One reader takes the first, another the last.
        said = [value for key, value in result.pairs if key == _KEY]
        return None if all(value == COMPLETE for value in said) else Unfinished(reason=_UNKNOWN)
    if not isinstance(result, dict):
        return None
    kind = _kind(result)
    if kind == COMPLETE:
        return None
    reason = _REASONS.get(kind, _UNKNOWN) if isinstance(kind, str) else _UNKNOWN
    try:
        asks = tuple(islice(_asks(result, kind), MAX_ASKS))
    except Exception:  # noqa: BLE001 - whatever an answer asks for in whatever way, it is unfinished
        asks = ()
    return Unfinished(reason=reason, asks=asks)


def _kind(result: JsonObject) -> Json:
    """The `resultType`; where the answer is no tool result, what its members make of it."""
    said = result.get(_KEY, COMPLETE)
    if said != COMPLETE or "content" in result or "structuredContent" in result:
        return said
    if isinstance(result.get("inputRequests"), dict):
        return INPUT_REQUIRED
    task = result.get("task")
    return TASK if isinstance(task, dict) and isinstance(task.get("taskId"), str) else COMPLETE


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
    """`elicitation/create: Who are you? (fields: name, age)`, of one entry of `inputRequests`."""
    if not isinstance(request, dict):
        return "no request"
    params = request.get("params")
    about: JsonObject = params if isinstance(params, dict) else {}
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
    content = message.get("content") if isinstance(message, dict) else None
    text = content.get("text") if isinstance(content, dict) else None
    return _shown(text if isinstance(text, str) else content)


def _fields(schema: Json) -> str:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return ""
    more = f" and {len(properties) - MAX_ASKS:,} more" if len(properties) > MAX_ASKS else ""
    return ", ".join(map(_shown, islice(properties, MAX_ASKS))) + more


def _shown(value: Json) -> str:
    text = value if isinstance(value, str) else dump_text(value)
    return safe_line(text[:MAX_CHARACTERS]) + ("…" if len(text) > MAX_CHARACTERS else "")
