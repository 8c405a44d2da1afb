"""An interface of MCP Apps: its HTML, and the origins that it may reach.

Everything that is not understood is refused. Source: SEP-1865 (stable 2026-01-26), UI Resource Format, Host
Behavior, Content Security Policy Enforcement, Visibility.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from ipaddress import IPv6Address, ip_network
from urllib.parse import urlsplit

from msgspec import Struct

from inspector.hosts.apps import MIME_TYPE
from inspector.json.exact import Json, JsonObject
from inspector.json.members import object_at, text_at, value_at
from inspector.protocol.catalogue import Tool
from inspector.safe_text import safe_line
from inspector.urls.host import RefusedUrl, address_in, is_on_this_machine, normalised

MAX_HTML_BYTES = 4 << 20
_MOST_ORIGINS = 64
_LONGEST_ORIGIN = 300
_LONGEST = 120
_ORIGIN = re.compile(
    r"(?P<scheme>https?|wss?)://"
    r"(?P<host>(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?|\[[0-9a-f:.]+\])"
    r"(?::(?P<port>[0-9]{1,5}))?/?"
)
"""The form of an origin that a server may declare.

A semicolon, a quotation mark or a path would change the policy into which the origin is inserted.
"""
_DEFAULT_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}
_WEB = frozenset({"http", "https"})
_LOCAL_NAMES = (
    ".local",
    ".localdomain",
    ".internal",
    ".intranet",
    ".private",
    ".corp",
    ".home",
    ".lan",
    ".home.arpa",
)
"""Endings of names that no public server has.

Source: RFC 6762 appendix G, RFC 8375, ICANN's reservation of `.internal`.
"""
_LOCAL_NETWORKS = (ip_network("64:ff9b::/96"), ip_network("fec0::/10"))
"""Addresses that count as global but may lead into the user's network: NAT64 and site-local ones."""
_FEATURES = {
    "camera": "camera",
    "microphone": "microphone",
    "geolocation": "geolocation",
    "clipboardWrite": "clipboard-write",
}
"""The permissions of the specification, each with its name in Permissions Policy."""


class AppReach(Struct, frozen=True, kw_only=True):
    """The origins that an MCP Apps interface declares, in the form in which its policy contains them."""

    connect: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()

    @property
    def origins(self) -> tuple[str, ...]:
        """The declared origins from which resources may be loaded, without repeats."""
        return tuple(dict.fromkeys((*self.connect, *self.resources, *self.frames)))

    @property
    def is_local(self) -> bool:
        """True if the host of a declared origin names this machine or an address in its local network.

        Looks nothing up.
        """
        return any(_is_local(_parts(origin)[1]) for origin in self.origins)

    def allows(self, url: str) -> bool:
        """True if the browser may send a request to `url`.

        Which kinds of requests it may send is decided by the content security policy of the document.
        """
        try:
            parts = urlsplit(url)
            port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
        except ValueError:
            return False
        host = (parts.hostname or "").lower()
        if parts.username is not None or not host:
            return False
        return any(_matches(origin, parts.scheme, host, port) for origin in self.origins)


class AppInterface(Struct, frozen=True, kw_only=True):
    """An MCP Apps interface that may be opened."""

    uri: str
    """The URI of the resource with the interface. Untrusted text."""
    html: str
    """The HTML document of the interface. Untrusted text."""
    size_bytes: int
    digest: str
    """The SHA-256 of the HTML, in hexadecimal digits."""
    reach: AppReach
    permissions: tuple[str, ...]
    """The granted features of the browser, as Permissions Policy names them."""
    refused: tuple[str, ...]
    """The requests of the interface that are not granted, in sentences that are safe to show."""
    declared: JsonObject
    """The granted members of `csp` and `permissions` in `_meta.ui`, as the interface gets them."""


