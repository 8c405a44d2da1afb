"""The contents of audit log entries. An entry has the arguments of a call unless the tool only reads.

Source: the policy-hints proposal, Use cases ("audit logging at different levels based on effect type").
"""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.options import DEFAULT_POLICY
from inspector.claims.traits import traits_of_tool
from inspector.json.exact import Json, JsonObject
from inspector.pins.identity import Identity
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, Outcome, Result, RpcError, unfinished
from inspector.protocol.targets import Target
from inspector.recording.bounding import UNJUDGED, Bounder
from inspector.recording.markers import MarkerKey
from inspector.recording.target import named, secret_values

READ = "read"
DELETE = "delete"


class Event(StrEnum):
    """The kind of event that an entry records."""

    DECIDED = "decided"
    """A decision about a call, logged before the call is sent, or if it is not sent."""
    ANSWERED = "answered"
    DECLINED = "declined"
    RELEASED = "released"
    """The user agreed that a model sees an answer that rules held back."""
    SECRET_REQUESTED = "secret requested"  # noqa: S105 - no password
    """The user agreed to fetch the secret of a reference; logged before the request is sent."""
    SECRET_ANSWERED = "secret answered"  # noqa: S105 - as above


class AuditedCall(Struct, frozen=True, kw_only=True):
    """A call that was made or is about to be made."""

    target: Target
    session: int
    """The number of the agent session, counted from 1."""
    number: int
    """The number of the call within the run; 0 if it is not made."""
    name: str
    """The name in the call. Untrusted text."""
    tool: Tool | None
    """The tool with the annotations that hold for this call; None if the server lists no tool of that name."""
    arguments: JsonObject


class AuditedSecret(Struct, frozen=True, kw_only=True):
    """A secret reference whose secret is fetched for the user."""

    call: AuditedCall
    """The call that returned the reference."""
    label: str
    """The label of the reference. Untrusted text."""
    origin: str
    """Scheme, host and port of the request; empty if it is not known."""


class AuditEntry(Struct, frozen=True, kw_only=True):
    """One line of the audit log."""

    is_detailed: bool
    """False for a call of a tool that claims only to read; true for other calls and for secrets."""
    content: JsonObject
    """The members of the line, without the time. Contains no withheld value."""


