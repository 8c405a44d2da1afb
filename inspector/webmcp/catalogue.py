"""Builds the catalogue of a page: for each tool, what the page declared, the browser kept, and agents see.

Claims and the boundary read one joined definition. Declarations of the page and of the browser count, because
what the browser dropped still says how the page wants results to be treated. Sources:
docs/decisions/0006-pages.md; WebMCP draft, sections 3 and 4.2;
https://w3c.github.io/webappsec-secure-contexts/#is-origin-trustworthy.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from inspector.json.exact import DuplicateKeys, Json, JsonObject, equal
from inspector.json.pointer import child
from inspector.protocol.catalogue import Catalogue, Kind, Tool
from inspector.protocol.page import Evidence, Exposure, PageDocument, PageFacts, Reach, RefusedTool, ToolKind
from inspector.urls.host import is_on_this_machine
from inspector.urls.origin import Origin, origin_of
from inspector.webmcp.events import Declaration, KeptTool, Refusal, as_json, place_of, registered_at

MAX_NAME_CHARACTERS = 128

_DRAFT_NAME = re.compile(r"[A-Za-z0-9_.-]*", re.ASCII)


def faults_of(name: Json, description: Json) -> tuple[str, ...]:
    """How a name and a description break the rules of the WebMCP draft, in sentences that quote neither."""
    faults: list[str] = []
    if not isinstance(name, str) or not name:
        faults.append("The name is empty.")
    else:
        if len(name) > MAX_NAME_CHARACTERS:
            faults.append(f"The name is longer than {MAX_NAME_CHARACTERS} characters.")
        if not _DRAFT_NAME.fullmatch(name):
            faults.append("The name holds characters other than ASCII letters, digits, `_`, `-` and `.`.")
    if not isinstance(description, str) or not description:
        faults.append("The description is empty.")
    return tuple(faults)


_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):", re.ASCII)
_ENCRYPTED = frozenset({"https", "wss"})
_WITH_ORIGIN = frozenset({"http", "https", "ws", "wss", "ftp"})


def exposure_of(text: str, own_origin: str) -> Exposure:
    """The sites to which one entry of `exposedTo` exposes the tool. Never raises.

    `own_origin`: the document's origin, serialized.
    """
    return Exposure(text=text, reach=_reach(text, own_origin))


def _reach(text: str, own_origin: str) -> Reach:
    match = _SCHEME.match(text)
    if match is None:
        return Reach.OPAQUE if text == "null" else Reach.UNREADABLE
    scheme = match[1].lower()
    if scheme not in _WITH_ORIGIN:
        return Reach.OPAQUE
    # WebSocket URLs share the syntax of HTTP URLs.
    like = {"ws": "http", "wss": "https", "ftp": "http"}.get(scheme, scheme)
    origin = origin_of(like + text[len(scheme) :])
    if not isinstance(origin, Origin):
        return Reach.UNREADABLE
    if like == scheme and origin == origin_of(own_origin):
        return Reach.OWN
    is_secure = scheme in _ENCRYPTED or (scheme != "ftp" and is_on_this_machine(origin.host))
    return Reach.OTHER if is_secure else Reach.INSECURE


_NO_HOST = "opaque"
"""The text in place of an opaque origin's host."""


class Handles:
    """The handles by which Sightline calls a page's tools.

    A handle is the name, the name with the document's host, or both with the frame's position.

    The shortest of these forms that is unique is used. A form that tools of several documents share is used
    for none of them, so that a handle does not come to mean another tool because a document loaded later.
    """

    def __init__(self, tools: Iterable[tuple[str, str, tuple[int, ...]]]) -> None:
        """`tools`: for each tool, its name, its origin, and its frame's position as in `Offers.position`."""
        self._shared: Counter[str] = Counter()
        for name, origin, position in tools:
            self._shared.update(_forms(name, origin, position))

    def of(self, name: str, origin: str, position: tuple[int, ...]) -> str:
        *shorter, whole = _forms(name, origin, position)
        return next((form for form in shorter if self._shared[form] == 1), whole)


def _forms(name: str, origin: str, position: tuple[int, ...]) -> Iterator[str]:
    """The forms of a handle, the shortest first. Only the last one is always unique."""
    _, _, host = origin.partition("://")
    known = f"{name}@{host or _NO_HOST}"
    # The draft forbids `@` in names. Such a name gets the longest form, which no other tool has.
    if "@" not in name:
        yield name
        yield known
    yield f"{known}@{'frame' + '.'.join(map(str, position)) if position else 'page'}"


