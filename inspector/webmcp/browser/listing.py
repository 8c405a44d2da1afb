"""The catalogue of a page: its tools from the tree, and what is asked of each document beside them."""

import asyncio
import contextlib

from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Catalogue
from inspector.protocol.page import Document
from inspector.webmcp.browser.attachment import Attachment
from inspector.webmcp.browser.cdp import Cdp, CdpError
from inspector.webmcp.browser.worlds import WorldError, Worlds
from inspector.webmcp.catalogue import catalogue_of
from inspector.webmcp.events import policy_of
from inspector.webmcp.tree import Tree

ASK_TIMEOUT_S = 5.0

_PERMISSION = "tools"
_WITH_SCRIPTS = frozenset(
    {"text/html", "application/xhtml+xml", "image/svg+xml", "application/xml", "text/xml"}
)
_ANSWER = """[document.contentType, performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0]"""

_BLOCKED = {
    "Header": ", by the header Permissions-Policy of its server",
    "IframeAttribute": ", by the element that holds it",
}
"""The browser's words for who forbids."""


class Listing:
    """Asks each document once for each state of its tools."""

    def __init__(self, cdp: Cdp, tree: Tree, worlds: Worlds, attachment: Attachment) -> None:
        self._cdp = cdp
        self._tree = tree
        self._worlds = worlds
        self._attachment = attachment
        self._agents: dict[str, tuple[int, dict[str, Json]]] = {}
        """What `getTools()` said, by frame, with the revision of its tools."""

    async def catalogue(self) -> Catalogue:
        """All tools of all documents, as they are now."""
        told: dict[str, dict[str, Json]] = {}
        for document in self._tree.documents:
            frame_id = document.frame_id
            if self._tree.is_refused(frame_id) and document.policy is None:
                session = self._tree.session_of(frame_id) or self._attachment.session
                await self._ask_policy(document, session)
            if self._tree.offers(frame_id):
                told[document.frame_id] = await self._told(document)
        snapshot = self._tree.snapshot(told)
        return await asyncio.to_thread(catalogue_of, snapshot, self._attachment.script)

    async def obstacles(self, frame_id: str) -> list[str]:
        """Why the document of a frame cannot be expected to offer tools, in clauses; none where nothing is known.

        They quote foreign text.
        """
        document = self._tree.document(frame_id)
        if document is None:
            return []
        session = self._tree.session_of(frame_id) or self._attachment.session
        found: list[str] = []
        with contextlib.suppress(WorldError, CdpError, OSError, TimeoutError):
            match await self._worlds.evaluate(document, session, _ANSWER, timeout_s=ASK_TIMEOUT_S):
                case [str(content_type), int(status)]:
                    if status >= 400:
                        found.append(f"its server answered with HTTP status {status}")
                    if content_type not in _WITH_SCRIPTS:
                        found.append(f"the address leads to {content_type}, which is no page")
                case _:
                    pass
        if document.policy is None:
            await self._ask_policy(document, session)
            document = self._tree.document(frame_id) or document
        if document.is_permitted is False:
            by = document.policy.blocked_by if document.policy else None
            found.append(f"its permissions policy forbids `{_PERMISSION}`{_BLOCKED.get(by or '', '')}")
        return found

    async def _told(self, document: Document) -> dict[str, Json]:
        """What `getTools()` says in a document."""
        revision = self._tree.revision(document.frame_id)
        known = self._agents.get(document.frame_id)
        if known is not None and known[0] == revision:
            return known[1]
        session = self._tree.session_of(document.frame_id) or self._attachment.session
        if document.policy is None:
            await self._ask_policy(document, session)
        told = await self._worlds.agents(document, session)
        self._agents[document.frame_id] = (revision, told)
        return told

    async def _ask_policy(self, document: Document, session: str) -> None:
        """Whether the document may offer tools, and what its frame's element says of that."""
        is_permitted, blocked_by = document.is_permitted, None
        if is_permitted is None:
            state = await self._permission(document, session)
            allowed, locator = state.get("allowed"), state.get("locator")
            is_permitted = allowed if isinstance(allowed, bool) else None
            blocked_by = locator.get("blockReason") if isinstance(locator, dict) else None
        element = await self._element(document)
        policy = policy_of(element, blocked_by) if element is not None or is_permitted is not None else None
        self._tree.permit(document.frame_id, is_permitted=is_permitted, policy=policy)

    async def _permission(self, document: Document, session: str) -> JsonObject:
        with contextlib.suppress(CdpError, OSError, TimeoutError):
            reply = await self._cdp.send(
                "Page.getPermissionsPolicyState",
                {"frameId": document.frame_id},
                session=session,
                timeout_s=ASK_TIMEOUT_S,
            )
            states = reply.get("states")
            for state in states if isinstance(states, list) else ():
                if isinstance(state, dict) and state.get("feature") == _PERMISSION:
                    return state
        return {}

    async def _element(self, document: Document) -> Json:
        """The element of a frame, from the document around it; None for the page itself, or where it is not told."""
        if document.parent_id is None:
            return None
        session = self._tree.session_of(document.parent_id) or self._attachment.session
        with contextlib.suppress(CdpError, OSError, TimeoutError):
            owner = await self._cdp.send(
                "DOM.getFrameOwner", {"frameId": document.frame_id}, session=session, timeout_s=ASK_TIMEOUT_S
            )
            described = await self._cdp.send(
                "DOM.describeNode",
                {"backendNodeId": owner.get("backendNodeId")},
                session=session,
                timeout_s=ASK_TIMEOUT_S,
            )
            return described.get("node")
        return None
