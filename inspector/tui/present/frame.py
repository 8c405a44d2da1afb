"""A frame as it was on the wire, but for sensitive positions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from inspector.json.exact import JsonText, Malformed
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.timeline import Entry
from inspector.tui.present.foreign import content, shortened
from inspector.tui.present.measures import count, duration, size

if TYPE_CHECKING:
    from inspector.json.document import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameView:
    """One frame, ready to be drawn."""

    frame: Frame
    document: "Document | None"
    """None where it is no JSON."""
    text: tuple[str, ...]
    """Its bytes as text, in pieces of one line each: foreign text."""
    masked: int
    """How many sensitive positions are covered."""


def frame_head(view: FrameView, place: int, total: int) -> Content:
    """Direction, channel, time, size; what stood around the bytes; what is wrong with them."""
    frame = view.frame
    arrow = "→ sent" if frame.direction is Direction.SENT else "← received"
    lines = [
        Content.assemble(
            (f"{arrow} ", "bold $text-primary"),
            f"frame {frame.number} over {frame.channel}, {size(len(frame.raw))}, at {frame.at_s:.3f} s",
            (f"   {place} of {total} here" if total > 1 else "", "$foreground 70%"),
        )
    ]
    if frame.head:
        lines += [content(shortened(line, 400)) for line in frame.head.splitlines()[:12]]
    lines += [content(shortened(fault, 400), "$text-error") for fault in _faults(frame)]
    if view.masked:
        words = f"{count(view.masked, 'sensitive position')} covered"
        lines.append(Content.styled(words, "$text-accent"))
    return Content("\n").join(lines)


def entry_title(entry: Entry) -> Content:
    """What the frames belong to."""
    took = f"  {duration(entry.duration_s)}" if entry.duration_s is not None else ""
    return Content.assemble(
        (f"{entry.kind} ", "$foreground 70%"),
        content(shortened(entry.title, 120), "bold"),
        f"  {entry.state}{took}  {size(entry.size_bytes)}",
    )


def pieces(text: str, chunk: int) -> tuple[str, ...]:
    """`text` in lines of at most `chunk` characters: a frame may be one line of megabytes."""
    return tuple(
        line[start : start + chunk]
        for line in text.split("\n")
        for start in range(0, max(len(line), 1), chunk)
    )


def _faults(frame: Frame) -> Sequence[str]:
    match frame.body:
        case JsonText(faults=faults):
            return faults
        case Malformed(reason=reason):
            return (reason,)
        case None:
            return ()
