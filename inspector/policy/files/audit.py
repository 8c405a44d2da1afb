"""The audit log: one JSON object per line, written through `logging`, so that the user's handlers can route it.

policy/audit.py makes the contents of the lines. The logger is `sightline.audit`; its handlers get no other
records.
"""

import logging
import logging.config
import os
import re
import secrets
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from inspector.errors import InspectorError, UsageError
from inspector.files import private, stamp
from inspector.files.settings import AuditSettings
from inspector.json.exact import Json, code_units, dump_text
from inspector.pins.files import identified
from inspector.policy.audit import AuditedCall, AuditedSecret, AuditEntry, Auditor
from inspector.protocol.outcome import Outcome

__all__ = ["LOGGER", "Audit", "AuditedCall", "AuditedSecret"]

LOGGER = "sightline.audit"
_NOT_PLAIN = re.compile(r"[^\x20-\x7e]")


class Audit:
    """The audit log of one run. Its methods block until a line is written; any thread may call them."""

    def __init__(self, path: Path | None = None, settings: AuditSettings | None = None) -> None:
        """Open the file, and create the handlers. Raises UsageError if one of them cannot be used.

        `path`: the file to append to. `settings`: further handlers, and the file if `path` is None.
        """
        own = settings or AuditSettings()
        self._auditor = Auditor(secrets.token_bytes(32), identified)
        self._lock = threading.Lock()
        self._failure = ""
        self._logger = logging.getLogger(LOGGER)
        self._handlers = _configured(own, self._logger)
        self._logger.setLevel(logging.INFO)
        self._logger.propagate = False
        file = path or own.file
        if file is not None:
            try:
                self._handlers.append(_LineHandler(file))
            except UsageError:
                self.close()
                raise
            self._logger.addHandler(self._handlers[-1])
        for handler in self._handlers:
            # By default, logging would print a traceback over the interface and continue.
            handler.handleError = self._failed

    def conceal(self, values: Iterable[str]) -> None:
        """Withhold these values from all later lines, also if no schema declares them sensitive."""
        with self._lock:
            self._auditor.conceal(values)

    def deciding(self, call: AuditedCall, verdict: str, rules: Iterable[str], agreed: str = "") -> None:
        """Log a decision about a call, before the call is sent.

        `agreed`: how the user agreed to the call; empty if the user was not asked or did not agree.
        Raises InspectorError if the line cannot be written. Then the call must not be sent.
        """
        with self._lock:
            self._write(self._auditor.decided(call, verdict, tuple(rules), agreed))

    def answered(
        self, call: AuditedCall, outcome: Outcome, duration_s: float, ended_at_s: float = 0.0
    ) -> None:
        """Log the end of a call.

        `ended_at_s`: the time of the answer as seconds since 1970; 0 for now. Linear in the size of the
        result. Raises InspectorError if the line cannot be written.
        """
        with self._lock:
            self._write(
                self._auditor.answered(call, outcome, duration_s), stamp.at(ended_at_s) if ended_at_s else ""
            )

    def declined(self, call: AuditedCall, by: str, reason: str = "") -> None:
        """Log that a call is not made.

        `by`, `reason`: as in `Auditor.declined`. Raises InspectorError if the line cannot be written.
        """
        with self._lock:
            self._write(self._auditor.declined(call, by, reason))

    def released(self, call: AuditedCall, rules: Iterable[str]) -> None:
        """Log that the user released an answer.

        Raises InspectorError if the line cannot be written. Then the answer must not be released.
        """
        with self._lock:
            self._write(self._auditor.released(call, tuple(rules)))

    def secret_requested(self, secret: AuditedSecret) -> None:
        """Log that a secret will be fetched, because the user agreed.

        Raises InspectorError if the line cannot be written. Then the request must not be sent.
        """
        with self._lock:
            self._write(self._auditor.secret_requested(secret))

    def secret_answered(self, secret: AuditedSecret, outcome: str, reason: str) -> None:
        """Log how fetching a secret ended.

        `outcome`, `reason`: texts by Sightline. Raises InspectorError if the line cannot be written.
        """
        with self._lock:
            self._write(self._auditor.secret_answered(secret, outcome, reason))

    def close(self) -> None:
        for handler in self._handlers:
            self._logger.removeHandler(handler)
            # A failed write was reported when it happened.
            with suppress(OSError):
                handler.close()

    def _write(self, entry: AuditEntry, time: str = "") -> None:
        level = logging.WARNING if entry.is_detailed else logging.INFO
        self._failure = ""
        self._logger.log(level, "%s", _line({"time": time or stamp.now("milliseconds"), **entry.content}))
        if self._failure:
            raise InspectorError(
                f"the audit log cannot be written: {self._failure}",
                "Free some space, or correct `audit.handlers` in config.toml. Sightline makes no call and fetches no secret that it cannot log.",
            )

    def _failed(self, record: logging.LogRecord) -> None:
        del record
        error = sys.exc_info()[1]
        reason = error.strerror if isinstance(error, OSError) else None
        self._failure = reason or type(error).__name__


class _LineHandler(logging.Handler):
    """Appends lines to a file of mode 0600, each with a single write."""

    def __init__(self, path: Path) -> None:
        """Open the file. Raises UsageError if it does not belong to the user alone."""
        super().__init__()
        self._descriptor = private.appending(path, "Choose another file for the audit log.")
        self._is_torn = False

    def emit(self, record: logging.LogRecord) -> None:
        raw = f"{self.format(record)}\n".encode("ascii", "backslashreplace")
        try:
            # A line that was cut off earlier must not run into this one.
            raw = b"\n" + raw if self._is_torn else raw
            self._is_torn = True
            if os.write(self._descriptor, raw) < len(raw):
                raise OSError(None, "not enough space for a whole line")  # noqa: TRY301 - reported as any other failure
            self._is_torn = False
        except OSError:
            self.handleError(record)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        super().close()


def _configured(own: AuditSettings, logger: logging.Logger) -> list[logging.Handler]:
    """Configure the user's handlers. Raises UsageError."""
    if not own.handlers:
        return []
    try:
        logging.config.dictConfig(
            {
                "version": 1,
                "disable_existing_loggers": False,
                "formatters": dict(own.formatters),
                "handlers": dict(own.handlers),
                "loggers": {LOGGER: {"handlers": list(own.handlers), "propagate": False}},
            }
        )
    except Exception as error:
        reason = error.__cause__ or error
        raise UsageError(
            f"config.toml, `audit`: {error}: {reason}", "docs/audit.md describes handlers."
        ) from error
    # The configuration has replaced all earlier handlers.
    return list(logger.handlers)


def _line(value: Json) -> str:
    """The value as JSON in ASCII, so that no terminal interprets any part of it."""
    return _NOT_PLAIN.sub(code_units, dump_text(value))
