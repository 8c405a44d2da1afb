"""Work for Textual's workers."""

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def work_of(
    function: Callable[Arguments, Awaitable[Result]],
    /,
    *arguments: Arguments.args,
    **named: Arguments.kwargs,
) -> Callable[[], Coroutine[None, None, Result]]:
    """The work of one worker, which calls `function` with these arguments and awaits what it returns.

    A worker that is cancelled before it begins does not await a coroutine that was passed to it, and Python
    writes a warning about that into the terminal. Textual logs the arguments of a `partial`, but not these. A
    worker that has ended keeps no argument in memory.
    """
    waiting = [partial(function, *arguments, **named)]

    async def work() -> Result:
        return await waiting.pop()()

    return work
