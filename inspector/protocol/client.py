"""Client profiles: what Sightline announces of itself to a server. Servers offer other tools to other clients.

No profile of a host is here: none of their handshakes has been observed.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from inspector.json.exact import JsonObject
from inspector.protocol.skills import EXTENSION as SKILLS
from inspector.protocol.targets import Era
from inspector.protocol.tasks import EXTENSION as TASKS

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""Source: MCP 2025-11-25, Logging."""
NO_LOGS = "off"


def _nothing() -> JsonObject:
    return {}


class ClientProfile(Struct, frozen=True, kw_only=True):
    """A client as servers see it."""

    name: str
    about: str
    capabilities: JsonObject = field(default_factory=_nothing)
    of_handshake: JsonObject = field(default_factory=_nothing)
    """Further ones, which the stateless era has not."""
    of_requests: JsonObject = field(default_factory=_nothing)
    """Further ones, which the handshake era has not."""

    def announced_in(self, era: Era) -> JsonObject:
        """What is announced to a server of this era."""
        return {**self.capabilities, **(self.of_handshake if era is Era.LEGACY else self.of_requests)}

    @property
    def announced(self) -> str:
        """The capabilities by name: `elicitation, roots, sampling`; empty for none."""
        return ", ".join(sorted(self.capabilities))


INTERFACES = "io.modelcontextprotocol/ui"
"""The extension MCP Apps. Source: SEP-1865, Client (Host) Capabilities."""
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
    """The profile that a recording names."""
    # Before clients had profiles, they announced nothing.
    return PROFILES.get(name, NONE)


class Root(Struct, frozen=True, kw_only=True):
    """A folder that servers may work in."""

    uri: str
    name: str


class Announcement(Struct, frozen=True, kw_only=True):
    """What one connection tells the server of the client."""

    profile: ClientProfile = FULL
    client_name: str | None = None
    """None for Sightline's own name."""
    log_level: str | None = None
    """The least severe logs to ask for, or `NO_LOGS`; None for all of them where each request says so, else the server's own."""


USUAL = Announcement()
