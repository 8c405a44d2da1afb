"""`sightline review TARGET…`: findings about declarations of servers, and with --call about results of their tools."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from inspector import __version__
from inspector.cli.help import SectionedCommand, WordChoice, suggestion
from inspector.cli.installed import DISABLED, InstalledServers, InTurn, UnusedServer, agreed_servers
from inspector.cli.options import (
    ConnectionOptions,
    OptionGroup,
    PolicyOptions,
    RecordingOptions,
    format_option,
    option,
    quiet_option,
    takes,
)
from inspector.cli.output import DIAGNOSTICS, print_lines
from inspector.cli.review_targets import Gathered, Plan, accepted_elsewhere, gathered, gathered_from, judged
from inspector.cli.start import Invocation, launch_of, target_of, written_target
from inspector.errors import ExitCode, UsageError
from inspector.files import stamp
from inspector.files.config import disabled_names, server_names
from inspector.files.settings import IgnoredFindings, settings
from inspector.json.exact import Malformed, parse
from inspector.policy.gate.agreement import Agreement, Terms
from inspector.protocol.client import PROFILES
from inspector.protocol.targets import ConfiguredTarget, Target
from inspector.review.finding import Severity
from inspector.review.formats.formats import FORMATS, report_lines
from inspector.review.live.ongoing import partly_read
from inspector.review.registry import rules as all_rules
from inspector.review.report import (
    NEVER_CHECKED,
    Acceptance,
    NotChecked,
    Report,
    ReviewedServer,
    baseline_of,
    entries_of,
    other_servers,
    without_credentials,
)
from inspector.safe_text import safe_line

_RECORDING = ".jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions(OptionGroup):
    """Options: findings to accept, the severity from which a review fails, and the file of the report."""

    title = "Report"

    fail_on: Severity | None = option(
        "--fail-on",
        default=None,
        type=WordChoice(Severity),
        help=f"Exit with {ExitCode.FINDINGS} if a finding is at this level or above."
        "  [default: check fails at high, review never]",
    )
    baseline: str | None = option(
        "--baseline",
        default=None,
        metavar="FILE",
        help="A report made with --format json. Its findings count as known and never fail the run.",
    )
    ignored: tuple[str, ...] = option(
        "--ignore",
        default=(),
        multiple=True,
        metavar="ID[@TOOL][=REASON]",
        help="Ignore a rule, everywhere or for one tool: its findings are still reported, but never fail the run.",
    )
    output: str | None = option("-o", "--output", default=None, metavar="FILE", help="Write the report here.")

    def known(self) -> frozenset[str]:
        """The fingerprints of the findings in the baseline; empty without --baseline. Raises UsageError."""
        return _baseline(self.baseline)

    def accepted(self) -> tuple[Acceptance, ...]:
        """The rules whose findings the options or the user's settings ignore. Raises UsageError."""
        return (*map(_acceptance, self.ignored), *map(_configured, settings().ignored))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions(OptionGroup):
    """Options of a review: the tools that it calls, and the clients under whose profiles it lists them."""

    title = "Calls and listings"

    calls: bool = option(
        "--call",
        default=False,
        is_flag=True,
        help="Also call the tools that declare that they only read, with arguments made from their schemas.",
    )
    patterns: tuple[str, ...] = option(
        "--yes-call",
        default=(),
        multiple=True,
        metavar="PATTERN",
        help="With --call: also call these tools, whatever they declare; * matches anything.",
    )

    also_as: tuple[str, ...] = option(
        "--also-as",
        default=(),
        multiple=True,
        type=WordChoice(tuple(PROFILES)),
        help="Also list the tools under this client profile, and compare them with those under --as, which are reviewed.",
    )

    def plan(self) -> Plan:
        """The calls that the user allows, and the further client profiles to list with. Raises UsageError."""
        if self.patterns and not self.calls:
            raise UsageError("--yes-call only works with --call", "Add --call.")
        profiles = tuple(PROFILES[name] for name in dict.fromkeys(self.also_as))
        return Plan(calls=self.calls, patterns=self.patterns, profiles=profiles)


