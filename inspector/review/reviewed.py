"""The input of a review: the definitions of a server, and the results of calls."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from inspector.boundary.bounded import Bounded, Level, Rule
from inspector.boundary.judgement import Judgement
from inspector.boundary.mask import SHOWN, mask
from inspector.boundary.output_check import OutputViolation
from inspector.boundary.reading import raw_of
from inspector.boundary.removals import RemovalPlaces
from inspector.boundary.secret_references import ListedReference, references_in
from inspector.claims.claim import Claim
from inspector.claims.contradictions import Contradiction, contradictions
from inspector.claims.registry import claims_of_item, claims_of_tool
from inspector.claims.traits import Traits, traits
from inspector.hidden_characters import Hidden, hidden_characters
from inspector.json.exact import Json, JsonObject, Malformed, dump
from inspector.json.pointer import resolve
from inspector.pins.pins import ServerDefinitions, definitions_of
from inspector.pins.withheld import WithheldValues
from inspector.protocol.catalogue import Catalogue, Item, Kind, Tool
from inspector.protocol.outcome import Failure, Outcome, Result, unfinished
from inspector.protocol.page import RefusedTool
from inspector.review.finding import SubjectKind, quoted
from inspector.review.properties import Property, properties_of
from inspector.review.seen import (
    QUIET,
    Neighbour,
    OtherListing,
    Traffic,
)
from inspector.review.texts import MAX_POINTER, ReadTexts, Text, first_of, texts_of

NAME_TAKEN = "the name is taken by an earlier tool"
"""The reason that a catalogue gives for a tool whose name is a duplicate."""


_CONTROLS = (b"\\u", b"\\r", b"\\b", b"\\f", b"\x7f")
"""Byte sequences in JSON that may encode control characters."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """One definition that a server offers (a tool, a resource or another item), as input of review rules.

    Properties that several rules use are cached.
    """

    kind: SubjectKind
    name: str
    definition: JsonObject
    """The definition as sent; for a server, its `name`, `version` and `instructions`."""
    tool: Tool | None = None
    item: Item | None = None
    """The resource, template, prompt or skill; None for any other definition."""
    problem: Malformed | None = None
    """The fault of a malformed item; None for any other definition."""
    refused: RefusedTool | None = None
    """A page's tool that the browser refused; None for any other definition."""
    listed: str = ""
    """The listing that contains the definition, in words that are safe to show; empty for the reviewed listing."""

    @cached_property
    def texts(self) -> tuple[Text, ...]:
        return tuple(texts_of(self.definition))

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        if self.tool:
            return claims_of_tool(self.tool)
        if self.kind in {SubjectKind.RESOURCE, SubjectKind.TEMPLATE, SubjectKind.PROMPT}:
            return claims_of_item(Item(kind=Kind.RESOURCE, name=self.name, definition=self.definition))
        return ()

    @property
    def is_of_page(self) -> bool:
        """True if a page offers the tool. Such a tool may return any JSON value."""
        return self.tool is not None and self.tool.page is not None

    @cached_property
    def traits(self) -> Traits:
        return traits(self.claims)

    @cached_property
    def contradictions(self) -> tuple[Contradiction, ...]:
        return contradictions(self.claims, tool=self.tool) if self.claims else ()

    @cached_property
    def wire(self) -> bytes:
        return dump(self.definition)

    @cached_property
    def hidden(self) -> tuple[Hidden, ...]:
        # Most definitions are plain ASCII: JSON escapes control characters, so the bytes suffice.
        if self.wire.isascii() and not any(mark in self.wire for mark in _CONTROLS):
            return ()
        return hidden_characters(self.definition)

    @cached_property
    def inputs(self) -> tuple[Property, ...]:
        """The properties of the input schema, at any depth."""
        return properties_of(self.definition.get("inputSchema"), "/inputSchema")

    @cached_property
    def outputs(self) -> tuple[Property, ...]:
        """The properties of the output schema, at any depth."""
        return properties_of(self.definition.get("outputSchema"), "/outputSchema")

    def claimed(self, vocabulary: str, key: str) -> Json:
        """The value of a well-formed claim; None if there is none."""
        values = (
            claim.value
            for claim in self.claims
            if claim.vocabulary == vocabulary and claim.key == key and claim.well_formed
        )
        return next(values, None)


