"""Makes the calls of `run`, `check` and `verify` in one session, and compares answers with expectations."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.boundary.output_check import NOT_ASKED, OutputCheck
from inspector.cli.options import host_profile
from inspector.cli.output import DIAGNOSTICS
from inspector.cli.start import listing_hint
from inspector.errors import InspectorError, NotConfirmedError, ToolFailedError
from inspector.hosts.profile import Call, Host
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.junit import JunitCase
from inspector.launch import Launch
from inspector.pins.files import Watch
from inspector.pins.pins import Pinned
from inspector.policy.gate.oversight import Oversight
from inspector.policy.gate.ruling import Ruled
from inspector.protocol.targets import COVERED, split_command
from inspector.saved.call import SavedCall, saved_server
from inspector.saved.expecting import Made, failures, output_of, proposed
from inspector.saved.files.calls import USUAL_FILE, append_call, without_secrets
from inspector.secrets.own_credentials import OwnCredentials
from inspector.session.call_record import CallRecord
from inspector.session.live import Session

if TYPE_CHECKING:
    from inspector.protocol.catalogue import Catalogue

_SHORTEST = 4
"""The minimum number of characters of a secret that is masked in texts. A shorter one may occur by chance."""


class Caller:
    """Makes calls on a session whose tools are listed."""

    def __init__(
        self,
        session: Session,
        launch: Launch,
        pinned: Pinned | None = None,
        *,
        oversight: Oversight | None = None,
    ) -> None:
        """`pinned`: the pin to use in place of the target's own.

        `oversight`: the oversight of earlier sessions of the run; None for a new one.
        """
        self._session = session
        self._launch = launch
        self._oversight = oversight or oversight_of(launch)
        self._watch = Watch(session.target, pinned)
        self._watched: Catalogue | None = None

    def lists(self, name: str) -> bool:
        """True if the server lists a tool of this name."""
        return self._session.catalogue.tool(name) is not None

    async def call(self, name: str, arguments: JsonObject) -> Ruled:
        """Make a call. Raises InspectorError if it is not sent, its answer is withheld, or the connection is lost."""
        session = self._session
        if not self.lists(name):
            names = [tool.name for tool in session.catalogue.tools]
            raise ToolFailedError(f"the server lists no tool {name}", listing_hint(name, names))
        if self._watched is not session.catalogue:
            self._watched = session.catalogue
            instructions = session.server.instructions if session.server else None
            await asyncio.to_thread(self._watch.listed, session.catalogue, instructions)
        asking = self._watch.state.asks(name)
        found = await self._oversight.consider(session, name, arguments, asking=asking)
        made = await self._oversight.call(session, found, agreement=self._launch.agreement)
        if made.is_stopped:
            raise NotConfirmedError(
                "the policy withholds the answer", "With --yes, you agree to every question of the policy."
            )
        return made


def oversight_of(launch: Launch) -> Oversight:
    """A new oversight, which decides on the calls of a run by the policy of `launch`."""
    return Oversight(launch.terms.policy, audit=launch.terms.audit)


class Ran(Struct, frozen=True, kw_only=True):
    """The outcome of making a saved call again.

    Its texts are untrusted; the user's secrets are masked in them.
    """

    name: str
    tool: str
    failures: tuple[str, ...]
    """The expectations that are not met, or the reason why the call was not made."""
    duration_ms: float = 0.0
    output: OutputCheck = NOT_ASKED
    """The comparison of the call's result with the output schema of the tool."""

    @property
    def line(self) -> str:
        sign = "✗" if self.failures else "✓"
        return f"{sign} {self.name}: {self.tool}, {self.duration_ms:,.0f} ms"

    @property
    def shape(self) -> JsonObject:
        return {
            "name": self.name,
            "tool": self.tool,
            "ok": not self.failures,
            "failures": list[Json](self.failures),
            "duration_ms": round(self.duration_ms, 3),
        }


