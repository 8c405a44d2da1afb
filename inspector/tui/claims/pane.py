"""The Claims tab: every claim (declaration of the server) about a tool, and contradictions between claims."""

from collections.abc import Mapping
from functools import cache

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from inspector.claims.claim import Claim, Standing, Subject, Vocabulary
from inspector.claims.registry import keys_by_name, vocabularies
from inspector.json.exact import Json, Malformed, dump_text
from inspector.protocol.catalogue import Entry
from inspector.protocol.page import RefusedTool
from inspector.tui.text import content, shortened
from inspector.tui.widgets.lines import Lines
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import QUIET, Detail, DrawnLines

_VALUE_LENGTH = 300
_NONE = "none"
"""The beginning of `ClaimKey.effect` if the key implies no trait."""
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


class ClaimRow(Struct, frozen=True, kw_only=True):
    """One claim, and the claims that contradict it."""

    claim: Claim
    value: str
    """The value as shortened JSON. Untrusted text."""
    contradictions: tuple[str, ...] = ()
    """Sentences about each contradiction. They may quote untrusted text."""


def claim_line(row: ClaimRow, width: int, *, here: bool) -> Content:
    """One row of the list of claims, `width` cells wide. `here`: whether the cursor is on it."""
    claim = row.claim
    sign, style = _sign(row)
    status = Content.styled(str(claim.standing), _STANDINGS[claim.standing])
    left = Content.assemble(
        "▸" if here else " ",
        (f"{sign} ", style),
        content(shortened(claim.vocabulary, 20), QUIET),
        " ",
        content(shortened(claim.key, 60), "bold"),
        " = ",
        content(shortened(row.value, max(width, 20))),
        content(shortened(f"  written {spelling}", 60), "$text-warning")
        if (spelling := _spelling(claim))
        else "",
        content(f"  {claim.note}", "$text-warning") if claim.note else "",
        (_WHERE.get(claim.subject, ""), "$foreground 70%"),
    )
    room = max(width - status.cell_length - 1, 10)
    return Content.assemble(left.truncate(room, ellipsis=True, pad=True), " ", status)


def claim_detail(row: ClaimRow) -> Content:
    """A claim in full, with the meaning of its key and its vocabulary."""
    claim = row.claim
    vocabulary, key = vocabulary_named(claim.vocabulary), keys_by_name().get((claim.vocabulary, claim.key))
    lines = [
        Content.assemble(
            content(shortened(f"{claim.vocabulary}: {claim.key}", 120), "bold"),
            " at ",
            content(shortened(claim.pointer, 200)),
        )
    ]
    if claim.note:
        lines.append(content(f"{claim.note}: an agent in the browser never gets it", "bold $text-warning"))
    lines += [content(sentence, "bold $text-error") for sentence in row.contradictions]
    if not claim.well_formed:
        worse = (
            "; Sightline assumes the worse case" if key is None or not key.effect.startswith(_NONE) else ""
        )
        lines.append(content(f"malformed: {claim.problem}{worse}", "bold $text-error"))
    if key:
        default = f" Absent means {key.default}." if key.default else ""
        # The meaning of a boolean key describes the value true.
        condition = "if true: " if key.type == "boolean" else ""
        lines.append(Content(f"{condition}{key.meaning} ({key.type}.{default})"))
        drawn = key.effect.replace(_NONE, "nothing", 1) if key.effect.startswith(_NONE) else key.effect
        lines.append(Content.styled(f"what Sightline concludes from it: {drawn}", QUIET))
    if vocabulary:
        lines.append(
            Content.styled(
                f"{vocabulary.title}, {vocabulary.standing} as of {vocabulary.as_of}: {vocabulary.source}",
                QUIET,
            )
        )
    return Content("\n").join(lines)


def _spelling(claim: Claim) -> str:
    """The name of the key as the server wrote it, if it differs only in case, `-` or `_`; otherwise empty.

    Untrusted text.
    """
    written = claim.pointer.rpartition("/")[2]
    plain = [name.casefold().replace("-", "").replace("_", "") for name in (written, claim.key)]
    return written if written != claim.key and plain[0] == plain[1] else ""


def value_text(value: Json, length: int = _VALUE_LENGTH) -> str:
    """A claim's value as shortened JSON. Untrusted text."""
    return shortened(dump_text(value), length)


def vocabulary_named(name: str) -> Vocabulary | None:
    """The vocabulary with this name; None if there is none."""
    return _vocabularies().get(name)


def no_claims(entry: Entry) -> str:
    """The reason why an item has no claims."""
    match entry:
        case RefusedTool():
            return "Declarations are not read, because the browser refused the tool."
        case Malformed():
            return "Declarations are not read, because the definition is malformed. The Findings tab says what is wrong with it."
        case _:
            return "No declarations. The Findings tab shows the defaults that apply instead."


def _sign(row: ClaimRow) -> tuple[str, str]:
    is_wrong = row.contradictions or not row.claim.well_formed
    return ("≠", "bold $text-error") if is_wrong else (" ", "")


@cache
def _vocabularies() -> Mapping[str, Vocabulary]:
    return {vocabulary.name: vocabulary for vocabulary in vocabularies()}


class ClaimsPane(Vertical):
    """Shows a summary in words, the claims, and the claim under the cursor in full."""

    DEFAULT_CSS = """
    ClaimsPane {
        & > #claim-badges { height: 1; padding: 0 1; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="claims")
        self._rows: tuple[ClaimRow, ...] = ()
        self._nothing = ""
        self._badges = PlainText(id="claim-badges")
        self._lines = DrawnLines("claim-lines", self._draw)
        self._detail = Detail("claim-detail", can_focus=False)

    def compose(self) -> ComposeResult:
        yield self._badges
        yield self._lines
        yield self._detail

    def show(self, badges: Content, rows: tuple[ClaimRow, ...], nothing: str) -> None:
        """Show the claims of another tool. `nothing`: the words to show if it has none."""
        self._rows = rows
        self._nothing = nothing
        self._badges.update(Content.assemble(("Taken together: ", QUIET), badges) if badges.plain else badges)
        self._lines.show_rows(len(rows), 0)
        self._explain()

    @on(Lines.Moved)
    @on(Lines.Chosen)
    def follow(self, event: Lines.Moved | Lines.Chosen) -> None:
        event.stop()
        self._explain()

    def _draw(self, index: int, width: int, here: bool) -> Content:  # noqa: FBT001 - as the list calls it
        return claim_line(self._rows[index], width, here=here)

    def _explain(self) -> None:
        row = self._rows[self._lines.cursor] if self._rows else None
        self._detail.show(claim_detail(row) if row else Content.styled(self._nothing, QUIET))
