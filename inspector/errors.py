"""Errors that end a command or a request, and what the user can do about them.

Each kind carries the exit code that commands end with; docs/commands.md lists them.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class InspectorError(Exception):
    """Something failed: `message` says what, `hint` what to do about it.

    Both may quote foreign text; code that prints them makes it safe.
    """

    code = "internal"
    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def cover(self, cover: "Callable[[str], str]") -> None:
        """Replace both texts by what `cover` makes of them."""
        self.message, self.hint = cover(self.message), cover(self.hint)
        self.args = (self.message,)


class UsageError(InspectorError):
    """The command line, a file or a setting is wrong."""

    code = "usage"
    exit_code = 2


AUTHENTICATION_HINT = 'Pass credentials with --header "Authorization: Bearer …".'


class AuthenticationRequiredError(InspectorError):
    """The server answered 401 or 403."""

    code = "authentication_required"
    exit_code = 3

    def __init__(self, message: str, hint: str = AUTHENTICATION_HINT) -> None:
        super().__init__(message, hint)


class UnreachableError(InspectorError):
    """The server could not be started or reached, went silent, or died."""

    code = "unreachable"
    exit_code = 4


class ToolFailedError(InspectorError):
    """The tool reported an error, or there is no such tool."""

    code = "tool_error"
    exit_code = 5


class NotConfirmedError(InspectorError):
    """The policy asks before the call, and nobody agreed."""

    code = "not_confirmed"
    exit_code = 10


class BlockedError(NotConfirmedError):
    """A policy blocked the call. No agreement lets it through."""

    code = "blocked"
