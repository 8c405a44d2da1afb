"""`sightline replay RECORDING…`: shows recordings, and checks that a model would still see the same."""

import shlex
from array import array
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from operator import le
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click
from msgspec import Struct

from inspector.boundary.reading import raw_of
from inspector.cli.decisions import decision_lines
from inspector.cli.help import SectionedCommand, WordChoice
from inspector.cli.options import PolicyOptions, format_option, quiet_option, takes
from inspector.cli.output import DIAGNOSTICS, columns, print_json, print_lines, table_lines
from inspector.errors import ExitCode, OutputBrokenError, UsageError, headline
from inspector.json.exact import Json, JsonObject
from inspector.json.members import value_at
from inspector.junit import JunitCase, junit
from inspector.policy.gate.agreement import Agreement
from inspector.policy.rules import Policy
from inspector.protocol.frames import Frame
from inspector.protocol.outcome import Failure, Result, RpcError, unfinished
from inspector.recording.checking import CheckedCall, checked
from inspector.recording.exports import KINDS, Kind, exported, note_words
from inspector.recording.files import Break, GoodLines, RecordingFile
from inspector.recording.files.importing import import_log
from inspector.recording.format import Connected, Header, LensesChanged, Line, Note, Projected
from inspector.recording.replaying import Replay, ReplayedCall
from inspector.safe_text import safe_line

if TYPE_CHECKING:
    from inspector.policy.gate.replayed import ReplayedDecision

_PAGE = "page"
"""The kind of target in the header of the recording of a page."""

Raw: TypeAlias = Callable[[int], Frame | None]
"""Returns a raw frame by its number; None if there is none."""


@click.command(
    cls=SectionedCommand,
    exits=(ExitCode.STOPPED, ExitCode.DIFFERS, ExitCode.OUTPUT_BROKEN),
    examples=("sightline replay session.jsonl", "sightline replay --check recordings/"),
)
@click.argument("recordings", nargs=-1, required=True)
@click.option(
    "--check",
    is_flag=True,
    help="Compute the model's view of every result again and compare it with the recorded one; exit with 12 if one differs.",
)
@click.option(
    "--no-check-output",
    "uncompared",
    is_flag=True,
    help="With --check: exit with 0 even if results break their output schemas; they are still reported.",
)
@format_option("text", "json", "junit")
@click.option(
    "--export",
    type=WordChoice(KINDS),
    help="Print one recording as a document, with both views of each call.",
)
@click.option(
    "--identity",
    metavar="FILE",
    help="Also decrypt the sealed frames of one recording; then nothing is withheld. FILE holds an age identity.",
)
@click.option("--save", metavar="FILE", help="Convert another tool's log of JSON Lines to a recording.")
@click.option("--server", metavar="NAME", help="The server to import, where a log has several.")
@quiet_option
@takes("rules", PolicyOptions, "policy", "yes")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    recordings: tuple[str, ...],
    check: bool,
    uncompared: bool,
    format_: str,
    export: str | None,
    identity: str | None,
    save: str | None,
    server: str | None,
    rules: PolicyOptions,
) -> int:
    """Show, check or export recordings, without server or network. A folder means all *.jsonl in it.

    sightline RECORDING opens one in the interface. verify makes its calls again, diff compares its definitions, and
    serve answers from it.
    """
    policy = rules.read().policy
    if save is not None:
        return _import(recordings, Path(save), server)
    if format_ == "junit" and not check:
        raise UsageError("--format junit only works with --check", "Add --check.")
    paths = tuple(_files(recordings))
    if identity is not None and len(paths) != 1:
        raise UsageError("--identity only works with one recording", "Give one file.")
    key = Path(identity) if identity is not None else None
    if export is not None:
        return _export(paths, "html" if export == "html" else "markdown", key)
    if check:
        return _check(paths, format_, key, uncompared=uncompared)
    terms = None if policy is None else _Terms(policy=policy, agreement=rules.agreement)
    return _show(paths, key, terms, as_json=format_ == "json")


class _Terms(Struct, frozen=True, kw_only=True):
    """The policy of --policy, and the user's agreement to the calls that the policy asks about."""

    policy: Policy
    agreement: Agreement


class _Report(Struct, frozen=True, kw_only=True):
    path: Path
    calls: tuple[CheckedCall, ...]
    broken: Break | None

    @property
    def differs(self) -> bool:
        return self.broken is not None or any(call.mismatches for call in self.calls)

    @property
    def breaks(self) -> int:
        """The number of results that broke the output schema of their tools when they were recorded."""
        return sum(call.is_broken for call in self.calls)


