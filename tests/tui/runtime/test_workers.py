import ast
import gc
import weakref
from pathlib import Path

import pytest
from textual.app import App
from textual.worker import WorkerCancelled

from inspector.tui.runtime.workers import work_of

INTERFACE = Path(__file__).parents[3] / "inspector" / "tui"


async def test_a_worker_that_is_cancelled_before_it_begins_warns_of_no_coroutine() -> None:
    app: App[None] = App()
    done: list[tuple[int, str]] = []

    async def add(number: int, *, word: str) -> int:
        done.append((number, word))
        return number + 1

    async with app.run_test():
        assert await app.run_worker(work_of(add, 1, word="begun")).wait() == 2
        worker = app.run_worker(work_of(add, 3, word="not begun"))
        worker.cancel()
        with pytest.raises(WorkerCancelled):
            await worker.wait()
        del worker
    gc.collect()
    assert done == [(1, "begun")]


async def test_a_worker_that_has_ended_keeps_no_argument() -> None:
    class Argument:
        pass

    async def forget(argument: Argument) -> None:
        del argument

    argument = Argument()
    known = weakref.ref(argument)
    app: App[None] = App()
    async with app.run_test():
        worker = app.run_worker(work_of(forget, argument))
        del argument
        await worker.wait()
        assert known() is None
        assert worker.is_finished


def test_no_worker_gets_a_coroutine() -> None:
    makers = {"work_of", "partial", "self._bound"}
    calls = list[str]()
    for path in INTERFACE.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        nodes = list(ast.walk(tree))
        values = {
            target.id: node.value
            for node in nodes
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in nodes:
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".run_worker"):
                work = node.args[0]
                work = values.get(work.id, work) if isinstance(work, ast.Name) else work
                calls.append(path.name)
                if isinstance(work, ast.Call):
                    assert ast.unparse(work.func) in makers, f"{path}:{node.lineno}"
    assert len(calls) > 30
