"""The exit codes of the command line, and the errors for the user, each of which has an exit code.

The help of commands lists the codes with their meanings.
"""

from enum import IntEnum
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable


class ExitCode(IntEnum):
    """The exit codes of the command line."""

    _value_: int
    meaning: str

    def __new__(cls, code: int, meaning: str) -> Self:
        """A code, and its meaning in a few words."""
        made = int.__new__(cls, code)
        made._value_ = code
        made.meaning = meaning
        return made

    OK = 0, "done"
    INTERNAL = 1, "internal error"
    USAGE = 2, "the command line, a file or a setting is wrong"
    AUTHENTICATION = 3, "the server requires authentication"
    UNREACHABLE = 4, "the server could not be started or reached, did not answer, or exited"
    TOOL_FAILED = 5, "the tool reported an error, or does not exist"
    STOPPED = 10, "the policy blocked a call or its answer, or a question got no agreement"
    FINDINGS = 11, "a finding is at or above --fail-on"
    DIFFERS = 12, "a definition, an answer or what a model sees has changed"
    OUTPUT_BROKEN = 13, "a result breaks its tool's output schema"
    CALLS_FAILED = 14, "a saved call does not meet its expectations, or cannot be made"
    INTERRUPTED = 130, "ended by Ctrl-C"
    # A shell gives this code to a program that SIGPIPE ended, such as git or grep.
    UNREAD = 141, "the program that reads the output ended first"
    TERMINATED = 143, "ended by SIGTERM"


class InspectorError(Exception):
    """An error for the user: `message` says what failed, `hint` what to do about it.

    Both may quote untrusted text; code that prints them escapes control and invisible characters.
    """

    code = "internal"
    exit_code: ExitCode = ExitCode.INTERNAL

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def mask(self, mask: "Callable[[str], str]") -> None:
        """Mask credentials in both texts with `mask`."""
        self.message, self.hint = mask(self.message), mask(self.hint)
        self.args = (self.message,)


class UsageError(InspectorError):
    """The command line, a file or a setting is wrong."""

    code = "usage"
    exit_code = ExitCode.USAGE


AUTHENTICATION_HINT = 'Run sightline auth TARGET --remember in a terminal, or pass credentials with --header "Authorization: Bearer …".'


_FORBIDDEN_HINT = f"If the reason is the host or the origin, use the host that the server expects, such as localhost. {AUTHENTICATION_HINT}"


class AuthenticationRequiredError(InspectorError):
    """The server answered 401 or 403."""

    code = "authentication_required"
    exit_code = ExitCode.AUTHENTICATION

    def __init__(self, message: str, hint: str = "", *, status: int = 401) -> None:
        super().__init__(message, hint or (_FORBIDDEN_HINT if status == 403 else AUTHENTICATION_HINT))


class UnreachableError(InspectorError):
    """The server could not be started or reached, did not answer, or exited."""

    code = "unreachable"
    exit_code = ExitCode.UNREACHABLE


class ToolFailedError(InspectorError):
    """The tool reported an error, or does not exist."""

    code = "tool_error"
    exit_code = ExitCode.TOOL_FAILED


class NotConfirmedError(InspectorError):
    """A policy requires confirmation for the call, and it was not given."""

    code = "not_confirmed"
    exit_code = ExitCode.STOPPED


class BlockedError(NotConfirmedError):
    """A policy blocked the call; confirmation is not possible."""

    code = "blocked"


class OutputBrokenError(InspectorError):
    """A result does not fit the output schema of its tool."""

    code = "output_breaks_schema"
    exit_code = ExitCode.OUTPUT_BROKEN

    def __init__(
        self,
        message: str,
        hint: str = "Correct the tool or its schema; --no-check-output exits 0 all the same.",
    ) -> None:
        super().__init__(message, hint)


def headline(message: str) -> str:
    """A message on one line: all its lines if there are few, otherwise its first and last line.

    The last line is kept, because that of a traceback says what was raised.
    """
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return f"{lines[0]}: {lines[-1]}" if len(lines) > _FEW_LINES else ", ".join(lines)


_FEW_LINES = 3
