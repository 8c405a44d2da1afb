"""The tools of a page as a catalogue: by document, each with what was declared, kept and told to agents."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inspector.json.exact import DuplicateKeys, Json, JsonObject, equal
from inspector.json.pointer import child
from inspector.protocol.catalogue import Catalogue, Kind, Tool
from inspector.protocol.page import Document, Evidence, Exposure, PageFacts, Reach, Refused, ToolKind
from inspector.urls.host import is_on_this_machine
from inspector.urls.origin import Origin, origin_of
from inspector.webmcp.events import Declaration, KeptTool, Refusal, as_json, place_of, registered_at

MAX_NAME_CHARACTERS = 128

_DRAFT_NAME = re.compile(r"[A-Za-z0-9_.-]*", re.ASCII)


def faults_of(name: Json, description: Json) -> tuple[str, ...]:
    """What the draft does not allow of a name and a description, in sentences of ours; quotes neither."""
    found: list[str] = []
    if not isinstance(name, str) or not name:
        found.append("The name is empty.")
    else:
        if len(name) > MAX_NAME_CHARACTERS:
            found.append(f"The name is longer than {MAX_NAME_CHARACTERS} characters.")
        if not _DRAFT_NAME.fullmatch(name):
            found.append("The name holds characters other than ASCII letters, digits, `_`, `-` and `.`.")
    if not isinstance(description, str) or not description:
        found.append("The description is empty.")
    return tuple(found)


_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):", re.ASCII)
_ENCRYPTED = frozenset({"https", "wss"})
_WITH_ORIGIN = frozenset({"http", "https", "ws", "wss", "ftp"})


def exposure_of(text: str, own_origin: str) -> Exposure:
    """What one entry comes to. `own_origin`: of the document, serialized. Never raises."""
    return Exposure(text=text, reach=_reach(text, own_origin))


def _reach(text: str, own_origin: str) -> Reach:
    found = _SCHEME.match(text)
    if found is None:
        return Reach.OPAQUE if text == "null" else Reach.UNREADABLE
    scheme = found[1].lower()
    if scheme not in _WITH_ORIGIN:
        return Reach.OPAQUE
    # The sockets' schemes share the syntax of the web's.
    like = {"ws": "http", "wss": "https", "ftp": "http"}.get(scheme, scheme)
    origin = origin_of(like + text[len(scheme) :])
    if not isinstance(origin, Origin):
        return Reach.UNREADABLE
    if like == scheme and origin == origin_of(own_origin):
        return Reach.OWN
    is_secure = scheme in _ENCRYPTED or (scheme != "ftp" and is_on_this_machine(origin.host))
    return Reach.OTHER if is_secure else Reach.INSECURE


_NO_HOST = "opaque"
"""In place of the host of an opaque origin."""


class Handles:
    """The handles of all tools of a page."""

    def __init__(self, tools: Iterable[tuple[str, str, tuple[int, ...]]]) -> None:
        """`tools`: name, origin and position of the frame of each."""
        self._shared: Counter[str] = Counter()
        for name, origin, position in tools:
            self._shared.update(_forms(name, origin, position))

    def of(self, name: str, origin: str, position: tuple[int, ...]) -> str:
        """The handle of one of these tools."""
        *shorter, whole = _forms(name, origin, position)
        return next((form for form in shorter if self._shared[form] == 1), whole)


def _forms(name: str, origin: str, position: tuple[int, ...]) -> Iterator[str]:
    """From the shortest on. The last one belongs to this tool alone."""
    _, _, host = origin.partition("://")
    known = f"{name}@{host or _NO_HOST}"
    # The draft allows no `@` in a name: one that has it gets the longest form, which no other tool's can equal.
    if "@" not in name:
        yield name
        yield known
    yield f"{known}@{'frame' + '.'.join(map(str, position)) if position else 'page'}"


_OF_THE_PROTOCOL = frozenset({"stackTrace", "backendNodeId", "toolId", "declarative", "frameId"})
"""What the browser, or the polyfill, adds for its own use. It stays in `PageFacts.kept`."""
_OF_THE_PAGE = frozenset({"execute", "frameId"})
"""What no browser keeps as data. Frames are numbered anew each time, which is no change of a tool."""
_OF_BOTH = frozenset({"name", "description", "inputSchema"})
_SHORT = {
    "readOnlyHint": "readOnly",
    "untrustedContentHint": "untrustedContent",
    "consequentialHint": "consequential",
    "debuggingHint": "debugging",
    "autosubmitHint": "autosubmit",
}
"""The browser's own words for the draft's annotations."""
_UNREAD: JsonObject = {"$ref": "sightline:unread"}
"""Resolves nowhere, so that every boundary takes what it stands for as sensitive."""


class Joined:
    """One definition, and how the two sides differ."""

    def __init__(self, kept: KeptTool, declaration: Declaration | None, agent: Json) -> None:
        self.dropped: list[str] = []
        """Declared and not kept: pointers into `definition`."""
        self.changed: list[str] = []
        """Kept with another value, likewise."""
        self._kept = kept.value
        self._declared = _members_of(declaration.tool) if declaration else {}
        self._is_whole = declaration is None or declaration.is_whole
        self._agent = _members_of(agent)
        self.definition = self._joined()

    def _joined(self) -> JsonObject:
        kept, declared = self._kept, self._declared
        found: JsonObject = {key: value for key, value in kept.items() if key not in _OF_THE_PROTOCOL}
        found.setdefault("inputSchema", {})
        title = self._agent.get("title")
        if "title" not in found and isinstance(title, str) and title:
            found["title"] = title
        for key, value in declared.items():
            if key in _OF_THE_PAGE:
                continue
            if key == "annotations":
                self._join_annotations(found, value)
            elif key == "outputSchema":
                self._join_output_schema(found, value)
            elif key not in found or (key == "inputSchema" and key not in kept):
                found[key] = value
                self.dropped.append(child("", key))
            elif not equal(found[key], value) and not (
                key == "inputSchema" and equal(found[key], as_json(value))
            ):
                self.changed.append(child("", key))
        if not self._is_whole:
            schemas = [found["outputSchema"]] if "outputSchema" in found else []
            found["outputSchema"] = {"allOf": [*schemas, dict(_UNREAD)]}
        return found

    def _join_annotations(self, found: JsonObject, declared: Json) -> None:
        kept = found.get("annotations")
        if "annotations" not in found or not isinstance(kept, dict):
            found["annotations"] = declared
            self.dropped.append("/annotations")
            return
        if not isinstance(declared, dict):
            # Not an object: as a member it is a claim that nobody defined, which is shown and costs nothing.
            found["annotations"] = {**kept, "annotations": declared}
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
        # A key with two values is read in the safe direction, as any that is named twice.
        found["annotations"] = joined if len(joined) == len(pairs) else DuplicateKeys(tuple(pairs))

    def _join_output_schema(self, found: JsonObject, declared: Json) -> None:
        if "outputSchema" not in found:
            found["outputSchema"] = declared
            self.dropped.append("/outputSchema")
        elif not equal(found["outputSchema"], declared):
            found["outputSchema"] = {"allOf": [found["outputSchema"], declared]}
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One tool as its sources have it."""

    kept: KeptTool
    declaration: Declaration | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    """All tools of one document."""

    document: Document
    offers: tuple[Offer, ...]
    agents: Mapping[str, Json]
    """What `getTools()` said there, by name."""
    refusals: tuple[Refusal, ...] = ()
    """What the browser refused, in the order of time."""
    position: tuple[int, ...] = ()
    """Of its frame: which child of the page it is, which child of that one, and so on, from 1; empty for the page."""


