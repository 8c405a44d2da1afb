"""The tools of a page as a catalogue: by document, each with what was declared, kept and told to agents."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Catalogue, Kind, Tool
from inspector.protocol.page import Document, Evidence, PageFacts, Refused, ToolKind
from inspector.webmcp.declared import Declaration, Refusal
from inspector.webmcp.events import KeptTool, place_of, registered_at
from inspector.webmcp.exposure import exposure_of
from inspector.webmcp.handles import Handles
from inspector.webmcp.joining import Joined
from inspector.webmcp.rules import faults_of

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
