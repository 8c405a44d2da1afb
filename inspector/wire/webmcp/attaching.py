"""Attaching to a tab and to every frame of it, before any script of the page runs where that can be."""

import asyncio
import contextlib
import secrets
from collections.abc import Coroutine, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.core.json_text import Json, JsonObject
from inspector.errors import UnreachableError
from inspector.wire.cdp import Cdp, CdpError

if TYPE_CHECKING:
    from inspector.wire.webmcp.backends import PolyfillBackend

NO_WEBMCP = "Start Chromium 150 or later with --enable-features=WebMCP, or leave out --cdp."
_FRAMES_ONLY: list[Json] = [{"type": "iframe", "exclude": False}, {"exclude": True}]
_HERE = Path(__file__).parent


class Attachment:
    """What is put into every frame, under names that no page can guess."""

    def __init__(self, cdp: Cdp) -> None:
        self._cdp = cdp
        self.polyfill: PolyfillBackend | None = None
        """What gives the page an API where its browser has none; None where the browser has one."""
        self.binding = f"b{secrets.token_hex(12)}"
        """The name that the hook reports under. No script of the page ever finds it."""
        self.script = f"s{secrets.token_hex(12)}"
        """The name of our script in stacks."""
        self.has_native = True
        """Whether the browser has the WebMCP domain."""

    async def prepare(self, session: str) -> None:
        """Watch one session: its frames, contexts, tools, and the sessions of frames in other processes.

        Raises CdpError, CdpLostError, TimeoutError. All requests leave at once; the answers may come in any order.
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
            send(
                "Target.setAutoAttach",
                {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True, "filter": _FRAMES_ONLY},
                session=session,
            ),
        ]
        try:
            await _all(asked)
        finally:
            # A frame that was held for us must not wait for ever.
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

    def _bindings(self) -> list[str]:
        return [self.binding, *([self.polyfill.binding] if self.polyfill else [])]

    def _sources(self) -> list[str]:
        hook = (
            f'({packaged_script("hook.js")})("{self.binding}", "{self.script}");\n//# sourceURL={self.script}'
        )
        if self.polyfill is None:
            return [hook]
        host = f'({packaged_script("polyfill_host.js")})("{self.polyfill.binding}")'
        names = f'const sightlineHost = ["{self.polyfill.channel}", {host}];'
        return [f"{{ {names}\n{packaged_script('polyfill.js')}\n}}", hook]


async def _all(asked: Sequence[Coroutine[object, object, JsonObject]]) -> None:
    """Wait for all answers; raise the first that is an error."""
    for result in await asyncio.gather(*asked, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result


@cache
def packaged_script(name: str) -> str:
    """A script that ships with this package, without the comments before it. Raises UnreachableError."""
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
