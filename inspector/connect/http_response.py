"""Read HTTP responses: decompressed bodies, excerpts of them, JSON-RPC errors, authentication challenges."""

import codecs
import re
import zlib
from collections.abc import AsyncIterator, Callable, Iterable

import httpx2

from inspector.credentials.cutting import masked_start
from inspector.json.exact import Json, Malformed, parse
from inspector.protocol.frames import Frame, Response, messages, request_key

EXCERPT = 240
"""The maximum number of characters in an excerpt."""
_READ_BYTES = 16 * 1024
"""The number of bytes of a body that are decoded to quote its start."""

_ZLIB = frozenset({"gzip", "x-gzip", "deflate"})
_UTF_8 = frozenset({"utf-8", "ascii"})
_MARKS = ((codecs.BOM_UTF16_LE, "UTF-16"), (codecs.BOM_UTF16_BE, "UTF-16"))


class UnreadableBodyError(Exception):
    """A body that cannot be read.

    The message is a sentence without its subject, the server: "sent a body …".
    """


async def decoded(response: httpx2.Response) -> AsyncIterator[bytes]:
    """Yield the decompressed body in chunks.

    Raises UnreadableBodyError for an unknown encoding or invalid data, and httpx2.TransportError.
    """
    # The request asks for `identity`, but servers may ignore it.
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
            raise UnreadableBodyError(f"sent a body that is not a valid `{encoding}`") from error


async def event_chunks(response: httpx2.Response) -> AsyncIterator[bytes]:
    """Yield the decompressed chunks of an event stream.

    Raises the errors of `decoded`, and UnreadableBodyError if the stream is not in UTF-8.
    """
    is_first = True
    async for chunk in decoded(response):
        charset = foreign_charset(response, chunk) if is_first else None
        if charset:
            raise UnreadableBodyError(f"sent events in {charset}; they have to be in UTF-8")
        is_first = False
        yield chunk


def foreign_charset(response: httpx2.Response, start: bytes) -> str | None:
    """The charset of a body by its byte order mark or content type; None for UTF-8, or if neither names one."""
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


def fault_of(frame: Frame, mask: Callable[[str], str]) -> str:
    """The reason why a frame is not a JSON-RPC message, with an excerpt; empty if it is one."""
    received = messages(frame.body)
    if received and not any(isinstance(message, Malformed) for message in received):
        return ""
    reasons = [message.reason for message in received if isinstance(message, Malformed)]
    shown = excerpt(frame.raw, mask)
    return f"{reasons[0] if reasons else 'no message'}: {shown}" if shown else "it is empty"


def excerpt(raw: bytes, mask: Callable[[str], str]) -> str:
    """The start of a body on one line, with credentials masked. Untrusted text."""
    text = " ".join(raw[:_READ_BYTES].decode("utf-8", "replace").split())
    return masked_start(text, mask, EXCERPT, "")


def error_answer(raw: bytes, carried: Json) -> Response | None:
    """The JSON-RPC error in a response with an error status; None if there is none.

    `carried`: the id of the request that the response answers. Every member is checked, because an OAuth error is also
    an object with a member `error`.
    """
    match messages(parse(raw)):
        case (Response(is_error=True, faults=faults, id=identity) as answer,) if carried is not None:
            is_versioned = not any("jsonrpc" in fault for fault in faults)
            is_ours = identity is None or request_key(identity) == request_key(carried)
            return answer if is_versioned and is_ours else None
        case _:
            return None


_PARAMETER = re.compile(r'([A-Za-z0-9_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9._-]*)(?=\s|$)(?!\s*=)")
_SHOWN = ("error", "error_description", "scope", "resource_metadata")
_MAX_CHARACTERS = 400


def challenge_lines(values: Iterable[str], mask: Callable[[str], str]) -> list[str]:
    """The challenges in `WWW-Authenticate` as lines: the scheme, then the parameters that say what is missing.

    A challenge without known parameters is shown as sent. All lines are untrusted text, shortened.
    Source: RFC 9110, section 11.6.1; RFC 6750, section 3; RFC 9728, section 5.1 (`resource_metadata`).
    """
    lines: list[str] = []
    for value in values:
        parameters = {
            name.lower(): re.sub(r"\\(.)", r"\1", quoted) if quoted else plain
            for name, quoted, plain in _PARAMETER.findall(value)
        }
        shown = [
            f"  {name}: {masked_start(parameters[name], mask, _MAX_CHARACTERS)}"
            for name in _SHOWN
            if parameters.get(name)
        ]
        scheme = _SCHEME.match(value)
        if shown and scheme:
            lines += [f"WWW-Authenticate: {scheme[1]}", *shown]
        else:
            lines.append(f"WWW-Authenticate: {masked_start(value, mask, _MAX_CHARACTERS)}")
    return lines
