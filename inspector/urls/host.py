"""Hosts in the one spelling in which they can be compared, and refused where readers would differ.

Source: WHATWG URL (https://url.spec.whatwg.org/#host-parsing), RFC 3986 section 3.2.2, RFC 5891, UTS 46.
"""

import re
from ipaddress import IPv4Address, IPv6Address

from inspector.urls.refused import Refused, quoted

MAX_HOST_CHARACTERS = 253

_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_SIX = re.compile(r"\[([0-9A-Fa-f:.]+)\]")

# Readers of IDNA 2003 turn these into other names than readers of IDNA 2008 do.
_DEVIATING = re.compile("[ß\u1e9eς\u200c\u200d]")


def normalised(written: str) -> str | Refused:
    """A host as it stands in a URL, in its one spelling: lower case, A-labels, no trailing dot, no brackets.

    An IPv4-mapped IPv6 address stays IPv6: for a browser it is another host than the IPv4 address in it.
    """
    if not written:
        return Refused(reason="it names no host")
    if written.startswith("["):
        return _ipv6(written)
    if "%" in written:
        return Refused(reason="its host holds a percent sign, which not all readers decode")
    if len(written) > MAX_HOST_CHARACTERS + 1:
        return Refused(reason="its host is too long")
    host = written.removesuffix(".")
    name = host.lower() if host.isascii() else _to_ascii(host)
    if name is None:
        return Refused(
            reason=f"its host is an international name that readers read differently: {quoted(host)}"
        )
    labels = name.split(".")
    if len(name) > MAX_HOST_CHARACTERS or not all(map(_LABEL.fullmatch, labels)):
        return Refused(reason=f"its host is no name: {quoted(host)}")
    if not all(map(_is_faithful, labels)):
        return Refused(reason=f"its host holds an encoded label that stands for no name: {quoted(host)}")
    if _NUMBER.fullmatch(labels[-1]) and not _is_ipv4(written):
        return Refused(
            reason=f"its host is a number, but no IPv4 address in four decimal parts: {quoted(host)}"
        )
    return name


def address_in(host: str) -> IPv4Address | IPv6Address | None:
    """The address that a normalised host is; None for a name."""
    if ":" in host:
        return IPv6Address(host)
    return IPv4Address(host) if _is_ipv4(host) else None


def is_on_this_machine(host: str) -> bool:
    """Whether a normalised host says that it is this machine: a loopback address, or `localhost`.

    A name is a promise only; whoever connects checks the addresses.
    """
    match address_in(host):
        case IPv4Address() as address:
            return address.is_loopback
        case IPv6Address() as address:
            return address.is_loopback or (
                address.ipv4_mapped is not None and address.ipv4_mapped.is_loopback
            )
        case None:
            return host == "localhost" or host.endswith(".localhost")


def _ipv6(written: str) -> str | Refused:
    inner = _SIX.fullmatch(written)
    try:
        return IPv6Address(inner.group(1)).compressed if inner else _no_ipv6(written)
    except ValueError:
        return _no_ipv6(written)


def _no_ipv6(written: str) -> Refused:
    return Refused(reason=f"its host is no IPv6 address: {quoted(written)}")


def _is_ipv4(written: str) -> bool:
    try:
        return str(IPv4Address(written)) == written
    except ValueError:
        return False


def _to_ascii(host: str) -> str | None:
    """Only where the mapping of UTS 46 and plain IDNA 2008 with lower case agree."""
    import idna  # noqa: PLC0415 - its tables take 10 ms, and hardly any host needs them

    if _DEVIATING.search(host):
        return None
    try:
        mapped = idna.encode(host, strict=True, uts46=True)
        plain = idna.encode(host.lower(), strict=True)
    # Its errors are of this kind, and so are those for characters without a name.
    except ValueError:
        return None
    return mapped.decode("ascii") if mapped == plain else None


def _is_faithful(label: str) -> bool:
    """Whether an A-label stands for a name that is written with this very label."""
    if not label.startswith("xn--"):
        return True
    import idna  # noqa: PLC0415 - as above

    try:
        return idna.alabel(idna.ulabel(label)) == label.encode()
    except ValueError:
        return False
