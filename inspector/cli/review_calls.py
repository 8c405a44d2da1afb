"""The calls of a review: which tools, with what, and what was left out."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from inspector.cli.diagnostics import DIAGNOSTICS
from inspector.core.catalogue import Catalogue
from inspector.core.findings.calling import arguments_for, forbids, misfit_for
from inspector.core.findings.report import NotChecked
from inspector.core.findings.reviewed import Offer, ReviewedCall, reviewed
from inspector.session import Session

TIMEOUT_S = 20.0
"""For one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the user allows."""

    patterns: tuple[str, ...] = ()
    """Names of tools to call whatever they declare, as a shell writes patterns."""
    origin: str | None = None
    """The server's own address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """What was called, and what was not."""

    calls: tuple[ReviewedCall, ...]
    not_checked: tuple[NotChecked, ...]


NOTHING_CALLED = Called(
    calls=(),
    not_checked=(NotChecked(what="results", why="no tool was called: --call calls those that only read"),),
)


async def called(session: Session, catalogue: Catalogue, plan: Plan) -> Called:
    """Call each tool that may be called, once as its schema allows and once as it forbids."""
    calls: list[ReviewedCall] = []
    left: list[NotChecked] = []
    for offer in reviewed(catalogue).tools:
        why = "" if any(fnmatchcase(offer.name, pattern) for pattern in plan.patterns) else forbids(offer)
        arguments = None if why else arguments_for(offer)
        if why or arguments is None:
            reason = why or "no arguments could be made from its input schema"
            left.append(NotChecked(what=f"results of {offer.name}", why=reason))
            continue
        DIAGNOSTICS.say(f"calling {offer.name} …")
        record = await session.call(offer.name, arguments, timeout_s=TIMEOUT_S)
        calls.append(ReviewedCall(offer=offer, outcome=record.outcome, origin=plan.origin))
        calls += await _misfit(session, offer, plan)
    return Called(calls=tuple(calls), not_checked=tuple(left))


async def _misfit(session: Session, offer: Offer, plan: Plan) -> list[ReviewedCall]:
    arguments = misfit_for(offer)
    if arguments is None:
        return []
    record = await session.call(offer.name, arguments, timeout_s=TIMEOUT_S)
    return [ReviewedCall(offer=offer, outcome=record.outcome, misfit=True, origin=plan.origin)]
