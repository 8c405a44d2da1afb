"""Lines about one change of a definition or of a result: where it is, what it weakens, the texts before and after."""

from collections.abc import Iterator

from textual.content import Content

from inspector.json.diff import Change, ChangeKind
from inspector.json.exact import Json, dump_text
from inspector.pins.diff import DefinitionChange
from inspector.tui.text import content, shortened

CHANGED, NEW, GONE = "~", "+", "-"
SIGNS = {ChangeKind.CHANGED: CHANGED, ChangeKind.ADDED: NEW, ChangeKind.REMOVED: GONE}

_AROUND = 40
"""The number of unchanged characters shown around a difference."""

_MAX_TEXT = 1_500
"""The maximum number of characters shown of one side of a change."""

_MAX_NAME = 120
_QUIET = "$foreground 70%"


def change_title(change: DefinitionChange) -> Content:
    """The name of the definition, and the pointer to what changed in it."""
    sign = SIGNS[change.kind]
    if not change.pointer:
        word = {ChangeKind.ADDED: "is new", ChangeKind.REMOVED: "is gone"}.get(change.kind, "has changed")
        return Content.assemble(
            (f"{sign} ", "bold $text-error"), content(shortened(change.tool, _MAX_NAME), "bold"), f" {word}"
        )
    return Content.assemble(
        (f"{sign} ", "bold $text-error"),
        content(shortened(change.tool, _MAX_NAME), "bold"),
        " ",
        content(shortened(change.pointer, 200)),
        (f" {change.kind.value}", _QUIET),
    )


def change_details(change: DefinitionChange, most: int = _MAX_TEXT) -> Iterator[Content]:
    """The declarations that a change weakens, and the texts before and after.

    If a whole definition is new or gone, its texts are left out.
    """
    for what in change.weakens:
        yield Content.assemble(("  ! ", "bold $text-warning"), content(shortened(what, 300)))
    if change.pointer:
        yield from both_sides(change, most)


def both_sides(change: Change | DefinitionChange, most: int = _MAX_TEXT) -> Iterator[Content]:
    """The texts before and after a change, cut to the part that differs.

    `most`: the maximum number of characters of that part.
    """
    is_both = change.kind is ChangeKind.CHANGED
    is_text = isinstance(change.before, str) and isinstance(change.after, str)
    # As JSON, the string "5" and the number 5 look different.
    as_text = dump_text if is_both and not is_text else _text
    before, after = as_text(change.before), as_text(change.after)
    start, end = _same(before, after) if is_both else (0, 0)
    if change.kind is not ChangeKind.ADDED:
        yield _side("  was ", before, start, end, "$text-error", most)
    if change.kind is not ChangeKind.REMOVED:
        yield _side("  now ", after, start, end, "$text-success", most)


def _side(label: str, text: str, start: int, end: int, style: str, most: int) -> Content:
    first = max(start - _AROUND, 0)
    last = max(len(text) - end, start)
    return Content.assemble(
        (label, _QUIET),
        "…" if first else "",
        content(text[first:start], _QUIET),
        content(shortened(_visible(text[start:last]), most), f"bold {style}"),
        content(text[last : last + _AROUND], _QUIET),
        "…" if last + _AROUND < len(text) else "",
    )


def _visible(part: str) -> str:
    """The part that differs. If it is white space only, each blank in it is shown as `␣`."""
    return part.replace(" ", "␣") if part.isspace() else part


def _same(before: str, after: str) -> tuple[int, int]:
    """The number of characters that two texts share at their beginning, and at their end."""
    shorter = min(len(before), len(after))
    start = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    room = shorter - start
    end = next((at for at in range(room) if before[-1 - at] != after[-1 - at]), room)
    return start, end


def _text(value: Json) -> str:
    return value if isinstance(value, str) else dump_text(value)
