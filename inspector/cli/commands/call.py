"""`sightline call TOOL … TARGET`: one call, with what the server sent and what the model sees."""

import asyncio
import shlex
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from inspect import isawaitable
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import click
from msgspec.structs import replace

from inspector.boundary.reading import raw_of
from inspector.boundary.verification import unverified
from inspector.cli.answers import AnswerOptions
from inspector.cli.decisions import Decided, decided, stopped
from inspector.cli.help import FormatOption, SectionedCommand, WordChoice
from inspector.cli.inputs import given_meta, whole_arguments
from inspector.cli.options import (
    ConnectionOptions,
    LensOptions,
    OptionGroup,
    PolicyOptions,
    RecordingOptions,
    group,
    host_profile,
    option,
    quiet_option,
    takes,
)
from inspector.cli.output import DIAGNOSTICS, clipped, columns, masked_line, print_json, print_lines
from inspector.cli.quoting import Quotes
from inspector.cli.results import (
    UNMASK,
    ResultSides,
    addressing_of,
    output_shape,
    remarks_shape,
    result_lines,
    unfinished_shape,
    withheld_shape,
)
from inspector.cli.start import (
    Invocation,
    changes_since_pin,
    check_named,
    in_session,
    launch_of,
    listing_hint,
    meant_command,
    stray_output,
    target_of,
)
from inspector.errors import ExitCode, OutputBrokenError, ToolFailedError, UsageError
from inspector.hosts.profile import Call
from inspector.hosts.projection import Projection, projection_of
from inspector.json.exact import Json, JsonObject
from inspector.json.members import object_at, text_at
from inspector.json.pointer import split
from inspector.json.weight import compact_bytes
from inspector.launch import Launch
from inspector.policy.gate.oversight import Oversight
from inspector.policy.gate.ruling import Ruled
from inspector.policy.rules import Verdict
from inspector.protocol.catalogue import Kind, Tool
from inspector.protocol.outcome import Failure, FailureKind, Result, RpcError
from inspector.protocol.page import Forms
from inspector.protocol.raised import MAX_BEFORE, cause_in, raised_in, stderr_words
from inspector.protocol.targets import Era, PageTarget, StdioTarget, Target
from inspector.protocol.tasks import STATUSES
from inspector.safe_text import safe_line
from inspector.schema.arguments import assigned, assignments_for
from inspector.schema.validation import Violation, violations
from inspector.session.call_record import AGAIN, FILLED, VISITING, CallRecord, Progress
from inspector.session.live import Session
from inspector.session.requests import title_of
from inspector.session.wording import (
    error_of,
    missed_handshake,
    page_answer,
    refusal,
    shared_name,
    unanswerable,
)

if TYPE_CHECKING:
    from inspector.secrets.own_credentials import OwnCredentials
    from inspector.session.facts import ServerFacts

_STDERR_WAIT_S = 0.1
"""The seconds to wait for stderr lines after the answer of a failed call.

Stderr is a pipe of its own, so its lines may arrive after the answer.
"""
_SHORT_WAIT_S = 0.005
"""The seconds to wait for stderr lines after the answer of a call that did not fail.

Without `--stderr`, only a summary of the lines is printed after such a call.
"""

_MOST_OPTIONS = 5
"""The maximum number of missing arguments that an error suggests options for."""

