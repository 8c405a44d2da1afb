"""Errors for the user, with their exit codes (docs/commands.md)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class InspectorError(Exception):
    """An error for the user: `message` says what failed, `hint` what to do about it.

    Both may quote foreign text; code that prints them makes it safe.
    """

    code = "internal"
    exit_code = 1

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
    exit_code = 2


AUTHENTICATION_HINT = 'Run sightline auth TARGET --remember in a terminal, or pass credentials with --header "Authorization: Bearer …".'


class AuthenticationRequiredError(InspectorError):
    """The server answered 401 or 403."""

    code = "authentication_required"
    exit_code = 3

    def __init__(self, message: str, hint: str = AUTHENTICATION_HINT) -> None:
        super().__init__(message, hint)


class UnreachableError(InspectorError):
    """The server could not be started or reached, did not answer, or exited."""

    code = "unreachable"
    exit_code = 4


class ToolFailedError(InspectorError):
    """The tool reported an error, or does not exist."""

    code = "tool_error"
    exit_code = 5


class NotConfirmedError(InspectorError):
    """A policy requires confirmation for the call, and it was not given."""

    code = "not_confirmed"
    exit_code = 10


class BlockedError(NotConfirmedError):
    """A policy blocked the call; confirmation is not possible."""

    code = "blocked"


class OutputBrokenError(InspectorError):
    """A result does not fit the output schema of its tool."""

    code = "output_breaks_schema"
    exit_code = 13

    def __init__(
        self,
        message: str,
        hint: str = "Correct the tool or its schema; --no-check-output exits 0 all the same.",
    ) -> None:
        super().__init__(message, hint)
