"""Redemption in a page: the browser fetches a secret in the frame that registered the tool.

The fetch runs in an isolated world of that frame.

The browser sends its cookies and enforces the origin. The page's scripts see nothing of the fetch, even if
they replace `fetch`. Neither request nor answer becomes a frame of the wire. Source: docs/secrets.md; WebMCP
issue 110, section 4a.
"""

import asyncio
import base64
import binascii
import json
from typing import Protocol

from inspector.boundary.secret_references import SecretReference
from inspector.json.exact import Json
from inspector.protocol.page import PageDocument
from inspector.secrets.http import EXPIRED, TIME_LIMIT_S
from inspector.secrets.outcomes import (
    BUSY,
    MAX_BODY_BYTES,
    Cause,
    Expired,
    ExpiredBy,
    Failed,
    Head,
    Outcome,
    Revealed,
    of_body,
    of_head,
)
from inspector.urls.host import RefusedUrl
from inspector.urls.origin import Allowed, resolve
from inspector.webmcp.browser.cdp import CdpError
from inspector.webmcp.browser.worlds import WorldError

_GONE = RefusedUrl(
    reason="the frame that registered the tool shows another document now, or is gone",
    hint="Open the page again, then call the tool again.",
)
_UNKNOWN = RefusedUrl(
    reason="the frame whose tool returned the reference is not known",
    hint="Wait until the tool is listed, then call it again.",
)

# The reader stops at the limit, whatever length the server announces. A redirect has a report of its own,
# because its response is opaque and has no status. It is not followed.
_FETCH = """(async () => {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), %(limit_ms)d);
  try {
    const answer = await fetch(%(url)s, {
      method: "GET", mode: "same-origin", credentials: "same-origin", redirect: "manual", cache: "no-store",
      referrerPolicy: "no-referrer", headers: { Accept: "application/json" }, signal: controller.signal,
    });
    if (answer.type === "opaqueredirect") return { redirect: true };
    const head = {};
    for (const name of ["content-type", "content-length", "cache-control", "retry-after"]) {
      head[name] = answer.headers.get(name);
    }
    let text = "", size = 0;
    const reader = answer.status === 200 && answer.body ? answer.body.getReader() : null;
    while (reader) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > %(limit)d) { await reader.cancel(); break; }
      for (let at = 0; at < value.length; at += 8192) text += String.fromCharCode(...value.subarray(at, at + 8192));
    }
    return { status: answer.status, head, size, body: size > %(limit)d ? "" : btoa(text) };
  } catch (error) {
    return { failed: controller.signal.aborted ? "timeout" : "network" };
  } finally {
    clearTimeout(timer);
  }
})()"""


class Page(Protocol):
    """The parts of a page connection that redemption needs."""

    def shows(self, document: PageDocument) -> bool: ...

    async def evaluate_quietly(self, document: PageDocument, expression: str, *, timeout_s: float) -> Json:
        """Evaluate an expression in an isolated world of a document. Request and reply do not become frames."""
        ...

    def now_s(self) -> float: ...


class PageRedeemer:
    """Fetches secrets for the tools of one document, one reference at a time (a `Redeemer`)."""

    def __init__(
        self, page: Page, document: PageDocument | None, *, time_limit_s: float = TIME_LIMIT_S
    ) -> None:
        self._page = page
        self._document = document
        self._time_limit_s = time_limit_s
        self._is_busy = False

    def preview(self, reference: SecretReference) -> Allowed | RefusedUrl:
        if self._document is None:
            return _UNKNOWN
        if not self._page.shows(self._document):
            return _GONE
        # Addresses such as blob: and about: have no origin to compare a URL with.
        return resolve(reference.redeem_url, self._document.url)

    async def redeem(
        self, reference: SecretReference, *, received_s: float, revealed_before: bool = False
    ) -> Outcome:
        request = self.preview(reference)
        if isinstance(request, RefusedUrl) or self._document is None:
            return request if isinstance(request, RefusedUrl) else _UNKNOWN
        if self._is_busy:
            return BUSY
        if reference.is_over(received_s=received_s, now_s=self._page.now_s()):
            return EXPIRED
        self._is_busy = True
        try:
            answered = await self._fetched(self._document, request)
            outcome = _judged(answered, revealed_before=revealed_before)
        except TimeoutError:
            return Failed(cause=Cause.TIMEOUT)
        except (CdpError, WorldError, OSError):
            return Failed(cause=Cause.CONNECTION) if self._page.shows(self._document) else _GONE
        except Exception:  # noqa: BLE001 - the exception's text could quote the request or the answer
            return Failed(cause=Cause.INTERNAL)
        finally:
            self._is_busy = False
        # A secret that arrives late is not shown.
        is_late = reference.is_over(received_s=received_s, now_s=self._page.now_s())
        return Expired(by=ExpiredBy.TTL) if isinstance(outcome, Revealed) and is_late else outcome

    async def _fetched(self, document: PageDocument, request: Allowed) -> Json:
        expression = _FETCH % {
            "url": json.dumps(request.url),
            "limit": MAX_BODY_BYTES,
            "limit_ms": int(self._time_limit_s * 1000),
        }
        async with asyncio.timeout(self._time_limit_s):
            return await self._page.evaluate_quietly(document, expression, timeout_s=self._time_limit_s)


def _judged(answered: Json, *, revealed_before: bool) -> Outcome:
    match answered:
        case {"redirect": True}:
            return Failed(cause=Cause.REDIRECT)
        case {"failed": "timeout"}:
            return Failed(cause=Cause.TIMEOUT)
        case {"status": int(status), "head": dict() as fields, "size": int(size), "body": str(body)}:
            head = Head(
                status=status,
                content_type=_text(fields.get("content-type")),
                content_length=_text(fields.get("content-length")),
                cache_control=_text(fields.get("cache-control")),
                retry_after=_text(fields.get("retry-after")),
            )
            outcome = of_head(head, revealed_before=revealed_before)
            if outcome is not None:
                return outcome
            if size > MAX_BODY_BYTES:
                return Failed(cause=Cause.TOO_LARGE)
            try:
                return of_body(head, base64.b64decode(body, validate=True))
            except binascii.Error:
                return Failed(cause=Cause.MALFORMED)
        case _:
            return Failed(cause=Cause.CONNECTION)


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
