"""Calls: how far one is, and what is kept of one that has ended."""

from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy
from inspector.json.exact import JsonObject
from inspector.protocol.catalogue import Kind
from inspector.session.requests import title_of

if TYPE_CHECKING:
    from inspector.boundary.judgement import Judgement
    from inspector.claims.resolution import Resolution
    from inspector.protocol.catalogue import Tool
    from inspector.protocol.outcome import Outcome
    from inspector.recording.files import Recorder
    from inspector.recording.scribe import PageCall


class CallRecord(Struct, frozen=True, kw_only=True):
    """One call that has ended."""

    number: int
    """Counts from 1 within a session, or over all that one oversight has seen."""
    name: str
    arguments: JsonObject
    judgement: "Judgement"
    """The answer, and what the boundary makes of it: computed once for everything that looks at this call."""
    at_s: float
    """Seconds since the session started."""
    duration_s: float
    size_bytes: int
    """Of the answer's frame."""
    received_s: float = 0.0
    """When the answer arrived, on the clock of `Session.custody`."""
    policy: BoundaryPolicy = DEFAULT_POLICY
    """In force when it was made, and what rules about its answer added."""
    resolution: "Resolution | None" = None
    """The server's resolution of this one call; None where it was not asked."""
    has_asked: bool = False
    """Whether the server asked something of the user or of a model meanwhile."""
    remarks: tuple[str, ...] = ()
    """Where the answer says other than its tool declares, in Sightline's sentences."""
    has_ids: bool = False
    """Whether it is of a recording, which has an id in place of each withheld value."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Of such a recording: what it does not hold of the result, by pointer and rule."""

    @property
    def tool(self) -> "Tool | None":
        """The tool as it was listed then; None where the server lists no tool of that name."""
        return self.judgement.tool

    @property
    def kind(self) -> Kind:
        """What was called: a tool, or a resource, template or prompt that was read."""
        return self.tool.kind if self.tool else Kind.TOOL

    @property
    def title(self) -> str:
        """What was asked for: the name of a tool or prompt, the URI of a resource."""
        return title_of(self.tool, self.arguments) if self.tool else self.name

    @property
    def outcome(self) -> "Outcome":
        return self.judgement.outcome

    @property
    def nonce(self) -> str:
        """Random and never sent: delimits untrusted text in this result."""
        return self.judgement.nonce


class Progress(Struct, frozen=True, kw_only=True):
    """How far a running call says it is."""

    progress: float
    total: float | None
    message: str | None
    task: str = ""
    """The status of the task that the server made of the call; empty where it made none. Foreign text."""
    next_s: float = 0.0
    """When the task is asked about again, by `time.monotonic`."""


FILLED = Progress(progress=0, total=None, message="filled in, waits for submit")
"""Of a call that has filled in a form of a page: the user is waited for."""


LEAST_S = 3_600.0
"""How long a task of a call is waited for at least."""
VISITING = Progress(progress=0, total=None, message="waits for the server to say that the visit is complete")
"""Of a call that the server answers only after a URL was visited."""
AGAIN = Progress(progress=0, total=None, message=None)
"""Of the same call, sent once more."""


def progress_of(params: JsonObject) -> Progress:
    """What a notification of progress says; what it says badly counts as nothing."""
    done, total, message = params.get("progress"), params.get("total"), params.get("message")
    return Progress(
        progress=float(done) if isinstance(done, (int, float)) else 0.0,
        total=float(total) if isinstance(total, (int, float)) and total > 0 else None,
        message=message if isinstance(message, str) else None,
    )


def page_call_of(record: CallRecord) -> "PageCall":
    """A call of a page's tool, as a recorder takes it."""
    from inspector.recording.scribe import PageCall  # noqa: PLC0415 - few sessions are recorded

    return PageCall(
        number=record.number,
        name=record.name,
        tool=record.tool,
        arguments=record.arguments,
        outcome=record.outcome,
        at_s=record.at_s,
        duration_s=record.duration_s,
    )


def record_page_call(record: CallRecord, recorder: "Recorder") -> None:
    """Have a call of a page's tool recorded: the browser's frames say nothing of it."""
    recorder.call(page_call_of(record))
