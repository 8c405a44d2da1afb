"""The texts about watching: the saved file, the outcome of the restart, and the changes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content

from inspector.boundary.mask import MASK
from inspector.boundary.options import Level
from inspector.hosts.reach import ReachChange, ReachKind
from inspector.json.diff import Change, ChangeKind
from inspector.json.exact import DuplicateKeys, Json, dump_text
from inspector.pins.diff import DefinitionChange
from inspector.pins.pins import ChangesSince, PinState
from inspector.protocol.raised import raised_in
from inspector.tui.pins.view import Mask, change_lines
from inspector.tui.text import content, count, duration, hanging, shortened
from inspector.tui.values.changes import CHANGED, SIGNS, both_sides, change_title
from inspector.tui.watch.changes import HostReach, ValueChanges

_QUIET = "$foreground 70%"
_MAX_NAMED = 3
"""The maximum number of changes that one line of the strip names. The watch screen lists all of them."""
_LONGEST_LINE = 400
"""The maximum length of a line of stderr, in characters."""
_SHORT = 24
"""The maximum length of a value in the strip, in characters."""


_MORE = Content.assemble(("W", "bold $text-accent"), " shows more.")


class Phase(Enum):
    """The state of the watched server."""

    WATCHING = auto()
    STARTING = auto()
    STARTED = auto()
    BROKEN = auto()
    """The server did not start, or has ended."""
    AWAY = auto()
    """The server is gone, and Sightline waits for it. Only for a server that Sightline did not start."""


class WatchView(Struct, frozen=True, kw_only=True):
    """The facts to show about the last save. Texts may quote untrusted text."""

    phase: Phase = Phase.WATCHING
    watched: str = ""
    """The names of the watched folders and files, and the origin of a watched URL; empty if there is none."""
    fault: str = ""
    """The reason why nothing is watched, in sentences."""
    is_started: bool = True
    """True if Sightline starts the server; false if it only connects to one."""
    saved: str = ""
    """The reason for the last restart in words, such as `server.py saved`; empty before the first restart."""
    at: str = ""
    """The time of day of the save."""
    is_result_old: bool = False
    """True if there is a result, and the last one is from before the save."""
    called: str = ""
    """The title of the call that was repeated; empty if no call was repeated."""
    took_s: float | None = None
    """The time in seconds from the save to the result, or to the listing if no call was repeated."""
    remark: str = ""
    """The reason why no call was repeated, and the key that repeats it; or another remark."""
    reason: str = ""
    """The reason why the server does not run, such as a line of its stderr."""
    stderr: tuple[str, ...] = ()
    """The last lines that a server wrote to stderr before it ended."""
    broke_at: str = ""
    """The time of day at which the server ended; empty if the save is the reason why it does not run."""
    definitions: ChangesSince | None = None
    values: ValueChanges | None = None
    """The changes of the result; None if no two results were compared."""
    reach: HostReach | None = None
    """The values that newly reach models, or no longer do; None until the two results are compared."""
    is_comparing: bool = False
    """True if two results are being compared now."""

    @property
    def is_pending(self) -> bool:
        """True if the server is starting, or results are being compared."""
        return self.phase is Phase.STARTING or self.is_comparing

    @property
    def has_changes(self) -> bool:
        """True if the last save changed a definition, a result, or the values that reach models."""
        return bool(
            self.definitions or (self.values and self.values.shown) or (self.reach and self.reach.changes)
        )


def strip_lines(view: WatchView, width: int, *, is_typing: bool = False) -> list[Content]:
    """The lines of the strip: the outcome of the last save, then the changes, the worst first.

    Changes are cut to `width` cells; `W` opens the screen with all of them. `is_typing`: true if letters are
    typed into an input and run no commands.
    """
    lines = [outcome_line(view, in_strip=True, is_typing=is_typing)]
    if view.phase is Phase.BROKEN:
        lines.append(Content.styled(f"  {_how_to_start(view, is_typing=is_typing)}", _QUIET))
    if view.phase is Phase.WATCHING and view.watched:
        when = (
            "A save restarts the server and"
            if view.is_started
            else "After a save, or when the server returns, Sightline"
        )
        words = f"{when} repeats the last call if it only reads; r repeats any call, and then each save repeats it too."
        lines.append(Content.styled(f"  {words}", _QUIET))
    if view.phase is not Phase.STARTED:
        return lines
    if view.remark:
        lines.append(content(f"  {view.remark}", "$text-warning"))
    reached = [] if view.reach is None else _reach_lines(view.reach, short=True)
    changed = [_labelled("models", [line], width) for line in reached]
    if view.definitions is not None:
        # The strip has at most five rows, so the definitions come before further lines about models.
        changed.insert(1, _definitions_line(view.definitions, width))
    if view.values is not None and view.values.shown:
        titles = [_value_in_short(each) for each in view.values.shown]
        changed.append(_labelled(_result_of(view), titles, width, more=view.values.more))
    return [*lines, *(line.truncate(width, ellipsis=True) for line in changed)]


def strip_rows(view: WatchView, width: int, *, is_folded: bool, is_typing: bool = False) -> list[Content]:
    """The rows of the strip on a low screen, each at most `width` cells wide. Usually there is only one.

    The first row ends with what changed, as far as there is room, and with the key that shows all changes.
    Further rows say what the user can do about a call that was not repeated, or which values now reach
    models. A folded strip has no further rows, except for the reason why nothing is watched.
    """
    keys = (
        Content("") if is_typing or view.phase not in {Phase.STARTED, Phase.BROKEN} else Content("  ") + _MORE
    )
    if view.fault:
        return hanging(outcome_line(view, in_strip=True), width, 2).split("\n")
    if view.phase is Phase.WATCHING:
        when = "A save" if view.is_started else "A save, or the server's return,"
        keys = Content.styled(f"  {when} repeats the last call if it only reads.", _QUIET)
    rows = [_first_row(view, width, keys)]
    if is_folded or view.phase is not Phase.STARTED:
        return rows
    if view.remark:
        return rows + hanging(content(f"  {view.remark}", "$text-warning"), width, 2).split("\n")
    reached = [] if view.reach is None else _reach_lines(view.reach, short=True)
    return rows + [_labelled("models", [line], width) for line in reached[:1]]


def _first_row(view: WatchView, width: int, keys: Content) -> Content:
    """The outcome, words about the changes, and the keys.

    The words are as detailed as they can be without the outcome being cut.
    """
    brief = (outcome_line(each, in_strip=True, is_brief=True) for each in (view, replace(view, took_s=None)))
    timed, outcome = brief
    tail = keys
    for change in _changes_in_short(view):
        tail = change + keys
        for each in (timed, outcome):
            if each.cell_length + tail.cell_length <= width:
                return each + tail
    return outcome.truncate(max(width - tail.cell_length, 0), ellipsis=True) + tail


def _changes_in_short(view: WatchView) -> Iterator[Content]:
    """Yield words about the changed definitions, the most detailed first.

    If no definitions have changed, the words are about the changes of the result.
    """
    altered, values = view.definitions, view.values
    if view.phase is Phase.STARTED and altered is not None:
        for parts in _definitions_named(altered):
            yield Content("  ").join([Content(""), *parts])
        if altered.weakened:
            words = count(altered.weakened, "restriction dropped", "restrictions dropped")
            yield Content.styled(f"  ! {words}", "bold $text-warning")
        else:
            changed = count(len(altered.by_tool), "definition")
            yield Content.assemble((f"  {CHANGED} ", "bold $text-error"), changed)
        return
    if view.phase is Phase.STARTED and values is not None and values.shown and not values.more:
        named = values.shown[:_MAX_NAMED]
        if len(named) == len(values.shown):
            yield Content("  ").join([Content(""), *map(_value_in_short, named)])
    yield Content("")


def _how_to_start(view: WatchView, *, is_typing: bool) -> str:
    """A sentence that says how a server that does not run is started again."""
    does = _restarts(view)
    return f"The next save {does}." if is_typing else f"R or the next save {does}; t shows stderr."


def _restarts(view: WatchView) -> str:
    return "starts the server again" if view.is_started else "tries again"


def all_lines(view: WatchView, mask: Mask) -> list[Content]:
    """All lines of the screen: everything that the last save changed, with the values before and now.

    `mask`: masks the texts of definitions; results are masked already.
    """
    lines = [outcome_line(view, in_strip=False)]
    if view.remark:
        lines.append(content(view.remark, "$text-warning"))
    if view.phase is Phase.BROKEN:
        lines += _broken_lines(view, mask)
    if view.reach is not None and (view.reach.changes or view.reach.is_too_large):
        lines += [
            Content(""),
            Content.styled("What reaches models", "bold $text-primary"),
            *_reach_lines(view.reach),
        ]
    if view.values is not None and view.values.shown:
        lines += [Content(""), content(f"The {_result_of(view)}", "bold $text-primary")]
        for change in view.values.shown:
            lines += [Content(""), _value_title(change), *_value_sides(change)]
        if view.values.more:
            lines += [Content(""), Content("… and more")]
    if view.definitions is not None:
        lines += [Content(""), *change_lines(PinState(altered=(view.definitions,)), mask)]
    unchanged = _unchanged(view)
    if unchanged:
        lines += [Content(""), content(unchanged)]
    return lines


def _broken_lines(view: WatchView, mask: Mask) -> Iterator[Content]:
    """Yield lines about a server that does not run: the end of its stderr, and what starts it again."""
    yield Content("")
    if view.stderr:
        yield Content.styled("The end of stderr", "bold $text-primary")
        yield from (content(shortened(line, _LONGEST_LINE)) for line in _masked(view.stderr, mask))
    elif view.is_started:
        yield Content("The server wrote nothing to stderr before it ended.")
    all_of_it = "; t there shows all of stderr" if view.is_started else ""
    yield Content.styled(
        f"Nothing is compared. The next save, or R on the main screen, {_restarts(view)}{all_of_it}.", _QUIET
    )


def _masked(lines: Sequence[str], mask: Mask) -> list[str]:
    """Lines of stderr. Each line with a secret is masked; if a secret spans several lines, all lines are."""
    masked = [line if mask(line) == line else MASK for line in lines]
    text = "\n".join(masked)
    return masked if mask(text) == text else [MASK for _ in lines]


def _result_of(view: WatchView) -> str:
    """The words for the result that is compared. They may quote untrusted text."""
    return f"result of {shortened(view.called, 60)}" if view.called else "result"


def _unchanged(view: WatchView) -> str:
    """A sentence about what was compared and is as before the save, and about what was not compared."""
    if view.phase is not Phase.STARTED:
        return "" if view.saved else "No file was saved yet."
    if view.is_comparing:
        return "The results are still being compared."
    definitions = "" if view.definitions else "The definitions did not change with the save."
    if view.values is not None:
        result = "" if view.values.shown else f"The {_result_of(view)} did not change with the save."
    elif view.is_result_old:
        result = "The call was not repeated: the result on the screen is from before the save."
    else:
        result = "There are no two results of the same call to compare."
    return f"{definitions} {result}".strip()


def outcome_line(
    view: WatchView, *, in_strip: bool, is_brief: bool = False, is_typing: bool = False
) -> Content:
    """The outcome of the last save on one line. `in_strip`: whether the line is in the strip.

    `is_brief`: whether to leave out the words about the server if a call was repeated, and the key that shows
    more. `is_typing`: true to leave out this key, because it would be typed.
    """
    what = content(shortened(view.saved, 80), "bold")
    at = (f"{view.at} " if view.at else "", _QUIET)
    match view.phase:
        case Phase.WATCHING:
            words = f"Watching {view.watched}" if view.watched else f"Not watching. {view.fault}"
            return Content.assemble(("↻ ", "bold $text-accent"), content(words, _QUIET))
        case Phase.STARTING:
            doing = "starting the server again" if view.is_started else "connecting again"
            return Content.assemble(("↻ ", "bold $text-accent"), at, what, f": {doing} …")
        case Phase.AWAY:
            return Content.assemble(
                ("↻ ", "bold $text-warning"), at, "The server is away. Sightline connects when it returns."
            )
        case Phase.BROKEN:
            state = "the server does not run" if view.is_started else "the server does not answer"
            # At 80 columns the strip has room for the reason only without the file and the state.
            lead = at if is_brief else Content.assemble(at, *(() if in_strip else (what, ": ")), f"{state}: ")
            if view.broke_at:
                lead = Content.styled(f"{view.broke_at} ", _QUIET)
            return Content.assemble(
                ("! ", "bold $text-error"), lead, content(shortened(view.reason, 500), "bold $text-error")
            )
        case Phase.STARTED:
            return Content.assemble(
                ("↻ ", "bold $text-success"),
                at,
                what,
                ": ",
                *_outcome(view, has_key=in_strip and not (is_brief or is_typing), is_brief=is_brief),
            )


def _outcome(view: WatchView, *, has_key: bool, is_brief: bool) -> Iterator[Content | str | tuple[str, str]]:
    if not (is_brief and view.called):
        yield "the server was " if view.is_started and not is_brief else ""
        yield "started again" if view.is_started else "connected again"
    if view.called:
        yield "" if is_brief else ", "
        yield content(shortened(view.called, 80), "bold")
        yield " called again"
    if view.took_s is not None:
        yield (f" in {duration(view.took_s)}", _QUIET)
    if view.has_changes:
        if has_key:
            yield Content.assemble(". ", _MORE)
    elif view.called and view.values is not None and view.reach is not None:
        yield ". The definitions and the result are as before."


def _labelled(label: str, parts: Sequence[Content], width: int, *, more: bool = False) -> Content:
    """A line with as many of the parts as fit, at most `_MAX_NAMED`, and the number of the others."""
    begin = content(f"  {label}  ", _QUIET)
    for named in range(min(len(parts), _MAX_NAMED), 0, -1):
        rest = len(parts) - named
        tail = Content.styled(f"  and {rest:,}{'+' if more else ''} more" if rest else "", _QUIET)
        room = max(width - tail.cell_length, 0)
        line = Content.assemble(begin, Content("  ").join(parts[:named]))
        if line.cell_length <= room or named == 1:
            return line.truncate(room, ellipsis=True) + tail
    return begin


def _definitions_line(altered: ChangesSince, width: int) -> Content:
    """The line about changed definitions, in the most detailed form that fits.

    It names every change, or every definition with the number of its changes, or as many definitions as fit.
    """
    label = "definitions"
    each, counted, names = _definitions_named(altered)
    for parts in (each, counted):
        whole = Content("  ").join([content(f"  {label}", _QUIET), *parts])
        if whole.cell_length <= width:
            return whole
    return _labelled(label, each if len(altered.by_tool) == 1 else names, width)


def _definitions_named(altered: ChangesSince) -> tuple[list[Content], list[Content], list[Content]]:
    """Words about the changed definitions, in three lists from the most to the least detailed.

    The first has every change, the second every definition with the number of its changes, and the third only
    names. Each list begins with the number of dropped restrictions and with changed instructions, if any.
    """
    begin: list[Content] = []
    if altered.weakened:
        less = count(altered.weakened, "change drops a restriction", "changes drop restrictions")
        begin.append(Content.styled(f"! {less}", "bold $text-warning"))
    if altered.instructions_changed:
        begin.append(Content.styled(f"{CHANGED} the server's instructions", "bold $text-error"))
    by_tool = altered.by_tool.items()
    each = [change_title(change) for change in altered.tools]
    counted = [
        change_title(parts[0])
        if len(parts) == 1
        else _tool_name(name, parts) + Content.styled(f" ({len(parts):,} changes)", _QUIET)
        for name, parts in by_tool
    ]
    names = [_tool_name(name, parts) for name, parts in by_tool]
    return [*begin, *each], [*begin, *counted], [*begin, *names]


def _tool_name(name: str, parts: Sequence[DefinitionChange]) -> Content:
    # A new parameter is a change of its tool. Only a change of the whole definition makes a tool new or gone.
    sign = SIGNS[parts[0].kind] if len(parts) == 1 and not parts[0].pointer else CHANGED
    return Content.assemble((f"{sign} ", "bold $text-error"), content(shortened(name, 60), "bold"))


def _value_title(change: Change) -> Content:
    return Content.assemble(
        (f"{SIGNS[change.kind]} ", "bold $text-accent"),
        content(shortened(change.pointer or "the whole result", 120)),
        (f" {change.kind.value}", _QUIET),
    )


def _value_in_short(change: Change) -> Content:
    """A change as `~ /temperature 21.5 → 23` if both values are short, else without the values."""
    title, before, after = _value_title(change), _in_short(change.before), _in_short(change.after)
    if change.kind is not ChangeKind.CHANGED or not (before and after):
        return title
    return Content.assemble(title, " ", content(before, _QUIET), " → ", content(after, "bold"))


def _in_short(value: Json) -> str:
    """A short value as JSON; empty for a longer or a masked value."""
    if isinstance(value, (dict, list, DuplicateKeys)) or (isinstance(value, str) and len(value) > _SHORT):
        return ""
    text = dump_text(value)
    return text if len(text) <= _SHORT and MASK not in text else ""


def _value_sides(change: Change) -> Iterable[Content]:
    if MASK in (change.before, change.after):
        return [Content.styled(f"  masked {MASK}", _QUIET)]
    return both_sides(change)


_REACH_STYLES = {
    ReachKind.PASSES: ("!", "bold $text-error"),
    ReachKind.LEAKS: ("!", "bold $text-error"),
    ReachKind.WITHHELD: ("✓", "$text-success"),
    ReachKind.STOPPED: ("✓", "$text-success"),
}


def _reach_lines(reach: HostReach, *, short: bool = False) -> list[Content]:
    if reach.is_too_large:
        return [
            Content.styled(
                "the result is too large to compare all hosts after each save; c compares them", _QUIET
            )
        ]
    return [_reach_line(change, reach, short=short) for change in reach.changes]


def _reach_line(change: ReachChange, reach: HostReach, *, short: bool) -> Content:
    sign, style = _REACH_STYLES[change.kind]
    most = 2 if short else 20
    places = ", ".join(shortened(pointer or "the whole result", 80) for pointer in change.pointers[:most])
    more = f" and {len(change.pointers) - most:,} more" if len(change.pointers) > most else ""
    hosts = f"{len(change.hosts)} of {count(reach.hosts, 'host')}"
    words = {
        ReachKind.PASSES: f"{_at(reach.level)}it reaches the model in {hosts}",
        ReachKind.LEAKS: f"in {hosts} without protection",
        ReachKind.WITHHELD: f"without protection it leaks in {hosts}",
        ReachKind.STOPPED: f"in {hosts}",
    }[change.kind]
    if change.kind in {ReachKind.PASSES, ReachKind.WITHHELD}:
        words = f": {words}" if change.hosts else ""
    else:
        words = f" {words}"
    named = "" if short or not change.hosts else f" ({', '.join(change.hosts)})"
    return Content.assemble(
        (f"{sign} {change.kind.value} ", style), content(places + more, "bold"), content(words + named)
    )


def _at(level: Level) -> str:
    return "" if level is Level.OPEN else f"at `{level}` "


# The line of a traceback with the error. Only blanks, `|` and `+`, as in an exception group, may precede it.
_RAISED = re.compile(
    r"^[\s|+]*((?:[A-Za-z_][\w.]*)?(?:Error|Exception|Exit|Interrupt|Warning)(?: \[\w+\])?(?::.*)?)$"
)
_BEGINS = re.compile(r"^(?:thread '.*' panicked|panic: |fatal(?: error)?: )", re.IGNORECASE)
_PLACE = re.compile(
    r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)|^(?:file://)?(?P<script>/.*):(?P<at>\d+)$'
)


def reason_in(lines: Iterable[str]) -> str:
    """The line of stderr that best says why a program ended; empty if there is none.

    In a traceback, this is the last line with an error. If stderr names the place of the error on an earlier
    line, as for a syntax error, the place is put before this line, because the end of the text may be cut.
    """
    known = tuple(lines)
    raised_at = raised_in(known)
    if raised_at is not None and raised_at.place:
        return f"{raised_at.place}: {raised_at.words}"
    last = place = found = ""
    for line in known:
        text = line.rstrip()
        at = _PLACE.match(text)
        raised = _RAISED.match(text)
        if at:
            file = (at["file"] or at["script"]).rpartition("/")[2]
            place = f"{file}:{at['line'] or at['at']}"
        if raised:
            found = raised[1]
            if place and found.startswith(("SyntaxError", "IndentationError", "TabError")):
                found = f"{place}: {found}"
        elif _BEGINS.match(text):
            found = text
        elif text.strip() and not text[:1].isspace() and not text.startswith("Node.js v"):
            last = text.strip()
    return found or last
