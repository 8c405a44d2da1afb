"""`sightline policy`: check that a policy can be read, and explain its decision about a call."""

from collections.abc import Sequence

import click

from inspector.cli.help import SectionedCommand
from inspector.cli.inputs import given_arguments, read_outcome
from inspector.cli.options import (
    ConnectionOptions,
    PolicyOptions,
    RecordingOptions,
    format_option,
    quiet_option,
    takes,
)
from inspector.cli.output import columns, print_json, print_lines, table
from inspector.cli.start import (
    Invocation,
    changes_since_pin,
    check_named,
    in_session,
    launch_of,
    listing_hint,
    target_of,
)
from inspector.errors import ExitCode, ToolFailedError
from inspector.json.exact import JsonObject
from inspector.policy.built_in import DEFAULT_POLICY
from inspector.policy.doubts import dropped
from inspector.policy.facts import Situation, facts_of, with_response
from inspector.policy.rules import Decision, Handling, PolicyRule, RuleMatch, decide, handle
from inspector.policy.taint import LabelOrigin, SessionTrust, trust_of
from inspector.protocol.catalogue import Tool
from inspector.session.facts import ServerFacts
from inspector.session.live import Session


@click.group(name="policy")
def command() -> None:
    """Check a policy, or explain what it decides."""


@command.command(
    cls=SectionedCommand,
    examples=("sightline policy check policy.toml", "sightline policy check --format json policy.toml"),
)
@click.argument("file")
@format_option("text", "json")
def check(*, file: str, format_: str) -> int:
    """Read the policy in FILE, TOML or JSON, and list its rules."""
    terms = PolicyOptions(policy=file).read()
    policy = terms.policy or DEFAULT_POLICY
    missing = dropped(policy)
    if format_ == "json":
        print_json(
            {
                "rules": [_rule_shape(rule) for rule in policy.rules],
                "warnings": [*terms.doubts],
                "builtInDropped": [*missing],
            }
        )
        return ExitCode.OK
    rows = [("RULE", "EFFECT", "JUDGED", "ASKS ABOUT")]
    rows += [
        (
            rule.name,
            rule.effect.value,
            "after the answer" if rule.is_after else "before the call",
            ", ".join(path.text for path in rule.paths),
        )
        for rule in policy.rules
    ]
    print_lines(table(rows, columns()) if policy.rules else ["No rules: every call is allowed."])
    if missing:
        print_lines([_replaced(missing)])
    return ExitCode.OK


def _replaced(missing: Sequence[str]) -> str:
    destructive = "claims-destructive" in missing
    question = " So it does not ask about destructive calls unless a rule above does." if destructive else ""
    return (
        f"This policy replaces the built-in one, without its rule{'' if len(missing) == 1 else 's'} {', '.join(missing)}.{question}"
        ' `extends = "default"` keeps the built-in rules.'
    )


@command.command(
    cls=SectionedCommand,
    exits=(ExitCode.TOOL_FAILED,),
    examples=(
        "sightline policy explain delete_project --arg project=apollo demo",
        "sightline policy explain send_mail --policy policy.toml --seen result.json demo",
    ),
)
@click.argument("tool")
@click.argument("target", required=False)
@click.option("--args", "whole", metavar="JSON|@FILE|-", help="All arguments as one JSON object; - is stdin.")
@click.option(
    "--arg",
    "single",
    multiple=True,
    metavar="K=V|K:=JSON",
    help="One argument, typed by the input schema; := takes JSON.",
)
@click.option(
    "--seen",
    multiple=True,
    metavar="FILE",
    help="Assume that the session has already received this result: a tools/call result, or a whole response.",
)
@click.option("--answer", metavar="FILE", help="Also explain what the policy does with this result.")
@format_option("text", "json")
@quiet_option
@takes("connection", ConnectionOptions)
@takes("recording", RecordingOptions)
@takes("rules", PolicyOptions, "policy")
@click.pass_obj
def explain(  # noqa: PLR0913 - the parts of a call, and the groups of options
    invocation: Invocation,
    *,
    tool: str,
    target: str | None,
    whole: str | None,
    single: tuple[str, ...],
    seen: tuple[str, ...],
    answer: str | None,
    format_: str,
    connection: ConnectionOptions,
    recording: RecordingOptions,
    rules: PolicyOptions,
) -> int:
    """Explain what the policy decides about a call of TOOL on TARGET. The call is not made."""
    check_named("tool", tool, target, connection)
    policy = rules.read().policy or DEFAULT_POLICY
    trust = _received(seen)
    outcome = read_outcome(answer) if answer is not None else None
    launch = launch_of(
        target_of(target, connection, invocation.command_line), connection, recording=recording
    )
    server, listed, asking = in_session(launch, lambda session: _tool(session, tool))
    situation = Situation(
        name=tool,
        tool=listed,
        arguments=given_arguments(whole, single, listed),
        trust=trust,
        server=str(launch.target),
        server_name=server.name,
    )
    facts = facts_of(situation)
    decision = decide(policy, facts)
    handling = handle(policy, with_response(facts, situation, outcome)) if outcome else None
    if format_ == "json":
        after: JsonObject = {"after": handling.as_json()} if handling else {}
        asks: JsonObject = {"asks": [*asking]} if asking else {}
        print_json({"tool": tool, "before": decision.as_json(), **asks, **after})
    else:
        print_lines(_before(decision))
        print_lines(f"with every policy, Sightline asks first: {sentence}" for sentence in asking)
        print_lines(_after(handling) if handling else ())
    return ExitCode.OK


def _received(files: Sequence[str]) -> SessionTrust:
    trust = SessionTrust()
    for number, file in enumerate(files, 1):
        origin = LabelOrigin(call=number, server=file, tool="")
        trust = trust.join(trust_of(read_outcome(file), None, origin))
    return trust


async def _tool(session: Session, name: str) -> tuple[ServerFacts, Tool, tuple[str, ...]]:
    """The server, the tool, and sentences about changes of its definition since it was pinned."""
    await session.list_all()
    tool = session.catalogue.tool(name)
    if tool is None or session.server is None:
        names = [each.name for each in session.catalogue.tools]
        raise ToolFailedError(f"the server lists no tool {name}", listing_hint(name, names))
    return session.server, tool, tuple(reason.sentence for reason in changes_since_pin(session, name))


def _before(decision: Decision) -> list[str]:
    return [f"before the call: {decision.verdict.value}", *_reasons(decision)]


def _after(handling: Handling) -> list[str]:
    lines = [f"after the answer: {handling.decision.verdict.value}", *_reasons(handling.decision)]
    effects = {
        "warn": handling.warnings,
        "withhold": handling.withholding,
        "hide_untrusted": handling.hiding,
    }
    for name, matches in effects.items():
        if matches:
            lines += [f"{name}", *_lines(matches)]
    return lines


def _reasons(decision: Decision) -> list[str]:
    return _lines(decision.matches) or ["  no rule matched"]


def _lines(matches: Sequence[RuleMatch]) -> list[str]:
    return [f"  {match}" for match in matches]


def _rule_shape(rule: PolicyRule) -> JsonObject:
    return {
        "name": rule.name,
        "effect": rule.effect.value,
        "reason": rule.reason,
        "after": rule.is_after,
        "facts": [path.text for path in rule.paths],
    }
