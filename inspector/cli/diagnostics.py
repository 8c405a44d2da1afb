"""The one place that writes to stderr and knows exit codes."""

import json
import sys

from inspector.core.foreign import safe
from inspector.errors import InspectorError

OK = 0
TOOL_FAILED = 5
INTERRUPTED = 130


class Diagnostics:
    """Messages for the user beside the data: silent with `-q`, one JSON object with `--format json`."""

    def __init__(self) -> None:
        self.quiet = False
        self.as_json = False

    def say(self, text: str) -> None:
        """Something worth knowing while it runs."""
        if not self.quiet and not self.as_json:
            self._write(text)

    def fail(self, error: InspectorError) -> int:
        """What failed and what to do; the exit code."""
        if self.as_json:
            told = {"code": error.code, "message": error.message, "hint": error.hint}
            # ASCII escapes, so that nothing foreign acts on a terminal.
            self._write(json.dumps({"error": told}))
        else:
            self._write(f"sightline: {error.message}")
            if error.hint:
                self._write(f"  {error.hint}")
        return error.exit_code

    def _write(self, text: str) -> None:
        sys.stderr.write(safe(text) + "\n")
        sys.stderr.flush()


DIAGNOSTICS = Diagnostics()
