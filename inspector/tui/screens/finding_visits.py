"""What the user does with findings: look at all of them, accept one, go to its place, write them down."""

from typing import TYPE_CHECKING

from textual.screen import Screen

from inspector.protocol.targets import Target
from inspector.tui.present.foreign import shortened
from inspector.tui.screens.asking import Accept, AskScreen, Field
from inspector.tui.screens.finding_places import FindingPlaces
from inspector.tui.screens.reviewing import Reviewing

if TYPE_CHECKING:
    from inspector.review.report import Entry
    from inspector.tui.screens.findings import Before

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
        self, screen: Screen[None], reviewing: Reviewing, places: FindingPlaces, target: Target
    ) -> None:
        self._screen = screen
        self._reviewing = reviewing
        self._places = places
        self._target = target
        self._before: Before | None = None

    def open_all(self) -> None:
        """All findings of the server."""
        from inspector.tui.screens.findings import Before, FindingsScreen  # noqa: PLC0415 - when it is wanted

        before = self._before = self._before or Before()
        screen = FindingsScreen(self._reviewing, str(self._target), self.judge, self.export, before)
        self._screen.app.push_screen(screen, self._take)  # pyright: ignore[reportUnknownMemberType]

    def go_to(self, entry: "Entry") -> None:
        """The place of a finding."""
        self._places.go_to(entry.finding)

    def judge(self, entry: "Entry") -> None:
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
        self._ask(f"Accept {finding.id} of {about}?", _WHY, Field(label="Why"), accept)

    def export(self) -> None:
        """Ask for a file, and write the review to it."""

        async def write(answers: tuple[str, ...]) -> str:
            return await self._reviewing.export(answers[0])

        self._ask("Write the review", _FORMATS, Field(label="File", value="review.html"), write)

    async def _take_back(self, entry: "Entry") -> None:
        problem = await self._reviewing.take_back(entry)
        words = problem or f"{entry.finding.id} counts again."
        self._screen.notify(words, severity="error" if problem else "information", markup=False)

    def _ask(self, title: str, explanation: str, field: Field, accept: Accept) -> None:
        screen = AskScreen(title, explanation, (field,), accept)
        self._screen.app.push_screen(screen)  # pyright: ignore[reportUnknownMemberType]

    def _take(self, entry: "Entry | None") -> None:
        if entry is not None:
            self.go_to(entry)
