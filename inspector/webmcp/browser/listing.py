"""Lists the tools of a page, from the tree of frames and from the answers of each document."""

import asyncio
import contextlib

from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Catalogue
from inspector.protocol.page import PageDocument
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
"""The words for each `blockReason` of the browser."""


class PageListing:
    """Lists tools. Asks each document for its tools again only if they have changed."""

    def __init__(self, cdp: Cdp, tree: Tree, worlds: Worlds, attachment: Attachment) -> None:
        self._cdp = cdp
        self._tree = tree
        self._worlds = worlds
        self._attachment = attachment
        self._agents: dict[str, tuple[int, dict[str, Json]]] = {}
        """The answers of `getTools()` by frame, each with the revision of the frame's tools."""

    async def catalogue(self) -> Catalogue:
        agents: dict[str, dict[str, Json]] = {}
        for document in self._tree.documents:
            frame_id = document.frame_id
            if self._tree.is_refused(frame_id) and document.policy is None:
                session = self._tree.session_of(frame_id) or self._attachment.session
                await self._ask_policy(document, session)
            if self._tree.offers(frame_id):
                agents[document.frame_id] = await self._agents_in(document)
        snapshot = self._tree.snapshot(agents)
        return await asyncio.to_thread(catalogue_of, snapshot, self._attachment.script)

    async def obstacles(self, frame_id: str) -> list[str]:
        """The reasons why a frame's document is unlikely to offer tools; empty if unknown.

        The reasons are clauses that quote untrusted text.
        """
        document = self._tree.document(frame_id)
        if document is None:
            return []
        session = self._tree.session_of(frame_id) or self._attachment.session
        reasons: list[str] = []
        with contextlib.suppress(WorldError, CdpError, OSError, TimeoutError):
            match await self._worlds.evaluate(document, session, _ANSWER, timeout_s=ASK_TIMEOUT_S):
                case [str(content_type), int(status)]:
                    if status >= 400:
                        reasons.append(f"its server answered with HTTP status {status}")
                    if content_type not in _WITH_SCRIPTS:
                        reasons.append(f"the address returns {content_type}, which is not a page")
                case _:
                    pass
        if document.policy is None:
            await self._ask_policy(document, session)
            document = self._tree.document(frame_id) or document
        if document.is_permitted is False:
            by = document.policy.blocked_by if document.policy else None
            reasons.append(f"its permissions policy forbids `{_PERMISSION}`{_BLOCKED.get(by or '', '')}")
        return reasons

    async def _agents_in(self, document: PageDocument) -> dict[str, Json]:
        revision = self._tree.revision(document.frame_id)
        known = self._agents.get(document.frame_id)
        if known is not None and known[0] == revision:
            return known[1]
        session = self._tree.session_of(document.frame_id) or self._attachment.session
        if document.policy is None:
            await self._ask_policy(document, session)
        agents = await self._worlds.agents(document, session)
        self._agents[document.frame_id] = (revision, agents)
        return agents

    async def _ask_policy(self, document: PageDocument, session: str) -> None:
        """Ask whether the document may offer tools, and ask for the policy of its frame's element.

        Stores both in the tree.
        """
        is_permitted, blocked_by = document.is_permitted, None
        if is_permitted is None:
            state = await self._permission(document, session)
            allowed, locator = state.get("allowed"), state.get("locator")
            is_permitted = allowed if isinstance(allowed, bool) else None
            blocked_by = locator.get("blockReason") if isinstance(locator, dict) else None
        element = await self._element(document)
        policy = policy_of(element, blocked_by) if element is not None or is_permitted is not None else None
        self._tree.permit(document.frame_id, is_permitted=is_permitted, policy=policy)

    async def _permission(self, document: PageDocument, session: str) -> JsonObject:
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

    async def _element(self, document: PageDocument) -> Json:
        """The HTML element that holds the frame of a document, as a `DOM.Node` of the parent document.

        None for the page itself, or if the element is unknown.
        """
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
