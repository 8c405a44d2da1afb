"""What is connected to, and with which authority."""

import sys

from inspector.protocol.targets import DemoTarget, HttpTarget, StdioTarget, Target


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
    found = [value for name, value in headers if name.lower() == "authorization"]
    return found[0] if len(found) == 1 else None
