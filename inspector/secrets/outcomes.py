"""How a redemption ends: a closed set, with words for the user.

Source: WebMCP issue 110, section 4a. A server's prose is never read for it.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias, assert_never

from inspector.boundary.secret_references import SecretReference
from inspector.json.exact import DuplicateKeys, Json, JsonText, parse
from inspector.urls.origin import Allowed
from inspector.urls.refused import Refused

MAX_RETRY_AFTER_S = 366 * 86_400

_SECONDS = re.compile(r"[0-9]{1,8}")
_DATE = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-3][0-9] (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
    r" [0-9]{4} [0-2][0-9]:[0-5][0-9]:[0-6][0-9] GMT"
)


class Finding(StrEnum):
    """What is wrong with an answer that gave the secret all the same."""

    MAY_BE_STORED = "the answer lacks Cache-Control: no-store, so caches on the way may keep the secret"


class ExpiredBy(StrEnum):
    """Who says that a reference has expired."""

    TTL = "its time has run out"
    SERVER = "the server says that it is gone: used up, perhaps by somebody else, or withdrawn"


class Cause(StrEnum):
    """Why a redemption failed, in words for the user."""

    TIMEOUT = "the server did not answer in time"
    TOO_LARGE = "the answer is larger than 64 KiB"
    REDIRECT = "the server answered with a redirect, which is not followed"
    STATUS = "the server answered with a status that redemption does not know"
    CONTENT_TYPE = "the answer is not declared as JSON"
    COMPRESSED = "the answer is compressed, though that was ruled out"
    MALFORMED = "the answer is no JSON object with one text `value` and no key named twice"
    NO_NAME = "the server's name could not be resolved"
    CERTIFICATE = "the server's certificate is not valid for its name, or not trusted"
    CONNECTION = "the connection could not be made, or broke"
    PROTOCOL = "the answer is no HTTP, or stops in the middle"
    INTERNAL = "something unforeseen went wrong here"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revealed:
    """The secret is here."""

    value: str = field(repr=False)
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """Its time is over."""

    by: ExpiredBy


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyUsed:
    """The server gave it once, to this session, and does not give it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """The server does not accept who asks."""

    status: int
    """401 or 403."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFound:
    """The server knows no such secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimited:
    """The server wants fewer tries."""

    retry_after_s: int | None = None
    """None where it names no number of seconds."""
    retry_at: str | None = None
    """An HTTP date in GMT, where it names one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """There was no answer, or none that can be trusted."""

    cause: Cause
    status: int | None = None
    """Where a status is the cause, or part of it."""


Outcome: TypeAlias = Revealed | Expired | AlreadyUsed | Denied | NotFound | RateLimited | Refused | Failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """An outcome for the user, in safe text without the value."""

    state: str
    """One or two words."""
    why: str
    """One sentence."""
    next: str
    """What the user can do."""


def of_status(
    status: int, *, retry_after: str | None = None, revealed_before: bool = False
) -> Outcome | None:
    """What a status means; None for 200, where the body decides.

    `revealed_before`: whether this session has had the secret from this reference. A server says 410, 404 or
    409 alike for used up, expired and unknown; that we used it up, we know ourselves.
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


def words(outcome: Outcome) -> Words:
    """An outcome as the user reads it."""
    match outcome:
        case Revealed():
            why = "; ".join(outcome.findings) or "the server handed it out"
            return _words("revealed", why, "Peek at it, or forget it.")
        case Expired(by=ExpiredBy.TTL):
            return _words("expired", outcome.by, "Call the tool again for a new reference.")
        case Expired():
            advice = "Call the tool again for a new reference; if nobody should have used this one, revoke the secret."
            return _words("expired", outcome.by, advice)
        case AlreadyUsed():
            why = "it can be revealed once, and this session has revealed it"
            return _words("already used", why, "Call the tool again for a new reference.")
        case Denied():
            why = f"the server does not accept who asks (status {outcome.status})"
            return _words("denied", why, "Check the credentials of this connection, and what they permit.")
        case NotFound():
            return _words(
                "not found", "the server knows no such secret", "Call the tool again for a new reference."
            )
        case RateLimited():
            return _words("rate limited", "the server wants fewer tries", f"Try again {_when(outcome)}.")
        case Refused():
            return _words(
                "refused", outcome.reason, outcome.hint or "It cannot be redeemed; nothing was sent."
            )
        case Failed():
            status = "" if outcome.status is None else f" (status {outcome.status})"
            return _words("failed", f"{outcome.cause}{status}", _advice(outcome.cause))
        case _:
            assert_never(outcome)


