"""Protect this process: its memory, the texts of exceptions and log records, and the screen."""

import ctypes
import logging
import os
import resource
import sys
import threading

from inspector.cli.output import DIAGNOSTICS, defect
from inspector.errors import InspectorError, UsageError

HARMLESS = frozenset(
    {
        "TEXTUAL_ALLOW_SIGNALS",
        "TEXTUAL_ANIMATIONS",
        "TEXTUAL_COLOR_SYSTEM",
        "TEXTUAL_DIM_FACTOR",
        "TEXTUAL_DISABLE_KITTY_KEY",
        "TEXTUAL_FILTERS",
        "TEXTUAL_FPS",
        "TEXTUAL_SLOW_THRESHOLD",
        "TEXTUAL_SMOOTH_SCROLL",
        "TEXTUAL_SPEEDUPS",
        "TEXTUAL_THEME",
    }
)
"""Textual's variables that change how the screen looks and feels, no more. Source: textual/constants.py."""

_PR_SET_DUMPABLE = 4
_LIBC = ctypes.CDLL(None)


def protect() -> None:
    """Keep this process's memory from core dumps and from other processes of the user, and its defects terse.

    Children inherit the limit on core dumps; whether they can be traced is their own again once they run.
    Raises InspectorError where Linux refuses.
    """
    sys.excepthook = lambda _, error, __: _report(error)
    sys.unraisablehook = lambda raised: _report(raised.exc_value)
    threading.excepthook = lambda raised: _report(raised.exc_value)
    # Unhandled log records go to stderr as they are, and libraries quote servers in theirs.
    logging.getLogger().addHandler(logging.NullHandler())
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The limit does not hold where the kernel pipes core dumps to a program; this does.
    if sys.platform == "linux" and _LIBC.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise InspectorError(
            "this process cannot keep its memory from other processes: prctl(PR_SET_DUMPABLE) was refused",
            "A sandbox may forbid it; allow prctl there, or run Sightline outside of it.",
        )


def refuse_variables() -> None:
    """Raises UsageError where Textual would log, photograph, send or steer the screen.

    To be called before Textual is imported: it reads its environment then.
    """
    found = sorted(name for name in os.environ if f"{name}_".startswith("TEXTUAL_") and name not in HARMLESS)
    if found:
        raise UsageError(
            f"{', '.join(found)} is set: this can send the content of the screen elsewhere",
            f"The interface may show secrets. Run: unset {' '.join(found)}",
        )


def _report(error: BaseException | None) -> None:
    if not isinstance(error, KeyboardInterrupt | SystemExit | None):
        DIAGNOSTICS.fail(error if isinstance(error, InspectorError) else defect(error))
