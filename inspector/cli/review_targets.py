"""Gathers what a review needs, from live servers and from recordings.

It calls only those tools of a live server whose calls the user allows.
"""

import asyncio
import dataclasses
import shlex
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.secret_references import references_in
from inspector.cli.output import DIAGNOSTICS
from inspector.cli.start import in_session
from inspector.credentials.cutting import masked_start
from inspector.errors import InspectorError, NotConfirmedError, headline
from inspector.json.exact import JsonObject, equal
from inspector.launch import Launch
from inspector.pins.files import Watch, folder_of, identified, read_pin, reported_as
from inspector.pins.identity import Identity
from inspector.pins.pins import Pinned, PinState, ServerDefinitions, definitions_of
from inspector.policy.gate.agreement import Agreement
from inspector.policy.gate.oversight import Oversight
from inspector.policy.rules import Verdict
from inspector.protocol.catalogue import Catalogue, Kind
from inspector.protocol.client import PROFILES, ClientProfile, recorded_profile
from inspector.protocol.targets import HttpTarget, PageTarget, StdioTarget, Target
from inspector.recording.files import Break, RecordingFile
from inspector.recording.format import Line
from inspector.review.calling import NOT_READ_ONLY, arguments_for, forbids, misfit_for, repetition
from inspector.review.covering import Covering, covered, of_one_session
from inspector.review.files import path_of, read_accepted
from inspector.review.finding import Finding, SubjectKind
from inspector.review.formats.as_text import amount
from inspector.review.recorded import recorded
from inspector.review.registry import findings_of
from inspector.review.report import (
    NotChecked,
    Report,
    ReviewedServer,
    addresses_not_visited,
    contents_not_read,
    listed_once,
    not_called,
    not_compared_with_pin,
    not_recorded,
    skills_not_read,
)
from inspector.review.reviewed import Offer, Reviewed, ReviewedCall, reviewed
from inspector.review.seen import ListingKind, Neighbour, OtherListing, Traffic, announced_in, traffic_of
from inspector.session.facts import ServerFacts
from inspector.session.live import Session
from inspector.session.wording import announces, recorded_as

OTHER_CLIENT = "claude-ai"
"""The client name of Claude Desktop.

A server that hides its usual tools from a reviewer is likely to show them to this client.
"""
TIMEOUT_S = 20.0
"""The time limit for one call, in seconds."""

MAX_STARTS = 3
"""The maximum number of times that a review restarts a server that has ended."""
_MAX_REASON = 400
_STDERR_WAIT_S = 0.1
"""The seconds to wait for stderr lines after an answer with secrets.

Stderr is a pipe of its own, so its lines may arrive after the answer.
"""


class Plan(Struct, frozen=True, kw_only=True):
    """The calls that the user allows, and further client profiles with which the tools are listed again."""

    calls: bool = False
    patterns: tuple[str, ...] = ()
    """Shell patterns of the names of tools to call, whatever they declare. The user agrees to these calls."""
    profiles: tuple[ClientProfile, ...] = ()
    """The further client profiles under which the review lists the tools, besides the session's own."""

    def names(self, offer: Offer) -> bool:
        """True if the user agrees to calls of this tool, whatever it declares."""
        return any(fnmatchcase(offer.name, pattern) for pattern in self.patterns)


@dataclass(slots=True, kw_only=True)
class Called:
    """The calls that a review made, the lists that it read, and what it could not check.

    Filled during the review.
    """

    calls: list[ReviewedCall] = field(default_factory=list[ReviewedCall])
    listings: list[OtherListing] = field(default_factory=list[OtherListing])
    not_checked: list[NotChecked] = field(default_factory=list[NotChecked])
    refused: list[NotChecked] = field(default_factory=list[NotChecked])
    """The tools that the policy, or the user's pin, kept from being called, each with the reason."""
    first: Catalogue = field(default_factory=Catalogue)
    """The listing before any call."""