def _import(words: tuple[str, ...], made: Path, server: str | None) -> int:
    if len(words) != 1:
        raise UsageError("--save only works with one log", "Give one file.")
    broken = import_log(Path(words[0]), made, server)
    if broken:
        DIAGNOSTICS.say(f"line {broken.line}: {broken.reason}; the lines before it are imported")
    return ExitCode.OK


def _files(words: tuple[str, ...]) -> Iterator[Path]:
    for word in words:
        path = Path(word)
        if path.is_dir():
            found = sorted(path.glob("*.jsonl"))
            if not found:
                raise UsageError(f"no *.jsonl in {word}", "Recordings are made with --record FILE.")
            yield from found
        else:
            yield path


def _check(paths: tuple[Path, ...], format_: str, identity: Path | None, *, uncompared: bool) -> int:
    reports: list[_Report] = []
    for path in paths:
        with _reading(path, identity) as (file, raw):
            lines = GoodLines(file)
            calls = tuple(checked(lines, raw))
        reports.append(_Report(path=path, calls=calls, broken=lines.broken))
    if format_ == "json":
        print_json({"recordings": [_shape(report) for report in reports]})
    elif format_ == "junit":
        cases = (case for report in reports for case in _cases(report, uncompared=uncompared))
        print_lines(junit("sightline replay", cases), exactly=True)
    else:
        for report in reports:
            print_lines(_text(report))
    if any(report.differs for report in reports):
        return ExitCode.DIFFERS
    broken = sum(report.breaks for report in reports)
    if broken and not uncompared:
        return DIAGNOSTICS.fail(OutputBrokenError(f"results that break their output schema: {broken}"))
    return ExitCode.OK


@contextmanager
def _reading(path: Path, identity: Path | None) -> Generator[tuple[RecordingFile, Raw | None]]:
    """Open a recording, and with `identity` also its sealed frames. Both are closed at the end.

    `identity`: a file with an age identity. The second value decrypts sealed frames; None without `identity`.
    """
    with ExitStack() as stack:
        file = RecordingFile(path)
        stack.callback(file.close)
        raw: Raw | None = None
        if identity is not None:
            from inspector.recording.files.sealing import SealedFrames  # noqa: PLC0415 - an extra that few install

            sealed = SealedFrames(path, identity)
            stack.callback(sealed.close)
            raw = sealed.frame
        yield file, raw


def _shape(report: _Report) -> JsonObject:
    return {
        "recording": str(report.path),
        "checked": len(report.calls),
        "broken": _broken(report.broken),
        "differences": [
            {"frame": call.frame, "tool": call.tool, "pointer": one.pointer, "what": one.what}
            for call in report.calls
            for one in call.mismatches
        ],
        "violations": [
            {"frame": call.frame, "tool": call.tool, **violation.as_json()}
            for call in report.calls
            for violation in call.output.violations
        ],
        "unchecked": [
            {"frame": call.frame, "tool": call.tool, "reason": reason}
            for call in report.calls
            for reason in call.output.unchecked
        ],
    }


def _text(report: _Report) -> list[str]:
    differing = [call for call in report.calls if call.mismatches]
    count = len(report.calls)
    checked_results = f"{count} result{'' if count == 1 else 's'} checked"
    differ = "1 differs" if len(differing) == 1 else f"{len(differing)} differ"
    lines = [f"{report.path}: {checked_results}, {differ}"]
    for call in differing:
        lines += [f"  {line}" for line in _mismatch_lines(call)]
    for call in report.calls:
        lines += [f"  {line}" for line in _compared(call)]
    if report.broken:
        lines.append(
            f"  line {report.broken.line}: {report.broken.reason}; the lines after it were not checked"
        )
    return lines


def _mismatch_lines(call: CheckedCall) -> list[str]:
    lines = [
        f"frame {call.frame}, {safe_line(call.tool)}: {one.pointer or '(the whole result)'} {one.what}"
        for one in call.mismatches
    ]
    return [*lines, f"frame {call.frame}: {call.more:,} more"] if call.more else lines


def _compared(call: CheckedCall) -> list[str]:
    """The comparison of a result with its output schema, one line for each sentence."""
    sign = "≠ " if call.output.violations else ""
    where = f"frame {call.frame}, {safe_line(call.tool)}: "
    return [f"{where}{sign}{safe_line(sentence)}" for sentence in call.output.sentences]


