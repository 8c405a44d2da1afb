"""Two models of one call, side by side."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from textual.content import Content

from inspector.boundary.bounded import Level
from inspector.hosts.profile import Call, ModelContext
from inspector.hosts.projection import projection_of
from inspector.hosts.registry import host as host_of
from inspector.json.document import Document
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text, equal
from inspector.json.pointer import child
from inspector.json.weight import compact_bytes
from inspector.session.call_record import CallRecord
from inspector.tui.result.view import Difference
from inspector.tui.text import content, count, shortened, size
from inspector.tui.widgets.alignment import (
    GAP,
    Alignment,
    Marks,
    align,
    aligned,
    line_text,
    marks,
    merged,
    nearest,
    side_by_side,
)

_ALIGNED = 2_000
"""Lists of other lengths are compared item by item; up to so many items, those that are alike are found first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """A place at which two values differ."""

    left: str | None
    """As a pointer into the left one; None where it has nothing there."""
    right: str | None
    left_leaves: int
    right_leaves: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafCount:
    """How many leaves differ."""

    left: int = 0
    """Only on the left."""
    right: int = 0
    changed: int = 0
    """On both sides, each time with another value."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.left + self.right + self.changed

    def with_(self, apart: Apart) -> "LeafCount":
        """These, and those of one place more."""
        both = min(apart.left_leaves, apart.right_leaves)
        return LeafCount(
            left=self.left + apart.left_leaves - both,
            right=self.right + apart.right_leaves - both,
            changed=self.changed + both,
        )


_Pair: TypeAlias = tuple[str, str, Json, Json]


def differences(left: Json, right: Json) -> Iterator[Apart]:
    """Every place at which two values differ, in the order of the left one. To any depth; never raises."""
    if not _is_container(left) or not _is_container(right):
        if not _same(left, right):
            yield _apart("", "", left, right)
        return
    stack = [_members("", "", left, right)]
    while stack:
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
        elif isinstance(found, Apart):
            yield found
        else:
            stack.append(_members(*found))


def leaf_count(value: Json) -> int:
    """How many leaves a value has; a container without members is one."""
    count = 0
    waiting = [value]
    while waiting:
        item = waiting.pop()
        match item:
            case dict() if item:
                waiting.extend(item.values())
            case list() if item:
                waiting.extend(item)
            case DuplicateKeys():
                waiting.extend(inner for _, inner in item.pairs)
            case _:
                count += 1
    return count


def _members(at: str, other: str, left: Json, right: Json) -> Iterator["Apart | _Pair"]:
    """What differs among the members of two containers, and pairs of containers that may."""
    match left, right:
        case dict(), dict():
            yield from _in_objects(at, other, left, right)
        case list(), list():
            yield from _in_lists(at, other, left, right)
        case _:
            yield _apart(at, other, left, right)


def _in_objects(at: str, other: str, left: JsonObject, right: JsonObject) -> Iterator["Apart | _Pair"]:
    for key, value in left.items():
        if key not in right:
            yield _only_left(child(at, key), value)
        elif _is_container(value) and _is_container(right[key]):
            yield child(at, key), child(other, key), value, right[key]
        elif not _same(value, right[key]):
            yield _apart(child(at, key), child(other, key), value, right[key])
    for key in right:
        if key not in left:
            yield _only_right(child(other, key), right[key])


def _in_lists(at: str, other: str, left: list[Json], right: list[Json]) -> Iterator["Apart | _Pair"]:
    for a, b in _rows(left, right):
        if b == GAP:
            yield _only_left(child(at, a), left[a])
        elif a == GAP:
            yield _only_right(child(other, b), right[b])
        elif _is_container(left[a]) and _is_container(right[b]):
            yield child(at, a), child(other, b), left[a], right[b]
        elif not _same(left[a], right[b]):
            yield _apart(child(at, a), child(other, b), left[a], right[b])


def _rows(left: list[Json], right: list[Json]) -> Iterator[tuple[int, int]]:
    """The items that stand beside each other, by index."""
    if len(left) == len(right):
        yield from ((index, index) for index in range(len(left)))
        return
    if max(len(left), len(right)) <= _ALIGNED:
        found = align(
            list(map(dump_text, left)),
            list(map(dump_text, right)),
            lambda a, b: _is_container(left[a]) and type(left[a]) is type(right[b]),
        )
        yield from zip(found.left, found.right, strict=True)
        return
    for index in range(max(len(left), len(right))):
        yield index if index < len(left) else GAP, index if index < len(right) else GAP


def _is_container(value: Json) -> bool:
    return isinstance(value, (dict, list))


def _same(left: Json, right: Json) -> bool:
    if type(left) is str or type(right) is str:
        return left == right
    return left is right or equal(left, right)


def _apart(at: str, other: str, left: Json, right: Json) -> Apart:
    return Apart(left=at, right=other, left_leaves=leaf_count(left), right_leaves=leaf_count(right))


def _only_left(at: str, value: Json) -> Apart:
    return Apart(left=at, right=None, left_leaves=leaf_count(value), right_leaves=0)


def _only_right(at: str, value: Json) -> Apart:
    return Apart(left=None, right=at, left_leaves=0, right_leaves=leaf_count(value))


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


def contrast(record: CallRecord, left: Lens, right: Lens, *, server: str, chunk: int) -> Contrast:
    """A call through two lenses. `server`: the name that hosts know the server by. `chunk`: as of a document.

    Raises LookupError where there is no such host.
    """
    contexts = [_context(record, lens, server) for lens in (left, right)]
    documents = [Document(context.model, chunk=chunk) for context in contexts]
    rows = aligned(*documents)
    places = _Places(*documents)
    leaves = LeafCount()
    for apart in differences(contexts[0].model, contexts[1].model):
        leaves = leaves.with_(apart)
        if rows is None:
            places.note(apart.left, apart.right)
    gone, changed, come = _on_rows(rows, *documents) if rows else places.marks()
    seen = [
        Seen(
            lens=lens,
            document=document,
            size_bytes=compact_bytes(context.model),
            observed=context.observed,
        )
        for lens, document, context in zip((left, right), documents, contexts, strict=True)
    ]
    return Contrast(
        record=record,
        left=seen[0],
        right=seen[1],
        rows=rows or side_by_side(documents[0].line_count, documents[1].line_count),
        aligned=rows is not None,
        gone=gone,
        changed=changed,
        come=come,
        begins=_begins(gone, changed, come, is_joined=rows is not None),
        leaves=leaves,
        values=tuple(context.model for context in contexts),
    )


def _context(record: CallRecord, lens: Lens, server: str) -> ModelContext:
    profile = host_of(lens.host)
    if profile is None:
        raise LookupError(lens.host)
    call = Call(server=server, tool=record.name, nonce=record.nonce)
    return projection_of(record.judgement, lens.level, profile, call, record.policy).context


class _Places:
    """Where documents that stand line beside line differ, as lines."""

    def __init__(self, left: Document, right: Document) -> None:
        self._left = left
        self._right = right
        self._gone: _Lines = array("Q"), array("Q")
        self._changed: _Lines = array("Q"), array("Q")
        self._come: _Lines = array("Q"), array("Q")

    def note(self, left: str | None, right: str | None) -> None:
        if left is not None:
            _add(self._gone if right is None else self._changed, self._left, left)
        if right is not None:
            _add(self._come, self._right, right)

    def marks(self) -> tuple[Marks, Marks, Marks]:
        return _marks(self._gone), _marks(self._changed), _marks(self._come)


_Lines = tuple["array[int]", "array[int]"]


def _add(lines: _Lines, document: Document, pointer: str) -> None:
    extent = document.extent(pointer)
    if extent is not None:
        lines[0].append(extent.start)
        lines[1].append(extent.stop)


def _marks(lines: _Lines) -> Marks:
    return marks(zip(*lines, strict=True))


def _on_rows(rows: Alignment, left: Document, right: Document) -> tuple[Marks, Marks, Marks]:
    """Where aligned documents differ."""
    here = [line_text(line) for line in left.lines(0, left.line_count)]
    there = [line_text(line) for line in right.lines(0, right.line_count)]
    gone, changed, come = array("Q"), array("Q"), array("Q")
    for row, (a, b) in enumerate(zip(rows.left, rows.right, strict=True)):
        if a == GAP:
            come.append(row)
        elif b == GAP:
            gone.append(row)
        elif here[a] != there[b]:
            changed.append(row)
            come.append(row)
    return _single(gone), _single(changed), _single(come)


def _single(rows: Iterable[int]) -> Marks:
    return marks((row, row + 1) for row in rows)


def _begins(gone: Marks, changed: Marks, come: Marks, *, is_joined: bool) -> Sequence[int]:
    """The rows on which differences begin. `is_joined`: rows that follow each other are one difference."""
    found = merged(merged(gone.begins, changed.begins), come.begins)
    if not is_joined:
        return found
    return array("Q", (row for index, row in enumerate(found) if not index or found[index - 1] != row - 1))
