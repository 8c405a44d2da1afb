"""Reads one request by a server: `elicitation/create`, `sampling/createMessage` or `roots/list`.

In protocol revisions with a handshake each is a JSON-RPC request; in stateless protocol revisions it is an
entry of `inputRequests`. Source: MCP 2025-11-25, Elicitation, Sampling, Roots; MCP 2026-07-28,
`InputRequests`.
"""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from inspector.json.exact import Json, JsonObject, dump_text
from inspector.json.members import object_at, text_at, value_at
from inspector.json.weight import compact_bytes
from inspector.protocol.outcome import METHOD_NOT_FOUND
from inspector.safe_text import safe_line

INVALID_PARAMS = -32602
REFUSED = -1
"""The code for a request that the user declined. Source: MCP 2025-11-25, Sampling, Error Handling."""
MAX_ASK_BYTES = 1 << 20
"""The maximum size of a request. A longer request gets an error, because it is no form for a person."""

_ELICIT, _SAMPLE, _ROOTS = "elicitation/create", "sampling/createMessage", "roots/list"
CAPABILITIES = {_ELICIT: "elicitation", _SAMPLE: "sampling", _ROOTS: "roots"}
"""The requests by servers that Sightline answers, each with the capability that announces it."""


class AskKind(StrEnum):
    """The kind of answer that a request needs."""

    FORM = "form"
    URL = "url"
    SAMPLING = "sampling"
    ROOTS = "roots"


class Ask(Struct, frozen=True, kw_only=True):
    """A well-formed request of a server to its client. All of its texts are untrusted."""

    kind: AskKind
    method: str
    params: JsonObject
    key: str = ""
    """The key in `inputRequests`; empty for a JSON-RPC request."""
    number: int = 1
    """The place of the request in the sequence of the server's requests during one call, from 1."""
    waits_s: float = 0.0
    """For an accepted URL: how many seconds to wait at most until the server reports the end of the visit.

    0 if Sightline does not wait.
    """

    @property
    def message(self) -> str:
        return text_at(self.params, "message") or ""

    @property
    def schema(self) -> Json:
        """The JSON Schema that the answer to a form must meet."""
        return self.params.get("requestedSchema")

    @property
    def url(self) -> str:
        return text_at(self.params, "url") or ""

    @property
    def title(self) -> str:
        """The title of the request on one line, safe to show, such as `who: elicitation/create (form)`."""
        kind = f" ({self.kind})" if self.method == _ELICIT else ""
        return f"{safe_line(self.key[:80])}: {self.method}{kind}" if self.key else f"{self.method}{kind}"


class Unanswerable(Struct, frozen=True, kw_only=True):
    """A request of a server that Sightline answers with an error, without asking the user."""

    code: int
    reason: str
    """The reason why the request is not answered. It quotes only the method, without invisible characters."""

    @property
    def error(self) -> JsonObject:
        return {"code": self.code, "message": self.reason}


def ask_of(
    method: Json, params: Json, capabilities: JsonObject, *, key: str = "", number: int = 1
) -> Ask | Unanswerable:
    """Read a request by a server. Never raises. `capabilities`: the capabilities announced to the server."""
    if not isinstance(method, str) or CAPABILITIES.get(method) not in capabilities:
        name = safe_line(method[:80]) if isinstance(method, str) else "a request without a method"
        return Unanswerable(code=METHOD_NOT_FOUND, reason=f"not supported: {name}")
    if compact_bytes(params) > MAX_ASK_BYTES:
        return Unanswerable(
            code=INVALID_PARAMS, reason=f"{method} is longer than {MAX_ASK_BYTES >> 20} MB, and was not read"
        )
    kind = _kind(method, params)
    if not isinstance(kind, AskKind):
        return Unanswerable(code=INVALID_PARAMS, reason=f"{method}: {kind}")
    return Ask(
        kind=kind, method=method, params=params if isinstance(params, dict) else {}, key=key, number=number
    )


def _kind(method: str, params: Json) -> AskKind | str:
    """The kind of a request, or the fault in it."""
    if method == _ROOTS:
        return AskKind.ROOTS
    if not isinstance(params, dict):
        return "its params are not an object"
    if method == _SAMPLE:
        return AskKind.SAMPLING if isinstance(params.get("messages"), list) else "its messages are not a list"
    mode = params.get("mode", "form")
    if mode == "url":
        return AskKind.URL if isinstance(params.get("url"), str) else "it has no url"
    if mode != "form":
        return "its mode is neither form nor url"
    is_form = isinstance(params.get("requestedSchema"), dict)
    return AskKind.FORM if is_form else "its requestedSchema is not an object"


def sampling_lines(ask: Ask) -> Iterator[str]:
    """The texts of a sampling request: system prompt, messages, then all other parameters. Untrusted text."""
    prompt = text_at(ask.params, "systemPrompt")
    if prompt is not None:
        yield f"system: {prompt}"
    messages = ask.params.get("messages")
    for message in messages if isinstance(messages, list) else ():
        content = value_at(message, "content")
        for block in content if isinstance(content, list) else [content]:
            text = text_at(block, "text") if value_at(block, "type") == "text" else None
            role = text_at(message, "role") or "no role"
            yield f"{role}: {_block(block) if text is None else text}"
    for name, value in ask.params.items():
        if name not in {"messages", "systemPrompt", "_meta"}:
            yield f"{name}: {dump_text(value)}"


def _block(block: Json) -> str:
    data = text_at(block, "data")
    kind = text_at(block, "mimeType") or text_at(block, "type") or "content"
    return f"[{kind}, {len(data):,} characters of base64]" if data is not None else dump_text(block)


def url_asks(error: Json, capabilities: JsonObject) -> tuple[Ask, ...]:
    """The well-formed requests to visit a URL among the first `_MOST_URLS` requests in error -32042.

    The user must visit the URLs before the server answers the call.
    """
    listed = value_at(error, "data", "elicitations")
    if value_at(error, "code") != URL_REQUIRED or not isinstance(listed, list):
        return ()
    asks = (ask_of(_ELICIT, {"mode": "url", **object_at(each)}, capabilities) for each in listed[:_MOST_URLS])
    return tuple(each for each in asks if isinstance(each, Ask) and each.kind is AskKind.URL)


URL_REQUIRED = -32042
_MOST_URLS = 5
