"""The words of the trust screen about what servers learn."""

from inspector.policy.taint import SourceDetail
from inspector.tui.trust.view import ServerRow, sent_line


def test_a_session_whose_labels_are_not_sent_is_not_said_to_have_none() -> None:
    row = ServerRow(server="demo", detail=SourceDetail.HOSTS, received=1, sent=None)
    shown = sent_line(row).plain
    assert "no trust labels" not in shown
    assert shown.endswith(
        "The next call carries none: only an untrusted session and names of sources are sent."
    )
