"""The requests that a server sends to the user or to a model. Their texts are not in tool results.

In protocol revisions with a handshake they are requests by the server, and in stateless protocol revisions
entries of `inputRequests`. The URLs in an error -32042 count as requests too. Source: MCP 2025-11-25,
Elicitation, Sampling; MCP 2026-07-28, `InputRequests`.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from inspector.json.exact import Json, JsonObject
from inspector.json.members import object_at, text_at, value_at
from inspector.protocol.exchanges import Answered, Asked, Event, Matched
from inspector.protocol.frames import Direction

ELICIT, SAMPLE = "elicitation/create", "sampling/createMessage"
_URL_REQUIRED = -32042


class ServerRequest(Struct, frozen=True, kw_only=True):
    """One elicitation or sampling request. Everything but the method is untrusted."""

    method: str
    """`ELICIT` or `SAMPLE`."""
    params: JsonObject
    key: str = ""
    """The key of the request in `inputRequests`, or its `elicitationId` in an error.

    Empty in protocol revisions with a handshake.
    """


def server_requests(matched: Iterable[Matched]) -> Iterator[ServerRequest]:
    """The requests by a server, in the order in which they arrived.

    Linear in the number of frames. Never raises.
    """
    for one in matched:
        for event in one.events:
            yield from _requests(event)


def _requests(event: Event) -> Iterator[ServerRequest]:
    match event:
        case Asked(exchange=exchange) if exchange.asked_by is Direction.RECEIVED:
            yield from _request(exchange.request.method, exchange.request.params)
        case Answered(exchange=exchange, response=response) if exchange.asked_by is Direction.SENT:
            for key, entry in object_at(response.result, "inputRequests").items():
                yield from _request(value_at(entry, "method"), value_at(entry, "params"), key)
            if value_at(response.error, "code") == _URL_REQUIRED:
                urls = value_at(response.error, "data", "elicitations")
                for each in urls if isinstance(urls, list) else ():
                    yield from _request(ELICIT, each, text_at(each, "elicitationId") or "")
        case _:
            pass


def _request(method: Json, params: Json, key: str = "") -> Iterator[ServerRequest]:
    if isinstance(method, str) and method in {ELICIT, SAMPLE}:
        yield ServerRequest(method=method, params=object_at(params), key=key)
