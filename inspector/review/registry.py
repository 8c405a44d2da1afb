"""Applies the review rules. Each module in `rules` is a family of rules."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from typing import cast

from msgspec.structs import replace

from inspector.review.finding import Confidence, Finding, Hit, Severity, SubjectKind
from inspector.review.reviewed import Offer, Reviewed, ReviewedCall
from inspector.review.rule import ReviewRule

INTERNAL = ReviewRule(
    id="SL-PRO000",
    title="A rule failed",
    severity=Severity.HIGH,
    confidence=Confidence.HIGH,
    consequence="The rule was not applied here, so its result is unknown. This is a defect of Sightline.",
    fix="Report the defect, with the definition on which the rule failed.",
    references=("CWE-755",),
)
"""The rule of a finding which reports that another rule raised an exception."""


@cache
def rules() -> tuple[ReviewRule, ...]:
    """All rules, sorted by id."""
    package = import_module("inspector.review.rules")
    modules = [import_module(f"{package.__name__}.{found.name}") for found in iter_modules(package.__path__)]
    found = [rule for module in modules for rule in cast("tuple[ReviewRule, ...]", module.RULES)]
    return tuple(sorted((*found, INTERNAL), key=lambda rule: rule.id))


def findings_of(reviewed: Reviewed, chosen: Sequence[ReviewRule] | None = None) -> tuple[Finding, ...]:
    """The findings of `chosen`, or of all rules. Never raises.

    The findings are sorted by severity (worst first), by rule, and by the order of the definitions.
    """
    found: list[tuple[int, Finding]] = []
    order = {id(offer): number for number, offer in enumerate(reviewed.offers)}
    for rule in rules() if chosen is None else chosen:
        found.extend(
            (order.get(id(offer), 0), finding) for offer, finding in _once(tuple(_found(rule, reviewed)))
        )
    found.sort(key=lambda entry: (-entry[1].severity.rank, entry[1].id, entry[0]))
    return tuple(finding for _, finding in found)


def _once(found: tuple[tuple[Offer, Finding], ...]) -> Iterator[tuple[Offer, Finding]]:
    """The findings of one rule, except those about other listings that are found in the reviewed listing too.

    Two findings of the rule are the same if they have the same name and pointer.
    """
    known = {(finding.name, finding.pointer) for offer, finding in found if not offer.listed}
    return (
        (offer, finding)
        for offer, finding in found
        if not offer.listed or (finding.name, finding.pointer) not in known
    )


def _found(rule: ReviewRule, reviewed: Reviewed) -> Iterator[tuple[Offer, Finding]]:
    each, call, whole = rule.each, rule.call, rule.whole
    if each:
        for offer in reviewed.offers:
            if offer.kind in rule.subjects:
                try:
                    for hit in each(offer):
                        yield offer, _finding(rule, offer, offer.kind, hit)
                except Exception as error:  # noqa: BLE001 - a failing rule becomes a finding
                    yield offer, _failed(rule, offer, offer.kind, error)
    if call:
        # An answer that does not end its call is not a result; the report lists it as not checked.
        for made in (made for made in reviewed.calls if not made.unfinished):
            yield from _judged(rule, made, partial(call, made))
    if whole:
        try:
            for offer, hit in whole(reviewed):
                yield offer, _finding(rule, offer, offer.kind, hit)
        except Exception as error:  # noqa: BLE001 - a failing rule becomes a finding
            server = reviewed.offers[0]
            yield server, _failed(rule, server, server.kind, error)


def _judged(
    rule: ReviewRule, made: ReviewedCall, ask: Callable[[], Iterable[Hit]]
) -> Iterator[tuple[Offer, Finding]]:
    offer, kind = made.offer, SubjectKind.CALL
    try:
        for hit in ask():
            yield offer, replace(_finding(rule, offer, kind, hit), call=made.number)
    except Exception as error:  # noqa: BLE001 - as above
        yield offer, replace(_failed(rule, offer, kind, error), call=made.number)


def _failed(rule: ReviewRule, offer: Offer, kind: SubjectKind, error: Exception) -> Finding:
    hit = Hit(message=f"The rule {rule.id} failed here ({type(error).__name__}) and was not applied.")
    return _finding(INTERNAL, offer, kind, hit)


def _finding(rule: ReviewRule, offer: Offer, kind: SubjectKind, hit: Hit) -> Finding:
    return Finding(
        id=rule.id,
        severity=hit.severity or rule.severity,
        confidence=hit.confidence or rule.confidence,
        subject=hit.subject or kind,
        name=offer.name,
        pointer=hit.pointer,
        message=f"{hit.message} It is in {offer.listed}." if offer.listed else hit.message,
        evidence=hit.evidence,
        tools=hit.tools,
    )
