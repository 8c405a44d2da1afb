"""The header line: target, state, trust, boundary level, host."""

from collections.abc import Container

from msgspec import Struct
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from inspector.boundary.bounded import Level
from inspector.session.events import SessionState
from inspector.tui.catalogue.rows import STATE_STYLES
from inspector.tui.text import content, count, cut_in_the_middle, level_in_force, row_name, shortened
from inspector.tui.trust.view import GravestLabel


class HeaderView(Struct, frozen=True, kw_only=True):
    """The facts that the header line shows."""

    target: str
    """The target as the user wrote it. Untrusted text, like `label`, `server` and `protocol`."""
    state: SessionState
    level: Level
    host: str
    label: str = ""
    """The name of the server in a configuration file, or among several; empty if it has none."""
    server: str = ""
    """The name by which the server calls itself; empty if it is not known."""
    place: str = ""
    """The number of the shown server among several, such as `2 of 3`; empty if there is only one."""
    protocol: str = ""
    recording: str = ""
    """Words about the running recording, such as `recording since 3.2 s`; empty if none runs."""
    profile: str = ""
    """The name of the client profile announced to the server; empty for the default profile."""
    is_replay: bool = False
    """True if the target is a recording."""
    is_insecure: bool = False
    """True if the server's certificate is not checked."""
    trust: GravestLabel | None = None
    """The trust labels of the agent session; None before the first call."""
    tools: int | None = None
    """The number of tools; None until the first page of the listing has arrived."""


_TRUST_STYLES = {True: "bold $text-error", False: "bold $text-accent"}

_LEAST_TARGET = 12
"""The minimum width, in cells, to which the second name in the header is cut.

The first name is the label or the server's own name; the second is the server's own name or the target. If
there is less room, only the first name is shown.
"""
_MOST_OF_NAME = 30
"""The maximum width, in cells, that is reserved for the server's name. Details that do not fit beside it are left
out."""

LEAST = (60, 15)
"""The minimum size of the main screen, in columns and lines."""

_ROOM_FOR_NAME = 100
"""The width, in cells, from which the header begins with the name of the program."""


def header(view: HeaderView, width: int) -> Content:
    """The header line in `width` cells. State, boundary level and host always fit.

    What has no room is left out; the name of the server is cut last.
    """
    program = [Content.styled("Sightline", "bold")] if width >= _ROOM_FOR_NAME else []
    wanted = min(len(_first_name(view)), _MOST_OF_NAME)
    kept: frozenset[str] = frozenset()
    for part in _DISPENSABLE:
        if (
            _left_over([*program, *_parts(view, kept | {part})], _lenses(view, kept | {part}), width)
            >= wanted
        ):
            kept |= {part}
    parts, lenses = _parts(view, kept), _lenses(view, kept)
    room = max(_left_over([*program, *parts], lenses, width), 4)
    left = Content("  ").join([*program, _named(view, room), *parts])
    gap = max(width - left.cell_length - lenses.cell_length - 2, 1)
    return Content.assemble(" ", left, " " * gap, lenses, " ")


_DISPENSABLE = ("lenses", "since", "also", "recording", "place", "profile", "tools", "protocol")
"""The parts that are shown if they have room, the most useful first.

`lenses`: the words `boundary:` and `host:` before the names. `since`: the call that brought the trust label, and
the key that explains the label. `also`: less serious trust labels. `recording`: the time at which the recording
began.
"""


def _parts(view: HeaderView, kept: Container[str]) -> list[Content]:
    """The state, and the details whose names are in `kept`."""
    recording = view.recording if "recording" in kept else view.recording.partition(" ")[0]
    label = _trust_words(view.trust, kept) if view.trust and view.trust.word else ""
    state = Content.assemble(
        ("a recording", "bold $text-accent")
        if view.is_replay
        else (str(view.state), STATE_STYLES[view.state]),
        (f"  {label}", _TRUST_STYLES[view.trust.is_grave]) if view.trust and label else "",
        ("  certificate not checked", "bold $text-error") if view.is_insecure else "",
        (f"  ● {recording}", "bold $text-error") if recording else "",
    )
    return [state, *(detail for name, detail in _details(view).items() if name in kept)]


