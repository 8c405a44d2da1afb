"""Work that several hosts would do on one and the same value, done once for all of them."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TypeVar, cast

Value = TypeVar("Value")
Made = TypeVar("Made")

_Kept = dict[tuple[Callable[..., object], int], tuple[object, object]]
_KEPT: ContextVar[_Kept | None] = ContextVar("what hosts have in common", default=None)


@contextmanager
def sharing() -> Generator[None]:
    """Within this, what a shared function made of a value is not made again. Afterwards all of it is let go of."""
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def shared(make: Callable[[Value], Made]) -> Callable[[Value], Made]:
    """`make`, whose results are kept while `sharing`, for the very same value.

    Neither the value nor what is made of it may be changed afterwards.
    """

    @wraps(make)
    def once(value: Value) -> Made:
        kept = _KEPT.get()
        if kept is None:
            return make(value)
        key = (make, id(value))
        if key not in kept:
            # The value is kept too: while it lives, no other one has its identity.
            kept[key] = (value, make(value))
        return cast("Made", kept[key][1])

    return once
