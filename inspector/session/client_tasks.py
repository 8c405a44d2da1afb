"""Answers requests of a server as tasks: the server gets a task id at once, and asks for the answer later.

Source: MCP 2025-11-25, Tasks, with the client as receiver. Stateless protocol revisions have no such tasks.
"""

import asyncio
import secrets
from collections.abc import Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from inspector.asks.ask import INVALID_PARAMS
from inspector.json.exact import Json, JsonObject
from inspector.json.members import text_at
from inspector.protocol.outcome import Result, RpcError

MAX_TASKS = 20
"""The maximum number of tasks per connection.

A new task replaces the oldest that has ended. If none has ended, requests are answered directly, without a task.
"""
POLL_MS = 500
METHODS = frozenset({"tasks/get", "tasks/result", "tasks/list", "tasks/cancel"})


@dataclass(slots=True, kw_only=True)
class _Task:
    created: str
    updated: str
    work: asyncio.Task[Result | RpcError]
    is_cancelled: bool = False

    @property
    def status(self) -> str:
        if self.is_cancelled or (self.work.done() and self.work.cancelled()):
            return "cancelled"
        if not self.work.done():
            return "working"
        return (
            "completed"
            if self.work.exception() is None and isinstance(self.work.result(), Result)
            else "failed"
        )


class ClientTasks:
    """The tasks into which one server has turned its requests."""

    def __init__(self) -> None:
        self._tasks: dict[str, _Task] = {}

    @property
    def has_room(self) -> bool:
        return sum(not task.work.done() for task in self._tasks.values()) < MAX_TASKS

    def begin(self, work: Coroutine[Any, Any, Result | RpcError]) -> Result:
        """Start `work` as a task. Returns the result for the server, with the id and state of the task."""
        if len(self._tasks) >= MAX_TASKS:
            ended = next((name for name, task in self._tasks.items() if task.work.done()), None)
            if ended is not None:
                del self._tasks[ended]
        identifier, now = secrets.token_hex(8), _now()
        task = _Task(created=now, updated=now, work=asyncio.ensure_future(work))
        task.work.add_done_callback(lambda _: setattr(task, "updated", _now()))
        self._tasks[identifier] = task
        return Result(value={"task": self._shape(identifier, task)})

    async def outcome(self, method: str, params: Json) -> Result | RpcError:
        """The answer to a request about tasks. For `tasks/result`, wait until the task has ended.

        `method`: one of `METHODS`.
        """
        if method == "tasks/list":
            listed: list[Json] = [self._shape(name, task) for name, task in self._tasks.items()]
            return Result(value={"tasks": listed})
        identifier = text_at(params, "taskId") or ""
        task = self._tasks.get(identifier)
        if task is None:
            return RpcError(value={"code": INVALID_PARAMS, "message": "no such task"})
        if method == "tasks/cancel":
            if task.work.done():
                return RpcError(value={"code": INVALID_PARAMS, "message": f"the task is {task.status}"})
            task.is_cancelled = True
            task.work.cancel("withdrawn by the server")
        if method != "tasks/result":
            return Result(value=self._shape(identifier, task))
        await asyncio.wait([task.work])
        if task.work.cancelled() or task.work.exception() is not None:
            return RpcError(value={"code": INVALID_PARAMS, "message": f"the task is {task.status}"})
        found = task.work.result()
        if isinstance(found, RpcError) or not isinstance(found.value, dict):
            return found
        related: JsonObject = {"io.modelcontextprotocol/related-task": {"taskId": identifier}}
        return Result(value={**found.value, "_meta": related})

    def end(self, why: str) -> None:
        """Cancel and forget all tasks. `why`: the reason."""
        for task in self._tasks.values():
            task.work.cancel(why)
        self._tasks.clear()

    def _shape(self, identifier: str, task: _Task) -> JsonObject:
        return {
            "taskId": identifier,
            "status": task.status,
            "createdAt": task.created,
            "lastUpdatedAt": task.updated,
            "ttl": None,
            "pollInterval": POLL_MS,
        }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