_LARGE_BYTES = 1_000_000
"""The size in bytes from which it takes a second or more to prepare the text of a result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallArguments(OptionGroup):
    """The arguments of the call, and how it is sent."""

    title = "Call"

    whole: str | None = option(
        "--args", default=None, metavar="JSON|@FILE|-", help="All arguments as one JSON object; - is stdin."
    )
    single: tuple[str, ...] = option(
        "--arg",
        default=(),
        multiple=True,
        metavar="K=V|K:=JSON",
        help='One argument, typed by the input schema; := takes JSON. A member of an object: order.who=Ann, or the object: \'order:={"who": "Ann"}\'.',
    )
    meta: tuple[str, ...] = option(
        "--meta",
        default=(),
        multiple=True,
        metavar="KEY=JSON",
        help="Add a member to the `_meta` of the request.",
    )
    unvalidated: bool = option(
        "--no-validate",
        default=False,
        is_flag=True,
        help="Send arguments that break the input schema, and call tools that are not listed.",
    )
    submit: bool = option(
        "--submit",
        default=False,
        is_flag=True,
        help="Submit the form that the call fills in, if the page leaves that to the user.",
    )
    no_check_output: bool = option(
        "--no-check-output",
        default=False,
        is_flag=True,
        help="Exit with 0 even if the result breaks the tool's output schema; it is still reported.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOutput(OptionGroup):
    """The settings for printing a result."""

    title = "Output"

    view: ResultSides = option(
        "--view",
        default=ResultSides.BOTH,
        type=WordChoice(ResultSides),
        show_default=True,
        help="Print what the model sees, what the server sent (raw), or both.",
    )
    unmask: bool = option("--unmask", default=False, is_flag=True, help=UNMASK)
    whole_stderr: bool = option(
        "--stderr",
        default=False,
        is_flag=True,
        help="Print all that the server wrote to stderr during the call.",
    )
    format_: str = option("--format", default="text", cls=FormatOption, type=WordChoice(("text", "json")))

    @property
    def as_json(self) -> bool:
        """True if one JSON document is printed."""
        return self.format_ == "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOptions(OptionGroup):
    """All options of a call but its arguments."""

    output: CallOutput = group(CallOutput)
    connection: ConnectionOptions = group(ConnectionOptions)
    lens: LensOptions = group(LensOptions)
    recording: RecordingOptions = group(RecordingOptions)
    rules: PolicyOptions = group(PolicyOptions)
    answers: AnswerOptions = group(AnswerOptions)


@click.command(
    cls=SectionedCommand,
    exits=(ExitCode.TOOL_FAILED, ExitCode.STOPPED, ExitCode.OUTPUT_BROKEN),
    examples=(
        "sightline call generate_api_key --arg name=production demo",
        'sightline call search --args \'{"query": "cats"}\' -- node server.js',
    ),
)
@click.argument("tool")
@click.argument("target", required=False)
@click.argument("others", nargs=-1, metavar="")
@click.option("--save", "saved_as", metavar="NAME", help="Save the call under this name in calls.toml.")
@quiet_option
@takes("call", CallArguments)
@takes("options", CallOptions)
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    tool: str,
    target: str | None,
    others: tuple[str, ...],
    saved_as: str | None,
    call: CallArguments,
    options: CallOptions,
) -> int:
    """Call TOOL on TARGET and print what the server sent beside what the model sees.

    TOOL comes first, so that -- COMMAND can come last.
    """
    if call.whole is not None and call.whole.startswith("{"):
        # This is checked before the words, because a shell may have split unquoted JSON into words.
        whole_arguments(call.whole)
    _check_words(tool, target, others, options.connection)
    if call.submit and not isinstance(
        target_of(target, options.connection, invocation.command_line), PageTarget
    ):
        raise UsageError("--submit only works with web pages", "Leave it out.")
    if saved_as is not None:
        from inspector.saved.files.calls import USUAL_FILE, check_new  # noqa: PLC0415 - few calls are saved

        check_new(USUAL_FILE, saved_as)
    return called(
        invocation,
        target,
        lambda session: _tool(session, tool, call),
        call,
        options,
        saved_as=saved_as,
    )


def _check_words(
    tool: str, target: str | None, others: tuple[str, ...], connection: ConnectionOptions
) -> None:
    """Raise UsageError if the words of the command line are not TOOL [TARGET].

    If the target comes before the tool, or if an argument of the tool lacks --arg, the error names this
    mistake.
    """
    given = [word for word in (target, *others) if word is not None and "=" in word and "://" not in word]
    added = [each for word in given for each in ("--arg", word)]
    if target not in given:
        check_named("tool", tool, target, connection, added)
    if given:
        raise UsageError(
            f"an argument of the tool without --arg: {given[0]}", f"Write it as {shlex.join(added)}."
        )
    if target is not None and others:
        hint = f"{meant_command((target, *others))} sightline call TOOL TARGET, or TOOL -- COMMAND."
        raise UsageError(f"too many words: {' '.join(others)}", hint.strip())


_Named: TypeAlias = tuple[str, Tool | None]
"""A tool, prompt or resource to call: its name, and its definition if it is listed."""


def called(
    invocation: Invocation,
    target: str | None,
    choose: Callable[[Session], _Named | Awaitable[_Named]],
    call: CallArguments,
    options: CallOptions,
    *,
    saved_as: str | None = None,
) -> int:
    """Call the tool, prompt or resource that `choose` selects, and print both views of the result.

    Returns the exit code. The views are what the server sent and what the model sees. `choose`: returns the
    name of the tool, prompt or resource, and its definition if the server lists it.
    """
    output, connection, rules = options.output, options.connection, options.rules
    options.lens.profile()
    terms = rules.read()
    chosen = target_of(target, connection, invocation.command_line)
    given, meta = whole_arguments(call.whole), given_meta(call.meta)
    with rules.logged(terms) as terms:
        launch = launch_of(
            chosen,
            connection,
            lens=options.lens,
            recording=options.recording,
            terms=terms,
            agreement=rules.agreement,
        )
        quotes = None if output.unmask else Quotes()
        launch = options.answers.applied(launch, quotes)
        if call.submit:
            launch = replace(launch, options=replace(launch.options, forms=Forms.SUBMIT))

        own: OwnCredentials | None = None
        unanswered: dict[str, int] = {}
        facts: ServerFacts | None = None
        remarks: list[str] = []
        stray: Callable[[], list[str]] = list

        async def work(session: Session) -> tuple[Ruled, list[str]]:
            nonlocal own, unanswered, facts, remarks, stray
            stray = partial(stray_output, session)
            unanswered, facts = session.asker.unanswered, session.server
            await session.list_all()
            chosen_now = choose(session)
            name, listed = await chosen_now if isawaitable(chosen_now) else chosen_now
            arguments = checked_arguments(given, call, listed)
            remarks = argument_remarks(arguments, call, listed)
            for remark in remarks:
                DIAGNOSTICS.say(remark)
            if saved_as is not None:
                from inspector.cli.saved_calls import conceal_unsaved  # noqa: PLC0415 - few calls are saved

                own = conceal_unsaved(session, launch, name, arguments)
            if quotes:
                quotes.begin(listed, arguments, launch.options.policy)
            return await _made(session, launch, name, arguments, meta, quotes)

        made, stderr = in_session(launch, work, quotes)
    code = report(
        made.record,
        launch,
        output,
        server=connection.server or "server",
        decided=decided(made, launch.agreement),
        stderr=stderr,
        own=own if own and not own.is_empty and not output.unmask else None,
        unanswered=tuple(unanswered),
        era=facts.era if facts else Era.AUTO,
        about_arguments=remarks,
        stray=stray() if output.as_json else (),
    )
    if saved_as is not None and own is not None:
        from inspector.cli.overview import words_of  # noqa: PLC0415 - as in `command`
        from inspector.cli.saved_calls import save  # noqa: PLC0415 - as above

        words = words_of(target, connection, invocation.command_line, chosen)
        save(saved_as, made.record, launch, words, own)
    if not code and made.is_stopped:
        return DIAGNOSTICS.fail(stopped(made))
    mismatch = unverified(made.record.outcome, made.record.judgement.contract)
    if not code and mismatch:
        return DIAGNOSTICS.fail(
            ToolFailedError(
                f"{made.record.title} is withheld: {mismatch}", "List again: the skill may have changed."
            )
        )
    compared = made.record.judgement.output(launch.level, made.record.policy)
    if not code and compared.violations and not call.no_check_output:
        return DIAGNOSTICS.fail(OutputBrokenError(f"{made.record.title}: {compared.lead}"))
    return code


def _tool(session: Session, name: str, call: CallArguments) -> tuple[str, Tool | None]:
    """A tool by its name, and its definition if it is listed. Raises UsageError or ToolFailedError."""
    listed = session.catalogue.tool(name)
    if listed and listed.item:
        raise UsageError(f"{name} is not a tool", "Use sightline read URI, or sightline prompt NAME.")
    shared = session.catalogue.sharing(name)
    if shared:
        raise UsageError(*shared_name(name, [each.name for each in shared]))
    if listed is None and not call.unvalidated:
        raise _unknown(name, session)
    return name, listed


_VERBS = {Kind.TOOL: "calling", Kind.PROMPT: "getting"}


async def _made(
    session: Session,
    launch: Launch,
    name: str,
    arguments: JsonObject,
    meta: JsonObject,
    quotes: Quotes | None,
) -> tuple[Ruled, list[str]]:
    """Make a call if the policy allows it.

    Returns the call, and the lines that the server wrote to stderr during the call. `name`: the name of a
    tool, or the handle of another item. `quotes`: writes texts of the server to stderr, and masks the values
    that are withheld from results. If it is None, the texts are written at once, and such values are not
    masked.
    """
    listed = session.catalogue.tool(name)
    oversight = Oversight(launch.terms.policy, audit=launch.terms.audit)
    asking = await asyncio.to_thread(changes_since_pin, session, name)
    considered = await oversight.consider(session, name, arguments, asking=asking)
    if considered.verdict is Verdict.ALLOW or (
        considered.verdict is Verdict.CONFIRM and launch.agreement.is_given
    ):
        verb = _VERBS.get(listed.kind if listed else Kind.TOOL, "reading")
        DIAGNOSTICS.say(f"{verb} {title_of(listed, arguments) if listed else name} …")
    made = await oversight.call(
        session, considered, agreement=launch.agreement, on_progress=_ProgressReporter(quotes).say, meta=meta
    )
    return made, await _stderr_of(session, made.record)


async def _stderr_of(session: Session, record: CallRecord) -> list[str]:
    """The lines that the server wrote to stderr since the call was sent, with the user's credentials masked."""
    if isinstance(record.outcome, Failure) and record.outcome.kind is FailureKind.CONNECTION_LOST:
        # The message about the end of the server quotes its stderr.
        return []
    await asyncio.sleep(_STDERR_WAIT_S if _has_failed(record) else _SHORT_WAIT_S)
    return [session.own.mask(line) for line in session.timeline.stderr_since(record.at_s)]


