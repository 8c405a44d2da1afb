"""Requests of a server that are answered as tasks, and how many of them are kept."""

import asyncio

from inspector.json.members import object_at, text_at
from inspector.protocol.outcome import Result, RpcError
from inspector.session.client_tasks import MAX_TASKS, ClientTasks


async def test_a_task_that_has_ended_makes_room_for_a_new_one() -> None:
    tasks, go_on = ClientTasks(), asyncio.Event()

    async def answer(*, waits: bool) -> Result | RpcError:
        if waits:
            await go_on.wait()
        return Result(value={"answered": True})

    def begin(*, waits: bool) -> str:
        return text_at(object_at(tasks.begin(answer(waits=waits)).value)["task"], "taskId") or ""

    names = [begin(waits=number % 2 == 1) for number in range(MAX_TASKS)]
    await asyncio.sleep(0)
    assert tasks.has_room
    names += [begin(waits=True) for _ in range(MAX_TASKS // 2)]
    assert not tasks.has_room, "all of them wait"
    kept = names[1:MAX_TASKS:2] + names[MAX_TASKS:]
    for name in names:
        known = isinstance(await tasks.outcome("tasks/get", {"taskId": name}), Result)
        assert known is (name in kept)
    go_on.set()
    assert isinstance(await tasks.outcome("tasks/result", {"taskId": kept[0]}), Result)
    tasks.end("the connection ends")
    assert await tasks.outcome("tasks/list", {}) == Result(value={"tasks": []})
