"""What an audit log says of calls: of a tool that only reads its name and the time, of any other its arguments too.

Source: the policy-hints proposal, Use cases ("audit logging at different levels based on effect type").
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import assert_never

from msgspec import Struct

from inspector.boundary.options import DEFAULT_POLICY
from inspector.claims.traits import traits_of_tool
from inspector.json.exact import Json, JsonObject
from inspector.pins.identity import identity_of
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, Outcome, Result, RpcError, unfinished
from inspector.protocol.targets import Target
from inspector.recording.bounding import UNJUDGED, Bounder
from inspector.recording.markers import MarkerKey
from inspector.recording.target import named, secret_values

READ = "read"


class Event(StrEnum):
    """What an entry tells."""

    DECIDED = "decided"
    """Before a call leaves, or in its place."""
    ANSWERED = "answered"
    DECLINED = "declined"
    RELEASED = "released"
    """The user agreed that a model sees an answer which rules ask about."""


class AuditedCall(Struct, frozen=True, kw_only=True):
    """A call that is to be made, or was."""

    target: Target
    session: int
    """Counts agent sessions from 1."""
    number: int
    """Of the call within the run; 0 where it is not made."""
    name: str
    """Foreign text."""
    tool: Tool | None
    """As it holds for this call; None where the server lists no tool of that name."""
    arguments: JsonObject


class AuditEntry(Struct, frozen=True, kw_only=True):
    """One line of the log."""

    effect: str
    """What the tool claims: `read`, `write`, `external`, `delete`, or `unknown`."""
    content: JsonObject
    """Without the time. Holds no withheld value."""

    @property
    def is_detailed(self) -> bool:
        return self.effect != READ


class Auditor:
    """Makes the entries of one run. What it withholds once, it withholds everywhere. Not to be shared by threads."""

    def __init__(self, key: bytes) -> None:
        """`key`: 32 random bytes that are kept nowhere else: equal values get equal ids, and no value can be recovered."""
        self._key = MarkerKey(key)
        self._bounder = Bounder(self._key, DEFAULT_POLICY, ())
        self._targets: list[Target] = []

    def conceal(self, values: Iterable[str]) -> None:
        """Withhold these from now on."""
        self._bounder.known.learn(list(values))

    def decided(self, call: AuditedCall, verdict: str, rules: tuple[str, ...]) -> AuditEntry:
        """The entry for a decision about a call. `rules`: names of rules, or Sightline's sentences."""
        self._meet(call.target)
        details: JsonObject = {"verdict": verdict}
        if _effect(call.tool) != READ:
            details["rules"] = [self._text(rule) for rule in rules]
            details["arguments"] = self._arguments(call)
        return self._entry(call, Event.DECIDED, details)

    def answered(self, call: AuditedCall, outcome: Outcome, duration_s: float) -> AuditEntry:
        """The entry for how a call ended, without what it returned. Linear in the size of the result."""
        self._meet(call.target)
        if not isinstance(outcome, Failure):
            self._bounder.page_call(call.tool, {}, outcome)
        return self._entry(
            call, Event.ANSWERED, {"outcome": _ended(outcome), "durationMs": round(duration_s * 1000, 3)}
        )

    def declined(self, call: AuditedCall, by: str) -> AuditEntry:
        """The entry for a call that is not made. `by`: `policy` or `user`."""
        self._meet(call.target)
        return self._entry(call, Event.DECLINED, {"by": by})

    def released(self, call: AuditedCall, rules: tuple[str, ...]) -> AuditEntry:
        """The entry for an answer that rules held and the user released. `rules`: names of rules, or Sightline's sentences."""
        self._meet(call.target)
        return self._entry(call, Event.RELEASED, {"rules": [self._text(rule) for rule in rules]})

    def _meet(self, target: Target) -> None:
        if target not in self._targets:
            self._targets.append(target)
            self._bounder.known.learn(list(secret_values(target)))

    def _arguments(self, call: AuditedCall) -> Json:
        # Nothing says which arguments of a tool that is not listed are secret.
        if call.tool is None:
            return self._key.marker(UNJUDGED, call.arguments)
        # An answer that says nothing: what is learnt here is the arguments.
        _, arguments, _ = self._bounder.page_call(call.tool, call.arguments, RpcError(value=None))
        return arguments

    def _entry(self, call: AuditedCall, event: Event, details: JsonObject) -> AuditEntry:
        identity = identity_of(call.target)
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
        return AuditEntry(effect=effect, content=content | details)

    def _text(self, text: str) -> Json:
        return self._bounder.known.covered_text(text, self._key)


def _effect(tool: Tool | None) -> str:
    return str(traits_of_tool(tool).effect.value) if tool else "unknown"


def _ended(outcome: Outcome) -> str:
    match outcome:
        case Result(value=dict() as value) if value.get("isError") is True:
            return "tool error"
        case Result():
            return "unfinished" if unfinished(outcome) else "result"
        case RpcError():
            return "protocol error"
        case Failure():
            return "no answer"
        case _:
            assert_never(outcome)
