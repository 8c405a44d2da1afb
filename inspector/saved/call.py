"""One saved call, and its expectations."""

import shlex
from collections.abc import Mapping

from msgspec import Struct, field

from inspector.json.exact import Json, JsonObject

ALL_HOSTS = "all hosts"


def saved_server(words: tuple[str, ...] | None) -> str:
    """A target in the form in which saved calls store it; empty if it holds a credential.

    `words`: the words of a command line; None for a target that holds a credential.
    """
    if words is None:
        return ""
    return f"-- {shlex.join(words[1:])}" if words[0] == "--" else words[0]


class Expectations(Struct, frozen=True, kw_only=True):
    """What a saved call expects of its result and of the model's view.

    Pointers lead into the structured content, or into the whole result if it has no structured content.

    A pointer that begins with a member of the whole result, such as `/content` or `/isError`, always leads into
    the whole result. A pointer of `equals` or `matches` may continue into a text that is JSON, as
    `/content/0/text/name` does; if there is no structured content and only one such text, the part that leads
    to the text may be left out.
    """

    fits_schema: bool = False
    equals: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Pointers into the result, each with the value that must be there."""
    contains: tuple[str, ...] = ()
    """Texts that must occur in values of the result."""
    matches: Json = None
    """A JSON Schema, or schemas by pointer.

    One schema is for the structured content, or for the whole result if there is none.
    """
    withheld: tuple[str, ...] = ()
    """Pointers to values that the boundary must withhold."""
    absent_for: tuple[str, ...] = ()
    """The hosts whose model must not get a copy of a withheld value. `ALL_HOSTS` means every host."""
    at_most_tokens: int | None = None
    at_most_ms: float | None = None
    error: str = ""
    """The expected error code; empty if a result is expected."""


def schemas_by_pointer(matches: Json) -> JsonObject | None:
    """The schemas of `matches` by pointer; None if `matches` is one JSON Schema.

    `matches` has schemas by pointer if all its keys begin with a slash; no keyword of JSON Schema does.
    """
    if isinstance(matches, dict) and matches and all(key.startswith("/") for key in matches):
        return matches
    return None


class SavedCall(Struct, frozen=True, kw_only=True):
    """A call saved under a name."""

    name: str
    tool: str
    arguments: JsonObject = field(default_factory=dict[str, Json])
    secrets: Mapping[str, str] = field(default_factory=dict[str, str])
    """The sources of secret arguments, by the argument's name: `env:NAME` or `keyring:SERVICE/USER`."""
    server: str = ""
    """The target as on a command line, `-- COMMAND` included; empty if the command line must name it."""
    expect: Expectations = field(default_factory=Expectations)

    def whole_arguments(self, values: Mapping[str, str]) -> JsonObject:
        """All arguments of the call. `values`: the values of the secret arguments, by name."""
        return {**self.arguments, **values}
