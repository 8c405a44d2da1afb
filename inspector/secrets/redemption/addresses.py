"""The addresses that a redemption may connect to: looked up once, and each of the server's own class."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from inspector.secrets.address import AddressClass, address_class
from inspector.secrets.states import Cause, Failed
from inspector.urls.host import Refused, address_in
from inspector.urls.origin import Origin

Resolver: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""From a host name and a port to addresses. Raises OSError where there are none."""


async def look_up(host: str, port: int) -> tuple[str, ...]:
    """What the system says. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on now."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


async def class_of(origin: Origin, resolver: Resolver = look_up) -> AddressClass:
    """The class that all addresses of `origin` have: what a connection remembers of its server when it is made.

    OTHER where they differ or there are none, so that nothing can be redeemed. Never raises.
    """
    addresses = await _addresses(origin, resolver)
    classes = {address_class(address) for address in addresses}
    return classes.pop() if len(classes) == 1 else AddressClass.OTHER


async def checked_addresses(
    origin: Origin, server: AddressClass, resolver: Resolver
) -> tuple[str, ...] | Refused | Failed:
    """All addresses of `origin`, or why none of them is used. One of another class spoils all.

    `server`: the class of the address at which the MCP server itself was reached.
    """
    addresses = await _addresses(origin, resolver)
    if not addresses:
        return Failed(cause=Cause.NO_NAME)
    for address in addresses:
        found = address_class(address)
        if found is AddressClass.OTHER or found is not server:
            return Refused(
                reason=f"{origin} leads to an address that is {found}, and the server was reached at one that is {server}"
            )
        if origin.scheme == "http" and found is not AddressClass.LOOPBACK:
            return Refused(reason=f"{origin} is not encrypted, and leads to an address that is {found}")
    return addresses


async def _addresses(origin: Origin, resolver: Resolver) -> tuple[str, ...]:
    """Empty where there are none, for whatever reason."""
    if address_in(origin.host) is not None:
        return (origin.host,)
    try:
        return tuple(await resolver(origin.host, origin.port))
    # A name that the system's own encoding rejects is a ValueError.
    except (OSError, ValueError):
        return ()