@dataclass(frozen=True, kw_only=True)
class ReviewedCall:
    """A call of a tool with its outcome."""

    offer: Offer
    outcome: Outcome
    judgement: Judgement | None = None
    """The judgement of the outcome, if it was made already."""
    number: int = 0
    """The number of the call in its session, if its tool was called more than once; otherwise 0."""
    misfit: bool = False
    """True if the input schema forbids the arguments."""
    origin: str | None = None
    """The server's address, if it has one."""
    left_out: tuple[tuple[str, str], ...] = ()
    """The values that a recording lacks, as pairs of a pointer into `raw` and the rule that withheld the value."""
    repeats: tuple[str, ...] = ()
    """Pointers into `raw` to copies of values that were withheld from earlier calls of the session."""
    stderr: tuple[str, ...] = ()
    """The lines that the server wrote to stderr during the call; untrusted text.

    Empty if stderr was not read.
    """

    @property
    def raw(self) -> Json:
        """The result as received; for an error, `{"error": …}`."""
        return raw_of(self.outcome)

    @cached_property
    def result(self) -> JsonObject:
        """The result object; empty if the outcome is not an object."""
        value = self.outcome.value if isinstance(self.outcome, Result) else None
        return value if isinstance(value, dict) else {}

    @cached_property
    def unfinished(self) -> str:
        """The reason why the answer does not end the call; empty if it ends the call.

        Such an answer is not reviewed.
        """
        reason = unfinished(self.outcome)
        return reason.sentence if reason else ""

    @property
    def is_refusal(self) -> bool:
        """True for an error that answers arguments which the input schema forbids.

        If the text of such an error repeats a withheld value, this is no leak. The tools of one server often
        share error texts, and the boundary may have withheld the same text from a result of another tool.
        """
        return self.misfit and self.result.get("isError") is True

    @cached_property
    def judged(self) -> Judgement:
        return self.judgement or Judgement(self.outcome, self.offer.tool)

    @cached_property
    def bounded(self) -> Bounded:
        """The part of the result that the boundary lets through at level `declared`."""
        return self.judged.bounded(Level.DECLARED)

    @cached_property
    def violations(self) -> tuple[OutputViolation, ...]:
        """The violations of the protocol and the output schema; empty if a recording lacks values.

        The messages quote no value, so that a session and its recording have the same violations.
        """
        return () if self.left_out else self.judged.output(Level.DECLARED, quote=False).violations

    @cached_property
    def withheld(self) -> tuple[tuple[str, str], ...]:
        """The pointer and the rule of each value withheld at the boundary level `declared`.

        Includes values that a recording lacks, and copies of values that were withheld from earlier calls.
        """
        if not self.left_out:
            own = ((removal.pointer, removal.rule) for removal in self.bounded.removals)
            return (*own, *((pointer, Rule.ECHO) for pointer in self.repeats))
        left_out = tuple(each for each in self.left_out if not (self.is_refusal and each[1] == Rule.ECHO))
        # A placeholder may have another type than the value, and then violates the schema.
        withheld = (
            (removal.pointer, removal.rule)
            for removal in self.bounded.removals
            if removal.rule != Rule.INVALID_OUTPUT and not self.lacks(removal.pointer)
        )
        return (*left_out, *withheld)

    def lacks(self, pointer: str) -> bool:
        """True if a recording lacks a value at `pointer`, inside it, or around it."""
        return any(
            f"{place}/".startswith(f"{pointer}/") or pointer.startswith(f"{place}/")
            for place, _ in self.left_out
        )

    @cached_property
    def masked(self) -> Json:
        """The raw result with withheld values masked, so that findings may quote it."""
        return mask(self.raw, self.bounded.removals)

    @cached_property
    def _places(self) -> RemovalPlaces:
        return RemovalPlaces(self.bounded.removals, without=SHOWN)

    @cached_property
    def _secrets(self) -> WithheldValues:
        values = WithheldValues()
        values.learn(self.offer.tool, self.outcome, self.bounded.removals)
        return values

    def texts(self) -> Iterator[Text]:
        """The texts that are not withheld, and what is left of texts that only repeat a withheld value.

        A call without an answer has no texts, because its words are by Sightline and not by the server.
        """
        for text in () if isinstance(self.outcome, Failure) else texts_of(self.raw):
            shown = self._shown(text)
            if shown is not None:
                yield text if shown == text.text else Text(pointer=text.pointer, place=text.place, text=shown)

    def _shown(self, text: Text) -> str | None:
        """The text, with a mask for words that repeat a withheld value; None if it is withheld itself."""
        around = self._places.around(text.pointer)
        if around is None and len(text.pointer) <= MAX_POINTER:
            return text.text
        return self._secrets.masked_text(text.text) if around is not None and around[1] in _COPIES else None

    def withholds(self, pointer: str) -> bool:
        """True if the boundary withholds the value at `pointer`, or one around it, because of a secret."""
        return self._places.around(pointer) is not None

    def place_of(self, pointer: str) -> str:
        """The pointer to report in a finding about the value at `pointer`.

        If a withheld value contains that value, it is the pointer to the withheld value, because the keys
        inside a withheld value are withheld too. Otherwise it is `pointer`. A value that is withheld only
        because it repeats a withheld value does not count.
        """
        around = self._places.around(pointer)
        return pointer if around is None or around[1] in _COPIES else around[0]

    def quoted(self, pointer: str, text: str, at: int = 0, *, in_key: bool = False) -> str:
        """Like `finding.quoted`, for a text of the raw result. Empty if the text itself is withheld.

        Words in it that repeat a withheld value are masked.
        """
        around = self._places.around(pointer)
        # The values withheld from earlier calls are not known here, so they cannot be masked.
        if any(f"{pointer}/".startswith(f"{place}/") for place in self.repeats):
            return ""
        if around is not None and around[1] in _COPIES:
            shown, moved = self._secrets.masked_at(text, at)
            cut = quoted(shown, moved)
            return "" if self._secrets.repeats(cut) else cut
        if around is not None and not (in_key and around[0] == pointer):
            return ""
        return quoted(text, at) if in_key or _is_at(self.masked, pointer, text) else ""

    def masked_words(self, text: str) -> str:
        """A text with masks for words that repeat a value withheld from this result."""
        return self._secrets.masked_text(text) if self._places else text

    @cached_property
    def read(self) -> ReadTexts:
        """The texts that are searched for instructions to a model, as sent.

        The boundary may withhold some of them, so quote them with `quoted`, and report them at `place_of`.
        """
        return first_of(texts_of(self.raw))

    @cached_property
    def references(self) -> tuple[ListedReference, ...]:
        return references_in(self.raw)

    @cached_property
    def hidden(self) -> tuple[Hidden, ...]:
        """The hidden characters in the result as sent, also in values that the boundary withholds."""
        return hidden_characters(self.raw)


