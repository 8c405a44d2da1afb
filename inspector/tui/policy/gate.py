"""The policy check before a tool call. It asks the user if the policy says `confirm`."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.message import Message
from textual.screen import Screen

from inspector.errors import BlockedError, InspectorError, NotConfirmedError
from inspector.json.exact import JsonObject
from inspector.pins.pins import ConfirmReason
from inspector.policy.gate.agreement import Agreement, Terms
from inspector.policy.gate.consideration import Consideration, reasons_in_words
from inspector.policy.gate.oversight import Oversight
from inspector.policy.gate.ruling import Ruled
from inspector.policy.rules import Verdict
from inspector.session.call_record import CallRecord, Progress
from inspector.session.live import Session
from inspector.tui.policy.dialog import DecisionScreen
from inspector.tui.policy.view import (
    DecisionView,
    answer_view,
    attack_view,
    call_view,
    renewal_view,
)
from inspector.tui.runtime.workers import work_of
from inspector.tui.text import shortened
from inspector.tui.trust.view import GravestLabel, gravest_label

_CHUNK = 84
"""The number of characters after which the text of an argument is wrapped."""


@dataclass
class TrustChanged(Message):
    """Posted when the trust of the agent session has changed."""


@dataclass
class RecordAmended(Message):
    """Posted when a model may see more of a call's result than before."""

    record: CallRecord


def _no_findings(_session: Session, _tool: str) -> Content:
    return Content("")


class PolicyGate:
    """Checks calls and results against the policy.

    The agent session (its calls and trust labels) goes on when a connection closes.
    """

    def __init__(
        self,
        screen: Screen[None],
        terms: Terms | None,
    ) -> None:
        self._screen = screen
        self.findings: Callable[[Session, str], Content] = _no_findings
        """Returns the number of findings about a tool in words, which a question before its call shows."""
        self.source = terms.source if terms else ""
        """The file of the policy; empty for the built-in policy. Untrusted text."""
        self.doubts = terms.doubts if terms else ()
        """Sentences about probable mistakes in the policy. Safe to show."""
        self.oversight = Oversight(terms.policy if terms else None, audit=terms.audit if terms else None)
        self.gravest_label: GravestLabel | None = None
        """The gravest trust label of the agent session; None before the first call."""

    def warn(self) -> None:
        """Notify the user of probable mistakes in the policy."""
        if self.doubts:
            words = shortened(f"{self.source}: {' '.join(self.doubts)}", 600)
            self._screen.notify(words, severity="warning", timeout=20, markup=False)

    async def made(
        self,
        session: Session,
        name: str,
        arguments: JsonObject,
        *,
        asking: Sequence[ConfirmReason],
        on_hold: Callable[[bool], None],
        on_progress: Callable[[Progress], None],
        may_ask: bool = True,
    ) -> Ruled:
        """Make a call if the policy allows it or the user agrees. Run it in a worker.

        `may_ask`: if false, a call that would need a question is not made, and no dialog is shown. `on_hold`:
        called with true when the call begins to wait for the user, then with false. Raises BlockedError or
        NotConfirmedError if the call is not made, and InspectorError if it fails.
        """
        considered = await self.oversight.consider(session, name, arguments, asking=asking)
        agreement = Agreement.NOT_ASKED
        if not may_ask and considered.verdict is not Verdict.ALLOW:
            raise NotConfirmedError(reasons_in_words(considered))
        match considered.verdict:
            case Verdict.BLOCK:
                await self.oversight.decline(session, considered)
                await self._ask_about(session, considered, on_hold)
                raise BlockedError("blocked by the policy; nothing was sent")
            case Verdict.CONFIRM:
                if not await self._ask_about(session, considered, on_hold):
                    await self.oversight.decline(session, considered)
                    raise NotConfirmedError("you did not agree; nothing was sent")
                agreement = Agreement.USER
            case Verdict.ALLOW:
                pass
        try:
            return await self.oversight.call(
                session, considered, agreement=agreement, on_progress=on_progress
            )
        finally:
            # Also after a cancelled call: if its answer has arrived, the answer changes the trust.
            if self._screen.is_running:
                self._screen.run_worker(self._weigh, group="weighing")

    def hear(self, session: Session, made: Ruled) -> None:
        """Show the warnings about an answer.

        Ask the user whether a model may see it, if the policy says so.
        """
        if made.is_malicious or made.is_asked_about:
            # The dialog has the warnings too. A notification would hide its keys.
            self._screen.run_worker(work_of(self._interrupt, session, made), group="interrupting")
            return
        for match in made.handling.warnings:
            words = shortened(f"#{made.record.number} {made.record.name}: warning: {match}", 400)
            self._screen.notify(words, severity="warning", timeout=12, markup=False)

    def hear_app(self, session: Session, method: str) -> int:
        """Mark the session as untrusted, because the interface of a tool (MCP Apps) sends the model a message.

        Returns the number of the message; messages and calls share one sequence of numbers.
        """
        number = self.oversight.hear_app(session, method)
        self._screen.run_worker(self._weigh, group="weighing")
        return number

    async def renew(self) -> bool:
        """Begin a new agent session if the user agrees. Returns whether the user agreed.

        Call it in a worker.
        """
        oversight = self.oversight
        agreed = await self.ask(await asyncio.to_thread(renewal_view, oversight.trust, oversight.number))
        if agreed:
            oversight.renew()
            await self._weigh()
            self._screen.notify(f"Agent session {oversight.number} begins.", markup=False)
        return agreed

    async def _ask_about(
        self, session: Session, considered: Consideration, on_hold: Callable[[bool], None]
    ) -> bool:
        on_hold(True)
        found = self.findings(session, considered.name)
        try:
            return await self.ask(await asyncio.to_thread(call_view, considered, chunk=_CHUNK, found=found))
        finally:
            on_hold(False)

    async def _interrupt(self, session: Session, made: Ruled) -> None:
        if made.is_malicious:
            await self.ask(attack_view(made))
        if made.is_asked_about and await self.ask(answer_view(made)):
            try:
                record = (await self.oversight.release(session, made)).record
                self._screen.post_message(RecordAmended(record))
            except InspectorError as error:
                self._screen.notify(f"{error.message}. {error.hint}", severity="error", markup=False)

    async def ask(self, view: DecisionView) -> bool:
        """Show a dialog. Returns whether the user agrees. Run it in a worker."""
        app = self._screen.app  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        screen = DecisionScreen(view)
        try:
            return bool(await app.push_screen_wait(screen))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        except asyncio.CancelledError:
            # The worker that waits for the answer was cancelled.
            if screen.is_running:
                screen.withdraw()
            raise

    async def _weigh(self) -> None:
        await self.oversight.judged()
        self.gravest_label = await asyncio.to_thread(gravest_label, self.oversight.trust)
        self._screen.post_message(TrustChanged())
