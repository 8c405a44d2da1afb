"""Decides on the calls of one agent session, which may use several servers.

Also tracks which untrusted data has come into the session, and says so in requests.
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from inspector.claims.resolution import Resolution, ResolutionState, is_resolvable, resolution_of
from inspector.errors import BlockedError, InspectorError, NotConfirmedError
from inspector.json.exact import JsonObject, dump, equal
from inspector.pins.pins import ConfirmReason
from inspector.policy.audit import AuditedCall, AuditedSecret
from inspector.policy.built_in import DEFAULT_POLICY
from inspector.policy.facts import Situation
from inspector.policy.gate.agreement import Agreement
from inspector.policy.gate.consideration import (
    Consideration,
    brought_line,
    considered,
    decision_line,
    decision_title,
    refusal,
)
from inspector.policy.gate.ruling import Ruled, in_force, ruled
from inspector.policy.rules import Policy, Verdict
from inspector.policy.taint import (
    LabelKind,
    LabelOrigin,
    SessionTrust,
    SourceDetail,
    TrustLabel,
    request_annotations,
)
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome
from inspector.protocol.targets import PageTarget, Target
from inspector.session.call_record import CallRecord, Progress
from inspector.session.live import Session
from inspector.session.requests import handle_of

if TYPE_CHECKING:
    from inspector.policy.files.audit import Audit


TIMEOUT_S = 5.0
"""The maximum number of seconds to wait for a resolution. Without one, the listed declarations apply."""
_KEPT = 64
"""The maximum number of resolutions kept per connection."""
_SMALL_BYTES = 16 * 1024
"""The size in bytes up to which an answer is judged without a thread. Larger answers are judged in a thread.

