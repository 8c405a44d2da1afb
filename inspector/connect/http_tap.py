"""The HTTP transport below the SDK: every body and event becomes a frame before the SDK sees it.

The dispatcher takes the answer from the frame. The SDK gets placeholders with what it needs for sessions,
resumption and redirects. Otherwise the SDK would parse each full body again on the event loop, and validate
it against models that reject unknown members.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus
from typing import cast
from urllib.parse import urljoin, urlsplit

import httpx2

from inspector.connect.dispatch import Dispatcher
from inspector.connect.http_response import (
    UnreadableBodyError,
    challenge_lines,
    decoded,
    error_answer,
    event_chunks,
    excerpt,
    fault_of,
    foreign_charset,
)
from inspector.connect.oauth.held import held_of, wants_authorization
from inspector.connect.sse import EventSplitter, ServerSentEvent, start_of
from inspector.connect.tap import MAX_MESSAGE_BYTES, Tap
from inspector.credentials.cutting import bytes_without_cut_secret
from inspector.json.exact import Json, JsonObject, dump
from inspector.protocol.exchanges import Matched
from inspector.protocol.frames import Channel, Direction, Frame, Request, messages, request_key
from inspector.protocol.outcome import METHOD_NOT_FOUND, Failure, FailureKind

OTHER_BODY_BYTES = 64 * 1024
"""The maximum number of bytes kept of a body that is not JSON."""

_AUTHENTICATION = frozenset({401, 403})
_SESSION_HEADER = "mcp-session-id"
_BAD_REQUEST_CODE = -32000
"""The error code with which example servers of the TypeScript SDK answer an unknown session, with status 400."""
_PROBE_TIMEOUT_S = 2.0
_PROBE_OPEN_S = 0.2
_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


class HttpTap(httpx2.AsyncBaseTransport):
    """Records the traffic of the transport `inner`, and passes the answers in it to the waiting requests."""

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport,
        tap: Tap,
        dispatcher: Dispatcher,
        *,
        older_sse: bool = False,
        has_proxy: bool = False,
        max_message_bytes: int = MAX_MESSAGE_BYTES,
    ) -> None:
        self._inner = inner
        self._tap = tap
        self._dispatcher = dispatcher
        self._older_sse = older_sse
        self._has_proxy = has_proxy
        self._max_message_bytes = max_message_bytes
        self._has_streamed = False
        self.last_failure: Failure | None = None
        """The failure of the last request that failed, including the SDK's own requests."""
        self.stream_failure: Failure | None = None
        """The failure that ended the session's event stream; None if the server closed it."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one HTTP request.

        After a transport error, the JSON-RPC request in `request` fails, and the response has status 503.
        """
        if request.method == "DELETE" and self._dispatcher.away is not None:
            # The session ended with the server: there is nothing to delete.
            return httpx2.Response(204, request=request)
        body = await request.aread()
        head = f"{request.method} {request.url.path}"
        exchange = await self._exchange(request, body, head)
        try:
            response = await self._inner.handle_async_request(request)
        except httpx2.TransportError as error:
            self._fail(exchange, await self._lost(exchange, error))
            # Raising here would end every other request of the connection.
            return httpx2.Response(503, request=request)
        return await self._tapped(exchange, response)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _exchange(self, request: httpx2.Request, body: bytes, head: str) -> "_Exchange":
        held = held_of(request)
        if held is not None and held.exchange is not None:
            # The first frame of this request waits for an answer. A second one would count as a new request.
            exchange = cast("_Exchange", held.exchange)
            self._tap.note(f"sent again with a token: {exchange.method or head}")
            return exchange
        sent = await self._tap.take(
            Direction.SENT, Channel.HTTP, body, head=head, is_json=request.method == "POST"
        )
        exchange = _Exchange(request, sent.frame, self._tap.mask)
        if held is not None:
            held.exchange = exchange
        return exchange

    async def _tapped(self, exchange: "_Exchange", response: httpx2.Response) -> httpx2.Response:
        request, status = exchange.request, response.status_code
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        head = f"{status} {kind}".strip()
        if status < 400:
            self._dispatcher.away = None
        # The SDK gets a decoded, rewritten body, so these headers do not describe it.
        headers = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name.lower() not in {"content-length", "content-encoding"}
        ]
        if kind == "text/event-stream" and status < 400:
            self._has_streamed = self._has_streamed or request.method == "GET"
            headers = [(name, value) for name, value in headers if name.lower() != "content-type"]
            headers.append(("content-type", "text/event-stream"))
            stream = _Stream(self._events(exchange, response, head), response.aclose)
            return httpx2.Response(status, headers=headers, stream=stream, request=request)
        try:
            body = await self._body(exchange, response, head)
        finally:
            await response.aclose()
        # The SDK's writer for the older transport ends at the first refused message.
        is_hidden = self._older_sse and request.method == "POST" and status >= 400
        held = held_of(request)
        if held is not None and held.failure is not None:
            refused = httpx2.Response(status, headers=headers, content=body, request=request)
            held.fail = lambda failure: self._fail_held(exchange, failure, refused if is_hidden else None)
            return refused
        if is_hidden:
            return httpx2.Response(202, request=request)
        return httpx2.Response(status, headers=headers, content=body, request=request)

    def _fail_held(self, exchange: "_Exchange", failure: Failure, hidden: httpx2.Response | None) -> None:
        if hidden is not None:
            hidden.status_code = 202
        self._fail(exchange, failure)

    async def _body(self, exchange: "_Exchange", response: httpx2.Response, head: str) -> bytes:
        raw, is_whole = await self._read(exchange, response)
        status = response.status_code
        is_json = bool(raw) and is_whole and "json" in head
        if status >= 400:
            await self._refused(exchange, response, raw, head, is_json=is_json)
            return b""
        # The SDK handles redirects, and 202, which carries no answer.
        may_answer = status < 300 and status != HTTPStatus.ACCEPTED
        is_awaited = may_answer and "json" in head and self._dispatcher.is_pending(exchange.carried)
        if raw or status >= 300 or is_awaited:
            kept = raw if is_json else bytes_without_cut_secret(raw, self._tap.mask, OTHER_BODY_BYTES)
            matched = await self._take(exchange, Channel.HTTP, kept, head, is_json=is_json)
            self._dispatcher.take(matched)
            if is_awaited and self._dispatcher.is_pending(exchange.carried):
                self._fail(exchange, exchange.unreadable(response, matched.frame))
        return _stand_in(exchange.carried) if exchange.carried is not None else b""

    async def _take(
        self, exchange: "_Exchange", channel: Channel, raw: bytes, head: str, *, is_json: bool
    ) -> Matched:
        carried = exchange.carried
        return await self._tap.take(
            Direction.RECEIVED,
            channel,
            raw,
            head=head,
            is_json=is_json,
            response_to=None if carried is None else request_key(carried),
        )

    async def _read(self, exchange: "_Exchange", response: httpx2.Response) -> tuple[bytes, bool]:
        """The part of the body that arrived, and whether it can be used.

        It cannot be used if the body is too long or cannot be decoded.
        """
        parts: list[bytes] = []
        size = 0
        try:
            async for chunk in decoded(response):
                parts.append(chunk)
                size += len(chunk)
                if size > self._max_message_bytes:
                    self._fail(exchange, exchange.too_long("a body", self._max_message_bytes))
                    return start_of(parts, 2 * OTHER_BODY_BYTES), False
        except httpx2.TransportError as error:
            self._fail(exchange, await self._lost(exchange, error))
        except UnreadableBodyError as error:
            self._fail(exchange, exchange.failed(FailureKind.PROTOCOL, str(error)))
            return start_of(parts, 2 * OTHER_BODY_BYTES), False
        return b"".join(parts), True

    async def _refused(
        self, exchange: "_Exchange", response: httpx2.Response, raw: bytes, head: str, *, is_json: bool
    ) -> None:
        """Handle an error status. The request fails, unless the body is a JSON-RPC error that answers it."""
        status = response.status_code
        answer = None
        if is_json and status not in _AUTHENTICATION:
            answer = await asyncio.to_thread(error_answer, raw, exchange.carried)
        code = answer.error.get("code") if answer and isinstance(answer.error, dict) else None
        ended = self._has_ended(exchange.request, status, code)
        is_answer = answer is not None and not ended
        # The timeline and the recording must not mistake a body that is not an answer for an answer.
        kept = raw if is_answer else bytes_without_cut_secret(raw, self._tap.mask, OTHER_BODY_BYTES)
        matched = await self._take(exchange, Channel.HTTP, kept, head, is_json=is_answer)
        if is_answer:
            self._dispatcher.take(matched)
        failure = exchange.refused(response, raw, ended=ended)
        held = held_of(exchange.request)
        if held is not None and wants_authorization(response):
            self._tap.note(failure.detail)
            held.failure = failure
            return
        if ended:
            self._dispatcher.away = failure
        self._fail(exchange, failure)

    def _has_ended(self, request: httpx2.Request, status: int, code: Json) -> bool:
        """True if the server reports an unknown session, and so did not execute the request.

        Source: MCP 2025-11-25, Streamable HTTP, "Session Management". In 2026-07-28, servers also answer an
        unknown method with 404.
        """
        if _SESSION_HEADER not in request.headers:
            return False
        match request.method:
            case "POST":
                unknown = status == 404 and code != METHOD_NOT_FOUND
                return unknown or (status == 400 and code == _BAD_REQUEST_CODE)
            case "GET":
                # A server without this stream may answer 404 from the start.
                return status == 404 and self._has_streamed
            case _:
                return False

    async def _events(
        self, exchange: "_Exchange", response: httpx2.Response, head: str
    ) -> AsyncIterator[bytes]:
        splitter = EventSplitter()
        failure: Failure | None = None
        has_ids = False
        try:
            async for chunk in event_chunks(response):
                for event in splitter.feed(chunk):
                    has_ids = has_ids or bool(event.id)
                    yield await self._event(exchange, event, head)
                if splitter.size > self._max_message_bytes:
                    failure = exchange.too_long("an event", self._max_message_bytes)
                    break
        except httpx2.SSEError:
            # This error must end the SDK's transport.
            raise
        except httpx2.TransportError as error:
            failure = await self._lost(exchange, error)
            if has_ids:
                # The SDK now requests the rest of the stream.
                self._tap.note(failure.detail)
                return
        except UnreadableBodyError as error:
            failure = exchange.failed(FailureKind.PROTOCOL, str(error))
        rest = bytes_without_cut_secret(splitter.rest(2 * OTHER_BODY_BYTES), self._tap.mask, OTHER_BODY_BYTES)
        if rest.strip():
            await self._take(exchange, Channel.SSE, rest, head, is_json=False)
        if failure is None and not has_ids and self._dispatcher.is_pending(exchange.carried):
            failure = exchange.unanswered(rest)
        if failure is not None:
            self.stream_failure = failure
            if not self._older_sse:
                # On the older transport the connection ends with the stream, and its channel reports it.
                self._fail(exchange, failure)

    async def _event(self, exchange: "_Exchange", event: ServerSentEvent, head: str) -> bytes:
        about = f"{head} event: {event.event}" + (f" id: {event.id}" if event.id else "")
        is_json = event.event == "message" and bool(event.data)
        matched = await self._take(exchange, Channel.SSE, event.data or event.raw, about, is_json=is_json)
        if self._older_sse and event.event == "endpoint":
            return self._endpoint(exchange, event)
        carried = exchange.carried
        was_pending = self._dispatcher.is_pending(carried)
        self._dispatcher.take(matched)
        if is_json and (fault := fault_of(matched.frame, self._tap.mask)):
            failure = exchange.failed(
                FailureKind.PROTOCOL, f"sent an event that is not a JSON-RPC message: {fault}"
            )
            if carried is not None:
                self._fail(exchange, failure)
            elif self._older_sse:
                self._dispatcher.fail_only(failure)
        is_settled = was_pending and not self._dispatcher.is_pending(carried)
        return _for_sdk(event, _stand_in(carried) if is_settled else b"")

    def _endpoint(self, exchange: "_Exchange", event: ServerSentEvent) -> bytes:
        """The `endpoint` event, with its origin written exactly as that of the connection.

        Raises SSEError for another origin.
        """
        own = str(exchange.request.url)
        named = event.data.decode("utf-8", "replace")
        reason = endpoint_fault(own, named)
        if reason:
            failure = exchange.failed(
                FailureKind.PROTOCOL,
                f"named an endpoint that is not allowed: {reason}: {excerpt(event.data, self._tap.mask)}",
            )
            self.stream_failure = failure
            self._fail(exchange, failure)
            raise httpx2.SSEError(failure.detail)
        here, there = urlsplit(own), urlsplit(urljoin(own, named))
        # The SDK compares origins letter by letter.
        address = there._replace(scheme=here.scheme, netloc=here.netloc, fragment="").geturl()
        return b"event: endpoint\ndata: " + address.encode() + b"\n\n"

    async def _lost(self, exchange: "_Exchange", error: Exception) -> Failure:
        """The failure after a transport error. Marks the server as away if it accepts no new connection."""
        was_sent = not isinstance(error, _NOT_SENT)
        if not was_sent or not await self._accepts_connections(exchange.request.url):
            self._dispatcher.away = exchange.lost(error, was_sent=False)
        return exchange.lost(error, was_sent=was_sent)

    async def _accepts_connections(self, url: httpx2.URL) -> bool:
        """True if the server accepts a TCP connection; True behind a proxy, which would accept it instead."""
        if self._has_proxy:
            return True
        try:
            async with asyncio.timeout(_PROBE_TIMEOUT_S):
                reader, writer = await asyncio.open_connection(url.host, url.port or _PORTS[url.scheme])
        except OSError:
            return False
        try:
            # The kernel may accept for a process that is exiting, and then close the connection.
            return bool(await asyncio.wait_for(reader.read(1), _PROBE_OPEN_S))
        except TimeoutError:
            return True
        except OSError:
            return False
        finally:
            writer.close()

    def _fail(self, exchange: "_Exchange", failure: Failure) -> None:
        self.last_failure = failure
        if exchange.carried is None:
            self._tap.note(failure.detail)
        else:
            self._dispatcher.fail(exchange.carried, failure)


