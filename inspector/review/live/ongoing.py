"""Reviews a session in small steps, so that a large server does not block the screen; makes the report."""

import dataclasses
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from inspector.pins.pins import definitions_of
from inspector.protocol.catalogue import Catalogue, Item, Kind
from inspector.protocol.outcome import RpcError
from inspector.review.covering import COVERED, Covering
from inspector.review.finding import Finding, SubjectKind
from inspector.review.live.accepted import AcceptedFindings
from inspector.review.live.board import TO_MODEL, Board, LastCall, Material, Subject, subject_of
from inspector.review.registry import findings_of, rules
from inspector.review.report import (
    NEVER_CHECKED,
    NOT_IN_SESSION,
    NotChecked,
    Report,
    ReportEntry,
    addresses_not_visited,
    contents_not_read,
    fingerprint,
    listed_once,
    not_called,
    not_recorded,
    other_arguments,
    other_servers,
    skills_not_read,
)
from inspector.review.reviewed import Offer, Reviewed, ReviewedCall, requests_of, reviewed
from inspector.review.rule import ReviewRule
from inspector.review.seen import (
    QUIET,
    ListingKind,
    Neighbour,
    OtherListing,
    Traffic,
    announced_in,
    traffic_of,
)

if TYPE_CHECKING:
    from inspector.json.exact import JsonObject

_Seen: TypeAlias = tuple[tuple[OtherListing, ...], tuple[Neighbour, ...], Traffic]

SLICE, MOST = 250, 1_000
"""The maximum number of definitions reviewed in the first step of a listing, and in any step.

Each step is twice as large as the one before, so that the first findings come soon and the steps are few.
"""


_MOST_EARLIER = 200
"""The maximum number of findings about earlier results that are kept for a tool."""
_MOST_CALLS = 1_000
"""The maximum number of calls with findings in `_to_model`. Each has at most `_MOST_EARLIER` findings."""


class _Called(Struct, frozen=True, kw_only=True):
    """The findings about the results of a tool."""

    number: int
    definition: "JsonObject"
    entries: tuple[ReportEntry, ...]
    unread: tuple[NotChecked, ...]
    earlier: tuple[ReportEntry, ...]
    """The findings about earlier results that the last result did not repeat."""


