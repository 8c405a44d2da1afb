"""`sightline call TOOL … TARGET`: one call, and both views of its result."""

import asyncio
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import cast

import click

from inspector.cli.arguments import whole_arguments
from inspector.cli.auditing import audit_of, auditing, closing_after
from inspector.cli.decisions import Decided, decided, stopped
from inspector.cli.diagnostics import DIAGNOSTICS, OK, TOOL_FAILED
from inspector.cli.lenses import Lens, lenses, lenses_of
from inspector.cli.options import Invocation, Reach, in_session, reach_of, reaching
from inspector.cli.output import columns, print_json, print_lines
from inspector.cli.overseeing import agreeing, agreement_of, policy_of, ruling
from inspector.cli.recording import recording, wish_of
from inspector.cli.shapes import findings_shape, output_shape, unfinished_shape, withheld_shape
from inspector.cli.side_by_side import side_by_side
from inspector.errors import OutputBrokenError, ToolFailedError, UsageError
from inspector.hosts.profile import Call
from inspector.hosts.projection import projection_of
from inspector.json.exact import Json, JsonObject
from inspector.pins.pins import ConfirmReason
from inspector.policy.gate.agreement import Agreement
from inspector.policy.gate.oversight import Oversight
from inspector.policy.gate.ruling import Ruled
from inspector.policy.rules import Verdict
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Result, RpcError
from inspector.protocol.page import Forms
from inspector.protocol.targets import PageTarget, Target
from inspector.safe_text import safe_line
from inspector.schema.arguments import assigned
from inspector.schema.validation import violations
from inspector.session.call_record import FILLED, CallRecord, Progress
from inspector.session.live import Session
from inspector.session.wording import error_of, refusal, shared_name


