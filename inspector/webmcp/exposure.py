"""Whom a page exposes a tool to: each entry of `exposedTo`, judged from the document that gave it.

Source: WebMCP draft, section 4.2.2; https://w3c.github.io/webappsec-secure-contexts/#is-origin-trustworthy.
"""

import re

from inspector.protocol.page import Exposure, Reach
from inspector.urls.host import is_on_this_machine
from inspector.urls.origin import Origin, origin_of

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):", re.ASCII)
_ENCRYPTED = frozenset({"https", "wss"})
_WITH_ORIGIN = frozenset({"http", "https", "ws", "wss", "ftp"})


def exposure_of(text: str, own_origin: str) -> Exposure:
    """What one entry comes to. `own_origin`: of the document, serialized. Never raises."""
    return Exposure(text=text, reach=_reach(text, own_origin))


def _reach(text: str, own_origin: str) -> Reach:
    found = _SCHEME.match(text)
    if found is None:
        return Reach.OPAQUE if text == "null" else Reach.UNREADABLE
    scheme = found[1].lower()
    if scheme not in _WITH_ORIGIN:
        return Reach.OPAQUE
    # The sockets' schemes share the syntax of the web's.
    like = {"ws": "http", "wss": "https", "ftp": "http"}.get(scheme, scheme)
    origin = origin_of(like + text[len(scheme) :])
    if not isinstance(origin, Origin):
        return Reach.UNREADABLE
    if like == scheme and origin == origin_of(own_origin):
        return Reach.OWN
    is_secure = scheme in _ENCRYPTED or (scheme != "ftp" and is_on_this_machine(origin.host))
    return Reach.OTHER if is_secure else Reach.INSECURE
