"""Attaches to a tab and all its frames, and injects scripts before any script of the page runs.

There are two scripts. The hook reports the tools that the page declares. The polyfill offers the WebMCP API
if the browser does not.
"""

import asyncio
import contextlib
import secrets
from collections.abc import Coroutine, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.errors import UnreachableError
from inspector.json.exact import Json, JsonObject
from inspector.webmcp.browser.cdp import REPLY_TIMEOUT_S, Cdp, CdpError

if TYPE_CHECKING:
    from inspector.webmcp.browser.calls import PolyfillBackend

_HERE = Path(__file__).parent
_PARTS = ("reading", "forms", "frames")


def hook_script(binding: str, script: str, proof: str) -> str:
    """The source of the hook, which reports the page's declarations.

    `binding`: the name of the function that the hook calls with each report. `script`: the hook's name in
    stack traces. `proof`: the secret in each report, which shows that the report is from the hook.
    """
    return f'({_packaged("hook.js")})("{binding}", "{script}", "{proof}");\n//# sourceURL={script}'


def polyfill_script(host: "tuple[str, str, str] | None" = None) -> str:
    """The source of the polyfill, which provides the WebMCP API in a browser that lacks it.

    `host`: `channel`, `link` and `binding` of a `PolyfillBackend`; None if only the page itself calls tools.
    """
    parts = [f"{name}: {_packaged(f'polyfill_{name}.js')}" for name in _PARTS]
    if host is not None:
        channel, link, binding = host
        parts += [f'channel: "{channel}"', f'link: "{link}"']
        parts.append(f'host: ({_packaged("polyfill_host.js")})("{binding}")')
    return f"{{ const sightline = {{ {', '.join(parts)} }};\n{_packaged('polyfill.js')}\n}}"


@cache
def _packaged(name: str) -> str:
    """A packaged script without its leading comments. Raises UnreachableError if it is missing."""
    try:
        text = (_HERE / name).read_text("utf-8")
    except OSError as error:
        raise UnreachableError(
            f"{name} is missing from the installation", "Install Sightline again."
        ) from error
    lines = text.split("\n")
    while lines and lines[0].startswith("//"):
        lines.pop(0)
    return "\n".join(lines).strip()


NO_WEBMCP = "Start Chromium 150 or later with --enable-features=WebMCP, or leave out --cdp."
_FRAMES_ONLY: list[Json] = [{"type": "iframe", "exclude": False}, {"exclude": True}]


class Attachment:
    """A tab, and the scripts that are injected into all its frames under names that a page cannot guess."""

    def __init__(self, cdp: Cdp) -> None:
        self._cdp = cdp
        self.polyfill: PolyfillBackend | None = None
        """The polyfill that provides the WebMCP API; None if the page uses the browser's own API."""
        self.binding = f"b{secrets.token_hex(12)}"
        """The name of the function that the hook reports to. It is random, so that no page can guess it."""
        self.script = f"s{secrets.token_hex(12)}"
        """The name of the hook's script in stack traces."""
        self.proof = secrets.token_hex(12)
        """The hook's secret in each report, unknown to a page that finds the binding."""
        self.watches_network = False
        """True if the network requests and the service workers of the page are counted.

        The events about requests and workers must not become frames of the wire: see `Cdp.hide`.
        """
        self.session = ""
        """The id of the tab's DevTools session; empty while Sightline is not attached to the tab."""
        self.has_native = True
        """True if the browser has the WebMCP domain of the DevTools protocol; only valid after `prepare`."""

    async def attach(self, target_id: str) -> None:
        attached = await self._cdp.send("Target.attachToTarget", {"targetId": target_id, "flatten": True})
        self.session = str(attached.get("sessionId", ""))
        await self.prepare(self.session)

    async def detach(self, timeout_s: float = REPLY_TIMEOUT_S) -> None:
        # Cleared first: the detachment must not count as the loss of the page.
        session, self.session = self.session, ""
        await self._cdp.send("Target.detachFromTarget", {"sessionId": session}, timeout_s=timeout_s)

    async def prepare(self, session: str) -> None:
        """Enable the events of one session, and inject the scripts. Sends all requests at once.

        The events are about tools, execution contexts, and frames, including frames in other processes.
        Raises CdpError, CdpLostError, TimeoutError.
        """
        send = self._cdp.send
        asked = [
            send("Page.enable", session=session),
            send("Runtime.enable", session=session),
            send("Inspector.enable", session=session),
            *(send("Runtime.addBinding", {"name": name}, session=session) for name in self._bindings()),
            *(
                send(
                    "Page.addScriptToEvaluateOnNewDocument",
                    {"source": source, "runImmediately": False},
                    session=session,
                )
                for source in self._sources()
            ),
            self._enable_tools(session),
            *(self._watch_network(session) if self.watches_network else ()),
            send(
                "Target.setAutoAttach",
                {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True, "filter": _FRAMES_ONLY},
                session=session,
            ),
        ]
        try:
            await _all(asked)
        finally:
            # A frame that waits for the debugger must always be released.
            with contextlib.suppress(CdpError, OSError, TimeoutError):
                await send("Runtime.runIfWaitingForDebugger", session=session)

    async def _enable_tools(self, session: str) -> JsonObject:
        try:
            return await self._cdp.send("WebMCP.enable", session=session)
        except CdpError as error:
            if not error.is_unknown_method:
                raise
            self.has_native = False
            return {}

    def _watch_network(self, session: str) -> list[Coroutine[object, object, JsonObject]]:
        # The browser need not keep the bodies of responses, because Sightline does not read them.
        sizes: JsonObject = {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}
        return [self._cdp.send("Network.enable", sizes, session=session), self._enable_workers(session)]

    async def _enable_workers(self, session: str) -> JsonObject:
        # The session of a frame in another process may not have this domain.
        try:
            return await self._cdp.send("ServiceWorker.enable", session=session)
        except CdpError:
            return {}

    def _bindings(self) -> list[str]:
        return [self.binding, *([self.polyfill.binding] if self.polyfill else [])]

    def _sources(self) -> list[str]:
        hook = hook_script(self.binding, self.script, self.proof)
        if self.polyfill is None:
            return [hook]
        known = (self.polyfill.channel, self.polyfill.link, self.polyfill.binding)
        return [polyfill_script(known), hook]


async def _all(asked: Sequence[Coroutine[object, object, JsonObject]]) -> None:
    for result in await asyncio.gather(*asked, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result