@click.command()
@click.argument("tool")
@reaching
@lenses
@recording
@ruling
@agreeing
@auditing
@click.option("--args", "whole", metavar="JSON|@FILE|-", help="All arguments, as one JSON object.")
@click.option(
    "--arg",
    "single",
    multiple=True,
    metavar="K=V|K:=JSON",
    help="One argument, read as the input schema says; := takes JSON.",
)
@click.option(
    "--no-validate",
    "unvalidated",
    is_flag=True,
    help="Send arguments that the input schema does not allow, and names that are not listed.",
)
@click.option(
    "--submit",
    is_flag=True,
    help="Submit a page's form that the call fills in and the page leaves to the user.",
)
@click.option(
    "--no-check-output",
    "uncompared",
    is_flag=True,
    help="Exit 0 also where the result breaks the tool's output schema; it is still reported.",
)
@click.option("--unmask", is_flag=True, help="Show sensitive values in the raw view.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
def command(invocation: Invocation, *, tool: str, target: str | None, **options: object) -> int:
    """Call TOOL on TARGET and print the raw result beside what the model sees.

    The tool comes first, so that `-- COMMAND` can come last.
    """
    lens = lenses_of(options)
    lens.profile()
    reach = reach_of(options)
    wish = _wish_of(options)
    recorded = wish_of(options)
    policy, agreement = policy_of(options), agreement_of(options)
    chosen = reach.target(target, invocation)
    given = whole_arguments(wish.whole)
    audit = audit_of(options)
    session_options = replace(reach.options(), policy=lens.policy, recorder=recorded.recorder(chosen, lens))
    if wish.submit:
        if not isinstance(chosen, PageTarget):
            raise UsageError("--submit is for forms of pages", "Leave it out.")
        session_options = replace(session_options, forms=Forms.SUBMIT)

    async def use(session: Session) -> Ruled:
        await session.list_all()
        listed = session.catalogue.tool(tool)
        shared = session.catalogue.sharing(tool)
        if shared:
            raise UsageError(*shared_name(tool, [each.name for each in shared]))
        if listed is None and not wish.unvalidated:
            raise _unknown(tool, session)
        arguments = _arguments(given, wish, listed)
        oversight = Oversight(policy, audit=audit)
        asking = await asyncio.to_thread(_changes, session, tool)
        considered = await oversight.consider(session, tool, arguments, asking=asking)
        if considered.verdict is Verdict.ALLOW or (
            considered.verdict is Verdict.CONFIRM and agreement.is_given
        ):
            DIAGNOSTICS.say(f"calling {tool} …")
        return await oversight.call(session, considered, agreement=agreement, on_progress=_say_progress)

    with closing_after(audit):
        made = in_session(chosen, session_options, use)
    code = _told(made, agreement, chosen, reach, lens, as_json=wish.as_json, unmask=wish.unmask)
    compared = made.record.judgement.output(lens.level, made.record.policy)
    if code == OK and compared.violations and not wish.uncompared:
        return DIAGNOSTICS.fail(OutputBrokenError(f"the result of {tool} breaks its output schema"))
    return code


_HINTS = {
    FailureKind.TIMEOUT: "--timeout SECONDS waits longer.",
    FailureKind.HTTP_STATUS: "The server refused it: look at its log.",
    FailureKind.PROTOCOL: "The server breaks the protocol: look at its log.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    whole: str | None
    single: tuple[str, ...]
    unvalidated: bool
    unmask: bool
    as_json: bool
    submit: bool
    uncompared: bool


def _wish_of(options: dict[str, object]) -> _Wish:
    single = options["single"]
    return _Wish(
        whole=str(options["whole"]) if options["whole"] is not None else None,
        single=tuple(map(str, cast("tuple[object, ...]", single))),
        unvalidated=options["unvalidated"] is True,
        unmask=options["unmask"] is True,
        as_json=options["format_"] == "json",
        submit=options["submit"] is True,
        uncompared=options["uncompared"] is True,
    )


def _told(
    made: Ruled,
    agreement: Agreement,
    target: Target,
    reach: Reach,
    lens: Lens,
    *,
    as_json: bool,
    unmask: bool,
) -> int:
    """Print both views of a call that was decided on; the exit code."""
    lens = replace(lens, policy=made.record.policy)
    code = report(
        made.record, target, reach, lens, as_json=as_json, unmask=unmask, decided=decided(made, agreement)
    )
    if code == OK and made.is_stopped:
        return DIAGNOSTICS.fail(stopped(made))
    return code


def report(
    record: CallRecord,
    target: Target,
    reach: Reach | None,
    lens: Lens,
    *,
    as_json: bool,
    unmask: bool,
    decided: Decided | None = None,
) -> int:
    """Print both views of a call; the exit code. `decided`: what was decided of it, and of its answer."""
    call = Call(
        server=reach.server if reach and reach.server else "server", tool=record.name, nonce=record.nonce
    )
    shown = projection_of(record.judgement, lens.level, lens.profile(), call, lens.policy)
    raw = shown.raw if unmask else shown.masked
    if as_json:
        print_json(
            {
                "tool": record.name,
                "raw": raw,
                "model": shown.context.model,
                "withheld": withheld_shape(shown.bounded.removals),
                "undeclared": shown.undeclared,
                "findings": findings_shape(shown.findings),
                **output_shape(shown.output),
                "duration_ms": round(record.duration_s * 1000, 3),
                **unfinished_shape(shown),
                **(decided.shape if decided else {}),
            }
        )
    else:
        heading = f"{safe_line(record.name)} on {target}, {record.duration_s * 1000:.0f} ms"
        print_lines([heading, *(decided.lines if decided else ()), ""])
        print_lines(side_by_side(raw, shown, lens.level, lens.host, columns()))
    if shown.unfinished:
        return DIAGNOSTICS.fail(ToolFailedError(shown.unfinished.told, _NOT_ANSWERED))
    return _exit_code(record)


_NOT_ANSWERED = "Sightline cannot answer that yet: the model gets nothing of this call."


def _exit_code(record: CallRecord) -> int:
    match record.outcome:
        case Failure(kind=FailureKind.UNSUBMITTED, detail=detail):
            hint = "--submit submits it; --headed shows the browser, for you to submit it."
            return DIAGNOSTICS.fail(ToolFailedError(detail, hint))
        case Failure(kind=kind):
            return DIAGNOSTICS.fail(
                error_of(record.outcome, "", _HINTS.get(kind, "Is the server still there?"))
            )
        case RpcError():
            return TOOL_FAILED
        case Result(value=dict() as value) if value.get("isError") is True:
            return TOOL_FAILED
        case Result():
            return OK


def _arguments(given: JsonObject, wish: _Wish, tool: Tool | None) -> JsonObject:
    schema: Json = tool.input_schema if tool else {}
    arguments = {**given, **assigned(wish.single, schema)}
    found = () if wish.unvalidated else violations(arguments, schema)
    if found:
        lines = "\n".join(f"  {violation.pointer or '/'}: {violation.message}" for violation in found)
        raise UsageError(
            f"the input schema does not allow these arguments:\n{lines}",
            "--no-validate sends them all the same.",
        )
    return arguments


def _changes(session: Session, name: str) -> tuple[ConfirmReason, ...]:
    """What of a tool's definition is not as it was pinned."""
    from inspector.pins.files import Watch  # noqa: PLC0415 - the files of pins

    said = session.server.instructions if session.server else None
    return Watch(session.target).listed(session.catalogue, said).asks(name)


def _unknown(name: str, session: Session) -> ToolFailedError:
    names = [tool.name for tool in session.catalogue.tools]
    broken = next((item for item in session.catalogue.malformed if item.name == name), None)
    if broken:
        return ToolFailedError(
            f"{name} is malformed: {broken.reason}", "--no-validate calls it all the same."
        )
    refused = next((item for item in session.catalogue.refused if item.name == name), None)
    if refused:
        at = f"\nregistered at {refused.place}" if refused.place else ""
        return ToolFailedError(f"{refusal(refused)}{at}", "Mend what the page registers.")
    close = get_close_matches(name, names, n=3)
    return ToolFailedError(
        f"the server lists no tool {name}",
        f"Did you mean {' or '.join(close)}?" if close else f"It lists: {', '.join(names[:20])}.",
    )


def _say_progress(progress: Progress) -> None:
    if progress is FILLED:
        DIAGNOSTICS.say(f"{progress.message}: submit the form in the browser's window …")
        return
    of = f" of {progress.total:g}" if progress.total is not None else ""
    DIAGNOSTICS.say(
        f"progress {progress.progress:g}{of}"
        + (f": {safe_line(progress.message)}" if progress.message else "")
    )