async def called(session: Session, plan: Plan, launch: Launch, pinned_before: Pinned | None = None) -> Called:
    """Call each tool that may be called, with valid and with invalid arguments, and list the tools again.

    A tool that returns a secret reference is called once more with valid arguments. Raises InspectorError if
    the server is gone.
    """
    catalogue, made = session.catalogue, Called()
    url = session.target.url if isinstance(session.target, (HttpTarget, PageTarget)) else None
    oversight = Oversight(launch.terms.policy, audit=launch.terms.audit)
    pinned = await asyncio.to_thread(_pin_state, session, pinned_before)
    upkeep = _Upkeep(session)
    for offer in reviewed(catalogue).tools:
        is_named = plan.names(offer)
        why = "" if is_named else forbids(offer)
        arguments = None if why else arguments_for(offer)
        if why or arguments is None:
            reason = why or "no arguments could be made from its input schema"
            made.not_checked.append(not_called(offer.name, reason))
            continue
        problem = await upkeep.problem(offer)
        if problem:
            made.not_checked.append(not_called(offer.name, problem))
            continue
        agreement = Agreement.USER if is_named else launch.agreement
        caller = _Caller(session, oversight, agreement, url, pinned)
        try:
            async for call in _calls(caller, offer, arguments):
                made.calls.append(call)
        except NotConfirmedError as error:
            made.refused.append(NotChecked(what=offer.name, why=_in_short(error)))
            made.not_checked.append(not_called(offer.name, _in_short(error)))
    if session.asker.declined:
        asked = ", ".join(f"{title} ({count:,})" for title, count in session.asker.declined.items())
        why = f"a review declines requests by the server, except for roots: {asked}"
        made.not_checked.append(NotChecked(what="how the server handles answers to its requests", why=why))
    await _list_again(session, made, upkeep)
    return made


@dataclass(slots=True)
class _Upkeep:
    """Restarts a server that has ended, so that its end is not reported as a fault of the remaining tools."""

    session: Session
    starts: int = 0
    gone: str = ""
    """The reason why the server is not started again; empty if it may be."""

    async def problem(self, offer: Offer | None = None) -> str:
        """The reason why the server, or its tool `offer`, cannot be used now; empty if it can."""
        if self.session.lost and not self.gone:
            try:
                await self._start_again()
            except InspectorError as error:
                self.gone = f"the server had ended, and cannot be started again: {_in_short(error)}"
        if self.gone:
            return self.gone
        if offer is not None and self.starts:
            now = self.session.catalogue.tool(offer.name)
            if now is None or not equal(now.definition, offer.definition):
                return "the server had ended, and the tool was changed or missing when the server was started again"
        return ""

    async def _start_again(self) -> None:
        if self.starts == MAX_STARTS:
            self.gone = f"the server ended again after {MAX_STARTS} restarts, so it was not started again"
            return
        self.starts += 1
        await self.session.reach_again()


def _in_short(error: InspectorError) -> str:
    """The message of an error in one line, because the message may quote a traceback."""
    return masked_start(headline(error.message), DIAGNOSTICS.mask, _MAX_REASON)


@dataclass(frozen=True, slots=True)
class _Caller:
    session: Session
    oversight: Oversight
    agreement: Agreement
    url: str | None
    pinned: PinState

    async def call(self, offer: Offer, arguments: JsonObject, *, is_first: bool = False) -> ReviewedCall:
        """Call a tool for the review. Raises NotConfirmedError if the policy does not allow it."""
        asking = self.pinned.asks(offer.name)
        found = await self.oversight.consider(self.session, offer.name, arguments, asking=asking)
        if is_first and (
            found.verdict is Verdict.ALLOW or (found.verdict is Verdict.CONFIRM and self.agreement.is_given)
        ):
            DIAGNOSTICS.say(f"calling {offer.name} …")
        made = await self.oversight.call(self.session, found, agreement=self.agreement, timeout_s=TIMEOUT_S)
        record = made.record
        if record.judgement.secrets(record.policy):
            await asyncio.sleep(_STDERR_WAIT_S)
        return ReviewedCall(
            offer=offer,
            outcome=record.outcome,
            judgement=record.judgement,
            origin=self.url,
            stderr=self.session.timeline.stderr_since(record.at_s),
        )


def _pin_state(session: Session, pinned: Pinned | None) -> PinState:
    instructions = session.server.instructions if session.server else None
    return Watch(session.target, pinned).listed(session.catalogue, instructions)


async def _calls(caller: _Caller, offer: Offer, arguments: JsonObject) -> AsyncGenerator[ReviewedCall]:
    first = await caller.call(offer, arguments, is_first=True)
    yield first
    if references_in(first.raw) and not caller.session.lost:
        yield await caller.call(offer, arguments)
    wrong = misfit_for(offer)
    if wrong is not None and not caller.session.lost:
        DIAGNOSTICS.say(
            f"calling {offer.name} with arguments that its schema forbids, which it should refuse …"
        )
        yield dataclasses.replace(await caller.call(offer, wrong), misfit=True)


