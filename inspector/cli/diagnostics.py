"""The one place that writes to stderr and knows exit codes."""

import json
import sys
from collections.abc import Callable

from inspector.errors import InspectorError
from inspector.safe_text import safe_line

OK = 0
TOOL_FAILED = 5
STOPPED = 10
"""A call, or an answer, is blocked, or nobody agreed to it."""
FINDINGS = 11
"""Something is as bad as `--fail-on`."""
DIFFERS = 12
"""Something is not as it was recorded, pinned, or on the other side."""
INTERRUPTED = 130
UNREAD = 141
"""Whoever read the output ended first: the code that a shell gives to a program ended by SIGPIPE, as git and grep are."""


class Diagnostics:
    """Messages for the user beside the data: silent with `-q`, one JSON object with `--format json`."""

    def __init__(self) -> None:
        self.quiet = False
        self.as_json = False
        self._covers: list[Callable[[str], str]] = []

    def conceal(self, cover: Callable[[str], str]) -> None:
        """Cover credentials from now on, beside those of before. Every message may quote a server that repeats them."""
        self._covers.append(cover)

    def cover(self, text: str) -> str:
        """A text without the credentials of any server that this run reached."""
        for cover in self._covers:
            text = cover(text)
        return text

    def say(self, text: str) -> None:
        """Something worth knowing while it runs."""
        if not self.quiet and not self.as_json:
            self._write(self.cover(text))

    def fail(self, error: InspectorError) -> int:
        """What failed and what to do; the exit code."""
        error.cover(self.cover)
        if self.as_json:
            told = {"code": error.code, "message": error.message, "hint": error.hint}
            # ASCII escapes, so that nothing foreign acts on a terminal.
            self._write(json.dumps({"error": told}))
        else:
            # Indented, so that no line of a server can be taken for one of ours.
            self._write("\n  ".join(f"sightline: {error.message}".split("\n")))
            if error.hint:
                self._write("\n  ".join(f"  {error.hint}".split("\n")))
        return error.exit_code

    def _write(self, text: str) -> None:
        sys.stderr.write("\n".join(map(safe_line, text.split("\n"))) + "\n")
        sys.stderr.flush()


DIAGNOSTICS = Diagnostics()


def defect(error: BaseException) -> InspectorError:
    """A fault of our own, by kind and place. What it says stays unsaid: it may quote a server, or a secret."""
    frame = error.__traceback__
    place = ""
    while frame is not None:
        place = f" at {frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}"
        frame = frame.tb_next
    return InspectorError(
        f"internal error: {type(error).__name__}{place}", "This is a fault of Sightline; please report it."
    )
