"""Further input of a review: other listings, other servers, and protocol traffic."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from inspector.asks.ask import CAPABILITIES
from inspector.claims.resolution import METHOD
from inspector.credentials.find import sightings
from inspector.json.exact import Json, JsonObject, JsonText, dump
from inspector.json.members import object_at
from inspector.pins.diff import is_same
from inspector.pins.pins import ServerDefinitions
from inspector.protocol.catalogue import Kind, Tool
from inspector.protocol.exchanges import Answered, Asked, Matched, own_answer
from inspector.protocol.frames import (
    PRINTED,
    WITHOUT_ID,
    Channel,
    Direction,
    Notification,
    Request,
    Response,
    messages,
)
from inspector.protocol.server_requests import ELICIT, ServerRequest, server_requests
from inspector.protocol.timeline import Entry, EntryKind, Timeline


class ListingKind(StrEnum):
    """The kind of a listing with which the reviewed listing is compared. The values are shown to the user."""

    PINNED = "the pinned definitions"
    """An earlier listing that the user accepted."""
    FIRST = "the first listing of the session"
    """The first listing of the session, with only the definitions that have changed since then."""
    AGAIN = "the listing after the calls"
    OTHER_CLIENT = "the listing under another client name"
    OTHER_PROFILE = "the listing under another client profile"
    SAME_CLIENT = "the listing of another connection"
    """The listing of another connection under the same client name and profile.

    Its differences from the reviewed listing do not depend on the client.
    """

    @property
    def is_earlier(self) -> bool:
        """True if the listing is from before the reviewed one."""
        return self in {ListingKind.PINNED, ListingKind.FIRST}


class OtherListing(Struct, frozen=True, kw_only=True):
    """Another listing of the same server: at another time, or for another client."""

    kind: ListingKind
    definitions: ServerDefinitions
    """The definitions. If `kind` is `AGAIN`, ignore the instructions, which later listings do not repeat."""
    announced: frozenset[Kind] = frozenset()
    """The lists for which the server sent a notification of change."""
    is_reconnected: bool = False
    """True if the client has reconnected since this listing.

    A change may then have happened between the connections, when the server could not announce it.
    """
    profile: str = ""
    """The name of the client profile that got this listing, if `kind` is `OTHER_PROFILE`; otherwise empty."""
    unstable: frozenset[str] = frozenset()
    """The names of items that differ even between two connections of the same client. Untrusted text.

    The empty name means the instructions.
    """

    def differing(self, present: ServerDefinitions) -> frozenset[str]:
        """The names of the items that differ from `present` or are missing on one side.

        The empty name means the instructions.
        """
        missing = {tool.name for tool in present.all} - {tool.name for tool in self.definitions.all}
        instructions = {""} if self.definitions.instructions != present.instructions else set[str]()
        return frozenset({tool.name for tool in self.apart_from(present)} | missing | instructions)

    def apart_from(self, present: ServerDefinitions) -> Iterator[Tool]:
        """The tools and items whose definitions are missing in `present` or differ there."""
        known = {tool.name: tool for tool in present.all}
        return (
            tool
            for tool in self.definitions.all
            if tool.name not in known or not is_same(known[tool.name], tool)
        )


class Neighbour(Struct, frozen=True, kw_only=True):
    """Another server in the same review."""

    target: str
    """The target as the user wrote it, safe to show."""
    tools: tuple[str, ...]
    """The names of the server's tools. Untrusted text."""


class FaultKind(StrEnum):
    """A protocol fault of a server. The values are shown to the user."""

    STRAY_OUTPUT = "sends output that is not a message"
    UNASKED = "sends responses without a request"
    MISSHAPEN = "sends malformed messages"
    ENCODING = "sends JSON that is not plain UTF-8"
    NOT_OFFERED = "requests features that the client does not offer"


class ProtocolFault(Struct, frozen=True, kw_only=True):
    """The protocol faults of one kind, with their number and the first fault as an example."""

    kind: FaultKind
    count: int
    example: str
    """The first fault: the line that the server printed, a description, or the method that it requested.

    May quote untrusted text.
    """
    where: str = ""
    """The message and field of the first fault: in the field `jsonrpc` of the answer to tools/call."""
    tools: tuple[str, ...] = ()
    """The tools during whose calls such faults arrived, as far as it is known. Untrusted text."""


class LoggedCredential(Struct, frozen=True, kw_only=True):
    """A text that looks like a credential, in what a server wrote to stderr or sent as a log message."""

    title: str
    """The name of the credential's rule: `GitHub token`."""
    where: str
    tool: str = ""
    """The name of the tool during whose call the text was sent; empty if no call ran. Untrusted text."""


