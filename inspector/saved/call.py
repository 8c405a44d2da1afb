"""One saved call, and what it expects."""

import shlex
from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.json.exact import Json, JsonObject

ALL_HOSTS = "all hosts"


def saved_server(words: tuple[str, ...] | None) -> str:
    """A target as saved calls have it; empty for one that cannot be written. `words`: as on a command line."""
    if words is None:
        return ""
    return f"-- {shlex.join(words[1:])}" if words[0] == "--" else words[0]


class Expectations(Struct, frozen=True, kw_only=True):
    """What a result, and what a model sees of it, has to be like. Pointers go into the structured content.

    Where a pointer begins with a member of the whole result, such as `/content` or `/isError`, it goes into that. Those of
    `equals` and `matches` may go on into a text that is JSON, `/content/0/text/name`; where there is no structured content
    and one such text, into that text without its name.
    """

    fits_schema: bool = False
    equals: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Values by pointer."""
    contains: tuple[str, ...] = ()
    """Texts that occur in values of the result."""
    matches: Json = None
    """A JSON Schema for the structured content, or for the whole result where there is none; or schemas by pointer."""
    withheld: tuple[str, ...] = ()
    """Pointers to what the boundary withholds."""
    absent_for: tuple[str, ...] = ()
    """Hosts whose model gets no copy of what is withheld; `ALL_HOSTS` for all."""
    at_most_tokens: int | None = None
    at_most_ms: float | None = None
    error: str = ""
    """The code of the error that is expected; empty for a result."""


def schemas_by_pointer(matches: Json) -> JsonObject | None:
    """What `matches` expects at each pointer; None where it is one schema: no keyword of JSON Schema begins with a slash."""
    if isinstance(matches, dict) and matches and all(key.startswith("/") for key in matches):
        return matches
    return None


class SavedCall(Struct, frozen=True, kw_only=True):
    """A call under a name."""

    name: str
    tool: str
    arguments: JsonObject = field(default_factory=dict[str, Json])
    secrets: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where the values of arguments come from, by the argument's name: `env:NAME` or `keyring:SERVICE/USER`."""
    server: str = ""
    """A target as on a command line, `-- COMMAND` included; empty where the command line names it."""
    expect: Expectations = field(default_factory=Expectations)

    def whole_arguments(self, values: Mapping[str, str]) -> JsonObject:
        """The arguments with their secrets. `values`: the values of the secrets, by argument."""
        return {**self.arguments, **values}

    def with_server(self, server: str) -> "SavedCall":
        """The same call, of that server."""
        return replace(self, server=server)