_HINTS = {
    FailureKind.TIMEOUT: "--timeout SECONDS waits longer.",
    FailureKind.HTTP_STATUS: "The server refused the call: look at its log.",
    FailureKind.PROTOCOL: "The server breaks the protocol: look at its log.",
}


def report(  # noqa: PLR0913 - the parts of one call's outcome
    record: CallRecord,
    launch: Launch,
    output: CallOutput,
    *,
    server: str = "server",
    decided: Decided | None = None,
    stderr: list[str] | None = None,
    own: "OwnCredentials | None" = None,
    unanswered: Sequence[str] = (),
    era: Era = Era.AUTO,
    about_arguments: Sequence[str] = (),
    stray: Sequence[str] = (),
) -> int:
    """Print what the server sent and what the model sees of a call. Returns the exit code.

    `server`: the name by which the host knows the server. `decided`: the policy's decision about the call and
    its answer. `stderr`: the lines that the server wrote to stderr during the call. They are printed if the
    call failed or with --stderr; otherwise, only a summary is printed. `own`: values to mask in everything
    printed. `unanswered`: the reasons why Sightline itself left requests by the server unanswered. `era`: the
    era in which the call was made. `about_arguments`: remarks on the arguments. `stray`: remarks on lines of
    the server's stdout that are not JSON objects. The JSON output contains the remarks of both; the text
    output does not, because the caller has already written them to stderr.
    """
    received = compact_bytes(raw_of(record.outcome))
    if received >= _LARGE_BYTES and not output.as_json:
        DIAGNOSTICS.say(f"received {received / 1_000_000:,.1f} MB, preparing the text …")
    call = Call(server=server, tool=record.name, nonce=record.nonce)
    shown = projection_of(record.judgement, launch.level, host_profile(launch.host), call, record.policy)
    raw = shown.raw if output.unmask else shown.masked_sent
    model = shown.context.model if output.unmask else shown.masked_model
    is_stderr_shown = output.whole_stderr or _has_failed(record)
    remark, of_page = "", page_answer(record.outcome)
    if stderr:
        from inspector.pins.withheld import OutputMasks  # noqa: PLC0415 - few servers write to stderr

        masks = OutputMasks(record.tool, record.arguments, record.outcome, shown.sensitive)
        safe = masks.masked(stderr)
        stderr, remark = stderr if output.unmask else [*safe.lines], safe.remark("stderr")
    if output.as_json:
        to_model, limit = addressing_of(shown)
        shape: JsonObject = {
            _KEYS.get(record.kind, "resource"): record.title,
            **_sides_shape(shown, raw, model, output.view),
            "undeclared": shown.undeclared.number,
            "undeclared_places": [*shown.undeclared.places],
            "remarks": remarks_shape(
                (*shown.remarks, *to_model, *filter(None, (limit, of_page, remark)), *stray)
            ),
            **({"argument_remarks": remarks_shape(tuple(about_arguments))} if about_arguments else {}),
            **output_shape(shown.output),
            **({"app": shown.app.shape} if shown.app else {}),
            "duration_ms": round(record.duration_s * 1000, 3),
            **unfinished_shape(shown),
            **(decided.shape if decided else {}),
            **({"stderr": list[Json](stderr)} if stderr and is_stderr_shown else {}),
        }
        print_json(own.masked(shape)[0] if own else shape)
    else:
        if stderr and is_stderr_shown:
            # Before the result, so that a terminal ends with what the server sent.
            DIAGNOSTICS.add("\n  ".join(_stderr_lines(stderr, is_whole=output.whole_stderr)))
        heading = f"{safe_line(record.title)} on {launch.target}, {record.duration_s * 1000:.0f} ms"
        about = [f"! {of_page}"] if of_page else []
        print_lines([heading, *(decided.lines if decided else ()), *about, ""])
        if own:
            # Values are masked before the lines are laid out, because a value may be wrapped.
            model, _ = own.masked(model)
            raw, _ = own.masked(raw)
        lines = result_lines(raw, shown, launch.host, columns(), output.view, model=model, is_whole=False)
        print_lines((masked_line(line, own.mask) for line in lines) if own else lines)
    if stderr and not is_stderr_shown:
        DIAGNOSTICS.say(clipped(_STDERR + stderr_words(stderr).removeprefix("stderr "), 400))
    if remark:
        DIAGNOSTICS.say(f"! {remark}")
    if shown.unfinished:
        hint = f"Sightline did not answer: {unanswered[-1]}." if unanswered else _ANSWERING
        return DIAGNOSTICS.fail(
            ToolFailedError(shown.unfinished.line, f"The model gets nothing from this call. {hint}")
        )
    return _exit_code(record, launch.target, era)


