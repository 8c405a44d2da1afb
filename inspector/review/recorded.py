"""Extracts the input of a review from a recording: definitions, results, and protocol faults."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from inspector.json.exact import Json, JsonObject
from inspector.pins.pins import ServerDefinitions, definitions_of
from inspector.protocol.catalogue import Catalogue, Kind, Listing, Tool
from inspector.protocol.client import REVISION_META
from inspector.protocol.exchanges import Matched
from inspector.protocol.frames import Direction
from inspector.protocol.timeline import Timeline
from inspector.recording.format import Connected, Header, Line, Listed, RecordedCall, RecordedFrame
from inspector.recording.replaying import (
    LeftOut,
    Replay,
    ReplayedCall,
    left_out_in,
    left_out_of,
    tools_in,
    with_omitted,
)
from inspector.review.finding import SubjectKind
from inspector.review.reviewed import Offer, Reviewed, ReviewedCall, numbered, reviewed
from inspector.review.seen import (
    QUIET,
    ListingKind,
    OtherListing,
    announced_in,
    answered_in,
    traffic_of,
)
from inspector.safe_text import safe_line
from inspector.schema.validation import violations

_OF_HTTP = frozenset({"http", "sse", "page"})
_IDENTITY = "io.modelcontextprotocol/serverInfo"


class Recorded(Struct, frozen=True, kw_only=True):
    """The input of a review from a recording, and facts about the server."""

    reviewed: Reviewed
    server: str
    version: str
    """The version of the server."""
    protocol: str
    """The protocol revision; empty if unknown. Like `server` and `version`, it is untrusted text."""
    clients: tuple[str, ...]
    """The client profiles for which the server listed definitions.

    The first is the profile of the reviewed definitions. It is an empty string if the recording names none.
    """
    is_page: bool
    has_only_called: bool
    """True for a recording of a page in version 1 of the format, which has no lists of tools."""


def recorded(header: Header, lines: Iterable[Line]) -> Recorded:
    """Read the lines after `header`. Linear. Never raises."""
    timeline, replay = Timeline(), Replay()
    calls: list[tuple[ReplayedCall, LeftOut]] = []
    by_client: dict[str, list[Matched]] = {header.client: []}
    frames = by_client[header.client]
    of_page: dict[str, Tool] = {}
    altered: set[tuple[str, int]] = set()
    """The requests in which the recording lacks values: ("frame", number) or ("call", number of a page's call)."""
    for line in lines:
        match line:
            case RecordedFrame():
                matched = replay.matched(line)
                timeline.add(matched)
                frames.append(matched)
                left_out = left_out_of(line)
                if left_out and line.direction is Direction.SENT:
                    altered.add(("frame", line.number))
                calls += (
                    (with_omitted(call, line), left_out_of(line, call.member) if call.member else left_out)
                    for call in replay.take(matched)
                )
            case Listed():
                of_page |= {tool.name: tool for tool in tools_in(line)}
            case Connected(client=client):
                replay.connect()
                frames = by_client.setdefault(client, []) if client else frames
            case RecordedCall():
                call = replay.call(line)
                calls.append((call, left_out_of(line)))
                if left_out_in({"result": line.arguments}):
                    altered.add(("call", call.frame))
            case _:
                pass
    calls += ((call, ()) for call in replay.unanswered.values())
    rounds = {client: _rounds(seen) for client, seen in by_client.items()}
    listed_as = [client for client, found in rounds.items() if found] or [header.client]
    first_frames = by_client[listed_as[0]]
    first, again = _listings(rounds[listed_as[0]], first_frames)
    others = (_listing_as(client, rounds[client], by_client[client]) for client in listed_as[1:])
    is_page = header.kind == "page"
    catalogue = _of_page(of_page, (call for call, _ in calls)) if is_page else first
    identity = _identity_of(first_frames)
    whole = reviewed(
        catalogue,
        server={key: value for key, value in identity.items() if key != "protocol"},
        listings=(*again, *others),
        # Frames of the browser are recorded without their text.
        traffic=QUIET if is_page else traffic_of(timeline),
    )
    origin = header.target.removeprefix("web+") if header.kind in _OF_HTTP else None
    return Recorded(
        reviewed=dataclasses.replace(whole, calls=numbered(_calls(whole, calls, altered, origin))),
        server=str(identity.get("name", "")),
        version=str(identity.get("version", "")),
        protocol=str(identity.get("protocol", "")),
        clients=tuple(listed_as),
        is_page=is_page,
        has_only_called=is_page and not of_page,
    )


def _calls(
    whole: Reviewed,
    calls: Iterable[tuple[ReplayedCall, LeftOut]],
    altered: set[tuple[str, int]],
    origin: str | None,
) -> Iterator[ReviewedCall]:
    offers = {offer.name: offer for offer in whole.tools}
    for call, left_out in calls:
        definition = call.tool.definition if call.tool else {}
        offer = offers.get(call.name)
        if offer is None or offer.definition != definition:
            offer = Offer(kind=SubjectKind.TOOL, name=call.name, definition=definition, tool=call.tool)
        schema = definition.get("inputSchema")
        # The placeholder for a withheld argument need not fit the schema.
        is_whole = (("frame", call.asked) if call.asked else ("call", call.frame)) not in altered
        misfit = is_whole and schema is not None and bool(violations(call.arguments, schema, limit=1))
        yield ReviewedCall(
            offer=offer, outcome=call.outcome, misfit=misfit, origin=origin, left_out=left_out[::-1]
        )


_KINDS = {kind.method: kind for kind in Kind}
_Rounds: TypeAlias = Mapping[Kind, Sequence[Listing]]


def _of_page(listed: Mapping[str, Tool], calls: Iterable[ReplayedCall]) -> Catalogue:
    """All tools that a page listed at any time or that were called, each with its last listed definition."""
    tools = dict(listed)
    for call in calls:
        if call.tool:
            tools.setdefault(call.name, call.tool)
    return Catalogue(entries={Kind.TOOL: tuple(tools.values())})


def _listings(rounds: _Rounds, matched: Sequence[Matched]) -> tuple[Catalogue, tuple[OtherListing, ...]]:
    """The catalogue to review, with the first list of each kind; and the listings to compare it with.

    If any list was requested again, there is one such listing, with the last list of each kind. Otherwise
    there is none.
    """
    first = Catalogue(
        entries={kind: tuple(listings[0].entries) for kind, listings in rounds.items()},
        problems=tuple(problem for listings in rounds.values() for problem in listings[0].problems),
    )
    if all(len(listings) == 1 for listings in rounds.values()):
        return first, ()
    again = OtherListing(
        kind=ListingKind.AGAIN, definitions=_last(rounds, None), announced=announced_in(matched)
    )
    return first, (again,)


def _listing_as(client: str, rounds: _Rounds, matched: Sequence[Matched]) -> OtherListing:
    """The last listing that the server gave to a client with another profile."""
    said = _identity_of(matched).get("instructions")
    return OtherListing(
        kind=ListingKind.OTHER_PROFILE,
        definitions=_last(rounds, said if isinstance(said, str) else None),
        profile=safe_line(client),
    )


def _last(rounds: _Rounds, instructions: str | None) -> ServerDefinitions:
    last = Catalogue(entries={kind: tuple(listings[-1].entries) for kind, listings in rounds.items()})
    return definitions_of(last, instructions)


def _rounds(matched: Iterable[Matched]) -> _Rounds:
    """The listings in the order of their requests, by kind. The pages of a list make one listing."""
    rounds: dict[Kind, list[Listing]] = {}
    for asked, result in answered_in(matched):
        kind = _KINDS.get(asked.method)
        if kind is None:
            continue
        listings = rounds.setdefault(kind, [])
        if not listings or not (isinstance(asked.params, dict) and "cursor" in asked.params):
            listings.append(Listing(kind))
        listings[-1].take(result)
    return rounds


def _identity_of(matched: Iterable[Matched]) -> JsonObject:
    """The server's `name`, `version`, `instructions` and `protocol`, as far as known."""
    known: JsonObject = {}
    for asked, result in answered_in(matched):
        if asked.method not in {"initialize", "server/discover"}:
            continue
        identity = result.get("serverInfo", _member(result.get("_meta"), _IDENTITY))
        revision = _member(_member(asked.params, "_meta"), REVISION_META)
        members = {
            "name": _member(identity, "name"),
            "version": _member(identity, "version"),
            "instructions": result.get("instructions"),
            "protocol": result.get("protocolVersion", revision),
        }
        known |= {key: value for key, value in members.items() if isinstance(value, str)}
    return known


def _member(value: Json, key: str) -> Json:
    return value.get(key) if isinstance(value, dict) else None
