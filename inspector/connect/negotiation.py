"""Negotiates a protocol revision, by `initialize` (to 2025-11-25) or `server/discover` (from 2026-07-28).

Source: MCP 2025-11-25 lifecycle; 2026-07-28 discovery and versioning. Parsing is lenient: a malformed server
identity is shown and does not end the connection.
"""

import asyncio
import base64

from msgspec import Struct
from msgspec.structs import replace

from inspector import __version__
from inspector.connect.dispatch import Dispatcher, FramedAnswer, Stamp, unstamped
from inspector.json.exact import Json, JsonObject
from inspector.json.members import value_at
from inspector.protocol.client import LOG_LEVELS, NO_LOGS, REVISION_META, Announcement
from inspector.protocol.frames import with_meta
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from inspector.protocol.targets import Era
from inspector.protocol.tasks import METHODS as TASKS

HANDSHAKE_REVISION = "2025-11-25"
MODERN_REVISIONS = ("2026-07-28",)
UNSUPPORTED_PROTOCOL_VERSION = -32022
PROBE_S = 1.5
"""If `server/discover` gets no answer within this many seconds, the same process also gets `initialize`."""

_CLIENT_META = "io.modelcontextprotocol/clientInfo"
_CAPABILITIES_META = "io.modelcontextprotocol/clientCapabilities"
_LOG_LEVEL_META = "io.modelcontextprotocol/logLevel"
_NAMED_BY = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    **dict.fromkeys(TASKS, "taskId"),
}

CLIENT_NAME = "sightline"


class NegotiatedProtocol(Struct, frozen=True, kw_only=True):
    """The protocol in use, and the server's answer that established it."""

    era: Era
    revision: str
    result: JsonObject
    notes: tuple[str, ...] = ()
    """Sentences about settings that were requested but are not available, such as a log level."""


class NoAgreement(Struct, frozen=True, kw_only=True):
    """A failed negotiation: its last request, and the outcome of that request."""

    asked: str
    outcome: Outcome


class _Client:
    """The identity and the capabilities that the client sends with its messages."""

    def __init__(self, announced: Announcement) -> None:
        self.info: JsonObject = {"name": announced.client_name or CLIENT_NAME, "version": __version__}
        self.profile = announced.profile
        self.log_level = announced.log_level


async def negotiate(
    dispatcher: Dispatcher, era: Era, announced: Announcement, *, timeout_s: float, over_http: bool
) -> NegotiatedProtocol | NoAgreement:
    """Negotiate a protocol revision, and set the stamp of `dispatcher`.

    The stamp adds to each request what the revision requires.
    """
    client = _Client(announced)
    match era:
        case Era.LEGACY:
            agreement = await _initialize(dispatcher, timeout_s, client)
        case Era.MODERN:
            agreement = await _discover(dispatcher, timeout_s, client)
        case Era.AUTO:
            agreement = await _either(dispatcher, timeout_s, client)
    if isinstance(agreement, NegotiatedProtocol):
        note = await _adopt(dispatcher, agreement, client, over_http=over_http, timeout_s=timeout_s)
        return replace(agreement, notes=(note,)) if note else agreement
    return agreement


async def _either(
    dispatcher: Dispatcher, timeout_s: float, client: _Client
) -> NegotiatedProtocol | NoAgreement:
    """Negotiate a revision of either era, and prefer a stateless one.

    A server that is slow to answer `server/discover` gets `initialize` as well; the first success counts.
    """
    discovering = asyncio.ensure_future(_discover(dispatcher, timeout_s, client))
    done, _ = await asyncio.wait({discovering}, timeout=min(PROBE_S, timeout_s / 2))
    while not done and dispatcher.is_paused:
        # Silence while the user authorizes says nothing about the server.
        done, _ = await asyncio.wait({discovering}, timeout=PROBE_S)
    if done:
        agreement = discovering.result()
        if isinstance(agreement, NegotiatedProtocol) or _is_final(agreement.outcome):
            return agreement
        return await _initialize(dispatcher, timeout_s, client)
    initializing = asyncio.ensure_future(_initialize(dispatcher, timeout_s, client))
    waiting = {discovering, initializing}
    try:
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                agreement = task.result()
                if isinstance(agreement, NegotiatedProtocol) or _wants_credentials(agreement.outcome):
                    return agreement
        return initializing.result()
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


def _is_final(outcome: Outcome) -> bool:
    """True if `initialize` is pointless: the server is gone, or requires credentials."""
    lost = isinstance(outcome, Failure) and outcome.kind is FailureKind.CONNECTION_LOST
    return lost or _wants_credentials(outcome)


