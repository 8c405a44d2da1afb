"""Everything that a run on one target needs. Both front ends take it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct, field

from inspector.boundary.options import Level
from inspector.errors import InspectorError
from inspector.policy.gate.agreement import Agreement, Terms
from inspector.protocol.targets import Target
from inspector.session.options import Options

if TYPE_CHECKING:
    from inspector.files.watching import Watching
    from inspector.recording.target import OpenedRecording


class Launch(Struct, frozen=True, kw_only=True):
    """A target, how to reach and record it, what decides on calls, and how results are shown first."""

    target: Target
    options: Options = field(default_factory=Options)
    """How to connect and how long to wait; its recorder, where the session is recorded."""
    level: Level = Level.DECLARED
    host: str = "spec"
    terms: Terms = field(default_factory=Terms)
    agreement: Agreement = Agreement.NONE
    """The answer to what the policy asks. The interface asks the user instead."""
    theme: str | None = None
    """Theme of the interface; None for the usual one."""
    is_history_kept: bool = False
    """Whether the interface keeps calls beyond this run."""
    name: str = ""
    """What the server is called where there are several: as in its configuration, or in short."""
    further: tuple["Launch", ...] = ()
    """Servers that the interface connects to beside this one. Of each, the target, options, name and `as_saved` count."""
    unreadable: InspectorError | None = None
    """Why this server's entry cannot be read, where there are several servers."""
    as_saved: Callable[[], str] | None = None
    """Gives the target as saved calls have it; None, or an empty text, where it cannot be written."""
    recording: "OpenedRecording | None" = None
    """A recording that the interface shows instead of a server."""
    watching: "Watching | None" = None
    """The files on whose save the interface starts the server again."""
