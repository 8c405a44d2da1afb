"""The words about a server that does not answer yet."""

from inspector.connect.errors import HTTP_HINT, STDIO_HINT
from inspector.protocol.targets import PageTarget, StdioTarget
from inspector.protocol.timeline import EntryKind, EntryState
from inspector.session.events import SessionState
from inspector.session.live import Session

_LATE_S = 2.0
"""The time in seconds after which an answer is late."""


def waiting_words(session: Session | None) -> str:
    """How long a server has not answered the first requests, the time limit, and a hint.

    Empty if the server has answered, if the session began less than `_LATE_S` seconds ago, or if the request was
    sent less than a second ago.
    """
    if (
        session is None
        or session.state is not SessionState.CONNECTING
        or isinstance(session.target, PageTarget)
    ):
        return ""
    waiting = (
        entry
        for entry in reversed(session.timeline.entries)
        if entry.kind is EntryKind.EXCHANGE and entry.state is EntryState.PENDING
    )
    asked = next(waiting, None)
    # The time counts from the start of the session: an earlier request, such as a probe, may have ended.
    if asked is None or session.now_s < _LATE_S:
        return ""
    waited = session.now_s - asked.at_s
    if waited < 1:
        return ""
    hint = STDIO_HINT if isinstance(session.target, StdioTarget) else HTTP_HINT
    limit = session.options.connect_timeout_s
    return f"{waited:.0f} s of {limit:.0f} s without an answer\nto {asked.title}. {hint}"
