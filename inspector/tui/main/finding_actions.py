"""The user's actions on findings and on texts for the model.

The user can go to the place of a finding or of a text, accept a finding, and write the review to a file.
"""

from collections.abc import Callable, Sequence
from enum import Enum, auto
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content
from textual.screen import Screen

from inspector.files import paths
from inspector.hosts.context import ContextPart
from inspector.json.exact import Malformed
from inspector.pins.known_secrets import KnownSecrets, SessionSecrets
from inspector.protocol.catalogue import Catalogue, Item, Kind
from inspector.protocol.catalogue import Entry as ItemEntry
from inspector.protocol.exchanges import Matched
from inspector.protocol.outcome import Result
from inspector.protocol.timeline import Entry, EntryKind
from inspector.review.finding import Finding
from inspector.review.report import ReportEntry
from inspector.session.live import Session
from inspector.session.recorded import RecordedSession
from inspector.tui.catalogue.pane import CatalogueSection
from inspector.tui.connection.connection import SessionLink
from inspector.tui.context.screen import ContextAsked, ContextScreen
from inspector.tui.definition.pane import DefinitionMark
from inspector.tui.dialogs.ask import Accept, AskField, AskScreen
from inspector.tui.findings.reviewer import Reviewer
from inspector.tui.findings.screen import Before, FindingsScreen
from inspector.tui.main.selection import Selection
from inspector.tui.policy.dialog import DecisionScreen
from inspector.tui.policy.view import DecisionView, note_view
from inspector.tui.runtime.workers import work_of
from inspector.tui.text import content, cut_in_the_middle, shortened
from inspector.tui.timeline.frame import FrameScreen, FramesWanted

_FIRST_ANSWERS = ("initialize", "server/discover")

_KINDS = {"resource": Kind.RESOURCE, "template": Kind.TEMPLATE, "prompt": Kind.PROMPT, "skill": Kind.SKILL}

_NEAR = 24
"""The maximum number of characters of a finding's evidence that are searched for in a definition."""

_WHY = (
    "Sightline writes the reason to a file that sightline review --baseline reads. The finding does not "
    "count again unless it changes. To withdraw the acceptance, put the cursor on the finding and press a again; Sightline asks first."
)

_FORMATS = (
    "A new file. Its suffix chooses the format: .html one page, .md Markdown, .txt text, .json, .sarif, .xml JUnit. "
    "It holds no secret."
)


def open_frames(
    screen: Screen[None],
    session: Session | None,
    entry: Entry,
    pointer: str = "",
    *,
    known: KnownSecrets | None = None,
    began_s: float = 0.0,
) -> None:
    """Show the frames of a timeline entry. If it has none, show its text.

    `pointer`: points to the value to mark in the last frame. `known`: the values that were withheld from calls
    of the session, which are masked. `began_s`: when the session began, in seconds since the first session of
    the timeline began.
    """
    if not entry.frames:
        screen.app.push_screen(DecisionScreen(note_view(entry)))  # pyright: ignore[reportUnknownMemberType]
    elif session is not None:
        frames = session.timeline.frames_of(entry)
        wanted = FramesWanted(
            entry=entry,
            frames=(_joined(frames),) if entry.kind is EntryKind.STDERR else frames,
            catalogue=_as_called(session, entry),
            pointer=pointer,
            own=session.own,
            known=known,
            began_s=began_s,
        )
        screen.app.push_screen(FrameScreen(wanted))  # pyright: ignore[reportUnknownMemberType]


def _as_called(session: Session, entry: Entry) -> Catalogue:
    """The catalogue of a session, with the tool that `entry` called as it was defined at that time.

    If the call has no record, because it runs or was cancelled, the definition is the one at the last call of
    the tool. The current definition is not used, because it may mark fewer values as sensitive.
    """
    called = [call for call in session.calls if call.tool and not call.tool.item]
    called.sort(key=lambda call: call.at_s == entry.at_s)
    listed = session.catalogue.entries.get(Kind.TOOL, ())
    tools = (call.tool for call in reversed(called) if call.tool)
    entries = {**session.catalogue.entries, Kind.TOOL: (*tools, *listed)}
    return replace(session.catalogue, entries=entries)


def _joined(frames: Sequence[Matched]) -> Matched:
    """The frames of stderr joined into one frame, so that a traceback can be read as a whole."""
    raw = b"\n".join(matched.frame.raw.rstrip(b"\r\n") for matched in frames)
    return replace(frames[0], frame=replace(frames[0].frame, raw=raw))


