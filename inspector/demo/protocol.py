"""Speaks MCP with one client over any transport. Takes messages, and returns answers and notifications."""

import asyncio
from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct, field

from inspector.demo import eras
from inspector.demo.jsonrpc import (
    Code,
    RefusedError,
    answer,
    is_identity,
    notification,
    object_param,
    refusal,
    sound_params,
    text_param,
)
from inspector.demo.library import get_prompt, read_resource
from inspector.demo.server import CAPABILITIES, INSTRUCTIONS, SERVER_INFO, DemoServer
from inspector.demo.tools.tool import Slow
from inspector.json.exact import Json, JsonObject, JsonText, Malformed, dump_text
from inspector.protocol.catalogue import Kind
from inspector.protocol.frames import Message, Notification, Request, Response, messages
from inspector.protocol.targets import Era

Notify: TypeAlias = Callable[[JsonObject], None]
"""Called with each notification that belongs to the message being answered."""

_LISTS = {kind.method: kind for kind in Kind if kind is not Kind.SKILL}
_SHARED = frozenset({*_LISTS, "tools/call", "tools/resolve", "resources/read", "prompts/get"})
"""The methods that are in both the protocol revisions with a handshake and the stateless ones."""


class _Exchange(Struct, frozen=True, kw_only=True):
    """A request that is being answered."""

    era: Era
    method: str
    params: JsonObject
    notify: Notify
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)


