"""`sightline verify RECORDING [TARGET]`: make the calls of a recording again, and compare the answers by pointer."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import TypeVar

import click
from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.options import Level
from inspector.boundary.reading import raw_of
from inspector.cli.help import SectionedCommand
from inspector.cli.options import (
    ConnectionOptions,
    OptionGroup,
    PolicyOptions,
    format_option,
    option,
    quiet_option,
    takes,
)
from inspector.cli.output import DIAGNOSTICS, clipped, print_json, print_lines
from inspector.cli.saved_calls import Caller, oversight_of
from inspector.cli.start import Invocation, in_session, launch_of, target_of
from inspector.errors import ExitCode, InspectorError, UsageError
from inspector.hosts.profile import Call
from inspector.hosts.projection import Projection, projection_of
from inspector.hosts.registry import hosts
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import join
from inspector.junit import JunitCase, junit
from inspector.launch import Launch
from inspector.policy.gate.ruling import Ruled
from inspector.protocol.targets import Era
from inspector.recording.files import GoodLines, RecordingFile
from inspector.recording.markers import places as places_of
from inspector.recording.replaying import Replay, ReplayedCall, stands_for_something
from inspector.safe_text import safe_line
from inspector.saved.verifying import (
    MAX_DIFFERENCES,
    AnswerDifference,
    IgnoredPlace,
    differences,
    ignored_of,
    proposed,
)
from inspector.secrets.own_credentials import OwnCredentials
from inspector.session.live import Session

Found = TypeVar("Found")

_APART_S = 1.1
"""The minimum time in seconds between the two calls that `--propose` compares.

Many clocks count whole seconds. After this time, their values differ in the two results.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceOptions(OptionGroup):
    """Options: the places in results whose differences are ignored."""

    title = "Places"

    ignored: tuple[str, ...] = option(
        "--ignore",
        default=(),
        multiple=True,
        metavar="[TOOL:]POINTER|@FILE",
        help="Ignore differences at this place; * matches any one member. @FILE has one place per line.",
    )
    proposes: bool = option(
        "--propose",
        default=False,
        is_flag=True,
        help="Make each call twice, and print the places that differ, as lines for --ignore @FILE.",
    )


@click.command(
    name="verify",
    cls=SectionedCommand,
    exits=(ExitCode.STOPPED, ExitCode.DIFFERS),
    examples=(
        "sightline verify session.jsonl demo",
        "sightline verify session.jsonl --ignore /structuredContent/at -- node server.js",
    ),
)
@click.argument("recording")
@click.argument("target", required=False)
@format_option("text", "json", "junit")
@quiet_option
@takes("places", PlaceOptions)
@takes("connection", ConnectionOptions)
@takes("rules", PolicyOptions)
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    recording: str,
    target: str | None,
    format_: str,
    places: PlaceOptions,
    connection: ConnectionOptions,
    rules: PolicyOptions,
) -> int:
    """Make the calls in RECORDING again on TARGET, and print what differs; exit with 12 if anything does."""
    ignored = tuple(_ignored(places.ignored))
    calls, unanswered = _calls(Path(recording))
    with rules.logged(rules.read()) as terms:
        launch = launch_of(
            target_of(target, connection, invocation.command_line),
            connection,
            terms=terms,
            agreement=rules.agreement,
        )
        if places.proposes:
            found = dict.fromkeys(_in_sessions(launch, calls, _proposed))
            print_lines((DIAGNOSTICS.mask(str(each)) for each in found), exactly=True)
            return ExitCode.OK
        checked = _in_sessions(launch, calls, partial(_checked, ignored=ignored))
    checked = sorted([*checked, *unanswered], key=lambda each: each.frame)
    _print(checked, recording, format_)
    if any(each.differences for each in checked):
        DIAGNOSTICS.say(_IGNORING)
        return ExitCode.DIFFERS
    return max((each.code for each in checked), default=ExitCode.OK)


_IGNORING = "--propose makes each call twice and prints the places that differ between the two results (a time, for example), as lines for --ignore"


