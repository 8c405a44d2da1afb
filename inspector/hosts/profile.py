"""The types of a host profile, which describes how a program with a model handles results."""

from collections.abc import Callable

from msgspec import Struct

from inspector.boundary.bounded import Bounded
from inspector.json.exact import Json

PROTOCOL_MEMBERS = frozenset({"/_meta", "/resultType", "/ttlMs", "/cacheScope"})
"""Pointers to the members of a result that are metadata of the protocol, and no content."""
NO_ERROR = "/isError"
"""The pointer to `isError`. With the value false, this member is metadata, which no host needs to pass on."""


def says_no_error(result: Json) -> bool:
    """True for the result of a tool with `isError: false`."""
    return isinstance(result, dict) and "content" in result and result.get("isError") is False


class HostChange(Struct, frozen=True, kw_only=True):
    """One addition, omission or change that the host makes to a result after the boundary."""

    pointer: str
    """Pointer into the bounded result."""
    what: str
    """What the host does to the result, as a sentence for the user."""


class ModelContext(Struct, frozen=True, kw_only=True):
    """The model's view of a result."""

    model: Json
    """The view, in the host's own shape."""
    changes: tuple[HostChange, ...] = ()
    observed: bool = True
    """False if the profile had to go beyond the observed behaviour of the host."""
    refused: str = ""
    """How the host refuses the result as a whole, as a sentence for the user; empty if it does not."""


class Call(Struct, frozen=True, kw_only=True):
    """What the host knows about a call: the names of the server and the tool."""

    server: str = "server"
    """The name of the server in the host's configuration."""
    tool: str = "tool"
    nonce: str = ""
    """A random value for this call, which delimits untrusted text; empty for none."""


class Host(Struct, frozen=True, kw_only=True):
    """A host, with the evidence for its behaviour and the function that gives its model's view."""

    name: str
    title: str
    version: str
    as_of: str
    model_gets: str
    """The parts of a result that the host's model gets, in a few words. Structured content comes first."""
    how: str
    """The evidence for the profile: `specification`, `source only, not run`, or `observed:` and how."""
    source: str
    notes: str
    model_view: Callable[[Bounded, Call], ModelContext]
    """Returns the model's view. Never raises."""
    tool_name: Callable[[str, str], str] | None = None
    """Returns the model's name for a tool, given the names of server and tool; None if it was not observed."""


def evidence(how: str) -> str:
    """The kind of evidence for a host, without details: `specification`, `observed` or `source only`."""
    return how.partition(":")[0].partition(",")[0]
