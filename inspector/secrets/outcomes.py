"""The outcomes of a redemption (the request for a secret), and how they follow from an HTTP response.

Source: WebMCP issue 110, section 4a; RFC 9110 and 9111 for the header fields. Free text of the server has no
influence.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias, assert_never

from msgspec import Struct

from inspector.boundary.secret_references import SecretReference
from inspector.json.exact import DuplicateKeys, Json, JsonText, parse
from inspector.urls.host import RefusedUrl
from inspector.urls.origin import Allowed

MAX_RETRY_AFTER_S = 366 * 86_400

_SECONDS = re.compile(r"[0-9]{1,8}")
_DATE = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-3][0-9] (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
    r" [0-9]{4} [0-2][0-9]:[0-5][0-9]:[0-6][0-9] GMT"
)


class RedemptionFault(StrEnum):
    """A fault in a response that nevertheless contains the secret."""

    MAY_BE_STORED = "the answer lacks Cache-Control: no-store, so caches on the way may keep the secret"


class ExpiredBy(StrEnum):
    """How Sightline knows that a secret reference has expired."""

    TTL = "its time has run out"
    SERVER = "the server says that it is gone: used, perhaps by someone else, or revoked"


class Cause(StrEnum):
    """The reasons why a redemption failed."""

    TIMEOUT = "the server did not answer in time"
    TOO_LARGE = "the answer is larger than 64 KiB"
    REDIRECT = "the server answered with a redirect, which is not followed"
    STATUS = "the server answered with an unexpected status"
    CONTENT_TYPE = "the answer is not declared as JSON"
    COMPRESSED = "the answer is compressed, although the request asked for no compression"
    MALFORMED = "the answer is not a JSON object with one string `value` and no duplicate key"
    NO_NAME = "the server's name could not be resolved"
    CERTIFICATE = "the server's certificate is not valid for its name, or not trusted"
    CONNECTION = "the connection failed or broke"
    PROTOCOL = "the answer is not HTTP, or is incomplete"
    INTERNAL = "internal error in Sightline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revealed:
    """The secret was returned."""

    value: str = field(repr=False)
    faults: tuple[RedemptionFault, ...] = ()


class Expired(Struct, frozen=True, kw_only=True):
    """The secret reference has expired."""

    by: ExpiredBy


class AlreadyUsed(Struct, frozen=True, kw_only=True):
    """The server has already returned the secret to this session, and does not return it again."""


class Denied(Struct, frozen=True, kw_only=True):
    """The server rejects the credentials."""

    status: int
    """401 or 403."""


class NotFound(Struct, frozen=True, kw_only=True):
    """The server has no secret at the URL of the reference."""


class RateLimited(Struct, frozen=True, kw_only=True):
    """The server limits the number of tries."""

    retry_after_s: int | None = None
    """The seconds to wait before the next try; None if the server names none."""
    retry_at: str | None = None
    """The time of the next try, as an HTTP date in GMT; None if the server names none."""


class Failed(Struct, frozen=True, kw_only=True):
    """There was no response, or an invalid one."""

    cause: Cause
    status: int | None = None
    """The HTTP status, if the cause is about it; otherwise None."""


Outcome: TypeAlias = Revealed | Expired | AlreadyUsed | Denied | NotFound | RateLimited | RefusedUrl | Failed


BUSY = RefusedUrl(reason="another redemption is running", hint="Wait for it to end.")


class OutcomeWords(Struct, frozen=True, kw_only=True):
    """An outcome as safe text for the user, without the value."""

    state: str
    """The kind of the outcome in one or two words, such as `already used`."""
    why: str
    """Why the redemption ended so, in one sentence."""
    next: str
    """An action for the user."""


def of_status(
    status: int, *, retry_after: str | None = None, revealed_before: bool = False
) -> Outcome | None:
    """The outcome for a status; None for 200, for which the body decides.

    `revealed_before`: whether this session already had the secret from this reference. Servers answer 410,
    404 or 409 alike for used, expired and unknown references; only the session knows that it used one.
    """
    match status:
        case 200:
            return None
        case 401 | 403:
            return Denied(status=status)
        case 404 | 409 | 410 if revealed_before:
            return AlreadyUsed()
        case 404:
            return NotFound()
        case 410:
            return Expired(by=ExpiredBy.SERVER)
        case 429:
            return _rate_limited(retry_after)
        case _ if 300 <= status < 400:
            return Failed(cause=Cause.REDIRECT, status=status)
        case _:
            return Failed(cause=Cause.STATUS, status=status)


def words(outcome: Outcome) -> OutcomeWords:
    """What the screen says about an outcome: its name, the reason, and what the user can do."""
    match outcome:
        case Revealed():
            why = "; ".join(outcome.faults) or "the server returned it"
            return _words("fetched", why, "Show it for 10 s, or forget it.")
        case Expired(by=ExpiredBy.TTL):
            return _words("expired", outcome.by, "Call the tool again for a new reference.")
        case Expired():
            advice = "Call the tool again for a new reference; if no one else should have used this one, revoke the secret."
            return _words("expired", outcome.by, advice)
        case AlreadyUsed():
            why = "it can be fetched only once, and this session has fetched it"
            return _words("already used", why, "Call the tool again for a new reference.")
        case Denied():
            why = f"the server rejects the credentials (status {outcome.status})"
            return _words("denied", why, "Check the credentials of this connection and their permissions.")
        case NotFound():
            return _words(
                "not found",
                "the server does not know this secret",
                "Call the tool again for a new reference.",
            )
        case RateLimited():
            return _words(
                "rate limited", "the server limits the number of tries", f"Try again {_when(outcome)}."
            )
        case RefusedUrl():
            return _words(
                "refused", outcome.reason, outcome.hint or "It cannot be redeemed; nothing was sent."
            )
        case Failed():
            status = "" if outcome.status is None else f" (status {outcome.status})"
            return _words("failed", f"{outcome.cause}{status}", _advice(outcome.cause))
        case _:
            assert_never(outcome)


def logged(outcome: Outcome | None) -> tuple[str, str]:
    """The state of an outcome and its reason, for the timeline and for files.

    `outcome`: None if the user cancelled the redemption. Neither text quotes the server or the reference.
    """
    match outcome:
        case None:
            return "cancelled", "the server may have received the request"
        case RefusedUrl():
            return words(outcome).state, "nothing was sent"
        case Revealed(faults=()):
            return words(outcome).state, ""
        case _:
            said = words(outcome)
            return said.state, f"{said.why[:1].lower()}{said.why[1:].removesuffix('.')}"


def _words(state: str, why: str, after: str) -> OutcomeWords:
    return OutcomeWords(state=state, why=f"{why[:1].upper()}{why[1:]}.", next=after)


def _when(outcome: RateLimited) -> str:
    if outcome.retry_after_s is not None:
        return f"in {outcome.retry_after_s:,} s"
    return f"after {outcome.retry_at}" if outcome.retry_at else "later"


def _advice(cause: Cause) -> str:
    match cause:
        case Cause.TIMEOUT | Cause.CONNECTION | Cause.NO_NAME | Cause.INTERNAL:
            return "Try again; if this try used up the reference, call the tool again."
        case Cause.CERTIFICATE:
            return "The server's certificate has to be fixed; nothing was sent."
        case _:
            return "The server has to be fixed; this try may have used up a one-time reference."


def _rate_limited(retry_after: str | None) -> RateLimited:
    written = (retry_after or "").strip(" \t")
    if _SECONDS.fullmatch(written) and int(written) <= MAX_RETRY_AFTER_S:
        return RateLimited(retry_after_s=int(written))
    return RateLimited(retry_at=written if _DATE.fullmatch(written) else None)


MAX_BODY_BYTES = 64 * 1024

_JSON = re.compile(r"application/(?:[a-z0-9!#$&^_.+-]+\+)?json[ \t]*(?:;.*)?", re.IGNORECASE | re.DOTALL)
_LENGTH = re.compile(r"[0-9]{1,18}")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Head(Struct, frozen=True, kw_only=True):
    """Status and header fields of a response; repeated fields are joined with `, `."""

    status: int
    content_type: str | None = None
    content_encoding: str | None = None
    content_length: str | None = None
    cache_control: str | None = None
    retry_after: str | None = None


def of_head(head: Head, *, revealed_before: bool = False) -> Outcome | None:
    """The outcome that follows from status and header fields; None if the body has to be read."""
    outcome = of_status(head.status, retry_after=head.retry_after, revealed_before=revealed_before)
    if outcome is not None:
        return outcome
    if (head.content_encoding or "identity").strip(" \t").lower() != "identity":
        return Failed(cause=Cause.COMPRESSED)
    if not _JSON.fullmatch((head.content_type or "").strip(" \t")):
        return Failed(cause=Cause.CONTENT_TYPE)
    length = head.content_length
    if length is not None and (not _LENGTH.fullmatch(length) or int(length) > MAX_BODY_BYTES):
        return Failed(cause=Cause.TOO_LARGE)
    return None


def of_body(head: Head, body: bytes) -> Revealed | Failed:
    """The outcome of a whole body. Never raises; a failure quotes nothing of the body."""
    if len(body) > MAX_BODY_BYTES:
        return Failed(cause=Cause.TOO_LARGE)
    read = parse(body)
    # Replacing invalid UTF-8 would change the secret.
    if not isinstance(read, JsonText) or read.faults or not isinstance(read.value, dict):
        return Failed(cause=Cause.MALFORMED)
    value = read.value.get("value")
    if not isinstance(value, str) or _SURROGATE.search(value) or _names_a_key_twice(read.value):
        return Failed(cause=Cause.MALFORMED)
    faults = () if _is_never_stored(head.cache_control) else (RedemptionFault.MAY_BE_STORED,)
    return Revealed(value=value, faults=faults)


def _is_never_stored(cache_control: str | None) -> bool:
    directives = (cache_control or "").lower().split(",")
    return any(directive.partition("=")[0].strip(" \t") == "no-store" for directive in directives)


def _names_a_key_twice(value: Json) -> bool:
    stack = [value]
    while stack:
        match stack.pop():
            case DuplicateKeys():
                return True
            case dict() as item:
                stack.extend(item.values())
            case list() as item:
                stack.extend(item)
            case _:
                pass
    return False


class Redeemer(Protocol):
    """Redeems references for one connection, one at a time, when the user asks for it."""

    def preview(self, reference: SecretReference) -> Allowed | RefusedUrl:
        """The request that `redeem` would send, for the user's confirmation. Sends nothing."""
        ...

    async def redeem(
        self, reference: SecretReference, *, received_s: float, revealed_before: bool = False
    ) -> Outcome:
        """Send one request. Raises only CancelledError. Only a returned `Revealed` contains the secret.

        `received_s`: the time when the reference arrived, on the redeemer's monotonic clock.
        `revealed_before`: whether this session already had the secret from this reference.
        """
        ...
