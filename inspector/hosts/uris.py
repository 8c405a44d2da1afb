"""How pydantic's `AnyUrl` writes a URI: for most that servers send, as it was.

Source: url.spec.whatwg.org, which pydantic follows.
"""

import re
from dataclasses import dataclass

_PLAIN = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*):(//(?P<host>[A-Za-z0-9._-]*))?(?P<rest>[A-Za-z0-9._~:/?#@!$&()*+,;=%-]*)",
    re.ASCII,
)
_DOTS = re.compile(r"[/:]\.\.?(?:[/?#]|$)|%2e", re.IGNORECASE)
_WEB = frozenset({"http", "https", "ws", "wss", "ftp"})
_WEB_HOST = re.compile(r"[a-z][a-z-]*(\.[a-z][a-z-]*)*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A URI as written again."""

    text: str
    certain: bool
    """False where the rule is not known well enough; the text is then as it was sent."""


def rewritten(uri: str) -> Rewritten:
    """`str(AnyUrl(uri))`."""
    unsure = Rewritten(text=uri, certain=False)
    found = _PLAIN.fullmatch(uri)
    if not found or _DOTS.search(uri):
        return unsure
    host, rest = found["host"], found["rest"]
    if host is not None and rest and rest[0] not in "/?#":
        return unsure
    if found["scheme"] == "file":
        is_local = host == "" and rest.startswith("/") and not rest.startswith("//") and ":" not in rest
        return Rewritten(text=uri, certain=True) if is_local else unsure
    if found["scheme"] not in _WEB:
        return Rewritten(text=uri, certain=True)
    if host is None or not _WEB_HOST.fullmatch(host) or "xn--" in host:
        return unsure
    path = rest if rest.startswith("/") else f"/{rest}"
    return Rewritten(text=f"{found['scheme']}://{host}{path}", certain=True)
