"""The addresses that a redemption may connect to: resolved once, and all in the server's own address class.

Resolving a name again could give another address, such as 127.0.0.1 (DNS rebinding), and lead into another
network.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias

from inspector.secrets.outcomes import Cause, Failed
from inspector.urls.host import RefusedUrl, address_in
from inspector.urls.origin import Origin

_NAT64 = IPv6Network("64:ff9b::/96")
_THIS_NETWORK = IPv4Network("0.0.0.0/8")


class AddressClass(StrEnum):
    """The network that an address belongs to: this machine, a local network, or the internet."""

    LOOPBACK = "loopback"
    LINK_LOCAL = "link-local"
    PRIVATE = "private"
    """Routed, but not on the public internet: RFC 1918, unique local, shared (RFC 6598)."""
    PUBLIC = "public"
    OTHER = "unusable"
    """Sightline never connects to it: unspecified, multicast, reserved, or a tunnel with an unknown end."""


def address_class(written: str) -> AddressClass:
    """The class of an address from a resolver, with or without a zone. OTHER for anything else."""
    try:
        address = ip_address(written.partition("%")[0])
    except ValueError:
        return AddressClass.OTHER
    if isinstance(address, IPv4Address):
        return _plain(address)
    if address.ipv4_mapped is not None:
        return _plain(address.ipv4_mapped)
    if address in _NAT64:
        inner = _plain(IPv4Address(int(address) & 0xFFFFFFFF))
        # Any other inner address belongs to the gateway's network.
        return inner if inner is AddressClass.PUBLIC else AddressClass.OTHER
    if address.sixtofour is not None or address.teredo is not None:
        return AddressClass.OTHER
    return _plain(address)


def _plain(address: IPv4Address | IPv6Address) -> AddressClass:
    if address.is_loopback:
        return AddressClass.LOOPBACK
    if address.is_link_local:
        return AddressClass.LINK_LOCAL
    if address.is_unspecified or address.is_multicast or address.is_reserved:
        return AddressClass.OTHER
    if isinstance(address, IPv4Address) and address in _THIS_NETWORK:
        return AddressClass.OTHER
    return AddressClass.PUBLIC if address.is_global else AddressClass.PRIVATE


Resolver: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses for a host name and a port. Raises OSError if there are none."""


async def look_up(host: str, port: int) -> tuple[str, ...]:
    """Resolve a name with the system's resolver. Raises OSError."""
    entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in entries))


def free_port() -> int:
    """An unused port of 127.0.0.1."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


async def class_of(origin: Origin, resolver: Resolver = look_up) -> AddressClass:
    """The class that all addresses of `origin` have. Never raises.

    OTHER if their classes differ or there is no address; then nothing can be redeemed.
    """
    addresses = await _addresses(origin, resolver)
    classes = {address_class(address) for address in addresses}
    return classes.pop() if len(classes) == 1 else AddressClass.OTHER


async def checked_addresses(
    origin: Origin, server: AddressClass, resolver: Resolver
) -> tuple[str, ...] | RefusedUrl | Failed:
    """All addresses of `origin`, or the reason why Sightline connects to none of them.

    If one address has another class than the server's, all are refused.

    `server`: the class of the address through which the MCP server was reached.
    """
    addresses = await _addresses(origin, resolver)
    if not addresses:
        return Failed(cause=Cause.NO_NAME)
    for address in addresses:
        reached = address_class(address)
        if reached is AddressClass.OTHER or reached is not server:
            return RefusedUrl(
                reason=f"{origin} resolves to an address that is {reached}; the server was reached at one that is {server}"
            )
        if origin.scheme == "http" and reached is not AddressClass.LOOPBACK:
            return RefusedUrl(
                reason=f"{origin} is not encrypted, and resolves to an address that is {reached}"
            )
    return addresses


async def _addresses(origin: Origin, resolver: Resolver) -> tuple[str, ...]:
    """The addresses of `origin`; empty if they cannot be resolved, for any reason."""
    if address_in(origin.host) is not None:
        return (origin.host,)
    try:
        return tuple(await resolver(origin.host, origin.port))
    # The system's encoding rejects some names with ValueError.
    except (OSError, ValueError):
        return ()