_STDERR = "the server's stderr during the call, "


def _stderr_lines(lines: list[str], *, is_whole: bool) -> list[str]:
    """A summary of what a server wrote to stderr, then its lines.

    If there are many lines and `is_whole` is false, only the lines of an exception are included, or the last
    lines if there is no exception.
    """
    summary = stderr_words(lines).removeprefix("stderr ")
    lead = _STDERR + (f"{_lines(len(lines))}:" if raised_in(lines) is None else summary)
    if is_whole or len(lines) <= MAX_BEFORE:
        return [lead, *lines]
    found = cause_in(lines)
    shown = lines[found.start : found.stop]
    return [lead, *shown, f"… {_lines(len(lines) - len(shown), 'more ')}; --stderr shows all"]


def _sides_shape(shown: Projection, raw: Json, model: Json, sides: ResultSides) -> JsonObject:
    """The members of the JSON output for the views that `sides` chooses, and for the removals.

    `raw`, `model`: the server's result and the model's view, masked unless the user wants to see secrets. If
    the call got no answer, the member `raw` is null, and the member `failure` has the reason in words of
    Sightline.
    """
    failure: JsonObject = {}
    withheld = withheld_shape(shown.bounded.removals)
    if isinstance(shown.outcome, Failure):
        message = text_at(raw, "error", "message")
        failure = {"failure": {"kind": shown.outcome.kind.value, "message": message}}
        raw, withheld = None, []
    views: JsonObject = {
        **({"raw": raw} if sides is not ResultSides.MODEL else {}),
        **({"model": model} if sides is not ResultSides.RAW else {}),
    }
    return {**views, "withheld": withheld, **failure}


