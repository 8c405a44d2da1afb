"""Garbage collection that does not stall the interface."""

import gc
import time
from collections.abc import Mapping
from typing import Literal

from inspector.json.exact import Json

_YOUNG, _MIDDLE, _OLD = 2_000, 5, 2
"""New objects, and then rounds of each generation, after which the next is gone through: a few milliseconds each."""

_LONG_S = 0.008
"""Processor time of a full garbage collection, in seconds. After a longer one, the objects that are left are frozen."""

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


def _watch(phase: Literal["start", "stop"], facts: Mapping[str, int]) -> None:
    """Time each round over the oldest generation. Rounds never overlap, whichever threads they are in."""
    global _begun_s  # noqa: PLW0603 - the collector calls functions only
    if facts["generation"] < 2:
        return
    now_s = time.thread_time()
    if phase == "start":
        _begun_s = now_s
    elif now_s - _begun_s > _LONG_S:
        gc.freeze()


_FEW = 64
"""Members of containers that are freed at once."""

_PIECE = 256
"""Members of one container that are freed between two chances for the event loop."""


def release(values: list[Json]) -> None:
    """Empty `values`, the last holder of what is in it; to be called in a thread. Shared parts stay as they are."""
    while values:
        value = values.pop()
        if not isinstance(value, (dict, list)):
            continue
        members = list(value.values()) if isinstance(value, dict) else value.copy()
        # From here on the members are held by the list alone, unless the container is referenced elsewhere.
        del value
        if len(members) <= _FEW:
            values.extend(member for member in members if isinstance(member, (dict, list)) and member)
            continue
        values.extend(member for member in members if isinstance(member, (dict, list)) and len(member) > _FEW)
        while members:
            del members[-_PIECE:]
