"""The two eras of the protocol: handshake revisions up to 2025-11-25, and stateless ones since 2026-07-28.

Source: the schemas of both revisions in `mcp_types` 2.3.0.
"""

from inspector.demo.jsonrpc import Code, RefusedError
from inspector.json.exact import Json, JsonObject
from inspector.protocol.frames import Request
from inspector.protocol.targets import Era

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSIONS = ("2026-07-28",)
BATCH_VERSION = "2025-03-26"
"""The only revision with JSON-RPC batches."""

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

_NEVER_CACHED: JsonObject = {"ttlMs": 0, "cacheScope": "private"}
_CACHEABLE = frozenset(
    {
        "server/discover",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
    }
)


def request_meta(params: Json) -> JsonObject:
    """The member `_meta` of a request's parameters; empty if it is missing or not an object."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def era_of(request: Request) -> Era:
    """The protocol era of a request: with a handshake, or stateless.

    Only stateless requests name their revision in `_meta`.
    """
    if request.method != "initialize" and VERSION_KEY in request_meta(request.params):
        return Era.MODERN
    return Era.LEGACY


def check_envelope(params: JsonObject) -> None:
    """Raise RefusedError if a stateless request lacks the client's revision or capabilities."""
    meta = request_meta(params)
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise RefusedError(Code.INVALID_PARAMS, f"Invalid params: _meta lacks {', '.join(missing)}")
    version = meta[VERSION_KEY]
    if not isinstance(version, str) or not isinstance(meta[CAPABILITIES_KEY], dict):
        raise RefusedError(
            Code.INVALID_PARAMS, "Invalid params: the revision or the capabilities in _meta have a wrong type"
        )
    if version not in STATELESS_VERSIONS:
        raise unsupported_version(version)


def unsupported_version(requested: str) -> RefusedError:
    """The error for an unsupported revision; it names the supported revisions."""
    supported: list[Json] = [*STATELESS_VERSIONS]
    return RefusedError(
        Code.UNSUPPORTED_PROTOCOL_VERSION,
        "Unsupported protocol version",
        {"supported": supported, "requested": requested},
    )


def negotiated(requested: str) -> str:
    """The handshake revision that the server answers with: `requested` if it is supported, otherwise the latest."""
    return requested if requested in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]


def stamped(method: str, result: JsonObject, server_info: JsonObject) -> JsonObject:
    """`result` with the members that stateless revisions require: type, cache hints and the server's name."""
    meta = result.get("_meta")
    return {
        "resultType": "complete",
        **result,
        **(_NEVER_CACHED if method in _CACHEABLE else {}),
        "_meta": {**(meta if isinstance(meta, dict) else {}), SERVER_INFO_KEY: server_info},
    }


def logged_at(threshold: str | None, level: str) -> bool:
    """True if a client that requested `threshold` gets messages of `level`.

    A client whose `threshold` is None or unknown gets no messages.
    """
    return threshold in LOG_LEVELS and LOG_LEVELS.index(level) >= LOG_LEVELS.index(threshold)