class Resolved(Struct, frozen=True, kw_only=True):
    """The server's answer to `tools/resolve`: its declarations for one call."""

    name: str
    """The name of the tool. Untrusted text."""
    result: JsonObject


class SharedAnswer(Struct, frozen=True, kw_only=True):
    """An answer with a public `cacheScope`, which caches may share between users.

    Source: MCP 2026-07-28, Caching.
    """

    method: str
    name: str
    """The name of the requested tool or resource; empty for a list. Untrusted text."""
    result: JsonObject


class Traffic(Struct, frozen=True, kw_only=True):
    """The protocol traffic that rules check."""

    faults: tuple[ProtocolFault, ...] = ()
    logged: tuple[LoggedCredential, ...] = ()
    """Texts that look like credentials in stderr and logs, without duplicates."""
    shared: tuple[SharedAnswer, ...] = ()
    resolved: tuple[Resolved, ...] = ()
    asks: tuple[ServerRequest, ...] = ()
    """The server's requests to the user or to a model, without duplicates."""
    listings: int = 0
    """The number of times that the tools were listed."""

    @property
    def forms(self) -> tuple[Json, ...]:
        """The schemas of the forms that the user was asked to fill in. They are untrusted."""
        schemas = (ask.params.get("requestedSchema") for ask in self.asks if ask.method == ELICIT)
        return tuple(schema for schema in schemas if schema is not None)


QUIET = Traffic()


def traffic_of(timeline: Timeline) -> Traffic:
    """The faults, shared answers, resolutions and requests in the frames of a session. Linear in their size."""
    return Traffic(
        faults=faults_of(timeline),
        logged=tuple(dict.fromkeys(_logged(timeline))),
        shared=shared_in(timeline.matched),
        resolved=resolved_in(timeline.matched),
        asks=asks_in(timeline.matched),
        listings=sum(
            asked.method == Kind.TOOL.method
            and not (isinstance(asked.params, dict) and "cursor" in asked.params)
            for asked, _ in answered_in(timeline.matched)
        ),
    )


_ANNOUNCED_BY = {
    "notifications/tools/list_changed": frozenset({Kind.TOOL}),
    "notifications/prompts/list_changed": frozenset({Kind.PROMPT}),
    "notifications/resources/list_changed": frozenset({Kind.RESOURCE, Kind.TEMPLATE}),
}
"""The lists that a notification reports as changed, by its method."""


def announced_in(matched: Iterable[Matched]) -> frozenset[Kind]:
    """The lists for which a server sent a notification of change."""
    return frozenset(
        kind
        for one in matched
        if one.frame.direction is Direction.RECEIVED
        for event in one.events
        if isinstance(event, Notification)
        for kind in _ANNOUNCED_BY.get(event.method, ())
    )


def faults_of(timeline: Timeline) -> tuple[ProtocolFault, ...]:
    """The protocol faults in a server's frames, one per kind. Linear in the frames."""
    by_kind: dict[FaultKind, ProtocolFault] = {}
    for each in _faults(timeline):
        first = by_kind.setdefault(each.kind, replace(each, count=0, tools=()))
        tools = first.tools if set(each.tools) <= set(first.tools) else (*first.tools, *each.tools)
        by_kind[each.kind] = replace(first, count=first.count + 1, tools=tools)
    return tuple(by_kind.values())


def _one(kind: FaultKind, example: str, where: str) -> ProtocolFault:
    return ProtocolFault(kind=kind, count=1, example=example, where=where)


def _faults(timeline: Timeline) -> Iterator[ProtocolFault]:
    not_offered = CAPABILITIES.keys() - offered_in(timeline.matched)
    for entry in timeline.entries:
        if entry.kind is EntryKind.FAULT and entry.title == "unexpected answer":
            # Without an id, the answer is misshapen, which is reported below.
            if not entry.detail.startswith(WITHOUT_ID):
                yield _one(FaultKind.UNASKED, entry.detail, "in the field `id` of an answer")
        elif entry.kind is EntryKind.FAULT and entry.title == "not a message":
            yield from _stray_output(timeline, entry)
        elif entry.kind is EntryKind.SERVER_REQUEST and entry.title.partition(" ")[0] in not_offered:
            yield _one(FaultKind.NOT_OFFERED, entry.title, "in the field `method` of a request by the server")
    for matched in timeline.matched:
        frame = matched.frame
        # A browser uses a protocol of its own, which is not reviewed.
        if frame.direction is not Direction.RECEIVED or frame.channel is Channel.CDP:
            continue
        if isinstance(frame.body, JsonText):
            yield from (
                _one(FaultKind.ENCODING, fault, f"in {_named(matched)}") for fault in frame.body.faults
            )
        for message in messages(frame.body):
            for fault in message.faults if isinstance(message, Response) else ():
                where = f"in the field `{_FIELDS.get(fault, 'id')}` of {_named(matched)}"
                yield _one(FaultKind.MISSHAPEN, fault, where)