class _Checked(Struct, frozen=True, kw_only=True):
    """One recorded call: how its answer differed when it was made again, or why it was not made again."""

    frame: int
    tool: str
    differences: tuple[AnswerDifference, ...] = ()
    more: int = 0
    unsent: str = ""
    """The reason why the call was not made again; empty if it was made."""
    code: int = ExitCode.OK
    """The exit code for the reason in `unsent`."""


def _ignored(words: tuple[str, ...]) -> Iterator[IgnoredPlace]:
    for word in words:
        if not word.startswith("@"):
            yield ignored_of(word)
            continue
        try:
            lines = Path(word[1:]).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read {word[1:]}", "Check --ignore @FILE.") from error
        yield from (ignored_of(line.strip()) for line in lines if line.strip())


def _calls(path: Path) -> tuple[list[ReplayedCall], list[_Checked]]:
    """The calls with an answer in a recording, and a `_Checked` for each call without one.

    Raises UsageError if no call has an answer, or if the recording cannot be read to its end.
    """
    file = RecordingFile(path)
    try:
        lines, replay = GoodLines(file), Replay()
        calls = [call for line in lines for call in replay.calls(line)]
    finally:
        file.close()
    if lines.broken:
        raise UsageError(
            f"{path}, line {lines.broken.line}: {lines.broken.reason}", "Record the session again."
        )
    if not calls:
        raise UsageError(f"{path} has no calls with an answer", "There is nothing to compare.")
    unsent = "the recording has no answer to it"
    return calls, [
        _Checked(frame=call.asked, tool=call.name, unsent=unsent) for call in replay.unanswered.values()
    ]


def _withheld_argument(call: ReplayedCall) -> bool:
    return next(iter(places_of(call.arguments, stands_for_something)), None) is not None


def _in_sessions(
    launch: Launch,
    calls: Sequence[ReplayedCall],
    work: Callable[[Session, Caller, Sequence[ReplayedCall]], Awaitable[list[Found]]],
) -> list[Found]:
    """Open a session for each group of successive calls of one protocol era, and return what `work` finds in them.

    If `launch` sets the era, all calls are made in one session of that era.
    """
    oversight = oversight_of(launch)

    async def use(session: Session, *, run: Sequence[ReplayedCall]) -> list[Found]:
        await _listed(session, run)
        return await work(session, Caller(session, launch, oversight=oversight), run)

    found: list[Found] = []
    given = launch.options.era
    for era, group in groupby(calls, key=lambda call: call.era if given is Era.AUTO else given):
        DIAGNOSTICS.say(f"connecting to {launch.target} …")
        options = replace(launch.options, era=era)
        found += in_session(replace(launch, options=options), partial(use, run=tuple(group)))
    return found


async def _made(caller: Caller, call: ReplayedCall) -> Ruled | _Checked:
    """The answer, or a `_Checked` with the reason why the call was not made again."""
    unsent = ""
    code = ExitCode.OK
    if _withheld_argument(call):
        unsent = "an argument is withheld in the recording"
    elif not isinstance(call.arguments, dict):
        unsent = "its arguments are not a JSON object"
    else:
        if caller.lists(call.name):
            DIAGNOSTICS.say(f"calling {call.name} …")
        try:
            return await caller.call(call.name, call.arguments)
        except InspectorError as error:
            unsent, code = error.message.replace("\n", "; "), max(error.exit_code, ExitCode.STOPPED)
    return _Checked(frame=call.frame, tool=call.name, unsent=unsent, code=code)


async def _listed(session: Session, calls: Sequence[ReplayedCall]) -> None:
    """List the items of the server, and report each recorded protocol revision that is not the present one.

    Answers may differ because of the revision.
    """
    await session.list_all()
    server = session.server
    if server is None:
        return
    now = server.protocol_version
    for era, then in dict.fromkeys((call.era, call.revision) for call in calls):
        if era is not Era.AUTO and (server.era is not era or (then and then != now)):
            words = {Era.LEGACY: "a handshake", Era.MODERN: "no handshake"}
            DIAGNOSTICS.say(
                f"recorded with {clipped(then, 40) or words[era]}, verified with {clipped(now, 40)}"
            )


