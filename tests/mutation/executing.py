"""Which lines of the mutated modules each test executes."""

import importlib
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from _typeshed import TraceFunction

Lines: TypeAlias = dict[str, list[int]]
"""The lines that a test executes, by module file; a module of which it executes none is absent."""


@contextmanager
def recorded(modules: list[str]) -> Generator[Lines]:
    """The lines of these files that are executed meanwhile, on every thread; filled in at the end."""
    found: Lines = {}
    numbers = {str(Path(module).resolve()): set[int]() for module in modules}
    missing: dict[int, set[int]] = {}
    _forget_results(modules)

    def called(frame: FrameType, _event: str, _argument: object) -> "TraceFunction | None":
        code = frame.f_code
        executed = numbers.get(code.co_filename)
        if executed is None:
            return None
        left = missing.get(id(code))
        if left is None:
            left = missing[id(code)] = {line for _, _, line in code.co_lines() if line}
        executed.add(frame.f_lineno)
        left.discard(frame.f_lineno)
        # A function of which each line was executed needs no watching, which makes it many times slower.
        return _line_tracer(executed, left) if left else None

    threading.settrace(called)
    sys.settrace(called)
    try:
        yield found
    finally:
        sys.settrace(None)
        threading.settrace(None)
        found |= {
            module: sorted(lines) for module, lines in zip(modules, numbers.values(), strict=True) if lines
        }


def _line_tracer(executed: set[int], left: set[int]) -> "TraceFunction":
    def traced(frame: FrameType, _event: str, _argument: object) -> "TraceFunction":
        executed.add(frame.f_lineno)
        left.discard(frame.f_lineno)
        return traced

    return traced


def _forget_results(modules: list[str]) -> None:
    """Clear the caches of functions: a test that finds a result there executes nothing of the function."""
    for name in modules:
        module = importlib.import_module(dotted(name))
        for value in vars(module).values():
            inner = vars(value).values() if isinstance(value, type) else ()
            for each in (value, *inner):
                clear = getattr(each, "cache_clear", None)
                if callable(clear):
                    clear()


def dotted(module: str) -> str:
    """The name under which a module file is imported."""
    return module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def executes(lines: Lines, module: str, span: tuple[int, int] | None) -> bool:
    """True if a test with these lines may run a change in that span; None stands for code that runs at import."""
    return span is None or any(span[0] <= line <= span[1] for line in lines.get(module, ()))
