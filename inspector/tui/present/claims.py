"""Claims: one row a declaration, and all there is to say of the one under the cursor."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from textual.content import Content

from inspector.claims.claim import Claim, Key, Standing, Subject, Vocabulary
from inspector.claims.registry import vocabularies
from inspector.json.exact import Json, dump_text
from inspector.tui.present.foreign import content, shortened

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