def catalogue_of(documents: Sequence[Offers], own_script: str) -> Catalogue:
    """The tools of all documents, in an order and by handles that no order of arrival changes.

    Takes time in proportion to what was declared: beside the event loop for many tools.
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


def _refused(refusal: Refusal, pointer: str, document: Document) -> Refused:
    value: JsonObject = {
        "name": refusal.name,
        "refusedBecause": refusal.reason,
        "document": document.url,
        "origin": document.origin,
        "registeredAt": None if refusal.place is None else str(refusal.place),
    }
    reason = refusal.reason.strip(": \n") or "the browser gave no reason"
    return Refused(
        pointer=pointer,
        reason=reason,
        value=value,
        name=refusal.name,
        document=document,
        place=refusal.place,
    )


def _refused_at(refusal: Refusal) -> tuple[tuple[str, int, int], str, str]:
    place = refusal.place
    at = ("", 0, 0) if place is None else (place.url, place.line, place.column)
    return at, refusal.name or "", refusal.reason


def _tool(offer: Offer, offers: Offers, own_script: str, handle: str) -> Tool:
    kept, declaration = offer.kept, offer.declaration
    agent = offers.agents.get(kept.key.name)
    joined = Joined(kept, declaration, agent)
    options = declaration.options if declaration else None
    exposed_to = _texts(options, "exposedTo")
    facts = PageFacts(
        document=offers.document,
        kind=ToolKind.DECLARATIVE if kept.is_declarative else ToolKind.IMPERATIVE,
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


def _evidence(offer: Offer, document: Document, joined: Joined) -> Evidence:
    declaration = offer.declaration
    if offer.kept.is_declarative:
        return Evidence.FORM
    if declaration is None:
        return Evidence.MISSED if document.is_observed else Evidence.UNWATCHED
    if not declaration.is_whole:
        return Evidence.PARTLY
    # What the browser surely keeps: it cannot differ where both read the same.
    differing = _SURE.intersection((*joined.changed, *joined.dropped))
    return Evidence.DIFFERS if differing else Evidence.SEEN


def _texts(value: Json, key: str) -> tuple[str, ...]:
    items: Iterable[Json] | Json = value.get(key) if isinstance(value, dict) else None
    return tuple(item for item in items if isinstance(item, str)) if isinstance(items, list) else ()
