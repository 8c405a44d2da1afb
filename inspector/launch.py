"""A launch: everything that a run of Sightline on one target needs.

Both the command line and the terminal interface take a `Launch`.
"""

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
    """A target, the options of its session, the rules for calls, and the initial boundary level and host."""

    target: Target
    options: Options = field(default_factory=Options)
    """The options of the session, such as time limits, and the recorder if the session is recorded."""
    level: Level = Level.DECLARED
    host: str = "spec"
    terms: Terms = field(default_factory=Terms)
    agreement: Agreement = Agreement.NONE
    """Whether the user agreed in advance to calls that need confirmation. The interface asks instead."""
    theme: str | None = None
    """The theme of the interface; None for the default."""
    is_history_kept: bool = False
    """True if the interface stores calls beyond this run."""
    name: str = ""
    """The name of the server if there are several: the name in its configuration, or a short one."""
    further: tuple["Launch", ...] = ()
    """Further servers that the interface connects to.

    Of each, only target, options, name and `as_saved` are used.
    """
    unreadable: InspectorError | None = None
    """The error if this server's configuration entry cannot be read; only set if there are several servers."""
    as_saved: Callable[[], str] | None = None
    """Returns the text that names the target in saved calls.

    If saved calls cannot name the target, this is None or returns "".
    """
    recording: "OpenedRecording | None" = None
    """The recording that the interface shows instead of a server."""
    watching: "Watching | None" = None
    """The watched files. When one is saved, the interface starts the server again."""
