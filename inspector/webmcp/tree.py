"""The frames of a page and their tools, built from the browser's events."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.json.exact import Json, JsonObject
from inspector.protocol.page import FramePolicy, PageDocument
from inspector.webmcp.catalogue import Offers, SourcedTool
from inspector.webmcp.events import Declaration, Refusal, ToolKey, document_of, frames_in, report_in, tools_in

MAX_WAITING = 20_000
"""The maximum number of declarations of one frame that wait for their registration; more are ignored."""
MAX_REFUSALS = 200
"""The maximum number of refusals kept of one frame; more are ignored."""


class TreeChange(Struct, frozen=True, kw_only=True):
    """What one event of the browser changed in the tree."""

    tools: bool = False
    """True if the catalogue changed."""
    gone: frozenset[str] = frozenset()
    """The ids of frames whose document is gone, by navigation, by removal, or because its process ended."""


_NOTHING = TreeChange()


class Tree:
    """The documents of one tab, in all processes. Each process has its own protocol session."""

    def __init__(self, binding: str, proof: str) -> None:
        """`binding`: the name of the function that the hook calls with each report.

        `proof`: the secret that the hook puts in each report.
        """
        self._binding = binding
        self._proof = proof
        self._documents: dict[str, PageDocument] = {}
        self._sessions: dict[str, str] = {}
        self._places: dict[str, tuple[str, int]] = {}
        """By frame id, the id of the parent frame, and the child number of the frame, from 1."""
        self._children: dict[str, int] = {}
        """By frame id, how many child frames the frame's document has had. Child numbers are not reused."""
        self._contexts: dict[tuple[str, int], str] = {}
        self._offers: dict[str, dict[ToolKey, SourcedTool]] = {}
        self._waiting: dict[str, dict[str, Declaration]] = {}
        self._refusals: dict[str, list[Refusal]] = {}
        self._revisions: dict[str, int] = {}
        self._script_sessions: dict[str, str] = {}
        """By frame id, the DevTools session in which a frame runs scripts, also for frames without a document."""

    @property
    def documents(self) -> Sequence[PageDocument]:
        """The documents, in the order in which the browser reports them: usually parents before children."""
        return tuple(self._documents.values())

    def document(self, frame_id: str) -> PageDocument | None:
        return self._documents.get(frame_id)

    def session_of(self, frame_id: str) -> str | None:
        return self._sessions.get(frame_id)

    @property
    def sessions(self) -> frozenset[str]:
        return frozenset(self._sessions.values())

    def frame_of(self, session: str, context: int) -> str | None:
        """The frame of an execution context of the page's scripts; None if unknown."""
        return self._contexts.get((session, context))

    def revision(self, frame_id: str) -> int:
        """A number that changes whenever the tools of the frame change."""
        return self._revisions.get(frame_id, 0)

    def permit(self, frame_id: str, *, is_permitted: bool | None, policy: FramePolicy | None = None) -> None:
        """Store whether the document of a frame may offer tools, and the policy of the frame.

        `is_permitted`: None if the browser does not say. `policy`: None to keep the stored policy.
        """
        known = self._documents.get(frame_id)
        if known is not None:
            self._documents[frame_id] = replace(
                known, is_permitted=is_permitted, policy=policy or known.policy
            )

    def is_refused(self, frame_id: str) -> bool:
        return bool(self._refusals.get(frame_id))

    def offers(self, frame_id: str) -> tuple[SourcedTool, ...]:
        """The tools of a frame, in order of registration."""
        return tuple(self._offers.get(frame_id, {}).values())

    def snapshot(self, agents: dict[str, dict[str, Json]]) -> tuple[Offers, ...]:
        """All documents with tools or refused tools.

        `agents`: the tools that `getTools()` returned, by frame and name.
        """
        return tuple(
            Offers(
                document=document,
                offers=self.offers(frame_id),
                agents=agents.get(frame_id, {}),
                refusals=tuple(self._refusals.get(frame_id, ())),
                position=self._position(document),
            )
            for frame_id, document in self._documents.items()
            if self._offers.get(frame_id) or self._refusals.get(frame_id)
        )

    def _position(self, document: PageDocument) -> tuple[int, ...]:
        """The position of a document's frame, as in `Offers.position`."""
        numbers: list[int] = []
        seen: set[str] = set()
        frame_id = document.frame_id
        while (place := self._place_of(frame_id)) is not None and frame_id not in seen:
            seen.add(frame_id)
            frame_id, number = place
            numbers.append(number)
        return tuple(reversed(numbers))

    def _place_of(self, frame_id: str) -> tuple[str, int] | None:
        """The parent of a frame, and the frame's child number; None for the page itself."""
        known = self._places.get(frame_id)
        document = self._documents.get(frame_id)
        if known is not None or document is None or document.parent_id is None:
            return known
        # Frames in other processes that existed before the connection have no reported number: they come
        # last.
        parent_id = document.parent_id
        others = sorted(
            (other.url, other.frame_id)
            for other in self._documents.values()
            if other.parent_id == parent_id and other.frame_id not in self._places
        )
        return parent_id, self._children.get(parent_id, 0) + 1 + others.index((document.url, frame_id))

    def _attached(self, frame_id: Json, parent_id: Json) -> None:
        if isinstance(frame_id, str) and isinstance(parent_id, str) and frame_id not in self._places:
            number = self._children[parent_id] = self._children.get(parent_id, 0) + 1
            self._places[frame_id] = (parent_id, number)

    def adopt(self, session: str, tree: Json) -> None:
        """Add the documents of a `Page.FrameTree` that loaded before Sightline attached.

        What these documents declared was not observed.
        """
        for index, frame in enumerate(frames_in(tree)):
            document = document_of(frame, is_observed=False)
            if document is not None and document.frame_id not in self._documents:
                self._documents[document.frame_id] = document
                self._sessions[document.frame_id] = session
                # The tree of a frame in its own process does not name the parent.
                if index:
                    self._attached(document.frame_id, document.parent_id)

    def replace_tools(self, session: str, frame_id: str, tools: Json) -> TreeChange:
        items = tools if isinstance(tools, list) else []
        params: JsonObject = {
            "tools": [{**item, "frameId": frame_id} for item in items if isinstance(item, dict)]
        }
        before = self._offers.get(frame_id, {})
        self._offers[frame_id] = {}
        self._added(session, params)
        for key, offer in self._offers[frame_id].items():
            known = before.get(key)
            if known is not None and offer.declaration is None:
                self._offers[frame_id][key] = replace(offer, declaration=known.declaration)
        self._count(frame_id)
        return TreeChange(tools=True)

    def take(self, session: str, method: str, params: JsonObject) -> TreeChange:
        """Apply one event. Never raises, whatever the browser sends."""
        match method:
            case "Page.frameNavigated":
                return self._navigated(session, params)
            case "Page.frameAttached":
                self._attached(params.get("frameId"), params.get("parentFrameId"))
                return _NOTHING
            case "Page.frameDetached":
                frame_id = params.get("frameId")
                # A frame that moves to another process is not gone: the session of that process reports it.
                if not isinstance(frame_id, str) or params.get("reason") == "swap":
                    return _NOTHING
                self._places.pop(frame_id, None)
                return self._drop([frame_id])
            case "Page.navigatedWithinDocument":
                self._moved(params)
                return _NOTHING
            case "Target.detachedFromTarget":
                return self._detached(params.get("sessionId"))
            case "WebMCP.toolsAdded":
                return self._added(session, params)
            case "WebMCP.toolsRemoved":
                return self._removed(params)
            case _:
                return self._take_runtime(session, method, params)

    def _take_runtime(self, session: str, method: str, params: JsonObject) -> TreeChange:
        match method, params:
            case (
                "Runtime.executionContextCreated",
                {"context": {"id": int(number), "auxData": {"isDefault": True, "frameId": str(frame_id)}}},
            ):
                self._contexts[session, number] = frame_id
                self._script_sessions[frame_id] = session
            case "Runtime.executionContextDestroyed", {"executionContextId": int(number)}:
                self._contexts.pop((session, number), None)
            case "Runtime.executionContextsCleared", _:
                self._contexts = {key: frame for key, frame in self._contexts.items() if key[0] != session}
            case (
                "Runtime.bindingCalled",
                {"name": str(name), "payload": str(payload), "executionContextId": int(number)},
            ) if name == self._binding:
                return self._reported(self._contexts.get((session, number)), payload)
            case _:
                pass
        return _NOTHING

    def _reported(self, frame_id: str | None, payload: str) -> TreeChange:
        if frame_id is None:
            return _NOTHING
        report = report_in(payload, self._proof)
        match report:
            case None:
                self._false_report(frame_id)
            case Refusal():
                return self._refused(frame_id, report)
            case declarations:
                self._declared(frame_id, declarations)
        return _NOTHING

    def _refused(self, frame_id: str, refusal: Refusal) -> TreeChange:
        known = self._refusals.setdefault(frame_id, [])
        if len(known) >= MAX_REFUSALS or refusal in known:
            return _NOTHING
        known.append(refusal)
        return TreeChange(tools=True)

    def _declared(self, frame_id: str, declarations: Sequence[Declaration]) -> None:
        waiting = self._waiting.setdefault(frame_id, {})
        for declaration in declarations:
            # The last declaration counts: each is reported before its registration succeeds or fails.
            if len(waiting) < MAX_WAITING or declaration.name in waiting:
                waiting[declaration.name] = declaration

    def _false_report(self, frame_id: str) -> None:
        document = self._documents.get(frame_id)
        if document is not None:
            self._documents[frame_id] = replace(document, false_reports=document.false_reports + 1)

    def _navigated(self, session: str, params: JsonObject) -> TreeChange:
        document = document_of(params.get("frame"), is_observed=True)
        if document is None:
            return _NOTHING
        had = bool(self._offers.get(document.frame_id))
        change = self._drop([document.frame_id])
        self._children.pop(document.frame_id, None)
        self._places = {
            child: place for child, place in self._places.items() if place[0] != document.frame_id
        }
        self._documents[document.frame_id] = document
        self._sessions[document.frame_id] = session
        return replace(change, tools=had)

    def _moved(self, params: JsonObject) -> None:
        frame_id, url = params.get("frameId"), params.get("url")
        document = self._documents.get(frame_id) if isinstance(frame_id, str) else None
        if document is not None and isinstance(url, str):
            self._documents[document.frame_id] = replace(document, url=url)

    def _detached(self, session: Json) -> TreeChange:
        self._contexts = {key: frame for key, frame in self._contexts.items() if key[0] != session}
        return self._drop([frame for frame, owner in self._sessions.items() if owner == session])

    def _drop(self, frame_ids: list[str]) -> TreeChange:
        gone: set[str] = set()
        had = False
        for frame_id in frame_ids:
            if self._documents.pop(frame_id, None) is not None:
                gone.add(frame_id)
            self._sessions.pop(frame_id, None)
            had = bool(self._offers.pop(frame_id, None)) or had
            self._waiting.pop(frame_id, None)
            had = bool(self._refusals.pop(frame_id, None)) or had
            self._script_sessions.pop(frame_id, None)
            self._count(frame_id)
        return TreeChange(tools=had, gone=frozenset(gone))

    def _added(self, session: str, params: JsonObject) -> TreeChange:
        added = False
        for kept in tools_in(params):
            frame_id = kept.key.frame_id
            declaration = None
            if not kept.is_declarative:
                declaration = self._waited(session, kept.key)
            self._offers.setdefault(frame_id, {})[kept.key] = SourcedTool(kept=kept, declaration=declaration)
            self._count(frame_id)
            added = True
        return TreeChange(tools=added)

    def _waited(self, session: str, key: ToolKey) -> Declaration | None:
        """The declaration that preceded the registration of the tool `key`; None if there was none."""
        declaration = self._waiting.get(key.frame_id, {}).pop(key.name, None)
        if declaration is not None:
            return declaration
        # A page can register a tool with the `registerTool` of another frame. Then the hook of that frame
        # reports the declaration.
        for frame_id, waiting in self._waiting.items():
            if key.name in waiting and self._script_sessions.get(frame_id) == session:
                return waiting.pop(key.name)
        return None

    def _removed(self, params: JsonObject) -> TreeChange:
        removed = False
        for gone in tools_in(params):
            if self._offers.get(gone.key.frame_id, {}).pop(gone.key, None) is not None:
                self._count(gone.key.frame_id)
                removed = True
        return TreeChange(tools=removed)

    def _count(self, frame_id: str) -> None:
        self._revisions[frame_id] = self._revisions.get(frame_id, 0) + 1
