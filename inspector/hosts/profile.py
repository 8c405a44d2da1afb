"""The model of a host profile."""

from collections.abc import Callable
from dataclasses import dataclass

from inspector.boundary.bounded import Bounded
from inspector.json.exact import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An addition, omission or change by the host, not by the boundary."""

    pointer: str
    """Pointer into the bounded result."""
    what: str
    """A sentence for the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelContext:
    """The model's view of a result."""

    model: Json
    """In the host's own shape."""
    changes: tuple[Change, ...] = ()
    observed: bool = True
    """False if the profile had to go beyond the observed behaviour of the host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The call as the host knows it."""

    server: str = "server"
    """The name of the server in the host's configuration."""
    tool: str = "tool"
    nonce: str = ""
    """A random value for this call, which delimits untrusted text; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A host as observed."""

    name: str
    title: str
    version: str
    as_of: str
    how: str
    """The evidence: `specification`, `observed`, `source only, not run`."""
    source: str
    notes: str
    model_view: Callable[[Bounded, Call], ModelContext]
    """Returns the model's view. Never raises."""