def _trust_words(trust: GravestLabel, kept: Container[str]) -> str:
    """The trust labels in words. `kept`: the optional parts that are shown, such as `also` and `since`.

    Of labels that one call has added, only the last one names the call.
    """
    words = [trust.word, *(trust.also if "also" in kept else ())]
    names = [word.partition(" ")[0] for word in words]
    if "since" not in kept:
        return ", ".join(names)
    calls = [word.partition(" ")[2] for word in words]
    each = (
        name if calls[at + 1 : at + 2] == [call] else f"{name} {call}"
        for at, (name, call) in enumerate(zip(names, calls, strict=True))
    )
    return f"{', '.join(each)}, T why"


def _lenses(view: HeaderView, kept: Container[str]) -> Content:
    has_words = "lenses" in kept
    return Content.assemble(
        ("boundary: ", "$foreground 70%") if has_words else "",
        (str(view.level), level_in_force(view.level)),
        "  ",
        ("host: ", "$foreground 70%") if has_words else "",
        content(view.host, "bold"),
    )


def _details(view: HeaderView) -> dict[str, Content]:
    """The details of the header line that are left out if they have no room, by name."""
    found = {
        "profile": content(f"--as {view.profile}" if view.profile else "", "$text-warning"),
        "protocol": content(_protocol(view.protocol), "$foreground 70%"),
        "tools": Content(count(view.tools, "tool") if view.tools is not None else ""),
        "place": Content(f"server {view.place}" if view.place else ""),
    }
    return {name: detail for name, detail in found.items() if detail.plain}


def _first_name(view: HeaderView) -> str:
    return row_name(view.label or view.server, _MOST_OF_NAME) or view.target


def _named(view: HeaderView, room: int) -> Content:
    """At most two of the label, the server's own name and the target, in this order, in `room` cells."""
    named = view.label or view.server
    if named in {"", view.target}:
        return content(cut_in_the_middle(view.target, room), "bold $text-primary")
    first = row_name(named, min(room, _MOST_OF_NAME))
    left = room - len(first) - 2
    is_own = bool(view.label and view.server)
    second = row_name(view.server, left) if is_own else cut_in_the_middle(view.target, left)
    if left < min(_LEAST_TARGET, len(view.server if is_own else view.target)):
        second = ""
    return Content.assemble(
        content(first, "bold $text-primary"), "  " if second else "", content(second, "$foreground 70%")
    )


def _protocol(version: str) -> str:
    shown = shortened(version, 24)
    return f"MCP {shown}" if shown[:1].isdigit() else shown


def _left_over(parts: list[Content], lenses: Content, width: int) -> int:
    """The number of cells that `parts`, and the boundary level and host in `lenses`, leave for the names."""
    taken = sum(part.cell_length + 2 for part in parts) + lenses.cell_length
    return width - taken - 4


class HeaderLine(Widget):
    """Shows target, state, protocol and number of tools on the left, boundary level and host on the right."""

    DEFAULT_CSS = """
    HeaderLine { height: 1; background: $panel; }
    """

    view: reactive[HeaderView | None] = reactive(None)

    def render(self) -> Content:
        """The header line. If the screen is too small, the line begins with the size that the screen needs."""
        width, height = self.screen.size
        is_small = width < LEAST[0] or height < LEAST[1]
        words = f" needs {LEAST[0]}x{LEAST[1]} " if is_small else ""
        shown = header(self.view, self.size.width - len(words)) if self.view else Content("")
        warned = Content.assemble((words, "bold $text-warning"), shown)
        return warned.truncate(self.size.width, ellipsis=True)
