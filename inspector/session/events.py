"""The events that a session passes to its listener, such as a new frame or a changed list."""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from inspector.protocol import timeline
from inspector.protocol.catalogue import Catalogue
from inspector.protocol.frames import Frame


class SessionState(StrEnum):
    """The state of a session. The values are safe to show."""

    IDLE = "idle"
    CONNECTING = "connecting"
    READY = "ready"
    LOST = "disconnected"
    """The server cannot be reached now. The next call connects again."""
    FAILED = "failed"
    CLOSED = "closed"


class StateChanged(Struct, frozen=True, kw_only=True):
    """The session's state has changed.

    `message` and `hint` give the reason if connecting failed, or if a session that was ready has ended.
    """

    state: SessionState
    message: str = ""
    hint: str = ""


class FrameSeen(Struct, frozen=True, kw_only=True):
    """A frame was sent or received, or a note was made.

    `entries`: the timeline entries that are new or changed.
    """

    frame: Frame
    entries: tuple[timeline.Entry, ...]


class Noted(Struct, frozen=True, kw_only=True):
    """The timeline has a new entry for an event that is not a protocol message."""

    entry: timeline.Entry


class ListingAdvanced(Struct, frozen=True, kw_only=True):
    """More items were listed. `catalogue` has all that are listed so far.

    `complete` is True when all pages of all lists have arrived.
    """

    catalogue: Catalogue
    complete: bool


class ListChanged(Struct, frozen=True, kw_only=True):
    """The server reported that one of its lists has changed."""


class ResourceUpdated(Struct, frozen=True, kw_only=True):
    """The server reported that a resource to which the session is subscribed has changed."""

    uri: str
    """The URI of the subscribed resource, which is the one that has changed or one that contains it.

    Untrusted text.
    """


class SubscriptionsChanged(Struct, frozen=True, kw_only=True):
    """A subscription to a resource was added, was confirmed by the server, or has ended."""


Event: TypeAlias = (
    StateChanged | FrameSeen | Noted | ListingAdvanced | ListChanged | ResourceUpdated | SubscriptionsChanged
)
Listener: TypeAlias = Callable[[Event], None]