class OngoingReview:
    """Collects the findings of a review, step by step. Not thread-safe."""

    def __init__(self) -> None:
        self._size = SLICE
        """The maximum number of definitions reviewed in the next step."""
        self._waiting: list[Offer] = []
        """The definitions that are not reviewed yet, in reverse order."""
        self._judged: dict[int, tuple[object, tuple[ReportEntry, ...]]] = {}
        """The reviewed object and its findings, by the `id()` of the object.

        The object is kept alive so that its `id()` stays unique.
        """
        self._order: list[int] = []
        self._called: dict[str, _Called] = {}
        self._to_model: dict[int, tuple[ReportEntry, ...]] = {}
        """The findings of the rules in `TO_MODEL`, by the number of the call."""
        self._beside: tuple[ReportEntry, ...] = ()
        """The findings of rules that compare definitions, and those about requests by the server."""
        self._lost: tuple[ReportEntry, ...] = ()
        """The findings about the messages of earlier connections."""
        self._seen: _Seen | None = None
        """The input of the rules that compare definitions, apart from the catalogue."""
        self._was_listed = False
        """True if an earlier connection listed the tools."""
        self._renewed_after = 0
        """The number of the last call before the server was replaced by another version."""
        self._catalogue: Catalogue | None = None
        self._server: JsonObject = {}
        self._covering = Covering()
        self._repeating: tuple[object, frozenset[str]] = (None, frozenset())
        """The last input of `_repeated`, and the names of those definitions that contain a withheld value."""

    def reconnect(self, *, is_renewed: bool = False) -> None:
        """Keep the findings about protocol messages, because the next connection has a timeline of its own.

        `is_renewed`: True if the server may be another version. Then the findings about messages are dropped,
        and the findings about the results of a tool are dropped at its next call.
        """
        if is_renewed:
            self._lost = ()
            self._renewed_after = max((found.number for found in self._called.values()), default=0)
        else:
            found = (entry for entry in (*self._beside, *self._lost) if _is_of_traffic(entry.finding))
            self._lost = tuple({entry.fingerprint: entry for entry in found}.values())[:_MOST_EARLIER]
        self._was_listed = self._was_listed or self._traffic.listings > 0

    @property
    def _traffic(self) -> Traffic:
        return self._seen[2] if self._seen else QUIET

    def step(self, material: Material, size: int | None = None) -> Board:
        """Review new results and up to `size` definitions. After the last definition, compare all of them."""
        if material.catalogue is not self._catalogue or material.server != self._server:
            self._begin(material)
        self._judge_calls(material)
        if size is None:
            size, self._size = self._size, min(2 * self._size, MOST)
        self._judge(tuple(self._waiting.pop() for _ in range(min(size, len(self._waiting)))))
        complete = not self._waiting
        if complete:
            self._judge_together(material)
        total = len(self._order)
        repeating = self._repeated(material)
        return Board(
            by_subject=self._by_subject(repeating),
            reviewed=total - len(self._waiting),
            total=total,
            not_checked=tuple(
                each.masked(self._covering.text)
                for each in (
                    *not_checked(
                        material,
                        self._called.keys(),
                        still=len(self._waiting),
                        total=total,
                        is_listed_again=self._was_listed or self._traffic.listings > 1,
                    ),
                    *addresses_not_visited(self._traffic.asks),
                    *(each for found in self._called.values() for each in found.unread),
                )
            ),
            unshown=frozenset(name for name in repeating if self._covering.text(name) != name),
            earlier=frozenset(
                entry.fingerprint for found in self._called.values() for entry in found.earlier
            ),
            before=frozenset(
                _mark(entry)
                for call in {call.name: call for call in material.calls}.values()
                if call.is_before
                for entry in self._called[call.name].entries
            )
            | set(map(_mark, self._lost)).difference(map(_mark, self._beside)),
            waiting=frozenset((offer.kind, offer.name) for offer in self._waiting),
            to_model=dict(self._to_model),
            is_complete=complete,
        )

    def _begin(self, material: Material) -> None:
        """Start with another listing. Definitions that did not change keep their findings."""
        self._catalogue, self._server = material.catalogue, material.server
        offers = reviewed(material.catalogue, server=material.server).offers
        self._order = [id(_sent(offer)) for offer in offers]
        known = self._judged
        self._judged = {place: known[place] for place in self._order if place in known}
        self._waiting = [offer for offer in reversed(offers) if id(_sent(offer)) not in known]
        self._beside, self._seen = (), None
        self._size = SLICE

    def _judge(self, offers: tuple[Offer, ...]) -> None:
        entries: dict[int, list[ReportEntry]] = {id(_sent(offer)): [] for offer in offers}
        # If two tools have the same name, the first one gets the findings of both.
        by_name = {offer.name: entries[id(_sent(offer))] for offer in reversed(offers)}
        for entry in _entries(findings_of(Reviewed(offers=offers), _rules("each"))):
            by_name[entry.finding.name].append(entry)
        for offer in offers:
            sent = _sent(offer)
            self._judged[id(sent)] = (sent, tuple(entries[id(sent)]))

    def _judge_together(self, material: Material) -> None:
        traffic = traffic_of(material.timeline)
        # If this connection has listed twice, the server could have announced a change in between.
        is_reconnected = self._was_listed and traffic.listings <= 1
        seen = (_with_announced(material, is_reconnected=is_reconnected), material.neighbours, traffic)
        if seen != self._seen:
            self._seen = seen
            listings, neighbours, traffic = seen
            together = reviewed(
                material.catalogue,
                server=material.server,
                listings=listings,
                neighbours=neighbours,
                traffic=traffic,
            )
            asked = Reviewed(offers=requests_of(traffic))
            found = (*findings_of(together, _rules("whole")), *findings_of(asked, _rules("each")))
            self._beside = tuple(_entries(found))

    def _judge_calls(self, material: Material) -> None:
        called: dict[str, _Called] = {}
        last = {answered.name: answered.number for answered in material.calls}
        # A result may repeat what was withheld from an earlier one, so the order counts.
        for answered in sorted(material.calls, key=lambda answered: answered.number):
            name = answered.name
            before = called.get(name) or self._called.get(name)
            if before is not None and material.is_recorded and last[name] < before.number:
                # The position has moved back, so these findings are about results after the position.
                before = None
            is_known = before is not None and (
                answered.number <= before.number if material.is_recorded else answered.number == before.number
            )
            if before is None or not is_known:
                call = _call(answered, material.origin)
                call = dataclasses.replace(call, calls=tuple(map(self._covering.in_session, call.calls)))
                self._learn(call)
                entries = tuple(_entries(findings_of(call, _rules("call")), answered.number))
                self._keep_to_model(answered.number, entries)
                definition = call.calls[0].offer.definition
                # If the definition has changed, findings about earlier results say nothing about the tool.
                is_same = (
                    before is not None
                    and before.definition == definition
                    and before.number > self._renewed_after
                )
                before = _Called(
                    number=answered.number,
                    definition=definition,
                    entries=entries,
                    unread=tuple(each for one in call.calls for each in partly_read(one)),
                    earlier=_earlier(before, entries) if before is not None and is_same else (),
                )
            called[name] = before
        self._called = called

    def _keep_to_model(self, number: int, entries: tuple[ReportEntry, ...]) -> None:
        if found := [entry for entry in entries if entry.finding.id in TO_MODEL]:
            self._to_model[number] = tuple(found[:_MOST_EARLIER])
            while len(self._to_model) > _MOST_CALLS:
                del self._to_model[next(iter(self._to_model))]

    def _learn(self, call: Reviewed) -> None:
        for done in call.calls:
            self._covering.learn(done)
        self._repeating = (None, frozenset())

    def _repeated(self, material: Material) -> frozenset[str]:
        made_of, found = self._repeating
        traffic = self._traffic
        now = (material.catalogue, material.server, material.listings, traffic)
        if made_of is None or made_of != now:
            everything = reviewed(
                material.catalogue, server=material.server, listings=material.listings, traffic=traffic
            )
            found = self._covering.repeating(everything)
            self._repeating = (now, found)
        return found

    def _by_subject(self, repeating: frozenset[str]) -> dict[Subject, tuple[ReportEntry, ...]]:
        groups: dict[Subject, list[ReportEntry]] = {}
        judged = (self._judged[place][1] for place in self._order if place in self._judged)
        called = ((*each.entries, *each.earlier) for each in self._called.values())
        seen: set[tuple[str, str]] = set()
        for entries in (*judged, *called, self._beside, self._lost):
            for entry in entries:
                mark = _mark(entry)
                # If two tools have the same name, their findings may be the same; show each once.
                if mark not in seen:
                    seen.add(mark)
                    subject = subject_of(entry.finding)
                    shown = self._covering.finding(entry.finding, repeating)
                    if shown is not entry.finding:
                        entry = replace(entry, finding=shown, fingerprint=fingerprint(shown))  # noqa: PLW2901 - as it may be shown
                    groups.setdefault(subject, []).append(entry)
        return {subject: tuple(entries) for subject, entries in groups.items()}


