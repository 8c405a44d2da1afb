"""Places in a recording: one clock and one row of numbers over all connections of a session."""

import time
from collections.abc import Sequence
from dataclasses import replace

from inspector.protocol.exchanges import Matched
from inspector.protocol.frames import Frame
from inspector.recording.format import PageCall


class Clock:
    """Times and numbers of a recording, over all its connections. For the thread that hands frames over."""

    def __init__(self) -> None:
        self._started_s = time.monotonic()
        self._since_s = 0.0
        """When the connection in use began."""
        self._before = 0
        """The last number of the connections before."""
        self._last = 0
        self._connections = 0
        self._calls_before = 0
        self._calls = 0

    def connect(self, *, goes_on: bool = False) -> int:
        """A connection begins; which. `goes_on`: whether it has the clock and the numbers of the one before."""
        self._connections += 1
        if self._connections == 1:
            self._started_s = time.monotonic()
        elif not goes_on:
            self._since_s = time.monotonic() - self._started_s
            self._before = self._last
            self._calls_before = self._calls
        return self._connections

    def join(self, frames: Sequence[Matched], calls: Sequence[PageCall], now_s: float) -> None:
        """The connection in use is the first one, and has got so far."""
        self._calls = calls[-1].number if calls else 0
        self._connections = 1
        self._started_s = time.monotonic() - now_s
        self._last = frames[-1].frame.number if frames else 0

    def file_s(self, at_s: float) -> float:
        """A time of the connection in use, on the clock of the file."""
        return self._since_s + at_s

    def placed(self, frame: Frame) -> Frame:
        """A frame with its place in the file."""
        self._last = max(self._last, self._before + frame.number)
        if not self._before and not self._since_s:
            return frame
        return replace(frame, number=self._before + frame.number, at_s=self.file_s(frame.at_s))

    def placed_call(self, made: PageCall) -> PageCall:
        """A call of a page's tool with its place in the file."""
        self._calls = self._calls_before + made.number
        return replace(made, number=self._calls, at_s=self.file_s(made.at_s))