class PlaceIn(Enum):
    """Where the place of a finding is shown."""

    DEFINITION = auto()
    RESULT = auto()
    FRAME = auto()
    """The place is shown in a frame, on a screen of its own; or it cannot be shown."""


class TimelinePast(Struct, frozen=True, kw_only=True):
    """Functions that look things up in the timeline of this run, which includes earlier connections."""

    exchange_of: Callable[[int], tuple[Session, Entry] | None]
    """Returns the exchange of a call of this run and its session, by the number of the call; None if there is none."""
    sessions: Callable[[], Sequence[Session]]
    """Returns the sessions with the server, the newest first."""
    began_s: Callable[[Session], float]
    """Returns when a session began, in seconds since the first session of the timeline began."""
    show_recorded_call: Callable[[int, str], bool]
    """Shows a place in the last frame of a recorded call; returns false if no recording is shown.

    Takes the number of the call and the pointer to the place.
    """


class FindingActions:
    """Opens the review and the list of texts for the model, and shows the place of a finding or a text.

    Also accepts findings, and writes the review to a file.
    """

    def __init__(  # noqa: PLR0913 - the parts that show findings
        self,
        screen: Screen[None],
        link: SessionLink,
        reviewer: Reviewer,
        selection: Selection,
        catalogue: CatalogueSection,
        will_go_back: Callable[[Callable[[], None], PlaceIn], None],
        past: TimelinePast,
        *,
        secrets: SessionSecrets,
    ) -> None:
        """`will_go_back`: called when a place on the main screen is shown, with the function that Esc then calls.

        `secrets`: the values that were withheld from calls of the session, which are masked in frames.
        """
        self._secrets = secrets
        self._will_go_back = will_go_back
        self._past = past
        self._screen = screen
        self._link = link
        self._reviewer = reviewer
        self._selection = selection
        self._catalogue = catalogue
        self._before: Before | None = None

    def open_all(self, show_origin: Callable[[], None], *, is_back: bool = False) -> None:
        """Open the screen with all findings of the server.

        `show_origin`: shows again what was shown before the user opened the screen for the first time. It is
        called when the user leaves the screen after coming back to it from the place of a finding.
        `is_back`: true if the user comes back from such a place.
        """

        def go_to(entry: ReportEntry) -> bool:
            place = self.go_to(entry)
            if place is PlaceIn.FRAME:
                return False
            self._will_go_back(partial(self.open_all, show_origin, is_back=True), place)
            return True

        before = self._before = self._before or Before()
        session = self._link.session
        # A recording names only the program of a command, so the name of the recording's file is shown.
        is_recorded = isinstance(session, RecordedSession)
        of = Path(session.opened.path).name if is_recorded else str(self._reviewer.target)
        of = f"{of} without {self._reviewer.until}" if self._reviewer.until else of
        screen = FindingsScreen(self._reviewer, of, go_to, self.toggle_acceptance, self.export, before)
        self._push(screen, show_origin if is_back else None)

    def open_context(self, show_origin: Callable[[], None], row: int = 0, *, is_back: bool = False) -> None:
        """Open the screen with the texts that reach the model before its first call.

        `row`: the row under the cursor, from 0. The other parameters are those of `open_all`.
        """
        session, selection = self._link.session, self._selection
        if session is None or session.server is None:
            self._say("Nothing is listed yet.")
            return

        def go_to(row: int, part: ContextPart) -> bool:
            is_below = self._show_text(part)
            if is_below:
                take = partial(self.open_context, show_origin, row, is_back=True)
                self._will_go_back(take, PlaceIn.DEFINITION)
            return is_below

        asked = ContextAsked(
            catalogue=session.catalogue,
            instructions=session.server.instructions,
            level=selection.level,
            host=selection.host,
        )
        self._push(ContextScreen(asked, self._reviewer, go_to, row), show_origin if is_back else None)

    def _push(self, screen: Screen[bool], show_origin: Callable[[], None] | None) -> None:
        """Open a screen. `show_origin`: called when the user leaves it without going to a place."""

        def left(is_at_place: bool | None) -> None:  # noqa: FBT001 - as Textual calls it
            if show_origin is not None and not is_at_place:
                show_origin()

        self._screen.app.push_screen(screen, left)  # pyright: ignore[reportUnknownMemberType]

    def _show_text(self, part: ContextPart) -> bool:
        """Show the definition of the item that has a text for the model. Returns true if it is shown.

        The instructions of a server belong to no item. The frame that brought them is shown instead.
        """
        session, item = self._link.session, part.item
        if item is None:
            self._show_first_answer("/instructions")
        elif session is None or not any(item in listed for listed in session.catalogue.entries.values()):
            self._say("This item is no longer listed.")
        else:
            words = Content.assemble(
                (f"{part.tokens:,} tokens", "bold"), " of the context before the first call"
            )
            self._catalogue.go_to(item)
            self._selection.show_place(item, DefinitionMark(pointer=None, words=words))
            return True
        return False

    def go_to(self, entry: ReportEntry) -> PlaceIn:
        """Show the place of a finding in a result, a definition or a frame. Returns which of them is shown.

        If the place cannot be shown, notify the user and return `PlaceIn.FRAME`.
        """
        session, finding = self._link.session, entry.finding
        kind = finding.subject.value
        if kind == "call":
            return self._go_to_call(entry)
        if session is None:
            return PlaceIn.FRAME
        if kind == "request":
            self._show(_request_of(session.timeline.entries, finding.name), f"/params{finding.pointer}")
        elif kind == "server":
            self._go_to_server(session, finding)
        else:
            item = _item_of(session.catalogue, finding)
            if item is None:
                self._say("The item of this finding is no longer listed.")
            else:
                self._catalogue.go_to(item)
                self._selection.show_place(item, mark_of(finding, is_malformed=isinstance(item, Malformed)))
                return PlaceIn.DEFINITION
        return PlaceIn.FRAME

    def _go_to_call(self, entry: ReportEntry) -> PlaceIn:
        pointer = entry.finding.pointer
        if self._past.show_recorded_call(entry.call, _in_answer(pointer)):
            return PlaceIn.FRAME
        found, exchange = self._past.exchange_of(entry.call) or (self._link.session, None)
        records = found.calls if found is not None else ()
        record = next((record for record in records if record.number == entry.call), None)
        if record is not None and record.tool is not None and isinstance(record.outcome, Result):
            self._selection.show_result_place(record, pointer)
            return PlaceIn.RESULT
        self._show(exchange, _in_answer(pointer), found)
        return PlaceIn.FRAME

    def toggle_acceptance(self, entry: ReportEntry) -> None:
        """Ask the user for a reason, and accept a finding with it.

        If the finding is already accepted, ask whether to withdraw the acceptance.
        """
        if self._reviewer.accepted is None:
            return
        if self._reviewer.has_accepted(entry):
            self._ask_to_withdraw(entry)
            return
        if entry.acceptance is not None:
            self._say("An `ignore` entry of your configuration accepts this finding: change that entry.")
            return

        async def accept(answers: tuple[str, ...]) -> str:
            return await self._reviewer.accept(entry, answers[0])

        self._ask(f"Accept {_named(entry)}?", _WHY, AskField(label="Why"), accept, verb="accept")

    def export(self) -> None:
        """Ask for a file, and write the review to it."""

        async def write(answers: tuple[str, ...]) -> str:
            return await self._reviewer.export(paths.suffixed(answers[0], ".html"))

        self._ask(
            "Write the review", _FORMATS, AskField(label="File", value="review.html"), write, verb="write"
        )

    def _ask_to_withdraw(self, entry: ReportEntry) -> None:
        reason = entry.acceptance.reason if entry.acceptance else ""
        question = DecisionView(
            title=content(f"Withdraw the acceptance of {_named(entry)}?", "bold $text-warning"),
            lines=(
                Content("The finding counts again, and Sightline deletes the reason that you wrote:"),
                Content(""),
                content(shortened(reason, 600)),
            ),
            agree="withdraw",
        )

        def answer(is_agreed: bool | None) -> None:  # noqa: FBT001 - as Textual calls it
            if is_agreed:
                self._screen.run_worker(work_of(self._take_back, entry), group="accepting")

        self._screen.app.push_screen(DecisionScreen(question), answer)  # pyright: ignore[reportUnknownMemberType]

    async def _take_back(self, entry: ReportEntry) -> None:
        problem = await self._reviewer.take_back(entry)
        words = problem or f"{entry.finding.id} counts again."
        self._screen.notify(words, severity="error" if problem else "information", markup=False)

    def _ask(self, title: str, explanation: str, field: AskField, accept: Accept, *, verb: str) -> None:
        screen = AskScreen(title, explanation, (field,), accept, verb=verb)
        self._screen.app.push_screen(screen)  # pyright: ignore[reportUnknownMemberType]

    def _go_to_server(self, session: Session, finding: Finding) -> None:
        pointer = finding.pointer
        if pointer.startswith(("/instructions", "/name", "/version")):
            self._show_first_answer(
                pointer if pointer.startswith("/instructions") else f"/serverInfo{pointer}"
            )
        else:
            # The finding may be about a connection before this one.
            for each in (session, *self._past.sessions()):
                fault = _fault_in(each.timeline.entries, pointer)
                if fault is not None:
                    self._show(fault, "", each)
                    return
            self._show(None, "")

    def _show_first_answer(self, pointer: str) -> None:
        """Show a place in the answer to the request that began the connection."""
        entries = self._link.session.timeline.entries if self._link.session else ()
        # If the server does not support `server/discover`, `initialize` follows: the last one is shown.
        answer = next((entry for entry in reversed(entries) if entry.title in _FIRST_ANSWERS), None)
        self._show(answer, f"/result{pointer}")

    def _show(self, entry: Entry | None, pointer: str, session: Session | None = None) -> None:
        """Show a place in the last frame of an entry. `session`: None for the session in use."""
        if entry is None or not entry.frames:
            self._say("The timeline has no frame for this finding.")
        else:
            shown = session or self._link.session
            began_s = self._past.began_s(shown) if shown is not None else 0.0
            open_frames(self._screen, shown, entry, pointer, known=self._secrets.known, began_s=began_s)

    def _say(self, words: str) -> None:
        self._screen.notify(words, markup=False)


