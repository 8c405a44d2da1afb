"""The note of a running call names the applicable limit."""

import pytest

from inspector.session.call_record import AGAIN, VISITING, Progress
from inspector.tui.call.progress import waiting_note


@pytest.mark.parametrize(
    ("progress", "limit"),
    [
        (None, "Times out after 1 min 00 s without progress."),
        (Progress(progress=1, total=2, message=None), "Times out after 1 min 00 s without progress."),
        (
            Progress(progress=0, total=None, message="busy", task="working"),
            "Waits as long as the server keeps the task, at least 1 h; each request about the task times out after 1 min 00 s.",
        ),
        (VISITING, "Waits up to 1 min 00 s for you to visit the address, then calls again."),
        (AGAIN, "Times out after 1 min 00 s without progress."),
    ],
)
def test_a_running_call_shows_its_time_limit(progress: Progress | None, limit: str) -> None:
    assert limit in waiting_note("calling a", 0.0, progress, 60.0).plain
