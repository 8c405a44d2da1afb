"""What holds for every test of the interface."""

from typing import Any, cast

import pytest
from textual._compositor import Compositor

from inspector.tui.app import SightlineApp
from inspector.tui.policy.dialog import DecisionScreen


@pytest.fixture(autouse=True)
def _read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test reads a question faster than anybody types."""
    monkeypatch.setattr(DecisionScreen, "unread_s", 0.0)


@pytest.fixture(autouse=True)
def _read_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that a test waits for goes away while a busy machine keeps it from looking."""
    monkeypatch.setattr(SightlineApp, "NOTIFICATION_TIMEOUT", 60.0)


@pytest.fixture(autouse=True)
def _paints_where_a_test_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal, Textual paints each frame and drops it: a third of the time of these tests."""
    paint = cast("Any", Compositor).render_update

    def render_update(self: Compositor, *args: object, **options: object) -> object:
        if options.get("full"):
            return paint(self, *args, **options)
        self._dirty_regions.clear()  # pyright: ignore[reportPrivateUsage]
        return None

    monkeypatch.setattr(Compositor, "render_update", render_update)
