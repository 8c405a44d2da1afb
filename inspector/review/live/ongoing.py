"""A review in steps: each takes a fraction of a second, so that a large server holds nothing up."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from inspector.review.covering import Covering
from inspector.review.finding import Finding, SubjectKind
from inspector.review.live.board import Board, Subject, subject_of
from inspector.review.live.material import LastCall, Material
from inspector.review.live.unchecked import not_checked, partly_read
from inspector.review.registry import findings_of, rules
from inspector.review.report import Entry, NotChecked, fingerprint
from inspector.review.reviewed import Offer, Reviewed, ReviewedCall, reviewed
from inspector.review.rule import Rule
from inspector.review.seen import OtherListing, Traffic, traffic_of

if TYPE_CHECKING:
    from inspector.json.exact import JsonObject
    from inspector.protocol.catalogue import Catalogue

_Seen: TypeAlias = tuple[tuple[OtherListing, ...], Traffic]

SLICE = 250
"""Definitions that one step looks at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Called:
    """What was found in a result."""

    number: int
    entries: tuple[Entry, ...]
    unread: tuple[NotChecked, ...]


class OngoingReview:
    """What is found in the material, as far as it has been gone through. One thread at a time."""

    def __init__(self) -> None:
        self._waiting: list[Offer] = []
        """The last one comes next."""
        self._judged: dict[int, tuple[object, tuple[Entry, ...]]] = {}
        """By the identity of what was sent, which is kept so that no other thing takes it on."""
        self._order: list[int] = []
        self._called: dict[str, _Called] = {}
        self._beside: tuple[Entry, ...] = ()
        """What came of looking at all of it together."""
        self._seen: _Seen | None = None
        """What that was made of, but for the listing."""
        self._catalogue: Catalogue | None = None
        self._server: JsonObject = {}
        self._covering = Covering()
        self._repeating: tuple[object, frozenset[str]] = (None, frozenset())
        """What it was made of, and the names under which a definition repeats a withheld value."""

    def step(self, material: Material, size: int = SLICE) -> Board:
        """Look at new results, and at up to `size` definitions; behind the last of them, at all of them together."""
        if material.catalogue is not self._catalogue or material.server != self._server:
            self._begin(material)
        self._judge_calls(material)
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
                replace(each, what=self._covering.text(each.what))
                for each in (
                    *not_checked(
                        material.catalogue, self._called.keys(), still=len(self._waiting), total=total
                    ),
                    *(each for found in self._called.values() for each in found.unread),
                )
            ),
            unshown=frozenset(name for name in repeating if self._covering.text(name) != name),
            waiting=frozenset((offer.kind, offer.name) for offer in self._waiting),
            is_complete=complete,
        )

    def _begin(self, material: Material) -> None:
        """Another listing: what is in it unchanged has been judged."""
        self._catalogue, self._server = material.catalogue, material.server
        offers = reviewed(material.catalogue, server=material.server).offers
        self._order = [id(_sent(offer)) for offer in offers]
        known = self._judged
        self._judged = {place: known[place] for place in self._order if place in known}
        self._waiting = [offer for offer in reversed(offers) if id(_sent(offer)) not in known]
        self._beside, self._seen = (), None

    def _judge(self, offers: tuple[Offer, ...]) -> None:
        found: dict[int, list[Entry]] = {id(_sent(offer)): [] for offer in offers}
        # Of two that have one name, the first takes the findings of both: they are told by that name.
        by_name = {offer.name: found[id(_sent(offer))] for offer in reversed(offers)}
        for entry in _entries(findings_of(Reviewed(offers=offers), _rules("each"))):
            by_name[entry.finding.name].append(entry)
        for offer in offers:
            sent = _sent(offer)
            self._judged[id(sent)] = (sent, tuple(found[id(sent)]))

    def _judge_together(self, material: Material) -> None:
        seen = (material.listings, traffic_of(material.timeline))
        if seen != self._seen:
            self._seen = seen
            listings, traffic = seen
            together = reviewed(
                material.catalogue, server=material.server, listings=listings, traffic=traffic
            )
            self._beside = tuple(_entries(findings_of(together, _rules("whole"))))

    def _judge_calls(self, material: Material) -> None:
        called: dict[str, _Called] = {}
        for answered in material.calls:
            before = self._called.get(answered.name)
            if before is None or before.number != answered.number:
                call = _call(answered, material.origin)
                self._learn(call)
                before = _Called(
                    number=answered.number,
                    entries=tuple(_entries(findings_of(call, _rules("call")))),
                    unread=tuple(each for one in call.calls for each in partly_read(one)),
                )
            called[answered.name] = before
        self._called = called

    def _learn(self, call: Reviewed) -> None:
        for made in call.calls:
            self._covering.learn(made)
        self._repeating = (None, frozenset())

    def _repeated(self, material: Material) -> frozenset[str]:
        made_of, found = self._repeating
        now = (material.catalogue, material.server, material.listings)
        if made_of is None or made_of != now:
            everything = reviewed(material.catalogue, server=material.server, listings=material.listings)
            found = self._covering.repeating(everything)
            self._repeating = (now, found)
        return found

    def _by_subject(self, repeating: frozenset[str]) -> dict[Subject, tuple[Entry, ...]]:
        groups: dict[Subject, list[Entry]] = {}
        judged = (self._judged[place][1] for place in self._order if place in self._judged)
        called = (found.entries for found in self._called.values())
        seen: set[tuple[str, str]] = set()
        for entries in (*judged, *called, self._beside):
            for entry in entries:
                mark = (entry.fingerprint, entry.finding.message)
                # Two tools of one name may have been sent, and each is judged.
                if mark not in seen:
                    seen.add(mark)
                    subject = subject_of(entry.finding)
                    shown = self._covering.finding(entry.finding, repeating)
                    if shown is not entry.finding:
                        entry = Entry(finding=shown, fingerprint=fingerprint(shown))  # noqa: PLW2901 - as it may be shown
                    groups.setdefault(subject, []).append(entry)
        return {subject: tuple(entries) for subject, entries in groups.items()}


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


def _entries(found: Iterable[Finding]) -> Iterator[Entry]:
    return (Entry(finding=finding, fingerprint=fingerprint(finding)) for finding in found)


_KINDS: dict[str, Callable[[Rule], object]] = {
    "each": lambda rule: rule.each,
    "whole": lambda rule: rule.whole,
    "call": lambda rule: rule.call,
}


@cache
def _rules(kind: str) -> tuple[Rule, ...]:
    """The rules that judge definitions one by one, beside each other, or results."""
    return tuple(rule for rule in rules() if _KINDS[kind](rule))
