import asyncio
import threading

from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widget import Widget

from inspector.tui.runtime.latest import Latest


async def ended(app: App[None]) -> None:
    while any(not worker.is_finished for worker in app.workers):
        await asyncio.sleep(0.001)


async def test_only_the_newest_request_is_completed() -> None:
    app: App[None] = App()
    made: list[int] = []
    begun: list[int] = []
    overtaken: list[int] = []
    gate = threading.Event()

    def make(asked: int) -> int:
        begun.append(asked)
        assert gate.wait(30)
        return asked * 10

    async with app.run_test() as pilot:
        latest = Latest[int, int](
            app,
            make,
            lambda _, value: made.append(value),
            lambda _number, _error: None,
            overtaken.append,
        )
        for number in range(1, 6):
            latest.ask(number)
            await pilot.pause()
        gate.set()
        await ended(app)
        assert begun == [1, 5]
        assert made == [50]
        assert overtaken == [10]
        latest.ask(6)
        await ended(app)
        assert made == [50, 60]


async def test_a_failed_request_is_reported_and_the_next_one_completed() -> None:
    app: App[None] = App()
    made: list[int] = []
    failed: list[tuple[int, str]] = []

    def make(asked: int) -> int:
        if asked == 1:
            raise LookupError
        return asked

    async with app.run_test():
        latest = Latest[int, int](
            app,
            make,
            lambda _, value: made.append(value),
            lambda asked, error: failed.append((asked, type(error).__name__)),
        )
        latest.ask(1)
        await ended(app)
        latest.ask(2)
        await ended(app)
        assert failed == [(1, "LookupError")]
        assert made == [2]


async def test_a_yielding_request_starts_after_the_other_with_the_newest_input() -> None:
    app: App[None] = App()
    begun: list[str] = []
    gate = threading.Event()

    def first(asked: str) -> str:
        begun.append(asked)
        assert gate.wait(30)
        return asked

    def second(asked: str) -> str:
        begun.append(asked)
        return asked

    def ignore(*_: object) -> None:
        """Ignore the result."""

    async with app.run_test() as pilot:
        before = Latest[str, str](app, first, ignore, ignore)
        after = Latest[str, str](app, second, ignore, ignore, before_each=before.idle)
        before.ask("shown")
        for number in range(3):
            after.ask(f"review {number}")
            await pilot.pause()
        assert begun == ["shown"]
        assert after.is_busy
        gate.set()
        await ended(app)
        assert begun == ["shown", "review 2"]
        assert (before.is_busy, after.is_busy) == (False, False)


async def test_a_widget_that_is_being_removed_gets_no_result() -> None:
    app: App[None] = App()
    gate, gone = threading.Event(), asyncio.Event()
    handed: list[int] = []

    class Lingering(Widget):
        async def on_unmount(self) -> None:
            await gone.wait()

    class Owner(Screen[None]):
        def compose(self) -> ComposeResult:
            yield Lingering()

    def make(asked: int) -> int:
        assert gate.wait(30)
        if asked:
            raise LookupError
        return asked

    async with app.run_test() as pilot:
        for number in (0, 1):
            gate.clear()
            gone.clear()
            owner = Owner()
            await app.push_screen(owner)
            latest = Latest[int, int](
                owner, make, lambda _, value: handed.append(value), lambda number, _: handed.append(number)
            )
            latest.ask(number)
            await pilot.pause()
            leaving = asyncio.ensure_future(app.pop_screen())
            await asyncio.sleep(0.05)
            gate.set()
            await ended(app)
            gone.set()
            await leaving
        assert handed == []
