"""Summarizes lines of stderr: finds the exception in them, and the file and line where it was raised.

Reads tracebacks of Python, plain or drawn by Rich, and of Node.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

_MAX_LINES = 2000
_MAX_LENGTH = 500
"""The maximum number of characters of a line that are read, because lines are untrusted text."""
_MAX_MORE = 5
"""The maximum number of lines that are read of an exception's message after its first line."""
MAX_BEFORE = 20
"""The maximum number of lines that are quoted up to the end of an exception's message."""
_MAX_AFTER = 5
"""The maximum number of stack frames that are quoted after the message of an exception of Node."""
_MAX_PIECES = 8
"""The maximum number of lines that are searched upwards for the beginning of a path that Rich has wrapped."""

_EXCEPTION = re.compile(
    r"^(?:[A-Za-z_]\w*\.)*((?:[A-Z]\w*)?(?:Error|Exception)(?: \[\w+\])?(?:: .*)?)$", re.ASCII
)
_WARNING = re.compile(
    r"^(?:(.+):(\d+): |\(node:\d+\) (?:\[\w+\] )?)?((?:[A-Za-z_]\w*\.)*\w*Warning: .*)$", re.ASCII | re.DOTALL
)
_CHAINED = "the direct cause of the following"
_ENDS = re.compile(
    r"^(?:\[?\d|[A-Z]{4,}\b|Traceback|The above exception|During handling|For further|at |File \"|Node\.js|[╭╰│^{}])"
)
"""The beginning of a line that belongs to no message, such as a log line, a traceback or a stack frame."""
_PYTHON = re.compile(r'^File "([^"]+)", line (\d+)')
_RICH = re.compile(r"^(\S+):(\d+)(?: in\b|$)")
_NODE = re.compile(r"^at (?:.*\()?(?:file://)?([^()\s]+):(\d+):\d+\)?$")
_LIBRARY = re.compile(r"/(?:site-packages|dist-packages|node_modules|lib/python3[^/]*)/|^node:|^<")


class Raised(Struct, frozen=True, kw_only=True):
    """An exception that lines of stderr report. All of it is untrusted text."""

    words: str
    """The name of the exception and its message, on one line."""
    line: str
    """The line that names the exception, without white space at its ends."""
    end: int
    """The index of the line after the exception's message.

    If stderr has more than `_MAX_LINES` lines, it counts from the first of the last `_MAX_LINES` lines.
    """
    place: str = ""
    """The file and line of the innermost stack frame outside libraries, as `server.py:30`.

    If all stack frames are in libraries, the innermost of them; empty if there is no stack frame.
    """


def ending_with_cause(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines in the range of `cause_in`, each cut to `_MAX_LENGTH` characters."""
    found = cause_in(lines)
    return tuple(line[:_MAX_LENGTH] for line in lines[found.start : found.stop])


def cause_in(lines: Sequence[str]) -> range:
    """The indexes of lines to quote: the exception's message, lines before it, and Node's first stack frames.

    If there is no exception, these are the last lines.
    """
    raised, before = raised_in(lines), max(len(lines) - _MAX_LINES, 0)
    end = len(lines) if raised is None else before + raised.end
    most = min(end + _MAX_AFTER, len(lines))
    start = max(end - MAX_BEFORE, before)
    while end < most and _NODE.match(lines[end][:_MAX_LENGTH].strip()):
        end += 1
    return range(start, end)


def raised_in(lines: Sequence[str]) -> Raised | None:
    """The last exception in `lines`; None if there is none.

    If the exceptions form a chain, the first exception is returned, which is the cause.
    """
    known = [line[:_MAX_LENGTH].strip() for line in lines[-_MAX_LINES:]]
    raised = [number for number, line in enumerate(known) if _EXCEPTION.match(line)]
    if not raised:
        return None
    is_chain = len(raised) > 1 and _CHAINED in " ".join(known)
    at = 0 if is_chain else len(raised) - 1
    number, before = raised[at], raised[at - 1] + 1 if at else 0
    found = _EXCEPTION.match(known[number])
    more = _more(known, number)
    joined = " ".join(" ".join([found[1] if found else "", *more]).split())
    end = number + 1 + len(more)
    return Raised(words=joined, line=known[number], end=end, place=_place(known, before, number))


def stderr_words(lines: Sequence[str], total: int = 0) -> str:
    """A summary of stderr: `stderr 104 lines, server.py:30: ValidationError: …`.

    The summary quotes the last exception or, in a chain, the first one, which is the cause. If there is none,
    it quotes the last warning of Python or Node, or else the last line. The file and line come first, because
    the message may be cut. `total`: the number of lines, if `lines` are only the last of them.
    """
    if not lines:
        return ""
    total = max(total, len(lines))
    number = f"{total:,} line{'' if total == 1 else 's'}"
    raised = raised_in(lines)
    if raised is not None:
        place, said = raised.place, raised.words
    else:
        place, said = _warned_in(lines) or ("", next((line for line in reversed(lines) if line.strip()), ""))
    return f"stderr {number}{f', {place}' if place else ''}: {' '.join(said.split())}"


def _warned_in(lines: Sequence[str]) -> tuple[str, str] | None:
    """The place and the first line of the last warning; None if there is none. The place may be empty."""
    for line in reversed(lines[-_MAX_LINES:]):
        if found := _WARNING.match(line[:_MAX_LENGTH].strip()):
            return f"{found[1].rpartition('/')[2]}:{found[2]}" if found[1] else "", found[3]
    return None


def _more(lines: Sequence[str], number: int) -> list[str]:
    """The lines that continue the message of the exception in line `number`, at most `_MAX_MORE`.

    A blank line, or a line that `_ENDS` matches, ends the message.
    """
    more: list[str] = []
    for line in lines[number + 1 : number + 1 + _MAX_MORE]:
        if not line or _ENDS.match(line):
            break
        more.append(line)
    return more


def _place(lines: Sequence[str], before: int, number: int) -> str:
    """The file and line of the exception; empty if unknown.

    Python prints its stack frames before the message, the innermost last. Node prints them after the message,
    the innermost first.
    """
    frames: list[tuple[str, str]] = []
    for index in range(number + 1, len(lines)):
        if found := _NODE.match(lines[index]):
            frames.insert(0, (found[1], found[2]))
        elif frames or index > number + _MAX_MORE:
            break
    if not frames:
        frames = [frame for index in range(before, number) if (frame := _frame(lines, index)) is not None]
    if not frames:
        return ""
    own = [frame for frame in frames if not _LIBRARY.search(frame[0])]
    path, line = (own or frames)[-1]
    return f"{path.rpartition('/')[2]}:{line}"


def _frame(lines: Sequence[str], index: int) -> tuple[str, str] | None:
    """The path and line number of a stack frame of Python; None if the line is no stack frame."""
    if found := _PYTHON.match(lines[index]):
        return found[1], found[2]
    if not lines[index].startswith("│"):
        return None
    found = _RICH.match(_in_box(lines[index]))
    if found is None:
        return None
    path = found[1]
    for above in reversed(lines[max(index - _MAX_PIECES, 0) : index]):
        piece = _in_box(above)
        if path.startswith("/") or not piece or " " in piece:
            break
        path = piece + path
    return path, found[2]


def _in_box(line: str) -> str:
    return line.strip("│ ")