def _cases(report: _Report, *, uncompared: bool) -> Iterator[JunitCase]:
    for call in report.calls:
        compared = _compared(call) if call.is_broken and not uncompared else []
        yield JunitCase(
            suite=str(report.path),
            name=f"frame {call.frame}: {call.tool}",
            failure="\n".join([*(_mismatch_lines(call) if call.mismatches else ()), *compared]),
        )
    if report.broken:
        yield JunitCase(
            suite=str(report.path), name=f"line {report.broken.line}", failure=report.broken.reason
        )


def _show(paths: tuple[Path, ...], identity: Path | None, terms: _Terms | None, *, as_json: bool) -> int:
    shapes: list[Json] = []
    is_stopped = False
    for path in paths:
        with _reading(path, identity) as (file, raw):
            if not as_json and not terms and not raw:
                # An outline of a page's call lacks `isError`, so lines of pages are read in full.
                lines = GoodLines(file, is_outline=file.header.kind != _PAGE)
                print_lines(_summary(path, file.header, _events(lines, Replay()), lines))
                continue
            lines = GoodLines(file)
            events = list(_events(lines, Replay(raw or (lambda _: None))))
        judged = _judged(file.header, events, terms) if terms else ()
        is_stopped = is_stopped or any(one.is_stopped for one in judged)
        if as_json:
            decisions: JsonObject = {"decisions": [one.as_json() for one in judged]} if terms else {}
            shapes.append(_contents(path, file.header, events, lines.broken) | decisions)
        else:
            print_lines(_summary(path, file.header, events, lines))
            print_lines(decision_lines(judged, terms.agreement) if terms else ())
    if as_json:
        print_json({"recordings": shapes})
    else:
        which = f"{shlex.quote(str(paths[0]))} opens it" if len(paths) == 1 else "RECORDING opens one of them"
        DIAGNOSTICS.say(f"sightline {which} in the interface")
    return ExitCode.STOPPED if is_stopped else ExitCode.OK


def _judged(header: Header, events: Sequence[object], terms: _Terms) -> "tuple[ReplayedDecision, ...]":
    from inspector.policy.gate.replayed import replayed  # noqa: PLC0415 - most recordings are only shown

    calls = (event.call for event in events if isinstance(event, _Call))
    return tuple(replayed(terms.policy, calls, header.target, terms.agreement))


def _export(paths: tuple[Path, ...], kind: Kind, identity: Path | None) -> int:
    if len(paths) != 1:
        raise UsageError("--export only works with one recording", "Give one file.")
    with _reading(paths[0], identity) as (file, raw):
        lines = GoodLines(file)
        print_lines(exported(kind, file.header, lines, raw=raw or (lambda _: None)), exactly=True)
    if lines.broken:
        DIAGNOSTICS.say(f"line {lines.broken.line}: {lines.broken.reason}; the lines before it are exported")
    return ExitCode.OK


class _Call(Struct, frozen=True, kw_only=True):
    """A call in the recording that was answered, with its outcome."""

    call: ReplayedCall
    outcome: str
    """`ok`, `breaks output schema`, `tool error`, `failed` or `unfinished`."""


class _Remark(Struct, frozen=True, kw_only=True):
    """A line of the recording that is not a frame."""

    at_s: float
    kind: str
    text: str
    """What the line says, as untrusted text."""


def _events(lines: Iterable[Line], replay: Replay) -> Iterator[_Call | _Remark]:
    last: tuple[ReplayedCall, ...] = ()
    breaking: set[tuple[int, str]] = set()
    for line in lines:
        if isinstance(line, Projected):
            if (check := line.output_check) and check.violations:
                breaking.add((line.frame, line.request))
            continue
        if calls := tuple(replay.calls(line)):
            # In a recording, the projections of calls are between their answer and the next answer.
            yield from _calls(last, breaking)
            last, breaking = calls, set()
        words = note_words(line)
        if words and isinstance(line, (Note, LensesChanged, Connected)):
            yield _Remark(at_s=line.at_s, kind=words[0], text=words[1])
    yield from _calls(last, breaking)
    for call in replay.unanswered.values():
        reason = f": {headline(call.outcome.detail)}" if isinstance(call.outcome, Failure) else ""
        words = f"{call.name}, without an answer in the recording{reason}"
        yield _Remark(at_s=call.at_s, kind="call", text=words)


_OUTCOMES = ("-", "ok", "breaks output schema", "tool error", "failed", "unfinished")
"""The texts of the table column OUTCOME. The first is for a remark; the others are outcomes of calls."""