def _words(state: str, why: str, after: str) -> Words:
    return Words(state=state, why=f"{why[:1].upper()}{why[1:]}.", next=after)


def _when(outcome: RateLimited) -> str:
    if outcome.retry_after_s is not None:
        return f"in {outcome.retry_after_s:,} s"
    return f"after {outcome.retry_at}" if outcome.retry_at else "later"


def _advice(cause: Cause) -> str:
    match cause:
        case Cause.TIMEOUT | Cause.CONNECTION | Cause.NO_NAME | Cause.INTERNAL:
            return "Try again; if the server has used the reference up meanwhile, call the tool again."
        case Cause.CERTIFICATE:
            return "Have the certificate put right; nothing was sent."
        case _:
            return "The server has to be put right; a one-time reference may be used up by this try."


def _rate_limited(retry_after: str | None) -> RateLimited:
    written = (retry_after or "").strip(" \t")
    if _SECONDS.fullmatch(written) and int(written) <= MAX_RETRY_AFTER_S:
        return RateLimited(retry_after_s=int(written))
    return RateLimited(retry_at=written if _DATE.fullmatch(written) else None)


MAX_BODY_BYTES = 64 * 1024

_JSON = re.compile(r"application/(?:[a-z0-9!#$&^_.+-]+\+)?json[ \t]*(?:;.*)?", re.IGNORECASE | re.DOTALL)
_LENGTH = re.compile(r"[0-9]{1,18}")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Status and header fields of an answer; a field that occurs more than once is joined with `, `."""

    status: int
    content_type: str | None = None
    content_encoding: str | None = None
    content_length: str | None = None
    cache_control: str | None = None
    retry_after: str | None = None


def of_head(head: Head, *, revealed_before: bool = False) -> Outcome | None:
    """The outcome, where it is settled without the body; None where the body is to be read."""
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
    """The secret in a whole body. Never raises; what fails quotes nothing of the body."""
    if len(body) > MAX_BODY_BYTES:
        return Failed(cause=Cause.TOO_LARGE)
    read = parse(body)
    # A byte that is no UTF-8 would be replaced: the value would not be the secret.
    if not isinstance(read, JsonText) or read.faults or not isinstance(read.value, dict):
        return Failed(cause=Cause.MALFORMED)
    value = read.value.get("value")
    if not isinstance(value, str) or _SURROGATE.search(value) or _names_a_key_twice(read.value):
        return Failed(cause=Cause.MALFORMED)
    findings = () if _is_never_stored(head.cache_control) else (Finding.MAY_BE_STORED,)
    return Revealed(value=value, findings=findings)


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
    """Redeems for one connection, one reference at a time, and only when the user says so."""

    def preview(self, reference: SecretReference) -> Allowed | Refused:
        """The request that `redeem` would send, to be shown before the user agrees. Sends nothing."""
        ...

    async def redeem(
        self, reference: SecretReference, *, received_s: float, revealed_before: bool = False
    ) -> Outcome:
        """One try. Never raises but for cancellation; of what it leaves, only `Revealed` holds the value.

        `received_s`: when the reference arrived, on the redeemer's own monotonic clock.
        `revealed_before`: whether this session has had the secret from this reference.
        """
        ...
