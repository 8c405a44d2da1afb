"""PIN: definitions that differ from the pinned ones, between two listings, or between clients."""

from collections.abc import Iterator
from functools import partial

from inspector.json.diff import ChangeKind
from inspector.json.exact import Json
from inspector.pins.diff import DefinitionChange, definition_changes
from inspector.protocol.catalogue import Tool
from inspector.review.finding import Confidence, Hit, Severity, quoted
from inspector.review.reviewed import Offer, Reviewed
from inspector.review.rule import ReviewRule
from inspector.review.seen import ListingKind, OtherListing
from inspector.safe_text import safe_line

_MAX_PLACES = 6
"""The maximum number of places in a finding."""


def _changed(reviewed: Reviewed, kind: ListingKind) -> Iterator[tuple[Offer, Hit]]:
    offers = {offer.name: offer for offer in reviewed.tools}
    present = tuple(offer.tool for offer in reviewed.tools if offer.tool)
    for listing in reviewed.listings:
        if listing.kind is not kind:
            continue
        instructions = reviewed.offers[0].definition.get("instructions")
        if kind is not ListingKind.AGAIN and instructions != listing.instructions:
            yield reviewed.offers[0], _other_instructions(instructions, listing)
        by_tool: dict[str, list[DefinitionChange]] = {}
        for change in _compared(present, listing):
            by_tool.setdefault(change.tool, []).append(change)
        for name, changes in by_tool.items():
            # A finding about a tool outside the reviewed listing is a finding about the server.
            yield offers.get(name, reviewed.offers[0]), _hit(name, changes, listing)


def _compared(present: tuple[Tool, ...], listing: OtherListing) -> tuple[DefinitionChange, ...]:
    if listing.kind is ListingKind.PINNED:
        return definition_changes(listing.tools, present)
    return definition_changes(present, listing.tools)


_SINCE = {
    ListingKind.PINNED: "since it was pinned",
    ListingKind.AGAIN: "between the first listing and the listing after the calls",
    ListingKind.OTHER_CLIENT: "for another client name",
}


def _since(listing: OtherListing) -> str:
    return _SINCE.get(listing.kind) or f"for the client profile {listing.profile}"


def _other_instructions(instructions: Json, listing: OtherListing) -> Hit:
    later = instructions if listing.kind is ListingKind.PINNED else listing.instructions
    return Hit(
        message=f"The server's instructions changed {_since(listing)}.",
        pointer="/instructions",
        evidence=quoted(later) if isinstance(later, str) else "",
    )


def _hit(name: str, changes: list[DefinitionChange], listing: OtherListing) -> Hit:
    since = _since(listing)
    is_expected = listing.announced or listing.kind in {ListingKind.PINNED, ListingKind.OTHER_PROFILE}
    quiet = Severity.INFO if is_expected else Severity.LOW
    first = changes[0]
    named = safe_line(name)[:80]
    if not first.pointer and first.kind is not ChangeKind.CHANGED:
        is_added = first.kind is ChangeKind.ADDED
        how = "was added" if is_added else "was removed"
        if listing.kind is ListingKind.OTHER_PROFILE:
            how = "is listed only" if is_added else "is not listed"
        return Hit(
            message=f"The tool `{named}` {how} {since}.",
            pointer="" if is_added else "/name",
            evidence=quoted(name),
            severity=quiet,
        )
    weaker = tuple(dict.fromkeys(what for change in changes for what in change.weakens))
    places = [safe_line(change.pointer)[:80] for change in changes[:_MAX_PLACES]]
    more = f" and {len(changes) - _MAX_PLACES:,} more" if len(changes) > _MAX_PLACES else ""
    less = " It declares fewer restrictions than before." if weaker else ""
    return Hit(
        message=f"The definition of `{named}` changed {since}, at {', '.join(places)}{more}.{less}",
        pointer=changes[0].pointer,
        evidence=quoted("; ".join(weaker)),
        severity=_severity(listing, is_weaker=bool(weaker)),
    )


def _severity(listing: OtherListing, *, is_weaker: bool) -> Severity | None:
    if is_weaker:
        return Severity.HIGH
    return Severity.MEDIUM if listing.announced else None


def _rule(
    number: int, kind: ListingKind, title: str, severity: Severity, meaning: str, fix: str
) -> ReviewRule:
    return ReviewRule(
        id=f"SL-PIN{number:03}",
        title=title,
        severity=severity,
        confidence=Confidence.HIGH,
        meaning=meaning,
        fix=fix,
        references=("CWE-494", "CWE-353", "OWASP MCP03:2025"),
        whole=partial(_changed, kind=kind),
    )


RULES = (
    _rule(
        1,
        ListingKind.PINNED,
        "Changed since pinned",
        Severity.MEDIUM,
        "The current definition is not the one that the user accepted.",
        "Review the change, then pin the definitions again.",
    ),
    _rule(
        2,
        ListingKind.AGAIN,
        "Changed between two listings",
        Severity.HIGH,
        "A server that changes a tool after a call can show a reviewer one definition and a model another.",
        "Do not connect a server that you do not trust. Authors: send `notifications/tools/list_changed` if the list changes, and keep definitions stable.",
    ),
    _rule(
        3,
        ListingKind.OTHER_CLIENT,
        "Changed with the client name",
        Severity.MEDIUM,
        "A reviewer's client sees other definitions than the model of another client.",
        "Serve the same definitions to every client.",
    ),
    _rule(
        4,
        ListingKind.OTHER_PROFILE,
        "Differs between client profiles",
        Severity.MEDIUM,
        "Clients that announce other capabilities get other tools or definitions. A review that asks as one of them says nothing about the others. That a tool needs a capability is common; that its definition changes is not.",
        "Serve the same definitions to every client, and leave out only the tools that need a capability which the client has not.",
    ),
)
