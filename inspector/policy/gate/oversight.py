"""One agent session, which may span servers: what its policy decides, what it has taken in, and what servers are told of it."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from inspector.errors import BlockedError, InspectorError, NotConfirmedError, ToolFailedError
from inspector.json.exact import JsonObject, equal
from inspector.pins.pins import ConfirmReason
from inspector.policy.audit import AuditedCall
from inspector.policy.decide import Verdict
from inspector.policy.default import DEFAULT_POLICY
from inspector.policy.gate.agreement import Agreement
from inspector.policy.gate.consideration import Consideration, considered
from inspector.policy.gate.resolving import Resolver
from inspector.policy.gate.ruling import Ruled, in_force, ruled
from inspector.policy.gate.wording import brought_line, decision_line, decision_title, refusal
from inspector.policy.gathering import Situation
from inspector.policy.rules import Policy
from inspector.policy.taint.propagation import Detail, request_annotations
from inspector.policy.taint.state import SessionTrust
from inspector.protocol.catalogue import Tool
from inspector.safe_text import safe_line
from inspector.session.call_record import CallRecord, Progress
from inspector.session.live import Session
from inspector.session.wording import ONLY_AS_TASK

if TYPE_CHECKING:
    from inspector.policy.files.audit import Audit


class Oversight:
    """Decides on every call of a run, before it leaves and when its answer is there. It outlives connections."""

    def __init__(self, policy: Policy | None = None, *, audit: "Audit | None" = None) -> None:
        """`policy`: None for the built-in one. `audit`: closed by whoever opened it."""
        self.policy = policy or DEFAULT_POLICY
        self.trust = SessionTrust()
        self.number = 1
        """Counts agent sessions from 1."""
        self.propagation: dict[str, Detail] = {}
        """What a server is told of the sources of others, by what the user connects to; one that is not in it is told nothing."""
        self._audit = audit
        self._calls = 0
        self._agreed: set[str] = set()
        """Changes of definitions that the user agreed to."""
        self._resolver = Resolver()
        self._settling: set[asyncio.Task[Ruled]] = set()

    def renew(self) -> None:
        """Begin a new agent session: nothing is taken in yet. Calls are counted on, so that each number is one call."""
        self.number += 1
        self.trust = SessionTrust()

    async def judged(self) -> None:
        """Wait for what answers that are there bring into the session: also those that nobody waits for any more."""
        if self._settling:
            await asyncio.wait(self._settling)

    async def consider(
        self, session: Session, name: str, arguments: JsonObject, *, asking: Sequence[ConfirmReason] = ()
    ) -> Consideration:
        """What is decided of a call, after asking the server what it would do where its tool can be asked.

        `asking`: changes of its definition; what was agreed to once is not asked again.
        Raises UnreachableError where there is no connection, and ToolFailedError for a tool that cannot be called from here.
        """
        await self.judged()
        tool = session.catalogue.tool(name)
        if tool is not None and tool.needs_task:
            raise ToolFailedError(
                f"{safe_line(name)} {ONLY_AS_TASK}",
                "Nothing was sent: its definition says `execution.taskSupport` is `required`.",
            )
        resolution = await self._resolver.resolution(session, tool, arguments) if tool else None
        situation = Situation(
            name=name,
            tool=tool,
            arguments=arguments,
            trust=self.trust,
            server=str(session.target),
            server_name=session.server.name if session.server else "",
            resolution=resolution,
        )
        changed = tuple(each for each in asking if each.key not in self._agreed)
        return await asyncio.to_thread(considered, self.policy, session.target, situation, changed)

    async def call(
        self,
        session: Session,
        considering: Consideration,
        *,
        agreement: Agreement = Agreement.NONE,
        on_progress: Callable[[Progress], None] | None = None,
        timeout_s: float | None = None,
    ) -> Ruled:
        """Make a call that may be made, and settle what becomes of its answer.

        `agreement`: whether anybody agreed; it never makes a call that is blocked.
        Raises BlockedError or NotConfirmedError where it may not be made: then nothing was sent. Raises InspectorError
        where it cannot be logged beforehand, or there is no connection.
        """
        current = await self._permitted(session, considering, agreement)
        self._calls += 1
        number = self._calls
        asked = current.verdict is Verdict.CONFIRM
        await self._deciding(current, number)
        self._note_decision(session, current, agreement if asked else Agreement.NOT_ASKED)
        self._agreed.update(each.key for each in current.asking)
        record = await session.call(
            current.name,
            current.arguments,
            on_progress=on_progress,
            timeout_s=timeout_s,
            annotations=self._told_to(current.server),
            number=number,
        )
        # Whoever gives up now has the answer in the session all the same.
        settling = asyncio.ensure_future(self._settled(session, current, record, agreement))
        self._settling.add(settling)
        settling.add_done_callback(self._settling.discard)
        return await asyncio.shield(settling)

    async def decline(self, session: Session, considering: Consideration) -> None:
        """Nobody agrees to a call, or it is blocked: it is noted, and nothing is sent. Raises InspectorError where it cannot be logged."""
        self._note_decision(session, considering, Agreement.NONE)
        await self._deciding(considering, 0)
        if self._audit:
            by = "policy" if considering.verdict is Verdict.BLOCK else "user"
            await asyncio.to_thread(self._audit.declined, _audited(considering, self.number, 0), by)

    async def release(self, session: Session, made: Ruled) -> Ruled:
        """The user agrees that a model sees an answer which rules ask about. Raises InspectorError where it cannot be logged."""
        await self._released(made)
        agreed = in_force(replace(made, is_agreed=True))
        session.amend(agreed.record)
        session.note(f"answer of {made.record.name}", "; ".join(agreed.told), kind="policy")
        return agreed

    async def _permitted(
        self, session: Session, considering: Consideration, agreement: Agreement
    ) -> Consideration:
        """The decision as it is now. Raises BlockedError or NotConfirmedError."""
        await self.judged()
        if not _is_same(session.catalogue.tool(considering.name), considering.listed):
            await self.decline(session, considering)
            raise NotConfirmedError(
                "not called: the definition of the tool has changed since it was decided", "Call it again."
            )
        current = considering
        if self.trust != considering.trust:
            # Another call has ended meanwhile.
            situation = replace(considering.situation, trust=self.trust)
            current = await asyncio.to_thread(
                considered, self.policy, considering.target, situation, considering.asking
            )
        match current.verdict:
            case Verdict.BLOCK:
                await self.decline(session, current)
                raise BlockedError(*refusal(current))
            case Verdict.CONFIRM if not agreement.is_given:
                await self.decline(session, current)
                raise NotConfirmedError(*refusal(current))
            case Verdict.CONFIRM if agreement is Agreement.USER and not current.causes <= considering.causes:
                await self.decline(session, current)
                raise NotConfirmedError(
                    "not called: the session has taken in more since you were asked",
                    "Call it again: you are asked anew.",
                )
            case _:
                return current

    async def _settled(
        self, session: Session, current: Consideration, record: CallRecord, agreement: Agreement
    ) -> Ruled:
        made = await asyncio.to_thread(
            ruled, self.policy, current, record, is_agreed=agreement is Agreement.YES
        )
        self.trust = self.trust.join(made.brought)
        problem = await _problem_of(self._answered(made))
        if problem:
            # What is not logged is not agreed to either.
            made = in_force(replace(made, findings=(*made.findings, problem), is_agreed=False))
        session.amend(made.record)
        if made.told:
            session.note(f"answer of {record.name}", "; ".join(made.told), kind="policy")
        if made.brought.marks:
            session.note(f"trust #{record.number} {record.name}", brought_line(made.brought), kind="trust")
        return made

    def _note_decision(self, session: Session, current: Consideration, agreement: Agreement) -> None:
        session.note(
            decision_title(current),
            decision_line(current, agreement),
            kind="policy",
        )

    async def _deciding(self, current: Consideration, number: int) -> None:
        if self._audit:
            call = _audited(current, self.number, number)
            await asyncio.to_thread(self._audit.deciding, call, current.verdict.value, current.told)

    async def _answered(self, made: Ruled) -> None:
        if self._audit:
            call = _audited(made.consideration, self.number, made.record.number)
            record = made.record
            await asyncio.to_thread(self._audit.answered, call, record.outcome, record.duration_s)
        if made.is_agreed and made.handling.decision.verdict is Verdict.CONFIRM:
            await self._released(made)

    async def _released(self, made: Ruled) -> None:
        if self._audit:
            call = _audited(made.consideration, self.number, made.record.number)
            rules = [match.rule.name for match in made.handling.decision.matches]
            await asyncio.to_thread(self._audit.released, call, rules)

    def _told_to(self, server: str) -> JsonObject | None:
        detail = self.propagation.get(server)
        return request_annotations(self.trust, server, detail=detail) if detail is not None else None


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