def _with_announced(material: Material, *, is_reconnected: bool) -> tuple[OtherListing, ...]:
    """The other listings. In the session's first listing, `announced` and `is_reconnected` are set.

    `announced`: the lists that the server announced as changed. `is_reconnected`: True if that listing is
    from an earlier connection, and the present connection has listed the tools at most once.
    """
    if all(listing.kind is not ListingKind.FIRST for listing in material.listings):
        return material.listings
    announced = announced_in(material.timeline.matched)
    return tuple(
        replace(listing, announced=announced, is_reconnected=is_reconnected)
        if listing.kind is ListingKind.FIRST
        else listing
        for listing in material.listings
    )


def _mark(entry: ReportEntry) -> tuple[str, str]:
    """The key of a finding: its fingerprint and its message.

    The same fault in two connections has one fingerprint, but two messages.
    """
    return entry.fingerprint, entry.finding.message


def _is_of_traffic(finding: Finding) -> bool:
    return finding.subject is SubjectKind.REQUEST or finding.id.startswith("SL-PRO")


def _sent(offer: Offer) -> object:
    return offer.tool or offer.problem or offer.definition


def _call(answered: LastCall, origin: str | None) -> Reviewed:
    tool = answered.judgement.tool
    definition = tool.definition if tool else {}
    offer = Offer(kind=SubjectKind.TOOL, name=answered.name, definition=definition, tool=tool)
    call = ReviewedCall(
        offer=offer,
        outcome=answered.judgement.outcome,
        judgement=answered.judgement,
        origin=origin,
        left_out=answered.left_out,
    )
    return Reviewed(offers=(offer,), calls=(call,))


def _earlier(before: _Called, now: tuple[ReportEntry, ...]) -> tuple[ReportEntry, ...]:
    """The findings about earlier results, except those that the findings `now` repeat."""
    places = {entry.fingerprint for entry in now}
    left = [entry for entry in (*before.entries, *before.earlier) if entry.fingerprint not in places]
    return tuple(left[:_MOST_EARLIER])


def _entries(found: Iterable[Finding], call: int = 0) -> Iterator[ReportEntry]:
    return (ReportEntry(finding=finding, fingerprint=fingerprint(finding), call=call) for finding in found)


_KINDS = ("each", "whole", "call")


@cache
def _rules(kind: str) -> tuple[ReviewRule, ...]:
    """The rules that have a check of this kind, with their other checks removed."""
    beside = {other: None for other in _KINDS if other != kind}
    return tuple(replace(rule, **beside) for rule in rules() if getattr(rule, kind))


_SHARED_ONLY = NotChecked(
    what="added and removed definitions",
    why="the interface compares only definitions that an earlier listing has too; sightline review FILE compares whole listings",
)
_ONE_LISTING = listed_once(" in this session: the key L lists them again")


