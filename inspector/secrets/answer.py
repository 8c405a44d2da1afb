"""What the redemption endpoint answered: judged before a byte of the body is read, and then with it.

Source: WebMCP issue 110, section 4a; RFC 9110 and 9111 for the header fields.
"""

import re
from dataclasses import dataclass

from inspector.json.exact import DuplicateKeys, Json, JsonText, parse
from inspector.secrets.states import Cause, Failed, Finding, Outcome, Revealed, of_status

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
