"""What else a review knows of a server than one listing: other listings, other servers, what went over the wire."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from inspector.claims.resolution import METHOD
from inspector.json.exact import Json, JsonObject, JsonText, Malformed, dump
from inspector.protocol.catalogue import Tool
from inspector.protocol.exchanges import Matched, own_answer
from inspector.protocol.frames import Channel, Direction, Request, Response, messages
from inspector.protocol.timeline import EntryKind, Timeline


class ListingKind(StrEnum):
    """Which other listing it is, in words that may be shown."""

    PINNED = "the pinned definitions"
    """An earlier one that the user took for good."""
    AGAIN = "the listing after the calls"
    OTHER_CLIENT = "the listing under another client name"


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherListing:
    """The tools of one server, listed another time or to another client."""

    kind: ListingKind
    tools: tuple[Tool, ...]
    announced: bool = False
    """Whether the server said that its list changed."""
    instructions: str | None = None
    """What the server said of itself then. Not compared with those of `AGAIN`, which a listing does not repeat."""

    def apart_from(self, tools: Iterable[Tool]) -> Iterator[Tool]:
        """The tools in it that `tools` does not hold with the same definition."""
        known = {tool.name: dump(tool.definition) for tool in tools}
        return (tool for tool in self.tools if known.get(tool.name) != dump(tool.definition))


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """Another server that is reviewed with it."""

    target: str
    """As the user wrote it, safe to show."""
    tools: tuple[str, ...]
    """The names of its tools. Foreign text."""


class FaultKind(StrEnum):
    """What a server did that the protocol does not allow, in words that may be shown."""

    NOISE = "sends what is no message"
    UNASKED = "answers what nobody asked"
    MISSHAPEN = "sends messages that are not as they must be"
    ENCODING = "sends JSON that is not plain UTF-8"
    NOT_OFFERED = "asks for what the client does not offer"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolFault:
    """One kind of fault, however often it was seen."""

    kind: FaultKind
    count: int
    example: str
    """Of the first: a reason or a method. May quote foreign text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """What a server said of one call before it was made."""

    name: str
    """Of the tool. Foreign text."""
    result: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedAnswer:
    """An answer that may be kept by caches and given to others: `cacheScope` is public. Source: MCP 2026-07-28, Caching."""

    method: str
    name: str
    """Of the tool or resource that was asked for; empty for a list. Foreign text."""
    result: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What went over the wire, as far as rules look at it."""

    faults: tuple[ProtocolFault, ...] = ()
    shared: tuple[SharedAnswer, ...] = ()
    resolved: tuple[Resolved, ...] = ()


QUIET = Traffic()


def traffic_of(timeline: Timeline) -> Traffic:
    """What the frames of a session show. Linear in their size."""
    return Traffic(
        faults=faults_of(timeline),
        shared=shared_in(timeline.matched),
        resolved=resolved_in(timeline.matched),
    )


def faults_of(timeline: Timeline) -> tuple[ProtocolFault, ...]:
    """The protocol faults among what a server sent, one for each kind. Linear in the frames."""
    found: dict[FaultKind, list[str]] = {}
    for kind, example in _faults(timeline):
        found.setdefault(kind, []).append(example)
    return tuple(
        ProtocolFault(kind=kind, count=len(examples), example=examples[0]) for kind, examples in found.items()
    )


def _faults(timeline: Timeline) -> Iterator[tuple[FaultKind, str]]:
    for entry in timeline.entries:
        if entry.kind is EntryKind.FAULT and entry.title == "unexpected answer":
            yield FaultKind.UNASKED, entry.detail
        elif entry.kind is EntryKind.SERVER_REQUEST and entry.title.partition(" ")[0] in _NOT_OFFERED:
            yield FaultKind.NOT_OFFERED, entry.title
    for frame in timeline.frames:
        # A browser speaks another protocol, and is not the one that is reviewed.
        if frame.direction is not Direction.RECEIVED or frame.channel is Channel.CDP:
            continue
        if isinstance(frame.body, JsonText):
            yield from ((FaultKind.ENCODING, fault) for fault in frame.body.faults)
        for message in messages(frame.body):
            match message:
                case Malformed():
                    yield FaultKind.NOISE, message.reason
                case Response(faults=faults):
                    yield from ((FaultKind.MISSHAPEN, fault) for fault in faults)
                case _:
                    pass


_NOT_OFFERED = frozenset({"sampling/createMessage", "elicitation/create", "roots/list"})
"""What a client has to announce; Sightline announces nothing."""


def answered_in(matched: Iterable[Matched]) -> Iterator[tuple[Request, JsonObject]]:
    """Sightline's own requests that were answered with an object, each with it, in the order of the answers."""
    for one in matched:
        for event in one.events:
            answer = own_answer(event)
            if answer:
                yield answer


def shared_in(matched: Iterable[Matched]) -> tuple[SharedAnswer, ...]:
    """The answers that may be shared, in the order they came."""
    return tuple(
        SharedAnswer(method=asked.method, name=_name(asked.params), result=result)
        for asked, result in answered_in(matched)
        if result.get("cacheScope") == "public"
    )


def resolved_in(matched: Iterable[Matched]) -> tuple[Resolved, ...]:
    """What was said of calls before they were made, in the order it came."""
    return tuple(
        Resolved(name=_name(asked.params), result=result)
        for asked, result in answered_in(matched)
        if asked.method == METHOD
    )


def _name(params: Json) -> str:
    said = params if isinstance(params, dict) else {}
    return next((name for key in ("name", "uri") if isinstance(name := said.get(key), str)), "")
