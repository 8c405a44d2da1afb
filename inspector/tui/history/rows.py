"""Makes the rows of the history, which show time, tool, arguments and outcome, and the heading of one call."""

from collections.abc import Sequence
from datetime import date, datetime

from msgspec import Struct
from textual.content import Content

from inspector.history.past_call import Ended, PastCall, Why
from inspector.json.exact import dump_text
from inspector.tui.history.keeper import HistoryCall
from inspector.tui.text import content, count, duration, shortened, size
from inspector.tui.widgets.secondary import QUIET

MARK = "●"
_WIDE = 110
"""The width of a row, in cells, from which the outcome is written in full."""
_MOST_DRAWN = 600
"""The maximum length of the arguments in a row, in characters. The detail has all of them."""
_OUTCOME_CELLS, _WIDE_OUTCOME_CELLS = 18, 28
"""The width of the outcome in cells: in a normal row, and in a wide one."""
_NAME = 24
_DURATION = 8
_SIGNS = 2


class ShownCalls(Struct, frozen=True, kw_only=True):
    """The calls that are listed, the newest first, and the widths of their columns."""

    calls: tuple[HistoryCall, ...]
    today: date
    times: int
    """The width of the widest time, in cells."""
    names: int


class CallsAsked(Struct, frozen=True, kw_only=True):
    """A request to list calls. `calls`: all calls, the oldest first.

    `query`: words that a call must contain.
    """

    calls: tuple[HistoryCall, ...]
    query: str


def listing(asked: CallsAsked) -> ShownCalls:
    """The calls that contain all words of the query, the newest first."""
    words = asked.query.casefold().split()
    calls = tuple(call for call in reversed(asked.calls) if matches(call.past, words))
    today = datetime.now().astimezone().date()
    return ShownCalls(
        calls=calls,
        today=today,
        times=max((len(time_words(call.past.at, today)) for call in calls), default=0),
        names=min(max((len(call.past.tool) for call in calls), default=0), _NAME),
    )


def matches(past: PastCall, words: Sequence[str]) -> bool:
    """True if all words occur in the tool, the arguments, the outcome or the date of a call."""
    if not words:
        return True
    text = f"{past.tool} {past.arguments} {past.lacks} {outcome(past, is_wide=True)[0]} {past.at[:10]}"
    folded = text.casefold()
    return all(word in folded for word in words)


def time_words(at: str, today: date) -> str:
    """The time at which a call began: `14:03:22` today, `22 Nov 14:03` this year, else `2025-11-22`.

    `at` may be any text; `?` if it is not a time.
    """
    try:
        when = datetime.fromisoformat(at).astimezone()
    except (ValueError, OverflowError, OSError):
        return "?"
    if when.date() == today:
        return f"{when:%H:%M:%S}"
    return f"{when.day:>2} {when:%b %H:%M}" if when.year == today.year else f"{when:%Y-%m-%d}"


def outcome(past: PastCall, *, is_wide: bool) -> tuple[str, str]:
    """The outcome of a call in words, and their style.

    The words count the values that the boundary level `declared` withholds, whichever level is shown.
    """
    if past.fits is False:
        return ("≠ output breaks its schema" if is_wide else "≠ breaks schema"), "bold $text-error"
    match past.ended:
        case Ended.OK:
            at = " at declared" if is_wide else ""
            more = f"  {past.withheld:,} withheld{at}" if past.withheld else ""
            return f"ok{more}", "$text-success"
        case Ended.ERROR | Ended.NO_ANSWER:
            return past.error.replace("_", " ") or past.ended.value, "bold $text-error"
        case _:
            return past.ended.value, "bold $text-warning"


def arguments_line(past: PastCall) -> str:
    """All arguments on one line, such as `name="production", days=3, pin=•••`. Untrusted text."""
    words = (
        [f"{name}={dump_text(value)}" for name, value in past.kept.items()]
        if len(past.arguments) <= _MOST_DRAWN
        else [shortened(past.arguments, _MOST_DRAWN)]
    )
    words += [
        f"{each.name or 'an argument'}={'•••' if each.why is Why.SECRET else '…'}" for each in past.left_out
    ]
    return ", ".join(words)


def row_of(call: HistoryCall, shown: ShownCalls, width: int, *, is_here: bool, is_marked: bool) -> Content:
    """The row of a call in `width` cells. If there is too little room, the arguments are cut."""
    past = call.past
    is_wide = width >= _WIDE
    ended, style = outcome(past, is_wide=is_wide)
    took = duration(past.duration_s)
    room = _WIDE_OUTCOME_CELLS if is_wide else _OUTCOME_CELLS
    right = Content.assemble(
        (f"{shortened(ended, room):<{room}}", style),
        (f"{took:>{_DURATION}}", QUIET),
    )
    names = min(shown.names, max(width // 4, 8))
    name = content(shortened(past.tool, names), "bold")
    sign = f"{MARK} " if is_marked else "▸ " if is_here else "  "
    left = Content.assemble(
        (sign, "bold $text-accent"),
        (f"{time_words(past.at, shown.today):>{shown.times}}  ", QUIET),
        name,
        " " * max(names - name.cell_length, 0),
        "  ",
        content(shortened(arguments_line(past), max(width, 20)), "$foreground 80%"),
    )
    room = max(width - right.cell_length - 1, 10)
    return Content.assemble(left.truncate(room, ellipsis=True, pad=True), " ", right)


def heading(call: HistoryCall, today: date) -> Content:
    """The heading above a call's arguments: tool, time, run, outcome, and which values were not stored."""
    past = call.past
    run = (
        f"#{call.record.number} of this run"
        if call.record
        else "this run"
        if call.is_new
        else "an earlier run"
    )
    ended, style = outcome(past, is_wide=True)
    parts = [
        content(shortened(past.tool, 120), "bold"),
        Content(time_words(past.at, today)),
        Content(run),
        Content.styled(ended, style),
        Content(f"after {duration(past.duration_s)}"),
    ]
    if past.size_bytes:
        parts.append(Content(f"a message of {size(past.size_bytes)}"))
    if past.fits:
        parts.append(Content.styled("✓ output fits its schema", "$text-success"))
    lines = [Content("  ").join(parts)]
    if past.left_out:
        words = "but used from memory when you call again" if call.record else "to be typed again"
        lines.append(content(shortened(f"not kept: {past.lacks}, {words}", 300), "$text-warning"))
    return Content("\n").join(lines)


def title_words(calls: Sequence[HistoryCall], shown: int) -> str:
    """The numbers of calls, such as `12 calls, 3 of this run`. `shown`: the number of listed calls."""
    new = sum(call.is_new for call in calls)
    words = f"{count(len(calls), 'call')}, {new:,} of this run"
    shown_words = f", {shown:,} shown" if shown != len(calls) else ""
    return f"{words}{shown_words}"