_KEYS = {Kind.TOOL: "tool", Kind.PROMPT: "prompt", Kind.SKILL: "skill"}
_ANSWERING = "--answer and --sampling-reply answer the server's requests."


def _lines(count: int, which: str = "") -> str:
    return f"{count:,} {which}line{'' if count == 1 else 's'}"


def _has_failed(record: CallRecord) -> bool:
    match record.outcome:
        case Result(value=dict() as value):
            return value.get("isError") is True
        case Result():
            return False
        case RpcError() | Failure():
            return True


def _exit_code(record: CallRecord, target: Target, era: Era) -> int:
    match record.outcome:
        case Failure(kind=FailureKind.UNSUBMITTED, detail=detail):
            hint = "--submit submits it; --headed shows the browser, so that you can submit it."
            return DIAGNOSTICS.fail(ToolFailedError(detail, hint))
        case Failure(kind=kind):
            # How a server that Sightline started has ended is part of the message.
            usual = "" if isinstance(target, StdioTarget) else "Is the server still there?"
            if missed_handshake(record.outcome, era):
                usual = "--era legacy connects with a handshake."
            return DIAGNOSTICS.fail(error_of(record.outcome, "", _HINTS.get(kind, usual)))
        case _:
            if not _has_failed(record):
                return ExitCode.OK
            # The answer and stderr may have many lines, so the last one says how the call ended.
            how = record.outcome.who if isinstance(record.outcome, RpcError) else "the tool reported an error"
            DIAGNOSTICS.add(f"sightline: {record.title}: {how}")
            if method := unanswerable(record.outcome, era):
                words = f"The server cannot send {method} during a call in the stateless era."
                DIAGNOSTICS.add(f"{words} --era legacy connects with a handshake.")
            return ExitCode.TOOL_FAILED


