"""Fixtures for every test of the interface."""

import asyncio
from time import monotonic
from typing import Any, cast

import pytest
import textual.app
import textual.pilot
from textual._compositor import Compositor
from textual._context import active_app
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot
from textual.widgets import Button

from inspector.tui.app import SightlineApp
from inspector.tui.policy.dialog import DecisionScreen
from tests.tui import styling


@pytest.fixture(autouse=True)
def _read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let questions be answered at once: a test reads them faster than a person types."""
    monkeypatch.setattr(DecisionScreen, "unread_s", 0.0)


@pytest.fixture(autouse=True)
def _read_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep notifications on the screen until the test has read them, even on a busy machine."""
    monkeypatch.setattr(SightlineApp, "NOTIFICATION_TIMEOUT", 60.0)


@pytest.fixture(autouse=True)
def _presses_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a button be pressed again at once: it ignores keys for 0.2 s after each, in which a person does not press twice."""
    monkeypatch.setattr(Button, "action_press", Button.press)


@pytest.fixture(autouse=True)
def _paints_where_a_test_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paint only when a test reads the screen: without a terminal, Textual drops each frame after painting, a third of these tests' time."""
    paint = cast("Any", Compositor).render_update

    def render_update(self: Compositor, *args: object, **options: object) -> object:
        if options.get("full"):
            return paint(self, *args, **options)
        self._dirty_regions.clear()  # pyright: ignore[reportPrivateUsage]
        return None

    monkeypatch.setattr(Compositor, "render_update", render_update)


@pytest.fixture(autouse=True)
def _hashes_rules_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give rules the hash of any object, which is the same and needs no call: a tenth of these tests' time."""
    monkeypatch.setattr(RuleSet, "__hash__", object.__hash__)


async def _until_idle(*_limits: object) -> None:
    """Wait until nothing is left to do for the loop and the screen, but at most a second."""
    app = active_app.get(None)
    ready = cast("Any", asyncio.get_running_loop())._ready  # noqa: SLF001
    ends_s = monotonic() + 1
    quiet = 0
    while quiet < 2 and monotonic() < ends_s:
        await asyncio.sleep(0)
        if not ready and app and app.screen_stack:
            # Textual lays out and calls back with the next frame only.
            app.screen._on_timer_update()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        quiet = 0 if ready else quiet + 1


@pytest.fixture(autouse=True)
def _waits_for_events_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send the next key once the last is handled: Textual waits for 20 ms without work after each, half of these tests' time."""
    for module in (textual.app, textual.pilot):
        monkeypatch.setattr(module, "wait_for_idle", _until_idle)
    # It would post a message to each widget, to know that none has an earlier one left.
    monkeypatch.setattr(Pilot, "_wait_for_screen", _until_idle)


_parsed: dict[object, Any] = {}
"""The rules of every style sheet that was parsed, by its text and variables."""


@pytest.fixture(autouse=True)
def _parses_each_style_sheet_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share parsed style sheets between apps: each app parses about fifty, a quarter of its start."""
    parse = cast("Any", Stylesheet)._parse_rules  # noqa: SLF001
    last: list[Any] = [None, None]

    def parse_rules(self: Stylesheet, *args: object, **options: object) -> object:
        # A sheet with other variables has another mapping of them.
        if last[0] is not self._variables:  # pyright: ignore[reportPrivateUsage]
            last[:] = self._variables, frozenset(self._variables.items())  # pyright: ignore[reportPrivateUsage]
        key = (args, *options.items(), last[1])
        if key not in _parsed:
            _parsed[key] = parse(self, *args, **options)
        return _parsed[key]

    monkeypatch.setattr(Stylesheet, "_parse_rules", parse_rules)


@pytest.fixture(autouse=True)
def _styles_alike_nodes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share the styles of nodes between apps, as Textual shares them between siblings: a tenth of these tests' time."""
    monkeypatch.setattr(Stylesheet, "apply", styling.apply)
