"""The list of hosts to choose from, a row for each. The text that the user types filters the list."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Input

from inspector.hosts.profile import Host, evidence
from inspector.hosts.registry import named_without_profile, without_profile
from inspector.tui.keys.command import KeyPlace
from inspector.tui.text import content
from inspector.tui.widgets.lines import Lines
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import QUIET, DrawnLines, Keys, SecondaryDialog, dialog_bindings

_GAP = 2
_LEAST_GETS = 60
"""The minimum width, in cells, of the text that says what a model gets.

If there is less room, the row leaves out the evidence.
"""
_AROUND = 12
"""The number of rows for the border, the title, the filter, the details of a host, and the keys."""


class HostChoice(SecondaryDialog[str], inherit_bindings=False):
    """A dialog that returns the name of the chosen host; Esc changes nothing."""

    BINDINGS: ClassVar[list[BindingType]] = dialog_bindings(KeyPlace.HOST_LIST)
    KEYS: ClassVar[Keys] = (
        ("lines.choose", "use this host"),
        ("host-list.next", ""),
        ("host-list.previous", ""),
        ("host-list.back", ""),
    )

    def __init__(self, among: Sequence[Host], current: str) -> None:
        """`current`: the name of the host for which results are shown."""
        super().__init__(Content.assemble("Choose a host", ("  The model gets", "not bold")))
        self._all = among
        self._current = current
        self._shown: Sequence[Host] = among
        self._name_width = max(len(host.name) for host in among) + _GAP
        self._how_width = max(len(evidence(host.how)) for host in among) + _GAP
        self._filter = Input(placeholder="type to filter", id="host-filter", compact=True)
        self._lines = DrawnLines("host-choice", self._draw)
        # Letters go to the filter.
        self._lines.can_focus = False
        self._about = PlainText(id="host-about")

    def body(self) -> ComposeResult:
        yield self._filter
        yield self._lines
        yield self._about

    def on_mount(self) -> None:
        self._box.styles.height = len(self._all) + _AROUND
        self._show(self._all)
        self._filter.focus()

    def action_move(self, step: int) -> None:
        self._lines.action_move(step)

    @on(Input.Changed)
    def narrow(self, event: Input.Changed) -> None:
        event.stop()
        words = event.value.casefold().split()
        self._show([host for host in self._all if all(word in _searched(host) for word in words)])

    @on(Input.Submitted)
    @on(Lines.Chosen)
    def choose(self, event: Input.Submitted | Lines.Chosen) -> None:
        event.stop()
        if self._shown:
            self.dismiss(self._shown[self._lines.cursor].name)

    @on(Lines.Moved)
    def explain(self, event: Lines.Moved) -> None:
        event.stop()
        self._explain()

    def _show(self, shown: Sequence[Host]) -> None:
        self._shown = shown
        current = (place for place, host in enumerate(shown) if host.name == self._current)
        self._lines.show_rows(len(shown), next(current, 0))
        self._explain()

    def _explain(self) -> None:
        named = named_without_profile(self._filter.value)
        others = without_profile(named) if named else without_profile()
        if not self._shown:
            self._about.update(others if named else f"No host has these words.\n{others}")
            return
        host = self._shown[self._lines.cursor]
        title = content(f"{host.title}, {host.version}", "bold")
        known_by = content(f"  evidence: {host.how}; as of {host.as_of}", QUIET)
        words = f"\nIts model gets {host.model_gets}.\n"
        self._about.update(Content.assemble(title, known_by, words, (others, "" if named else QUIET)))

    def _draw(self, index: int, width: int, here: bool) -> Content:  # noqa: FBT001 - as the list calls it
        host = self._shown[index]
        is_current = host.name == self._current
        has_room = width - 2 - self._name_width - self._how_width >= _LEAST_GETS
        return Content.assemble(
            "▸ " if here else "  ",
            (host.name.ljust(self._name_width), "bold" if is_current else ""),
            (evidence(host.how).ljust(self._how_width) if has_room else "", QUIET),
            ("in force: " if is_current else "", "bold $text-accent"),
            host.model_gets,
        ).truncate(width, ellipsis=True)


def _searched(host: Host) -> str:
    return f"{host.name} {host.title} {host.how} {host.model_gets}".casefold()