def numbered(calls: Iterable[ReviewedCall]) -> tuple[ReviewedCall, ...]:
    """The calls of one session, in their order, with numbers for those whose tools were called more than once."""
    every = tuple(calls)
    often = Counter(call.offer.name for call in every)
    return tuple(
        replace(call, number=number) if often[call.offer.name] > 1 else call
        for number, call in enumerate(every, 1)
    )


_COPIES: frozenset[str] = frozenset({Rule.ECHO, Rule.MIRROR})
"""Rules that withhold a text only because it repeats withheld values."""


def _is_at(value: Json, pointer: str, text: str) -> bool:
    """True if the text at `pointer` is `text`, or ends with it."""
    try:
        found = resolve(value, pointer)
    except LookupError:
        return False
    return isinstance(found, str) and found.endswith(text)


@dataclass(frozen=True, kw_only=True)
class Reviewed:
    """The input of the review rules."""

    offers: tuple[Offer, ...]
    """The server, then tools, resources, templates, prompts, skills, malformed items and requests by the server."""
    calls: tuple[ReviewedCall, ...] = ()
    listings: tuple[OtherListing, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    traffic: Traffic = QUIET

    @cached_property
    def tools(self) -> tuple[Offer, ...]:
        return tuple(offer for offer in self.offers if offer.kind is SubjectKind.TOOL and not offer.listed)

    @cached_property
    def definitions(self) -> ServerDefinitions:
        """The definitions in the reviewed listing."""
        listed = tuple(offer for offer in self.offers if not offer.listed)
        instructions = self.offers[0].definition.get("instructions") if self.offers else None
        return ServerDefinitions(
            tools=tuple(offer.tool for offer in listed if offer.tool),
            instructions=instructions if isinstance(instructions, str) else None,
            items=tuple(offer.item.as_listed for offer in listed if offer.item),
        )

    @cached_property
    def tool_names(self) -> frozenset[str]:
        return frozenset(offer.name for offer in self.tools)


_KINDS: Mapping[Kind, SubjectKind] = {
    Kind.RESOURCE: SubjectKind.RESOURCE,
    Kind.TEMPLATE: SubjectKind.TEMPLATE,
    Kind.PROMPT: SubjectKind.PROMPT,
    Kind.SKILL: SubjectKind.SKILL,
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
    """The input of a review of one server.

    `server`: `name`, `version` and `instructions` of the server, as far as known.
    """
    return Reviewed(
        offers=(
            *_offers(catalogue, server or {}),
            *_listed_elsewhere(catalogue, listings),
            *requests_of(traffic),
        ),
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
                yield Offer(kind=subject, name=entry.name, definition=entry.definition, item=entry)
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


_ASKED = ("systemPrompt", "messages", "tools", "message", "url", "requestedSchema")
"""The members of a request that the user or a model reads."""


def requests_of(traffic: Traffic) -> tuple[Offer, ...]:
    """The server's elicitation and sampling requests, converted so that review rules can check them."""
    return tuple(
        Offer(
            kind=SubjectKind.REQUEST,
            name=f"{ask.method} {ask.key}".rstrip(),
            definition={key: ask.params[key] for key in _ASKED if key in ask.params},
        )
        for ask in traffic.asks
    )


def _listed_elsewhere(catalogue: Catalogue, listings: tuple[OtherListing, ...]) -> Iterator[Offer]:
    """The definitions that the reviewed listing lacks, or that differ there, so that they are reviewed too.

    Definitions of earlier listings are left out.
    """
    present = definitions_of(catalogue, None)
    for listing in listings:
        if not listing.kind.is_earlier:
            for found in listing.apart_from(present):
                yield Offer(
                    kind=_KINDS[found.item.kind] if found.item else SubjectKind.TOOL,
                    name=found.label,
                    definition=found.definition,
                    tool=None if found.item else found,
                    item=found.item,
                    listed=listing.kind.value,
                )
