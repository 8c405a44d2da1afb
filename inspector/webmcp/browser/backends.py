"""Who runs a page's tools: the browser itself, or the polyfill in the page."""

import json
import secrets
from typing import Protocol

from inspector.json.exact import Json, JsonObject, JsonText, dump_text, parse
from inspector.protocol.page import Document
from inspector.webmcp.browser.cdp import Cdp, CdpEvent
from inspector.webmcp.browser.worlds import Worlds
from inspector.webmcp.tree import Tree

COMMAND_TIMEOUT_S = 5.0
CANCEL_TIMEOUT_S = 2.0


class Backend(Protocol):
    """Starts and cancels invocations; answers come as events."""

    fills_at_once: bool
    """Whether a form is filled in when `invoke` returns; else `WebMCP.toolInvoked` says so."""

    async def invoke(
        self, frame_id: str, session: str, tool: JsonObject, arguments: JsonObject, *, timeout_s: float
    ) -> str:
        """Start one; its number. `tool`: the member that names it. Raises CdpError, CdpLostError, TimeoutError."""
        ...

    async def cancel(self, frame_id: str, session: str, invocation: str) -> None:
        """Cancel one. Raises as `invoke` does."""
        ...


class NativeBackend:
    """The browser's WebMCP domain."""

    fills_at_once = False

    def __init__(self, cdp: Cdp) -> None:
        self._cdp = cdp

    async def invoke(
        self, frame_id: str, session: str, tool: JsonObject, arguments: JsonObject, *, timeout_s: float
    ) -> str:
        """Start one; see `Backend`."""
        params: JsonObject = {"frameId": frame_id, **tool, "input": arguments}
        reply = await self._cdp.send("WebMCP.invokeTool", params, session=session, timeout_s=timeout_s)
        return str(reply.get("invocationId", ""))

    async def cancel(self, frame_id: str, session: str, invocation: str) -> None:
        """Cancel one; see `Backend`."""
        _ = frame_id
        await self._cdp.send(
            "WebMCP.cancelInvocation",
            {"invocationId": invocation},
            session=session,
            timeout_s=CANCEL_TIMEOUT_S,
        )


class PolyfillBackend:
    """Our own polyfill, spoken to from our own world of each frame. polyfill.js describes what is said."""

    fills_at_once = True

    def __init__(self, worlds: Worlds, tree: Tree) -> None:
        self._worlds = worlds
        self._tree = tree
        self.binding = f"p{secrets.token_hex(12)}"
        """The name that the polyfill answers under."""
        self.channel = f"c{secrets.token_hex(12)}"
        """The type of event that it listens for."""
        self.link = f"l{secrets.token_hex(12)}"
        """What the polyfills of a page's frames know each other's messages by."""
        self._count = 0
        self._left: dict[str, str] = {}
        """The invocations of forms that led to another document, by frame."""

    async def watch(self, document: Document, session: str) -> None:
        """Ask for the tools of a document now, and again after every change; for the answer of a form that led here.

        Raises as `invoke` does.
        """
        await self._command(document, session, {"command": "watch", "id": "list"})
        invocation = self._left.pop(document.frame_id, None)
        if invocation is not None:
            await self._command(document, session, {"command": "arrive", "id": invocation})

    def left(self, frame_id: str, invocation: str) -> None:
        """A form was submitted, and what it leads to answers the invocation."""
        self._left[frame_id] = invocation

    async def invoke(
        self, frame_id: str, session: str, tool: JsonObject, arguments: JsonObject, *, timeout_s: float
    ) -> str:
        """Start one; see `Backend`."""
        _ = timeout_s
        self._count += 1
        invocation = f"call-{self._count}"
        document = self._tree.document(frame_id)
        if document is not None:
            name, given = tool.get("toolName"), dump_text(arguments)
            command: JsonObject = {"command": "invoke", "id": invocation, "name": name, "input": given}
            await self._command(document, session, command)
        return invocation

    async def cancel(self, frame_id: str, session: str, invocation: str) -> None:
        """Cancel one; see `Backend`."""
        document = self._tree.document(frame_id)
        if document is not None:
            await self._command(document, session, {"command": "cancel", "id": invocation})

    def heard(self, event: CdpEvent) -> JsonObject | None:
        """What the polyfill of a frame says, with the frame's id as `frameId`; None where it is none of its own."""
        if event.params.get("name") != self.binding:
            return None
        number, payload = event.params.get("executionContextId"), event.params.get("payload")
        frame_id = self._tree.frame_of(event.session, number) if isinstance(number, int) else None
        read = parse(payload) if isinstance(payload, str) else None
        if frame_id is None or not isinstance(read, JsonText) or not isinstance(read.value, dict):
            return None
        return {**read.value, "frameId": frame_id}

    async def _command(self, document: Document, session: str, command: JsonObject) -> Json:
        detail = json.dumps(dump_text(command))
        event = f"new CustomEvent({json.dumps(self.channel)}, {{ detail: {detail} }})"
        return await self._worlds.evaluate(
            document, session, f"document.dispatchEvent({event})", timeout_s=COMMAND_TIMEOUT_S
        )
