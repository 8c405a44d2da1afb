"""Client profiles: what Sightline announces about itself to servers.

A server may offer different tools to other clients. No profile imitates a host, because no handshake of a
host has been observed.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from inspector.json.exact import JsonObject
from inspector.protocol.skills import EXTENSION as SKILLS
from inspector.protocol.targets import Era
from inspector.protocol.tasks import EXTENSION as TASKS

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""The levels of log messages, least severe first. Source: MCP 2025-11-25, Logging."""
NO_LOGS = "off"
REVISION_META = "io.modelcontextprotocol/protocolVersion"
"""The member of `_meta` with the protocol revision of a request without a handshake."""


def _nothing() -> JsonObject:
    return {}


class ClientProfile(Struct, frozen=True, kw_only=True):
    """The capabilities that a client announces to servers."""

    name: str
    about: str
    capabilities: JsonObject = field(default_factory=_nothing)
    of_handshake: JsonObject = field(default_factory=_nothing)
    """Further capabilities, announced to servers with a handshake only (revisions up to 2025-11-25)."""
    of_requests: JsonObject = field(default_factory=_nothing)
    """Further capabilities, announced to stateless servers only (protocol revisions since 2026-07-28)."""

    def announced_in(self, era: Era) -> JsonObject:
        """The capabilities that are announced to a server of this protocol era."""
        return {**self.capabilities, **(self.of_handshake if era is Era.LEGACY else self.of_requests)}

    @property
    def announced(self) -> str:
        """The capabilities that are announced to every server, such as `elicitation, roots, sampling`.

        Empty for none.
        """
        return ", ".join(sorted(self.capabilities))


INTERFACES = "io.modelcontextprotocol/ui"
"""The name of the MCP Apps extension. Source: SEP-1865, Client (Host) Capabilities."""
_INTERFACES: JsonObject = {INTERFACES: {"mimeTypes": ["text/html;profile=mcp-app"]}}
_FORM_AND_URL: JsonObject = {"form": {}, "url": {}}
FULL = ClientProfile(
    name="full",
    about="everything that Sightline can answer",
    capabilities={"roots": {}, "sampling": {"tools": {}}, "elicitation": _FORM_AND_URL},
    of_handshake={
        "roots": {"listChanged": True},
        "tasks": {
            "list": {},
            "cancel": {},
            "requests": {"sampling": {"createMessage": {}}, "elicitation": {"create": {}}},
        },
        "extensions": _INTERFACES,
    },
    of_requests={"extensions": {TASKS: {}, SKILLS: {}, **_INTERFACES}},
)
NONE = ClientProfile(name="none", about="no capability")
PROFILES: Mapping[str, ClientProfile] = {profile.name: profile for profile in (FULL, NONE)}


def recorded_profile(name: str) -> ClientProfile:
    """The profile with the name that a recording has; `NONE` if this version does not know the name."""
    # A recording without a profile is of a client that announced nothing.
    return PROFILES.get(name, NONE)


class Root(Struct, frozen=True, kw_only=True):
    """A folder in which servers may work."""

    uri: str
    name: str


class Announcement(Struct, frozen=True, kw_only=True):
    """The data about the client that a connection announces to its server."""

    profile: ClientProfile = FULL
    client_name: str | None = None
    """The name of the client; None for Sightline's own."""
    log_level: str | None = None
    """The least severe level of logs to request, or `NO_LOGS` to request none.

    None requests all logs from a stateless server. A server with a handshake then chooses what it logs.
    """


USUAL = Announcement()
