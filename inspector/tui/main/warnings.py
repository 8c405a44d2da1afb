"""The warnings above a result that are not about the result alone."""

from inspector.session.call_record import CallRecord
from inspector.session.wording import unanswerable
from inspector.tui.main.servers import ServerParts
from inspector.tui.text import path

_LONGEST_ERROR_BYTES = 20_000
"""The maximum size, in bytes, of an answer that is searched for the reason of an error.

The search runs whenever the timeline grows.
"""


def refused_by_era(record: CallRecord, server: ServerParts) -> str:
    """The method of a request that the server could not send during the call; empty if there is none.

    A stateless server cannot send requests during a call.
    """
    facts = server.link.server
    is_short = record.size_bytes <= _LONGEST_ERROR_BYTES
    return unanswerable(record.outcome, facts.era) if facts is not None and is_short else ""


def warnings(record: CallRecord, server: ServerParts, *, is_named: bool) -> tuple[str, ...]:
    """The warnings about a call that are not about its result alone, as sentences.

    `is_named`: whether the result pane already names the values in this result that pass although they were
    withheld from other calls.
    """
    found: list[str] = []
    repeated = server.vault.repeating.get(record.number)
    if repeated is not None and not is_named:
        words = "passes a value that was withheld from an earlier call, or was fetched or entered as a secret"
        found.append(f"{path(repeated)} {words}")
    method = refused_by_era(record, server)
    if method:
        found.append(
            f"the server cannot send {method} during a call in the stateless era. ^a connects with a handshake: era legacy"
        )
    return tuple(found)
