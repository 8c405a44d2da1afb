"""Going to findings and to their places."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from textual.content import Content
from textual.screen import Screen

from inspector.json.exact import Malformed
from inspector.protocol.catalogue import Catalogue, Item, Kind
from inspector.protocol.catalogue import Entry as ItemEntry
from inspector.protocol.targets import Target
from inspector.protocol.timeline import Entry, EntryKind
from inspector.tui.catalogue.pane import CataloguePane
from inspector.tui.connection.connection import Link
from inspector.tui.definition.pane import Mark
from inspector.tui.dialogs.ask import Accept, AskField, AskScreen
from inspector.tui.findings.reviewer import Reviewer
from inspector.tui.findings.screen import Before, FindingsScreen
from inspector.tui.main.selection import Looking
from inspector.tui.text import content, shortened

if TYPE_CHECKING:
    from inspector.review.finding import Finding
    from inspector.review.report import Entry as FindingEntry

_FIRST_ANSWERS = ("initialize", "server/discover")

_KINDS = {"resource": Kind.RESOURCE, "template": Kind.TEMPLATE, "prompt": Kind.PROMPT}

_NEAR = 24
"""Characters of the evidence that are looked for."""


class Frames(Protocol):
    """Opens the frames of an entry of the timeline."""

    def __call__(self, entry: Entry, pointer: str = "") -> None:
        """At a place in the last one."""
        ...


class FindingPlaces:
    """Goes to where a finding stands, and marks it."""

    def __init__(
        self, screen: Screen[None], link: Link, looking: Looking, catalogue: CataloguePane, frames: Frames
    ) -> None:
        self._screen = screen
        self._link = link
        self._looking = looking
        self._catalogue = catalogue
        self._frames = frames

    def go_to(self, finding: "Finding") -> None:
        """Show the place of a finding; where there is none, say so."""
        session = self._link.session
        if session is None:
            return
        kind = finding.subject.value
        if kind == "call":
            self._show(_call_of(session.timeline.entries, finding.name), finding.pointer, "/result")
        elif kind == "server":
            self._go_to_server(session.timeline.entries, finding)
        else:
            item = _item_of(session.catalogue, finding)
            if item is None:
                self._say("What it is about is not listed any more.")
            else:
                self._catalogue.go_to(item)
                self._looking.show_place(item, mark_of(finding, is_malformed=isinstance(item, Malformed)))

    def _go_to_server(self, entries: Sequence[Entry], finding: "Finding") -> None:
        if finding.pointer.startswith(("/instructions", "/name", "/version")):
            place = (
                finding.pointer
                if finding.pointer.startswith("/instructions")
                else f"/serverInfo{finding.pointer}"
            )
            answer = next((entry for entry in entries if entry.title in _FIRST_ANSWERS), None)
            self._show(answer, place, "/result")
        else:
            self._show(next((entry for entry in entries if entry.kind is EntryKind.FAULT), None), "", "")

    def _show(self, entry: Entry | None, pointer: str, below: str) -> None:
        if entry is None or not entry.frames:
            self._say("The timeline holds no frame of it.")
        else:
            # A result stands under `result` of its frame; an error is named by itself.
            self._frames(entry, pointer if pointer.startswith("/error") else below + pointer)

    def _say(self, words: str) -> None:
        self._screen.notify(words, markup=False)


def mark_of(finding: "Finding", *, is_malformed: bool) -> Mark:
    """What is marked in a definition. What is wrong with a malformed item is said of the whole list."""
    near = finding.evidence.strip("…")[:_NEAR]
    words = Content.assemble(
        ("! ", "bold $text-warning"),
        (f"{finding.id} {finding.severity.value}: ", "bold"),
        content(shortened(finding.message, 600)),
    )
    return Mark(pointer="" if is_malformed else finding.pointer, words=words, near=near)


def _call_of(entries: Sequence[Entry], name: str) -> Entry | None:
    """The last answered call of a tool."""
    for entry in reversed(entries):
        if entry.kind is EntryKind.EXCHANGE and len(entry.frames) > 1 and entry.title.endswith(f" {name}"):
            return entry
    return None


def _item_of(catalogue: Catalogue, finding: "Finding") -> ItemEntry | None:
    match finding.subject.value:
        case "tool":
            return catalogue.tool(finding.name)
        case "listing":
            problems = (*catalogue.malformed, *catalogue.refused)
            return next((problem for problem in problems if problem.pointer == finding.pointer), None)
        case kind:
            listed = catalogue.entries.get(_KINDS[kind], ()) if kind in _KINDS else ()
            return next((one for one in listed if isinstance(one, Item) and one.name == finding.name), None)


_WHY = (
    "It is kept in a file of yours, which sightline review --baseline reads. It counts no more as long as it says what it says "
    "now. Pressing a on it once more takes that back."
)

_FORMATS = (
    "A new file; its ending says the format: .html one page, .md Markdown, .txt text, .json, .sarif, .xml JUnit. "
    "No secret is in it."
)


class FindingVisits:
    """Opens what has to do with findings over the main screen."""

    def __init__(
        self, screen: Screen[None], reviewing: Reviewer, places: FindingPlaces, target: Target
    ) -> None:
        self._screen = screen
        self._reviewing = reviewing
        self._places = places
        self._target = target
        self._before: Before | None = None

    def open_all(self) -> None:
        """All findings of the server."""
        before = self._before = self._before or Before()
        screen = FindingsScreen(self._reviewing, str(self._target), self.judge, self.export, before)
        self._screen.app.push_screen(screen, self._take)  # pyright: ignore[reportUnknownMemberType]

    def go_to(self, entry: "FindingEntry") -> None:
        """The place of a finding."""
        self._places.go_to(entry.finding)

    def judge(self, entry: "FindingEntry") -> None:
        """Ask why a finding is accepted; of one that is, take that back."""
        accepted = self._reviewing.accepted
        if accepted is None:
            return
        if accepted.is_accepted(entry):
            self._screen.run_worker(self._take_back(entry), group="accepting")
            return
        if entry.acceptance is not None:
            words = "It is accepted by an `ignore` entry of your configuration, and only there."
            self._screen.notify(words, markup=False)
            return

        async def accept(answers: tuple[str, ...]) -> str:
            return await self._reviewing.accept(entry, answers[0])

        finding = entry.finding
        about = shortened(f"{finding.subject.value} {finding.name}", 60)
        self._ask(f"Accept {finding.id} of {about}?", _WHY, AskField(label="Why"), accept)

    def export(self) -> None:
        """Ask for a file, and write the review to it."""

        async def write(answers: tuple[str, ...]) -> str:
            return await self._reviewing.export(answers[0])

        self._ask("Write the review", _FORMATS, AskField(label="File", value="review.html"), write)

    async def _take_back(self, entry: "FindingEntry") -> None:
        problem = await self._reviewing.take_back(entry)
        words = problem or f"{entry.finding.id} counts again."
        self._screen.notify(words, severity="error" if problem else "information", markup=False)

    def _ask(self, title: str, explanation: str, field: AskField, accept: Accept) -> None:
        screen = AskScreen(title, explanation, (field,), accept)
        self._screen.app.push_screen(screen)  # pyright: ignore[reportUnknownMemberType]

    def _take(self, entry: "FindingEntry | None") -> None:
        if entry is not None:
            self.go_to(entry)