A size of 0 is an unknown size. Such an answer is judged in a thread too.
"""


class Resolver:
    """Asks servers which declarations hold for a call (`tools/resolve`), and caches the answers.

    An answer is cached until the connection ends.
    """

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[Session, OrderedDict[bytes, Resolution]] = WeakKeyDictionary()

    async def resolution(self, session: Session, tool: Tool, arguments: JsonObject) -> Resolution | None:
        """The server's answer to `tools/resolve` for a call.

        None for a page, or if the tool does not declare that it can be resolved.

        Raises UnreachableError if there is no connection.
        """
        if isinstance(session.target, PageTarget):
            return None
        if not is_resolvable(tool):
            return None
        key = await asyncio.to_thread(_key, tool, arguments)
        kept = self._kept.setdefault(session, OrderedDict())
        if key not in kept:
            timeout_s = min(TIMEOUT_S, session.options.timeout_s)
            outcome = await session.resolve(tool, arguments, timeout_s=timeout_s)
            resolution = await asyncio.to_thread(resolution_of, tool, outcome)
            if resolution.remarks:
                session.note(f"resolution of {tool.name}", " ".join(resolution.remarks), kind="resolution")
            if resolution.state is ResolutionState.UNANSWERED:
                # Not cached, because the next request may be answered.
                return resolution
            kept[key] = resolution
            if len(kept) > _KEPT:
                kept.popitem(last=False)
        kept.move_to_end(key)
        return kept[key]


def _key(tool: Tool, arguments: JsonObject) -> bytes:
    """A hash that identifies a call by definition and arguments, including the order of keys."""
    return hashlib.sha256(dump([tool.definition, arguments])).digest()


class Oversight:
    """Decides on every call of a run, before the call is sent and after it was answered.

    One object is used for all connections of a run.
    """

    def __init__(self, policy: Policy | None = None, *, audit: "Audit | None" = None) -> None:
        """`policy`: None for the built-in policy. `audit`: the caller closes it."""
        self.policy = policy or DEFAULT_POLICY
        self.trust = SessionTrust()
        self.number = 1
        """The number of the agent session, counted from 1."""
        self.propagation: dict[str, SourceDetail] = {}
        """How much each server learns about the sources of other servers, by target.

        A request to a target that is missing here has no annotations.
        """
        self._audit = audit
        self._calls = 0
        self._agreed: list[tuple[Target, str]] = []
        """The changes to definitions that the user has agreed to, each with its target."""
        self._resolver = Resolver()
        self._settling: set[asyncio.Task[Ruled]] = set()

    def renew(self) -> None:
        """Begin a new agent session without untrusted sources.

        The numbers of calls continue, so that they stay unique.
        """
        self.number += 1
        self.trust = SessionTrust()

    def agree(self, target: Target, changes: Iterable[ConfirmReason]) -> None:
        """Stop asking about these changes of a server's definitions."""
        self._agreed += ((target, each.key) for each in changes)

    def hear_app(self, session: Session, method: str) -> int:
        """Mark the session as untrusted, because the interface of a tool (MCP Apps) sent the model a message.

        Returns the number of the message; messages and calls share one sequence of numbers.
        """
        self._calls += 1
        origin = LabelOrigin(call=self._calls, server=str(session.target), tool=method)
        cause = "a message of the interface to the model"
        label = TrustLabel(kind=LabelKind.UNTRUSTED, origin=origin, declaration=cause)
        self.trust = self.trust.join(SessionTrust(labels=frozenset({label})))
        return self._calls

    async def judged(self) -> None:
        """Wait until every answer so far has been added to the session's trust.

        The answers of cancelled calls are included.
        """
        if self._settling:
            await asyncio.wait(self._settling)

    async def consider(
        self, session: Session, name: str, arguments: JsonObject, *, asking: Sequence[ConfirmReason] = ()
    ) -> Consideration:
        """The decision about a call.

        If the tool can be resolved, the server is asked first which declarations hold for the call.

        `asking`: changes of the definition. Changes that the user agreed to before are ignored. Raises
        UnreachableError if there is no connection.
        """
        await self.judged()
        tool = session.catalogue.tool(name)
        resolution = await self._resolver.resolution(session, tool, arguments) if tool else None
        situation = Situation(
            name=name,
            title=handle_of(tool, name, arguments),
            tool=tool,
            arguments=arguments,
            trust=self.trust,
            server=str(session.target),
            server_name=session.server.name if session.server else "",
            resolution=resolution,
        )
        changed = tuple(each for each in asking if (session.target, each.key) not in self._agreed)
        return await asyncio.to_thread(considered, self.policy, session.target, situation, changed)

    async def call(
        self,
        session: Session,
        considering: Consideration,
        *,
        agreement: Agreement = Agreement.NONE,
        on_progress: Callable[[Progress], None] | None = None,
        timeout_s: float | None = None,
        meta: JsonObject | None = None,
    ) -> Ruled:
        """Make a call, if `considering` and the user allow it, and decide what the model gets of its answer.

        `agreement`: whether the user agreed; a blocked call is not made in any case. `meta`: members of
        `_meta`. Raises BlockedError or NotConfirmedError if the call may not be made; then nothing was sent.
        Raises InspectorError if the audit log cannot be written beforehand, or if there is no connection.
        """
        current, number = await self._begun(session, considering, agreement)
        record = await session.call(
            current.name,
            current.arguments,
            on_progress=on_progress,
            timeout_s=timeout_s,
            annotations=self._annotations_for(current.server),
            meta=meta,
            number=number,
        )
        # If the caller is cancelled now, the answer must still be added to the session.
        settling = asyncio.ensure_future(self._settled(session, current, record, agreement))
        self._settling.add(settling)
        settling.add_done_callback(self._settling.discard)
        return await asyncio.shield(settling)

    async def send(
        self,
        session: Session,
        considering: Consideration,
        method: str,
        params: JsonObject,
        agreement: Agreement,
    ) -> Outcome:
        """Send a request unchanged, if `considering` and the user allow it.

        The answer is logged, but the policy does not decide on it. Raises as `call` does.
        """
        current, number = await self._begun(session, considering, agreement)
        begun = asyncio.get_running_loop().time()
        outcome = await session.request(method, params)
        if self._audit:
            call = _audited(current, self.number, number)
            taken = asyncio.get_running_loop().time() - begun
            await asyncio.to_thread(self._audit.answered, call, outcome, taken)
        return outcome

    async def _begun(
        self, session: Session, considering: Consideration, agreement: Agreement
    ) -> tuple[Consideration, int]:
        """The logged decision on a call that may be made now, and the number of the call."""
        current = await self._permitted(session, considering, agreement)
        self._calls += 1
        number = self._calls
        asked = current.verdict is Verdict.CONFIRM
        await self._deciding(current, number, agreement if asked else Agreement.NOT_ASKED)
        if self._audit:
            # While the log was written, the definition or the trust may have changed.
            current = await self._permitted(session, current, agreement)
        self._note_decision(session, current, agreement if asked else Agreement.NOT_ASKED)
        self.agree(session.target, current.asking)
        return current, number

    async def decline(self, session: Session, considering: Consideration, why: str = "") -> None:
        """Note in the timeline and the audit log that a call is not made. Sends nothing.

        `why`: the reason, if neither the policy nor the user declined it.
        Raises InspectorError if the audit log cannot be written.
        """
        self._note_decision(session, considering, Agreement.NONE)
        await self._deciding(considering, 0, Agreement.NONE)
        if self._audit:
            by = "policy" if considering.verdict is Verdict.BLOCK else "sightline" if why else "user"
            reason = why if by == "sightline" else ""
            await asyncio.to_thread(self._audit.declined, _audited(considering, self.number, 0), by, reason)

    async def release(self, session: Session, made: Ruled) -> Ruled:
        """Release an answer to the model that a rule has held back, because the user agrees.

        Raises InspectorError if the audit log cannot be written.
        """
        await self._released(made)
        agreed = in_force(replace(made, is_agreed=True))
        session.amend(agreed.record)
        session.note(f"answer of {made.consideration.title}", "; ".join(agreed.effects), kind="policy")
        return agreed

    async def _permitted(
        self, session: Session, considering: Consideration, agreement: Agreement
    ) -> Consideration:
        """The decision `considering`, made again if the session's trust has changed since.

        Raises BlockedError or NotConfirmedError.
        """
        await self.judged()
        if not _is_same(session.catalogue.tool(considering.name), considering.listed):
            await self.decline(session, considering, "the definition has changed")
            raise NotConfirmedError(
                "not called: the definition of the tool has changed since the policy decided",
                "Call it again.",
            )
        current = considering
        if self.trust != considering.trust:
            # Another call has ended since the decision.
            situation = replace(considering.situation, trust=self.trust)
            current = await asyncio.to_thread(
                considered, self.policy, considering.target, situation, considering.asking
            )
        match current.verdict:
            case Verdict.BLOCK:
                await self.decline(session, current)
                raise BlockedError(*refusal(current))
            case Verdict.CONFIRM if not agreement.is_given:
                await self.decline(session, current, "the question could not be asked")
                raise NotConfirmedError(*refusal(current))
            case Verdict.CONFIRM if agreement is Agreement.USER and not current.causes <= considering.causes:
                await self.decline(session, current, "more trust labels since the user agreed")
                raise NotConfirmedError(
                    "not called: the session received more trust labels since you were asked",
                    "Call it again; Sightline asks again.",
                )
            case _:
                return current

    async def _settled(
        self, session: Session, current: Consideration, record: CallRecord, agreement: Agreement
    ) -> Ruled:
        rule = partial(ruled, self.policy, current, record, is_agreed=agreement is Agreement.YES)
        made = rule() if 0 < record.size_bytes <= _SMALL_BYTES else await asyncio.to_thread(rule)
        self.trust = self.trust.join(made.brought)
        problem = await _problem_of(self._answered(made))
        if problem:
            # An answer that cannot be logged counts as not agreed to.
            made = in_force(replace(made, remarks=(*made.remarks, problem), is_agreed=False))
        session.amend(made.record)
        if made.effects:
            session.note(f"answer of {current.title}", "; ".join(made.effects), kind="policy")
        if made.brought.labels:
            session.note(f"trust #{record.number} {current.title}", brought_line(made.brought), kind="trust")
        return made

    def _note_decision(self, session: Session, current: Consideration, agreement: Agreement) -> None:
        session.note(
            decision_title(current),
            decision_line(current, agreement),
            kind="policy",
        )

    async def _deciding(self, current: Consideration, number: int, agreement: Agreement) -> None:
        if self._audit:
            call = _audited(current, self.number, number)
            agreed = _AGREED_BY.get(agreement, "")
            await asyncio.to_thread(
                self._audit.deciding, call, current.verdict.value, current.effects, agreed
            )

    async def _answered(self, made: Ruled) -> None:
        if self._audit:
            call = _audited(made.consideration, self.number, made.record.number)
            record = made.record
            ended_at_s = record.sent_at_s + record.duration_s if record.sent_at_s else 0.0
            await asyncio.to_thread(self._audit.answered, call, record.outcome, record.duration_s, ended_at_s)
        if made.is_agreed and made.handling.decision.verdict is Verdict.CONFIRM:
            await self._released(made)

    async def _released(self, made: Ruled) -> None:
        if self._audit:
            call = _audited(made.consideration, self.number, made.record.number)
            rules = [match.rule.name for match in made.handling.decision.matches]
            await asyncio.to_thread(self._audit.released, call, rules)

    async def secret_requested(
        self, session: Session, number: int, name: str, label: str, origin: str
    ) -> AuditedSecret:
        """Log that the secret of a reference will be fetched, because the user agreed.

        `number`, `name`: those of the call that returned the reference. `label`: the label of the reference.
        Raises InspectorError if the audit log cannot be written. Then the request must not be sent.
        """
        call = AuditedCall(
            target=session.target,
            session=self.number,
            number=number,
            name=name,
            tool=session.catalogue.tool(name),
            arguments={},
        )
        secret = AuditedSecret(call=call, label=label, origin=origin)
        if self._audit:
            await asyncio.to_thread(self._audit.secret_requested, secret)
        return secret

    async def secret_answered(self, secret: AuditedSecret, outcome: str, reason: str, fetched: str) -> None:
        """Log how fetching a secret ended, and withhold `fetched` from all later lines of the audit log.

        Raises InspectorError if the audit log cannot be written.
        """
        if self._audit:
            if fetched:
                await asyncio.to_thread(self._audit.conceal, [fetched])
            await asyncio.to_thread(self._audit.secret_answered, secret, outcome, reason)

    def _annotations_for(self, server: str) -> JsonObject | None:
        detail = self.propagation.get(server)
        return request_annotations(self.trust, server, detail=detail) if detail is not None else None


_AGREED_BY = {Agreement.USER: "user", Agreement.YES: "--yes"}
"""How the user agreed to a call, in the words of the audit log."""


async def _problem_of(work: Coroutine[None, None, None]) -> str:
    try:
        await work
    except InspectorError as error:
        return error.message
    return ""


def _audited(current: Consideration, session: int, number: int) -> AuditedCall:
    return AuditedCall(
        target=current.target,
        session=session,
        number=number,
        name=current.name,
        tool=current.tool,
        arguments=current.arguments,
    )


def _is_same(now: Tool | None, before: Tool | None) -> bool:
    if now is None or before is None:
        return now is before
    return now is before or equal(now.definition, before.definition)
