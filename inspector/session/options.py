"""How to reach a target, with which authority, and how long to wait."""

import sys
from typing import TYPE_CHECKING

from msgspec import Struct, field

from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy
from inspector.connect.tap import MAX_MESSAGE_BYTES
from inspector.protocol.authorization import Authorizing, Trust
from inspector.protocol.client import USUAL, Announcement, Root
from inspector.protocol.page import Forms
from inspector.protocol.targets import DemoTarget, Era, HttpTarget, StdioTarget, Target

if TYPE_CHECKING:
    from inspector.connect.connection import TransportOf
    from inspector.recording.files import Recorder
    from inspector.session.asking import Responder


class Options(Struct, frozen=True, kw_only=True):
    """How to connect and how long to wait."""

    era: Era = Era.AUTO
    timeout_s: float = 60.0
    """For one request."""
    connect_timeout_s: float = 30.0
    wait_s: float | None = None
    """How long a page may take to become quiet before its tools are listed; a page without tools is then an error.

    None lists them at once, also where there are none, for a caller that follows changes.
    """
    policy: BoundaryPolicy = DEFAULT_POLICY
    """What is withheld from models beyond what the boundary withholds."""
    recorder: "Recorder | None" = None
    """Where the session is recorded; closed with it."""
    forms: Forms = Forms.WAIT
    """What becomes of a page's form that is filled in and does not submit itself."""
    redeem_origin: str | None = None
    """Where secrets of a command may be redeemed: what the user pinned, never what a server says."""
    client: Announcement = USUAL
    """What a server learns of the client. A page gets none of it."""
    roots: tuple[Root, ...] = ()
    """The folders that servers may work in."""
    responder: "Responder | None" = None
    """Answers what servers ask; None to decline."""
    authorizing: Authorizing = field(default_factory=Authorizing)
    """How to get a token where an HTTP server wants one."""
    trust: Trust = field(default_factory=Trust)
    """Which certificates are accepted."""
    max_message_bytes: int = MAX_MESSAGE_BYTES
    """A longer message ends the connection."""
    transport: "TransportOf | None" = None
    """What messages go over in place of the target's process or URL."""
    is_quick_to_end: bool = False
    """Whether a command gets SIGTERM soon after its input is closed, because it is started again at once."""


def reachable(
    named: StdioTarget | HttpTarget | DemoTarget, redeem_origin: str | None
) -> tuple[StdioTarget | HttpTarget, str | None]:
    """What is connected to, and the address at whose origin its secrets may be redeemed.

    `redeem_origin`: what the user pinned for a command.
    """
    match named:
        case HttpTarget() as target:
            return target, target.url
        case StdioTarget() as target:
            return target, redeem_origin
        case DemoTarget():
            # The wire loads after the interface has painted.
            from inspector.secrets.redemption.addresses import free_port  # noqa: PLC0415

            port = free_port()
            command = (sys.executable, "-m", "inspector.demo", "stdio", "--port", str(port))
            return StdioTarget(command=command), f"http://127.0.0.1:{port}"


def authorization(target: Target) -> str | None:
    """The connection's own Authorization header; None where there is none, or more than one."""
    headers = target.headers if isinstance(target, HttpTarget) else ()
    values = [value for name, value in headers if name.lower() == "authorization"]
    return values[0] if len(values) == 1 else None
