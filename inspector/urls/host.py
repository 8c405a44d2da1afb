"""Normalises hosts of URLs for comparison, and refuses hosts that URL parsers read differently.

Source: WHATWG URL (https://url.spec.whatwg.org/#host-parsing), RFC 3986 section 3.2.2, RFC 5891, UTS 46.
"""

import re
from ipaddress import IPv4Address, IPv6Address

from msgspec import Struct

from inspector.safe_text import safe_line

_QUOTED_CHARACTERS = 60


class RefusedUrl(Struct, frozen=True, kw_only=True):
    """The reason why a URL is refused. Nothing was sent to the URL."""

    reason: str
    """The reason in one line, without a full stop.

    Untrusted text in it is safe and short, and never part of a query.
    """
    hint: str = ""
    """A suggestion for the user; may be empty."""


def quoted(text: str) -> str:
    """Untrusted text for use in a reason: on one line, short, without control or invisible characters."""
    shown = safe_line(text[:_QUOTED_CHARACTERS])
    return f"{shown}…" if len(text) > _QUOTED_CHARACTERS else shown


MAX_HOST_CHARACTERS = 253

_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_SIX = re.compile(r"\[([0-9A-Fa-f:.]+)\]")

# IDNA 2003 and IDNA 2008 map these differently.
_DEVIATING = re.compile("[ß\u1e9eς\u200c\u200d]")


def normalised(written: str) -> str | RefusedUrl:
    """A host in normal form: lower case, A-labels, no trailing dot, no brackets. Never raises.

    An IPv4-mapped IPv6 address stays IPv6: for a browser it is another host than the IPv4 address in it.
    """
    if not written:
        return RefusedUrl(reason="it has no host")
    if written.startswith("["):
        return _ipv6(written)
    if "%" in written:
        return RefusedUrl(reason="its host contains a percent sign, which not all parsers decode")
    if len(written) > MAX_HOST_CHARACTERS + 1:
        return RefusedUrl(reason="its host is too long")
    host = written.removesuffix(".")
    name = host.lower() if host.isascii() else _to_ascii(host)
    if name is None:
        return RefusedUrl(
            reason=f"its host is an international name that parsers read differently: {quoted(host)}"
        )
    labels = name.split(".")
    if len(name) > MAX_HOST_CHARACTERS or not all(map(_LABEL.fullmatch, labels)):
        return RefusedUrl(reason=f"its host is not a valid name: {quoted(host)}")
    if not all(map(_is_faithful, labels)):
        return RefusedUrl(
            reason=f"its host contains an encoded label that decodes to no name: {quoted(host)}"
        )
    if _NUMBER.fullmatch(labels[-1]) and not _is_ipv4(written):
        return RefusedUrl(
            reason=f"its host is a number, but not an IPv4 address in four decimal parts: {quoted(host)}"
        )
    return name


def address_in(host: str) -> IPv4Address | IPv6Address | None:
    """The IP address of a normalised host; None for a name."""
    if ":" in host:
        return IPv6Address(host)
    return IPv4Address(host) if _is_ipv4(host) else None


def is_on_this_machine(host: str) -> bool:
    """True if a normalised host is a loopback address or `localhost`.

    Another name may resolve to a loopback address too; the connection checks that.
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


def _ipv6(written: str) -> str | RefusedUrl:
    inner = _SIX.fullmatch(written)
    try:
        return IPv6Address(inner.group(1)).compressed if inner else _no_ipv6(written)
    except ValueError:
        return _no_ipv6(written)


def _no_ipv6(written: str) -> RefusedUrl:
    return RefusedUrl(reason=f"its host is not an IPv6 address: {quoted(written)}")


def _is_ipv4(written: str) -> bool:
    try:
        return str(IPv4Address(written)) == written
    except ValueError:
        return False


def _to_ascii(host: str) -> str | None:
    """The ASCII form of a name; None if UTS 46 and plain IDNA 2008 in lower case disagree."""
    import idna  # noqa: PLC0415 - its tables take 10 ms to load, and few hosts need them

    if _DEVIATING.search(host):
        return None
    try:
        mapped = idna.encode(host, strict=True, uts46=True)
        plain = idna.encode(host.lower(), strict=True)
    # idna's errors are ValueErrors, as are those for characters without a name.
    except ValueError:
        return None
    return mapped.decode("ascii") if mapped == plain else None


def _is_faithful(label: str) -> bool:
    """True if an A-label decodes to a name that encodes to the same label."""
    if not label.startswith("xn--"):
        return True
    import idna  # noqa: PLC0415 - as above

    try:
        return idna.alabel(idna.ulabel(label)) == label.encode()
    except ValueError:
        return False
