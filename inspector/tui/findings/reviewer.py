"""Reviewing: what is found in the server as it lists and answers, and what the user accepts of it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content
from textual.screen import Screen

from inspector.errors import InspectorError
from inspector.protocol.catalogue import Tool
from inspector.protocol.targets import HttpTarget, Target
from inspector.protocol.timeline import Entry as TimelineEntry
from inspector.protocol.timeline import EntryKind
from inspector.review.live.material import LastCall, Material
from inspector.review.seen import ListingKind, OtherListing
from inspector.session.call_record import CallRecord
from inspector.session.live import Session
from inspector.tui.catalogue.item import ToolView
from inspector.tui.connection.connection import SessionLink
from inspector.tui.findings import review_work
from inspector.tui.findings.lists import ItemFindings
from inspector.tui.findings.review_work import Export, ReviewWork, StepAsked, StepMade
from inspector.tui.findings.rows import FindingsView, sign_of
from inspector.tui.runtime.latest import Latest

if TYPE_CHECKING:
    from inspector.json.exact import JsonObject
    from inspector.pins.pins import PinState
    from inspector.review.live.accepted import AcceptedFindings
    from inspector.review.live.board import Board
    from inspector.review.report import Entry

_JUDGED_KINDS = frozenset({EntryKind.FAULT, EntryKind.SERVER_REQUEST})
"""What in the timeline may be a finding."""

STEPS = "reviewing"
"""The group of the workers that review; of a large server they go on for seconds."""


class Reviewer:
    """The review of the session in use. All work is done in threads, a step at a time."""

    def __init__(
        self,
        screen: Screen[None],
        link: SessionLink,
        show: Callable[[FindingsView], None],
        target: Target,
        changed: Callable[[], None],
        gives_way: Callable[[], Awaitable[None]],
    ) -> None:
        """`changed`: hears that there are other findings, or that one is accepted. `gives_way`: what comes first."""
        self._screen = screen
        self._link = link
        self._show = show
        self._target = target
        self._changed = changed
        self._session: Session | None = None
        self._work = ReviewWork()
        self._calls: dict[str, LastCall] = {}
        self._listings: tuple[OtherListing, ...] = ()
        """What was pinned, where anything was."""
        self._heard = 0
        """How many entries of the timeline have been looked at."""
        self._shown: tuple[ToolView, tuple[Content, ...]] | None = None
        """The item that is open, and what there is to say of the result that is shown."""
        # What is overtaken counts all the same: a server that is never quiet would otherwise never be judged.
        self._steps = Latest(
            screen,
            review_work.step,
            self._take,
            self._could_not,
            self._follow,
            group=STEPS,
            gives_way=gives_way,
        )
        self._items = Latest(screen, review_work.item_view, self._take_item, self._could_not)
        self.board: Board | None = None
        """What was found so far; None before anything was looked at."""
        self.accepted: AcceptedFindings | None = None
        """What the user accepts; None while it is being read."""
        self.listeners: list[Callable[[], None]] = []
        """Who else hears that something has changed."""

    # What there is to be reviewed.

    async def begin(self) -> None:
        """Read what was accepted before."""
        try:
            self.accepted = await asyncio.to_thread(review_work.read_accepted, self._target)
        except InspectorError as error:
            words = f"{error.message}. {error.hint} Until then every finding counts."
            self._screen.notify(words, severity="warning", timeout=15, markup=False)
            self.accepted = await asyncio.to_thread(review_work.nothing_accepted)
        self._news()

    def listed(self) -> None:
        """The catalogue has grown, or is another."""
        if self._link.session is not None:
            self._steps.ask(StepAsked(work=self._work_of(self._link.session), material=self.material()))

    def pinned(self, state: "PinState | None") -> None:
        """Whether, and how, the definitions were pinned is known: the review compares them too."""
        pin = state.pinned if state is not None else None
        self._listings = (
            (OtherListing(kind=ListingKind.PINNED, tools=pin.definitions.tools),) if pin is not None else ()
        )
        self.listed()

    def finished(self, record: CallRecord) -> None:
        """A call has ended: its result is looked at."""
        session = self._link.session
        if session is not None:
            self._work_of(session)
            self._calls[record.name] = LastCall(
                number=record.number,
                name=record.name,
                judgement=record.judgement,
                left_out=record.left_out,
            )
            self.listed()

    def heard(self, entries: Sequence[TimelineEntry]) -> None:
        """The timeline has grown. Most of it is no finding."""
        new, self._heard = range(min(self._heard, len(entries)), len(entries)), len(entries)
        if any(entries[index].kind in _JUDGED_KINDS for index in new):
            self.listed()

    def look(self, view: ToolView, of_result: tuple[Content, ...]) -> None:
        """Show the findings of this item."""
        self._shown = (view, of_result)
        self._look_again()

    def material(self) -> Material:
        """Everything there is to be reviewed now."""
        session, server = self._link.session, self._link.server
        if session is None:
            raise RuntimeError("reviewed without a session")
        said: JsonObject = {"name": server.name, "version": server.version} if server else {}
        if server is not None and server.instructions is not None:
            said["instructions"] = server.instructions
        return Material(
            catalogue=session.catalogue,
            server=said,
            timeline=session.timeline,
            calls=tuple(self._calls.values()),
            listings=self._listings,
            origin=self._target.url if isinstance(self._target, HttpTarget) else None,
        )

    def sign(self, tool: Tool) -> Content:
        """The worst that was found of a tool, for the catalogue."""
        board, accepted = self.board, self.accepted
        if board is None or accepted is None:
            return sign_of((), is_waiting=True)
        entries = (accepted.standing(entry) for entry in board.of(tool))
        return sign_of(entries, is_waiting=board.is_waiting(tool))

    # What the user does.

    async def accept(self, entry: "Entry", reason: str) -> str:
        """Accept a finding; why that cannot be done, empty where it is done."""
        if not reason:
            return "Write why it is accepted: whoever reads it next will ask."
        problem = await self._keep(partial(review_work.accept, self._target, entry, reason))
        if not problem:
            path = await asyncio.to_thread(review_work.kept_in, self._target)
            self._screen.notify(f"Accepted. It is kept in {path}", timeout=8, markup=False)
        return problem

    async def take_back(self, entry: "Entry") -> str:
        """Accept a finding no longer; why that cannot be done, empty where it is done."""
        return await self._keep(partial(review_work.take_back, self._target, entry))

    async def export(self, path: str) -> str:
        """Write the review to a new file; why that cannot be done, empty where it is done."""
        board, accepted, server = self.board, self.accepted, self._link.server
        if board is None or accepted is None:
            return "Nothing has been reviewed yet."
        asked = Export(
            path=path,
            target=self._target,
            protocol=server.protocol_version if server else "",
            board=board,
            material=self.material(),
            accepted=accepted,
        )
        try:
            await asyncio.to_thread(review_work.write_report, asked)
        except InspectorError as error:
            return f"{error.message}. {error.hint}"
        left = "" if board.is_complete else " The review is not done yet: the report says so."
        self._screen.notify(f"Written to {path}.{left}", timeout=10, markup=False)
        return ""

    # What threads have made.

    async def _keep(self, work: Callable[[], "AcceptedFindings"]) -> str:
        try:
            self.accepted = await asyncio.to_thread(work)
        except InspectorError as error:
            return f"{error.message}. {error.hint}"
        self._news()
        return ""

    def _work_of(self, session: Session) -> ReviewWork:
        """Another session is another review: its calls are counted anew."""
        if session is not self._session:
            self._session, self._work, self._heard = session, ReviewWork(), 0
            self._calls.clear()
        return self._work

    def _take(self, asked: StepAsked, made: StepMade) -> None:
        del asked
        self._follow(made)
        if made.work is self._work and not made.board.is_complete:
            self.listed()

    def _follow(self, made: StepMade) -> None:
        if made.work is self._work:
            self.board = made.board
            self._news()

    def _news(self) -> None:
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

    def _take_item(self, asked: "ItemFindings", view: FindingsView) -> None:
        if self._shown is not None and self._shown[0].entry is asked.item:
            self._show(view)
            self._changed()

    def _could_not(self, asked: object, error: BaseException) -> None:
        del asked
        words = f"The review failed ({type(error).__name__}): a defect of Sightline. What it would have found is not known."
        self._screen.notify(words, severity="error", timeout=15, markup=False)
