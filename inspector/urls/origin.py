"""Restricts the redemption of secrets to the server's own origin.

WHATWG URL and RFC 3986 read some URLs differently (white space, backslashes, `https:/host`, encoded dots).
Such URLs are refused, so that no other program that reads the URL connects elsewhere.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Literal

from msgspec import Struct

from inspector.urls.host import RefusedUrl, is_on_this_machine, normalised, quoted

MAX_URL_CHARACTERS = 4096

_DEFAULT_PORTS = {"http": 80, "https": 443}

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_PARTS = re.compile(r"(?://([^/?]*))?([^?]*)(?:\?(.*))?")
_AUTHORITY = re.compile(r"(\[[^\]]*\]|[^\[\]:]*)(?::([0-9]{0,5}))?", re.ASCII)
_ENCODED = r"%[0-9A-Fa-f]{2}"
_PATH = re.compile(rf"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|{_ENCODED})*")
# Browsers encode an apostrophe in a query; programs that follow RFC 3986 do not.
_QUERY = re.compile(rf"(?:[A-Za-z0-9\-._~!$&()*+,;=:@/?]|{_ENCODED})*")
_ENCODED_DOT = re.compile("%2e", re.IGNORECASE)


class Origin(Struct, frozen=True, kw_only=True):
    """Scheme, host and port in normal form, so equal origins are equal values."""

    scheme: str
    host: str
    """The host as `host.normalised` returns it; IPv6 without brackets."""
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + (
            "" if self.port == _DEFAULT_PORTS[self.scheme] else f":{self.port}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """The one request that a redemption (fetching a secret) may send."""

    method: Literal["GET"] = "GET"
    origin: Origin
    path: str
    """The path in printable ASCII, without dot segments and without the query."""
    query: str | None = field(repr=False)
    """The query. It is never shown, because it may contain a credential."""

    @property
    def url(self) -> str:
        """The whole URL, only for sending."""
        return f"{self.origin}{self.path}" + ("" if self.query is None else f"?{self.query}")

    @property
    def shown(self) -> str:
        """The method, origin and path, for the user's confirmation."""
        return f"{self.method} {self.origin}{self.path}"


class _Parts(Struct, frozen=True, kw_only=True):
    scheme: str | None
    authority: str | None
    path: str
    query: str | None


NO_ORIGIN = RefusedUrl(
    reason="this server has no origin, because it is a command",
    hint="Set redeem_origin for this server in your own configuration.",
)
UNENCRYPTED = RefusedUrl(reason="http is not encrypted, and the server itself is not on this machine")


def origin_of(url: str) -> Origin | RefusedUrl:
    """The origin of an absolute http or https URL, or the reason for refusing it. Never raises."""
    parts = _split(url)
    return parts if isinstance(parts, RefusedUrl) else _origin(parts)


def resolve(redeem_url: str, base: str | None) -> Allowed | RefusedUrl:
    """The request for `redeem_url`, if that URL is at the origin of `base`. Never raises.

    `base`: the MCP endpoint, the URL of the frame that registered the tool, or the origin that the user has
    set; None if there is no such URL. The fragment of `base` is ignored.
    """
    if base is None:
        return NO_ORIGIN
    own_parts = _split(base.partition("#")[0])
    own = own_parts if isinstance(own_parts, RefusedUrl) else _origin(own_parts)
    if isinstance(own, RefusedUrl) or isinstance(own_parts, RefusedUrl):
        reason = own.reason if isinstance(own, RefusedUrl) else ""
        return RefusedUrl(reason=f"the server's own address cannot be compared: {reason}")
    asked = _split(redeem_url)
    if isinstance(asked, RefusedUrl):
        return asked
    origin = own if asked.scheme is None and asked.authority is None else _origin(asked, scheme=own.scheme)
    if isinstance(origin, RefusedUrl):
        return origin
    if origin != own:
        return RefusedUrl(reason=f"other origin: {origin} is not {own}")
    if own.scheme == "http" and not is_on_this_machine(own.host):
        return UNENCRYPTED
    return _request(own, asked, own_parts)


def _request(origin: Origin, asked: _Parts, base: _Parts) -> Allowed | RefusedUrl:
    path = asked.path
    if asked.authority is None and not path.startswith("/"):
        path = base.path[: base.path.rfind("/") + 1] + path if path else base.path
    if not _PATH.fullmatch(path):
        return RefusedUrl(reason="its path contains a character that a URL must encode")
    if any("%" in segment and _ENCODED_DOT.sub(".", segment) in {".", ".."} for segment in path.split("/")):
        return RefusedUrl(reason="its path contains encoded dots, which not all parsers resolve")
    if asked.query is not None and not _QUERY.fullmatch(asked.query):
        return RefusedUrl(reason="its query contains a character that a URL must encode")
    return Allowed(origin=origin, path=_without_dots(path or "/"), query=asked.query)


def _without_dots(path: str) -> str:
    """The path without dot segments. Source: RFC 3986 section 5.2.4."""
    result: list[str] = []
    *segments, last = path.removeprefix("/").split("/")
    for segment in (*segments, last):
        if segment == "..":
            del result[-1:]
        elif segment != ".":
            result.append(segment)
    if last in {".", ".."}:
        result.append("")
    return "/" + "/".join(result)


def _split(url: str) -> _Parts | RefusedUrl:
    if not url:
        return RefusedUrl(reason="it is empty")
    if len(url) > MAX_URL_CHARACTERS:
        return RefusedUrl(reason=f"it is longer than {MAX_URL_CHARACTERS:,} characters")
    hidden = next((character for character in url if unicodedata.category(character)[0] in "CZ"), None)
    if hidden is not None:
        return RefusedUrl(reason=f"it contains a control character or white space: U+{ord(hidden):04X}")
    if "\\" in url:
        return RefusedUrl(reason="it contains a backslash, which some parsers treat as a slash")
    if "#" in url:
        return RefusedUrl(reason="it contains a fragment")
    scheme = _SCHEME.match(url)
    parts = _PARTS.fullmatch(url[scheme.end() :] if scheme else url)
    if parts is None:
        return RefusedUrl(reason="it is not a URL")
    authority, path, query = parts.groups()
    if scheme is None and authority is None and ":" in path.partition("/")[0]:
        return RefusedUrl(reason="it starts with text that some parsers treat as a scheme")
    return _Parts(
        scheme=scheme.group(1).lower() if scheme else None, authority=authority, path=path, query=query
    )


def _origin(parts: _Parts, *, scheme: str | None = None) -> Origin | RefusedUrl:
    """The origin of a split URL. `scheme`: used if the URL has none."""
    scheme = parts.scheme or scheme
    if scheme is None:
        return RefusedUrl(reason="it has no scheme")
    if scheme not in _DEFAULT_PORTS:
        return RefusedUrl(reason=f"it is neither http nor https: {quoted(scheme)}")
    if not parts.authority:
        return RefusedUrl(reason="it has no host after two slashes, which not all parsers accept")
    if "@" in parts.authority:
        return RefusedUrl(reason="it contains user info before the host")
    match = _AUTHORITY.fullmatch(parts.authority)
    if match is None:
        return RefusedUrl(reason=f"its host and port are ambiguous: {quoted(parts.authority)}")
    host = normalised(match.group(1))
    if isinstance(host, RefusedUrl):
        return host
    port = int(match.group(2) or _DEFAULT_PORTS[scheme])
    if not 0 < port < 65536:
        return RefusedUrl(reason=f"its port {port} is not from 1 to 65535")
    return Origin(scheme=scheme, host=host, port=port)
