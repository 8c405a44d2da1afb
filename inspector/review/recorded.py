"""A recording as a review gets it: what the server offered, what calls returned, what went wrong on the wire."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Catalogue, Kind, Listing, Tool
from inspector.protocol.exchanges import Matched
from inspector.protocol.frames import Direction, Notification
from inspector.protocol.timeline import Timeline
from inspector.recording.format import Connected, Header, Line, RecordedCall, RecordedFrame
from inspector.recording.replaying import LeftOut, Replay, ReplayedCall, left_out_in, left_out_of
from inspector.review.finding import SubjectKind
from inspector.review.reviewed import Offer, Reviewed, ReviewedCall, reviewed
from inspector.review.seen import (
    QUIET,
    ListingKind,
    OtherListing,
    answered_in,
    traffic_of,
)
from inspector.schema.validation import violations

_OF_HTTP = frozenset({"http", "sse", "page"})
_IDENTITY = "io.modelcontextprotocol/serverInfo"
_REVISION = "io.modelcontextprotocol/protocolVersion"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What a recording shows."""

    reviewed: Reviewed
    server: str
    version: str
    """Of the server."""
    protocol: str
    """The revision that was spoken; empty where that was not recorded. All three are foreign text."""
    is_page: bool
    """Of a page there are the tools alone that were called."""


def recorded(header: Header, lines: Iterable[Line]) -> Recorded:
    """What the lines behind `header` show. Linear; never raises."""
    timeline, replay = Timeline(), Replay()
    calls: list[tuple[ReplayedCall, LeftOut]] = []
    altered: set[tuple[str, int]] = set()
    """Requests that are not recorded as they were: ("frame", its number) or ("call", the number of a page's call)."""
    for line in lines:
        match line:
            case RecordedFrame():
                matched = replay.matched(line)
                timeline.fold(matched)
                left_out = left_out_of(line)
                if left_out and line.direction is Direction.SENT:
                    altered.add(("frame", line.number))
                calls += ((call, left_out) for call in replay.take(matched))
            case Connected():
                replay.connect()
            case RecordedCall():
                call = replay.call(line)
                calls.append((call, left_out_of(line)))
                if left_out_in({"result": line.arguments}):
                    altered.add(("call", call.frame))
            case _:
                pass
    first, others = _listings(timeline.matched)
    is_page = header.kind == "page"
    catalogue = _of_calls(call for call, _ in calls) if is_page else first
    said = _said(timeline.matched)
    found = reviewed(
        catalogue,
        server={key: value for key, value in said.items() if key != "protocol"},
        listings=others,
        # The browser's own frames are recorded without their words.
        traffic=QUIET if is_page else traffic_of(timeline),
    )
    origin = header.target.removeprefix("web+") if header.kind in _OF_HTTP else None
    return Recorded(
        reviewed=replace(found, calls=tuple(_made(found, calls, altered, origin))),
        server=str(said.get("name", "")),
        version=str(said.get("version", "")),
        protocol=str(said.get("protocol", "")),
        is_page=is_page,
    )


def _made(
    found: Reviewed,
    calls: Iterable[tuple[ReplayedCall, LeftOut]],
    altered: set[tuple[str, int]],
    origin: str | None,
) -> Iterator[ReviewedCall]:
    offers = {offer.name: offer for offer in found.tools}
    for call, left_out in calls:
        definition = call.tool.definition if call.tool else {}
        offer = offers.get(call.name)
        if offer is None or offer.definition != definition:
            offer = Offer(kind=SubjectKind.TOOL, name=call.name, definition=definition, tool=call.tool)
        schema = definition.get("inputSchema")
        # What stands for a withheld argument need not fit the schema.
        is_whole = (("frame", call.asked) if call.asked else ("call", call.frame)) not in altered
        misfit = is_whole and schema is not None and bool(violations(call.arguments, schema, limit=1))
        yield ReviewedCall(offer=offer, outcome=call.outcome, misfit=misfit, origin=origin, left_out=left_out)


_KINDS = {kind.method: kind for kind in Kind}


def _of_calls(calls: Iterable[ReplayedCall]) -> Catalogue:
    tools: dict[str, Tool] = {}
    for call in calls:
        if call.tool:
            tools.setdefault(call.name, call.tool)
    return Catalogue(entries={Kind.TOOL: tuple(tools.values())})


def _listings(matched: Sequence[Matched]) -> tuple[Catalogue, tuple[OtherListing, ...]]:
    """The first listing of each kind, and where tools were listed again, the last listing of them."""
    rounds: dict[Kind, list[Listing]] = {}
    announced = any(
        isinstance(event, Notification) and event.method == "notifications/tools/list_changed"
        for one in matched
        if one.frame.direction is Direction.RECEIVED
        for event in one.events
    )
    for asked, result in answered_in(matched):
        kind = _KINDS.get(asked.method)
        if kind is None:
            continue
        taken = rounds.setdefault(kind, [])
        if not taken or not (isinstance(asked.params, dict) and "cursor" in asked.params):
            taken.append(Listing(kind))
        taken[-1].take(result)
    first = Catalogue(
        entries={kind: tuple(taken[0].entries) for kind, taken in rounds.items()},
        problems=tuple(problem for taken in rounds.values() for problem in taken[0].problems),
    )
    again = tuple(
        OtherListing(
            kind=ListingKind.AGAIN,
            tools=tuple(entry for entry in listing.entries if isinstance(entry, Tool)),
            announced=announced,
        )
        for listing in rounds.get(Kind.TOOL, [])[1:][-1:]
    )
    return first, again


def _said(matched: Iterable[Matched]) -> JsonObject:
    """`name`, `version`, `instructions` and `protocol` of the server, as far as it said them."""
    found: JsonObject = {}
    for asked, result in answered_in(matched):
        if asked.method not in {"initialize", "server/discover"}:
            continue
        identity = result.get("serverInfo", _member(result.get("_meta"), _IDENTITY))
        revision = _member(_member(asked.params, "_meta"), _REVISION)
        said = {
            "name": _member(identity, "name"),
            "version": _member(identity, "version"),
            "instructions": result.get("instructions"),
            "protocol": result.get("protocolVersion", revision),
        }
        found |= {key: value for key, value in said.items() if isinstance(value, str)}
    return found


def _member(value: Json, key: str) -> Json:
    return value.get(key) if isinstance(value, dict) else None
