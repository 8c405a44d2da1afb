"""A URL that a server wants opened: where it leads, and what about it deceives."""

import re
from urllib.parse import unquote

from msgspec import Struct

from inspector.safe_text import safe_line
from inspector.urls.host import RefusedUrl, address_in, is_on_this_machine, quoted
from inspector.urls.origin import origin_of

_HOST = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)")
_ENDINGS = frozenset({"com", "org", "net", "edu", "gov", "io", "dev", "app", "co"})
_LONGEST = 2_000
"""Characters that are shown; a longer URL is not opened."""


class Link(Struct, frozen=True, kw_only=True):
    """A URL, judged without being fetched."""

    url: str
    """As the server wrote it. To be opened only where there is no `refusal`."""
    before: str
    host: str
    after: str
    """The URL in three parts, to have the host marked. Safe on one line."""
    origin: str
    """In normal form; empty where the URL is refused."""
    refusal: str
    """Why it is not opened, as a clause; empty where it may be, if the user says so."""
    warnings: tuple[str, ...] = ()
    """What about it deceives, in sentences."""


def link_of(url: str, own_url: str | None = None) -> Link:
    """Judge a URL. Never raises. `own_url`: the server's own address; None for a command."""
    match = _HOST.match(url)
    start, end = match.span(1) if match else (0, 0)
    shown = url[:_LONGEST]
    before, host, after = (safe_line(part) for part in (shown[:start], shown[start:end], shown[end:]))
    found = origin_of(url.partition("#")[0])
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
    )


def _about_host(host: str, written: str) -> list[str]:
    """What about a host deceives. `host`: in normal form, in ASCII."""
    labels = host.split(".")
    said: list[str] = []
    if not written.isascii():
        said.append(f"Its host has letters that may look like others: it is {host}.")
    elif any(label.startswith("xn--") for label in labels):
        said.append("Its host is an encoded international name, which may look like another.")
    if address_in(host) is not None:
        said.append("Its host is an address, not a name.")
    elif _ENDINGS.intersection(labels[:-2]):
        said.append(f"Its host ends in {quoted('.'.join(labels[-2:]))}, whatever it begins with.")
    return said
