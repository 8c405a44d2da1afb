"""Stores the accepted findings of each server in a file, which `review --baseline` can read.

The files are in the user's data folder and have mode 0600.
"""

from pathlib import Path

from inspector import __version__
from inspector.errors import UsageError
from inspector.files import paths, private
from inspector.json.exact import Malformed, dump, inert, parse
from inspector.pins.identity import Identity
from inspector.review.live.accepted import AcceptedFindings, accepted_of
from inspector.review.report import Acceptance, ReportEntry

MAX_BYTES = 16 * 1024 * 1024


def path_of(identity: Identity) -> Path:
    """The path of a server's file. The file need not exist."""
    return paths.data() / "accepted" / f"{identity.key}.json"


def read_accepted(identity: Identity, rules: tuple[Acceptance, ...] = ()) -> AcceptedFindings:
    """The accepted findings of a server. `rules`: rules that the user's configuration accepts.

    Raises UsageError if the file is not a report, or if others could write it.
    """
    path = path_of(identity)
    content = private.read(path, MAX_BYTES)
    if content is None:
        return AcceptedFindings(rules=rules)
    parsed = parse(content.raw)
    accepted = None if isinstance(parsed, Malformed) else accepted_of(parsed.value, rules)
    if accepted is None:
        raise UsageError(f"{path} is not a report", "Remove it, and accept the findings again.")
    return accepted


def accept(
    identity: Identity, entry: ReportEntry, reason: str, rules: tuple[Acceptance, ...] = ()
) -> AcceptedFindings:
    """Add a finding, with the user's reason, to the file of accepted findings. Returns all accepted ones.

    Raises UsageError if the file cannot be read or written, or would be longer than `MAX_BYTES`.
    """
    return _write(identity, read_accepted(identity, rules).including(entry, reason))


def take_back(identity: Identity, entry: ReportEntry, rules: tuple[Acceptance, ...] = ()) -> AcceptedFindings:
    """Remove a finding from the file of accepted findings. Returns the remaining ones.

    Raises UsageError if the file cannot be read or written.
    """
    return _write(identity, read_accepted(identity, rules).without(entry))


def _write(identity: Identity, accepted: AcceptedFindings) -> AcceptedFindings:
    raw = inert(dump(accepted.shape(target=str(identity), reviewed_by=f"Sightline {__version__}")))
    if len(raw) > MAX_BYTES:
        raise UsageError(
            f"the accepted findings are {len(raw):,} bytes, which exceeds the limit", "Nothing was changed."
        )
    private.keep(path_of(identity), raw)
    return accepted