class Peer:
    """One client: its negotiated protocol and its running requests."""

    def __init__(self, server: DemoServer, era: Era | None = None) -> None:
        """`era`: the protocol era (with a handshake, or stateless) that the transport implies.

        None if the server's options or each request decide.
        """
        self.version: str | None = None
        """The negotiated handshake revision; None before the handshake, and for a stateless client."""
        self._server = server
        self._era_served = era or server.options.era
        self._log_level: str | None = None
        self._running: dict[str, _Exchange] = {}

    async def receive(self, body: JsonText | Malformed, notify: Notify) -> Json:
        """Answer one message or batch. Returns None if it needs no answer. Never raises.

        Calls `notify` only before it returns.
        """
        if isinstance(body, Malformed):
            return refusal(None, RefusedError(Code.PARSE_ERROR, f"Parse error: {body.reason}"))
        parts = messages(body)
        if not isinstance(body.value, list):
            return await self._take(parts[0], notify)
        if not parts or self.version != eras.BATCH_VERSION:
            return refusal(
                None, RefusedError(Code.INVALID_REQUEST, "Invalid request: batches are not accepted")
            )
        taken = await asyncio.gather(*(self._take(part, notify) for part in parts))
        answers: list[Json] = [each for each in taken if each is not None]
        return answers or None

    def cancel_all(self) -> None:
        for exchange in self._running.values():
            exchange.cancelled.set()

    async def _take(self, message: Message, notify: Notify) -> Json:
        match message:
            case Malformed():
                identity = message.value.get("id") if isinstance(message.value, dict) else None
                error = RefusedError(Code.INVALID_REQUEST, f"Invalid request: {message.reason}")
                return refusal(identity if is_identity(identity) else None, error)
            case Response():
                return None
            case Notification():
                self._take_notification(message)
                return None
            case Request():
                return await self._answer(message, notify)

    def _take_notification(self, message: Notification) -> None:
        if message.method == "notifications/cancelled" and isinstance(message.params, dict):
            # The id may be reused at once, even before the call ends.
            exchange = self._running.pop(dump_text(message.params.get("requestId")), None)
            if exchange:
                exchange.cancelled.set()

    async def _answer(self, request: Request, notify: Notify) -> Json:
        if not is_identity(request.id):
            return refusal(
                None,
                RefusedError(Code.INVALID_REQUEST, "Invalid request: id is neither a string nor an integer"),
            )
        key = dump_text(request.id)
        if key in self._running:
            return refusal(request.id, RefusedError(Code.INVALID_REQUEST, "Invalid request: id is in use"))
        try:
            exchange = _Exchange(
                era=self._era(request), method=request.method, params=sound_params(request), notify=notify
            )
        except RefusedError as error:
            return refusal(request.id, error)
        self._running[key] = exchange
        try:
            return await self._complete(request.id, exchange)
        finally:
            if self._running.get(key) is exchange:
                del self._running[key]

    async def _complete(self, identity: Json, exchange: _Exchange) -> Json:
        try:
            result = await self._finished(exchange, self._result(exchange))
        except RefusedError as error:
            return refusal(identity, error)
        except Exception as error:  # noqa: BLE001 a client waits for its answer, whatever went wrong here
            reason = f"Internal error: {type(error).__name__}"
            return refusal(identity, RefusedError(Code.INTERNAL_ERROR, reason))
        if result is None:
            return None
        if exchange.era is Era.MODERN:
            result = eras.stamped(exchange.method, result, SERVER_INFO)
        return answer(identity, result)

    def _era(self, request: Request) -> Era:
        return eras.era_of(request) if self._era_served is Era.AUTO else self._era_served

    def _result(self, exchange: _Exchange) -> JsonObject | Slow:
        if exchange.era is Era.MODERN:
            return self._stateless(exchange)
        return self._handshake(exchange)

    def _stateless(self, exchange: _Exchange) -> JsonObject | Slow:
        if exchange.method == "initialize":
            raise eras.unsupported_version(text_param(exchange.params, "protocolVersion"))
        eras.check_envelope(exchange.params)
        if exchange.method == "server/discover":
            supported: list[Json] = [*eras.STATELESS_VERSIONS]
            return {
                "supportedVersions": supported,
                "capabilities": CAPABILITIES,
                "instructions": INSTRUCTIONS,
            }
        if exchange.method not in _SHARED:
            raise RefusedError(Code.METHOD_NOT_FOUND, "Method not found", exchange.method)
        return self._shared(exchange)

    def _handshake(self, exchange: _Exchange) -> JsonObject | Slow:
        method = exchange.method
        if method == "initialize":
            return self._initialize(exchange.params)
        if method == "ping":
            return {}
        if method != "logging/setLevel" and method not in _SHARED:
            raise RefusedError(Code.METHOD_NOT_FOUND, "Method not found", method)
        if self.version is None:
            raise RefusedError(Code.INVALID_REQUEST, "Invalid request: initialize comes first")
        if method == "logging/setLevel":
            level = text_param(exchange.params, "level")
            if level not in eras.LOG_LEVELS:
                raise RefusedError(
                    Code.INVALID_PARAMS, "Invalid params: level is not one of the eight log levels"
                )
            self._log_level = level
            return {}
        return self._shared(exchange)

    def _initialize(self, params: JsonObject) -> JsonObject:
        if self.version:
            raise RefusedError(Code.INVALID_REQUEST, "Invalid request: initialized already")
        requested = text_param(params, "protocolVersion")
        for key in ("capabilities", "clientInfo"):
            if key not in params:
                raise RefusedError(Code.INVALID_PARAMS, f"Invalid params: {key} is missing")
            object_param(params, key)
        self.version = eras.negotiated(requested)
        return {
            "protocolVersion": self.version,
            "capabilities": CAPABILITIES,
            "serverInfo": SERVER_INFO,
            "instructions": INSTRUCTIONS,
        }

    def _shared(self, exchange: _Exchange) -> JsonObject | Slow:
        method, params = exchange.method, exchange.params
        match method:
            case "tools/call":
                return self._server.call(params, lambda level, text: self._log(exchange, level, text))
            case "tools/resolve":
                return self._server.resolve(params)
            case "resources/read":
                return self._read(exchange)
            case "prompts/get":
                return get_prompt(text_param(params, "name"), object_param(params, "arguments"))
            case _:
                return self._server.listing(_LISTS[method], params)

    def _read(self, exchange: _Exchange) -> JsonObject:
        uri = text_param(exchange.params, "uri")
        contents = read_resource(uri, self._server.workspace)
        if contents is None:
            code = Code.INVALID_PARAMS if exchange.era is Era.MODERN else Code.RESOURCE_NOT_FOUND
            raise RefusedError(code, "Resource not found", {"uri": uri})
        return contents

    def _log(self, exchange: _Exchange, level: str, text: Json) -> None:
        asked = self._log_level
        if exchange.era is Era.MODERN:
            wanted = eras.request_meta(exchange.params).get(eras.LOG_LEVEL_KEY)
            asked = wanted if isinstance(wanted, str) else None
        if eras.logged_at(asked, level):
            params: JsonObject = {"level": level, "logger": "workspace", "data": text}
            exchange.notify(notification("notifications/message", params))

    async def _finished(self, exchange: _Exchange, result: JsonObject | Slow) -> JsonObject | None:
        """Wait for the result and send progress. Returns None if the client cancelled."""
        if not isinstance(result, Slow):
            return result
        token = eras.request_meta(exchange.params).get("progressToken")
        for done, step in enumerate(result.steps, start=1):
            try:
                async with asyncio.timeout(result.seconds / len(result.steps)):
                    await exchange.cancelled.wait()
            except TimeoutError:
                if is_identity(token):
                    params: JsonObject = {
                        "progressToken": token,
                        "progress": done,
                        "total": len(result.steps),
                        "message": step,
                    }
                    exchange.notify(notification("notifications/progress", params))
            else:
                return None
        return result.result
