"""Changes of definitions since they were pinned or first listed, with the texts before and after."""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from textual.content import Content

from inspector.json.diff import Change, ChangeKind
from inspector.json.exact import Json, dump_text
from inspector.pins.diff import DefinitionChange
from inspector.pins.pins import ChangesSince, PinState, PinStatus, Since
from inspector.safe_text import safe_line
from inspector.tui.catalogue.marks import Mark
from inspector.tui.text import content, count, shortened

CHANGED, NEW, GONE = "≠", "+", "-"
SIGNS = {ChangeKind.CHANGED: CHANGED, ChangeKind.ADDED: NEW, ChangeKind.REMOVED: GONE}

_MAX_SHOWN = 60_000
"""The maximum number of characters of all changes. They are wrapped all at once."""

_AROUND = 40
"""The number of unchanged characters shown around a difference."""

_MAX_TEXT = 1_500
"""The maximum number of characters shown of one side of a change."""

_MAX_NAME = 120
_QUIET = "$foreground 70%"


class PinsView(Struct, frozen=True, kw_only=True):
    """The state of the pins, ready to be drawn."""

    state: PinState
    marks: Mapping[str, Mark]
    """The marks of new and changed tools, by tool name. The catalogue shows them before the badges."""
    lines: tuple[Content, ...]
    summary: str
    """A sentence about the changes; empty if there are none."""


def pins_view(state: PinState) -> PinsView:
    """The view of a state. Takes linear time in the size of the definitions: call it in a thread."""
    return PinsView(
        state=state, marks=changed_marks(state), lines=change_lines(state), summary=summary_of(state)
    )


def changed_marks(state: PinState) -> dict[str, Mark]:
    """The marks of new and changed tools, by tool name. The catalogue shows them before the badges."""
    found: dict[str, Mark] = {}
    for altered in state.altered:
        for name, parts in altered.by_tool.items():
            is_new = not parts[0].pointer and parts[0].kind is ChangeKind.ADDED
            sign, word, style = (
                (NEW, "new", "bold $text-warning") if is_new else (CHANGED, "changed", "bold $text-error")
            )
            words = Content.styled(f"{sign} {word}", style)
            found.setdefault(name, Mark(words=words, short=Content.styled(sign, style)))
    return found


def summary_of(state: PinState) -> str:
    """A sentence about the changes; empty if there are none."""
    if state.fault:
        return f"Sightline asks before the first call of every tool: {safe_line(state.fault)}."
    parts = [f"{altered.since.value}: {amount(altered)}" for altered in state.altered]
    return f"{CHANGED} {'; '.join(parts).capitalize()}. P shows how." if parts else ""


def pin_line(state: PinState, tools: int) -> Content:
    """The state of the pins in a sentence, with the keys that apply."""
    match state.status:
        case PinStatus.UNKNOWN:
            return content(shortened(state.fault, 400), "bold $text-error")
        case PinStatus.UNPINNED:
            words = f"p pins the {count(tools, 'listed definition')}. Later changes are marked, and Sightline asks before it calls a changed tool."
            return Content.assemble(("Not pinned. ", "bold"), words)
        case PinStatus.SAME:
            at = state.pinned.at if state.pinned else ""
            return Content.assemble(
                ("As pinned ", "bold $text-success"), content(shortened(at, 40), "bold"), "."
            )
        case PinStatus.CHANGED:
            return Content.assemble(
                (f"{CHANGED} Changed. ", "bold $text-error"),
                "Sightline asks before it calls a changed tool. Read the changes, then p pins the listed definitions.",
            )


def change_lines(state: PinState) -> tuple[Content, ...]:
    """Lines for every change: its place, the declarations that it weakens, the text before and after.

    Ends with a note if the lines are cut off.
    """
    lines: list[Content] = []
    room = _MAX_SHOWN
    for line in (line for altered in state.altered for line in _altered(altered, state)):
        lines.append(line)
        room -= len(line.plain) + 1
        if room < 0:
            lines += (Content(""), Content("… and more: sightline pin --check lists every change"))
            break
    return tuple(lines)


def _altered(altered: ChangesSince, state: PinState) -> Iterator[Content]:
    at = f" ({state.pinned.at})" if altered.since is Since.PINNED and state.pinned else ""
    words = f"{altered.since.value.capitalize()}{at}: {amount(altered)}"
    yield content(shortened(words, 200), "bold $text-primary")
    if altered.instructions_changed:
        yield Content("")
        yield Content.styled(f"{CHANGED} the server's instructions", "bold $text-error")
        before, after = altered.before.instructions, altered.now.instructions
        yield from both_sides(Change(pointer="", kind=ChangeKind.CHANGED, before=before, after=after))
    for part in altered.tools:
        yield from _change(part)
    yield Content("")


def change_title(change: DefinitionChange) -> Content:
    """The definition and the place that changed."""
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


def _change(change: DefinitionChange) -> Iterator[Content]:
    yield Content("")
    yield change_title(change)
    for what in change.weakens:
        yield Content.assemble(
            ("  ! no longer declared: ", "bold $text-warning"), content(shortened(what, 300))
        )
    if change.pointer:
        yield from both_sides(change)


def both_sides(change: Change | DefinitionChange) -> Iterator[Content]:
    """The texts before and after a change, cut to the part that differs."""
    before, after = _text(change.before), _text(change.after)
    is_both = change.kind is ChangeKind.CHANGED
    start, end = _same(before, after) if is_both else (0, 0)
    if change.kind is not ChangeKind.ADDED:
        yield _side("  was ", before, start, end, "$text-error")
    if change.kind is not ChangeKind.REMOVED:
        yield _side("  now ", after, start, end, "$text-success")


def _side(label: str, text: str, start: int, end: int, style: str) -> Content:
    first = max(start - _AROUND, 0)
    last = max(len(text) - end, start)
    return Content.assemble(
        (label, _QUIET),
        "…" if first else "",
        content(text[first:start], _QUIET),
        content(shortened(text[start:last], _MAX_TEXT), f"bold {style}"),
        content(text[last : last + _AROUND], _QUIET),
        "…" if last + _AROUND < len(text) else "",
    )


def _same(before: str, after: str) -> tuple[int, int]:
    """The number of characters that two texts share at their beginning, and at their end."""
    shorter = min(len(before), len(after))
    start = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    room = shorter - start
    end = next((at for at in range(room) if before[-1 - at] != after[-1 - at]), room)
    return start, end


def _text(value: Json) -> str:
    return value if isinstance(value, str) else dump_text(value)


def amount(altered: ChangesSince) -> str:
    """The amount of changes in words."""
    tools = len({change.tool for change in altered.tools})
    parts = [f"{count(tools, 'definition')} changed"] if tools else []
    if altered.weakened:
        parts.append(count(altered.weakened, "change drops a restriction", "changes drop restrictions"))
    if altered.instructions_changed:
        parts.append("the server's instructions changed")
    return ", ".join(parts)