def checked_arguments(given: JsonObject, call: CallArguments, tool: Tool | None) -> JsonObject:
    """The arguments of a call. Raises UsageError if the tool's input schema does not allow them."""
    schema: Json = tool.input_schema if tool else {}
    arguments = {**given, **assigned(call.single, schema)}
    found = () if call.unvalidated else violations(arguments, schema)
    if found:
        lines = "\n".join(f"  {violation.pointer or '/'}: {violation.message}" for violation in found)
        schema_of = f"what {tool.label} takes" if tool and tool.item else "the input schema"
        hint = "--no-validate sends them anyway."
        meant = _meant(arguments, schema)
        unnamed = [f"{each[:1].upper()}{each[1:]}." for each in _unnamed(arguments, schema)]
        raise UsageError(
            f"the arguments do not match {schema_of}:\n{lines}",
            " ".join([*meant, *_missing(found, meant, schema), *unnamed, hint]),
        )
    return arguments


def argument_remarks(arguments: JsonObject, call: CallArguments, tool: Tool | None) -> list[str]:
    """Sentences about arguments that the input schema does not name and that are probably mistakes.

    An argument is probably a mistake if its name is close to one in the schema, or if the schema names all
    arguments that it expects.
    """
    schema: Json = tool.input_schema if tool else {}
    if call.unvalidated:
        return []
    meant = [f"the input schema does not name {sentence}" for sentence in _meant(arguments, schema)]
    return [*meant, *_unnamed(arguments, schema)]