def _logged(timeline: Timeline) -> Iterator[LoggedCredential]:
    call: Entry | None = None
    for entry in timeline.entries:
        call = entry if _is_call(entry) else call
        where = _LOGS.get(entry.kind)
        for found in sightings(entry.detail) if where else ():
            yield LoggedCredential(
                title=found.rule.title, where=where or "", tool=_name_during(call, entry.at_s)
            )


def _stray_output(timeline: Timeline, entry: Entry) -> Iterator[ProtocolFault]:
    frame = timeline.frame(entry.frames[0])
    if frame is not None and frame.direction is Direction.RECEIVED and frame.channel is not Channel.CDP:
        is_line = frame.channel is Channel.STDIO
        where = "printed to stdout" if is_line else "a body or an event over HTTP"
        during = _called_at(timeline.entries, entry)
        where += f" during the call of {during}" if during else ""
        said = _one(FaultKind.STRAY_OUTPUT, entry.detail.removeprefix(PRINTED), where)
        yield replace(said, tools=(during,) if during else ())


def _called_at(entries: Sequence[Entry], printed: Entry) -> str:
    """The name of the tool that was being called when a line was printed; empty if none was. Untrusted text."""
    before = (entries[number] for number in range(printed.number - 1, -1, -1))
    return _name_during(next(filter(_is_call, before), None), printed.at_s)


def _is_call(entry: Entry) -> bool:
    return entry.kind is EntryKind.EXCHANGE and entry.title.startswith(_CALL)


def _name_during(call: Entry | None, at_s: float) -> str:
    """The name of the tool that `call` calls; empty if there is no call, or if it was over at `at_s`."""
    if call is None or (call.duration_s is not None and call.at_s + call.duration_s < at_s):
        return ""
    return call.title.removeprefix(_CALL)


_LOGS = {EntryKind.STDERR: "stderr", EntryKind.LOG: "a log message"}
_CALL = "tools/call "
_FIELDS = {'jsonrpc is not "2.0"': "jsonrpc", "both result and error": "error", WITHOUT_ID: "id"}
"""The field in which a fault of a response is, by the text of the fault."""


def _named(matched: Matched) -> str:
    """A description of the message in a frame."""
    for event in matched.events:
        match event:
            case Answered(exchange=exchange):
                return f"the answer to {exchange.request.method}"
            case Asked(exchange=exchange):
                return f"the request {exchange.request.method}"
            case Notification(method=method):
                return f"the notification {method}"
            case _:
                pass
    return "an answer"


def offered_in(matched: Iterable[Matched]) -> frozenset[str]:
    """The methods of server requests for which the client announced support in a handshake.

    Empty in stateless protocol revisions.
    """
    announced: set[str] = set()
    for one in matched:
        for event in one.events:
            if isinstance(event, Asked) and event.exchange.request.method == "initialize":
                announced.update(object_at(event.exchange.request.params, "capabilities"))
    return frozenset(method for method, capability in CAPABILITIES.items() if capability in announced)


def answered_in(matched: Iterable[Matched]) -> Iterator[tuple[Request, JsonObject]]:
    """Sightline's own requests that were answered with an object, in the order of the answers."""
    for one in matched:
        for event in one.events:
            answer = own_answer(event)
            if answer:
                yield answer


def shared_in(matched: Iterable[Matched]) -> tuple[SharedAnswer, ...]:
    """The answers that caches may share between users, in the order of arrival."""
    return tuple(
        SharedAnswer(method=asked.method, name=_name(asked.params), result=result)
        for asked, result in answered_in(matched)
        if result.get("cacheScope") == "public"
    )


def resolved_in(matched: Iterable[Matched]) -> tuple[Resolved, ...]:
    """The answers of a server to `tools/resolve`, in the order of arrival."""
    return tuple(
        Resolved(name=_name(asked.params), result=result)
        for asked, result in answered_in(matched)
        if asked.method == METHOD
    )


def asks_in(matched: Iterable[Matched]) -> tuple[ServerRequest, ...]:
    """The server's requests to the user or to a model, without duplicates, in the order of arrival."""
    found = server_requests(matched)
    return tuple({(ask.method, ask.key, dump(ask.params)): ask for ask in found}.values())


def _name(params: Json) -> str:
    members = params if isinstance(params, dict) else {}
    return next((name for key in ("name", "uri") if isinstance(name := members.get(key), str)), "")
