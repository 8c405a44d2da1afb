"""The polyfill in a page, and a host that talks to it from an isolated world."""

import json
from collections.abc import Callable

from inspector.json.exact import Json, JsonObject
from inspector.webmcp.browser.attachment import polyfill_script
from tests.webmcp.polyfill.browser import Page

BINDING, CHANNEL, LINK = "b0123456789", "c0123456789", "l0123456789"


def polyfill(page: Page, *, host: bool = False) -> None:
    """Add the polyfill to every document that the page opens from now on."""
    page.send("Page.enable")
    page.send("Runtime.enable")
    if host:
        page.send("Runtime.addBinding", name=BINDING)
    source = polyfill_script((CHANNEL, LINK, BINDING) if host else None)
    page.send("Page.addScriptToEvaluateOnNewDocument", source=source)


def command(page: Page, world: Json, **content: Json) -> None:
    """Send one command from an isolated world."""
    event = f"new CustomEvent({json.dumps(CHANNEL)}, {{ detail: {json.dumps(json.dumps(content))} }})"
    page.evaluate(f"document.dispatchEvent({event})", world)


def answer(page: Page, matches: Callable[[JsonObject], bool]) -> JsonObject:
    """The first matching report, which may have arrived before."""

    def is_it(params: JsonObject) -> bool:
        return params["name"] == BINDING and matches(json.loads(str(params["payload"])))

    return json.loads(str(page.wait_for("Runtime.bindingCalled", is_it)["payload"]))
