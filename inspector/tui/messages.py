"""What happened, and what is wanted, as messages between the session, the screens and the widgets."""

from dataclasses import dataclass

from textual.message import Message

from inspector.session.call_record import CallRecord, Progress
from inspector.session.events import StateChanged


@dataclass
class StateReported(Message):
    """The session has another state."""

    event: StateChanged


@dataclass
class ListingReported(Message):
    """The catalogue has grown; or, where `outdated`, the server says that it is no longer true."""

    outdated: bool = False


@dataclass
class TimelineGrew(Message):
    """Entries of the timeline are new or changed."""


@dataclass
class ConnectionFailed(Message):
    """No connection could be made, or listing failed. Both texts may quote foreign text."""

    message: str
    hint: str


@dataclass
class CallAdvanced(Message):
    """A running call says how far it is."""

    progress: Progress


@dataclass
class CallFinished(Message):
    """A call has ended."""

    record: CallRecord


@dataclass
class CallStopped(Message):
    """A call ended without a record. `reason` may quote foreign text."""

    reason: str
