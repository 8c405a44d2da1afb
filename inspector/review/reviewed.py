"""What is reviewed: all that a server offers, as it stood on the wire, and what calls of its tools returned."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from inspector.boundary.bounded import Bounded, Level, Rule
from inspector.boundary.judgement import Judgement
from inspector.boundary.mask import mask
from inspector.boundary.reading import raw_of
from inspector.boundary.secret_references import ListedReference, references_in
from inspector.claims.claim import Claim
from inspector.claims.contradictions import Contradiction, contradictions
from inspector.claims.registry import claims_of_item, claims_of_tool
from inspector.claims.traits import Traits, traits
from inspector.hidden_characters import Hidden, hidden_characters
from inspector.json.exact import Json, JsonObject, Malformed, dump
from inspector.protocol.catalogue import Catalogue, Item, Kind, Tool
from inspector.protocol.outcome import Outcome, Result, unfinished
from inspector.protocol.page import Refused
from inspector.review.finding import SubjectKind
from inspector.review.properties import Property, properties_of
from inspector.review.seen import (
    QUIET,
    ListingKind,
    Neighbour,
    OtherListing,
    Traffic,
)
from inspector.review.texts import LONGEST_READ, Text, first_of, texts_of

_CONTROLS = (b"\\u", b"\\r", b"\\b", b"\\f", b"\x7f")
"""What stands in the bytes of JSON where a text holds a control character, and sometimes where it holds none."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """One thing that a server offers. What several rules ask for is worked out once."""

    kind: SubjectKind
    name: str
    definition: JsonObject
    """As sent; of a server `name`, `version` and `instructions`."""
    tool: Tool | None = None
    problem: Malformed | None = None
    """Of a listing: what is wrong."""
    refused: Refused | None = None
    """Of a listing: the tool of a page that its browser refused."""
    listed: str = ""
    """Where it stands, if not in the listing that is reviewed: words that may be shown."""

    @cached_property
    def texts(self) -> tuple[Text, ...]:
        """Every text in the definition, its keys included."""
        return tuple(texts_of(self.definition))

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """What it declares."""
        if self.tool:
            return claims_of_tool(self.tool)
        if self.kind in {SubjectKind.RESOURCE, SubjectKind.TEMPLATE, SubjectKind.PROMPT}:
            return claims_of_item(Item(kind=Kind.RESOURCE, name=self.name, definition=self.definition))
        return ()

    @property
    def is_of_page(self) -> bool:
        """Whether a page offers it, whose tools may return any JSON value."""
        return self.tool is not None and self.tool.page is not None

    @cached_property
    def traits(self) -> Traits:
        """What its claims amount to."""
        return traits(self.claims)

    @cached_property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """The contradictions among its claims."""
        return contradictions(self.claims, tool=self.tool) if self.claims else ()

    @cached_property
    def wire(self) -> bytes:
        """The definition as compact JSON."""
        return dump(self.definition)

    @cached_property
    def hidden(self) -> tuple[Hidden, ...]:
        """The hidden characters in it, by place."""
        # Nearly all definitions are plain ASCII, which their bytes tell at once: JSON escapes what controls.
        if self.wire.isascii() and not any(mark in self.wire for mark in _CONTROLS):
            return ()
        return hidden_characters(self.definition)

    @cached_property
    def inputs(self) -> tuple[Property, ...]:
        """The properties of its input schema, however deep they stand."""
        return properties_of(self.definition.get("inputSchema"), "/inputSchema")

    @cached_property
    def outputs(self) -> tuple[Property, ...]:
        """The properties of its output schema, however deep they stand."""
        return properties_of(self.definition.get("outputSchema"), "/outputSchema")

    def claimed(self, vocabulary: str, key: str) -> Json:
        """The value of a well-formed claim; None where there is none."""
        found = (
            claim.value
            for claim in self.claims
            if claim.vocabulary == vocabulary and claim.key == key and claim.well_formed
        )
        return next(found, None)


@dataclass(frozen=True, kw_only=True)
class ReviewedCall:
    """One call of a tool, and how it ended."""

    offer: Offer
    outcome: Outcome
    judgement: Judgement | None = None
    """Of the outcome, where the call has one already."""
    misfit: bool = False
    """Whether its arguments were ones that the input schema forbids."""
    origin: str | None = None
    """The server's own address, where it has one."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Of a recording: what it does not hold of the result, each a pointer into `raw` and the rule that withheld it."""

    @property
    def raw(self) -> Json:
        """The result as it stood on the wire; for an error, `{"error": …}`."""
        return raw_of(self.outcome)

    @cached_property
    def result(self) -> JsonObject:
        """The result, empty where the call ended otherwise."""
        value = self.outcome.value if isinstance(self.outcome, Result) else None
        return value if isinstance(value, dict) else {}

    @cached_property
    def unfinished(self) -> str:
        """Why its answer does not end the call, in a sentence; empty where it does. Such an answer is no result to judge."""
        found = unfinished(self.outcome)
        return found.sentence if found else ""

    @cached_property
    def bounded(self) -> Bounded:
        """What the boundary `declared` makes of it."""
        judgement = self.judgement or Judgement(self.outcome, self.offer.tool)
        return judgement.bounded(Level.DECLARED)

    @cached_property
    def withheld(self) -> tuple[tuple[str, str], ...]:
        """Pointer and rule of what the boundary `declared` withholds, what a recording left out among it."""
        if not self.left_out:
            return tuple((removal.pointer, removal.rule) for removal in self.bounded.removals)
        # What stands in a recording for a value of another type fits no schema.
        found = (
            (removal.pointer, removal.rule)
            for removal in self.bounded.removals
            if removal.rule != Rule.INVALID_OUTPUT and not self.lacks(removal.pointer)
        )
        return (*self.left_out, *found)

    def lacks(self, pointer: str) -> bool:
        """Whether a recording left out something at, in or around the place at `pointer`."""
        return any(
            f"{place}/".startswith(f"{pointer}/") or pointer.startswith(f"{place}/")
            for place, _ in self.left_out
        )

    @cached_property
    def masked(self) -> Json:
        """The raw result with what is withheld masked: what a finding may quote."""
        return mask(self.raw, self.bounded.removals)

    def texts(self) -> Iterator[Text]:
        """Every text in it, masked, made anew each time: there may be millions."""
        return texts_of(self.masked)

    @cached_property
    def _first(self) -> tuple[tuple[Text, ...], bool]:
        return first_of(self.texts())

    @property
    def read(self) -> tuple[Text, ...]:
        """The texts in which orders to a model are looked for."""
        return self._first[0]

    @property
    def is_read(self) -> bool:
        """Whether these are all, and each is short enough to be read to its end."""
        read, is_all = self._first
        return is_all and all(len(text.text) <= LONGEST_READ for text in read)

    @cached_property
    def references(self) -> tuple[ListedReference, ...]:
        """Every secret reference in it."""
        return references_in(self.raw)

    @cached_property
    def hidden(self) -> tuple[Hidden, ...]:
        """The hidden characters in it, by place."""
        return hidden_characters(self.masked)


