"""`sightline run FILE [NAME…] [TARGET]`: make saved calls, and compare the answers with what they expect."""

import asyncio
from collections.abc import Iterable, Sequence
from itertools import groupby

import click
from msgspec import Struct

from inspector.cli.options import (
    ConnectionOptions,
    LensOptions,
    PolicyOptions,
    SectionedCommand,
    format_option,
    host_profile,
    quiet_option,
    takes,
)
from inspector.cli.output import CALLS_FAILED, DIAGNOSTICS, OK, print_json, print_lines
from inspector.cli.saved_calls import Caller, conceal, looked_at, target_words
from inspector.cli.start import Invocation, in_session, launch_of, target_of
from inspector.errors import InspectorError, UsageError
from inspector.json.exact import Json, JsonObject
from inspector.junit import Case, junit
from inspector.launch import Launch
from inspector.saved.call import SavedCall
from inspector.saved.expecting import failures
from inspector.saved.files.calls import read_calls, secret_values
from inspector.session.live import Session


@click.command(
    name="run",
    cls=SectionedCommand,
    examples=(
        "sightline run calls.toml demo",
        "sightline run calls.toml search --format junit -- node server.js",
    ),
)
@click.argument("file")
@click.argument("words", nargs=-1, metavar="[NAME]... [TARGET]")
@format_option("text", "json", "junit")
@quiet_option
@takes("connection", ConnectionOptions)
@takes("lens", LensOptions)
@takes("rules", PolicyOptions, "policy", "yes")
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    file: str,
    words: tuple[str, ...],
    format_: str,
    connection: ConnectionOptions,
    lens: LensOptions,
    rules: PolicyOptions,
) -> int:
    """Make the saved calls of FILE, or those called NAME, and print which expectations are not met.

    Without TARGET, each call goes to the server that it names.
    """
    lens.check()
    saved = read_calls(file)
    chosen, target = _chosen(saved, words, file)
    ran: list[_Ran] = []
    terms = rules.read()
    # Secrets are read before anything is started.
    values = {each.name: secret_values(each) for each in chosen}
    conceal(value for held in values.values() for value in held.values())
    for server, calls in groupby(
        chosen, key=lambda each: "" if _is_given(target, invocation, connection) else each.server
    ):
        if server:
            word, command_line = target_words(server)
        else:
            word, command_line = target, invocation.command_line
        launch = launch_of(
            target_of(word, connection, command_line),
            connection,
            lens=lens,
            terms=terms,
            agreement=rules.agreement,
        )
        DIAGNOSTICS.say(f"connecting to {launch.target} …")
        held = list(calls)
        ran += in_session(
            launch, lambda session, launch=launch, held=held: _run(session, launch, held, values)
        )
    _print(ran, file, format_)
    return CALLS_FAILED if any(each.failures for each in ran) else OK


class _Ran(Struct, frozen=True, kw_only=True):
    """One call that was made, or could not be."""

    name: str
    tool: str
    failures: tuple[str, ...]
    duration_ms: float = 0.0


async def _run(
    session: Session, launch: Launch, calls: Sequence[SavedCall], values: dict[str, dict[str, str]]
) -> list[_Ran]:
    await session.list_all()
    host = host_profile(launch.host)
    caller = Caller(session, launch)
    ran: list[_Ran] = []
    for each in calls:
        DIAGNOSTICS.say(f"calling {each.tool} ({each.name}) …")
        try:
            made = await caller.call(each.tool, each.whole_arguments(values[each.name]))
        except InspectorError as error:
            ran.append(_Ran(name=each.name, tool=each.tool, failures=(error.message.replace("\n", "; "),)))
            continue
        seen = looked_at(made, launch, host)
        found = await asyncio.to_thread(tuple, failures(each.expect, seen))
        ran.append(_Ran(name=each.name, tool=each.tool, failures=found, duration_ms=seen.duration_s * 1000))
    return ran


def _chosen(
    saved: tuple[SavedCall, ...], words: tuple[str, ...], file: str
) -> tuple[list[SavedCall], str | None]:
    """The calls to make, and the target: the last word where no call has that name."""
    known = {each.name for each in saved}
    names, target = list(words), None
    if names and names[-1] not in known:
        target = names.pop()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"{file} has no call {unknown[0]}", f"It has: {', '.join(sorted(known)) or 'none'}.")
    return [each for each in saved if not names or each.name in names], target


def _is_given(target: str | None, invocation: Invocation, connection: ConnectionOptions) -> bool:
    return (target or invocation.command_line or connection.config) is not None


def _print(ran: Iterable[_Ran], file: str, format_: str) -> None:
    covered = [[DIAGNOSTICS.cover(text) for text in each.failures] for each in ran]
    pairs = list(zip(ran, covered, strict=True))
    if format_ == "json":
        calls: list[Json] = [_shape(each, texts) for each, texts in pairs]
        print_json({"file": file, "calls": calls})
    elif format_ == "junit":
        cases = (
            Case(suite=file, name=f"{each.name}: {each.tool}", failure="\n".join(texts))
            for each, texts in pairs
        )
        print_lines(junit("sightline run", cases))
    else:
        for each, texts in pairs:
            print_lines([f"{'✗' if texts else '✓'} {each.name}: {each.tool}, {each.duration_ms:,.0f} ms"])
            print_lines(f"    {text}" for text in texts)
        failed = sum(bool(texts) for texts in covered)
        print_lines(["", f"{len(pairs)} call{'' if len(pairs) == 1 else 's'}, {failed} failed"])


def _shape(ran: _Ran, failed: list[str]) -> JsonObject:
    return {
        "name": ran.name,
        "tool": ran.tool,
        "ok": not failed,
        "failures": list[Json](failed),
        "duration_ms": round(ran.duration_ms, 3),
    }