class _Exchange:
    """An HTTP request, the JSON-RPC request that it carries, and the texts of their failures."""

    def __init__(self, request: httpx2.Request, sent: Frame, mask: Callable[[str], str]) -> None:
        self.request = request
        self._mask = mask
        carried = next((item for item in messages(sent.body) if isinstance(item, Request)), None)
        self.carried: Json = carried.id if carried else None
        """The id of the JSON-RPC request; None if there is none."""
        self.method = carried.method if carried else ""
        self._is_call = carried is not None and carried.method == "tools/call"

    def failed(self, kind: FailureKind, what: str) -> Failure:
        """The failure of this request. `what`: a sentence without its subject, which is the server."""
        return Failure(kind=kind, detail=f"{self._place} {what}{self._warning}")

    def lost(self, error: Exception, *, was_sent: bool = True) -> Failure:
        reason = str(error) or type(error).__name__
        detail = f"{self._place}: {reason}{self._warning if was_sent else ''}"
        return Failure(kind=FailureKind.CONNECTION_LOST, detail=detail)

    def too_long(self, what: str, limit: int) -> Failure:
        return self.failed(
            FailureKind.PROTOCOL, f"sent {what} of more than {limit:,} bytes: reading was stopped"
        )

    def unreadable(self, response: httpx2.Response, frame: Frame) -> Failure:
        """The failure for a JSON body that does not answer the request."""
        charset = foreign_charset(response, frame.raw)
        fault = fault_of(frame, self._mask)
        if charset and fault:
            what = f"sent JSON in {charset}; it has to be in UTF-8"
        elif fault:
            what = f"sent a body that is not a JSON-RPC message: {fault}"
        else:
            what = f"sent a message that does not answer the request: {excerpt(frame.raw, self._mask)}"
        return self.failed(FailureKind.PROTOCOL, what)

    def unanswered(self, rest: bytes) -> Failure:
        """The failure for an event stream that ended. `rest`: the bytes after the last whole event."""
        within = f" within an event: {excerpt(rest, self._mask)}" if rest.strip() else ""
        return self.failed(FailureKind.PROTOCOL, f"closed the event stream without an answer{within}")

    def refused(self, response: httpx2.Response, body: bytes, *, ended: bool) -> Failure:
        """The failure for an error status, with the start of the body and the challenges in `WWW-Authenticate`."""
        status, start = response.status_code, excerpt(body, self._mask)
        detail = f"{self._place} answered HTTP {status}" + (f": {start}" if start else "")
        if ended:
            detail += ". The server no longer knows the session and did not execute the request"
        if status in _AUTHENTICATION:
            detail = "\n".join(
                (detail, *challenge_lines(response.headers.get_list("www-authenticate"), self._mask))
            )
        kind = FailureKind.SESSION_ENDED if ended else FailureKind.HTTP_STATUS
        return Failure(kind=kind, detail=detail, http_status=status)

    @property
    def _place(self) -> str:
        url = self.request.url
        # A query may hold a token; scheme, host and path identify the endpoint.
        port = f":{url.port}" if url.port else ""
        return f"{self.request.method} {url.scheme}://{url.host}{port}{url.path}"

    @property
    def _warning(self) -> str:
        return ". The call was sent and may have been executed: it is not sent again" if self._is_call else ""


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, chunks: AsyncIterator[bytes], close: Callable[[], Awaitable[None]]) -> None:
        self._chunks = chunks
        self._close = close

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._chunks:
            yield chunk

    async def aclose(self) -> None:
        await self._close()


