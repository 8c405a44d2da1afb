"""A browser window with one MCP Apps interface.

The interface is in a sandboxed frame of another origin than the page around it.

Sightline writes the page. No socket serves it: this module answers, passes or fails each request of the
browser before the request leaves. Source: SEP-1865, Sandbox proxy;
https://chromedevtools.github.io/devtools-protocol/, Fetch.
"""

import asyncio
import base64
import contextlib
import html
import json
import os
import secrets
from collections.abc import Callable, Coroutine
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from inspector.apps.interface import AppInterface, content_security_policy, resolver_rules
from inspector.apps.messages import MAX_CHARACTERS, MAX_CHARACTERS_IN_ALL, MAX_MESSAGES
from inspector.connect.tap import Tap
from inspector.errors import UnreachableError
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.json.members import object_at, text_at, value_at
from inspector.protocol.targets import PageTarget
from inspector.safe_text import safe_line
from inspector.webmcp.browser.cdp import Cdp, CdpError, CdpEvent
from inspector.webmcp.browser.chromium import PROXIES, Chromium

OUTER = "https://sightline.invalid"
MAX_GIVEN_BYTES = 8 << 20
"""The maximum size of one message to the interface."""
_MOST_BYTES = 8 << 20
"""The maximum size of one message of the browser.

The longest message that an MCP Apps interface may send takes 6 MB.
"""
_MOST_BYTES_IN_ALL = 128 << 20
"""The maximum size of all messages of the browser together; beyond it, the interface is ended."""
_MOST_EVENTS = 20_000
"""The maximum number of events of the browser; beyond it, the interface is ended."""
_SANDBOX = "allow-scripts allow-same-origin allow-forms"
_FLAGS = (
    "--site-per-process",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--window-size=1000,760",
)
# No document policy applies to WebRTC.
_BEFORE_SCRIPTS = "delete globalThis.RTCPeerConnection; delete globalThis.webkitRTCPeerConnection;"
_LONGEST_REPORT = 400
_FRAMES_ONLY: list[Json] = [{"type": "iframe", "exclude": False}, {"exclude": True}]
_STYLE = (
    "html,body{margin:0;height:100%}body{display:flex;flex-direction:column;font:13px sans-serif}"
    "header{padding:4px 8px;background:#333;color:#fff}iframe{flex:1;border:2px solid #333;border-top:0}"
)


def has_display() -> bool:
    """True if the system can show a window."""
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def has_proxy() -> bool:
    """True if a variable of the environment names a proxy.

    The browser of an MCP Apps interface does not use it.
    """
    return any(os.environ.get(name) for name in PROXIES if name.lower() != "no_proxy")


