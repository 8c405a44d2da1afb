"""Isolated worlds, in which Sightline's JavaScript uses a frame's document apart from the page's scripts."""

import json
from collections.abc import Callable

from msgspec import Struct

from inspector.json.exact import Json, JsonObject
from inspector.protocol.frames import Frame
from inspector.protocol.page import PageDocument
from inspector.webmcp.browser.cdp import Cdp, CdpError

TOOLS_TIMEOUT_S = 5.0

_TOOLS = """(async () => {
  const context = document.modelContext ?? navigator.modelContext;
  if (typeof context?.getTools !== "function") return [];
  const tools = [];
  for (const tool of await context.getTools()) {
    if ("window" in tool && tool.window !== window) continue;
    const shown = {};
    for (const key in tool) if (key !== "window") shown[key] = tool[key];
    tools.push(shown);
  }
  return tools;
})()"""


_SUBMIT = """function () {
  const { checkValidity, requestSubmit } = HTMLFormElement.prototype;
  // A field of the form may be called `elements`.
  const { get } = Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, "elements");
  if (!this.hasAttribute("novalidate") && !checkValidity.call(this)) return "required fields are empty or invalid";
  const buttons = [...get.call(this)].filter((field) => ["submit", "image"].includes(field.type) && !field.disabled);
  requestSubmit.call(this, buttons[0] ?? null);
  return "";
}"""


class WorldError(Exception):
    """A script in an isolated world threw, or returned no usable value. The message quotes nothing of the page."""


class _World(Struct, frozen=True, kw_only=True):
    loader_id: str
    context: int


class Worlds:
    """One isolated world per document, created on demand."""

    def __init__(self, cdp: Cdp) -> None:
        self._cdp = cdp
        self._made: dict[str, _World] = {}

    async def evaluate(
        self,
        document: PageDocument,
        session: str,
        expression: str,
        *,
        timeout_s: float,
        is_quiet: bool = False,
        on_sent: Callable[[Frame], None] | None = None,
    ) -> Json:
        """Evaluate an expression, await its promise, and return the value as JSON.

        `is_quiet`, `on_sent`: as for `Cdp.send`. Raises WorldError, CdpError, CdpLostError, TimeoutError.
        """
        context = await self._context(document, session)
        result = await self._cdp.send(
            "Runtime.evaluate",
            {
                "expression": expression,
                "contextId": context,
                "awaitPromise": True,
                "returnByValue": True,
                "silent": True,
            },
            session=session,
            timeout_s=timeout_s,
            is_quiet=is_quiet,
            on_sent=on_sent,
        )
        return value_of(result)

    async def submit(self, document: PageDocument, session: str, *, node: int | None, name: str) -> str:
        """Submit a form as its first submit button does.

        Returns the reason why that failed; empty on success.

        `node`: the browser's id of the form; None to find the form by `name`. Raises as `evaluate` does.
        """
        if node is None:
            form = f"document.querySelector('form[toolname=' + JSON.stringify({json.dumps(name)}) + ']')"
            expression = f"(({_SUBMIT})).call({form})"
            return _text(await self.evaluate(document, session, expression, timeout_s=TOOLS_TIMEOUT_S))
        context = await self._context(document, session)
        asked: JsonObject = {"backendNodeId": node, "executionContextId": context}
        resolved = (await self._cdp.send("DOM.resolveNode", asked, session=session)).get("object")
        if not isinstance(resolved, dict):
            raise WorldError("the form is gone")
        calling: JsonObject = {
            "functionDeclaration": _SUBMIT,
            "objectId": resolved.get("objectId"),
            "returnByValue": True,
            "silent": True,
        }
        return _text(value_of(await self._cdp.send("Runtime.callFunctionOn", calling, session=session)))

    async def agents(self, document: PageDocument, session: str) -> dict[str, Json]:
        """The tools that `getTools()` returns in the document, by name; empty on failure."""
        try:
            tools = await self.evaluate(document, session, _TOOLS, timeout_s=TOOLS_TIMEOUT_S)
        except (WorldError, CdpError, OSError, TimeoutError):
            return {}
        named: dict[str, Json] = {}
        for tool in tools if isinstance(tools, list) else ():
            name = tool.get("name") if isinstance(tool, dict) else None
            if isinstance(name, str):
                named[name] = tool
        return named

    async def _context(self, document: PageDocument, session: str) -> int:
        made = self._made.get(document.frame_id)
        if made is not None and made.loader_id == document.loader_id:
            return made.context
        reply = await self._cdp.send(
            "Page.createIsolatedWorld",
            {"frameId": document.frame_id, "worldName": "sightline", "grantUniveralAccess": False},
            session=session,
        )
        context = reply.get("executionContextId")
        if not isinstance(context, int):
            raise WorldError("the browser did not create an isolated world")
        self._made[document.frame_id] = _World(loader_id=document.loader_id, context=context)
        return context


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def value_of(result: JsonObject) -> Json:
    """The value in a reply to `Runtime.evaluate` or `Runtime.callFunctionOn`.

    Raises WorldError if the script threw.
    """
    if "exceptionDetails" in result:
        raise WorldError("the script threw")
    value = result.get("result")
    return value.get("value") if isinstance(value, dict) else None
