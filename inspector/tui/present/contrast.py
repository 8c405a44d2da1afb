"""Two models side by side: what one boundary or host hands over, against another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from inspector.boundary.bounded import Level
from inspector.json.exact import Json
from inspector.tui.present.alignment import GAP, Alignment
from inspector.tui.present.foreign import content, shortened
from inspector.tui.present.leaves import LeafCount
from inspector.tui.present.marks import Marks, nearest
from inspector.tui.present.measures import count, size
from inspector.tui.present.result import Difference

if TYPE_CHECKING:
    from inspector.json.document import Document
    from inspector.session.call_record import CallRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """A boundary and a host."""

    level: Level
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a model gets through a lens."""

    lens: Lens
    document: "Document"
    size_bytes: int
    observed: bool
    """Whether the host was observed to do so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """One call through two lenses, and how what the models get differs."""

    record: "CallRecord"
    left: Seen
    right: Seen
    rows: Alignment
    aligned: bool
    """Whether what stands on one row belongs together; if not, the sides are too large or too unlike."""
    gone: Marks
    """What only the left side has, on rows."""
    changed: Marks
    """What both sides have, and the left one otherwise."""
    come: Marks
    """What the right side has otherwise or alone."""
    begins: Sequence[int]
    """The rows on which a difference begins, in order."""
    leaves: LeafCount
    values: tuple[Json, ...]
    """What the documents show, to be let go of with care where it is large."""

    @property
    def size_bytes(self) -> int:
        """How much there is to let go of, about."""
        return self.left.size_bytes + self.right.size_bytes

    @property
    def documents(self) -> "tuple[Document, Document]":
        """What stands on the left, and on the right."""
        return self.left.document, self.right.document

    def signs(self, row: int) -> tuple[str, str]:
        """The signs of a row, left and right."""
        left, right = Difference.NONE, Difference.NONE
        if self.gone.covers(row):
            left = self.missing
        elif self.changed.covers(row):
            left = Difference.CHANGED
        if self.come.covers(row):
            right = Difference.ADDED
        elif self.aligned and self.rows.right[row] == GAP:
            right = left
        return left.value, right.value

    def next_difference(self, row: int, step: int) -> int | None:
        """The nearest row after (or before) `row` on which a difference begins."""
        return nearest(self.begins, row, step)

    def names(self) -> tuple[str, str]:
        """How the sides are told apart."""
        if self.left.lens.host == self.right.lens.host:
            return self.left.lens.level.value, self.right.lens.level.value
        return self.left.lens.host, self.right.lens.host

    @property
    def missing(self) -> Difference:
        """The sign of what the right side does not have: another boundary withheld it, or another host dropped it."""
        is_withheld = self.left.lens.level is not self.right.lens.level
        return Difference.REMOVED if is_withheld else Difference.CHANGED


def contrast_title(seen: Seen) -> Content:
    """Above a side: through which lens."""
    return Content.assemble(
        ("The model at  ", "bold"), content(f"{seen.lens.level}, {shortened(seen.lens.host, 60)}", "bold")
    )


def contrast_strip(view: Contrast) -> Content:
    """Which two are compared, and how many leaves differ."""
    left, right = view.names()
    leaves = view.leaves
    shared = (
        view.left.lens.host if view.left.lens.host == view.right.lens.host else view.left.lens.level.value
    )
    parts = [
        Content.assemble(
            (left, "bold"), " against ", (right, "bold"), content(f" ({shared})", "$foreground 70%")
        ),
        Content.styled(count(leaves.total, "leaf differs", "leaves differ"), "bold $text-warning")
        if leaves.total
        else Content.styled("no leaf differs", "$text-success"),
    ]
    if leaves.left:
        parts.append(
            content(f"{view.missing.value} {leaves.left:,} only in {left}", _style(view.missing.value))
        )
    if leaves.right:
        parts.append(content(f"+ {leaves.right:,} only in {right}", "$text-accent"))
    if leaves.changed:
        parts.append(Content.styled(f"~ {leaves.changed:,} changed", "$text-accent"))
    parts.append(
        Content.styled(f"{size(view.left.size_bytes)} | {size(view.right.size_bytes)}", "$foreground 70%")
    )
    parts += [
        Content.styled(f"not observed of {shortened(seen.lens.host, 60)}", "$text-warning")
        for seen in (view.left, view.right)
        if not seen.observed
    ]
    return Content("  ").join(parts)


def contrast_reason(view: Contrast, row: int) -> Content:
    """What differs on a row; else how to go on."""
    if row >= len(view.rows):
        return Content("")
    left, right = view.names()
    if view.gone.covers(row):
        return _told(view.missing.value, f"only in {left}", _pointer(view, row, 0))
    if view.changed.covers(row):
        return _told("~", f"not the same in {left} and in {right}", _pointer(view, row, 0))
    if view.come.covers(row):
        return _told("+", f"only in {right}, or there otherwise", _pointer(view, row, 1))
    words = "n and N go to differences, b changes the boundaries, h the host; Esc goes back to the raw result"
    return Content.styled(words, "$foreground 70%")


def _told(sign: str, words: str, pointer: str) -> Content:
    style = _style(sign)
    return Content.assemble(
        (f"{sign} ", f"bold {style}"), content(words, style), "  ", content(shortened(pointer, 300), "bold")
    )


def _style(sign: str) -> str:
    return "$text-error" if sign == Difference.REMOVED.value else "$text-accent"


def _pointer(view: Contrast, row: int, side: int) -> str:
    line = (view.rows.left, view.rows.right)[side][row]
    return view.documents[side].line(line).pointer or "the whole" if line != GAP else ""
