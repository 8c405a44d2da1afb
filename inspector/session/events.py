"""The events of a session."""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from inspector.protocol import timeline
from inspector.protocol.catalogue import Catalogue
from inspector.protocol.frames import Frame


class SessionState(StrEnum):
    """Of a session, in words that may be shown."""

    IDLE = "idle"
    CONNECTING = "connecting"
    READY = "ready"
    LOST = "disconnected"
    """The server cannot be asked now; the next call reaches it again."""
    FAILED = "failed"
    CLOSED = "closed"


class StateChanged(Struct, frozen=True, kw_only=True):
    """The session has another state; `message` and `hint` say why where it failed, or was ready before."""

    state: SessionState
    message: str = ""
    hint: str = ""


class FrameSeen(Struct, frozen=True, kw_only=True):
    """A frame went over the wire, and these entries of the timeline are new or changed."""

    frame: Frame
    entries: tuple[timeline.Entry, ...]


class Noted(Struct, frozen=True, kw_only=True):
    """Something that went over no wire has its entry in the timeline."""

    entry: timeline.Entry


class ListingAdvanced(Struct, frozen=True, kw_only=True):
    """The catalogue so far; `complete` when all pages of all lists are in."""

    catalogue: Catalogue
    complete: bool


class ListChanged(Struct, frozen=True, kw_only=True):
    """The server said that one of its lists is out of date."""


class ResourceUpdated(Struct, frozen=True, kw_only=True):
    """The server said that a resource has changed, to which the session is subscribed."""

    uri: str
    """Foreign text."""


Event: TypeAlias = StateChanged | FrameSeen | Noted | ListingAdvanced | ListChanged | ResourceUpdated
Listener: TypeAlias = Callable[[Event], None]
