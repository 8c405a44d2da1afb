"""How to reach a target, and how long to wait."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy
from inspector.connect.tap import MAX_MESSAGE_BYTES
from inspector.protocol.page import Forms
from inspector.protocol.targets import Era

if TYPE_CHECKING:
    from inspector.recording.files import Recorder


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to connect and how long to wait."""

    era: Era = Era.AUTO
    timeout_s: float = 60.0
    """For one request."""
    connect_timeout_s: float = 30.0
    wait_s: float | None = None
    """How long a page may take to become quiet before its tools are listed; a page without tools is then an error.

    None lists them at once, also where there are none: for whoever follows what changes.
    """
    policy: BoundaryPolicy = DEFAULT_POLICY
    """What is withheld from models beyond what the boundary withholds."""
    recorder: "Recorder | None" = None
    """Where the session is recorded; closed with it."""
    forms: Forms = Forms.WAIT
    """What becomes of a page's form that is filled in and does not submit itself."""
    redeem_origin: str | None = None
    """Where secrets of a command may be redeemed: what the user pinned, never what a server says."""
    client_name: str | None = None
    """What to call oneself to a server; None for the usual name. A page is not told."""
    max_message_bytes: int = MAX_MESSAGE_BYTES
    """A longer message ends the connection."""
