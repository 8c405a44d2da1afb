"""What a review is made of: a live server, or a recording of one."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from inspector.cli.diagnostics import DIAGNOSTICS
from inspector.cli.options import in_session
from inspector.cli.review_calls import Called, Plan, called
from inspector.errors import InspectorError
from inspector.json.exact import JsonObject
from inspector.pins.files import identified, read_pin
from inspector.protocol.targets import PageTarget, Target
from inspector.recording.files import Break, RecordingFile
from inspector.recording.format import Line
from inspector.review.covering import Covering, covered
from inspector.review.finding import Finding
from inspector.review.recorded import recorded
from inspector.review.registry import findings_of
from inspector.review.report import NotChecked, ReviewedServer
from inspector.review.reviewed import Reviewed, reviewed
from inspector.review.seen import ListingKind, Neighbour, OtherListing, traffic_of
from inspector.session.facts import ServerFacts
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.session.wording import ANNOUNCES_NOTHING

OTHER_CLIENT = "claude-ai"
"""What Claude Desktop calls itself: a server with another face for reviewers has its usual one for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """One server, as far as it could be looked at."""

    server: ReviewedServer
    reviewed: Reviewed
    not_checked: tuple[NotChecked, ...]
    is_stopped: bool = False
    """Whether the policy stopped a call."""


def gathered(target: Target, options: Options, plan: Plan) -> Gathered:
    """Connect, list, and call what `plan` allows. Raises InspectorError where the server cannot be reached."""
    identity = identified(target)
    # A command's words may hold a key, and a report is handed over.
    name = str(identity) if identity else str(target)
    DIAGNOSTICS.say(f"connecting to {target} …")
    pin = read_pin(identity) if identity else None
    seen = in_session(target, options, lambda session: _seen(session, plan))
    listings = list(seen.called.listings)
    missing = list(seen.called.not_checked)
    if pin is not None:
        kept = pin.definitions
        listings.append(
            OtherListing(kind=ListingKind.PINNED, tools=kept.tools, instructions=kept.instructions)
        )
    else:
        missing.append(NotChecked(what="changes since pinned", why="nothing is pinned: see sightline pin"))
    if plan.calls:
        _add_other_client(target, options, listings, missing)
    else:
        missing.append(_NO_CALLS)
        missing.append(_ONE_LISTING)
    missing.append(_HEADERS if isinstance(target, PageTarget) else _CAPABILITIES)
    found = reviewed(
        seen.called.first,
        server=_said(seen.facts),
        calls=tuple(seen.called.calls),
        listings=tuple(listings),
        traffic=traffic_of(seen.session.timeline),
    )
    covering = Covering(found.calls)
    missing = [replace(each, what=covering.text(each.what)) for each in missing]
    server = ReviewedServer(
        target=name,
        name=seen.facts.name,
        version=seen.facts.version,
        protocol=seen.facts.protocol_version,
        tools=tuple(covering.text(offer.name) for offer in found.tools),
        called=len(seen.called.calls),
    )
    return Gathered(
        server=server, reviewed=found, not_checked=tuple(missing), is_stopped=seen.called.is_stopped
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    session: Session
    facts: ServerFacts
    called: Called


async def _seen(session: Session, plan: Plan) -> _Seen:
    first = await session.list_all()
    if session.server is None:
        raise RuntimeError("listed without a connection")
    made = await called(session, plan) if plan.calls else Called()
    made.first = first
    return _Seen(session=session, facts=session.server, called=made)


def _said(facts: ServerFacts) -> JsonObject:
    said: JsonObject = {"name": facts.name, "version": facts.version}
    return said if facts.instructions is None else {**said, "instructions": facts.instructions}


def _add_other_client(
    target: Target, options: Options, listings: list[OtherListing], missing: list[NotChecked]
) -> None:
    if isinstance(target, PageTarget):
        missing.append(NotChecked(what="changes by client name", why="a page is told no client's name"))
        return
    DIAGNOSTICS.say(f"listing as {OTHER_CLIENT} …")
    try:
        listings.append(
            in_session(target, replace(options, client_name=OTHER_CLIENT, recorder=None), _other_listing)
        )
    except InspectorError as error:
        missing.append(NotChecked(what="changes by client name", why=f"asked as another: {error.message}"))


async def _other_listing(session: Session) -> OtherListing:
    catalogue = await session.list_all()
    said = session.server.instructions if session.server else None
    return OtherListing(kind=ListingKind.OTHER_CLIENT, tools=catalogue.tools, instructions=said)


def gathered_from(path: Path) -> Gathered:
    """What a recording shows, with no server and no network. Raises UsageError where it is none."""
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
    )
    missing += _not_recorded(found.reviewed)
    if found.is_page:
        why = "a recording of a page has those of its tools alone that were called"
        missing.append(NotChecked(what="definitions", why=why))
    return Gathered(server=server, reviewed=found.reviewed, not_checked=tuple(missing))


def _lines(file: RecordingFile, missing: list[NotChecked]) -> Iterator[Line]:
    for line in file.lines():
        if isinstance(line, Break):
            why = f"line {line.line}: {line.reason}"
            missing.append(NotChecked(what="the rest of the recording", why=why))
        else:
            yield line


def _not_recorded(found: Reviewed) -> Iterator[NotChecked]:
    made = {call.offer.name for call in found.calls}
    for offer in found.tools:
        if offer.name not in made:
            yield NotChecked(what=f"results of {offer.name}", why="no call of it is in the recording")
    if any(call.left_out for call in found.calls):
        yield NotChecked(
            what="withheld values", why="a recording does not hold them, nor where references are redeemed"
        )
    if not found.listings:
        yield NotChecked(what="changes", why="the tools were listed once in the recording, or as before")
    yield NotChecked(what="changes by client name", why="a recording is of one client")


def judged(parts: tuple[Gathered, ...]) -> tuple[Finding, ...]:
    """All findings of all servers, the worst first; of several servers each with its own, and beside the others."""
    if len(parts) == 1:
        return covered(findings_of(parts[0].reviewed), parts[0].reviewed)
    found: list[Finding] = []
    for part in parts:
        others = tuple(
            Neighbour(target=other.server.target, tools=other.server.tools)
            for other in parts
            if other is not part
        )
        beside = replace(part.reviewed, neighbours=others)
        mine = covered(findings_of(beside), beside)
        found += (replace(finding, target=part.server.target) for finding in mine)
    return tuple(sorted(found, key=lambda finding: (-finding.severity.rank, finding.id)))


_NO_CALLS = NotChecked(what="results", why="no tool was called: --call calls those that only read")
_ONE_LISTING = NotChecked(
    what="changes", why="one listing was taken, under one client name: --call takes others"
)
_CAPABILITIES = NotChecked(what="tools for other clients", why=ANNOUNCES_NOTHING.rstrip("."))
_HEADERS = NotChecked(
    what="permissions policy",
    why="the page's response headers are not read: what they allow is not known, what they forbid is",
)