def _in_answer(pointer: str) -> str:
    """A finding's pointer as a pointer into the frame of the answer.

    A pointer into an error begins with `/error` already. Any other pointer is into the result, so it gets
    `/result` in front.
    """
    return pointer if pointer.startswith("/error") else f"/result{pointer}"


def _named(entry: ReportEntry) -> str:
    """The id, the subject and the name of a finding, for a question to the user. Untrusted text."""
    finding = entry.finding
    return f"{finding.id} of {cut_in_the_middle(f'{finding.subject.value} {finding.name}'.rstrip(), 60)}"


def mark_of(finding: Finding, *, is_malformed: bool) -> DefinitionMark:
    """The place of a finding in a definition. A malformed item is marked as a whole.

    The pointers in findings about a malformed item start at the list response, not at the item.
    """
    near = finding.evidence.strip("…")[:_NEAR]
    words = Content.assemble(
        ("! ", "bold $text-warning"),
        (f"{finding.id} {finding.severity.value}: ", "bold"),
        content(shortened(finding.message, 600)),
    )
    return DefinitionMark(pointer="" if is_malformed else finding.pointer, words=words, near=near)


_FAULTS = {"/stray_output": "not a message", "/unasked": "unexpected answer"}
"""The title of the timeline entry of a protocol fault, by the pointer of its finding."""