def interface_in(uri: str, result: Json, definition: JsonObject) -> AppInterface | str:
    """The interface in the answer to `resources/read`, or a sentence with the reason why it is not opened.

    `definition`: the listed definition of the resource. Linear in the size of the answer: run it in a thread.
    """
    contents = value_at(result, "contents")
    found = contents[0] if isinstance(contents, list) and len(contents) == 1 else None
    if not isinstance(found, dict):
        return "The answer is not one resource."
    if text_at(found, "uri") != uri:
        return "The answer has another URI than the requested one."
    if text_at(found, "mimeType") != MIME_TYPE:
        return f"Its MIME type is not {MIME_TYPE}."
    raw = _html_of(found)
    if raw is None:
        return "It has no text, or its text is not UTF-8."
    if len(raw) > MAX_HTML_BYTES:
        return f"It is larger than {MAX_HTML_BYTES >> 20} MiB."
    # The metadata of the content has precedence over the listed metadata.
    ui = object_at(found, "_meta", "ui") or object_at(definition, "_meta", "ui")
    refused: list[str] = []
    csp = object_at(ui, "csp")
    reach = AppReach(
        connect=_origins(csp.get("connectDomains"), refused, frozenset(_DEFAULT_PORTS)),
        resources=_origins(csp.get("resourceDomains"), refused, _WEB),
        frames=_origins(csp.get("frameDomains"), refused, _WEB),
        bases=_origins(csp.get("baseUriDomains"), refused, _WEB),
    )
    permissions = tuple(_permissions(object_at(ui, "permissions"), refused))
    if text_at(ui, "domain"):
        refused.append("It asks for an origin by name; Sightline gives it a random one.")
    return AppInterface(
        uri=uri,
        html=raw.decode(),
        size_bytes=len(raw),
        digest=sha256(raw).hexdigest(),
        reach=reach,
        permissions=tuple(_FEATURES[name] for name in permissions),
        refused=tuple(refused),
        declared={
            "csp": {
                "connectDomains": [*reach.connect],
                "resourceDomains": [*reach.resources],
                "frameDomains": [*reach.frames],
                "baseUriDomains": [*reach.bases],
            },
            "permissions": {name: {} for name in permissions},
        },
    )


def content_security_policy(reach: AppReach, parent: str) -> str:
    """The content security policy of an MCP Apps interface's document. `parent`: the origin that frames it.

    The document is all that its own origin serves, so `'self'` is left out.
    """
    directives = (
        ("default-src", ()),
        ("script-src", ("'unsafe-inline'", *reach.resources)),
        ("style-src", ("'unsafe-inline'", *reach.resources)),
        ("img-src", ("data:", *reach.resources)),
        ("font-src", reach.resources),
        ("media-src", ("data:", *reach.resources)),
        ("connect-src", reach.connect),
        ("frame-src", reach.frames),
        ("base-uri", reach.bases),
        ("object-src", ()),
        ("form-action", ()),
        ("frame-ancestors", (parent,)),
    )
    return "; ".join(" ".join((name, *(sources or ("'none'",)))) for name, sources in directives)


def resolver_rules(origins: Sequence[str]) -> str:
    """Chromium's resolver rules, with which a browser finds only the hosts and ports of `origins`.

    The rules also hold where no content security policy applies. A wildcard allows every port: its rule has
    to leave the names of hosts unchanged, and no such rule checks the port.
    """
    rules = (
        f"EXCLUDE {host}" if host.startswith("*.") else f"MAP {host}:{port} {host}:{port}"
        for _, host, port in map(_parts, origins)
    )
    return ", ".join((*dict.fromkeys(rules), "MAP * ~NOTFOUND"))


def why_not_called(tool: Tool | None) -> str:
    """The reason why an MCP Apps interface may not call a tool; empty if it may."""
    if tool is None or tool.item is not None:
        return "the server lists no tool of that name"
    meta = tool.definition.get("_meta", {})
    ui = meta.get("ui", {}) if isinstance(meta, dict) else None
    if not isinstance(ui, dict):
        return "its `_meta.ui` is malformed"
    visibility = ui.get("visibility", ["model", "app"])
    if not isinstance(visibility, list):
        return "its visibility is malformed"
    return "" if "app" in visibility else "its visibility does not include `app`"