async def made_again(
    session: Session,
    launch: Launch,
    calls: Sequence[SavedCall],
    values: Mapping[str, Mapping[str, str]],
    pinned: Pinned | None = None,
) -> list[Ran]:
    """Make saved calls in order, in a session whose tools are listed, and compare the answers with the expectations.

    `values`: the values of secrets, by call and argument. `pinned`: the pin to use in place of the target's
    own.
    """
    conceal_in(session, launch, [value for each in calls for value in values[each.name].values()])
    host = host_profile(launch.host)
    caller = Caller(session, launch, pinned)
    made: list[Ruled | str] = []
    for each in calls:
        DIAGNOSTICS.say(f"calling {each.tool} ({each.name}) …")
        try:
            made.append(await caller.call(each.tool, each.whole_arguments(values[each.name])))
        except InspectorError as error:
            # A reader in CI sees only the report, so the report says how to agree to the call.
            hint = f". {error.hint}" if isinstance(error, NotConfirmedError) else ""
            made.append(f"{error.message}{hint}".replace("\n", "; "))

    def compared() -> list[Ran]:
        # A report of one call quotes nothing that was withheld from another.
        withheld = session.withheld()

        def mask(text: str) -> str:
            return withheld.masked_text(DIAGNOSTICS.mask(text))

        return [
            _compared(call, one, launch, host, session.own, mask)
            for call, one in zip(calls, made, strict=True)
        ]

    # All comparisons run at the end, because one between two calls could falsify the times that `at_most_ms` measures.
    return await asyncio.to_thread(compared)


def _compared(
    call: SavedCall,
    made: Ruled | str,
    launch: Launch,
    host: Host,
    own: OwnCredentials,
    mask: Callable[[str], str],
) -> Ran:
    if isinstance(made, str):
        return Ran(name=call.name, tool=call.tool, failures=(mask(made),))
    seen = _looked_at(made.record, launch, host, own)
    return Ran(
        name=call.name,
        tool=call.tool,
        failures=tuple(map(mask, failures(call.expect, seen))),
        duration_ms=seen.duration_s * 1000,
        output=output_of(seen).masked(mask),
    )


def lines_of(ran: Sequence[Ran]) -> Iterator[str]:
    """One line for each call, with its failures below, then the numbers of calls and of failed calls."""
    for each in ran:
        yield each.line
        yield from (f"    {text}" for text in each.failures)
    failed = sum(bool(each.failures) for each in ran)
    yield ""
    yield f"{len(ran)} call{'' if len(ran) == 1 else 's'}, {failed} failed"


def cases_of(ran: Iterable[Ran], file: str) -> Iterator[JunitCase]:
    """The calls of a file as JUnit cases."""
    for each in ran:
        yield JunitCase(suite=file, name=f"{each.name}: {each.tool}", failure="\n".join(each.failures))


def conceal_in(session: Session, launch: Launch, values: list[str]) -> None:
    """Mask `values` in the texts of `session` from now on.

    The values are also withheld from the recording of the session and from the audit log.
    """
    session.conceal(values)
    if launch.terms.audit:
        launch.terms.audit.conceal(values)


def conceal_unsaved(session: Session, launch: Launch, name: str, arguments: JsonObject) -> OwnCredentials:
    """Mask the secret arguments of a call in everything printed, because they are not saved.

    Returns the user's own credentials in the session, these arguments included. Raises UsageError if an argument
    cannot be saved.
    """
    tool = session.catalogue.tool(name)
    _, secrets = without_secrets(arguments, tool.input_schema if tool else {})
    conceal_in(session, launch, [value for key in secrets if isinstance(value := arguments[key], str)])
    return session.own


def save(
    name: str, record: CallRecord, launch: Launch, words: tuple[str, ...] | None, own: OwnCredentials
) -> None:
    """Append a call to the default file of saved calls, with the expectations that its answer meets.

    Raises UsageError. `words`: the target as on a command line; None if the target cannot be written so.
    `own`: the values to leave out of expectations.
    """
    plain, secrets = without_secrets(record.arguments, record.tool.input_schema if record.tool else {})
    made = _looked_at(record, launch, host_profile(launch.host), own)
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
        DIAGNOSTICS.say(f"{argument} may be secret, so its value is not written: it is read from {source}")


def target_words(server: str) -> tuple[str | None, tuple[str, ...] | None]:
    """The target of a saved call as on a command line: one word, or the words of a command.

    Raises UsageError.
    """
    if not server.startswith("-- "):
        return server or None, None
    return None, tuple(split_command(server.removeprefix("-- ")))


def conceal(values: Iterable[str]) -> None:
    """Mask `values` in everything that is printed later."""
    secrets = sorted({value for value in values if len(value) >= _SHORTEST}, key=len, reverse=True)

    def mask(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, COVERED).replace(dump_text(secret)[1:-1], COVERED)
        return text

    if secrets:
        DIAGNOSTICS.conceal(mask)


def _looked_at(record: CallRecord, launch: Launch, host: Host, own: OwnCredentials) -> Made:
    """A call that was made, with the boundary level and host for the model's view.

    `own`: the user's own credentials, which no report may quote.
    """
    return Made(
        judgement=record.judgement,
        duration_s=record.duration_s,
        level=launch.level,
        policy=record.policy,
        host=host,
        call=Call(tool=record.name, nonce=record.nonce),
        own=own,
    )
