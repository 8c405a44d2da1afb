"""The HTTP transport below the SDK: every body and event becomes a frame before the SDK sees it.

The dispatcher has its answer from the frame. What the SDK is given afterwards only has to keep its own
bookkeeping (session, resumption, redirects) in order.
"""

import zlib
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx2

from inspector.core.frames import Channel, Direction, Frame, Request, messages, request_key
from inspector.core.json_text import Json, JsonObject, dump
from inspector.core.outcome import Failure, FailureKind
from inspector.wire.dispatch import Dispatcher
from inspector.wire.events import EventSplitter, ServerSentEvent
from inspector.wire.tap import Tap

STAND_IN_BYTES = 64 * 1024
"""A larger answer reaches the SDK as an empty one: it would parse all of it again, on the event loop."""

BODY_EXCERPT_BYTES = 240
OTHER_BODY_BYTES = 64 * 1024


class HttpTap(httpx2.AsyncBaseTransport):
    """Records what goes through `inner`, and settles requests from it."""

    def __init__(
        self, inner: httpx2.AsyncBaseTransport, tap: Tap, dispatcher: Dispatcher, *, older_sse: bool = False
    ) -> None:
        self._inner = inner
        self._tap = tap
        self._dispatcher = dispatcher
        self._older_sse = older_sse
        self.last_failure: Failure | None = None
        """Of the request that failed last, whoever made it."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one HTTP request. A transport error becomes a failure of the message it carried, and a 503."""
        body = await request.aread()
        head = f"{request.method} {request.url.path}"
        is_message = request.method == "POST"
        sent = await self._tap.take(Direction.SENT, Channel.HTTP, body, head=head, is_json=is_message)
        carried = _request_id(sent.frame)
        try:
            response = await self._inner.handle_async_request(request)
        except httpx2.TransportError as error:
            self._fail(carried, _lost(request, error))
            # Raised here, it would end every other request of the connection too.
            return httpx2.Response(503, request=request)
        return await self._tapped(request, response, carried)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()

    async def _tapped(
        self, request: httpx2.Request, response: httpx2.Response, carried: Json
    ) -> httpx2.Response:
        status = response.status_code
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        head = f"{status} {kind}".strip()
        # Bodies are handed on decoded and perhaps shortened, so what described them is no longer true.
        headers = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name.lower() not in {"content-length", "content-encoding"}
        ]
        if kind == "text/event-stream" and status < 400:
            stream = _Stream(self._events(request, response, head, carried), response.aclose)
            return httpx2.Response(status, headers=headers, stream=stream, request=request)
        try:
            body = await self._body(request, response, head, carried)
        finally:
            await response.aclose()
        if self._older_sse and request.method == "POST" and status >= 400:
            # The SDK's writer for the older transport ends for good at the first refused message.
            return httpx2.Response(202, request=request)
        return httpx2.Response(status, headers=headers, content=body, request=request)

    async def _body(
        self, request: httpx2.Request, response: httpx2.Response, head: str, carried: Json
    ) -> bytes:
        parts: list[bytes] = []
        try:
            async for chunk in _chunks(response):
                parts.append(chunk)  # noqa: PERF401 - what came before an error is kept
        except (httpx2.TransportError, zlib.error) as error:
            self._fail(carried, _lost(request, error))
        raw = b"".join(parts)
        if raw or response.status_code >= 300:
            is_json = bool(raw) and "json" in head
            kept = raw if is_json else raw[:OTHER_BODY_BYTES]
            self._dispatcher.take(
                await self._tap.take(
                    Direction.RECEIVED,
                    Channel.HTTP,
                    kept,
                    head=head,
                    is_json=is_json,
                    response_to=_key(carried),
                )
            )
        if response.status_code >= 400:
            self._fail(carried, _refused(request, response.status_code, raw))
        return _stand_in(carried) if carried is not None and len(raw) > STAND_IN_BYTES else raw

    async def _events(
        self, request: httpx2.Request, response: httpx2.Response, head: str, carried: Json
    ) -> AsyncIterator[bytes]:
        splitter = EventSplitter()
        try:
            async for chunk in _chunks(response):
                for event in splitter.feed(chunk):
                    yield await self._event(event, head, carried)
        except (httpx2.TransportError, zlib.error) as error:
            self._tap.note(_lost(request, error).detail)
        if rest := splitter.rest():
            yield rest

    async def _event(self, event: ServerSentEvent, head: str, carried: Json) -> bytes:
        about = f"{head} event: {event.event}" + (f" id: {event.id}" if event.id else "")
        is_json = event.event == "message" and bool(event.data)
        matched = await self._tap.take(
            Direction.RECEIVED,
            Channel.SSE,
            event.data or event.raw,
            head=about,
            is_json=is_json,
            response_to=_key(carried),
        )
        waited = self._dispatcher.is_pending(carried)
        self._dispatcher.take(matched)
        if len(event.raw) <= STAND_IN_BYTES or not waited or self._dispatcher.is_pending(carried):
            return event.raw
        identity = f"id: {event.id}\n" if event.id else ""
        return f"{identity}data: ".encode() + _stand_in(carried) + b"\n\n"

    def _fail(self, carried: Json, failure: Failure) -> None:
        self.last_failure = failure
        if carried is None:
            self._tap.note(failure.detail)
        else:
            self._dispatcher.fail(carried, failure)


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, chunks: AsyncIterator[bytes], close: Callable[[], Awaitable[None]]) -> None:
        self._chunks = chunks
        self._close = close

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._chunks:
            yield chunk

    async def aclose(self) -> None:
        await self._close()


def _key(carried: Json) -> str | None:
    return None if carried is None else request_key(carried)


def _stand_in(request_id: Json) -> bytes:
    empty: JsonObject = {"jsonrpc": "2.0", "id": request_id, "result": {}}
    return dump(empty)


def _request_id(frame: Frame) -> Json:
    for message in messages(frame.body):
        if isinstance(message, Request):
            return message.id
    return None


async def _chunks(response: httpx2.Response) -> AsyncIterator[bytes]:
    # Identity is asked for; a server may not care.
    encoding = response.headers.get("content-encoding", "").strip().lower()
    inflate = zlib.decompressobj(zlib.MAX_WBITS | 32) if encoding in {"gzip", "x-gzip", "deflate"} else None
    stream = response.stream
    if isinstance(stream, httpx2.AsyncByteStream):
        async for chunk in stream:
            yield inflate.decompress(chunk) if inflate else chunk


def _lost(request: httpx2.Request, error: Exception) -> Failure:
    reason = str(error) or type(error).__name__
    return Failure(kind=FailureKind.CONNECTION_LOST, detail=f"{_place(request)}: {reason}")


def _refused(request: httpx2.Request, status: int, body: bytes) -> Failure:
    excerpt = " ".join(body[:BODY_EXCERPT_BYTES].decode("utf-8", "replace").split())
    detail = f"{_place(request)} answered HTTP {status}" + (f": {excerpt}" if excerpt else "")
    return Failure(kind=FailureKind.HTTP_STATUS, detail=detail, http_status=status)


def _place(request: httpx2.Request) -> str:
    url = request.url
    # A query may hold a token; scheme, host and path name the place well enough.
    port = f":{url.port}" if url.port else ""
    return f"{request.method} {url.scheme}://{url.host}{port}{url.path}"