@click.command(
    name="review",
    cls=SectionedCommand,
    exits=(ExitCode.STOPPED, ExitCode.FINDINGS),
    examples=("sightline review demo", "sightline review --fail-on high --call -- node server.js"),
)
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@click.option(
    "--installed",
    "is_installed",
    is_flag=True,
    help="Review all configured servers (see sightline discover), after asking once; --yes agrees.",
)
@format_option("text", *(name for name in FORMATS if name != "text"))
@quiet_option
@takes("reporting", ReportOptions)
@takes("allowed", PlanOptions)
@takes("connection", ConnectionOptions)
@takes("recording", RecordingOptions)
@takes("rules", PolicyOptions)
@click.pass_obj
def command(  # noqa: PLR0913 - one parameter for each group of options
    invocation: Invocation,
    *,
    targets: tuple[str, ...],
    is_installed: bool,
    format_: str,
    reporting: ReportOptions,
    allowed: PlanOptions,
    connection: ConnectionOptions,
    recording: RecordingOptions,
    rules: PolicyOptions,
) -> int:
    """Review what each TARGET declares, and with --call what its tools return.

    A configuration file without a name (mcp.json) means all of its servers. A recording (*.jsonl) is reviewed with the
    calls in it, without any server.
    """
    known, accepted = reporting.known(), reporting.accepted()
    plan = allowed.plan()
    terms = rules.read()
    with rules.logged(terms) as terms:
        sources = _Sources(
            plan=plan, connection=connection, recording=recording, terms=terms, agreement=rules.agreement
        )
        if is_installed:
            turns = sources.agreed(targets, invocation)
            parts = tuple(turns.each(sources.server))
        else:
            parts, turns = sources.gathered(targets, invocation)
    report = report_of(_numbered(parts), known, accepted, turns)
    shown = without_credentials(report, DIAGNOSTICS.mask)
    write_lines(report_lines(shown, format_), reporting.output, exactly=format_ != "text")
    refused = tuple(chain.from_iterable(part.refused for part in parts))
    code = max(turns.code if turns else ExitCode.OK, ExitCode.STOPPED if refused else ExitCode.OK)
    level = reporting.fail_on or Severity.HIGH
    if refused:
        DIAGNOSTICS.say(_refusals(refused))
    if turns is None and (elsewhere := accepted_elsewhere(parts[0], report)):
        DIAGNOSTICS.say(elsewhere)
    if not report.failing(level):
        return code
    words = report.failing_words(level)
    if reporting.fail_on is not None:
        DIAGNOSTICS.say(f"{words} (--fail-on {level})")
        return max(ExitCode.FINDINGS, code)
    stays = f"The exit code stays {code:d}" if code else "The review passes"
    DIAGNOSTICS.say(
        f"{words}. {stays}, because --fail-on is not given: --fail-on {level} exits {ExitCode.FINDINGS}."
    )
    return code


_MOST_NAMED = 3


def _refusals(refused: Sequence[NotChecked]) -> str:
    """A sentence on why a review exits with `STOPPED`. It names the first calls that were not made."""
    named = "; ".join(safe_line(f"{each.what}: {each.why}") for each in refused[:_MOST_NAMED])
    more = f"; and {len(refused) - _MOST_NAMED:,} more" if len(refused) > _MOST_NAMED else ""
    one = len(refused) == 1
    return (
        f"{'A call was' if one else f'{len(refused):,} calls were'} not made, so the review is incomplete and exits "
        f"{ExitCode.STOPPED}: {named}{more}"
    )


