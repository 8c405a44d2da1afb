"""`sightline request METHOD … TARGET`: sends one request of any method, and prints the raw answer."""

import click

from inspector.cli.answers import AnswerOptions
from inspector.cli.help import SectionedCommand
from inspector.cli.inputs import whole_arguments
from inspector.cli.options import (
    ConnectionOptions,
    PolicyOptions,
    RecordingOptions,
    quiet_option,
    takes,
)
from inspector.cli.output import DIAGNOSTICS, print_json
from inspector.cli.start import Invocation, check_named, in_session, launch_of, target_of
from inspector.errors import ExitCode, UsageError
from inspector.json.exact import JsonObject
from inspector.json.members import object_at
from inspector.launch import Launch
from inspector.policy.gate.oversight import Oversight
from inspector.protocol.calls import called
from inspector.protocol.outcome import Failure, Outcome, Result, RpcError
from inspector.protocol.targets import PageTarget
from inspector.session.live import Session
from inspector.session.wording import error_of

_SENT_BY_SIGHTLINE = frozenset({"initialize", "subscriptions/listen"})
_HINT = "--timeout SECONDS waits longer."


@click.command(
    cls=SectionedCommand,
    exits=(ExitCode.TOOL_FAILED,),
    examples=(
        "sightline request ping demo",
        "sightline request completion/complete --params @complete.json https://host/mcp",
    ),
)
@click.argument("method")
@click.argument("target", required=False)
@click.option("--params", metavar="JSON|@FILE|-", help="The parameters as one JSON object; - is stdin.")
@quiet_option
@takes("connection", ConnectionOptions)
@takes("recording", RecordingOptions)
@takes("rules", PolicyOptions)
@takes("answers", AnswerOptions)
@click.pass_obj
def command(  # noqa: PLR0913 - one parameter for each group of options
    invocation: Invocation,
    *,
    method: str,
    target: str | None,
    params: str | None,
    connection: ConnectionOptions,
    recording: RecordingOptions,
    rules: PolicyOptions,
    answers: AnswerOptions,
) -> int:
    """Send the request METHOD to TARGET and print its answer as JSON, as it was sent.

    Sightline neither judges nor masks the answer. The policy decides on tools/call, resources/read and prompts/get.
    """
    check_named("method", method, target, connection)
    terms = rules.read()
    chosen = target_of(target, connection, invocation.command_line)
    if isinstance(chosen, PageTarget):
        raise UsageError("a page does not answer MCP requests", "Use sightline call.")
    if method in _SENT_BY_SIGHTLINE:
        raise UsageError(f"{method} is sent by Sightline itself", "Use another method.")
    given = whole_arguments(params)
    with rules.logged(terms) as terms:
        launch = launch_of(chosen, connection, recording=recording, terms=terms, agreement=rules.agreement)
        launch = answers.applied(launch)
        outcome = in_session(launch, lambda session: _answered(session, launch, method, given))
    match outcome:
        case Result(value=value):
            print_json(value)
            return ExitCode.OK
        case RpcError(value=value):
            print_json({"error": value})
            return ExitCode.TOOL_FAILED
        case Failure():
            return DIAGNOSTICS.fail(error_of(outcome, "", _HINT))


async def _answered(session: Session, launch: Launch, method: str, params: JsonObject) -> Outcome:
    call = called(method, params)
    if call is None:
        return await session.request(method, params)
    name, arguments = call
    await session.list_all()
    oversight = Oversight(launch.terms.policy, audit=launch.terms.audit)
    considered = await oversight.consider(session, name, object_at({"": arguments}, ""))
    return await oversight.send(session, considered, method, params, launch.agreement)
