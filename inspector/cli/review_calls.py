"""The calls of a review: which tools, with what, and what was left out; and what is listed beside the first listing."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from inspector.boundary.secret_references import references_in
from inspector.cli.diagnostics import DIAGNOSTICS
from inspector.errors import InspectorError, NotConfirmedError
from inspector.json.exact import JsonObject
from inspector.pins.files import Watch
from inspector.pins.pins import PinState
from inspector.policy.gate.agreement import Agreement
from inspector.policy.gate.oversight import Oversight
from inspector.policy.rules import Policy
from inspector.protocol.catalogue import Catalogue, Tool
from inspector.protocol.targets import HttpTarget, PageTarget
from inspector.protocol.timeline import EntryKind
from inspector.review.calling import arguments_for, forbids, misfit_for
from inspector.review.report import NotChecked
from inspector.review.reviewed import Offer, ReviewedCall, reviewed
from inspector.review.seen import ListingKind, OtherListing
from inspector.session.live import Session
from inspector.session.wording import ONLY_AS_TASK

if TYPE_CHECKING:
    from inspector.policy.files.audit import Audit

TIMEOUT_S = 20.0
"""For one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the user allows."""

    calls: bool = False
    patterns: tuple[str, ...] = ()
    """Names of tools to call whatever they declare, as a shell writes patterns."""
    policy: Policy | None = None
    """What decides on each call; None for the built-in policy."""
    agreement: Agreement = Agreement.NONE
    """Whether whatever is asked is agreed to. A tool that a pattern names is agreed to in any case."""
    audit: "Audit | None" = None


@dataclass(slots=True, kw_only=True)
class Called:
    """What was called and listed, and what was not. Filled as it happens."""

    calls: list[ReviewedCall] = field(default_factory=list[ReviewedCall])
    listings: list[OtherListing] = field(default_factory=list[OtherListing])
    not_checked: list[NotChecked] = field(default_factory=list[NotChecked])
    is_stopped: bool = False
    """Whether a call was blocked, or nobody agreed."""
    first: Catalogue = field(default_factory=Catalogue)
    """What was listed before any call."""


async def called(session: Session, plan: Plan) -> Called:
    """Call each tool that may be called, once as its schema allows and once as it forbids, and list the tools again.

    A tool that returns a secret reference is called a second time. Raises InspectorError where the server is gone.
    """
    catalogue, made = session.catalogue, Called()
    url = session.target.url if isinstance(session.target, (HttpTarget, PageTarget)) else None
    oversight = Oversight(plan.policy, audit=plan.audit)
    pinned = await asyncio.to_thread(_pin_state, session)
    for offer in reviewed(catalogue).tools:
        is_named = any(fnmatchcase(offer.name, pattern) for pattern in plan.patterns)
        needs_task = offer.tool is not None and offer.tool.needs_task
        why = f"it {ONLY_AS_TASK}" if needs_task else "" if is_named else forbids(offer)
        arguments = None if why else arguments_for(offer)
        if why or arguments is None:
            reason = why or "no arguments could be made from its input schema"
            made.not_checked.append(NotChecked(what=f"results of {offer.name}", why=reason))
            continue
        DIAGNOSTICS.say(f"calling {offer.name} …")
        agreement = Agreement.USER if is_named else plan.agreement
        caller = _Caller(session, oversight, agreement, url, pinned)
        try:
            async for call in _calls(caller, offer, arguments):
                made.calls.append(call)
        except NotConfirmedError as error:
            made.is_stopped = True
            made.not_checked.append(NotChecked(what=f"results of {offer.name}", why=error.message))
    await _list_again(session, catalogue, made)
    return made


@dataclass(frozen=True, slots=True)
class _Caller:
    session: Session
    oversight: Oversight
    agreement: Agreement
    url: str | None
    pinned: PinState

    async def call(self, offer: Offer, arguments: JsonObject) -> ReviewedCall:
        """Raises NotConfirmedError where the policy does not let it be made."""
        asking = self.pinned.asks(offer.name)
        found = await self.oversight.consider(self.session, offer.name, arguments, asking=asking)
        made = await self.oversight.call(self.session, found, agreement=self.agreement, timeout_s=TIMEOUT_S)
        return ReviewedCall(
            offer=offer,
            outcome=made.record.outcome,
            judgement=made.record.judgement,
            origin=self.url,
        )


def _pin_state(session: Session) -> PinState:
    instructions = session.server.instructions if session.server else None
    return Watch(session.target).listed(session.catalogue, instructions)


async def _calls(caller: _Caller, offer: Offer, arguments: JsonObject) -> AsyncGenerator[ReviewedCall]:
    first = await caller.call(offer, arguments)
    yield first
    if references_in(first.raw):
        yield await caller.call(offer, arguments)
    wrong = misfit_for(offer)
    if wrong is not None:
        yield replace(await caller.call(offer, wrong), misfit=True)


async def _list_again(session: Session, before: Catalogue, made: Called) -> None:
    DIAGNOSTICS.say("listing again …")
    try:
        tools = (await session.list_all()).tools
    except InspectorError as error:
        made.not_checked.append(
            NotChecked(
                what="changes after calls", why=f"the tools could not be listed again: {error.message}"
            )
        )
        return
    announced = any(
        entry.kind is EntryKind.NOTIFICATION and entry.title == "notifications/tools/list_changed"
        for entry in session.timeline.entries
    )
    if _differ(before.tools, tools):
        made.listings.append(OtherListing(kind=ListingKind.AGAIN, tools=tools, announced=announced))


def _differ(before: tuple[Tool, ...], after: tuple[Tool, ...]) -> bool:
    return [tool.definition for tool in before] != [tool.definition for tool in after]