def _calls(calls: Iterable[ReplayedCall], breaking: Container[tuple[int, str]]) -> Iterator[_Call]:
    """Calls with their outcomes.

    `breaking`: the results that break their output schemas, each as a pair of frame number and request id.
    """
    for call in calls:
        match call.outcome:
            case Result(value=value) as result if not unfinished(result):
                breaks = (call.frame, call.request) in breaking
                is_error = value_at(value, "isError") is True
                outcome = "tool error" if is_error else "breaks output schema" if breaks else "ok"
            case Result():
                outcome = "unfinished"
            case RpcError() | Failure():
                outcome = "failed"
        yield _Call(call=call, outcome=outcome)


def _contents(path: Path, header: Header, events: list[_Call | _Remark], broken: Break | None) -> JsonObject:
    return {
        "recording": str(path),
        "created": header.created,
        "software": header.software,
        "target": {"kind": header.kind, "name": header.target},
        "boundary": header.lenses.level.value,
        "host": header.lenses.host,
        "client": header.client or None,
        "calls": [
            {
                "frame": call.frame,
                "tool": call.name,
                "arguments": call.arguments,
                "result": raw_of(call.outcome),
                "outcome": event.outcome,
                "duration_ms": round(call.duration_s * 1000, 3),
                **({"unfinished": ended.as_json()} if (ended := unfinished(call.outcome)) else {}),
            }
            for event in events
            if isinstance(event, _Call) and (call := event.call)
        ],
        "notes": [
            {"at": round(note.at_s, 6), "kind": note.kind, "text": note.text}
            for note in events
            if isinstance(note, _Remark)
        ],
        "broken": _broken(broken),
    }


def _summary(
    path: Path, header: Header, events: Iterable[_Call | _Remark], lines: GoodLines
) -> Iterator[str]:
    rows = _Rows(events)
    broken = lines.broken
    lenses = f"boundary: {header.lenses.level.value}, host: {header.lenses.host}"
    client = f", client profile: {safe_line(header.client)}" if header.client else ""
    yield f"{path}: {header.kind} {header.target}, {header.created}, {header.software}, {lenses}{client}"
    yield from table_lines(rows, columns())
    if broken:
        yield f"line {broken.line}: {broken.reason}"


def _is_usual(remark: _Remark) -> bool:
    """True for the decision to allow a call because no rule is about it."""
    return remark.kind == "policy" and remark.text.startswith("allow ") and remark.text.endswith(_NO_RULE)


_NO_RULE = (": no rule matched", ": no rule asks about it")
"""The last words of a decision if no rule is about the call, in this version and in earlier ones."""


class _Rows:
    """The table rows of the calls and remarks of a recording, by time.

    A decision to allow a call because no rule is about it has no row. A row takes few bytes, because a
    recording may have millions of calls.
    """

    def __init__(self, events: Iterable[_Call | _Remark]) -> None:
        self._times = array("d")
        self._durations = array("d")
        """The durations of calls in seconds; negative for a remark."""
        self._frames = array("Q")
        self._outcomes = array("B")
        """The indices of the outcomes in `_OUTCOMES`."""
        self._words: list[str] = []
        words: dict[str, str] = {}
        for event in events:
            if isinstance(event, _Remark):
                if _is_usual(event):
                    continue
                at_s, duration_s, frame, outcome = event.at_s, -1, 0, 0
                text = f"{event.kind}: {event.text}"
            else:
                call, outcome = event.call, _OUTCOMES.index(event.outcome)
                at_s, duration_s, frame, text = call.at_s, call.duration_s, call.frame, _words(call)
            self._times.append(at_s)
            self._durations.append(duration_s)
            self._frames.append(frame)
            self._outcomes.append(outcome)
            self._words.append(words.setdefault(text, text))
        # A call is yielded when it is answered, after notes that were made meanwhile; sorting restores the order.
        is_sorted = all(map(le, self._times, islice(self._times, 1, None)))
        every = range(len(self._times))
        self._order = every if is_sorted else array("L", sorted(every, key=self._times.__getitem__))

    def __iter__(self) -> Iterator[tuple[str, str, str, str, str]]:
        yield "FRAME", "AT", "MS", "OUTCOME", "WHAT"
        for index in self._order:
            duration_s, words = self._durations[index], self._words[index]
            at, outcome = f"{self._times[index]:.3f} s", _OUTCOMES[self._outcomes[index]]
            if duration_s < 0:
                yield "-", at, "-", outcome, words
            else:
                yield str(self._frames[index]), at, f"{duration_s * 1000:.0f}", outcome, words


def _words(call: ReplayedCall) -> str:
    ended = unfinished(call.outcome)
    return f"{call.name} (unfinished: {ended.reason})" if ended else call.name


def _broken(broken: Break | None) -> Json:
    return {"line": broken.line, "reason": broken.reason} if broken else None
