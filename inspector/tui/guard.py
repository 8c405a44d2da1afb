"""The last line: no character that acts on a terminal leaves in the text of a segment, and no link in its style.

Textual's own sequences are written outside of segments, so any control character in one is foreign.
present/ has made all text safe before. What is caught here has passed it by, or stands in an input as the user pasted it.
"""

import re

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip

_ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
_C0_PICTURES = 0x2400
_REFUSED = "\N{REPLACEMENT CHARACTER}"


class ControlGuard(LineFilter):
    """Refuses C0, C1, bidirectional and invisible characters, and links: each is drawn as one symbol, `␛` or `�`.

    A line keeps the width that was computed for it: where symbols make it longer, its end is cut.
    """

    def __init__(self) -> None:
        super().__init__()
        self.caught = 0
        """How many came this far. For text of a server, anything but 0 is a defect in present/."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments without them. `background` is the interface's, and of no use here."""
        del background
        if not any(map(_acts, segments)):
            return segments
        width = sum(segment.cell_length for segment in segments)
        return list(Strip(map(self._refused, segments)).adjust_cell_length(width))

    def _refused(self, segment: Segment) -> Segment:
        if not _acts(segment):
            return segment
        text, count = _ACTING.subn(_symbol, segment.text)
        style = segment.style
        if style is not None and style.link is not None:
            style, count = style.update_link(None), count + 1
        self.caught += count
        return Segment(text, style)


def _acts(segment: Segment) -> bool:
    return _ACTING.search(segment.text) is not None or (
        segment.style is not None and segment.style.link is not None
    )


def _symbol(found: "re.Match[str]") -> str:
    # Not through safe_text: a defect there must not open both doors.
    code = ord(found[0])
    return chr(_C0_PICTURES + code) if code < 0x20 else _REFUSED
