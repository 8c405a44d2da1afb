"""Rules PIN: definitions that differ from their pin, between two listings, or between clients."""

from collections.abc import Iterable, Iterator
from functools import partial

from inspector.hidden_characters import hidden_characters
from inspector.json.diff import ChangeKind
from inspector.json.exact import JsonObject
from inspector.pins.diff import DefinitionChange, definition_changes
from inspector.pins.pins import ServerDefinitions, changes_between, shared
from inspector.protocol.catalogue import Kind, Tool
from inspector.review.finding import Confidence, Hit, Severity, quoted
from inspector.review.orders import orders_in
from inspector.review.reviewed import Offer, Reviewed
from inspector.review.rule import ReviewRule
from inspector.review.seen import ListingKind, OtherListing
from inspector.review.texts import texts_of
from inspector.safe_text import safe_line

_MAX_PLACES = 6
"""The maximum number of places in a finding."""

_IN_SESSION = frozenset({ListingKind.FIRST, ListingKind.AGAIN})
"""Kinds of listings from another time in the session. Such listings do not repeat the instructions."""


def _changed(reviewed: Reviewed, kinds: frozenset[ListingKind]) -> Iterator[tuple[Offer, Hit]]:
    present = reviewed.definitions
    offers = {
        offer.item.listed_as if offer.item else offer.name: offer
        for offer in reviewed.offers
        if (offer.tool or offer.item) and not offer.listed
    }
    for listing in reviewed.listings:
        if listing.kind not in kinds:
            continue
        others = listing.definitions.instructions
        if listing.kind not in _IN_SESSION and present.instructions != others and "" not in listing.unstable:
            yield reviewed.offers[0], _other_instructions(present.instructions, listing)
        by_tool: dict[str, list[DefinitionChange]] = {}
        for change in _compared(present, listing):
            if change.tool not in listing.unstable:
                by_tool.setdefault(change.tool, []).append(change)
        for name, changes in by_tool.items():
            # A finding about an item that is not in the reviewed listing belongs to the server.
            offer = offers.get(name, reviewed.offers[0])
            now, other = present.tool(name), listing.definitions.tool(name)
            changed = now or other
            if changed is not None:
                before, after = (other, now) if listing.kind.is_earlier else (now, other)
                yield offer, _hit(changed, changes, listing, _new_orders(before, after))


def _compared(present: ServerDefinitions, listing: OtherListing) -> tuple[DefinitionChange, ...]:
    match listing.kind:
        case ListingKind.PINNED:
            return changes_between(listing.definitions, present)
        case ListingKind.FIRST:
            # Servers and pages may offer different tools at different times.
            return definition_changes(*shared(listing.definitions.all, present.all))
        case ListingKind.AGAIN:
            return changes_between(present, listing.definitions)
        case ListingKind.SAME_CLIENT:
            # The calls of the review may have changed which resources exist.
            items = shared(present.items or (), listing.definitions.items or ())
            return (
                *definition_changes(present.tools, listing.definitions.tools),
                *definition_changes(*items),
            )
        case _:
            # Which resources exist may depend on the time, but should not depend on the client.
            return definition_changes(present.all, listing.definitions.all)


_SINCE = {
    ListingKind.PINNED: "since it was pinned",
    ListingKind.FIRST: "since it was first listed in this session",
    ListingKind.AGAIN: "between the first listing and the listing after the calls",
    ListingKind.OTHER_CLIENT: "for another client name",
    ListingKind.SAME_CLIENT: "in another connection, under the same client name",
}


_NOUNS = {
    Kind.TOOL: "tool",
    Kind.RESOURCE: "resource",
    Kind.TEMPLATE: "template",
    Kind.PROMPT: "prompt",
    Kind.SKILL: "skill",
}


def _since(listing: OtherListing) -> str:
    return _SINCE.get(listing.kind) or f"for the client profile {listing.profile}"


def _other_instructions(instructions: str | None, listing: OtherListing) -> Hit:
    later = instructions if listing.kind.is_earlier else listing.definitions.instructions
    earlier = listing.definitions.instructions if listing.kind.is_earlier else instructions
    orders = _orders_since({"instructions": earlier or ""}, {"instructions": later or ""})
    return Hit(
        message=f"The server's instructions changed {_since(listing)}.{orders}",
        pointer="/instructions",
        evidence=quoted(later or ""),
        severity=Severity.HIGH if orders else None,
    )


def _new_orders(before: Tool | None, after: Tool | None) -> str:
    """A sentence about instructions to the model that only the later definition has; empty if there are none."""
    if after is None or before is None:
        return ""
    return _orders_since(before.definition, after.definition)


