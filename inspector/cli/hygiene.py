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
"""Textual's environment variables that only change the look of the screen and how it is used.

Source: textual/constants.py.
"""

_PR_SET_DUMPABLE = 4
_LIBC = ctypes.CDLL(None)


def protect() -> None:
    """Protect the memory of this process from core dumps and other processes, and shorten its error reports.

    Error reports name the kind and place of a defect only. Child processes inherit the limit on core dumps,
    but may be traced again once they run their program. Raises InspectorError if Linux refuses.
    """
    _open_streams()
    sys.excepthook = lambda _, error, __: _report(error)
    sys.unraisablehook = lambda raised: _report(raised.exc_value)
    threading.excepthook = lambda raised: _report(raised.exc_value)
    # Without a handler, log records go to stderr unmasked, and those of libraries may quote servers.
    logging.getLogger().addHandler(logging.NullHandler())
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The limit has no effect if the kernel pipes core dumps to a program; this call has.
    if sys.platform == "linux" and _LIBC.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise InspectorError(
            "this process cannot protect its memory from other processes: prctl(PR_SET_DUMPABLE) was refused",
            "A sandbox may forbid it; allow prctl there, or run Sightline outside of it.",
        )


def _open_streams() -> None:
    """Open the null device in place of each standard stream that the caller has closed.

    Otherwise the next file that is opened gets the stream's file descriptor, and with it the text that is
    written to the stream.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def refuse_variables() -> None:
    """Raise UsageError if an environment variable may make Textual log, save, send or control the screen.

    Call this function before Textual is imported, because Textual reads the environment at import.
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