def _fault_in(entries: Sequence[Entry], pointer: str) -> Entry | None:
    """The first timeline entry of the protocol fault that the pointer of a finding names; None if there is none.

    If the pointer names no fault, the first entry of any fault.
    """
    faults = [entry for entry in entries if entry.kind is EntryKind.FAULT and entry.frames]
    title = _FAULTS.get(pointer)
    return next((entry for entry in faults if title in {None, entry.title}), None)


def _request_of(entries: Sequence[Entry], name: str) -> Entry | None:
    """The last request by the server whose method is the first word of `name`; None if there is none."""
    method = name.partition(" ")[0]
    asked = (entry for entry in reversed(entries) if entry.kind is EntryKind.SERVER_REQUEST)
    return next((entry for entry in asked if entry.title.partition(" ")[0] == method), None)


def _item_of(catalogue: Catalogue, finding: Finding) -> ItemEntry | None:
    match finding.subject.value:
        case "tool":
            return catalogue.tool(finding.name)
        case "listing":
            problems = (*catalogue.malformed, *catalogue.refused)
            return next((problem for problem in problems if problem.pointer == finding.pointer), None)
        case kind:
            listed = catalogue.entries.get(_KINDS[kind], ()) if kind in _KINDS else ()
            return next((one for one in listed if isinstance(one, Item) and one.name == finding.name), None)
