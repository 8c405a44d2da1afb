"""Puts the secret references and withheld values of each call into the session's vault."""

import threading
from collections.abc import Callable
from itertools import islice
from typing import Protocol, runtime_checkable

from textual.screen import Screen
from textual.worker import WorkerCancelled, WorkerFailed

from inspector.boundary.bounded import Level
from inspector.boundary.reading import raw_of
from inspector.json.exact import Json
from inspector.pins.known_secrets import KnownSecrets, SessionSecrets
from inspector.pins.withheld import WithheldValues
from inspector.protocol.outcome import Failure
from inspector.secrets.holdings import Holdings, holdings_in
from inspector.secrets.session import Custody
from inspector.session.call_record import CallRecord
from inspector.session.live import Session
from inspector.tui.connection.connection import SessionLink
from inspector.tui.definition.view import withheld
from inspector.tui.runtime.workers import work_of

_MOST_LEARNT = 1_000
"""The maximum number of withheld values of one result that later results are searched for."""


def holdings(record: CallRecord) -> Holdings:
    """The secret references and withheld values in the result of a call."""
    return holdings_in(raw_of(record.outcome), withheld(record))


@runtime_checkable
class VaultScreen(Protocol):
    """A screen that shows the secrets in the session's vault."""

    def show_current(self) -> None:
        """Show the current items of the vault."""
        ...


class VaultKeeper:
    """Puts the secrets of ended calls into the session's vault, in a thread.

    Calls that have ended wait until `take`, so that their results can be drawn first. No call is skipped.
    Also finds results in which the boundary lets a secret of an earlier call pass, because the boundary
    judges each call by itself.
    """

    def __init__(
        self,
        screen: Screen[None],
        link: SessionLink,
        changed: Callable[[], None],
        secrets: SessionSecrets | None = None,
    ) -> None:
        """`changed`: called when the vault changes. `secrets`: collects the withheld values of all servers."""
        self._screen = screen
        self._link = link
        self._changed = changed
        self._expected: list[tuple[Session, CallRecord]] = []
        self._empty = Custody()
        self._withheld = WithheldValues()
        self._secrets = secrets or SessionSecrets()
        self._unread = dict[int, CallRecord]()
        """The calls whose withheld values are not known yet, by their numbers."""
        self._reading = threading.Lock()
        self.repeating = dict[int, str]()
        """The pointer to a secret in the result of a call, by the number of the call.

        Only for results in which the boundary lets a value pass that was withheld, fetched or entered before.
        """

    @property
    def custody(self) -> Custody:
        """The secrets of the session in use; empty without a session."""
        return self._link.session.custody if self._link.session else self._empty

    def expect(self, record: CallRecord) -> None:
        """Keep a call that has ended until `take`."""
        if self._link.session is not None:
            self._expected.append((self._link.session, record))
            self._unread[record.number] = record

    def take(self) -> None:
        """Put the secrets of all waiting calls into the vault."""
        expected, self._expected = self._expected, []
        for session, record in expected:
            self._screen.run_worker(work_of(self._take, session, record), group="keeping")

    def masked(self, value: Json) -> Json:
        """A copy of a value, with every part masked that repeats a secret of the calls so far. Blocks."""
        with self._reading:
            for record in tuple(self._unread.values()):
                self._learn_from(record)
            return self._withheld.masked_value(value)

    @property
    def known(self) -> KnownSecrets:
        """The values withheld from results of all servers. Those of the last calls may still be missing."""
        return self._secrets.known

    def known_beside(self, record: CallRecord) -> KnownSecrets:
        """The values withheld from results of all calls so far. Those of `record` may be missing. Blocks."""
        return self._known(but=record.number)

    @property
    def known_now(self) -> KnownSecrets:
        """The values withheld from the results of all calls so far. Blocks."""
        return self._known(but=0)

    def repeats(self, text: str) -> bool:
        """True if a text repeats a value that was withheld from the result of a call. Blocks."""
        return self.known_now.repeats(text)

    def _known(self, but: int) -> KnownSecrets:
        with self._reading:
            for each in tuple(self._unread.values()):
                if each.number != but:
                    self._learn_from(each)
            return self._secrets.known

    def _learn_from(self, record: CallRecord) -> None:
        before = self._withheld.texts
        self._withheld.learn(record.tool, record.outcome, islice(withheld(record), _MOST_LEARNT))
        self._secrets.add(record.number, self._withheld.texts - before)

    def learn(self, secret: str) -> None:
        """Search the results of later calls for this value too."""
        # In a thread, because another thread may hold the lock while it searches a large result.
        self._screen.run_worker(lambda: self._learn(secret), thread=True, group="keeping")

    def _learn(self, secret: str) -> None:
        with self._reading:
            before = self._withheld.texts
            self._withheld.conceal([secret])
            self._secrets.add(0, self._withheld.texts - before)

    def _read(self, record: CallRecord) -> tuple[Holdings, str | None]:
        """The secrets in a result, and the pointer to a known secret that the boundary lets pass. Blocks.

        The pointer is None if there is no such secret.
        """
        passes = record.judgement.bounded(Level.DECLARED, record.policy).result
        with self._reading:
            # Without an answer, the words are Sightline's own. They may quote the server's stderr, and no model gets them.
            repeats = None if isinstance(record.outcome, Failure) else self._withheld.repeated_in(passes)
            self._learn_from(record)
            self._unread.pop(record.number, None)
        return holdings(record), repeats

    async def _take(self, session: Session, record: CallRecord) -> None:
        try:
            found, repeats = await self._screen.run_worker(
                lambda: self._read(record), thread=True, exit_on_error=False
            ).wait()
        except WorkerCancelled:
            return
        except WorkerFailed as failed:
            words = f"The secrets of call #{record.number} could not be listed ({type(failed.error).__name__}): a defect of Sightline."
            self._screen.notify(words, severity="error", markup=False)
            return
        if repeats is not None:
            self.repeating[record.number] = repeats
        # If the session has ended, its secrets are dropped.
        if session is self._link.session:
            vault = session.custody.vault
            vault.keep(record.number, record.name, record.received_s, raw_of(record.outcome), found)
            self._changed()
