"""The beginning of a recording: what it says of a session first, and the recorder that goes on from there."""

from collections.abc import Callable
from pathlib import Path

from inspector.files import stamp
from inspector.protocol.targets import Target
from inspector.recording.files.writing import Recorder
from inspector.recording.format import Header, Lenses
from inspector.recording.target import header_of, named, secret_values


def header_now(target: Target, lenses: Lenses) -> Header:
    """The first line of a recording of `target` that is made now."""
    return header_of(target, lenses, created=stamp.now(), software=stamp.SOFTWARE)


def recorder_of(
    path: Path,
    target: Target,
    lenses: Lenses,
    *,
    seal_to: str | None = None,
    on_failure: Callable[[str], None] | None = None,
) -> Recorder:
    """A recorder of a session with `target`, its file made; the rest as `Recorder` has it. Raises UsageError."""
    return Recorder(
        path,
        header_now(target, lenses),
        secret_values=secret_values(target),
        target=(str(target), named(target)[1]),
        seal_to=seal_to,
        on_failure=on_failure,
    )