def _results_missing(plan: Plan, tools: Sequence[Offer]) -> Iterator[NotChecked]:
    """What a review does not check because tools are not called: at most one item.

    The item says that no tool was called, or how many tools were not called and why. It names the options
    that call them.
    """
    held = [why for tool in tools if not plan.names(tool) and (why := forbids(tool))]
    readers = len(tools) - len(held)
    if not plan.calls and readers:
        more = f", and --call --yes-call '*' all {len(tools):,}" if held else ""
        declare = "declares that it only reads" if readers == 1 else "declare that they only read"
        yield NotChecked(
            what="results", why=f"no tool was called: --call calls {readers:,} that {declare}{more}"
        )
    elif held:
        some = f"{len(held):,} of " if readers else ""
        count = f"{some}{amount(len(tools), 'tool')} {'was' if len(held) == 1 else 'were'}"
        is_none = not readers and set(held) == {NOT_READ_ONLY}
        why = "none is declared read-only" if is_none else "of what they declare or how they are named"
        option = "--yes-call '*' calls" if plan.calls else "--call --yes-call '*' calls"
        it = "it" if len(held) == 1 else "them"
        yield NotChecked(what="results", why=f"{count} not called, because {why}; {option} {it}")


async def _list_again(session: Session, made: Called, upkeep: _Upkeep) -> None:
    problem = await upkeep.problem()
    if problem:
        made.not_checked.append(NotChecked(what="changes after calls", why=problem))
        return
    DIAGNOSTICS.say("listing again …")
    try:
        after = await session.list_all()
    except InspectorError as error:
        made.not_checked.append(
            NotChecked(
                what="changes after calls",
                why=f"the definitions could not be listed again: {_in_short(error)}",
            )
        )
        return
    made.listings.append(
        OtherListing(
            kind=ListingKind.AGAIN,
            definitions=definitions_of(after, None),
            announced=announced_in(session.timeline.matched),
        )
    )


class Gathered(Struct, frozen=True, kw_only=True):
    """The material that a review gathers about one server."""

    server: ReviewedServer
    reviewed: Reviewed
    not_checked: tuple[NotChecked, ...]
    refused: tuple[NotChecked, ...] = ()
    """The tools that the policy, or the user's pin, kept from being called, each with the reason."""
    identity: Identity | None = None
    """The identity under which the interface keeps accepted findings; None for a recording, and for some pages."""


def accepted_elsewhere(part: Gathered, report: Report) -> str:
    """A sentence about findings that count in `report` although the user has accepted them in the interface.

    The sentence names the option that accepts them on the command line too; it is empty if there are no such
    findings. Without the option, they count, so that the outcome of a review depends only on the command
    line. `report`: the report about the server of `part` alone.
    """
    if part.identity is None:
        return ""
    try:
        accepted = read_accepted(part.identity)
    except InspectorError:
        # The interface, which writes the file, says what is wrong with it.
        return ""
    number = sum(entry.counts and accepted.is_accepted(entry) for entry in report.entries)
    if not number:
        return ""
    option = f"--baseline {shlex.quote(str(path_of(part.identity)))}"
    return f"{amount(number, 'finding')} {'is' if number == 1 else 'are'} accepted in the interface; to accept the same here, add {option}"


def gathered(
    launch: Launch,
    plan: Plan,
    *,
    pinned: Pinned | None = None,
    then: Callable[[Session], Awaitable[None]] | None = None,
) -> Gathered:
    """Connect to the server, list its items, and make the calls that `plan` allows. Returns the material.

    `pinned`: the pin to use in place of the target's own. `then`: awaited afterwards with the same session;
    the calls that it makes are not reviewed. Raises InspectorError if the server cannot be reached.
    """
    target = launch.target
    identity = identified(target)
    DIAGNOSTICS.say(f"connecting to {target} …")
    pin = pinned or (read_pin(identity) if identity else None)
    seen = in_session(launch, lambda session: _seen(session, plan, launch, pinned, then))
    listings = list(seen.called.listings)
    missing = [*_results_missing(plan, reviewed(seen.called.first).tools), *seen.called.not_checked]
    if pin is not None:
        listings.append(OtherListing(kind=ListingKind.PINNED, definitions=pin.definitions))
    missing += not_compared_with_pin(pin.definitions if pin is not None else None)
    first = seen.called.first
    missing += skills_not_read((skill.name for skill in first.items(Kind.SKILL)), ())
    missing += contents_not_read((item for kind in Kind for item in first.items(kind)), (), _READS_NONE)
    missing += addresses_not_visited(seen.traffic.asks)
    if plan.calls:
        _add_other_client(launch, listings, missing)
    else:
        missing.append(_ONE_LISTING)
    if isinstance(target, PageTarget):
        missing.append(_HEADERS)
    else:
        asked = _add_profiles(launch, plan, listings, missing)
        missing += [] if asked >= PROFILES.keys() else [_other_profiles(launch, asked)]
    listings = _with_unstable(launch, definitions_of(first, seen.facts.instructions), listings)
    found = reviewed(
        seen.called.first,
        server=_description(seen.facts),
        calls=of_one_session(seen.called.calls),
        listings=tuple(listings),
        traffic=seen.traffic,
    )
    covering = Covering(found.calls)
    missing = [each.masked(covering.text) for each in missing]
    refused = tuple(each.masked(covering.text) for each in seen.called.refused)
    server = ReviewedServer(
        target=reported_as(target),
        name=seen.facts.name,
        version=seen.facts.version,
        protocol=seen.facts.protocol_version,
        tools=tuple(covering.text(offer.name) for offer in found.tools),
        called=len(seen.called.calls),
        repetition=repetition(found.calls),
        file=_file_of(target),
        folder=folder_of(target),
        definitions=definitions_of(first, seen.facts.instructions).fingerprint,
    )
    return Gathered(
        server=server, reviewed=found, not_checked=tuple(missing), refused=refused, identity=identity
    )


