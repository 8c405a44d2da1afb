"""The Claims tab: every declaration, with contradictions."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from inspector.claims.claim import Claim, Key, Standing, Subject, Vocabulary
from inspector.claims.registry import vocabularies
from inspector.json.exact import Json, dump_text
from inspector.tui.text import content, shortened
from inspector.tui.widgets.lines import Lines

_VALUE_LENGTH = 300
_WHERE = {
    Subject.RESULT: "  on the result",
    Subject.BLOCK: "  on a block of the result",
    Subject.RESOLUTION: "  on this one call",
}

_STANDINGS = {
    Standing.CORE: "$text-success",
    Standing.EXTENSION: "$text-primary",
    Standing.PROPOSAL: "$text-warning",
    Standing.WITHDRAWN: "$text-error",
    Standing.VENDOR: "$text-accent",
    Standing.UNRECOGNISED: "$text-error",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRow:
    """One claim, and what contradicts it."""

    claim: Claim
    value: str
    """Its value as JSON, cut: foreign text."""
    contradictions: tuple[str, ...] = ()
    """In sentences; may quote foreign text."""


def claim_line(row: ClaimRow, width: int, *, here: bool) -> Content:
    """One row: sign, vocabulary, key, value, standing."""
    claim = row.claim
    sign, style = _sign(row)
    standing = Content.styled(str(claim.standing), _STANDINGS[claim.standing])
    left = Content.assemble(
        "▸" if here else " ",
        (f"{sign} ", style),
        content(shortened(claim.vocabulary, 20), "$foreground 70%"),
        " ",
        content(shortened(claim.key, 60), "bold"),
        " = ",
        content(shortened(row.value, max(width, 20))),
        content(f"  {claim.note}", "$text-warning") if claim.note else "",
        (_WHERE.get(claim.subject, ""), "$foreground 60%"),
    )
    room = max(width - standing.cell_length - 1, 10)
    return Content.assemble(left.truncate(room, ellipsis=True, pad=True), " ", standing)


def claim_detail(row: ClaimRow) -> Content:
    """All that is known of a claim, in a few lines."""
    claim = row.claim
    vocabulary, key = vocabulary_named(claim.vocabulary), _keys().get((claim.vocabulary, claim.key))
    lines = [
        Content.assemble(
            content(shortened(f"{claim.vocabulary}: {claim.key}", 120), "bold"),
            " at ",
            content(shortened(claim.pointer, 200)),
        )
    ]
    if claim.note:
        lines.append(content(f"{claim.note}: an agent in the browser never learns it", "bold $text-warning"))
    lines += [content(sentence, "bold $text-error") for sentence in row.contradictions]
    if not claim.well_formed:
        lines.append(content(f"malformed: {claim.problem}; read in the safe direction", "bold $text-error"))
    if key:
        default = f" Absent means {key.default}." if key.default else ""
        lines.append(Content(f"{key.meaning} ({key.type}.{default})"))
        lines.append(Content.styled(f"effect: {key.effect}", "$foreground 70%"))
    if vocabulary:
        lines.append(
            Content.styled(
                f"{vocabulary.title}, {vocabulary.standing} as of {vocabulary.as_of}: {vocabulary.source}",
                "$foreground 70%",
            )
        )
    return Content("\n").join(lines)


def value_text(value: Json, length: int = _VALUE_LENGTH) -> str:
    """A claim's value as JSON, cut: foreign text."""
    return shortened(dump_text(value), length)


def vocabulary_named(name: str) -> Vocabulary | None:
    """The vocabulary of that name."""
    return _vocabularies().get(name)


def _sign(row: ClaimRow) -> tuple[str, str]:
    if not row.claim.well_formed:
        return "✗", "bold $text-error"
    return ("≠", "bold $text-error") if row.contradictions else (" ", "")


@cache
def _vocabularies() -> Mapping[str, Vocabulary]:
    return {vocabulary.name: vocabulary for vocabulary in vocabularies()}


@cache
def _keys() -> Mapping[tuple[str, str], Key]:
    return {(vocabulary.name, key.name): key for vocabulary in vocabularies() for key in vocabulary.keys}


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
