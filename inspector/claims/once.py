"""Caches results that depend only on the definition of a tool, because each call needs them several times."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

from inspector.protocol.catalogue import Tool

Value = TypeVar("Value")

_MOST = 64
"""The maximum number of tools whose results are cached. The cache keeps these tools alive."""


class _Same:
    """A tool as a cache key, compared by identity.

    Definitions are not hashable, and comparing them would cost as much as the cached work.
    """

    __slots__ = ("tool",)

    def __init__(self, tool: Tool) -> None:
        self.tool = tool

    def __hash__(self) -> int:
        return id(self.tool)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.tool is self.tool


def once(work: Callable[[Tool], Value]) -> Callable[[Tool], Value]:
    """Cache the results of `work`: for the same tool object, it returns the same result object."""

    @lru_cache(maxsize=_MOST)
    def kept(same: _Same) -> Value:
        return work(same.tool)

    @wraps(work)
    def ask(tool: Tool) -> Value:
        return kept(_Same(tool))

    return ask
