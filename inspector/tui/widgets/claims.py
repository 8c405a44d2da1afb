"""The Claims tab: one row a declaration, the one under the cursor explained beneath."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from inspector.tui.present.claims import ClaimRow, claim_detail, claim_line
from inspector.tui.widgets.lines import Lines


class ClaimLines(Lines):
    """The rows."""

    def __init__(self) -> None:
        super().__init__(id="claim-lines")
        self._rows: tuple[ClaimRow, ...] = ()

    def show(self, rows: tuple[ClaimRow, ...]) -> None:
        """Show other claims."""
        self._rows = rows
        self.show_rows(len(rows), 0)

    @property
    def claim(self) -> ClaimRow | None:
        """The claim under the cursor."""
        return self._rows[self.cursor] if self._rows else None

    def row(self, index: int, width: int) -> Content:
        """One claim."""
        return claim_line(self._rows[index], width, here=index == self.cursor)


class ClaimsPane(Vertical):
    """Badges in words, the claims, and all there is to say of one."""

    DEFAULT_CSS = """
    ClaimsPane {
        & > #claim-badges { height: 1; padding: 0 1; }
        & > #claim-detail {
            height: auto; max-height: 50%; padding: 0 1; border-top: solid $panel; scrollbar-size: 1 1;
        }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="claims")
        self._badges = Static("", markup=False, id="claim-badges")
        self._lines = ClaimLines()
        self._detail = Static("", markup=False)

    def compose(self) -> ComposeResult:
        """Badges, rows, detail."""
        yield self._badges
        yield self._lines
        with VerticalScroll(id="claim-detail", can_focus=False):
            yield self._detail

    def show(self, badges: Content, rows: tuple[ClaimRow, ...]) -> None:
        """Show the claims of another tool."""
        self._badges.update(badges)
        self._lines.show(rows)
        self._explain()

    @on(Lines.Moved)
    @on(Lines.Chosen)
    def explain(self, event: Lines.Moved | Lines.Chosen) -> None:
        """The cursor stands on another claim."""
        event.stop()
        self._explain()

    def _explain(self) -> None:
        claim = self._lines.claim
        nothing = "It declares nothing. Absence is no claim: defaults are shown under Findings."
        self._detail.update(claim_detail(claim) if claim else Content.styled(nothing, "$foreground 70%"))
