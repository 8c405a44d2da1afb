"""`sightline review TARGET…`: findings that a reviewer takes home."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import cast

import click

from inspector import __version__
from inspector.cli.auditing import audit_of, auditing, closing_after
from inspector.cli.diagnostics import DIAGNOSTICS, FINDINGS, OK, STOPPED
from inspector.cli.options import Invocation, Reach, reach_of, reaching
from inspector.cli.output import print_lines
from inspector.cli.overseeing import agreeing, agreement_of, policy_of, ruling
from inspector.cli.recording import Wish, recording, wish_of
from inspector.cli.review_calls import Plan
from inspector.cli.review_targets import Gathered, gathered, gathered_from, judged
from inspector.errors import UsageError
from inspector.files.settings import Ignored, settings
from inspector.json.exact import Malformed, parse
from inspector.review.finding import Severity
from inspector.review.formats.formats import FORMATS, report_lines
from inspector.review.live.ongoing import partly_read
from inspector.review.registry import rules
from inspector.review.report import (
    Acceptance,
    NotChecked,
    Report,
    ReviewedServer,
    baseline_of,
    entries_of,
    without_credentials,
)
from inspector.safe_text import safe_line

_RECORDING = ".jsonl"


@click.command(name="review")
@reaching
@click.argument("others", nargs=-1, metavar="[TARGET]...")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@click.option(
    "--fail-on",
    type=click.Choice([severity.value for severity in Severity]),
    help=f"End with exit code {FINDINGS} where a finding is as bad as this, or worse.",
)
@click.option(
    "--baseline", metavar="FILE", help="A report of --format json: what it has is known, and does not fail."
)
@click.option(
    "--ignore",
    "ignored",
    multiple=True,
    metavar="ID[@TOOL][=REASON]",
    help="Accept the findings of one rule, everywhere or for one tool: they are told, and do not fail.",
)
@click.option(
    "--call",
    "calls",
    is_flag=True,
    help="Also call the tools that declare that they only read, with arguments made from their schemas.",
)
@click.option(
    "--yes-call",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="With --call: call these tools too, whatever they declare; * stands for anything.",
)
@ruling
@agreeing
@auditing
@recording
@click.option("-o", "--output", metavar="FILE", help="Write the report here.")
@click.pass_obj
def command(invocation: Invocation, *, target: str | None, others: tuple[str, ...], **options: object) -> int:
    """Review what each TARGET offers: its definitions, and with --call what its tools return.

    A recording (*.jsonl) is reviewed with what was called in it, without any server.
    """
    reach, recorded = reach_of(options), wish_of(options)
    known = _baseline(options["baseline"])
    accepted = (
        *(_acceptance(str(word)) for word in cast("tuple[object, ...]", options["ignored"])),
        *(_configured(entry) for entry in settings().ignored),
    )
    plan = Plan(
        calls=options["calls"] is True,
        patterns=tuple(map(str, cast("tuple[object, ...]", options["patterns"]))),
        policy=policy_of(options),
        agreement=agreement_of(options),
    )
    if plan.patterns and not plan.calls:
        raise UsageError("--yes-call without --call", "Add --call.")
    words = (*(() if target is None else (target,)), *others)
    audit = audit_of(options)
    with closing_after(audit):
        parts = _numbered(_gathered(words, invocation, reach, replace(plan, audit=audit), recorded))
    report = _report(parts, known, accepted)
    _hand_over(report, str(options["format_"]), options["output"])
    worst = options["fail_on"]
    if worst is not None and report.fails(Severity(str(worst))):
        return FINDINGS
    return STOPPED if any(part.is_stopped for part in parts) else OK


def _gathered(
    words: tuple[str, ...], invocation: Invocation, reach: Reach, plan: Plan, recorded: Wish
) -> tuple[Gathered, ...]:
    """Each target in its turn: recordings are read, servers asked."""
    recordings = [word for word in words if word.endswith(_RECORDING)]
    if recordings and plan.calls:
        raise UsageError("--call is for servers", "A recording is reviewed with the calls that are in it.")
    live = len(words) - len(recordings) + (invocation.command_line is not None) + (reach.config is not None)
    if live > 1 and (reach.environment or reach.headers or reach.cwd):
        raise UsageError(
            "-e, --header and --cwd are for one target",
            "Write the servers into an mcp.json, and review mcp.json:NAME mcp.json:OTHER.",
        )
    # All are settled before the first is asked.
    targets = [
        Path(word)
        if word in recordings
        else replace(reach, config=None).target(word, replace(invocation, command_line=None))
        for word in words
    ]
    if invocation.command_line is not None or reach.config is not None or not words:
        targets.append(reach.target(None, invocation))
    if recorded.path is not None and sum(not isinstance(found, Path) for found in targets) != 1:
        raise UsageError("--record records one session", "Review one server, or leave it out.")
    return tuple(
        gathered_from(found)
        if isinstance(found, Path)
        else gathered(found, recorded.taken(reach.options(), found), plan)
        for found in targets
    )


def _numbered(parts: tuple[Gathered, ...]) -> tuple[Gathered, ...]:
    """The same, with names that differ."""
    seen: dict[str, int] = {}
    found: list[Gathered] = []
    for part in parts:
        name = part.server.target
        number = seen[name] = seen.get(name, 0) + 1
        told = f"{name} ({number})" if number > 1 else name
        found.append(replace(part, server=replace(part.server, target=told)))
    return tuple(found)


def _report(parts: tuple[Gathered, ...], known: frozenset[str], accepted: tuple[Acceptance, ...]) -> Report:
    servers = tuple(part.server for part in parts)
    several = len(parts) > 1
    one = ReviewedServer(
        target=", ".join(server.target for server in servers),
        name="",
        version="",
        protocol="",
        tools=tuple(name for server in servers for name in server.tools),
        called=sum(server.called for server in servers),
    )
    whole = one if several else servers[0]
    return Report(
        target=whole.target,
        server=whole.name,
        version=whole.version,
        protocol=whole.protocol,
        tools=whole.tools,
        entries=entries_of(judged(parts), known=known, accepted=accepted),
        not_checked=tuple(_not_checked(parts)),
        called=whole.called,
        rules=rules(),
        reviewed_by=f"Sightline {__version__}",
        servers=servers if several else (),
    )


def _not_checked(parts: Sequence[Gathered]) -> list[NotChecked]:
    several = len(parts) > 1
    found = [
        replace(each, what=f"{part.server.target}: {each.what}") if several else each
        for part in parts
        for each in dict.fromkeys(
            (*part.not_checked, *chain.from_iterable(map(partly_read, part.reviewed.calls)))
        )
    ]
    return [*found, *(() if several else (_OTHER_SERVERS,)), *_NEVER]


_OTHER_SERVERS = NotChecked(
    what="other servers", why="names were compared within this server only: give several targets"
)
_NEVER = (
    NotChecked(
        what="redemption",
        why="no secret reference is redeemed: whether its answer says `no-store`, and whether it can be redeemed twice, is not known",
    ),
    NotChecked(
        what="what the tools do",
        why="declarations are compared with each other, with names and with results, not with the server's code",
    ),
)


def _hand_over(report: Report, format_: str, path: object) -> None:
    lines = report_lines(without_credentials(report, DIAGNOSTICS.cover), format_)
    if path is None:
        print_lines(lines)
        return
    try:
        text = "".join(safe_line(line) + "\n" for line in lines)
        Path(str(path)).write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", "Check -o FILE.") from error


def _baseline(path: object) -> frozenset[str]:
    if path is None:
        return frozenset()
    try:
        parsed = parse(Path(str(path)).read_bytes())
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "Check --baseline FILE.") from error
    known = None if isinstance(parsed, Malformed) else baseline_of(parsed.value)
    if known is None:
        raise UsageError(f"{path} is no report", "Make one with sightline review --format json -o FILE.")
    return known


def _acceptance(word: str) -> Acceptance:
    place, _, reason = word.partition("=")
    identifier, _, name = place.partition("@")
    if not _is_rule(identifier):
        raise UsageError(f"--ignore {word}: no rule {identifier}", "docs/rules.md lists all rules.")
    return Acceptance(id=identifier, name=name or None, reason=reason)


def _configured(entry: Ignored) -> Acceptance:
    if not _is_rule(entry.rule):
        raise UsageError(f"{entry.place}: `rule`: no rule {entry.rule}", "docs/rules.md lists all rules.")
    return Acceptance(id=entry.rule, name=entry.tool, reason=entry.reason)


def _is_rule(identifier: str) -> bool:
    return any(rule.id == identifier for rule in rules())
