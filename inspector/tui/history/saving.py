"""Saves a call under a name in `calls.toml`, like `sightline call --save`."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

from inspector.boundary.options import Level
from inspector.errors import InspectorError, UsageError
from inspector.history.past_call import PastCall, Why
from inspector.hosts.profile import Call
from inspector.hosts.registry import host as host_of
from inspector.json.exact import JsonObject
from inspector.saved.call import Expectations, SavedCall
from inspector.saved.expecting import Made, proposed
from inspector.saved.files.calls import (
    USUAL_FILE,
    append_call,
    check_new,
    read_calls,
    source_of,
    without_secrets,
)
from inspector.secrets.own_credentials import OwnCredentials
from inspector.session.call_record import CallRecord
from inspector.tui.dialogs.ask import AskField, AskScreen
from inspector.tui.history.keeper import HistoryCall
from inspector.tui.text import content, shortened


def planned(call: HistoryCall) -> tuple[JsonObject, dict[str, str]]:
    """The arguments that are written for a call, and the sources from which to read its secret arguments.

    Raises UsageError if the history has not stored an argument.
    """
    past, record = call.past, call.record
    secret = {
        each.name: source_of(each.name) for each in past.left_out if each.why is Why.SECRET and each.name
    }
    if record is not None:
        schema = record.tool.input_schema if record.tool else {}
        return without_secrets(record.arguments, schema, also=secret)
    if len(secret) < len(past.left_out):
        raise UsageError(
            f"not saved: {past.lacks} was not kept", "Edit the call, make it again, and save the new call."
        )
    return past.kept, secret


def save(name: str, call: HistoryCall, server: str, *, level: Level, host: str) -> None:
    """Append a call to `calls.toml`, with expectations that its answer meets.

    Raises UsageError, for example if the file has a call with this name, or the history lacks an argument.
    """
    check_new(USUAL_FILE, name)
    arguments, secrets = planned(call)
    expect = _expectations(call.past) if call.record is None else _proposed(call.record, level, host, secrets)
    append_call(
        USUAL_FILE,
        SavedCall(
            name=name,
            tool=call.past.tool,
            arguments=arguments,
            secrets=secrets,
            server=server,
            expect=expect,
        ),
    )


def _expectations(past: PastCall) -> Expectations:
    """The expectations of a call whose answer was not kept: only how it ended."""
    return Expectations(fits_schema=bool(past.fits), error=past.error)


def _proposed(record: CallRecord, level: Level, host: str, secrets: Iterable[str]) -> Expectations:
    """The expectations that an answer meets. Raises UsageError if there is no host `host`.

    `secrets`: the names of arguments whose values must not occur in the expectations.
    """
    profile = host_of(host)
    if profile is None:
        raise UsageError(f"no host {host}", "h chooses another.")
    call = Call(tool=record.name, nonce=record.nonce)
    made = Made(
        judgement=record.judgement,
        duration_s=record.duration_s,
        level=level,
        policy=record.policy,
        host=profile,
        call=call,
        own=OwnCredentials(value for name in secrets if isinstance(value := record.arguments[name], str)),
    )
    return proposed(made)


def call_dialog(call: HistoryCall, server: Callable[[], str], *, level: Level, host: str) -> AskScreen:
    """A dialog that asks for a name and saves the call. The dialog says what is written, and where.

    `server`: returns the target as saved calls name it. Raises UsageError if the history lacks an argument.
    """
    _, secrets = planned(call)
    file = Path.cwd() / USUAL_FILE
    lines = [
        f"Adds the call to {file}, with expectations that its answer meets.",
        f"sightline run {USUAL_FILE} NAME makes it again; sightline codegen NAME prints it as code.",
        *(
            f"{name} may be secret: its value is not written. It comes from {source}."
            for name, source in secrets.items()
        ),
    ]

    async def accept(answers: tuple[str, ...]) -> str:
        (name,) = answers
        if not name:
            return "Write a name."
        try:
            await asyncio.to_thread(lambda: save(name, call, server(), level=level, host=host))
        except InspectorError as error:
            return f"{error.message}. {error.hint}"
        dialog.notify(content(f"Saved as {shortened(name, 60)} in {USUAL_FILE}.").plain, markup=False)
        return ""

    field = AskField(label="Name", value=_free_name(call.past.tool))
    dialog = AskScreen(
        f"Save this call of {shortened(call.past.tool, 60)}", "\n".join(lines), [field], accept, verb="save"
    )
    return dialog


def _free_name(tool: str) -> str:
    """The tool's name, with a number added if it is taken.

    A file that cannot be read is reported when the call is saved.
    """
    try:
        taken = {each.name for each in read_calls(USUAL_FILE)}
    except UsageError:
        return tool
    numbered = (f"{tool}-{number}" for number in range(2, len(taken) + 3))
    return tool if tool not in taken else next(name for name in numbered if name not in taken)
