"""Caches work that several hosts do on the same value."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TypeVar, cast

Value = TypeVar("Value")
Result = TypeVar("Result")

_Cache = dict[tuple[Callable[..., object], int], tuple[object, object]]
_CACHE: ContextVar[_Cache | None] = ContextVar("work shared by hosts", default=None)


@contextmanager
def sharing() -> Generator[None]:
    """Cache the return values of functions decorated with `shared` while this context is open."""
    token = _CACHE.set({})
    try:
        yield
    finally:
        _CACHE.reset(token)


def shared(function: Callable[[Value], Result]) -> Callable[[Value], Result]:
    """Cache return values of `function` while a `sharing` context is open, by the identity of the argument.

    Neither the argument nor the return value may be modified afterwards.
    """

    @wraps(function)
    def once(value: Value) -> Result:
        cache = _CACHE.get()
        if cache is None:
            return function(value)
        key = (function, id(value))
        if key not in cache:
            # Keep the value alive, so that no other object gets its id.
            cache[key] = (value, function(value))
        return cast("Result", cache[key][1])

    return once
