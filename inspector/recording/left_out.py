"""What a recording does not hold of a result, by the markers that stand in its place."""

from typing import TypeAlias

from inspector.json import pointer as json_pointer
from inspector.json.edit import Copied
from inspector.json.exact import Json
from inspector.recording.format import RecordedCall, RecordedFrame
from inspector.recording.markers import MARKER, is_marker, places

LeftOut: TypeAlias = tuple[tuple[str, str], ...]
"""Each a pointer into the raw result, and the rule that withheld what stood there."""


def left_out_of(line: RecordedFrame | RecordedCall) -> LeftOut:
    """What is left out of the answer that a line holds."""
    if isinstance(line, RecordedFrame):
        return left_out_in(line.content)
    return left_out_in({"error" if line.is_error else "result": line.outcome})


def left_out_in(content: Json) -> LeftOut:
    """The same of a whole message, or of several."""
    found: list[tuple[str, str]] = []
    copied = Copied(content)
    for tokens in places(content, is_marker):
        marker = copied.at(tokens)
        inside = tokens[1:] if tokens and isinstance(tokens[0], int) else tokens
        pointer = json_pointer.join(inside[1:] if inside[:1] == ("result",) else inside)
        found.append((pointer, str(marker[MARKER]) if isinstance(marker, dict) else ""))
    return tuple(found)
