"""What the boundary gives: the part of a result that may reach a model, and why the rest may not."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from inspector.boundary.level import Level
from inspector.claims.claim import Claim
from inspector.json.exact import Json


class Rule(StrEnum):
    """Why something is withheld. Source: docs/boundaries.md."""

    X_SENSITIVE = "x-sensitive"
    SENSITIVE_HINT = "sensitive-hint"
    SECRET_REFERENCE = "secret-reference"  # noqa: S105 - the name of a rule
    AUDIENCE = "audience"
    LABELLED = "labelled"
    MIRROR = "mirror"
    ECHO = "echo"
    INVALID_OUTPUT = "invalid-output"
    UNKNOWN_CONTENT = "unknown-content"
    META = "meta"
    UNTRUSTED = "untrusted"
    DETECT = "detect"
    UNDECLARED = "undeclared"
    NO_CONTRACT = "no-contract"
    ERROR = "error"
    POLICY = "policy"
    """What a rule of the user's says of this answer."""
    UNFINISHED = "unfinished"
    """An answer that does not end the call."""
    INTERNAL = "internal"
    """What could not be judged."""


class ErrorCode(StrEnum):
    """All that a model learns of an error at `closed`."""

    INVALID_ARGUMENTS = "invalid_arguments"
    UNKNOWN_TOOL = "unknown_tool"
    AUTH_FAILED = "auth_failed"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    RATE_LIMITED = "rate_limited"
    NETWORK_TIMEOUT = "network_timeout"
    CONNECTION_LOST = "connection_lost"
    PROTOCOL_ERROR = "protocol_error"
    UPSTREAM_UNAVAILABLE = "upstream_unavailable"
    CANCELLED = "cancelled"
    BLOCKED_BY_POLICY = "blocked_by_policy"
    TOOL_ERROR = "tool_error"
    INTERNAL_ERROR = "internal_error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """Something of the raw result that does not reach the model, or not as it was."""

    pointer: str
    """Into the raw result; resolves there."""
    rule: str
    """One of `Rule`."""
    detail: str
    """Why, in one sentence for the user. Quotes no withheld value."""
    claim: Claim | None = None
    """The declaration behind it; None where the rule needs none."""
    schema_pointer: str | None = None
    """The position in the output schema behind it."""
    name: str | None = None
    """What the model may be told that is missing: the nearest property that the output schema names."""

    @property
    def vocabulary(self) -> str | None:
        """The vocabulary of the declaration behind it."""
        return self.claim.vocabulary if self.claim else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounded:
    """The bounded result. `result` is a valid tool result in every level but `open`, where it is the raw one."""

    level: Level
    result: Json
    """The tools/call result a gateway could forward; for an error, `{"error": {...}}` as JSON-RPC has it."""
    removals: Sequence[Removal] = ()
    """Made as they are asked for: a result may have hundreds of thousands."""
    error: ErrorCode | None = None
    """Set where the call failed, in every level; the model sees it at `closed` only."""
    repetitions: int = 0
    """Content blocks that repeat the structured content, and so say nothing more than that."""
    unfinished: str = ""
    """Why the answer does not end the call, in a sentence that quotes nothing of it; empty where it does. No host gets any of it then."""
    findings: tuple[str, ...] = field(default=())
    """Sentences for the user about what could not be judged."""