class AppWindow:
    """A browser that shows one interface. The callbacks run in the event loop, and must return at once."""

    def __init__(
        self,
        interface: AppInterface,
        *,
        is_headed: bool,
        chromium: str | None,
        on_message: Callable[[str], None],
        on_report: Callable[[str], None],
        on_end: Callable[[str], None],
    ) -> None:
        """`on_message`: called with the JSON of a message.

        `on_report`: called with a note, untrusted text, when the browser refuses something. `on_end`: called
        once, with the reason why the interface cannot go on, untrusted text.
        """
        self._interface = interface
        self._on_message = on_message
        self._on_report = on_report
        self._on_end = on_end
        self._inner = f"https://{secrets.token_hex(12)}.app.invalid"
        self._binding = f"b{secrets.token_hex(12)}"
        tap = Tap(lambda _: None)
        target = PageTarget(url="", polyfill=True, is_headed=is_headed, chromium=chromium)
        rules = resolver_rules(interface.reach.origins)
        # A proxy would get the names of hosts that are not declared, for connections that no `Fetch` event
        # announces.
        self._chromium = Chromium(
            target, tap, flags=(*_FLAGS, f"--host-resolver-rules={rules}"), has_proxies=False
        )
        self._cdp = Cdp(
            tap, self._heard, self._end, most_bytes=_MOST_BYTES, most_bytes_in_all=_MOST_BYTES_IN_ALL
        )
        self._pages: dict[str, JsonObject] = {}
        """The pages by URL. Each is served once."""
        self._session = ""
        self._frame = ""
        """The id of the outer page's frame."""
        self._context: int | None = None
        """The execution context of the outer page's scripts."""
        self._loaded = asyncio.Event()
        self._is_there = False
        """True if the interface has been loaded into its frame."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._events = 0
        self._seen: set[str] = set()
        self._has_ended = False
        self._why = ""

    async def open(self, timeout_s: float) -> None:
        """Start the browser and load the interface. Raises UnreachableError.

        Call `close` afterwards in any case.
        """
        self._pages = await asyncio.to_thread(self._written_pages)
        address = await self._chromium.start(timeout_s)
        try:
            async with asyncio.timeout(timeout_s):
                await self._cdp.open(address, timeout_s)
                await self._cdp.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
                await self._cdp.send("Browser.setDownloadBehavior", {"behavior": "deny"})
                await self._allow_local()
                self._frame = await self._first_page()
                attached = await self._cdp.send(
                    "Target.attachToTarget", {"targetId": self._frame, "flatten": True}
                )
                self._session = text_at(attached, "sessionId") or ""
                await self._prepare(self._session)
                await self._cdp.send("Runtime.addBinding", {"name": self._binding}, session=self._session)
                await self._cdp.send("Page.navigate", {"url": f"{OUTER}/"}, session=self._session)
                await self._loaded.wait()
        except TimeoutError as error:
            raise UnreachableError(f"the interface did not load within {timeout_s:g} s") from error
        except (CdpError, OSError) as error:
            raise UnreachableError(f"the browser refused: {error}") from error
        if self._has_ended:
            raise UnreachableError(f"the interface did not load: {self._why}")

    async def give(self, message: JsonObject) -> bool:
        """Send a message to the interface.

        Returns false if the message is too large, or if the interface has ended.
        """
        expression = await asyncio.to_thread(_delivery, message)
        if self._has_ended or not expression:
            return False
        asked: JsonObject = {"expression": expression, "silent": True}
        if self._context is not None:
            asked["contextId"] = self._context
        try:
            # Kept out of frames, because a frame is parsed and the message may be large.
            reply = await self._cdp.send(
                "Runtime.evaluate", asked, session=self._session, is_quiet=True, is_large=True
            )
        except (CdpError, OSError, TimeoutError):
            return False
        return "exceptionDetails" not in reply

    async def close(self) -> None:
        """End the browser and remove its profile."""
        self._has_ended = True
        try:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self._cdp.close()
        finally:
            await self._chromium.close()

    async def _allow_local(self) -> None:
        """Let the interface reach this machine or its network, if it declares an origin there."""
        if not self._interface.reach.is_local:
            return
        # A browser that does not know these permissions answers with an error.
        with contextlib.suppress(CdpError):
            for origin in (OUTER, self._inner):
                asked: JsonObject = {"origin": origin, "permissions": ["loopbackNetwork", "localNetwork"]}
                await self._cdp.send("Browser.grantPermissions", asked)

    async def _first_page(self) -> str:
        listed = (await self._cdp.send("Target.getTargets")).get("targetInfos")
        for each in listed if isinstance(listed, list) else ():
            if text_at(each, "type") == "page":
                return text_at(each, "targetId") or ""
        raise UnreachableError("the browser shows no page")

    async def _prepare(self, session: str) -> None:
        """Watch one frame. Before its scripts run, remove WebRTC, to which no document policy applies."""
        send = self._cdp.send
        asked = [
            send("Page.enable", session=session),
            send("Runtime.enable", session=session),
            send("Log.enable", session=session),
            send("Page.addScriptToEvaluateOnNewDocument", {"source": _BEFORE_SCRIPTS}, session=session),
            send(
                "Target.setAutoAttach",
                {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True, "filter": _FRAMES_ONLY},
                session=session,
            ),
            send("Runtime.runIfWaitingForDebugger", session=session),
        ]
        for result in await asyncio.gather(*asked, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result

    async def _heard(self, event: CdpEvent) -> None:
        """Handle an event of the browser.

        Commands to the browser are sent in tasks, because no event is read until this returns.
        """
        self._events += 1
        if self._events > _MOST_EVENTS:
            self._end("the interface caused too many events in the browser")
        if self._has_ended:
            return
        params = event.params
        match event.method:
            case "Fetch.requestPaused":
                self._start(self._decide(params))
            case "Target.attachedToTarget":
                self._start(self._attach(text_at(params, "sessionId") or ""))
            case "Target.detachedFromTarget" if params.get("sessionId") == self._session:
                self._end("its window was closed")
            case "Inspector.targetCrashed" | "Target.targetCrashed":
                self._end("its page crashed")
            case "Page.frameNavigated":
                self._navigated(object_at(params, "frame"))
            case "Runtime.executionContextCreated" if event.session == self._session:
                self._take_context(object_at(params, "context"))
            case "Runtime.bindingCalled" if event.session == self._session:
                self._called(params)
            # Before the interface has been loaded, Chromium's reports are about the outer page.
            case "Runtime.exceptionThrown" | "Log.entryAdded" if self._is_there:
                self._take_report(params)
            case _:
                pass

    async def _attach(self, session: str) -> None:
        try:
            await self._prepare(session)
        except (CdpError, OSError, TimeoutError) as error:
            # A frame that has ended need not be watched. If another frame cannot be watched, the interface is
            # ended.
            if not (isinstance(error, CdpError) and value_at(error.error, "code") == -32001):
                self._end("one of its frames could not be watched")

    async def _decide(self, params: JsonObject) -> None:
        """Answer a paused request with a page of Sightline, let it pass to a declared origin, or fail it."""
        asked: JsonObject = {"requestId": params.get("requestId")}
        url = text_at(params, "request", "url") or ""
        page = self._pages.pop(url, None)
        try:
            if page is not None:
                await self._cdp.send("Fetch.fulfillRequest", {**asked, **page}, is_quiet=True, is_large=True)
            elif urlsplit(url).scheme in {"http", "https"} and self._interface.reach.allows(url):
                await self._cdp.send("Fetch.continueRequest", asked)
            else:
                if not url.startswith((f"{OUTER}/", f"{self._inner}/")):
                    self._report(f"blocked by Sightline: a request to {url}")
                await self._cdp.send("Fetch.failRequest", {**asked, "errorReason": "BlockedByClient"})
        except (CdpError, OSError, TimeoutError, ValueError):
            # The frame is gone. A request without a decision does not leave.
            return

    def _navigated(self, frame: JsonObject) -> None:
        url = text_at(frame, "url") or ""
        if frame.get("id") == self._frame:
            if self._context is not None and url not in {f"{OUTER}/", "about:blank"}:
                self._end("its window was navigated elsewhere")
        elif frame.get("parentId") == self._frame:
            if url == f"{self._inner}/" and not self._is_there:
                self._is_there = True
                self._loaded.set()
            elif self._is_there or url.startswith("chrome-error:"):
                self._end("it tried to leave its document")

    def _take_context(self, context: JsonObject) -> None:
        number, data = context.get("id"), object_at(context, "auxData")
        if data.get("frameId") == self._frame and data.get("isDefault") is True and isinstance(number, int):
            self._context = number

    def _take_report(self, params: JsonObject) -> None:
        details, entry = object_at(params, "exceptionDetails"), object_at(params, "entry")
        if details:
            thrown = text_at(details, "exception", "description") or text_at(details, "text") or ""
            self._report(f"script error: {thrown}")
        elif entry.get("level") in {"error", "warning"}:
            self._report(f"blocked by the browser: {text_at(entry, 'text') or ''}")

    def _called(self, params: JsonObject) -> None:
        """Handle a call of the binding, the function with which the outer page passes on a message.

        Calls by other scripts are ignored.
        """
        if params.get("name") != self._binding or params.get("executionContextId") != self._context:
            return
        payload = text_at(params, "payload") or ""
        match payload:
            case "!too many":
                self._end(
                    f"it sent more than {MAX_MESSAGES:,} messages or {MAX_CHARACTERS_IN_ALL:,} characters"
                )
            case "!too long":
                self._report(f"left out by Sightline: a message of more than {MAX_CHARACTERS:,} characters")
            case _:
                self._on_message(payload[1:])

    def _report(self, words: str) -> None:
        words = words[:_LONGEST_REPORT]
        # A browser repeats a report if a frame gets another process.
        if words not in self._seen and len(self._seen) < MAX_MESSAGES:
            self._seen.add(words)
            self._on_report(words)

    def _end(self, why: str) -> None:
        if not self._has_ended:
            self._has_ended = True
            self._why = why
            self._loaded.set()
            self._on_end(why)

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            # A request without a decision stays held back.
            self._end(f"it could not be watched ({type(error).__name__}): a defect of Sightline")

    def _written_pages(self) -> dict[str, JsonObject]:
        return {f"{OUTER}/": self._outer_page(), f"{self._inner}/": self._inner_page()}

    def _outer_page(self) -> JsonObject:
        nonce = secrets.token_hex(16)
        options = json.dumps(
            {
                "binding": self._binding,
                "origin": self._inner,
                "most": MAX_MESSAGES,
                "longest": MAX_CHARACTERS,
                "inAll": MAX_CHARACTERS_IN_ALL,
            }
        )
        title = html.escape(f"MCP App {safe_line(self._interface.uri[:200])}, sandboxed by Sightline")
        local = ("local-network", "loopback-network") if self._interface.reach.is_local else ()
        allow = html.escape("; ".join((*self._interface.permissions, *local)), quote=True)
        body = (
            f'<!doctype html><meta charset="utf-8"><title>{title}</title><style nonce="{nonce}">{_STYLE}</style>'
            f'<header>{title}</header><iframe sandbox="{_SANDBOX}" allow="{allow}" referrerpolicy="no-referrer"></iframe>'
            f'<script nonce="{nonce}">{_script()}({options});</script>'
        )
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; frame-src {self._inner}; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        return _page(body, policy)

    def _inner_page(self) -> JsonObject:
        return _page(self._interface.html, content_security_policy(self._interface.reach, OUTER))


def _delivery(message: JsonObject) -> str:
    """The script that gives a message to the interface; empty if the message is too large."""
    text = dump_text(message)
    is_large = len(text) > MAX_GIVEN_BYTES or len(text.encode("utf-8", "replace")) > MAX_GIVEN_BYTES
    return "" if is_large else f"deliver({json.dumps(text)})"


@cache
def _script() -> str:
    lines = (Path(__file__).parent / "host.js").read_text("utf-8").split("\n")
    return "\n".join(line for line in lines if not line.lstrip().startswith("//")).strip()


def _page(body: str, policy: str) -> JsonObject:
    headers = {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": policy,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
    return {
        "responseCode": 200,
        "responseHeaders": [{"name": name, "value": value} for name, value in headers.items()],
        "body": base64.b64encode(body.encode("utf-8", "replace")).decode("ascii"),
    }