def _file_of(target: Target) -> str:
    """The file that a command starts, relative to the working folder; empty if it is not in that folder.

    Reports that a repository shows, such as SARIF, name this file.
    """
    if not isinstance(target, StdioTarget):
        return ""
    here = Path.cwd()
    for word in (*target.command[1:], target.command[0]):
        path = Path(target.cwd or here, word)
        try:
            if path.is_file() and path.resolve().is_relative_to(here.resolve()):
                return path.resolve().relative_to(here.resolve()).as_posix()
        except (OSError, ValueError):
            continue
    return ""


def _add_profiles(
    launch: Launch, plan: Plan, listings: list[OtherListing], missing: list[NotChecked]
) -> frozenset[str]:
    """List the tools again under each further client profile that the user named.

    Returns the names of all profiles used.
    """
    asked = {launch.options.client.profile.name}
    for profile in plan.profiles:
        if profile.name in asked:
            continue
        DIAGNOSTICS.say(f"listing again with the client profile {profile.name} …")
        try:
            client = replace(launch.options.client, profile=profile)
            options = replace(launch.options, client=client, recorder=None)
            found = in_session(replace(launch, options=options), _other_listing)
        except InspectorError as error:
            missing.append(
                NotChecked(what=f"definitions for the client profile {profile.name}", why=_in_short(error))
            )
        else:
            listings.append(replace(found, kind=ListingKind.OTHER_PROFILE, profile=profile.name))
            asked.add(profile.name)
    return frozenset(asked)


def _other_profiles(launch: Launch, asked: frozenset[str]) -> NotChecked:
    profile = launch.options.client.profile
    others = " or ".join(f"--also-as {name}" for name in PROFILES if name not in asked)
    said = announces(profile).rstrip(".")
    return NotChecked(
        what="definitions for other clients",
        why=f"the definitions were listed only under the client profile {profile.name}: {said}. To compare, add {others}",
    )


class _Seen(Struct, frozen=True, kw_only=True):
    traffic: Traffic
    facts: ServerFacts
    called: Called


async def _seen(
    session: Session,
    plan: Plan,
    launch: Launch,
    pinned: Pinned | None,
    then: Callable[[Session], Awaitable[None]] | None,
) -> _Seen:
    first = await session.list_all()
    if session.server is None:
        raise RuntimeError("listed without a connection")
    made = await called(session, plan, launch, pinned) if plan.calls else Called()
    made.first = first
    seen = _Seen(traffic=traffic_of(session.timeline), facts=session.server, called=made)
    if then is not None:
        await then(session)
    return seen


def _description(facts: ServerFacts) -> JsonObject:
    shape: JsonObject = {"name": facts.name, "version": facts.version}
    return shape if facts.instructions is None else {**shape, "instructions": facts.instructions}


def _add_other_client(launch: Launch, listings: list[OtherListing], missing: list[NotChecked]) -> None:
    if isinstance(launch.target, PageTarget):
        missing.append(
            NotChecked(
                what="definitions that depend on the client's name",
                why="a page does not learn the name of its client",
            )
        )
        return
    DIAGNOSTICS.say(f"listing again under the client name {OTHER_CLIENT} …")
    try:
        client = replace(launch.options.client, client_name=OTHER_CLIENT)
        options = replace(launch.options, client=client, recorder=None)
        listings.append(in_session(replace(launch, options=options), _other_listing))
    except InspectorError as error:
        missing.append(
            NotChecked(
                what="definitions that depend on the client's name",
                why=f"the listing under another client name failed: {_in_short(error)}",
            )
        )