async def _checked(
    session: Session, caller: Caller, calls: Sequence[ReplayedCall], *, ignored: tuple[IgnoredPlace, ...]
) -> list[_Checked]:
    checked: list[_Checked] = []
    for call in calls:
        made = await _made(caller, call)
        checked.append(made if isinstance(made, _Checked) else _compared(call, made, ignored, session.own))
    # A sentence about one call may quote a value that was withheld from another.
    mask = (await asyncio.to_thread(session.withheld)).masked_text
    return [
        replace(
            each,
            unsent=mask(each.unsent),
            differences=tuple(
                replace(one, pointer=mask(one.pointer), what=mask(one.what)) for one in each.differences
            ),
        )
        for each in checked
    ]


def _compared(
    call: ReplayedCall, made: Ruled, ignored: tuple[IgnoredPlace, ...], own: OwnCredentials
) -> _Checked:
    shown = _projection(made)
    found = differences(
        call.name,
        raw_of(call.outcome),
        shown.raw,
        masked=own.masked(shown.masked)[0],
        removed=[removal.pointer for removal in shown.sensitive],
        ignored=ignored,
    )
    first = tuple(islice(found, MAX_DIFFERENCES))
    return _Checked(frame=call.frame, tool=call.name, differences=first, more=sum(1 for _ in found))


def _projection(made: Ruled) -> Projection:
    record = made.record
    call = Call(tool=record.name, nonce=record.nonce)
    return projection_of(record.judgement, Level.DECLARED, hosts()[0], call, record.policy)


async def _proposed(session: Session, caller: Caller, calls: Sequence[ReplayedCall]) -> list[IgnoredPlace]:
    first = [await _made(caller, call) for call in calls]
    await asyncio.sleep(_APART_S)
    found: dict[IgnoredPlace, None] = {}
    for call, one in zip(calls, first, strict=True):
        other = one if isinstance(one, _Checked) else await _made(caller, call)
        if isinstance(one, _Checked) or isinstance(other, _Checked):
            DIAGNOSTICS.say(
                f"{call.name} could not be called twice, so Sightline proposes no places to ignore"
            )
            continue
        shown = _projection(other)
        removed = [removal.pointer for removal in shown.sensitive]
        places = proposed(call.name, raw_of(one.record.outcome), shown.raw, removed=removed)
        found |= dict.fromkeys(places)
    mask = (await asyncio.to_thread(session.withheld)).masked_text
    return [place for place in found if mask(join(place.tokens)) == join(place.tokens)]


def _lines(checked: _Checked) -> list[str]:
    lines = [
        DIAGNOSTICS.mask(f"{each.pointer or '(the whole result)'} {each.what}")
        for each in checked.differences
    ]
    return [*lines, f"{checked.more:,} more differences"] if checked.more else lines


def _print(checked: list[_Checked], recording: str, format_: str) -> None:
    if format_ == "json":
        print_json({"recording": recording, "calls": [_shape(each) for each in checked]})
        return
    if format_ == "junit":
        cases = (
            JunitCase(
                suite=recording, name=f"frame {each.frame}: {each.tool}", failure="\n".join(_lines(each))
            )
            for each in checked
            if not each.unsent
        )
        print_lines(junit("sightline verify", cases), exactly=True)
        return
    for each in checked:
        sign = "-" if each.unsent else "✗" if each.differences else "✓"
        unsent = f", not made again: {DIAGNOSTICS.mask(each.unsent)}" if each.unsent else ""
        print_lines([f"{sign} frame {each.frame}, {safe_line(each.tool)}{unsent}"])
        print_lines(f"    {line}" for line in _lines(each))
    differ = sum(bool(each.differences) for each in checked)
    unsent = sum(bool(each.unsent) for each in checked)
    print_lines(["", f"{len(checked) - unsent} made again, {differ} with differences, {unsent} not made"])


def _shape(checked: _Checked) -> JsonObject:
    found: list[Json] = [
        {"pointer": DIAGNOSTICS.mask(each.pointer), "what": DIAGNOSTICS.mask(each.what)}
        for each in checked.differences
    ]
    return {
        "frame": checked.frame,
        "tool": checked.tool,
        "differences": found,
        "more": checked.more,
        "unsent": DIAGNOSTICS.mask(checked.unsent) or None,
    }
