"""The events of a session."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from inspector.protocol import timeline
from inspector.protocol.catalogue import Catalogue
from inspector.protocol.frames import Frame


class State(StrEnum):
    """Of a session, in words that may be shown."""

    IDLE = "idle"
    CONNECTING = "connecting"
    READY = "ready"
    LOST = "disconnected"
    """The server cannot be asked now; the next call reaches it again."""
    FAILED = "failed"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged:
    """The session has another state; `message` and `hint` say why where it failed, or was ready before."""

    state: State
    message: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameSeen:
    """A frame went over the wire, and these entries of the timeline are new or changed."""

    frame: Frame
    entries: tuple[timeline.Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """Something that went over no wire has its entry in the timeline."""

    entry: timeline.Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingAdvanced:
    """The catalogue so far; `complete` when all pages of all lists are in."""

    catalogue: Catalogue
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ListChanged:
    """The server said that one of its lists is out of date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceUpdated:
    """The server said that a resource has changed, to which the session is subscribed."""

    uri: str
    """Foreign text."""


Event: TypeAlias = StateChanged | FrameSeen | Noted | ListingAdvanced | ListChanged | ResourceUpdated
Listener: TypeAlias = Callable[[Event], None]
