"""A server that the terminal interface is started with."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from inspector.protocol.targets import Target

if TYPE_CHECKING:
    from inspector.session.events import Listener
    from inspector.session.live import Session

Opener: TypeAlias = "Callable[[Listener], Awaitable[Session]]"
"""Makes a session that is not yet connected. Raises InspectorError if the target is unknown."""


class ServerSource(Struct, frozen=True, kw_only=True):
    """A target, and how to open a session with it."""

    target: Target
    opener: Opener
    name: str = ""
    """The name by which the user knows the server, unique among several; empty if there is only one."""
    as_saved: Callable[[], str] | None = None
    """Returns the target as saved calls name it, or "" if they cannot name it. None stands for `""`."""
