"""What holds for every test of the interface."""

import pytest

from inspector.tui.screens.decision import DecisionScreen


@pytest.fixture(autouse=True)
def _read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test reads a question faster than anybody types."""
    monkeypatch.setattr(DecisionScreen, "unread_s", 0.0)
