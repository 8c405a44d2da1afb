"""Python's garbage collector, so set that it never holds up the screen for long."""

import gc
import time
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

_YOUNG, _MIDDLE, _OLD = 2_000, 5, 2
"""New objects, and then rounds of each generation, after which the next is gone through: a few milliseconds each."""
_LONG_S = 0.008
"""A round over all that is not set aside, of the processor, after which what it left is set aside."""

_begun_s = 0.0


def calm_collector() -> None:
    """Have the collector go through little at a time, however much there is.

    With its own settings it goes through all objects again and again: after a large result or listing that holds up the
    screen for a tenth of a second and more each time. Here whatever lives when a round took long is set aside, and not
    gone through again; it is freed as soon as nothing refers to it, as nearly everything is. What only the collector
    could free, rings that were alive at that moment, is not; each time these are a few screens at most.
    """
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
    gc.freeze()
    if _watch not in gc.callbacks:
        gc.callbacks.append(_watch)


def _watch(phase: Literal["start", "stop"], facts: "Mapping[str, int]") -> None:
    """Time each round over the oldest generation. Rounds never overlap, whichever threads they are in."""
    global _begun_s  # noqa: PLW0603 - the collector calls functions only
    if facts["generation"] < 2:
        return
    now_s = time.thread_time()
    if phase == "start":
        _begun_s = now_s
    elif now_s - _begun_s > _LONG_S:
        gc.freeze()