_OF_THE_PROTOCOL = frozenset({"stackTrace", "backendNodeId", "toolId", "declarative", "frameId"})
"""Members that the browser or the polyfill adds for its own use. They stay in `PageFacts.kept`."""
_OF_THE_PAGE = frozenset({"execute", "frameId"})
"""Members of a declaration that are not part of the joined definition.

A browser never keeps them as data. A frame's id changes with each load, which is not a change of the tool.
"""
_SHORT = {
    "readOnlyHint": "readOnly",
    "untrustedContentHint": "untrustedContent",
    "consequentialHint": "consequential",
    "debuggingHint": "debugging",
    "autosubmitHint": "autosubmit",
}
"""The browser's names for the draft's annotations."""
_UNREAD: JsonObject = {"$ref": "sightline:unread"}
"""A schema with a reference that resolves to nothing.

Every boundary treats a value with this schema as sensitive, because the schema cannot be read.
"""


class Joined:
    """A tool's definition, joined from what the page declared and the browser kept, and their differences."""

    def __init__(self, kept: KeptTool, declaration: Declaration | None, agent: Json) -> None:
        self.dropped: list[str] = []
        """Pointers into `definition` to members that were declared but not kept."""
        self.changed: list[str] = []
        """Pointers into `definition` to members that were kept with another value than declared."""
        self._kept = kept.value
        self._declared = _members_of(declaration.tool) if declaration else {}
        self._is_whole = declaration is None or declaration.is_whole
        self._agent = _members_of(agent)
        self.definition = self._joined()

    def _joined(self) -> JsonObject:
        kept, declared = self._kept, self._declared
        definition: JsonObject = {key: value for key, value in kept.items() if key not in _OF_THE_PROTOCOL}
        definition.setdefault("inputSchema", {})
        title = self._agent.get("title")
        if "title" not in definition and isinstance(title, str) and title:
            definition["title"] = title
        for key, value in declared.items():
            if key in _OF_THE_PAGE:
                continue
            if key == "annotations":
                self._join_annotations(definition, value)
            elif key == "outputSchema":
                self._join_output_schema(definition, value)
            elif key not in definition or (key == "inputSchema" and key not in kept):
                definition[key] = value
                self.dropped.append(child("", key))
            elif not equal(definition[key], value) and not (
                key == "inputSchema" and equal(definition[key], as_json(value))
            ):
                self.changed.append(child("", key))
        if not self._is_whole:
            schemas = [definition["outputSchema"]] if "outputSchema" in definition else []
            definition["outputSchema"] = {"allOf": [*schemas, dict(_UNREAD)]}
        return definition

    def _join_annotations(self, definition: JsonObject, declared: Json) -> None:
        kept = definition.get("annotations")
        if "annotations" not in definition or not isinstance(kept, dict):
            definition["annotations"] = declared
            self.dropped.append("/annotations")
            return
        if not isinstance(declared, dict):
            # A declared value that is not an object is added as an unknown claim, which is shown and has no
            # effect.
            definition["annotations"] = {**kept, "annotations": declared}
            self.changed.append("/annotations/annotations")
            return
        pairs = list(kept.items())
        for key, value in declared.items():
            if key in kept:
                if not equal(kept[key], value):
                    pairs.append((key, value))
                    self.changed.append(child("/annotations", key))
                continue
            pairs.append((key, value))
            short = _SHORT.get(key)
            if short is None or short not in kept:
                self.dropped.append(child("/annotations", key))
            elif not equal(kept[short], value):
                self.changed.append(child("/annotations", key))
        joined = dict(pairs)
        # If a key has two values, the safe one counts, as for any duplicate key.
        definition["annotations"] = joined if len(joined) == len(pairs) else DuplicateKeys(tuple(pairs))

    def _join_output_schema(self, definition: JsonObject, declared: Json) -> None:
        if "outputSchema" not in definition:
            definition["outputSchema"] = declared
            self.dropped.append("/outputSchema")
        elif not equal(definition["outputSchema"], declared):
            definition["outputSchema"] = {"allOf": [definition["outputSchema"], declared]}
            self.changed.append("/outputSchema/allOf/1")


def _members_of(value: Json) -> JsonObject:
    match value:
        case dict():
            return value
        case DuplicateKeys():
            return dict(value.pairs)
        case _:
            return {}


_SURE = frozenset({"/name", "/description", "/inputSchema"})


class SourcedTool(Struct, frozen=True, kw_only=True):
    """One tool as the browser keeps it and as the page declared it."""

    kept: KeptTool
    declaration: Declaration | None


