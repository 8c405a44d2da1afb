"""Tasks: requests that are answered at once with a handle, and later with a result.

A server makes tasks of calls. In protocol revisions with a handshake, Sightline makes tasks of the requests
of the server, and the result of a task is the answer to `tasks/result`. In the extension
`io.modelcontextprotocol/tasks`, the result is part of an answer to `tasks/get`.

Source: MCP 2025-11-25, Tasks; `io.modelcontextprotocol/tasks` 2026-07-28.
"""

from msgspec import Struct

from inspector.json.exact import Json, JsonObject
from inspector.json.members import object_at, text_at, value_at
from inspector.protocol.frames import Response
from inspector.protocol.outcome import TASK, Outcome, Result, RpcError, kind_of

EXTENSION = "io.modelcontextprotocol/tasks"
GET, RESULT, UPDATE, CANCEL = "tasks/get", "tasks/result", "tasks/update", "tasks/cancel"
METHODS = frozenset({GET, RESULT, UPDATE, CANCEL})
"""The methods that are about one task, which `params.taskId` names."""
OF_SERVERS = frozenset({"sampling/createMessage", "elicitation/create"})
"""Requests by servers that may be answered as tasks."""

WORKING, INPUT, COMPLETED, FAILED, CANCELLED = "working", "input_required", "completed", "failed", "cancelled"
_ENDED = frozenset({COMPLETED, FAILED, CANCELLED})
STATUSES = _ENDED | {WORKING, INPUT}
_POLL_S, _SHORTEST_S, _LONGEST_S = 1.0, 0.2, 60.0


class TaskState(Struct, frozen=True, kw_only=True):
    """The state of a task, as reported at one time."""

    status: str
    """The status as sent, normally one of `STATUSES`. Untrusted text."""
    message: str = ""
    """The server's message about the state; empty if there is none. Untrusted text."""
    poll_s: float = _POLL_S
    """The number of seconds until the next request for the state, kept within limits."""
    ttl_s: float | None = None
    """The number of seconds for which the server keeps the task; None if it does not say."""
    asks: Json = None
    """The task's `inputRequests`. Only tasks of the extension `io.modelcontextprotocol/tasks` have them."""

    @property
    def has_ended(self) -> bool:
        return self.status in _ENDED


class TaskHandle(Struct, frozen=True, kw_only=True):
    """The handle of a task, which was the answer to a request instead of a result."""

    id: str
    is_extension: bool
    """True if the task is one of the extension `io.modelcontextprotocol/tasks`; false for MCP 2025-11-25."""
    state: TaskState


class Ending(Struct, frozen=True, kw_only=True):
    """The outcome of a request that was turned into a task."""

    outcome: Result | RpcError
    member: str = ""
    """The member of the answer's `result` that holds the outcome: `result` or `error`; empty if the answer
    itself is the outcome.
    """


def handle_in(result: Json) -> TaskHandle | None:
    """The task handle in the `result` of an answer; None if the answer holds none."""
    if not isinstance(result, dict) or kind_of(result) != TASK:
        return None
    is_extension = text_at(result, "taskId") is not None
    held = result if is_extension else object_at(result.get("task"))
    name, state = text_at(held, "taskId"), state_in(held)
    return (
        None if name is None or state is None else TaskHandle(id=name, is_extension=is_extension, state=state)
    )


def state_in(result: Json) -> TaskState | None:
    """The state of a task in the `result` of `tasks/get`; None if it has no `status`."""
    status = text_at(result, "status")
    if status is None or not isinstance(result, dict):
        return None
    poll_s, ttl_s = (_seconds(result, f"{key}Ms", key) for key in ("pollInterval", "ttl"))
    return TaskState(
        status=status,
        message=text_at(result, "statusMessage") or "",
        poll_s=min(max(_POLL_S if poll_s is None else poll_s, _SHORTEST_S), _LONGEST_S),
        ttl_s=ttl_s,
        asks=result.get("inputRequests"),
    )


def _seconds(result: JsonObject, *keys: str) -> float | None:
    value = next((result[key] for key in keys if key in result), None)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
        return None
    return float(value) / 1000


def ending_in(method: str, answer: Outcome) -> Ending | None:
    """The outcome of a request that became a task, if `answer` reports it; otherwise None.

    `method`: the method that `answer` answers, one of `METHODS`.
    """
    if isinstance(answer, RpcError):
        return Ending(outcome=answer) if method in {RESULT, GET} else None
    if method == RESULT and isinstance(answer, Result):
        return None if _is_state(answer.value) else Ending(outcome=answer)
    state = answer.value if method == GET and isinstance(answer, Result) else None
    if not isinstance(state, dict):
        return None
    result = state.get("result")
    if state.get("status") == COMPLETED and isinstance(result, dict) and not _is_state(result):
        return Ending(outcome=Result(value=result), member="result")
    if state.get("status") == FAILED and "error" in state:
        return Ending(outcome=RpcError(value=state["error"]), member="error")
    return None


def _is_state(result: Json) -> bool:
    """True if a server repeats the task's state instead of saying how the request ended."""
    is_result = isinstance(result, dict) and bool(result.keys() & {"content", "structuredContent"})
    return not is_result and text_at(result, "taskId") is not None and state_in(result) is not None


def outcome_of(response: Response, member: str = "") -> Result | RpcError:
    """The outcome in a response. `member`: as in `Ending`."""
    if response.is_error:
        return RpcError(value=response.error, beside=response.result)
    if not member:
        return Result(value=response.result)
    value = value_at(response.result, member)
    return RpcError(value=value) if member == "error" else Result(value=value)
