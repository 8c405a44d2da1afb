"""What holds for every test of the interface."""

import pytest

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
