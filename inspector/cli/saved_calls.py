"""Calls of `run` and `verify` on one session: what the policy decides, and the answers."""

import asyncio
import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING

from inspector.cli.options import host_profile
from inspector.cli.output import DIAGNOSTICS
from inspector.errors import NotConfirmedError, ToolFailedError, UsageError
from inspector.hosts.profile import Call, Host
from inspector.json.exact import JsonObject, dump_text
from inspector.launch import Launch
from inspector.pins.files import Watch
from inspector.policy.gate.oversight import Oversight
from inspector.policy.gate.ruling import Ruled
from inspector.protocol.targets import COVERED
from inspector.saved.call import SavedCall, saved_server
from inspector.saved.expecting import Made, proposed
from inspector.saved.files.calls import USUAL_FILE, append_call, without_secrets
from inspector.session.call_record import CallRecord
from inspector.session.live import Session

if TYPE_CHECKING:
    from inspector.protocol.catalogue import Catalogue

_SHORTEST = 4
"""Characters of a secret that is covered in texts: a shorter one occurs by chance."""


class Caller:
    """Makes calls on a session whose tools are listed."""

    def __init__(self, session: Session, launch: Launch) -> None:
        self._session = session
        self._launch = launch
        self._oversight = Oversight(launch.terms.policy, audit=launch.terms.audit)
        self._watch = Watch(session.target)
        self._watched: Catalogue | None = None

    async def call(self, name: str, arguments: JsonObject) -> Ruled:
        """Raises InspectorError where nothing was sent, or there is no connection."""
        session = self._session
        if session.catalogue.tool(name) is None:
            raise ToolFailedError(f"the server lists no tool {name}", "sightline list TARGET lists them.")
        if self._watched is not session.catalogue:
            self._watched = session.catalogue
            instructions = session.server.instructions if session.server else None
            await asyncio.to_thread(self._watch.listed, session.catalogue, instructions)
        asking = self._watch.state.asks(name)
        found = await self._oversight.consider(session, name, arguments, asking=asking)
        made = await self._oversight.call(session, found, agreement=self._launch.agreement)
        if made.is_stopped:
            raise NotConfirmedError("the policy withholds the answer", "--yes agrees to what it asks.")
        return made


def save(name: str, record: CallRecord, launch: Launch, words: tuple[str, ...] | None) -> None:
    """Append a call that was made to the usual file, with the expectations that its answer meets. Raises UsageError.

    `words`: its target as on a command line; None for one that cannot be written.
    """
    plain, secrets = without_secrets(record.arguments, record.tool.input_schema if record.tool else {})
    made = Made(
        judgement=record.judgement,
        duration_s=record.duration_s,
        level=launch.level,
        policy=record.policy,
        host=host_profile(launch.host),
        call=Call(tool=record.name, nonce=record.nonce),
    )
    append_call(
        USUAL_FILE,
        SavedCall(
            name=name,
            tool=record.name,
            arguments=plain,
            secrets=secrets,
            server=saved_server(words),
            expect=proposed(made),
        ),
    )
    DIAGNOSTICS.say(f"saved as {name} in {USUAL_FILE}")
    for argument, source in secrets.items():
        DIAGNOSTICS.say(f"{argument} may be secret and is not written: it comes from {source}")


def target_words(server: str) -> tuple[str | None, tuple[str, ...] | None]:
    """The target of a saved call as on a command line: a word, or the words of a command. Raises UsageError."""
    if not server.startswith("-- "):
        return server or None, None
    try:
        return None, tuple(shlex.split(server.removeprefix("-- ")))
    except ValueError as error:
        raise UsageError(
            f"the server {server}: {error}", "Write it as in a shell: -- node server.js"
        ) from error


def conceal(values: Iterable[str]) -> None:
    """Cover these values in whatever is printed later."""
    secrets = sorted({value for value in values if len(value) >= _SHORTEST}, key=len, reverse=True)

    def cover(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, COVERED).replace(dump_text(secret)[1:-1], COVERED)
        return text

    if secrets:
        DIAGNOSTICS.conceal(cover)


def looked_at(made: Ruled, launch: Launch, host: Host) -> Made:
    """An answer with what decides on its views."""
    record = made.record
    return Made(
        judgement=record.judgement,
        duration_s=record.duration_s,
        level=launch.level,
        policy=record.policy,
        host=host,
        call=Call(tool=record.name, nonce=record.nonce),
    )