def partly_read(call: ReviewedCall) -> tuple[NotChecked, ...]:
    """The unchecked parts of a long result, of an error, or of an answer that does not end its call."""
    why = call.unfinished
    is_error = isinstance(call.outcome, RpcError) or call.result.get("isError") is True
    # An error is the right answer to arguments that the schema forbids.
    if not why and is_error and not call.misfit:
        why = "the call was answered with an error, so only the text of the error was checked"
    if why:
        return (NotChecked(what=f"results of {call.offer.name}", why=why),)
    if call.read.is_all:
        return ()
    what = f"the end of the result of {call.offer.name}"
    return (NotChecked(what=what, why=f"it is long: {call.read.limit}"),)


def not_checked(
    material: Material,
    called: Collection[str],
    *,
    still: int,
    total: int,
    is_listed_again: bool = False,
) -> tuple[NotChecked, ...]:
    """The parts that a running review did not check.

    `called`: the names of tools with a result. `still`: how many of the `total` definitions are not reviewed
    yet. `is_listed_again`: whether the definitions were listed more than once.
    """
    found = [*_not_reviewed(material, still, total)]
    found += _not_recorded(material, called) if material.is_recorded else _not_in_session(material, called)
    if material.client:
        found.append(NotChecked(what="definitions for other clients", why=material.client))
    if not is_listed_again and not material.is_page:
        found.append(listed_once(" in the recording") if material.is_recorded else _ONE_LISTING)
    elif material.is_recorded and not material.is_page:
        found.append(_SHARED_ONLY)
    compared = tuple(each.target for each in material.neighbours)
    return (*found, other_servers(compared, material.unlisted), *NEVER_CHECKED)


def _not_reviewed(material: Material, still: int, total: int) -> Iterator[NotChecked]:
    if still:
        yield NotChecked(
            what=f"{still:,} of {total:,} definitions", why="the review has not checked them yet"
        )
    if not material.has_all_messages:
        what = f"messages after the first {len(material.timeline.frames):,}"
        yield NotChecked(
            what=what, why="the recording is too long for the interface; `sightline review` checks all"
        )


def _not_recorded(material: Material, called: Collection[str]) -> Iterator[NotChecked]:
    return not_recorded(
        (tool.name for tool in material.catalogue.tools),
        (skill.name for skill in material.catalogue.items(Kind.SKILL)),
        _items(material.catalogue),
        called,
        until=material.until,
        lacks_values=any(call.left_out for call in material.calls),
        is_page=material.is_page,
    )


def _not_in_session(material: Material, called: Collection[str]) -> Iterator[NotChecked]:
    catalogue = material.catalogue
    if catalogue.tools and all(tool.name not in called for tool in catalogue.tools):
        yield NotChecked(what="results", why="no tool was called in this session")
    else:
        for tool in catalogue.tools:
            if tool.name not in called:
                yield not_called(tool.name, NOT_IN_SESSION)
    yield from skills_not_read((skill.name for skill in catalogue.items(Kind.SKILL)), called)
    yield from contents_not_read(_items(catalogue), called, "they were not read in this session")
    yield from material.not_pinned
    yield other_arguments("the results of this session")


def _items(catalogue: Catalogue) -> Iterator[Item]:
    return (item for kind in Kind for item in catalogue.items(kind))


def ranked(entries: Iterable[ReportEntry]) -> list[ReportEntry]:
    """The entries, sorted by severity (worst first), then by rule. Otherwise the order is kept."""
    return sorted(entries, key=lambda entry: (-entry.finding.severity.rank, entry.finding.id))


def report_of(
    board: Board,
    material: Material,
    accepted: AcceptedFindings,
    *,
    target: str,
    protocol: str,
    reviewed_by: str,
) -> Report:
    """A report of the findings so far. `target`: the target, without secrets."""
    server = material.server
    instructions = server.get("instructions")
    instructions = instructions if isinstance(instructions, str) else None
    return Report(
        target=target,
        server=_text(server.get("name")),
        version=_text(server.get("version")),
        protocol=protocol,
        tools=tuple(
            COVERED if tool.name in board.unshown else tool.name for tool in material.catalogue.tools
        ),
        entries=tuple(accepted.with_acceptance(entry) for entry in ranked(board.all)),
        not_checked=(*not_reached(material.until), *board.not_checked),
        called=max(material.made, len(material.calls)),
        rules=rules(),
        reviewed_by=reviewed_by,
        # The fingerprint depends on all definitions, so it is left out if one repeats a withheld value.
        definitions="" if board.unshown else definitions_of(material.catalogue, instructions).fingerprint,
    )


def not_reached(until: str) -> tuple[NotChecked, ...]:
    """The part of a recording after its position. `until`: this part in words; empty if nothing follows."""
    why = "the position in the recording is before this part; the key > goes to the end"
    return (NotChecked(what=until, why=why),) if until else ()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
