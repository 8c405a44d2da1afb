"""What was withheld, and what a host changed, in sentences."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from inspector.boundary.bounded import Removal
from inspector.claims.claim import Claim, Subject
from inspector.tui.present.claims import vocabulary_named
from inspector.tui.present.foreign import content, shortened
from inspector.tui.present.remedy import remedy

if TYPE_CHECKING:
    from inspector.hosts.profile import Change

_LABEL = "$foreground 70%"


def removal_line(first: Removal, more: int) -> Content:
    """A removal on one line: rule, place, reason. `more`: how many others there are at that place."""
    return Content.assemble(
        ("✗ ", "bold $text-error"),
        content(first.rule, "bold $text-error"),
        "  ",
        content(shortened(first.pointer or "the whole result", 120), "bold"),
        "  ",
        content(shortened(first.detail, 300)),
        (f" (and {more:,} more here)" if more else "", _LABEL),
    )


def removal_detail(removals: Sequence[Removal], more: int = 0) -> Content:
    """Removals in full: rule, place, why, the declaration behind it, and what would change it.

    `more`: how many there are beside these.
    """
    lines = [line for removal in removals for line in _detail(removal)]
    if more:
        lines.append(Content(f"… and {more:,} more"))
    return Content("\n").join(lines)


def change_line(change: "Change") -> Content:
    """What a host changed, on one line."""
    return Content.assemble(
        ("~ host  ", "bold $text-accent"),
        content(shortened(change.pointer or "the whole", 120), "bold"),
        "  ",
        content(shortened(change.what, 400)),
    )


def _detail(removal: Removal) -> list[Content]:
    lines = [
        Content.assemble(
            ("✗ ", "bold $text-error"),
            content(removal.rule, "bold $text-error"),
            " withholds ",
            content(shortened(removal.pointer or "the whole result", 400), "bold"),
        ),
        _labelled("why", content(shortened(removal.detail, 1000))),
        _labelled("declaration", _declaration(removal)),
    ]
    standing = _standing(removal.claim) if removal.claim else None
    if standing:
        lines.append(_labelled("standing", standing))
    lines.append(_labelled("to change it", content(shortened(remedy(removal), 1000))))
    return lines


def _labelled(label: str, words: Content) -> Content:
    return Content.assemble((f"  {label:<13}", _LABEL), words)


def _declaration(removal: Removal) -> Content:
    claim = removal.claim
    if claim is not None:
        where = "the tool's definition" if claim.subject is Subject.TOOL else "the result"
        return Content.assemble(
            content(shortened(f"{claim.vocabulary}: {claim.key}", 120), "bold"),
            " at ",
            content(shortened(claim.pointer or "the root", 300)),
            f" of {where}",
            ""
            if claim.well_formed
            else content(f"; malformed: {shortened(claim.problem, 200)}", "$text-error"),
        )
    if removal.schema_pointer is not None:
        return Content.assemble("output schema ", content(shortened(removal.schema_pointer or "root", 300)))
    return Content.styled("none: the rule needs none", _LABEL)


def _standing(claim: Claim) -> Content | None:
    """How far the vocabulary has come, since when that is known, and where it is defined."""
    known = vocabulary_named(claim.vocabulary)
    if known is None:
        return content(str(claim.standing))
    remark = f", {known.remark}" if known.remark else ""
    return Content.assemble(
        content(f"{claim.standing}{remark}", "bold"),
        content(f" as of {known.as_of}: {known.title}, {known.source}"),
    )