def _html_of(content: JsonObject) -> bytes | None:
    """The HTML of a resource's content, in UTF-8; None if it has no text, or text that is not UTF-8.

    HTML larger than MAX_HTML_BYTES may be cut, or replaced by zero bytes. The returned bytes are then still
    more than MAX_HTML_BYTES, so that the caller refuses them.
    """
    text, blob = content.get("text"), content.get("blob")
    if isinstance(text, str):
        return text[: MAX_HTML_BYTES + 1].encode("utf-8", "replace")
    if not isinstance(blob, str):
        return None
    if len(blob) > 2 * MAX_HTML_BYTES:
        return bytes(MAX_HTML_BYTES + 1)
    try:
        raw = base64.b64decode(blob, validate=True)
        raw.decode()
    except (binascii.Error, ValueError):
        return None
    return raw


def _origins(value: Json, refused: list[str], schemes: frozenset[str]) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        refused.append("It declares origins that are not a list: none of them is granted.")
        return ()
    origins: list[str] = []
    for each in value[:_MOST_ORIGINS]:
        origin = _origin(each, schemes) if isinstance(each, str) and len(each) <= _LONGEST_ORIGIN else None
        if origin is None:
            shown = _quoted(each) if isinstance(each, str) else "a value that is not text"
            refused.append(f"Not an origin, so it is not granted: {shown}")
        else:
            origins.append(origin)
    if len(value) > _MOST_ORIGINS:
        refused.append(
            f"It declares {len(value):,} origins in one list: the first {_MOST_ORIGINS} are granted."
        )
    return tuple(dict.fromkeys(origins))


def _origin(written: str, schemes: frozenset[str]) -> str | None:
    """An origin in the form for a policy.

    None if it is not an origin, or if parsers read its host differently.
    """
    found = _ORIGIN.fullmatch(written.lower()) if written.isascii() else None
    if found is None or found["scheme"] not in schemes or int(found["port"] or 1) not in range(1, 65536):
        return None
    wildcard = "*." if found["host"].startswith("*.") else ""
    name = normalised(found["host"].removeprefix("*."))
    if isinstance(name, RefusedUrl) or (wildcard and address_in(name) is not None):
        return None
    host = f"[{name}]" if ":" in name else wildcard + name
    return f"{found['scheme']}://{host}{':' + found['port'] if found['port'] else ''}"


def _permissions(value: JsonObject, refused: list[str]) -> Iterator[str]:
    for name, asked in list(value.items())[:_MOST_ORIGINS]:
        if name in _FEATURES and isinstance(asked, dict):
            yield name
        else:
            refused.append(f"Not a permission of MCP Apps, so it is not granted: {_quoted(name)}")


def _parts(origin: str) -> tuple[str, str, int]:
    found = _ORIGIN.fullmatch(origin)
    if found is None:
        raise LookupError(origin)
    return found["scheme"], found["host"], int(found["port"] or _DEFAULT_PORTS[found["scheme"]])


def _matches(origin: str, scheme: str, host: str, port: int | None) -> bool:
    wanted = _parts(origin)
    if (wanted[0], wanted[2]) != (scheme, port):
        return False
    pattern = wanted[1].strip("[]")
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern


def _is_local(host: str) -> bool:
    """True if the host of an origin is known to be on this machine or in its network.

    Sightline looks up no name, so the result may be False although a name leads to such an address.
    """
    name = host.strip("[]")
    if name.startswith("*."):
        name = name.removeprefix("*.")
    elif "." not in name and ":" not in name:
        return True
    address = address_in(name)
    if address is None:
        return is_on_this_machine(name) or f".{name}".endswith(_LOCAL_NAMES)
    if isinstance(address, IPv6Address) and any(address in network for network in _LOCAL_NETWORKS):
        return True
    return not address.is_global or address.is_multicast


def _quoted(text: str) -> str:
    shown = safe_line(text[:_LONGEST])
    return f"{shown}…" if len(text) > _LONGEST else shown