@dataclass(frozen=True, kw_only=True)
class Reviewed:
    """All that rules may look at."""

    offers: tuple[Offer, ...]
    """The server first, then tools, resources, templates, prompts and what could not be read, in the order sent."""
    calls: tuple[ReviewedCall, ...] = ()
    listings: tuple[OtherListing, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    traffic: Traffic = QUIET

    @cached_property
    def tools(self) -> tuple[Offer, ...]:
        """The tools alone, of the listing that is reviewed."""
        return tuple(offer for offer in self.offers if offer.kind is SubjectKind.TOOL and not offer.listed)

    @cached_property
    def tool_names(self) -> frozenset[str]:
        """What the tools are called."""
        return frozenset(offer.name for offer in self.tools)


_KINDS: Mapping[Kind, SubjectKind] = {
    Kind.RESOURCE: SubjectKind.RESOURCE,
    Kind.TEMPLATE: SubjectKind.TEMPLATE,
    Kind.PROMPT: SubjectKind.PROMPT,
}


def reviewed(
    catalogue: Catalogue,
    *,
    server: JsonObject | None = None,
    calls: tuple[ReviewedCall, ...] = (),
    listings: tuple[OtherListing, ...] = (),
    neighbours: tuple[Neighbour, ...] = (),
    traffic: Traffic = QUIET,
) -> Reviewed:
    """What is reviewed of a server. `server`: `name`, `version` and `instructions`, where it said them."""
    return Reviewed(
        offers=(*_offers(catalogue, server or {}), *_listed_elsewhere(catalogue, listings)),
        calls=calls,
        listings=listings,
        neighbours=neighbours,
        traffic=traffic,
    )


def _offers(catalogue: Catalogue, server: JsonObject) -> Iterator[Offer]:
    yield Offer(kind=SubjectKind.SERVER, name="", definition=server)
    for tool in catalogue.tools:
        yield Offer(kind=SubjectKind.TOOL, name=tool.name, definition=tool.definition, tool=tool)
    for kind, subject in _KINDS.items():
        for entry in catalogue.entries.get(kind, ()):
            if isinstance(entry, Item):
                yield Offer(kind=subject, name=entry.name, definition=entry.definition)
    for problem in catalogue.malformed:
        sent = problem.value
        yield Offer(
            kind=SubjectKind.LISTING,
            name=problem.name or "",
            definition=sent if isinstance(sent, dict) else {},
            problem=problem,
        )
    for refused in catalogue.refused:
        sent = refused.value
        yield Offer(
            kind=SubjectKind.LISTING,
            name=refused.name or "",
            definition=sent if isinstance(sent, dict) else {},
            refused=refused,
        )


def _listed_elsewhere(catalogue: Catalogue, listings: tuple[OtherListing, ...]) -> Iterator[Offer]:
    """What other listings say of tools that this one does not: it is judged too."""
    for listing in listings:
        if listing.kind is not ListingKind.PINNED:
            for tool in listing.apart_from(catalogue.tools):
                yield Offer(
                    kind=SubjectKind.TOOL,
                    name=tool.name,
                    definition=tool.definition,
                    tool=tool,
                    listed=listing.kind.value,
                )
