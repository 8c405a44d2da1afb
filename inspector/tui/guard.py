"""The last line: no character that acts on a terminal leaves in the text of a segment.

Textual's own sequences are written outside of segments, so any control character in one is foreign.
present/ has made all text safe before; what is caught here has passed it by.
"""

import re

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)


class ControlGuard(LineFilter):
    """Takes C0, C1, bidirectional and invisible characters out of segments, and counts them.

    They take no cell, so that taking them out leaves the width of a line as it was computed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.caught = 0
        """How many characters came this far. Anything but 0 is a defect in present/."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments without them. `background` is the interface's, and of no use here."""
        del background
        if not any(_ACTING.search(segment.text) for segment in segments):
            return segments
        return [self._cleaned(segment) for segment in segments]

    def _cleaned(self, segment: Segment) -> Segment:
        text, count = _ACTING.subn("", segment.text)
        self.caught += count
        return Segment(text, segment.style, segment.control)
