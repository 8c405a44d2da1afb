"""The bounded result: the part of a result that may reach a model, and the removals with their reasons."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct, field

from inspector.boundary.options import Level
from inspector.claims.claim import Claim
from inspector.json.exact import Json
from inspector.protocol.catalogue import Kind


class Rule(StrEnum):
    """The names of the boundary rules. Each removal has the name of its rule. Source: docs/boundaries.md."""

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
    """Withholds a result because a policy rule says so, or because the policy could not be applied."""
    UNVERIFIED = "unverified"
    """Withholds a file of a skill if it differs from what the server's entry for the skill says about it."""
    UNFINISHED = "unfinished"
    """Withholds an answer that does not end the call."""
    INTERNAL = "internal"
    """Withholds what the boundary cannot judge, such as an object with a duplicate key."""


class ErrorCode(StrEnum):
    """The code of an error. At level `closed`, a model gets no other part of an error."""

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


class Removal(Struct, frozen=True, kw_only=True):
    """A part of the raw result that the model does not get, or gets in a changed form."""

    pointer: str
    """Pointer into the raw result. It always resolves."""
    rule: str
    """The name of the boundary rule that causes the removal, as in `Rule`."""
    detail: str
    """The reason, in a sentence for the user. Quotes no withheld value."""
    claim: Claim | None = None
    """The declaration that causes the removal; None if the rule needs none."""
    schema_pointer: str | None = None
    """Pointer into the output schema to the object that makes the value sensitive; None if none does."""
    name: str | None = None
    """The key by which the notice may name the value to the model; None if there is none.

    The output schema names this key. It can be the key of a container around the value.
    """

    @property
    def vocabulary(self) -> str | None:
        return self.claim.vocabulary if self.claim else None


MOST_PASSING = 20
"""The maximum number of listed values that pass although they look like credentials.

Further values are only counted.
"""


class PassingCredential(Struct, frozen=True, kw_only=True):
    """A place in a bounded result whose value looks like a credential and reaches the model."""

    pointer: str
    """Pointer into the result that the server sent."""
    detail: str
    """The kind of credential that the value looks like, in a sentence for the user."""

    @property
    def remark(self) -> str:
        return f"{self.detail}, at {self.pointer or 'the root'}"


class Bounded(Struct, frozen=True, kw_only=True):
    """The part of an answer that may reach a model."""

    level: Level
    result: Json
    """The result that a gateway could forward; at level `open`, the raw result.

    For an error, `{"error": {...}}` as in JSON-RPC.
    """
    removals: Sequence[Removal] = ()
    """The removals. Each is created on access, because a result can have hundreds of thousands."""
    error: ErrorCode | None = None
    """The code of a failed call, at every boundary level. The model sees it at level `closed` only."""
    free_blocks: tuple[str, ...] = ()
    """Pointers into the raw result to the content blocks that pass although no schema describes them.

    Empty at level `open`.

    A block that repeats the structured content is not among them, unless the call failed.
    """
    unfinished: str = ""
    """The reason why the answer does not end the call, without quoting the answer; empty if it ends the call.

    If it is set, no host gets any part of the answer.
    """
    is_answered: bool = True
    """False if no answer arrived. Then `result` holds Sightline's own error, which no host passes on."""
    kind: Kind = Kind.TOOL
    """What the answer comes from: a tool, a resource or a prompt."""
    remarks: tuple[str, ...] = field(default=())
    """Remarks on the result, for example that a value could not be judged or looks like a credential."""
    credentials: tuple[PassingCredential, ...] = field(default=())
    """At most `MOST_PASSING` of the values that look like credentials and reach the model.

    `remarks` has a remark on each of them, and one that counts the others.
    """
