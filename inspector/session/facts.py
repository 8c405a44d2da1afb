"""A server's description of itself."""

from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.json.exact import Json, JsonObject
from inspector.json.members import object_at, text_at, value_at
from inspector.protocol.targets import Era

if TYPE_CHECKING:
    from inspector.webmcp.browser.connection import PageConnection


class ServerFacts(Struct, frozen=True, kw_only=True):
    """A server's description of itself. All texts but `notes` are untrusted."""

    name: str
    version: str
    protocol_version: str
    era: Era
    """The protocol era: `LEGACY` (with a handshake) or `MODERN` (stateless); `AUTO` for a page."""
    capabilities: Json
    instructions: str | None
    raw: Json
    """The result of `initialize` or `server/discover`, as sent; for a page, the browser's description of itself."""
    notes: tuple[str, ...] = ()
    """Notes on this connection for the user, in Sightline's sentences."""

    @property
    def identity(self) -> JsonObject:
        """The server's identity as sent: name, version, title, icons and any other members.

        Empty for a page.
        """
        return _identity(self.raw) if self.era is not Era.AUTO and isinstance(self.raw, dict) else {}


def server_facts(era: Era, revision: str, result: JsonObject) -> ServerFacts:
    """The facts of a server, from the `result` of `initialize` or `server/discover`."""
    identity = _identity(result)
    return ServerFacts(
        name=text_at(identity, "name") or "",
        version=text_at(identity, "version") or "",
        protocol_version=revision,
        era=era,
        capabilities=result.get("capabilities"),
        instructions=text_at(result, "instructions"),
        raw=result,
    )


def _identity(result: JsonObject) -> JsonObject:
    stamped = value_at(result, "_meta", "io.modelcontextprotocol/serverInfo")
    return object_at(result.get("serverInfo", stamped))


def page_facts(connection: "PageConnection") -> ServerFacts:
    """The facts of a page, from its browser's description of itself."""
    browser = connection.browser
    name, _, version = browser.product.partition("/")
    return ServerFacts(
        name=name,
        version=version,
        protocol_version=browser.api,
        era=Era.AUTO,
        capabilities={"tools": {"listChanged": True}},
        instructions=None,
        raw=browser.raw,
        notes=browser.notes,
    )
