"""Settings for threads and garbage collection with which the screen reacts quickly."""

import gc
import sys
import time
from collections.abc import Mapping
from typing import Literal

from inspector.json.exact import Json

_YOUNG, _MIDDLE, _OLD = 2_000, 5, 2
"""The thresholds of the three generations for `gc.set_threshold`.

A collection then takes a few milliseconds.
"""

_LONG_S = 0.008
"""If a full collection takes more processor time than this, in seconds, the remaining objects are frozen."""

_SWITCH_S = 0.000_5
"""The time in seconds that a busy thread keeps the interpreter while the event loop waits for it.

A key causes about ten iterations of the event loop, and each of them waits this long. With Python's default
of 5 ms, a key would take twice the time during a review. The lower value does not slow the review.
"""

_begun_s = 0.0


def keep_responsive() -> None:
    """Let the event loop run soon while other threads are busy, and make garbage collections short.

    With its default settings, the collector goes through all objects again and again. After a large result or
    listing, each time blocks the screen for a tenth of a second or more. Here, all objects that are alive
    after a long collection are frozen: the collector skips them from then on. They are still freed once
    nothing refers to them, except objects in reference cycles, which stay in memory. Each long collection
    leaves a few Textual screens at most.
    """
    sys.setswitchinterval(_SWITCH_S)
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
    gc.freeze()
    if _watch not in gc.callbacks:
        gc.callbacks.append(_watch)


def _watch(phase: Literal["start", "stop"], facts: Mapping[str, int]) -> None:
    """Time each collection of the oldest generation, and freeze the remaining objects after a long one.

    Collections never overlap, in whichever threads they run.
    """
    global _begun_s  # noqa: PLW0603 - the collector calls functions only
    if facts["generation"] < 2:
        return
    now_s = time.thread_time()
    if phase == "start":
        _begun_s = now_s
    elif now_s - _begun_s > _LONG_S:
        gc.freeze()


_FEW = 64
"""The maximum number of members of a container that is freed in one step."""

_PIECE = 256
"""The number of members of one container that are freed before the event loop may run."""


def release(values: list[Json]) -> None:
    """Empty `values` and free what it holds. Call it in a thread. Objects referenced elsewhere are kept."""
    while values:
        value = values.pop()
        if not isinstance(value, (dict, list)):
            continue
        members = list(value.values()) if isinstance(value, dict) else value.copy()
        # From here on, only the list refers to the members, unless the container is referenced elsewhere.
        del value
        if len(members) <= _FEW:
            values.extend(member for member in members if isinstance(member, (dict, list)) and member)
            continue
        values.extend(member for member in members if isinstance(member, (dict, list)) and len(member) > _FEW)
        while members:
            del members[-_PIECE:]
