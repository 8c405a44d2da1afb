"""The options of a session: how to reach a target, with which credentials, and how long to wait."""

import sys
from typing import TYPE_CHECKING

from msgspec import Struct, field

from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy
from inspector.connect.tap import MAX_MESSAGE_BYTES
from inspector.protocol.authorization import Authorizing, Certificates
from inspector.protocol.client import USUAL, Announcement, Root
from inspector.protocol.page import Forms
from inspector.protocol.targets import DemoTarget, Era, HttpTarget, StdioTarget, Target

if TYPE_CHECKING:
    from inspector.connect.connection import TransportOf
    from inspector.recording.files import Recorder
    from inspector.session.asking import Responder


class Options(Struct, frozen=True, kw_only=True):
    """The options of a session."""

    era: Era = Era.AUTO
    timeout_s: float = 60.0
    """The time limit for one request, in seconds. Progress restarts it."""
    connect_timeout_s: float = 30.0
    wait_s: float | None = None
    """The maximum number of seconds to wait until a page is quiet before its tools are listed.

    If there are no tools then, and none was listed before, listing fails. If this is None, the tools are
    listed at once, even if there are none. Callers that follow changes set it to None.
    """
    policy: BoundaryPolicy = DEFAULT_POLICY
    """Settings that change what the boundary withholds. The default changes nothing."""
    recorder: "Recorder | None" = None
    """The recorder of the session; None to record nothing. The session does not close it."""
    forms: Forms = Forms.WAIT
    """The treatment of a page's form that was filled in and does not submit itself."""
    redeem_origin: str | None = None
    """The origin at which secrets of a command may be redeemed. Only the user sets it, never a server."""
    client: Announcement = USUAL
    """The data about the client that a server gets. A page gets none of it."""
    roots: tuple[Root, ...] = ()
    """The folders in which servers may work."""
    responder: "Responder | None" = None
    """Answers requests by servers; None to decline them."""
    authorizing: Authorizing = field(default_factory=Authorizing)
    """The settings for getting a token if an HTTP server requires one."""
    certificates: Certificates = field(default_factory=Certificates)
    """Which TLS certificates of HTTP servers are accepted."""
    max_message_bytes: int = MAX_MESSAGE_BYTES
    """The maximum size of a message. A longer one ends a stdio connection, or fails its HTTP request."""
    transport: "TransportOf | None" = None
    """The transport of messages, in place of the target's process or URL."""
    is_quick_to_end: bool = False
    """True if a command gets SIGTERM soon after its input is closed, because it will be restarted at once."""


def reachable(
    named: StdioTarget | HttpTarget | DemoTarget, redeem_origin: str | None
) -> tuple[StdioTarget | HttpTarget, str | None]:
    """The target to connect to, and the address at whose origin its secrets may be redeemed.

    `redeem_origin`: the origin that the user has set for a command.
    """
    match named:
        case HttpTarget() as target:
            return target, target.url
        case StdioTarget() as target:
            return target, redeem_origin
        case DemoTarget():
            # Loaded after the interface has painted.
            from inspector.secrets.redemption.addresses import free_port  # noqa: PLC0415

            port = free_port()
            command = (sys.executable, "-m", "inspector.demo", "stdio", "--port", str(port))
            return StdioTarget(command=command), f"http://127.0.0.1:{port}"


def authorization(target: Target) -> str | None:
    """The `Authorization` header of the connection; None if there is no such header, or more than one."""
    headers = target.headers if isinstance(target, HttpTarget) else ()
    values = [value for name, value in headers if name.lower() == "authorization"]
    return values[0] if len(values) == 1 else None
