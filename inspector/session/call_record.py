"""Calls: the progress of a running call, and the record of one that has ended."""

from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy
from inspector.json.exact import JsonObject
from inspector.protocol.catalogue import Kind
from inspector.protocol.outcome import Failure
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
    """The number of the call, counted from 1 within a session, or across all sessions of one `Oversight`."""
    name: str
    arguments: JsonObject
    judgement: "Judgement"
    """The answer with the boundary's judgement of it, computed once for all uses of this call."""
    at_s: float
    """The time of the request, in seconds since the session started."""
    duration_s: float
    sent_at_s: float = 0.0
    """The time of the request as seconds since 1970; 0 if it is unknown."""
    waited_s: float = 0.0
    """The part of the duration in which a request by the server waited for its answer; 0 in a recording."""
    size_bytes: int
    """The size of the answer's frame in bytes; 0 if no answer came."""
    received_s: float = 0.0
    """The time at which the answer arrived, on the clock of `Session.custody`."""
    policy: BoundaryPolicy = DEFAULT_POLICY
    """The settings for the boundary at the call, with those added that rules require for its answer."""
    resolution: "Resolution | None" = None
    """The server's resolution of this one call; None if it was not requested."""
    has_asked: bool = False
    """True if the server asked something of the user or of a model during the call."""
    remarks: tuple[str, ...] = ()
    """Differences between the answer and the tool's declarations, in Sightline's sentences."""
    has_ids: bool = False
    """True if the record is from a recording without sealed frames: ids replace the withheld values."""
    left_out: tuple[tuple[str, str], ...] = ()
    """For a recorded call: the parts of the result that the recording does not hold, as pairs of pointer and rule."""

    @property
    def tool(self) -> "Tool | None":
        """The tool as it was listed at the call; None if the server listed no tool of that name."""
        return self.judgement.tool

    @property
    def kind(self) -> Kind:
        return self.tool.kind if self.tool else Kind.TOOL

    @property
    def title(self) -> str:
        """The name of a tool or prompt, or the URI of the resource that was read."""
        return title_of(self.tool, self.arguments) if self.tool else self.name

    @property
    def outcome(self) -> "Outcome":
        return self.judgement.outcome

    @property
    def is_answered(self) -> bool:
        """False if no answer came, so that there is no result."""
        return not isinstance(self.outcome, Failure)

    @property
    def nonce(self) -> str:
        """A random text that is never sent to a server.

        It is part of the markers around untrusted text in this result.
        """
        return self.judgement.nonce


class Progress(Struct, frozen=True, kw_only=True):
    """The progress that a running call reports."""

    progress: float
    total: float | None
    message: str | None
    task: str = ""
    """The status of the task that the server made of the call, untrusted; empty if it made none."""
    next_s: float = 0.0
    """The time of the next request about the task, on the clock of `time.monotonic`."""


FILLED = Progress(progress=0, total=None, message="the form is filled in and waits to be submitted")
"""The progress of a call that has filled in a form of a page and waits for the user to submit it."""


LEAST_S = 3_600.0
"""The default time limit for the task of a call, in seconds.

It is longer if the server keeps the task longer, and shorter if the caller sets a shorter limit.
"""
VISITING = Progress(
    progress=0, total=None, message="waiting for the server to say that the visit is complete"
)
"""The progress of a call that waits for the visit of a URL before the server answers it."""
AGAIN = Progress(progress=0, total=None, message=None)
"""The progress of a call that is sent again after the user has visited the URL that the server asked for."""


def progress_of(params: JsonObject) -> Progress:
    """The progress in the parameters of a notification. Malformed members count as absent."""
    done, total, message = params.get("progress"), params.get("total"), params.get("message")
    return Progress(
        progress=float(done) if isinstance(done, (int, float)) else 0.0,
        total=float(total) if isinstance(total, (int, float)) and total > 0 else None,
        message=message if isinstance(message, str) else None,
    )


def page_call_of(record: CallRecord) -> "PageCall":
    """The call of a page's tool in the form that a recorder needs."""
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
    """Record a call of a page's tool, because the browser's frames do not contain it."""
    recorder.call(page_call_of(record))