class _Sources(Struct, frozen=True, kw_only=True):
    """The targets of a review, and the settings to reach them with."""

    plan: Plan
    connection: ConnectionOptions
    recording: RecordingOptions
    terms: Terms
    agreement: Agreement

    def gathered(
        self, words: tuple[str, ...], invocation: Invocation
    ) -> tuple[tuple[Gathered, ...], InTurn | None]:
        """The material about each target, gathered one after the other. Raises UsageError.

        The second value has the servers that could not be reviewed. With one target, it is None, and InspectorError is
        raised if the target cannot be reviewed.
        """
        connection, command_line = self.connection, invocation.command_line
        recordings = [word for word in words if word.endswith(_RECORDING)]
        if recordings and self.plan.calls:
            raise UsageError(
                "--call does not work with recordings", "Leave it out: the calls in a recording are reviewed."
            )
        if recordings and self.plan.profiles:
            raise UsageError(
                "--also-as does not work with recordings",
                "Leave it out: a recording holds the session of one client profile.",
            )
        # All targets are known before Sightline connects to the first.
        turns = InTurn()
        named = list(self._named(words, command_line, turns))
        servers = [each for each in named if not isinstance(each, Path)]
        of_client = [name for name, value in connection.authorization.of_one_client.items() if value]
        if len(servers) > 1 and (connection.environment or connection.headers or connection.cwd or of_client):
            raise UsageError(
                f"{', '.join(('-e', '--header', '--cwd', *of_client))} only work with one target",
                "Write the servers to an mcp.json, and review mcp.json.",
            )
        if self.recording.path is not None and len(servers) != 1:
            raise UsageError(
                "--record only works with one server", "Review one server, or leave out --record."
            )
        recorded = {each: gathered_from(each) for each in named if isinstance(each, Path)}
        if len(named) + len(turns.left_out) == 1:
            return tuple(recorded.values()) or tuple(self.server(each.target()) for each in servers), None
        parts: list[Gathered] = []
        for each in named:
            if isinstance(each, Path):
                parts.append(recorded[each])
            else:
                parts += turns.attempt(each.word, partial(self._part, each))
        return tuple(parts), turns

    def _named(
        self, words: tuple[str, ...], command_line: tuple[str, ...] | None, turns: InTurn
    ) -> "Iterator[_Named | Path]":
        """The targets in the order of the command line. Raises UsageError.

        Disabled entries of configuration files are added to `turns.left_out`.
        """
        connection = self.connection
        bare = dataclasses.replace(connection, config=None, servers=())
        for number, word in enumerate(words, 1):
            if word.endswith(_RECORDING):
                yield Path(word)
                continue
            written = written_target(word, following=words[number:])
            if isinstance(written, ConfiguredTarget):
                yield from _entries(written.path, written.name, bare, turns)
            else:
                yield _Named(word=word, target=_known(target_of(word, bare, None)))
        if connection.config is not None:
            for name in connection.servers or (None,):
                yield from _entries(connection.config, name, bare, turns)
        if command_line is not None or (connection.config is None and not words):
            target = target_of(None, dataclasses.replace(connection, config=None), command_line)
            yield _Named(word=str(target), target=_known(target))

    def _part(self, named: "_Named") -> Gathered:
        found = self.server(named.target())
        if not named.is_entry:
            return found
        server = replace(found.server, target=named.word, address=found.server.target)
        return replace(found, server=server)

    def agreed(self, words: tuple[str, ...], invocation: Invocation) -> InstalledServers:
        """All configured servers, after the user agreed to start them.

        Raises UsageError, or NotConfirmedError if the user does not agree.
        """
        if words or invocation.command_line is not None:
            raise UsageError(
                "--installed takes no target", "It reviews every server that sightline discover lists."
            )
        if self.recording.path is not None:
            raise UsageError(
                "--record only works with one server", "Review one server, or leave out --record."
            )
        return agreed_servers(self.connection, is_agreed=self.agreement is Agreement.YES)

    def server(self, target: Target) -> Gathered:
        """The material about one server. Raises InspectorError."""
        launch = launch_of(
            target,
            self.connection,
            recording=self.recording,
            terms=self.terms,
            agreement=self.agreement,
        )
        return gathered(launch, self.plan)


class _Named(Struct, frozen=True, kw_only=True):
    """A server, as the command line or a configuration names it."""

    word: str
    target: Callable[[], Target]
    """Returns the target. Raises UsageError if it is an entry of a configuration that cannot be read."""
    is_entry: bool = False
    """True for an entry of a configuration."""


def _entries(path: str, name: str | None, connection: ConnectionOptions, turns: InTurn) -> Iterator[_Named]:
    """The entry `name` of a configuration file. Raises UsageError.

    If `name` is None, all entries except the disabled ones, which are added to `turns.left_out`.
    """
    names = (name,) if name is not None else server_names(path)
    if name is None:
        turns.left_out += (
            UnusedServer(server=_entry(path, each), why=DISABLED) for each in disabled_names(path)
        )
    for each in names or (None,):
        one = dataclasses.replace(connection, config=path, servers=() if each is None else (each,))
        read = partial(target_of, None, one, None)
        # The only entry is like one that the user named: if it cannot be read, nothing is reviewed.
        yield _Named(
            word=_entry(path, each), target=read if len(names) > 1 else _known(read()), is_entry=True
        )


def _known(target: Target) -> Callable[[], Target]:
    return lambda: target


def _entry(path: str, name: str | None) -> str:
    """An entry as the command line names it, `FILE:NAME`.

    If the file is in the working folder, FILE is relative to that folder, because the path of the folder
    differs by machine.
    """
    file, here = Path(path), Path.cwd()
    shown = file.relative_to(here) if file.is_relative_to(here) else file
    return f"{shown}:{name}" if name else str(shown)


def _numbered(parts: tuple[Gathered, ...]) -> tuple[Gathered, ...]:
    """`parts`, with a number added to each target name that occurs again."""
    seen: dict[str, int] = {}
    numbered: list[Gathered] = []
    for part in parts:
        name = part.server.target
        number = seen[name] = seen.get(name, 0) + 1
        target = f"{name} ({number})" if number > 1 else name
        numbered.append(replace(part, server=replace(part.server, target=target)))
    return tuple(numbered)


def report_of(
    parts: tuple[Gathered, ...],
    known: frozenset[str],
    accepted: tuple[Acceptance, ...],
    turns: InTurn | None = None,
) -> Report:
    """The report of a review. `parts`: the material about each server.

    `turns`: names the servers that were left out; None if one server was named.
    """
    servers = tuple(part.server for part in parts)
    several = turns is not None
    left_out = [
        NotChecked(what=each.server, why=each.why, is_failed_server=each.has_failed)
        for each in (turns.left_out if turns else ())
    ]
    one = ReviewedServer(
        target=", ".join(server.target for server in servers) or "no server",
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
        entries=entries_of(judged(parts, are_several=several), known=known, accepted=accepted),
        not_checked=(*left_out, *_not_checked(parts, several=several)),
        called=whole.called,
        repetition=whole.repetition,
        file=whole.file,
        rules=all_rules(),
        reviewed_by=f"Sightline {__version__}",
        reviewed_at=stamp.now(),
        folder=whole.folder,
        definitions=whole.definitions,
        servers=servers if several else None,
    )


def _not_checked(parts: Sequence[Gathered], *, several: bool) -> list[NotChecked]:
    found = [
        replace(each, what=f"{part.server.target}: {each.what}", target=part.server.target)
        if several
        else each
        for part in parts
        for each in dict.fromkeys(
            (*part.not_checked, *chain.from_iterable(map(partly_read, part.reviewed.calls)))
        )
    ]
    return [*found, *(() if several else (other_servers(),)), *NEVER_CHECKED]


def write_lines(lines: Iterable[str], path: str | None, *, exactly: bool) -> None:
    """Write a report to a file, or to stdout. Raises UsageError.

    Lines on stdout are wrapped, but not with `exactly`.
    """
    if path is None:
        print_lines(lines, exactly=exactly)
        return
    try:
        text = "".join(safe_line(line) + "\n" for line in lines)
        Path(path).write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", "Check the path.") from error


def _baseline(path: str | None) -> frozenset[str]:
    if path is None:
        return frozenset()
    try:
        parsed = parse(Path(path).read_bytes())
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "Check --baseline FILE.") from error
    known = None if isinstance(parsed, Malformed) else baseline_of(parsed.value)
    if known is None:
        raise UsageError(f"{path} is not a report", "Make one with sightline review --format json -o FILE.")
    return known


def _acceptance(word: str) -> Acceptance:
    place, _, reason = word.partition("=")
    identifier, _, name = place.partition("@")
    if not _is_rule(identifier):
        close = suggestion(identifier, [rule.id for rule in all_rules()])
        raise UsageError(f"--ignore {word}: no rule {identifier}", f"docs/rules.md lists all rules.{close}")
    return Acceptance(id=identifier, name=name or None, reason=reason)


def _configured(entry: IgnoredFindings) -> Acceptance:
    if not _is_rule(entry.rule):
        raise UsageError(f"{entry.place}: `rule`: no rule {entry.rule}", "docs/rules.md lists all rules.")
    return Acceptance(id=entry.rule, name=entry.tool, reason=entry.reason)


def _is_rule(identifier: str) -> bool:
    return any(rule.id == identifier for rule in all_rules())