def _missing(found: Sequence[Violation], meant: Sequence[str], schema: Json) -> list[str]:
    """A sentence with the options that would give the missing arguments; empty if there are none.

    Also empty if `meant` has a suggestion, because a missing argument may then be misspelt.
    """
    paths = [split(each.pointer) for each in found if each.keyword == "required"]
    written = islice(assignments_for(paths, schema), _MOST_OPTIONS)
    options = [f"--arg {shlex.quote(safe_line(assignment))}" for assignment in written]
    return [] if meant or not options else [f"Add {' '.join(options)}."]


def _meant(arguments: JsonObject, schema: Json) -> list[str]:
    """Questions such as `nam: did you mean name?`, for argument names that the schema does not name."""
    close = _close(arguments, schema)
    return [f"{safe_line(name)}: did you mean {safe_line(found)}?" for name, found in close.items() if found]


_OTHER_NAMES = frozenset(
    {
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "unevaluatedProperties",
        "dependentSchemas",
    }
    | {"allOf", "anyOf", "oneOf", "if", "then", "else", "$ref", "$dynamicRef"}
)
"""Keywords of a schema that say something about members which `properties` does not name."""


def _unnamed(arguments: JsonObject, schema: Json) -> list[str]:
    """Sentences about argument names that the schema does not name and that are close to none of its names.

    Empty if the schema may expect arguments that it does not name.
    """
    if not isinstance(schema, dict) or _OTHER_NAMES & schema.keys():
        return []
    names = [safe_line(name) for name in object_at(schema, "properties")]
    shown = ", ".join(names[:_MOST_OPTIONS]) + (" and others" if len(names) > _MOST_OPTIONS else "")
    close = _close(arguments, schema)
    return [
        f"the input schema does not name {safe_line(name)}, only {shown}"
        for name in close
        if names and not close[name]
    ]


def _close(arguments: JsonObject, schema: Json) -> dict[str, str]:
    """Maps each argument name that the schema does not name to a close name in the schema.

    The close name is not that of a given argument. It is empty if no name is close.
    """
    names = list(object_at(schema, "properties"))
    free = [name for name in names if name not in arguments]
    unknown = (name for name in arguments if name not in names)
    return {name: next(iter(get_close_matches(name, free, n=1)), "") for name in unknown}


def _unknown(name: str, session: Session) -> ToolFailedError:
    names = [tool.name for tool in session.catalogue.tools]
    broken = next((item for item in session.catalogue.malformed if item.name == name), None)
    if broken:
        return ToolFailedError(f"{name} is malformed: {broken.reason}", "--no-validate calls it anyway.")
    refused = next((item for item in session.catalogue.refused if item.name == name), None)
    if refused:
        at = f"\nregistered at {refused.place}" if refused.place else ""
        return ToolFailedError(f"{refusal(refused)}{at}", "Fix what the page registers.")
    return ToolFailedError(f"the server lists no tool {name}", listing_hint(name, names))


class _ProgressReporter:
    """Reports the progress of a call. The state of its task is reported only when it has changed."""

    def __init__(self, quotes: Quotes | None) -> None:
        self._of_task = ""
        self._quotes = quotes

    def say(self, progress: Progress) -> None:
        if progress is VISITING or progress is AGAIN:
            # The line about the server's request has reported this.
            return
        if not progress.task:
            self._say_progress(progress)
            return
        words = f": {safe_line(progress.message)}" if progress.message else ""
        said = f"task {safe_line(progress.task)}{words}"
        if said != self._of_task:
            self._of_task = said
            self._say(said, f"task {progress.task}" if progress.task in STATUSES else "")

    def _say(self, text: str, without: str) -> None:
        if self._quotes and text != without:
            self._quotes.say(text, without)
        else:
            DIAGNOSTICS.say(text)

    def _say_progress(self, progress: Progress) -> None:
        if progress is FILLED:
            DIAGNOSTICS.say(f"{progress.message}: submit the form in the browser's window …")
            return
        of = f" of {progress.total:g}" if progress.total is not None else ""
        numbers = f"progress {progress.progress:g}{of}"
        self._say(numbers + (f": {safe_line(progress.message)}" if progress.message else ""), numbers)
