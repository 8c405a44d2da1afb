"""Changes of definitions since they were pinned or first listed, with the texts before and after."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content

from inspector.boundary.mask import MASK
from inspector.json.diff import Change, ChangeKind
from inspector.json.exact import Json
from inspector.pins.diff import DefinitionChange
from inspector.pins.pins import ChangesSince, PinState, PinStatus, Since
from inspector.safe_text import safe_line
from inspector.tui.catalogue.marks import Mark
from inspector.tui.text import content, count, shortened
from inspector.tui.values.changes import CHANGED, NEW, both_sides, change_details, change_title

_MAX_SHOWN = 60_000
"""The maximum number of characters of all changes together, because all of them are wrapped at once."""


_MAX_NAMED = 1_000
"""The maximum number of pinned definitions that are named."""

Mask: TypeAlias = Callable[[Json], Json]
"""Masks every part of a value that repeats a secret of the session."""


class PinsView(Struct, frozen=True, kw_only=True):
    """The state of the pins, ready to be drawn."""

    state: PinState
    marks: Mapping[str, Mark]
    """The marks of new and changed tools, by tool name. The catalogue shows them before the badges."""
    summary: str
    """A sentence about the changed definitions, or why the pin cannot be read; empty if neither applies."""


def pins_view(state: PinState) -> PinsView:
    """The view of a state of the pins. Takes time linear in the definitions' size: call it in a thread."""
    return PinsView(state=state, marks=changed_marks(state), summary=summary_of(state))


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
    """A sentence about the changed definitions, or why the pin cannot be read; empty if neither applies."""
    if state.fault:
        return f"Sightline asks before the first call of every tool: {safe_line(state.fault)}."
    parts = [f"{altered.since.value}: {amount(altered)}" for altered in state.altered]
    return f"{CHANGED} {'; '.join(parts).capitalize()}. P shows the changes." if parts else ""


def pin_line(state: PinState, listed: int) -> Content:
    """The state of the pins in a sentence, with the keys that apply. `listed`: the number of listed definitions."""
    match state.status:
        case PinStatus.UNKNOWN:
            return content(shortened(state.fault, 400), "bold $text-error")
        case PinStatus.UNPINNED:
            words = f"p pins the {count(listed, 'listed definition')}. Later changes are marked, and Sightline asks before it calls a changed tool."
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


def masked_change(change: DefinitionChange, mask: Mask) -> DefinitionChange:
    """A copy of a change without secrets. Untrusted text."""
    match mask([change.pointer, change.before, change.after, [*change.weakens]]):
        case [str(pointer), before, after, list(weakens)]:
            texts = tuple(text for text in weakens if isinstance(text, str))
            return replace(change, pointer=pointer, before=before, after=after, weakens=texts)
        case _:
            return replace(change, pointer=MASK, before=MASK, after=MASK, weakens=())


def change_lines(state: PinState, mask: Mask) -> tuple[Content, ...]:
    """Lines for every change: its place, the declarations that it weakens, the text before and after, masked.

    Without changes, the names of what is pinned. Ends with a note if the lines are cut off.
    """
    lines: list[Content] = []
    room = _MAX_SHOWN
    if state.status is PinStatus.SAME and state.pinned is not None:
        pinned = state.pinned.definitions.all
        names = (str(mask(tool.label)) for tool in pinned[:_MAX_NAMED])
        more = len(pinned) - _MAX_NAMED
        return (
            *(content(shortened(name, 200)) for name in names),
            *((Content(f"… and {more:,} more"),) if more > 0 else ()),
        )
    for line in (line for altered in state.altered for line in _altered(altered, state, mask)):
        lines.append(line)
        room -= len(line.plain) + 1
        if room < 0:
            lines += (Content(""), Content("… and more: sightline pin --check lists every change"))
            break
    return tuple(lines)


def _altered(altered: ChangesSince, state: PinState, mask: Mask) -> Iterator[Content]:
    at = f" ({state.pinned.at})" if altered.since is Since.PINNED and state.pinned else ""
    words = f"{altered.since.value.capitalize()}{at}: {amount(altered)}"
    yield content(shortened(words, 200), "bold $text-primary")
    if altered.instructions_changed:
        yield Content("")
        yield Content.styled(f"{CHANGED} the server's instructions", "bold $text-error")
        before, after = mask(altered.before.instructions), mask(altered.now.instructions)
        yield from both_sides(Change(pointer="", kind=ChangeKind.CHANGED, before=before, after=after))
    for part in altered.tools:
        yield from _change(masked_change(part, mask))
    yield Content("")


def _change(change: DefinitionChange) -> Iterator[Content]:
    yield Content("")
    yield change_title(change)
    yield from change_details(change)


def amount(altered: ChangesSince) -> str:
    """The changes in words, such as `2 definitions changed, 1 change drops a restriction`."""
    tools = len({change.tool for change in altered.tools})
    parts = [f"{count(tools, 'definition')} changed"] if tools else []
    if altered.weakened:
        parts.append(count(altered.weakened, "change drops a restriction", "changes drop restrictions"))
    if altered.instructions_changed:
        parts.append("the server's instructions changed")
    return ", ".join(parts)
