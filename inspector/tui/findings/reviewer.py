"""Reviews the server while it lists and answers, and keeps the findings that the user accepts."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content
from textual.screen import Screen

from inspector import __version__
from inspector.errors import InspectorError, UsageError
from inspector.files import paths, private, settings, stamp
from inspector.json.exact import JsonObject
from inspector.pins.files import folder_of, identified, reported_as
from inspector.pins.identity import Identity
from inspector.pins.pins import PinState, ServerDefinitions
from inspector.protocol.catalogue import Catalogue, Tool
from inspector.protocol.targets import HttpTarget, Target
from inspector.protocol.timeline import Entry as TimelineEntry
from inspector.protocol.timeline import EntryKind
from inspector.review import files
from inspector.review.finding import Severity
from inspector.review.formats.formats import FORMATS, report_bytes
from inspector.review.live.accepted import AcceptedFindings
from inspector.review.live.board import Board, LastCall, Material
from inspector.review.live.ongoing import OngoingReview, report_of
from inspector.review.report import (
    Acceptance,
    NotChecked,
    ReportEntry,
    counted_words,
    not_compared_with_pin,
    without_credentials,
)
from inspector.review.seen import ListingKind, Neighbour, OtherListing
from inspector.secrets.own_credentials import own_credentials
from inspector.session.call_record import CallRecord
from inspector.session.live import Session
from inspector.session.recorded import RecordedSession
from inspector.session.wording import announces, recorded_as
from inspector.tui.catalogue.item import ToolView
from inspector.tui.catalogue.marks import Mark
from inspector.tui.connection.connection import SessionLink
from inspector.tui.findings.rows import FindingsView, ItemFindings, item_findings, sign_of
from inspector.tui.runtime.latest import Latest

_REVIEWED_KINDS = frozenset({EntryKind.FAULT, EntryKind.SERVER_REQUEST})
"""The kinds of timeline entries that can lead to findings."""

STEPS = "reviewing"
"""The name of the group of workers that review. The review of a large server takes seconds."""


_NO_PIN = NotChecked(what="changes since pinned", why="the definitions were not compared with pinned ones")


class OtherServers(Struct, frozen=True, kw_only=True):
    """The other servers of a run."""

    listed: tuple[Neighbour, ...] = ()
    """The servers that have listed their tools."""
    unlisted: tuple[str, ...] = ()
    """The names of the servers that have not listed their tools."""


class ReviewStep(Struct, frozen=True, kw_only=True):
    """A request for the next step of a review."""

    review: OngoingReview
    material: Material


class ReviewedStep(Struct, frozen=True, kw_only=True):
    """The state of a review after one more part of its material was reviewed, with all findings so far."""

    review: OngoingReview
    board: Board


def step(asked: ReviewStep) -> ReviewedStep:
    """Review a part of the material. Blocks: call it in a thread."""
    return ReviewedStep(review=asked.review, board=asked.review.step(asked.material))


class Reviewer:
    """Reviews the session in use. All work is done in threads, one step at a time."""

    def __init__(
        self,
        screen: Screen[None],
        link: SessionLink,
        show: Callable[[FindingsView], None],
        target: Target,
        changed: Callable[[], None],
        drawn: Callable[[], None],
        before_each: Callable[[], Awaitable[None]],
    ) -> None:
        """`changed`: called when findings or acceptances change.

        `drawn`: called after each call of `show`.

        `before_each`: awaited before each step, so that more urgent work comes first.
        """
        self._screen = screen
        self._link = link
        self._show = show
        self.target = target
        self._changed = changed
        self._drawn = drawn
        self._session: Session | None = None
        self._review = OngoingReview()
        self._calls: dict[str, LastCall] = {}
        self._every: tuple[LastCall, ...] | None = None
        """All calls up to the position in a recording, in order; None for a live session."""
        self._made = 0
        """The number of calls that have ended; in a recording, at the position or before it."""
        self.is_watched = False
        """True with `--watch`: the server restarts on a save, so a reconnect may reach another version."""
        self._is_whole = True
        """False if the timeline lacks messages, because the recording has too many."""
        self._listings: tuple[OtherListing, ...] = ()
        """The listings with which the current listing is compared.

        They are the pinned definitions, and the definitions that have changed, as they were first listed.
        """
        self._not_pinned: tuple[NotChecked, ...] = (_NO_PIN,)
        self.others: Callable[[], OtherServers] = OtherServers
        """Returns the other servers of the run."""
        self._heard = 0
        """The number of timeline entries seen so far."""
        self._shown: tuple[ToolView, tuple[Content, ...]] | None = None
        """The open item, and the remarks on its result."""
        # The result of an overtaken step is used too. Otherwise, a busy server would never be reviewed.
        self._steps = Latest(
            screen,
            step,
            self._take,
            self._could_not,
            self._follow,
            group=STEPS,
            before_each=before_each,
        )
        self._items = Latest(screen, item_findings, self._take_item, self._could_not)
        self.board: Board | None = None
        """The findings so far; None before the first step."""
        self.accepted: AcceptedFindings | None = None
        """The accepted findings; None until their file is read."""
        self.listeners: list[Callable[[], None]] = []
        """Functions called when findings or acceptances have changed, after the argument `changed`."""

    # The material.

    async def begin(self) -> None:
        """Read the accepted findings from their file."""
        try:
            self.accepted = await asyncio.to_thread(_read_accepted, self.target)
        except InspectorError as error:
            words = f"{error.message}. {error.hint} Until then, no finding is shown as accepted."
            self._screen.notify(words, severity="warning", timeout=15, markup=False)
            self.accepted = AcceptedFindings()
        self._notify()

    def listed(self) -> None:
        """Review the current material, because the catalogue or the calls have changed."""
        if self._link.session is not None:
            self._steps.ask(ReviewStep(review=self._review_of(self._link.session), material=self.material()))

    def pinned(self, state: PinState | None) -> None:
        """Compare the listing with the pinned definitions and with the session's first listing.

        `state`: None if nothing is known about pins.
        """
        earlier: list[OtherListing] = []
        if state is not None and state.pinned is not None:
            earlier.append(OtherListing(kind=ListingKind.PINNED, definitions=state.pinned.definitions))
        self._listings = (*earlier, *_first_listing(state.first if state is not None else ()))
        if state is None:
            self._not_pinned = (_NO_PIN,)
        elif state.fault:
            self._not_pinned = (replace(_NO_PIN, why=state.fault),)
        else:
            self._not_pinned = tuple(
                not_compared_with_pin(state.pinned.definitions if state.pinned else None)
            )
        self.listed()

    def finished(self, record: CallRecord) -> None:
        """Review the result of a call that has ended. The call may be of a tool or of another item."""
        session = self._link.session
        if session is not None:
            self._review_of(session)
            self._calls[record.name] = _last_call(record)
            self._made += 1
            self.listed()

    def answered(
        self, records: Sequence[CallRecord], *, before: int, first: Sequence[Tool], is_whole: bool
    ) -> None:
        """Review only the results of `records`, which are all calls of a recording up to a position.

        `before`: the number of calls at the beginning of `records` that are from before the last reconnect.
        `first`: the definitions that have changed, as they were first listed. `is_whole`: whether the
        session's timeline has all messages up to the position.
        """
        self._is_whole = is_whole
        self._listings = _first_listing(first)
        self._every = tuple(
            replace(_last_call(record), is_before=place < before) for place, record in enumerate(records)
        )
        self._made = len(self._every)
        self._calls = {call.name: call for call in self._every}
        self.listed()

    def heard(self, entries: Sequence[TimelineEntry]) -> None:
        """Review the new timeline entries, if any of them can lead to findings."""
        new, self._heard = range(min(self._heard, len(entries)), len(entries)), len(entries)
        if any(entries[index].kind in _REVIEWED_KINDS for index in new):
            self.listed()

    def look(self, view: ToolView, of_result: tuple[Content, ...]) -> None:
        """Show the findings of the item in `view`. `of_result`: the remarks on its result."""
        self._shown = (view, of_result)
        self._look_again()

    def look_away(self) -> None:
        """Show no findings until `look` is called, because the panes show another server."""
        self._shown = None

    def material(self) -> Material:
        """Everything that is to be reviewed now. Raises RuntimeError without a session."""
        session, server = self._link.session, self._link.server
        if session is None:
            raise RuntimeError("reviewed without a session")
        others = self.others()
        facts: JsonObject = {"name": server.name, "version": server.version} if server else {}
        if server is not None and server.instructions is not None:
            facts["instructions"] = server.instructions
        return Material(
            catalogue=session.catalogue,
            server=facts,
            timeline=session.timeline,
            calls=tuple(self._calls.values()) if self._every is None else self._every,
            made=self._made,
            until=self.until,
            is_recorded=self._every is not None,
            has_all_messages=self._is_whole,
            listings=self._listings,
            not_pinned=self._not_pinned,
            neighbours=others.listed,
            unlisted=others.unlisted,
            is_page=isinstance(session, RecordedSession) and session.opened.header.kind == "page",
            client=_client_words(session),
            origin=self.target.url if isinstance(self.target, HttpTarget) else None,
        )

    @property
    def until(self) -> str:
        """The part of a recording after the current position, in words; empty if nothing follows."""
        session = self._link.session
        return session.after if isinstance(session, RecordedSession) else ""

    def as_neighbour(self, name: str, catalogue: Catalogue) -> Neighbour:
        """The server as input for the review of another server. Omits tools that repeat a withheld value.

        `name`: the name of the server. `catalogue`: a listing of it.
        """
        unshown = self.board.unshown if self.board is not None else frozenset[str]()
        tools = (tool.name for tool in catalogue.tools)
        return Neighbour(target=name, tools=tuple(tool for tool in tools if tool not in unshown))

    def sign(self, tool: Tool) -> Mark:
        """The mark that names the worst findings about a tool in the catalogue."""
        board, accepted = self.board, self.accepted
        if board is None or accepted is None:
            return sign_of((), is_waiting=True)
        entries = (accepted.with_acceptance(entry) for entry in board.of(tool))
        return sign_of(entries, is_waiting=board.is_waiting(tool))

    @property
    def counted(self) -> str:
        """The counts of findings in words if an unaccepted finding is high or critical; otherwise empty."""
        board, accepted = self.board, self.accepted
        entries = [accepted.with_acceptance(entry) for entry in board.all] if board and accepted else []
        is_grave = any(
            entry.counts and entry.finding.severity.rank >= Severity.HIGH.rank for entry in entries
        )
        return counted_words(entries) if is_grave else ""

    # The user's actions. Each returns an error message, or "" on success.

    async def accept(self, entry: ReportEntry, reason: str) -> str:
        """Accept a finding, and write the reason to the file of accepted findings.

        Returns an error message; "" on success.
        """
        if not reason:
            return "Write the reason why you accept it."
        problem = await self._keep(partial(_accept, self.target, entry, reason))
        if not problem:
            words = "Accepted here. sightline review prints the --baseline option that accepts it on the command line."
            self._screen.notify(words, timeout=8, markup=False)
        return problem

    def has_accepted(self, entry: ReportEntry | None) -> bool:
        """True if the user has accepted this finding itself, and not only its rule."""
        return entry is not None and self.accepted is not None and self.accepted.is_accepted(entry)

    async def take_back(self, entry: ReportEntry) -> str:
        """Withdraw the acceptance of a finding. Returns an error message; "" on success."""
        return await self._keep(partial(_take_back, self.target, entry))

    async def export(self, path: str) -> str:
        """Write the review to a new file. The suffix of `path` chooses the format.

        Returns an error message; "" on success.
        """
        board, accepted, server = self.board, self.accepted, self._link.server
        if board is None or accepted is None:
            return "Nothing is reviewed yet."
        protocol = server.protocol_version if server else ""
        session = self._link.session
        mask = (session.own if session else own_credentials(self.target)).mask
        write = partial(_write_report, path, self.target, protocol, board, self.material(), accepted, mask)
        try:
            await asyncio.to_thread(write)
        except InspectorError as error:
            return f"{error.message}. {error.hint}"
        left = "" if board.is_complete else " The review is not complete yet, and the report says so."
        self._screen.notify(f"Written to {path}.{left}", timeout=10, markup=False)
        return ""

    async def _keep(self, work: Callable[[], AcceptedFindings]) -> str:
        try:
            self.accepted = await asyncio.to_thread(work)
        except InspectorError as error:
            return f"{error.message}. {error.hint}"
        self._notify()
        return ""

    # Results of threads.

    def _review_of(self, session: Session) -> OngoingReview:
        """The review, continued with `session`, which is another session after a reconnect.

        Results from before the reconnect stay in the review.
        """
        if session is not self._session:
            if self._session is not None:
                self._review.reconnect(is_renewed=self.is_watched)
            self._session, self._heard = session, 0
            self._calls = {name: replace(call, is_before=True) for name, call in self._calls.items()}
        return self._review

    def _take(self, asked: ReviewStep, made: ReviewedStep) -> None:
        del asked
        self._follow(made)
        if made.review is self._review and not made.board.is_complete:
            self.listed()

    def _follow(self, made: ReviewedStep) -> None:
        if made.review is self._review:
            self.board = made.board
            self._notify()

    def _notify(self) -> None:
        self._changed()
        self._look_again()
        for hear in tuple(self.listeners):
            hear()

    def _look_again(self) -> None:
        if self._shown is None or self.board is None or self.accepted is None:
            return
        view, of_result = self._shown
        self._items.ask(
            ItemFindings(
                item=view.entry,
                board=self.board,
                accepted=self.accepted,
                of_result=of_result,
                traits=view.traits,
                origins=view.origins,
                is_called=view.entry.name in self._calls,
            )
        )

    def _take_item(self, asked: ItemFindings, view: FindingsView) -> None:
        if self._shown is not None and self._shown[0].entry is asked.item:
            self._show(view)
            self._drawn()

    def _could_not(self, asked: object, error: BaseException) -> None:
        del asked
        words = f"The review failed ({type(error).__name__}): a defect of Sightline. Findings may be missing."
        self._screen.notify(words, severity="error", timeout=15, markup=False)


def _client_words(session: Session) -> str:
    profile = session.client_profile
    if profile is None:
        return ""
    if isinstance(session, RecordedSession):
        return recorded_as((profile,))
    return f"the server was asked under one client name: {announces(profile).rstrip('.')}"


def _first_listing(changed: Sequence[Tool]) -> tuple[OtherListing, ...]:
    """A listing of only the definitions in `changed`, as they were first listed; empty if none changed."""
    if not changed:
        return ()
    return (OtherListing(kind=ListingKind.FIRST, definitions=ServerDefinitions(tools=tuple(changed))),)


def _last_call(record: CallRecord) -> LastCall:
    return LastCall(
        number=record.number, name=record.name, judgement=record.judgement, left_out=record.left_out
    )


# Access to files. Each function raises UsageError.


def _read_accepted(target: Target) -> AcceptedFindings:
    identity, rules = identified(target), _configured()
    return files.read_accepted(identity, rules) if identity else AcceptedFindings(rules=rules)


def _accept(target: Target, entry: ReportEntry, reason: str) -> AcceptedFindings:
    return files.accept(_named(target), entry, reason, _configured())


def _take_back(target: Target, entry: ReportEntry) -> AcceptedFindings:
    return files.take_back(_named(target), entry, _configured())


def _write_report(
    name: str,
    target: Target,
    protocol: str,
    board: Board,
    material: Material,
    accepted: AcceptedFindings,
    mask: Callable[[str], str],
) -> None:
    path = paths.written(name)
    format_name = next((name for name, one in FORMATS.items() if one.suffix == path.suffix.lower()), None)
    if format_name is None:
        suffixes = ", ".join(one.suffix for one in FORMATS.values())
        what = f"no format has the suffix {path.suffix}" if path.suffix else "the name has no suffix"
        raise UsageError(what, f"Known suffixes: {suffixes}.")
    report = report_of(
        board,
        material,
        accepted,
        target=reported_as(target),
        protocol=protocol,
        reviewed_by=f"Sightline {__version__}",
    )
    report = replace(report, reviewed_at=stamp.now(), folder=folder_of(target))
    shown = without_credentials(report, mask)
    private.write_new(path, [report_bytes(shown, format_name)])


def _configured() -> tuple[Acceptance, ...]:
    """The acceptances in the `ignore` entries of the user's settings."""
    if not os.path.lexists(paths.own_settings()):
        return ()
    entries = settings.settings().ignored
    return tuple(Acceptance(id=entry.rule, name=entry.tool, reason=entry.reason) for entry in entries)


def _named(target: Target) -> Identity:
    identity = identified(target)
    if identity is None:
        raise UsageError(
            "accepted findings of a page without an address cannot be kept",
            "Give the page's address as well as --cdp: web+https://…",
        )
    return identity
