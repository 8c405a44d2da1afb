"""`sightline policy`: whether a policy can be read, and what it decides of a call that is not made."""

from collections.abc import Sequence

import click

from inspector.cli.arguments import given_arguments
from inspector.cli.diagnostics import OK
from inspector.cli.documents import read_outcome
from inspector.cli.options import Invocation, in_session, reach_of, reaching, word, words
from inspector.cli.output import columns, print_json, print_lines, table
from inspector.cli.recording import recording, wish_of
from inspector.errors import ToolFailedError
from inspector.json.exact import JsonObject
from inspector.policy.facts import Situation, facts_of, with_response
from inspector.policy.reading import DEFAULT_POLICY
from inspector.policy.rules import Decision, Handling, Match, Policy, Rule, decide, handle
from inspector.policy.taint import Origin, SessionTrust, trust_of
from inspector.protocol.catalogue import Tool
from inspector.session.facts import ServerFacts
from inspector.session.live import Session

_FORMAT = click.option(
    "--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True
)


@click.group(name="policy")
def command() -> None:
    """Check a policy, or explain what it decides."""


@command.command()
@click.argument("file")
@_FORMAT
def check(*, file: str, format_: str) -> int:
    """Read the policy in FILE, TOML or JSON, and list its rules."""
    policy = _policy(file)
    if format_ == "json":
        print_json({"rules": [_rule_shape(rule) for rule in policy.rules]})
        return OK
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
    return OK


@command.command()
@click.argument("tool")
@reaching
@recording
@click.option("--policy", "file", metavar="FILE", help="The policy; without it, the built-in one.")
@click.option("--args", "whole", metavar="JSON|@FILE|-", help="All arguments, as one JSON object.")
@click.option("--arg", "single", multiple=True, metavar="K=V|K:=JSON", help="One argument.")
@click.option(
    "--seen",
    multiple=True,
    metavar="FILE",
    help="A result that the session is to have taken in before: a tools/call result, or a whole response.",
)
@click.option("--answer", metavar="FILE", help="Explain what becomes of this result too.")
@_FORMAT
@click.pass_obj
def explain(invocation: Invocation, *, tool: str, target: str | None, **options: object) -> int:
    """Say what the policy decides of a call of TOOL on TARGET, and why. The call is not made."""
    reach, recorded = reach_of(options), wish_of(options)
    file, answer, whole = (word(options[name]) for name in ("file", "answer", "whole"))
    policy = _policy(file)
    trust = _taken_in(words(options["seen"]))
    outcome = read_outcome(answer) if answer is not None else None
    chosen = reach.target(target, invocation)
    server, listed = in_session(
        chosen, recorded.taken(reach.options(), chosen), lambda session: _found(session, tool)
    )
    situation = Situation(
        name=tool,
        tool=listed,
        arguments=given_arguments(whole, words(options["single"]), listed),
        trust=trust,
        server=str(chosen),
        server_name=server.name,
    )
    facts = facts_of(situation)
    decision = decide(policy, facts)
    handling = handle(policy, with_response(facts, situation, outcome)) if outcome else None
    if options["format_"] == "json":
        after: JsonObject = {"after": handling.as_json()} if handling else {}
        print_json({"tool": tool, "before": decision.as_json(), **after})
    else:
        print_lines(_before(decision))
        print_lines(_after(handling) if handling else ())
    return OK


def _policy(file: str | None) -> Policy:
    if file is None:
        return DEFAULT_POLICY
    from inspector.policy.files.policies import read_policy  # noqa: PLC0415 - the built-in policy needs no file

    return read_policy(file)


def _taken_in(files: Sequence[str]) -> SessionTrust:
    trust = SessionTrust()
    for number, file in enumerate(files, 1):
        origin = Origin(call=number, server=file, tool="")
        trust = trust.join(trust_of(read_outcome(file), None, origin))
    return trust


async def _found(session: Session, name: str) -> tuple[ServerFacts, Tool]:
    await session.list_all()
    tool = session.catalogue.tool(name)
    if tool is None or session.server is None:
        raise ToolFailedError(f"the server lists no tool {name}", "sightline list shows what it lists.")
    return session.server, tool


def _before(decision: Decision) -> list[str]:
    return [f"before the call: {decision.verdict.value}", *_reasons(decision)]


def _after(handling: Handling) -> list[str]:
    lines = [f"of the answer: {handling.decision.verdict.value}", *_reasons(handling.decision)]
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
    return _lines(decision.matches) or ["  no rule matches"]


def _lines(matches: Sequence[Match]) -> list[str]:
    return [f"  {match}" for match in matches]


def _rule_shape(rule: Rule) -> JsonObject:
    return {
        "name": rule.name,
        "effect": rule.effect.value,
        "reason": rule.reason,
        "after": rule.is_after,
        "facts": [path.text for path in rule.paths],
    }
