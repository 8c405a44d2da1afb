"""`sightline review TARGET`: findings that a reviewer takes home."""

from importlib import import_module
from pathlib import Path
from typing import cast

import click

from inspector import __version__
from inspector.cli.diagnostics import DIAGNOSTICS, OK
from inspector.cli.invocation import Invocation, in_session, reach_of, reaching
from inspector.cli.output import print_lines
from inspector.cli.review_calls import NOTHING_CALLED, Called, Plan, called
from inspector.core.catalogue import Catalogue
from inspector.core.findings.finding import Severity
from inspector.core.findings.registry import findings_of, rules
from inspector.core.findings.report import Acceptance, NotChecked, Report, baseline_of, entries_of
from inspector.core.findings.reviewed import reviewed
from inspector.core.foreign import safe_line
from inspector.core.json_text import JsonObject, Malformed, parse
from inspector.core.targets import HttpTarget
from inspector.errors import UsageError
from inspector.session import ServerFacts, Session

FINDINGS = 11
"""The exit code where something is as bad as `--fail-on`."""

_FORMATS = {
    "text": "as_text",
    "json": "as_json",
    "sarif": "sarif",
    "junit": "junit",
    "markdown": "markdown",
    "html": "html_page",
}
"""Format to module in cli/reports."""


@click.command(name="review")
@reaching
@click.option("--format", "format_", type=click.Choice(list(_FORMATS)), default="text", show_default=True)
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
@click.option("-o", "--output", metavar="FILE", help="Write the report here.")
@click.pass_obj
def command(invocation: Invocation, *, target: str | None, **options: object) -> int:
    """Review what TARGET offers: its definitions, and with --call what its tools return."""
    reach = reach_of(options)
    known = _baseline(options["baseline"])
    accepted = tuple(_acceptance(str(word)) for word in cast("tuple[object, ...]", options["ignored"]))
    chosen = reach.target(target, invocation)
    DIAGNOSTICS.say(f"connecting to {chosen} …")
    patterns = tuple(map(str, cast("tuple[object, ...]", options["patterns"])))
    plan = Plan(patterns=patterns, origin=chosen.url if isinstance(chosen, HttpTarget) else None)
    calls = options["calls"] is True
    if patterns and not calls:
        raise UsageError("--yes-call without --call", "Add --call.")

    async def use(session: Session) -> tuple[ServerFacts, Catalogue, Called]:
        server, catalogue = await _listed(session)
        return server, catalogue, await called(session, catalogue, plan) if calls else NOTHING_CALLED

    server, catalogue, made = in_session(chosen, reach.options(), use)
    said: JsonObject = {"name": server.name, "version": server.version}
    if server.instructions is not None:
        said["instructions"] = server.instructions
    found = findings_of(reviewed(catalogue, server=said, calls=made.calls))
    report = Report(
        target=str(chosen),
        server=server.name,
        version=server.version,
        protocol=server.protocol_version,
        tools=tuple(tool.name for tool in catalogue.tools),
        entries=entries_of(found, known=known, accepted=accepted),
        not_checked=(*made.not_checked, *_NOT_CHECKED),
        called=len(made.calls),
        rules=rules(),
        reviewed_by=f"Sightline {__version__}",
    )
    _hand_over(report, str(options["format_"]), options["output"])
    worst = options["fail_on"]
    return FINDINGS if worst is not None and report.fails(Severity(str(worst))) else OK


_NOT_CHECKED = (
    NotChecked(
        what="redemption", why="no secret reference is redeemed: whether it can be twice is not known"
    ),
    NotChecked(
        what="changes", why="one listing was taken, under one client name, and no earlier one is at hand"
    ),
    NotChecked(what="other servers", why="names were compared within this server only"),
    NotChecked(
        what="what the tools do",
        why="declarations are compared with each other, with names and with results, not with the server's code",
    ),
)


async def _listed(session: Session) -> tuple[ServerFacts, Catalogue]:
    catalogue = await session.list_all()
    if session.server is None:
        raise RuntimeError("listed without a connection")
    return session.server, catalogue


def _hand_over(report: Report, format_: str, path: object) -> None:
    module = import_module(f"inspector.cli.reports.{_FORMATS[format_]}")
    lines = cast("list[str]", module.lines(report))
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
    if all(rule.id != identifier for rule in rules()):
        raise UsageError(f"--ignore {word}: no rule {identifier}", "docs/rules.md lists all rules.")
    return Acceptance(id=identifier, name=name or None, reason=reason)