def _orders_since(before: JsonObject, after: JsonObject) -> str:
    known = {text.text for text in texts_of(before)}
    new = (text for text in texts_of(after) if text.text not in known)
    found = max(
        (found for _, found in orders_in(new, hidden_characters(after))),
        key=lambda found: found.score,
        default=None,
    )
    if found is None:
        return ""
    return f" The new text addresses the model: {'; '.join(found.reasons)} (score {found.score:g})."


def _hit(tool: Tool, changes: list[DefinitionChange], listing: OtherListing, orders: str) -> Hit:
    since, is_announced = _since(listing), tool.kind in listing.announced or listing.is_reconnected
    is_expected = is_announced or listing.kind in {ListingKind.PINNED, ListingKind.OTHER_PROFILE}
    quiet = Severity.INFO if is_expected else Severity.LOW
    first = changes[0]
    named = safe_line(tool.label)[:80]
    if not first.pointer and first.kind is not ChangeKind.CHANGED:
        is_added = first.kind is ChangeKind.ADDED
        how = "was added" if is_added else "was removed"
        if listing.kind is ListingKind.OTHER_PROFILE:
            how = "is listed only" if is_added else "is not listed"
        return Hit(
            message=f"The {_NOUNS[tool.kind]} `{named}` {how} {since}.",
            pointer="" if is_added else f"/{tool.kind.identity}",
            evidence=quoted(tool.label),
            severity=quiet,
        )
    weaker = tuple(dict.fromkeys(what for change in changes for what in change.weakens))
    places = [safe_line(change.pointer)[:80] for change in changes[:_MAX_PLACES]]
    more = f" and {len(changes) - _MAX_PLACES:,} more" if len(changes) > _MAX_PLACES else ""
    less = " It declares fewer restrictions than before." if weaker else ""
    return Hit(
        message=f"The definition of `{named}` changed {since}, at {', '.join(places)}{more}.{less}{orders}{_announcing(tool, listing)}",
        pointer=changes[0].pointer,
        evidence=quoted("; ".join(weaker)),
        severity=_severity(is_announced=is_announced, is_worse=bool(weaker or orders)),
    )


def _announcing(tool: Tool, listing: OtherListing) -> str:
    """A sentence that says whether the server announced the change; empty for listings of other sessions."""
    if listing.kind not in _IN_SESSION:
        return ""
    if listing.is_reconnected:
        return " Sightline has connected again in between."
    is_announced = tool.kind in listing.announced
    return (
        " The server announced that the list changed."
        if is_announced
        else " The server did not announce the change."
    )


def _severity(*, is_announced: bool, is_worse: bool) -> Severity | None:
    if is_worse:
        return Severity.HIGH
    return Severity.MEDIUM if is_announced else None


def _rule(
    number: int, kinds: Iterable[ListingKind], title: str, severity: Severity, consequence: str, fix: str
) -> ReviewRule:
    return ReviewRule(
        id=f"SL-PIN{number:03}",
        title=title,
        severity=severity,
        confidence=Confidence.HIGH,
        consequence=consequence,
        fix=fix,
        references=("CWE-494", "CWE-353", "OWASP MCP03:2025"),
        whole=partial(_changed, kinds=frozenset(kinds)),
    )


RULES = (
    _rule(
        1,
        {ListingKind.PINNED},
        "Changed since pinned",
        Severity.MEDIUM,
        "The current definition is not the one that the user accepted.",
        "Review the change, then pin the definitions again.",
    ),
    _rule(
        2,
        _IN_SESSION,
        "Changed between two listings",
        Severity.HIGH,
        "A server that changes a definition after a call can show a reviewer one definition and a model another.",
        "Do not connect a server that you do not trust. Authors: keep definitions stable.",
    ),
    _rule(
        3,
        {ListingKind.OTHER_CLIENT},
        "Depends on the client name",
        Severity.MEDIUM,
        "A reviewer's client sees other definitions than the model of another client.",
        "Serve the same definitions to every client.",
    ),
    _rule(
        4,
        {ListingKind.OTHER_PROFILE},
        "Differs between client profiles",
        Severity.MEDIUM,
        "Clients that announce different capabilities get different tools, resources or prompts, or different definitions. A review under one profile does not cover the others. Tools that need a capability are common; definitions that differ are not.",
        "Serve the same definitions to every client, and leave out only what needs a capability that the client lacks.",
    ),
    _rule(
        5,
        {ListingKind.SAME_CLIENT},
        "Differs in each connection",
        Severity.LOW,
        "A pin of the definition reports a change in each connection, and prompts that contain the definition cannot be cached. Whether it depends on the client cannot be known. A common cause is a set whose order is random.",
        "Serve the same definitions in every connection: sort lists whose order has no meaning.",
    ),
)