class Offers(Struct, frozen=True, kw_only=True):
    """All tools of one document, including refused ones."""

    document: PageDocument
    offers: tuple[SourcedTool, ...]
    agents: Mapping[str, Json]
    """The tools that `getTools()` returned, by name."""
    refusals: tuple[Refusal, ...] = ()
    """The registrations that the browser refused, in order of time."""
    position: tuple[int, ...] = ()
    """The position of the document's frame in the page; empty for the page itself.

    It consists of the child numbers, from 1, of the frames that contain the frame, outermost first, and of
    the frame itself.
    """


def catalogue_of(documents: Sequence[Offers], own_script: str) -> Catalogue:
    """The tools of all documents. Their order and handles do not depend on the order of arrival.

    Linear in the size of the declarations: run it in a thread for many tools.
    """
    ordered = sorted(documents, key=lambda offers: offers.position)
    handles = Handles(
        (offer.kept.key.name, offers.document.origin, offers.position)
        for offers in ordered
        for offer in offers.offers
    )
    tools = tuple(
        _tool(
            offer,
            offers,
            own_script,
            handles.of(offer.kept.key.name, offers.document.origin, offers.position),
        )
        for offers in ordered
        for offer in sorted(offers.offers, key=lambda offer: registered_at(offer.kept, own_script))
    )
    refused = tuple(
        _refused(refusal, f"/{place}/{index}", offers.document)
        for place, offers in enumerate(ordered)
        for index, refusal in enumerate(sorted(offers.refusals, key=_refused_at))
    )
    return Catalogue(entries={Kind.TOOL: (*tools, *refused)})


def _refused(refusal: Refusal, pointer: str, document: PageDocument) -> RefusedTool:
    value: JsonObject = {
        "name": refusal.name,
        "refusedBecause": refusal.reason,
        "document": document.url,
        "origin": document.origin,
        "registeredAt": None if refusal.place is None else str(refusal.place),
    }
    reason = refusal.reason.strip(": \n") or "the browser gave no reason"
    return RefusedTool(
        pointer=pointer, reason=reason, value=value, name=refusal.name, document=document, place=refusal.place
    )


def _refused_at(refusal: Refusal) -> tuple[tuple[str, int, int], str, str]:
    place = refusal.place
    at = ("", 0, 0) if place is None else (place.url, place.line, place.column)
    return at, refusal.name or "", refusal.reason


def _tool(offer: SourcedTool, offers: Offers, own_script: str, handle: str) -> Tool:
    kept, declaration = offer.kept, offer.declaration
    agent = offers.agents.get(kept.key.name)
    joined = Joined(kept, declaration, agent)
    options = declaration.options if declaration else None
    exposed_to = _texts(options, "exposedTo")
    facts = PageFacts(
        document=offers.document,
        kind=ToolKind.FORM if kept.is_declarative else ToolKind.SCRIPT,
        tool_id=kept.tool_id,
        place=place_of(kept, own_script),
        exposed_to=exposed_to,
        kept=kept.value,
        declared=declaration.tool if declaration else None,
        options=options,
        agent=agent,
        dropped=tuple(joined.dropped),
        changed=tuple(joined.changed),
        faults=faults_of(kept.key.name, kept.value.get("description")),
        evidence=_evidence(offer, offers.document, joined),
        exposures=tuple(exposure_of(text, offers.document.origin) for text in exposed_to),
    )
    definition: JsonObject = {
        **joined.definition,
        "frame": offers.document.url,
        "origin": offers.document.origin,
    }
    if isinstance(options, dict) and "exposedTo" in options:
        definition["exposedTo"] = options["exposedTo"]
    return Tool(name=handle, definition=definition, page=facts)


def _evidence(offer: SourcedTool, document: PageDocument, joined: Joined) -> Evidence:
    declaration = offer.declaration
    if offer.kept.is_declarative:
        return Evidence.FORM
    if declaration is None:
        return Evidence.MISSED if document.is_observed else Evidence.UNWATCHED
    if not declaration.is_whole:
        return Evidence.PARTLY
    # A browser always keeps these members, so they differ only if it read other values.
    differing = _SURE.intersection((*joined.changed, *joined.dropped))
    return Evidence.DIFFERS if differing else Evidence.SEEN


def _texts(value: Json, key: str) -> tuple[str, ...]:
    items: Iterable[Json] | Json = value.get(key) if isinstance(value, dict) else None
    return tuple(item for item in items if isinstance(item, str)) if isinstance(items, list) else ()
