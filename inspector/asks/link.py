"""A URL that a server asks the user to open: its destination, and its deceptive parts."""

import re
from urllib.parse import unquote

from msgspec import Struct

from inspector.safe_text import safe_line
from inspector.urls.host import RefusedUrl, address_in, is_on_this_machine
from inspector.urls.origin import origin_of

_HOST = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)")
_COUNTRY = 2
"""The number of letters of a country's top-level domain, such as `de`."""
_LONGEST = 2_000
"""The maximum number of characters of a URL that are shown. A longer URL is not opened."""


class Link(Struct, frozen=True, kw_only=True):
    """A URL, judged without being fetched."""

    url: str
    """The URL as the server wrote it. It may be opened only if `refusal` is empty."""
    before: str
    host: str
    after: str
    """The part of the URL after its host.

    The URL is shown as `before`, `host` and `after`, so that the host can be highlighted. All three are safe
    to show on one line.
    """
    origin: str
    """The origin in normal form; empty if the URL is refused."""
    refusal: str
    """The reason why the URL is not opened, as a clause; empty if it may be opened once the user agrees."""
    warnings: tuple[str, ...] = ()
    """Sentences on deceptive parts of the URL."""
    ending: str = ""
    """A sentence with the end of the host, which shows who owns it; empty for an address or a refused URL."""


def link_of(url: str, own_url: str | None = None) -> Link:
    """Find the destination and the deceptive parts of a URL. Never raises.

    `own_url`: the address of the server; None if the server is a command.
    """
    match = _HOST.match(url)
    start, end = match.span(1) if match else (0, 0)
    shown = url[:_LONGEST]
    before, host, after = (safe_line(part) for part in (shown[:start], shown[start:end], shown[end:]))
    # A browser gets the fragment too, so a fragment must meet the rules for a query.
    found = origin_of(url.replace("#", "?", 1))
    if not isinstance(found, RefusedUrl) and len(url) > _LONGEST:
        found = RefusedUrl(reason=f"it is longer than {_LONGEST:,} characters")
    if isinstance(found, RefusedUrl):
        return Link(url=url, before=before, host=host, after=after, origin="", refusal=found.reason)
    own = origin_of(own_url.partition("#")[0]) if own_url else None
    warnings = list(_about_host(found.host, url[start:end]))
    if found.scheme == "http" and not is_on_this_machine(found.host):
        warnings.append("It is not encrypted.")
    if own is not None and not isinstance(own, RefusedUrl) and own.host != found.host:
        warnings.append(f"It is not on the server's own host, {own.host}.")
    if re.search(r"https?://", unquote(url[end:]), re.IGNORECASE):
        warnings.append("It contains another address, and may redirect to it.")
    return Link(
        url=url,
        before=before,
        host=host,
        after=after,
        origin=str(found),
        refusal="",
        warnings=tuple(warnings),
        ending="" if address_in(found.host) else _ending(found.host),
    )


def _ending(host: str) -> str:
    """A sentence with the last labels of a host in ASCII, so that the user sees who owns the host.

    The sentence names the last three labels if the host is in a country's domain, and the last two otherwise.
    In most cases they contain the registered name. No list of public suffixes is used, and no imitation of a
    known name is detected.
    """
    labels = host.split(".")
    shown = ".".join(labels[-3:] if len(labels[-1]) == _COUNTRY else labels[-2:])
    digits = sorted({letter for letter in shown if letter.isdigit()})
    are_digits = (
        f"; {' and '.join(digits)} {'is a digit' if len(digits) == 1 else 'are digits'}" if digits else ""
    )
    rest = "" if shown == host else " Anyone can choose the part before it."
    return f"Its host ends in {shown} (letter by letter: {' '.join(shown)}{are_digits}).{rest}"


def _about_host(host: str, written: str) -> list[str]:
    """Sentences on deceptive parts of a host. `host`: the host in normal form, in ASCII."""
    labels = host.split(".")
    sentences: list[str] = []
    if not written.isascii():
        sentences.append(f"Its host has letters that may look like others: it is {host}.")
    elif any(label.startswith("xn--") for label in labels):
        sentences.append("Its host is an encoded international name, which may look like another.")
    if address_in(host) is not None:
        sentences.append("Its host is an IP address, not a name.")
    return sentences
