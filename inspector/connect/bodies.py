"""Bodies of HTTP answers as they are read: decompressed, and never more than a bound."""

import codecs
import zlib
from collections.abc import AsyncIterator

import httpx2

from inspector.json.exact import Json, Malformed, parse
from inspector.protocol.frames import Frame, Response, messages, request_key

EXCERPT_BYTES = 240

_ZLIB = frozenset({"gzip", "x-gzip", "deflate"})
_UTF_8 = frozenset({"utf-8", "ascii"})
_MARKS = ((codecs.BOM_UTF16_LE, "UTF-16"), (codecs.BOM_UTF16_BE, "UTF-16"))


class UnreadableBodyError(Exception):
    """A body that cannot be read on: the message says why, as the end of a sentence about the server."""


async def decoded(response: httpx2.Response) -> AsyncIterator[bytes]:
    """The body in chunks. Raises UnreadableBodyError for an encoding that cannot be undone, httpx2.TransportError."""
    # `identity` is asked for; a server may not care.
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in {"", "identity", *_ZLIB}:
        raise UnreadableBodyError(
            f"sent a body in the content encoding `{encoding[:60]}`, which Sightline cannot decode; it asked for `identity`"
        )
    inflate = zlib.decompressobj(zlib.MAX_WBITS | 32) if encoding in _ZLIB else None
    stream = response.stream
    if not isinstance(stream, httpx2.AsyncByteStream):
        return
    async for chunk in stream:
        try:
            yield inflate.decompress(chunk) if inflate else chunk
        except zlib.error as error:
            raise UnreadableBodyError(f"sent a body that is no valid `{encoding}`") from error


async def event_chunks(response: httpx2.Response) -> AsyncIterator[bytes]:
    """`decoded` for an event stream, which has to be in UTF-8. Raises UnreadableBodyError where it is not."""
    is_first = True
    async for chunk in decoded(response):
        charset = foreign_charset(response, chunk) if is_first else None
        if charset:
            raise UnreadableBodyError(f"sent events in {charset}; they have to be in UTF-8")
        is_first = False
        yield chunk


def foreign_charset(response: httpx2.Response, start: bytes) -> str | None:
    """The name of a charset other than UTF-8 that a body is in, by its byte order mark or as declared; None otherwise."""
    for mark, name in _MARKS:
        if start.startswith(mark):
            return name
    _, _, parameters = response.headers.get("content-type", "").partition(";")
    for parameter in parameters.split(";"):
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "charset":
            named = value.strip().strip('"')
            try:
                return None if codecs.lookup(named).name in _UTF_8 else named[:60]
            except LookupError:
                return named[:60]
    return None


def fault_of(frame: Frame) -> str:
    """Why what should be a JSON-RPC message is none, with an excerpt; empty where it is one."""
    found = messages(frame.body)
    if found and not any(isinstance(message, Malformed) for message in found):
        return ""
    reasons = [message.reason for message in found if isinstance(message, Malformed)]
    shown = excerpt(frame.raw)
    return f"{reasons[0] if reasons else 'no message'}: {shown}" if shown else "it is empty"


def excerpt(raw: bytes) -> str:
    """The start of a body in one line. Foreign text."""
    return " ".join(raw[:EXCERPT_BYTES].decode("utf-8", "replace").split())


def error_answer(raw: bytes, carried: Json) -> Response | None:
    """The JSON-RPC error that a body with an error status holds for the request of id `carried`; None where it holds none.

    Only what is one by all its members counts: an OAuth error is an object with a member `error` too.
    """
    match messages(parse(raw)):
        case (Response(is_error=True, faults=faults, id=identity) as answer,) if carried is not None:
            is_versioned = not any("jsonrpc" in fault for fault in faults)
            is_ours = identity is None or request_key(identity) == request_key(carried)
            return answer if is_versioned and is_ours else None
        case _:
            return None