def _wants_credentials(outcome: Outcome) -> bool:
    return isinstance(outcome, Failure) and outcome.http_status in {401, 403}


async def _initialize(
    dispatcher: Dispatcher, timeout_s: float, client: _Client
) -> NegotiatedProtocol | NoAgreement:
    params: JsonObject = {
        "protocolVersion": HANDSHAKE_REVISION,
        "capabilities": client.profile.announced_in(Era.LEGACY),
        "clientInfo": client.info,
    }
    answer = await dispatcher.request("initialize", params, timeout_s=timeout_s, cancellable=False)
    match answer.outcome:
        case Result(value=dict() as result) if isinstance(result.get("protocolVersion"), str):
            return NegotiatedProtocol(era=Era.LEGACY, revision=str(result["protocolVersion"]), result=result)
        case outcome:
            return NoAgreement(asked="initialize", outcome=outcome)


async def _discover(
    dispatcher: Dispatcher, timeout_s: float, client: _Client
) -> NegotiatedProtocol | NoAgreement:
    answer = await _ask_discover(dispatcher, modern_stamp(MODERN_REVISIONS[-1], client), timeout_s)
    named = _mutual(_supported_by_error(answer.outcome))
    if named:
        answer = await _ask_discover(dispatcher, modern_stamp(named, client), timeout_s)
    match answer.outcome:
        case Result(value=dict() as result) if mutual := _mutual(result.get("supportedVersions")):
            return NegotiatedProtocol(era=Era.MODERN, revision=mutual, result=result)
        case outcome:
            return NoAgreement(asked="server/discover", outcome=outcome)


async def _ask_discover(dispatcher: Dispatcher, stamp: Stamp, timeout_s: float) -> FramedAnswer:
    return await dispatcher.request(
        "server/discover", {}, timeout_s=timeout_s, cancellable=False, stamp=stamp
    )


def _supported_by_error(outcome: Outcome) -> Json:
    match outcome:
        case RpcError(value={"code": int(code), "data": {"supported": supported}}) if (
            code == UNSUPPORTED_PROTOCOL_VERSION
        ):
            return supported
        case _:
            return None


def _mutual(versions: Json) -> str | None:
    known = [version for version in MODERN_REVISIONS if isinstance(versions, list) and version in versions]
    return known[-1] if known else None


async def _adopt(
    dispatcher: Dispatcher,
    agreement: NegotiatedProtocol,
    client: _Client,
    *,
    over_http: bool,
    timeout_s: float,
) -> str:
    """Set the stamp of `dispatcher`, and the log level. Returns why the level could not be set, or ""."""
    if agreement.era is Era.MODERN:
        dispatcher.stamp = modern_stamp(agreement.revision, client)
        return ""
    dispatcher.stamp = _handshake_stamp(agreement.revision) if over_http else unstamped
    await dispatcher.notify("notifications/initialized", {})
    level = client.log_level
    if level in (None, NO_LOGS):
        return ""
    if value_at(agreement.result, "capabilities", "logging") is None:
        return f"the log level {level} was not requested, because the server announces no logging; it chooses which logs it sends"
    answer = await dispatcher.request("logging/setLevel", {"level": level}, timeout_s=timeout_s)
    return "" if isinstance(answer.outcome, Result) else f"the server did not accept the log level {level}"


def _handshake_stamp(revision: str) -> Stamp:
    def stamp(method: str, params: JsonObject) -> tuple[JsonObject, dict[str, str]]:
        _ = method
        return params, {"mcp-protocol-version": revision}

    return stamp


def modern_stamp(revision: str, client: _Client) -> Stamp:
    """A function that adds to a request what the revision 2026-07-28 requires.

    It adds the client's identity and capabilities in `_meta`, and the headers for routing.
    """

    def stamp(method: str, params: JsonObject) -> tuple[JsonObject, dict[str, str]]:
        own: JsonObject = {
            REVISION_META: revision,
            _CLIENT_META: client.info,
            _CAPABILITIES_META: client.profile.announced_in(Era.MODERN),
        }
        if client.log_level != NO_LOGS:
            own[_LOG_LEVEL_META] = client.log_level or LOG_LEVELS[0]
        stamped = with_meta(params, own)
        headers = {"mcp-protocol-version": revision, "mcp-method": method}
        name = params.get(_NAMED_BY.get(method, ""))
        if isinstance(name, str):
            headers["mcp-name"] = header_value(name)
        return stamped, headers

    return stamp


def header_value(text: str) -> str:
    """A name or URI, as the value of an HTTP header.

    The value is in base64 (`=?base64?…?=`) if HTTP would change the plain text.
    """
    if text.isascii() and text.isprintable() and text == text.strip() and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'surrogatepass')).decode()}?="
