"""What is reviewed: all that a server offers, as it stood on the wire, and what calls of its tools returned."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from inspector.core.boundary.bound import bound
from inspector.core.boundary.bounded import Bounded, Level
from inspector.core.boundary.mask import mask
from inspector.core.boundary.reading import raw_of
from inspector.core.catalogue import Catalogue, Item, Kind, Tool
from inspector.core.claims.claim import Claim
from inspector.core.claims.contradictions import Contradiction, contradictions
from inspector.core.claims.registry import claims_of_item, claims_of_tool
from inspector.core.claims.traits import Traits, traits
from inspector.core.findings.finding import SubjectKind
from inspector.core.findings.hidden import Hidden, hidden_characters
from inspector.core.findings.properties import Property, properties_of
from inspector.core.findings.texts import Text, texts_of
from inspector.core.json_text import Json, JsonObject, Malformed, dump
from inspector.core.outcome import Outcome, Result

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

    @cached_property
    def texts(self) -> tuple[Text, ...]:
        """Every text in the definition, its keys included."""
        return texts_of(self.definition)

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """What it declares."""
        if self.tool:
            return claims_of_tool(self.tool)
        if self.kind in {SubjectKind.RESOURCE, SubjectKind.TEMPLATE, SubjectKind.PROMPT}:
            return claims_of_item(Item(kind=Kind.RESOURCE, name=self.name, definition=self.definition))
        return ()

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
    misfit: bool = False
    """Whether its arguments were ones that the input schema forbids."""
    origin: str | None = None
    """The server's own address, where it has one."""

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
    def bounded(self) -> Bounded:
        """What the boundary `declared` makes of it."""
        return bound(self.outcome, self.offer.tool, Level.DECLARED)

    @cached_property
    def masked(self) -> Json:
        """The raw result with what is withheld masked: what a finding may quote."""
        return mask(self.raw, self.bounded.removals)

    @cached_property
    def texts(self) -> tuple[Text, ...]:
        """Every text in it, masked."""
        return texts_of(self.masked)

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

    @cached_property
    def tools(self) -> tuple[Offer, ...]:
        """The tools alone."""
        return tuple(offer for offer in self.offers if offer.kind is SubjectKind.TOOL)

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
    catalogue: Catalogue, *, server: JsonObject | None = None, calls: tuple[ReviewedCall, ...] = ()
) -> Reviewed:
    """What is reviewed of a server. `server`: `name`, `version` and `instructions`, where it said them."""
    return Reviewed(offers=tuple(_offers(catalogue, server or {})), calls=calls)


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
