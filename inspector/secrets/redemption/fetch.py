"""Sends the one GET of a redemption, to addresses that were checked before.

It is the only module of the package that imports httpx.

No exception and no log record of this module contains the URL, the Authorization field or the body.
"""

import logging
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import cast

import httpcore
import httpx

from inspector.secrets.outcomes import MAX_BODY_BYTES, Cause, Failed, Head, Outcome, of_body, of_head
from inspector.urls.origin import Allowed

USER_AGENT = "sightline"
CONNECT_TIMEOUT_S = 4.0
"""The time limit for each address, short enough to leave time for the next one."""

# httpx logs whole URLs at INFO; httpcore logs header fields at DEBUG.
_LOGGERS = (
    "httpx",
    "httpcore",
    "httpcore.connection",
    "httpcore.http11",
    "httpcore.http2",
    "httpcore.proxy",
    "httpcore.socks",
)
# httpx would read these even without following redirects or keeping cookies.
_UNREAD_FIELDS = frozenset({b"location", b"set-cookie"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """The request of one redemption, and how to send it."""

    request: Allowed
    addresses: tuple[str, ...]
    """The checked addresses of the origin."""
    authorization: str | None = field(default=None, repr=False)
    context: ssl.SSLContext | None = None
    """The TLS context for https."""
    revealed_before: bool = False


async def fetch(task: Fetch) -> Outcome:
    """Send the request and read the outcome. The caller limits the time."""
    _silence()
    headers = {"accept": "application/json", "accept-encoding": "identity", "connection": "close"}
    headers["user-agent"] = USER_AGENT
    if task.authorization is not None:
        headers["authorization"] = task.authorization
    try:
        async with httpx.AsyncClient(
            transport=_PinnedTransport(task),
            headers=headers,
            trust_env=False,
            follow_redirects=False,
            timeout=None,  # noqa: S113 - the caller limits the whole time, even of an answer that arrives byte by byte
        ) as client:
            return await _exchange(client, task)
    except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
        return Failed(cause=Cause.CERTIFICATE if _is_about_the_certificate(error) else Cause.CONNECTION)
    except httpcore.LocalProtocolError:
        return Failed(cause=Cause.INTERNAL)
    except httpcore.RemoteProtocolError:
        return Failed(cause=Cause.PROTOCOL)
    except (httpcore.NetworkError, httpcore.TimeoutException):
        return Failed(cause=Cause.CONNECTION)


async def _exchange(client: httpx.AsyncClient, task: Fetch) -> Outcome:
    async with client.stream(task.request.method, task.request.url) as response:
        field_of = response.headers.get
        head = Head(
            status=response.status_code,
            content_type=field_of("content-type"),
            content_encoding=field_of("content-encoding"),
            content_length=field_of("content-length"),
            cache_control=field_of("cache-control"),
            retry_after=field_of("retry-after"),
        )
        outcome = of_head(head, revealed_before=task.revealed_before)
        if outcome is not None:
            return outcome
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > MAX_BODY_BYTES:
                return Failed(cause=Cause.TOO_LARGE)
        return of_body(head, bytes(body))


class _PinnedTransport(httpx.AsyncBaseTransport):
    """One connection to a checked address, with the URL's name for Host, SNI and certificate."""

    def __init__(self, task: Fetch) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=task.context,
            max_connections=1,
            max_keepalive_connections=0,
            retries=0,
            network_backend=_PinnedBackend(task.request.origin.host, task.addresses),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self._pool.handle_async_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            answer.status,
            headers=[(name, value) for name, value in answer.headers if name.lower() not in _UNREAD_FIELDS],
            stream=_Body(answer),
        )

    async def aclose(self) -> None:
        await self._pool.aclose()


class _Body(httpx.AsyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in cast("AsyncIterable[bytes]", self._answer.stream):
            yield chunk

    async def aclose(self) -> None:
        await self._answer.aclose()


class _PinnedBackend(httpcore.AsyncNetworkBackend):
    """Connects only to the checked addresses, whatever the name resolves to by then."""

    def __init__(self, host: str, addresses: tuple[str, ...]) -> None:
        self._host = host
        self._addresses = addresses
        # A cast, because httpcore has another class of this name if anyio is not installed.
        self._network = cast("httpcore.AsyncNetworkBackend", httpcore.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        _ = timeout, local_address
        if host == self._host:
            for address in self._addresses:
                try:
                    return await self._network.connect_tcp(
                        address, port, timeout=CONNECT_TIMEOUT_S, socket_options=socket_options
                    )
                except (httpcore.ConnectError, httpcore.ConnectTimeout):
                    continue
        raise httpcore.ConnectError("no checked address can be reached")


def _is_about_the_certificate(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error is not None


def _silence() -> None:
    """Drop all log records of httpx and httpcore."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_drop)


def _drop(record: logging.LogRecord) -> bool:
    _ = record
    return False
