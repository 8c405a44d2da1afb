"""Contrasts, made in worker threads from frozen inputs. Importing this loads the core."""

from array import array
from collections.abc import Iterable, Sequence

from inspector.hosts.profile import Call, ModelContext
from inspector.hosts.projection import projection_of
from inspector.hosts.registry import host as host_of
from inspector.json.document import Document
from inspector.json.weight import compact_bytes
from inspector.session.call_record import CallRecord
from inspector.tui.present.alignment import GAP, Alignment, side_by_side
from inspector.tui.present.contrast import Contrast, Lens, Seen
from inspector.tui.present.leaves import LeafCount, differences
from inspector.tui.present.marks import Marks, marks, merged
from inspector.tui.present.result import line_text
from inspector.tui.present.views import aligned


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
