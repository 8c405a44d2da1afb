"""Words that must hold in every state: about what servers learn, and about a call behind a dialog."""

from inspector.policy.taint import SourceDetail
from inspector.tui.call.progress import held_line
from inspector.tui.trust.view import ServerRow, sent_line


def test_a_session_whose_labels_are_not_sent_is_not_said_to_have_none() -> None:
    row = ServerRow(server="demo", detail=SourceDetail.HOSTS, received=1, sent=None)
    shown = sent_line(row).plain
    assert "no trust labels" not in shown
    assert shown.endswith(
        "The next call carries no annotations, because the session is not untrusted and has no sources to name."
    )


def test_a_call_behind_a_dialog_is_not_said_to_wait_because_it_may_be_blocked() -> None:
    assert held_line("wipe").plain == "wipe is on hold; nothing was sent"
