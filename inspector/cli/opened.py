"""A recording as the target of the interface."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from inspector.boundary.options import Level
from inspector.cli.lenses import USUAL_HOST, Lens
from inspector.cli.options import Invocation
from inspector.errors import UsageError

if TYPE_CHECKING:
    from inspector.recording.target import OpenedRecording

_SCHEMES = ("http://", "https://", "sse+", "web+", "stdio:")
_OWN = {"target", "boundary", "host", "theme", "identity", "quiet"}
"""What may be said beside a recording."""


def opened_of(
    word: str | None, identity: str | None, invocation: Invocation, context: click.Context
) -> "OpenedRecording | None":
    """The recording that the word names; None where it names something else. Raises UsageError."""
    if word is None or not _names_recording(word):
        if identity is not None:
            raise UsageError("--identity is for recordings", "Give a recording, or leave it out.")
        return None
    if invocation.command_line is not None:
        raise UsageError("two targets", "Give a recording, or a command behind --.")
    said = [
        option.opts[0]
        for option in context.command.params
        if option.name not in _OWN and _is_said(context, option.name or "")
    ]
    if said:
        raise UsageError(
            f"{', '.join(said)}: not for recordings", "Nothing is reached and nothing recorded again."
        )
    from inspector.recording.files.reading import header_at  # noqa: PLC0415
    from inspector.recording.target import OpenedRecording  # noqa: PLC0415 - most targets are no recording

    return OpenedRecording(path=word, header=header_at(Path(word)), identity=identity)


def lens_of(opened: "OpenedRecording", lens: Lens, context: click.Context) -> Lens:
    """The lenses that were recorded, but for those that the user named."""
    recorded = opened.header.lenses
    if not _is_said(context, "boundary"):
        lens = replace(lens, level=Level(recorded.level))
    if _is_said(context, "host"):
        return lens
    try:
        replace(lens, host=recorded.host).check()
    except UsageError:
        # The interface says so: the header shows the host that is looked through.
        return replace(lens, host=USUAL_HOST)
    return replace(lens, host=recorded.host)


def _names_recording(word: str) -> bool:
    if word.startswith(_SCHEMES) or word == "demo":
        return False
    from inspector.recording.files.reading import begins_as_recording  # noqa: PLC0415
    from inspector.recording.target import SUFFIX  # noqa: PLC0415 - as above

    return word.endswith(SUFFIX) or begins_as_recording(Path(word))


def _is_said(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE
