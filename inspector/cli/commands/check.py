"""`sightline check TARGET`: review, pins, saved calls and output schemas in one run, with one report and one exit code."""

import json
import shlex
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.output_check import OutputCheck
from inspector.cli.commands.pin import Done, checked, no_pin
from inspector.cli.commands.review import PlanOptions, ReportOptions, report_of, write_lines
from inspector.cli.help import SectionedCommand
from inspector.cli.options import (
    ConnectionOptions,
    LensOptions,
    OptionGroup,
    PolicyOptions,
    RecordingOptions,
    format_option,
    option,
    quiet_option,
    takes,
)
from inspector.cli.output import DIAGNOSTICS
from inspector.cli.overview import words_of
from inspector.cli.review_targets import Gathered, gathered
from inspector.cli.saved_calls import (
    Ran,
    cases_of,
    conceal,
    lines_of,
    made_again,
    target_words,
)
from inspector.cli.start import Invocation, launch_of, target_of
from inspector.errors import ExitCode
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.junit import JunitCase, junit
from inspector.launch import Launch
from inspector.pins.files import identified, read_pin, read_pin_at
from inspector.pins.identity import Identity
from inspector.pins.pins import Pinned, ServerDefinitions, definitions_of
from inspector.protocol.targets import ConfiguredTarget, Target, parse_target, stdio_target
from inspector.review.finding import Confidence, Finding, Severity, SubjectKind
from inspector.review.formats import junit as review_junit
from inspector.review.formats.as_text import summary
from inspector.review.formats.formats import report_lines
from inspector.review.report import Report, entries_of, report_shape, without_credentials
from inspector.review.rule import ReviewRule
from inspector.safe_text import safe_line
from inspector.saved.call import SavedCall, saved_server
from inspector.saved.files.calls import USUAL_FILE, read_calls, secret_values
from inspector.session.live import Session

_USUAL_LEVEL = Severity.HIGH


_PIN_FILES = ("pins.json", "pins.toml")
"""The usual file names of a pin in the folder of a project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartOptions(OptionGroup):
    """Options: the files of saved calls and pins that a check reads, and further reports to write."""

    title = "Parts"

    calls_file: str | None = option(
        "--calls",
        default=None,
        metavar="FILE",
        help=f"Make all saved calls in FILE.  [default: those of {USUAL_FILE} for this target]",
    )
    pins_file: str | None = option(
        "--pins",
        default=None,
        metavar="FILE",
        help="Compare with the pin in FILE (sightline pin --file).  [default: the target's own pin]",
    )
    no_check_output: bool = option(
        "--no-check-output",
        default=False,
        is_flag=True,
        help="Do not fail on results that break their tool's output schema; they are still reported.",
    )
    sarif: str | None = option("--sarif", default=None, metavar="FILE", help="Also write SARIF here.")
    junit: str | None = option("--junit", default=None, metavar="FILE", help="Also write JUnit XML here.")


@click.command(
    name="check",
    cls=SectionedCommand,
    exits=(
        ExitCode.STOPPED,
        ExitCode.FINDINGS,
        ExitCode.DIFFERS,
        ExitCode.OUTPUT_BROKEN,
        ExitCode.CALLS_FAILED,
    ),
    examples=(
        "sightline check -- python server.py",
        "sightline check --pins pins.json --sarif check.sarif --junit check.xml -- node server.js",
    ),
)
@click.argument("target", required=False)
@format_option("text", "json", "sarif", "junit")
@quiet_option
@takes("parts", PartOptions)
@takes("reporting", ReportOptions)
@takes("allowed", PlanOptions)
@takes("connection", ConnectionOptions)
@takes("lens", LensOptions)
@takes("recording", RecordingOptions)
@takes("rules", PolicyOptions)
@click.pass_obj
def command(  # noqa: PLR0913 - one parameter for each group of options
    invocation: Invocation,
    *,
    target: str | None,
    format_: str,
    parts: PartOptions,
    reporting: ReportOptions,
    allowed: PlanOptions,
    connection: ConnectionOptions,
    lens: LensOptions,
    recording: RecordingOptions,
    rules: PolicyOptions,
) -> int:
    """Review TARGET, compare it with its pin, make its saved calls, and compare results with output schemas.

    The exit code is the highest one of the parts. Findings of the level --fail-on (default: high) or above fail.
    """
    lens.check()
    known, accepted, plan = reporting.known(), reporting.accepted(), allowed.plan()
    chosen = target_of(target, connection, invocation.command_line)
    words = words_of(target, connection, invocation.command_line, chosen)
    saved = _saved(parts.calls_file, chosen, words)
    pinned = _pinned(parts.pins_file, identified(chosen))
    # Secrets are read before a server is started.
    values = {each.name: secret_values(each) for each in saved.calls}
    conceal(value for held in values.values() for value in held.values())
    seen = _Seen(mask=lambda shape: shape)
    with rules.logged(rules.read()) as terms:
        launch = launch_of(
            chosen, connection, lens=lens, recording=recording, terms=terms, agreement=rules.agreement
        )
        found = gathered(
            launch, plan, pinned=pinned, then=_looked_at(launch, saved, values, pinned, into=seen)
        )
    report = report_of((found,), known, accepted)
    level = reporting.fail_on or _USUAL_LEVEL
    results = [*_reviewed_results(found, launch, seen.words), *_saved_results(seen.ran)]
    made = _Check(
        report=without_credentials(report, DIAGNOSTICS.mask),
        level=level,
        pins=checked(pinned, seen.now) if pinned else None,
        ran=tuple(seen.ran),
        file=saved.file,
        broken=tuple(each for each in results if each.output.violations),
        parts=(
            _review_part(report, found, level),
            _pins_part(pinned, seen.now, words),
            _calls_part(saved, seen.ran),
            _output_part(results, fails=not parts.no_check_output),
        ),
        mask=seen.mask,
    )
    write_lines(_WRITERS[format_](made), reporting.output, exactly=format_ != "text")
    for name, path in (("sarif", parts.sarif), ("junit", parts.junit)):
        if path is not None:
            write_lines(_WRITERS[name](made), path, exactly=True)
    return made.code


class _Saved(Struct, frozen=True, kw_only=True):
    """The saved calls of a check."""

    file: str
    calls: tuple[SavedCall, ...] = ()
    missing: str = ""
    """The reason why there are no saved calls to make, for the report if `calls` is empty."""


class _Result(Struct, frozen=True, kw_only=True):
    """One result, compared with the output schema of its tool."""

    tool: str
    call: str
    """The name of the saved call; empty for a call of the review."""
    output: OutputCheck


class _Part(Struct, frozen=True, kw_only=True):
    """One part of a check, and its outcome in one line."""

    name: str
    outcome: str
    ran: bool = True
    code: int = ExitCode.OK

    @property
    def line(self) -> str:
        return f"{'-' if not self.ran else '✗' if self.code else '✓'} {self.name}: {self.outcome}"

    @property
    def shape(self) -> JsonObject:
        return {"name": self.name, "ran": self.ran, "exit": self.code, "said": self.outcome}


@dataclass(slots=True, kw_only=True)
class _Seen:
    """The results of a check's session, besides those of the review."""

    mask: Callable[[Json], Json]
    words: Callable[[str], str] = str
    """Returns a text with the values masked that were withheld from the result of any call of the session."""
    now: ServerDefinitions = field(default_factory=ServerDefinitions)
    ran: list[Ran] = field(default_factory=list[Ran])


class _Check(Struct, frozen=True, kw_only=True):
    """The content of the report of a check. Untrusted text.

    The user's credentials are masked in all fields except `pins` and `broken`.
    """

    report: Report
    level: Severity
    pins: Done | None
    ran: tuple[Ran, ...]
    file: str
    broken: tuple[_Result, ...]
    parts: tuple[_Part, ...]
    mask: Callable[[Json], Json]
    """Masks the user's credentials in JSON."""

    @property
    def code(self) -> int:
        """The highest exit code of all parts."""
        return max(part.code for part in self.parts)

    @property
    def changes(self) -> tuple[str, ...]:
        """The changes since the pin, in lines; empty if there are none."""
        return tuple(map(DIAGNOSTICS.mask, self.pins.lines)) if self.pins and self.pins.code else ()


def _saved(named: str | None, target: Target, words: tuple[str, ...] | None) -> _Saved:
    """All calls of the file that the user names, or the calls of calls.toml for this target. Raises UsageError."""
    if named is not None:
        return _Saved(file=named, calls=read_calls(named), missing=f"{named} has no calls")
    if not Path(USUAL_FILE).exists():
        return _Saved(
            file=USUAL_FILE,
            missing=f"no {USUAL_FILE} here: make one with sightline call … --save NAME, or name one with --calls",
        )
    calls = read_calls(USUAL_FILE)
    own = {"", saved_server(words)}
    return _Saved(
        file=USUAL_FILE,
        calls=tuple(each for each in calls if each.server in own or _is_of(each.server, target)),
        missing=f"no call in {USUAL_FILE} is for this target (it has {len(calls)}): --calls {USUAL_FILE} makes all of them",
    )


def _is_of(server: str, target: Target) -> bool:
    """True if a saved call names this target, even if it is written differently. Reads no configuration."""
    word, command_line = target_words(server)
    named = stdio_target(command_line) if command_line is not None else parse_target(word or "")
    return not isinstance(named, ConfiguredTarget) and identified(named) == identified(target) is not None


def _pinned(named: str | None, identity: Identity | None) -> Pinned | None:
    """The pin to compare with; None if there is none.

    `named`: the path of a pin file; None for the user's own pin. Raises UsageError if the file does not
    exist.
    """
    if named is None:
        return read_pin(identity) if identity else None
    found = read_pin_at(Path(named))
    if found is None:
        raise no_pin(Path(named))
    return found


def _looked_at(
    launch: Launch,
    saved: _Saved,
    values: Mapping[str, Mapping[str, str]],
    pinned: Pinned | None,
    *,
    into: _Seen,
) -> Callable[[Session], Awaitable[None]]:
    """Return a function to await after the review, in the same session.

    The function stores the definitions in `into`, makes the saved calls, and stores their outcomes in `into`.
    """

    async def look(session: Session) -> None:
        into.mask = lambda value: session.own.masked(value)[0]
        withheld = cache(session.withheld)
        into.words = lambda text: withheld().masked_text(text)
        instructions = session.server.instructions if session.server else None
        into.now = definitions_of(session.catalogue, instructions)
        if saved.calls:
            into.ran = await made_again(session, launch, saved.calls, values, pinned)

    return look


def _reviewed_results(found: Gathered, launch: Launch, mask: Callable[[str], str]) -> Iterator[_Result]:
    """The results of the calls that a review made, each compared with the output schema of its tool.

    `mask`: masks the values that were withheld from other calls.
    """
    for each in found.reviewed.calls:
        if each.judgement is not None:
            output = each.judgement.output(launch.level, launch.options.policy)
            yield _Result(tool=each.offer.name, call="", output=output.masked(mask))


def _saved_results(ran: Iterable[Ran]) -> Iterator[_Result]:
    return (_Result(tool=each.tool, call=each.name, output=each.output) for each in ran)


def _review_part(report: Report, found: Gathered, level: Severity) -> _Part:
    code = ExitCode.FINDINGS if report.failing(level) else ExitCode.STOPPED if found.refused else ExitCode.OK
    stopped = " The policy stopped a call." if found.refused else ""
    return _Part(
        name="review",
        outcome=f"{summary(report).rstrip('.')}; {report.failing_words(level)} (--fail-on {level}).{stopped}",
        code=code,
    )


def _pins_part(pinned: Pinned | None, now: ServerDefinitions, words: tuple[str, ...] | None) -> _Part:
    """The part of the check that compares the definitions of the server with its pin.

    `words`: the target on a command line; None if it holds a credential.
    """
    if pinned is None:
        return _Part(name="pins", outcome=f"not compared: {_no_pin(words)}", ran=False)
    done = checked(pinned, now)
    outcome = done.lines[-1] if done.code else "no changes"
    return _Part(name="pins", outcome=f"{outcome} since {pinned.at}", code=done.code)


def _no_pin(words: tuple[str, ...] | None) -> str:
    # A file in the folder of a project must not replace the user's own pin, so it has to be named.
    here = next((name for name in _PIN_FILES if Path(name).exists()), None)
    if here is not None:
        return f"add --pins {here}, because a pin in a file is only used if you name it"
    return (
        f"no pin. Make one with {shlex.join(('sightline', 'pin', *(words or ())))}, or name one with --pins"
    )


def _calls_part(saved: _Saved, ran: list[Ran]) -> _Part:
    if not saved.calls:
        return _Part(name="saved calls", outcome=f"none made: {saved.missing}", ran=False)
    failed = sum(bool(each.failures) for each in ran)
    return _Part(
        name="saved calls",
        outcome=f"{len(ran):,} call{'' if len(ran) == 1 else 's'} of {saved.file} made, {failed:,} failed",
        code=ExitCode.CALLS_FAILED if failed else ExitCode.OK,
    )


def _output_part(results: list[_Result], *, fails: bool) -> _Part:
    compared = [each for each in results if each.output.is_asked]
    broken = sum(bool(each.output.violations) for each in compared)
    if not compared:
        why = (
            "no result came from a tool with an output schema"
            if results
            else "no tool was called: --call calls those that declare that they only read"
        )
        return _Part(name="output schemas", outcome=f"nothing compared: {why}", ran=False)
    some = "result" if len(compared) == 1 else "results"
    return _Part(
        name="output schemas",
        outcome=f"{len(compared):,} {some} compared, {broken:,} {'breaks' if broken == 1 else 'break'} the schema",
        code=ExitCode.OUTPUT_BROKEN if broken and fails else ExitCode.OK,
    )


def _text(made: _Check) -> list[str]:
    lines = report_lines(made.report, "text")
    if made.changes:
        lines += ["", "Pins:", *(f"  {line}" for line in made.changes)]
    if made.ran:
        lines += ["", f"Saved calls of {made.file}:", *(f"  {line}" for line in _but_the_number(made.ran))]
    if made.broken:
        lines += ["", "Results that break their output schema:", *(f"  {_said(one)}" for one in made.broken)]
    code = f"failed, exit {made.code}" if made.code else "passed"
    return [*lines, "", f"Check of {made.report.target}: {code}", *(part.line for part in made.parts)]


def _but_the_number(ran: tuple[Ran, ...]) -> list[str]:
    """The lines about saved calls, without the last two, which are a blank line and the counts.

    The line of `_calls_part` has the same counts.
    """
    return list(lines_of(ran))[:-2]


def _said(one: _Result) -> str:
    name = f"{one.call}: {one.tool}" if one.call else one.tool
    return f"✗ {name}: {DIAGNOSTICS.mask(one.output.sentence)}"


def _json(made: _Check) -> list[str]:
    broken: list[Json] = [
        {
            "tool": one.tool,
            "call": one.call or None,
            "violations": [each.as_json() for each in one.output.violations],
            "more": one.output.more,
        }
        for one in made.broken
    ]
    shape: JsonObject = {
        "target": made.report.target,
        "exit": made.code,
        "parts": [part.shape for part in made.parts],
        "review": report_shape(made.report),
        "pins": made.mask(made.pins.shape) if made.pins else None,
        "calls": [each.shape for each in made.ran],
        "broken": made.mask(broken),
    }
    return json.dumps(json.loads(dump_text(shape)), indent=1).split("\n")


def _sarif(made: _Check) -> list[str]:
    """The report of the review, with the findings of the other parts added, so that one file has everything."""
    report = made.report
    more = entries_of(_findings(made), known=frozenset(), accepted=())
    whole = replace(report, entries=(*report.entries, *more), rules=(*report.rules, *_RULES))
    return report_lines(whole, "sarif")


def _junit(made: _Check) -> list[str]:
    cases: list[JunitCase] = [*review_junit.cases(made.report, made.level)]
    if made.pins:
        cases.append(JunitCase(suite="pins", name="definitions", failure="\n".join(made.changes)))
    cases += cases_of(made.ran, made.file)
    cases += (
        JunitCase(suite="output schemas", name=f"{one.tool} {one.call}".strip(), failure=_said(one))
        for one in made.broken
        if made.parts[-1].code
    )
    return junit(
        f"sightline check {safe_line(made.report.target)}",
        cases,
        at=made.report.reviewed_at,
        properties=review_junit.properties(made.report),
    )


_WRITERS: Mapping[str, Callable[[_Check], list[str]]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "junit": _junit,
}


def _rule(identifier: str, title: str, consequence: str, fix: str) -> ReviewRule:
    return ReviewRule(
        id=identifier,
        title=title,
        severity=Severity.HIGH,
        confidence=Confidence.HIGH,
        consequence=consequence,
        fix=fix,
        references=(),
    )


_PIN, _CALL, _OUTPUT = _RULES = (
    _rule(
        "check/pin",
        "Definitions changed since they were pinned",
        "The definitions of the server differ from those that the user accepted.",
        "Look at the change, then pin the server again.",
    ),
    _rule(
        "check/call",
        "A saved call does not meet its expectations",
        "A result, or the view of a model, differs from the expectations in the file of saved calls.",
        "Correct the server, or the expectations of the call.",
    ),
    _rule(
        "check/output",
        "A result breaks its output schema",
        "Clients that validate results refuse such a result.",
        "Correct the tool or its schema.",
    ),
)
"""The rules of a check, which SARIF lists besides those of the review."""


def _findings(made: _Check) -> Iterator[Finding]:
    if made.changes:
        yield _finding(_PIN, SubjectKind.SERVER, "", "\n".join(made.changes))
    for each in made.ran:
        if each.failures:
            yield _finding(_CALL, SubjectKind.CALL, each.name, f"{each.tool}: {'; '.join(each.failures)}")
    for one in made.broken:
        if made.parts[-1].code:
            yield _finding(_OUTPUT, SubjectKind.CALL, one.call or one.tool, _said(one))


def _finding(rule: ReviewRule, subject: SubjectKind, name: str, message: str) -> Finding:
    return Finding(
        id=rule.id,
        severity=rule.severity,
        confidence=rule.confidence,
        subject=subject,
        name=name,
        pointer="",
        message="\n".join(map(safe_line, message.split("\n"))),
    )
