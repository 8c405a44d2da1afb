"""Which tab: the one that our own browser opens with, or one of a browser that runs already."""

import asyncio
import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit, urlunsplit

from inspector.errors import UnreachableError, UsageError
from inspector.json.exact import Json, JsonObject, JsonText, parse
from inspector.protocol.targets import PageTarget
from inspector.urls.host import is_on_this_machine
from inspector.webmcp.browser.cdp import Cdp

_HINT = (
    "Start the browser with --remote-debugging-port=9222 and its own --user-data-dir, and give that address."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """One page of a browser."""

    target_id: str
    is_ours: bool
    """Whether we opened it, and so close it."""
    is_empty: bool
    """Whether it has to be sent to the target's address."""


async def debugging_address(cdp: str, timeout_s: float) -> str:
    """The WebSocket address of a running browser. Raises UsageError, UnreachableError."""
    parts = urlsplit(cdp)
    if parts.scheme not in {"http", "https", "ws", "wss"} or not parts.hostname:
        raise UsageError(f"--cdp {cdp}: no address of a browser", "Write it as --cdp http://127.0.0.1:9222")
    if not is_on_this_machine(parts.hostname):
        raise UsageError(
            f"--cdp {cdp}: the browser is on another machine", "Forward its port, as with ssh -L."
        )
    if parts.scheme in {"ws", "wss"}:
        return cdp
    said = await asyncio.to_thread(_version, urlunsplit((*parts[:2], "/json/version", "", "")), timeout_s)
    address = said.get("webSocketDebuggerUrl")
    if not isinstance(address, str):
        raise UnreachableError(f"{cdp} names no debugging address", _HINT)
    # A browser behind a forwarded port names the address that it has on its own side.
    return urlunsplit(("ws", parts.netloc, urlsplit(address).path, "", ""))


def _version(url: str, timeout_s: float) -> JsonObject:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=timeout_s) as answer:
            read = parse(cast("bytes", answer.read(1 << 16)))
    except (OSError, urllib.error.URLError, ValueError, json.JSONDecodeError) as error:
        raise UnreachableError(f"no browser answers at {url}: {error}", _HINT) from error
    return read.value if isinstance(read, JsonText) and isinstance(read.value, dict) else {}


async def choose(cdp: Cdp, target: PageTarget) -> Tab:
    """The tab to look at. In a browser that runs already: the one that shows the address, or a new one.

    Raises UsageError where no address is given and there is not just one page.
    """
    pages = [page for page in await _pages(cdp) if page.get("type") == "page"]
    if target.cdp is None:
        if not pages:
            return await _opened(cdp)
        return Tab(target_id=_id(pages[0]), is_ours=True, is_empty=True)
    if not target.url:
        if len(pages) == 1:
            return Tab(target_id=_id(pages[0]), is_ours=False, is_empty=False)
        urls = "\n".join(f"  web+{page.get('url')}" for page in pages[:20])
        raise UsageError(f"the browser shows {len(pages)} pages:\n{urls}", "Name one of them.")
    shown = [page for page in pages if _bare(page.get("url")) == _bare(target.url)]
    exact = [page for page in shown if page.get("url") == target.url]
    if exact or shown:
        return Tab(target_id=_id((exact or shown)[0]), is_ours=False, is_empty=False)
    return await _opened(cdp)


async def _pages(cdp: Cdp) -> list[JsonObject]:
    found = (await cdp.send("Target.getTargets")).get("targetInfos")
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


async def _opened(cdp: Cdp) -> Tab:
    # In the background: what the user looks at stays in front.
    made = await cdp.send("Target.createTarget", {"url": "about:blank", "background": True})
    return Tab(target_id=_id(made), is_ours=True, is_empty=True)


def _id(value: JsonObject) -> str:
    return str(value.get("targetId", ""))


def _bare(url: Json) -> str:
    """An address without its fragment, and with a path."""
    if not isinstance(url, str):
        return ""
    bare = url.partition("#")[0]
    return f"{bare}/" if urlsplit(bare).path == "" else bare