def endpoint_fault(own: str, named: str) -> str:
    """The reason why a server at the URL `own` must not name the URL `named` in its `endpoint` event.

    Empty if it may.

    Source: MCP 2024-11-05, HTTP with SSE: another origin would receive the messages and their credentials.
    """
    if "\\" in named:
        return "it has a backslash, which programs read differently"
    if not named or any(character.isspace() or not character.isprintable() for character in named):
        return "it is not a URL"
    try:
        here, there = urlsplit(own), urlsplit(urljoin(own, named))
        ports = [parts.port or _PORTS.get(parts.scheme) for parts in (here, there)]
    except ValueError:
        return "it is not a URL"
    if there.scheme != here.scheme:
        return f"it has another scheme than {here.scheme}"
    if "@" in there.netloc and there.netloc.rpartition("@")[0] != here.netloc.rpartition("@")[0]:
        return "it has user information"
    if there.hostname != here.hostname:
        return "it is on another host"
    return "" if ports[0] == ports[1] else "it is at another port"


_PORTS = {"http": 80, "https": 443}


def _for_sdk(event: ServerSentEvent, data: bytes) -> bytes:
    """An event for the SDK: the id and delay with which it resumes the stream, and `data`.

    `data`: a placeholder if the event ends the request, otherwise empty.
    """
    fields = [
        f"{name}: {value}\n"
        for name, value in (("id", event.id), ("retry", event.retry))
        if value is not None
    ]
    if not fields and not data:
        return b":\n\n"
    return "".join(fields).encode() + b"data: " + data + b"\n\n"


def _stand_in(request_id: Json) -> bytes:
    empty: JsonObject = {"jsonrpc": "2.0", "id": request_id, "result": {}}
    return dump(empty)
