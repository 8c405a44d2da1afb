"""How a call ended: with a result, with a JSON-RPC error, or without an answer."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from inspector.json.exact import Json

METHOD_NOT_FOUND = -32601


class FailureKind(StrEnum):
    """Why there was no answer. Protocol facts only: a server's words are never read for this."""

    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    CONNECTION_LOST = "connection_lost"
    HTTP_STATUS = "http_status"
    PROTOCOL = "protocol"
    SESSION_ENDED = "session_ended"
    """The server does not know the session any more. It did not execute the request."""
    UNSUBMITTED = "unsubmitted"
    """A form of a page was filled in, and nobody submitted it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The `result` member of the answer, any JSON value, as it stood on the wire."""

    value: Json
    of_page: bool = field(default=False, compare=False)
    """Whether a page's tool returned it: then no member of it belongs to the protocol."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RpcError:
    """The `error` member of the answer: normally an object of code, message and data."""

    value: Json

    @property
    def is_method_not_found(self) -> bool:
        """Whether it says that the server has no such method."""
        return isinstance(self.value, dict) and self.value.get("code") == METHOD_NOT_FOUND


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """No answer came."""

    kind: FailureKind
    detail: str
    """For the user. May quote foreign text."""
    http_status: int | None = None


Outcome: TypeAlias = Result | RpcError | Failure
