"""A server to connect to, as the interface is started with it."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from inspector.protocol.targets import Target

if TYPE_CHECKING:
    from inspector.session.events import Listener
    from inspector.session.live import Session

Opener: TypeAlias = "Callable[[Listener], Awaitable[Session]]"
"""Makes a session that has not yet connected. Raises InspectorError where the target is not known."""


class ServerSource(Struct, frozen=True, kw_only=True):
    """A target, and how a session with it is made."""

    target: Target
    opener: Opener
    name: str = ""
    """Where there are several servers, the name that the user knows it by: no two have the same."""
    as_saved: Callable[[], str] | None = None
    """Gives the target as saved calls have it; None, or an empty text, where it cannot be written."""