_OF_OTHERS = frozenset({ListingKind.OTHER_CLIENT, ListingKind.OTHER_PROFILE})


def _with_unstable(
    launch: Launch, present: ServerDefinitions, listings: list[OtherListing]
) -> list[OtherListing]:
    """The listings. In those of other clients, `unstable` names items that differ even for the same client.

    If another client got other definitions than `present`, the function lists once more as the first client.
    The items that differ from `present` in this new listing become `unstable` in the listings of other
    clients. If there are such items, the new listing is returned too.
    """
    known = {tool.name for tool in present.all} | {""}
    if all(known.isdisjoint(each.differing(present)) for each in listings if each.kind in _OF_OTHERS):
        return listings
    DIAGNOSTICS.say("listing again as the first client …")
    try:
        options = replace(launch.options, recorder=None)
        own = in_session(replace(launch, options=options), _other_listing)
    except InspectorError:
        return listings
    unstable = own.differing(present)
    marked = [replace(each, unstable=unstable) if each.kind in _OF_OTHERS else each for each in listings]
    return [*marked, replace(own, kind=ListingKind.SAME_CLIENT)] if unstable else listings


async def _other_listing(session: Session) -> OtherListing:
    catalogue = await session.list_all()
    instructions = session.server.instructions if session.server else None
    return OtherListing(kind=ListingKind.OTHER_CLIENT, definitions=definitions_of(catalogue, instructions))


def gathered_from(path: Path) -> Gathered:
    """The material that a recording holds about its server. Uses no server and no network.

    Raises UsageError if the file is not a recording.
    """
    file = RecordingFile(path)
    missing: list[NotChecked] = []
    try:
        found = recorded(file.header, _lines(file, missing))
    finally:
        file.close()
    server = ReviewedServer(
        target=str(path),
        name=found.server,
        version=found.version,
        protocol=found.protocol,
        tools=tuple(offer.name for offer in found.reviewed.tools),
        called=len(found.reviewed.calls),
        repetition=repetition(found.reviewed.calls),
    )
    missing += _not_recorded(found.reviewed, is_page=found.is_page)
    if found.has_only_called:
        why = "this recording of a page only has the tools that were called"
        missing.append(NotChecked(what="definitions", why=why))
    if not found.is_page and len(set(found.clients)) < len(PROFILES):
        why = recorded_as(map(recorded_profile, found.clients))
        missing.append(NotChecked(what="definitions for other clients", why=why))
    return Gathered(server=server, reviewed=found.reviewed, not_checked=tuple(missing))


def _lines(file: RecordingFile, missing: list[NotChecked]) -> Iterator[Line]:
    for line in file.lines():
        if isinstance(line, Break):
            why = f"line {line.line}: {line.reason}"
            missing.append(NotChecked(what="the rest of the recording", why=why))
        else:
            yield line


def _not_recorded(found: Reviewed, *, is_page: bool) -> Iterator[NotChecked]:
    yield from not_recorded(
        (offer.name for offer in found.tools),
        (offer.name for offer in found.offers if offer.kind is SubjectKind.SKILL),
        (offer.item for offer in found.offers if offer.item),
        {call.offer.name for call in found.calls},
        lacks_values=any(call.left_out for call in found.calls),
        is_page=is_page,
    )
    yield from addresses_not_visited(found.traffic.asks)
    if not is_page and all(listing.kind is not ListingKind.AGAIN for listing in found.listings):
        yield listed_once(" in the recording")


def judged(parts: tuple[Gathered, ...], *, are_several: bool) -> tuple[Finding, ...]:
    """All findings, the worst first. With several servers, each server is also compared with the others."""
    if not are_several:
        return covered(findings_of(parts[0].reviewed), parts[0].reviewed)
    found: list[Finding] = []
    for part in parts:
        others = tuple(
            Neighbour(target=other.server.target, tools=other.server.tools)
            for other in parts
            if other is not part
        )
        beside = dataclasses.replace(part.reviewed, neighbours=others)
        mine = covered(findings_of(beside), beside)
        found += (replace(finding, target=part.server.target) for finding in mine)
    return tuple(sorted(found, key=lambda finding: (-finding.severity.rank, finding.id)))


_ONE_LISTING = listed_once(", under one client name; with --call, they are listed again under another")
_READS_NONE = "a review reads no resource and gets no prompt, even with --call: sightline read and sightline prompt show them"
_HEADERS = NotChecked(
    what="permissions policy",
    why="Sightline does not read the page's response headers, so it does not know what they allow",
)
