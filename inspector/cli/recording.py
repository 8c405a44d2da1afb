"""The options `--record` and `--seal-to`, and the recorder that they ask for."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from inspector.cli.diagnostics import DIAGNOSTICS
from inspector.cli.lenses import Lens
from inspector.errors import UsageError
from inspector.protocol.targets import Target
from inspector.session.options import Options

if TYPE_CHECKING:
    from inspector.recording.files import Recorder

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Where to record to, and for whom to seal."""

    path: str | None
    seal_to: str | None

    def taken(self, options: Options, target: Target, lens: Lens | None = None) -> Options:
        """The options of a session with `target`, with its recorder. Raises UsageError. `in_session` closes it."""
        return replace(options, recorder=self.recorder(target, lens))

    def recorder(self, target: Target, lens: Lens | None = None) -> "Recorder | None":
        """A recorder of a session with `target`, its file made; None where nothing is to be recorded. Raises UsageError.

        `lens`: None where nothing is looked at. Why it stops, where it does, is told on stderr at once.
        """
        if self.path is None:
            return None
        from inspector.recording.files.writing import recorder_of  # noqa: PLC0415
        from inspector.recording.format import Lenses  # noqa: PLC0415 - most commands record nothing

        lenses = Lenses(level=lens.level, host=lens.host, policy=lens.policy) if lens else Lenses()
        return recorder_of(Path(self.path), target, lenses, seal_to=self.seal_to, on_failure=DIAGNOSTICS.say)


def recording(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """The options themselves."""
    function = click.option(
        "--seal-to", metavar="age1…", help="Keep the raw frames beside it, encrypted to this recipient."
    )(function)
    return click.option("--record", metavar="FILE", help="Record the session, without what is withheld.")(
        function
    )


def wish_of(options: dict[str, object]) -> Wish:
    """Take the options of `recording` out of a command's own. Raises UsageError."""
    path, seal_to = options.pop("record"), options.pop("seal_to")
    if seal_to is not None and path is None:
        raise UsageError("--seal-to is for recordings", "Add --record FILE.")
    return Wish(
        path=path if isinstance(path, str) else None, seal_to=seal_to if isinstance(seal_to, str) else None
    )
