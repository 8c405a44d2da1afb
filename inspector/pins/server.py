"""The identity of a server: how the user reaches it. The name in its answers proves nothing."""

import hashlib
from dataclasses import dataclass
from urllib.parse import urlsplit

from inspector.json.exact import dump
from inspector.protocol.command_words import shown_line
from inspector.protocol.targets import DemoTarget, HttpTarget, PageTarget, StdioTarget, Target

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """One server: a command line, an address, or the demo. Targets with equal identities are the same server."""

    kind: str
    """`stdio`, `http`, `sse`, `page` or `demo`."""
    name: str
    """The command as in a shell with secret words covered, or an address without user, query and fragment."""
    folder: str = ""
    """The folder that the user named for a command; empty for none."""

    def __str__(self) -> str:
        return f"{self.name} (in {self.folder})" if self.folder else self.name

    @property
    def key(self) -> str:
        """64 hexadecimal digits, the name of its files."""
        return hashlib.sha256(dump([self.kind, self.name, self.folder])).hexdigest()


def identity_of(target: Target) -> Identity | None:
    """The identity of `target`; None for a page without address.

    A command's identity is its words and its folder. Variables, and words that hold a key or token, do not count:
    with a new token it is the same server.
    """
    match target:
        case StdioTarget(command=command, cwd=folder):
            return Identity(kind="stdio", name=shown_line(command), folder=folder or "")
        case HttpTarget(url=url, older_sse=older):
            return Identity(kind="sse" if older else "http", name=f"{'sse+' if older else ''}{_address(url)}")
        case PageTarget(url=""):
            return None
        case PageTarget(url=url):
            return Identity(kind="page", name=f"web+{_address(url)}")
        case DemoTarget():
            return Identity(kind="demo", name="demo")


def _address(url: str) -> str:
    parts = urlsplit(url)
    scheme, host = parts.scheme.lower(), (parts.hostname or "").lower()
    shown = f"[{host}]" if ":" in host else host
    port = "" if parts.port in {None, _DEFAULT_PORTS.get(scheme)} else f":{parts.port}"
    return f"{scheme}://{shown}{port}{parts.path or '/'}"
