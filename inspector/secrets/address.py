"""Classes of network addresses: a name must not lead from the server's own network into another.

A name that resolves to 127.0.0.1 at the second look-up (DNS rebinding) reaches services that nobody meant.
"""

from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

_NAT64 = IPv6Network("64:ff9b::/96")
_THIS_NETWORK = IPv4Network("0.0.0.0/8")


class AddressClass(StrEnum):
    """How far an address reaches."""

    LOOPBACK = "loopback"
    LINK_LOCAL = "link-local"
    PRIVATE = "private"
    """Routed, but not on the public internet: RFC 1918, unique local, shared (RFC 6598)."""
    PUBLIC = "public"
    OTHER = "unusable"
    """Nothing to connect to: unspecified, multicast, reserved, or a tunnel whose end cannot be judged."""


def address_class(written: str) -> AddressClass:
    """The class of an address as a resolver gives it, also with a zone. What is no address is OTHER."""
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
        # Any other address would be one of the gateway's network, not of ours.
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
