"""One call of a tool as the history stores it: without secrets, and with the names of arguments left out."""

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.bounded import Level
from inspector.boundary.counted import counted
from inspector.boundary.error_code import error_code
from inspector.boundary.options import DEFAULT_POLICY
from inspector.boundary.reading import raw_of
from inspector.credentials.find import sightings
from inspector.json.exact import JsonObject, JsonText, dump_text, equal, parse
from inspector.protocol.outcome import Failure, FailureKind, Outcome, unfinished
from inspector.recording.bounding import Bounder
from inspector.recording.markers import MarkerKey
from inspector.saved.secret_arguments import may_be_secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from inspector.protocol.catalogue import Tool
    from inspector.session.call_record import CallRecord

MAX_CHARACTERS = 32_000
"""The maximum number of characters of all arguments of a call, as JSON; the longest ones are left out."""


class Ended(StrEnum):
    """The ways in which a call ends. The values are safe to show."""

    OK = "ok"
    ERROR = "error"
    NO_ANSWER = "no answer"
    UNFINISHED = "unfinished"
    CANCELLED = "cancelled"


class Why(StrEnum):
    """The reasons why the history does not store an argument. The values are safe to show."""

    SECRET = "secret"  # noqa: S105 - a word
    LONG = "too long"


class LeftOut(Struct, frozen=True, kw_only=True):
    """An argument whose value the history does not store, with the reason."""

    name: str
    """The name of the argument; empty if the name itself may be secret."""
    why: Why


class PastCall(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call that has ended. It contains no text that a server returned."""

    at: str
    """The time at which the call began: RFC 3339 in UTC, with milliseconds."""
    tool: str
    arguments: str = "{}"
    """The stored arguments, as JSON."""
    left_out: tuple[LeftOut, ...] = ()
    ended: Ended
    error: str = ""
    """The code of the error with which the call ended; empty if there is none."""
    fits: bool | None = None
    """True if the result fits the output schema; None if the result was not checked, or only in part."""
    withheld: int = 0
    """The number of values withheld at the boundary level `declared`; 0 for a call without an answer.

    Protocol metadata is not counted.
    """
    duration_s: float = 0.0
    size_bytes: int = 0
    """The size of the frame with the answer."""

    @property
    def kept(self) -> JsonObject:
        """The stored arguments. Never raises: a file may contain anything."""
        parsed = parse(self.arguments)
        value = parsed.value if isinstance(parsed, JsonText) else None
        return value if isinstance(value, dict) else {}

    @property
    def lacks(self) -> str:
        """The arguments that are not stored, such as `token (secret)`; empty if all are. Untrusted text."""
        return ", ".join(f"{each.name or 'an argument'} ({each.why})" for each in self.left_out)


class Keeper:
    """Makes the history's records of the calls of one run. Not safe for use in several threads.

    Arguments that repeat a value withheld from an earlier call are left out of the records.
    """

    def __init__(self, key: bytes, secrets: "Iterable[str]") -> None:
        """`key`: random bytes with which values are hashed; they are never stored.

        `secrets`: the credentials for the target.
        """
        self._key = MarkerKey(key)
        self._bounder = Bounder(self._key, DEFAULT_POLICY, secrets)

    def answered(self, record: "CallRecord", at: str) -> PastCall:
        """The history's record of a call that was answered or that failed.

        Linear in the size of the result. Never raises, whatever the result contains.
        """
        judgement, outcome = record.judgement, record.outcome
        if not isinstance(outcome, Failure):
            self._bounder.judged(record.tool, raw_of(outcome), judgement.secrets(record.policy))
        compared = judgement.output(Level.DECLARED, record.policy)
        bounded = judgement.bounded(Level.DECLARED, record.policy)
        return self._made(
            record.tool,
            record.arguments,
            PastCall(
                at=at,
                tool=record.name,
                ended=_ended(outcome),
                error=error_code(outcome, is_listed=record.tool is not None) or "",
                fits=False if compared.violations else (compared.is_asked and not compared.unchecked) or None,
                withheld=0 if isinstance(outcome, Failure) else counted(bounded.removals).total,
                duration_s=round(record.duration_s, 4),
                size_bytes=record.size_bytes,
            ),
        )

    def cancelled(
        self, name: str, tool: "Tool | None", arguments: JsonObject, at: str, duration_s: float
    ) -> PastCall:
        """The history's record of a call that was sent, and cancelled before its answer."""
        past = PastCall(at=at, tool=name, ended=Ended.CANCELLED, duration_s=duration_s)
        return self._made(tool, arguments, past)

    def conceal(self, values: "Iterable[str]") -> None:
        """Leave arguments that repeat one of these values out of all later records."""
        self._bounder.known.learn(list(values))

    def _made(self, tool: "Tool | None", arguments: JsonObject, past: PastCall) -> PastCall:
        secret = self._secret(tool, arguments)
        texts = {name: dump_text(value) for name, value in arguments.items() if name not in secret}
        long = _too_long(texts)
        kept: JsonObject = {name: arguments[name] for name in texts if name not in long}
        left_out = [
            LeftOut(name="" if sightings(name) else name, why=Why.SECRET if name in secret else Why.LONG)
            for name in arguments
            if name not in kept
        ]
        return replace(past, arguments=dump_text(kept), left_out=tuple(left_out))

    def _secret(self, tool: "Tool | None", arguments: JsonObject) -> frozenset[str]:
        # Without a listed tool, no schema says which arguments are secret.
        if tool is None:
            return frozenset(arguments)
        secret = may_be_secret(arguments, tool.input_schema)
        known = self._bounder.known
        known.learn([arguments[name] for name in secret])
        found = known.covered(arguments, self._key, weak=True)
        if not isinstance(found, dict):
            return frozenset(arguments)
        repeating = (
            name for name, value in arguments.items() if name not in found or not equal(found[name], value)
        )
        return secret.union(repeating)


def _ended(outcome: Outcome) -> Ended:
    if isinstance(outcome, Failure):
        return Ended.CANCELLED if outcome.kind is FailureKind.CANCELLED else Ended.NO_ANSWER
    if unfinished(outcome):
        return Ended.UNFINISHED
    return Ended.ERROR if error_code(outcome, is_listed=True) else Ended.OK


def _too_long(texts: "Mapping[str, str]") -> set[str]:
    """The names of the longest arguments, without which the others have at most `MAX_CHARACTERS`."""
    long = set[str]()
    length = sum(len(name) + len(text) for name, text in texts.items())
    for name in sorted(texts, key=lambda each: -len(texts[each])):
        if length <= MAX_CHARACTERS:
            break
        length -= len(name) + len(texts[name])
        long.add(name)
    return long
