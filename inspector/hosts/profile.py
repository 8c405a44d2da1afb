"""Host profiles: what a host makes of a bounded result before its model sees it."""

from collections.abc import Callable
from dataclasses import dataclass

from inspector.boundary.bounded import Bounded
from inspector.json.exact import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Something that the host, not the boundary, added, dropped or rewrote."""

    pointer: str
    """Into the bounded result."""
    what: str
    """In a sentence for the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelContext:
    """What the host hands to its model."""

    model: Json
    """In the host's own shape."""
    changes: tuple[Change, ...] = ()
    observed: bool = True
    """False where the profile had to go beyond what was observed of this host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a host knows of the call whose result it hands over."""

    server: str = "server"
    """The name under which the host's user configured the server."""
    tool: str = "tool"
    nonce: str = ""
    """Drawn for this call, and known to nobody else: what untrusted text is delimited with. Empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One host, as it was observed."""

    name: str
    title: str
    version: str
    as_of: str
    how: str
    """How it is known: `specification`, `observed`, `source only, not run`."""
    source: str
    notes: str
    hand_over: Callable[[Bounded, Call], ModelContext]
    """Never raises."""