class Auditor:
    """Makes the entries of one run.

    A value that was withheld from one entry is withheld from all later entries. Use it in one thread at a
    time.
    """

    def __init__(self, key: bytes, identify: Callable[[Target], Identity | None]) -> None:
        """`key`: 32 random bytes that are stored nowhere else.

        With the key, equal values get equal ids that do not reveal them. `identify`: returns the identity
        under which the pin of a target is stored.
        """
        self._identify = identify
        self._key = MarkerKey(key)
        self._bounder = Bounder(self._key, DEFAULT_POLICY, ())
        self._targets: list[Target] = []

    def conceal(self, values: Iterable[str]) -> None:
        """Withhold these values from all later entries."""
        self._bounder.known.learn(list(values))

    def decided(
        self, call: AuditedCall, verdict: str, rules: tuple[str, ...], agreed: str = ""
    ) -> AuditEntry:
        """The entry for a decision about a call. `rules`: names of rules, or sentences by Sightline.

        `agreed`: how the user agreed to the call; empty if the user was not asked or did not agree.
        """
        self._meet(call.target)
        details: JsonObject = {"verdict": verdict}
        if agreed:
            details["agreed"] = agreed
        is_read = _effect(call.tool) == READ
        if rules or not is_read:
            details["rules"] = [self._text(rule) for rule in rules]
        if not is_read:
            details["arguments"] = self._arguments(call)
        return self._entry(call, Event.DECIDED, details)

    def answered(self, call: AuditedCall, outcome: Outcome, duration_s: float) -> AuditEntry:
        """The entry for the end of a call, without its result. Linear in the size of the result."""
        self._meet(call.target)
        if not isinstance(outcome, Failure):
            self._bounder.page_call(call.tool, {}, outcome)
        return self._entry(
            call, Event.ANSWERED, {"outcome": _ended(outcome), "durationMs": round(duration_s * 1000, 3)}
        )

    def declined(self, call: AuditedCall, by: str, reason: str = "") -> AuditEntry:
        """The entry for a call that is not made.

        `by`: who declined it: `policy`, `user` or `sightline`. `reason`: why Sightline did; empty for others.
        """
        self._meet(call.target)
        return self._entry(call, Event.DECLINED, {"by": by, **({"reason": reason} if reason else {})})

    def released(self, call: AuditedCall, rules: tuple[str, ...]) -> AuditEntry:
        """The entry for an answer that rules held back and that the user released to the model.

        `rules`: names of rules, or sentences by Sightline.
        """
        self._meet(call.target)
        return self._entry(call, Event.RELEASED, {"rules": [self._text(rule) for rule in rules]})

    def secret_requested(self, secret: AuditedSecret) -> AuditEntry:
        """The entry before a secret is fetched, because the user agreed.

        It lacks the label of the reference. The label could repeat the secret, which is not known yet.
        """
        return self._of_secret(secret, Event.SECRET_REQUESTED, {"agreed": "user"})

    def secret_answered(self, secret: AuditedSecret, outcome: str, reason: str) -> AuditEntry:
        """The entry for the end of fetching a secret. `outcome`, `reason`: texts by Sightline."""
        details: JsonObject = {"reference": self._text(secret.label), "outcome": outcome}
        if reason:
            details["reason"] = reason
        return self._of_secret(secret, Event.SECRET_ANSWERED, details)

    def _of_secret(self, secret: AuditedSecret, event: Event, details: JsonObject) -> AuditEntry:
        self._meet(secret.call.target)
        entry = self._entry(secret.call, event, {"origin": secret.origin, **details})
        return replace(entry, is_detailed=True)

    def _meet(self, target: Target) -> None:
        if target not in self._targets:
            self._targets.append(target)
            self._bounder.known.learn(list(secret_values(target)))

    def _arguments(self, call: AuditedCall) -> Json:
        # No schema says which arguments of an unlisted tool are secret.
        if call.tool is None:
            return self._key.marker(UNJUDGED, call.arguments)
        # With an empty answer, only values of the arguments are remembered as withheld.
        _, arguments, _ = self._bounder.page_call(call.tool, call.arguments, RpcError(value=None))
        return arguments

    def _entry(self, call: AuditedCall, event: Event, details: JsonObject) -> AuditEntry:
        identity = self._identify(call.target)
        effect = _effect(call.tool)
        content: JsonObject = {
            "event": event.value,
            "session": call.session,
            "call": call.number,
            "server": named(call.target)[1],
            "serverKey": identity.key[:16] if identity else None,
            "tool": self._text(call.name) if call.tool is None else call.name,
            "effect": effect,
        }
        return AuditEntry(is_detailed=effect != READ, content=content | details)

    def _text(self, text: str) -> Json:
        return self._bounder.known.covered_text(text, self._key)


def _effect(tool: Tool | None) -> str:
    """The strongest effect that the tool claims. A tool that claims to be destructive may delete."""
    if tool is None:
        return "unknown"
    known = traits_of_tool(tool)
    claims_destructive = known.destructive.value is True and not known.destructive.defaulted
    return DELETE if claims_destructive else str(known.effect.value)


def _ended(outcome: Outcome) -> str:
    match outcome:
        case Result(value=dict() as value) if value.get("isError") is True:
            return "tool error"
        case RpcError(of_page=True):
            return "tool error"
        case Result():
            return "unfinished" if unfinished(outcome) else "result"
        case RpcError():
            return "protocol error"
        case Failure():
            return "no answer"
        case _:
            assert_never(outcome)
