"""The identity of a server: the way in which the user reaches it.

The name in the server's own answers is not used, because any server can claim any name.
"""

import hashlib
from urllib.parse import urlsplit

from msgspec import Struct

from inspector.json.exact import DuplicateKeys, Json, Number, dump
from inspector.protocol.targets import DemoTarget, HttpTarget, PageTarget, StdioTarget, Target, shown_line

_DEFAULT_PORTS = {"http": 80, "https": 443}


class Identity(Struct, frozen=True, kw_only=True):
    """One server: a command line, an address, or the demo.

    Targets with equal identities are the same server.
    """

    kind: str
    """`stdio`, `http`, `sse`, `page` or `demo`."""
    name: str
    """The command line with secret words masked, or an address without user, query and fragment."""
    folder: str = ""
    """The full path of the folder on which a command depends; empty if it depends on none."""

    def __str__(self) -> str:
        return f"{self.name} (in {self.folder})" if self.folder else self.name

    @property
    def key(self) -> str:
        """64 hexadecimal digits, which name the server's files."""
        return hashlib.sha256(dump([self.kind, self.name, self.folder])).hexdigest()


def identity_of(target: Target) -> Identity | None:
    """The identity of a target; None for a page without an address.

    The identity of a command consists of the words of the command and of a folder: the folder that `target`
    names in `cwd`. If `target` names no folder, `Identity.folder` is empty. `pins.files.identified` fills in
    `cwd` for a command that depends on the current folder. Environment variables and words that hold a key or
    token do not count, so the server stays the same with a new token.
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


def fingerprint(value: Json) -> str:
    """A hash of a value's canonical form, with sorted keys and 1.0 as 1: 64 hexadecimal digits.

    Never raises; linear.

    Two values have the same fingerprint if `json.exact.equal` holds for them.
    """
    digest = hashlib.sha256()
    waiting: list[Json | bytes] = [value]
    while waiting:
        item = waiting.pop()
        match item:
            case bytes():
                digest.update(item)
            case dict():
                digest.update(b"{%d:" % len(item))
                for key in sorted(item, reverse=True):
                    waiting += (item[key], _text(key))
            case DuplicateKeys(pairs=pairs):
                digest.update(b"(%d:" % len(pairs))
                for key, member in reversed(pairs):
                    waiting += (member, _text(key))
            case list():
                digest.update(b"[%d:" % len(item))
                waiting.extend(reversed(item))
            case _:
                digest.update(_leaf(item))
    return digest.hexdigest()


def _leaf(value: float | str | None) -> bytes:
    match value:
        case None:
            return b"null;"
        case bool():
            return b"true;" if value else b"false;"
        case str():
            return _text(value)
        case _:
            return b"%s;" % _number(value).encode()


def _number(value: float) -> str:
    if isinstance(value, int):
        return f"{value:x}"
    if value.is_integer():
        return f"{int(value):x}"
    if isinstance(value, Number) and (value != value or value in _INFINITE):  # noqa: PLR0124 - NaN
        return value.text
    return repr(float(value))


_INFINITE = (float("inf"), float("-inf"))


def _text(text: str) -> bytes:
    raw = text.encode("utf-8", "surrogatepass")
    return b'"%d:%s' % (len(raw), raw)
