"""`sightline replay RECORDING…`: what is in recordings, and whether their results are still seen as they were."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from inspector.cli.diagnostics import DIAGNOSTICS, OK
from inspector.cli.exports import Shown, markdown, page
from inspector.cli.junit import Case, junit
from inspector.cli.output import columns, print_json, print_lines, table
from inspector.core.boundary.reading import raw_of
from inspector.core.foreign import safe_line
from inspector.core.json_text import Json, JsonObject
from inspector.core.recording.checking import CheckedCall, checked
from inspector.core.recording.format import Header, Lenses, LensesChanged, Line, RecordedCall, RecordedFrame
from inspector.core.recording.replaying import Replay, ReplayedCall, projection_of
from inspector.errors import UsageError
from inspector.store.foreign_logs import import_log
from inspector.store.recordings import Break, RecordingFile

DIFFERS = 12
"""The exit code where a recording is not seen as it was."""


@click.command()
@click.argument("recordings", nargs=-1, required=True)
@click.option(
    "--check", is_flag=True, help="Project every result again, and compare with what was recorded; exits 12."
)
@click.option(
    "--format", "format_", type=click.Choice(["text", "json", "junit"]), default="text", show_default=True
)
@click.option(
    "--export",
    type=click.Choice(["markdown", "html"]),
    help="Print one recording as a document, with both views of every call.",
)
@click.option(
    "--identity",
    metavar="FILE",
    help="Show one recording with its sealed frames: nothing is withheld from you then.",
)
@click.option("--save", metavar="FILE", help="Make a recording of another tool's log of JSON Lines.")
@click.option("--server", metavar="NAME", help="The server to import, where a log has several.")
@click.option("-q", "quiet", is_flag=True, help="Nothing on stderr but errors.")
def command(
    *, recordings: tuple[str, ...], check: bool, format_: str, quiet: bool, **options: str | None
) -> int:
    """Show what is in recordings, with no server and no network; a folder stands for all *.jsonl in it."""
    DIAGNOSTICS.quiet = quiet
    save, export, identity = options["save"], options["export"], options["identity"]
    if save is not None:
        return _import(recordings, Path(save), options["server"])
    if format_ == "junit" and not check:
        raise UsageError("--format junit is for --check", "Add --check.")
    paths = tuple(_files(recordings))
    if identity is not None and (check or export or len(paths) != 1):
        raise UsageError("--identity opens one recording", "Give one file, without --check and --export.")
    if export is not None:
        return _export(paths, export)
    if check:
        return _check(paths, format_)
    return _tell(paths, Path(identity) if identity else None, as_json=format_ == "json")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Report:
    path: Path
    calls: tuple[CheckedCall, ...]
    broken: Break | None

    @property
    def differs(self) -> bool:
        return self.broken is not None or any(call.mismatches for call in self.calls)


class _Lines:
    """The good lines of a recording; where they end is kept."""

    def __init__(self, file: RecordingFile) -> None:
        self._file = file
        self.broken: Break | None = None

    def __iter__(self) -> Iterator[Line]:
        for line in self._file.lines():
            if isinstance(line, Break):
                self.broken = line
            else:
                yield line


def _import(words: tuple[str, ...], made: Path, server: str | None) -> int:
    if len(words) != 1:
        raise UsageError("--save makes one recording of one log", "Give one file.")
    broken = import_log(Path(words[0]), made, server)
    if broken:
        DIAGNOSTICS.say(f"line {broken.line}: {broken.reason}; what is before it is imported")
    return OK


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


def _check(paths: tuple[Path, ...], format_: str) -> int:
    reports: list[_Report] = []
    for path in paths:
        file = RecordingFile(path)
        lines = _Lines(file)
        calls = tuple(checked(lines))
        file.close()
        reports.append(_Report(path=path, calls=calls, broken=lines.broken))
    if format_ == "json":
        print_json({"recordings": [_shape(report) for report in reports]})
    elif format_ == "junit":
        print_lines(junit("sightline replay", (case for report in reports for case in _cases(report))))
    else:
        for report in reports:
            print_lines(_text(report))
    return DIFFERS if any(report.differs for report in reports) else OK


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
    }


def _text(report: _Report) -> list[str]:
    differing = [call for call in report.calls if call.mismatches]
    lines = [f"{report.path}: {len(report.calls)} results, {len(differing)} not seen as they were"]
    for call in differing:
        lines += [f"  {told}" for told in _told(call)]
    if report.broken:
        lines.append(f"  line {report.broken.line}: {report.broken.reason}; what follows was not checked")
    return lines


def _told(call: CheckedCall) -> list[str]:
    lines = [
        f"frame {call.frame}, {safe_line(call.tool)}: {one.pointer or '(the whole)'} {one.what}"
        for one in call.mismatches
    ]
    return [*lines, f"frame {call.frame}: {call.untold:,} more"] if call.untold else lines


def _cases(report: _Report) -> Iterator[Case]:
    for call in report.calls:
        yield Case(
            suite=str(report.path),
            name=f"frame {call.frame}: {call.tool}",
            failure="\n".join(_told(call)) if call.mismatches else "",
        )
    if report.broken:
        yield Case(suite=str(report.path), name=f"line {report.broken.line}", failure=report.broken.reason)


def _tell(paths: tuple[Path, ...], identity: Path | None, *, as_json: bool) -> int:
    shapes: list[Json] = []
    for path in paths:
        file = RecordingFile(path)
        lines = _Lines(file)
        replay = Replay()
        calls = [call for line in lines for call in _calls(line, replay)]
        if identity is not None:
            from inspector.store.sealing import unsealed  # noqa: PLC0415 - an extra that few install

            replay = Replay()
            calls = [call for frame in unsealed(path, identity) for call in replay.take(frame)]
        file.close()
        if as_json:
            shapes.append(_contents(path, file.header, calls, lines.broken))
        else:
            print_lines(_summary(path, file.header, calls, lines.broken))
    if as_json:
        print_json({"recordings": shapes})
    return OK


def _export(paths: tuple[Path, ...], kind: str) -> int:
    if len(paths) != 1:
        raise UsageError("--export prints one recording", "Give one file.")
    file = RecordingFile(paths[0])
    lines = _Lines(file)
    print_lines((page if kind == "html" else markdown)(file.header, _shown(lines, file.header.lenses)))
    file.close()
    if lines.broken:
        DIAGNOSTICS.say(f"line {lines.broken.line}: {lines.broken.reason}; what is before it is exported")
    return OK


def _shown(lines: Iterable[Line], lenses: Lenses) -> Iterator[Shown]:
    """Every call, through the lenses that were in force."""
    replay = Replay()
    for line in lines:
        if isinstance(line, LensesChanged):
            lenses = line.lenses
        for call in _calls(line, replay):
            projection = projection_of(call, lenses)
            if projection is None:
                raise UsageError(
                    f"no host {lenses.host}", "It was recorded for a host that is not known any more."
                )
            yield Shown(call=call, lenses=lenses, projection=projection)


def _calls(line: Line, replay: Replay) -> Iterator[ReplayedCall]:
    if isinstance(line, RecordedFrame):
        yield from replay.take(replay.frame(line))
    elif isinstance(line, RecordedCall):
        yield replay.call(line)


def _contents(path: Path, header: Header, calls: list[ReplayedCall], broken: Break | None) -> JsonObject:
    return {
        "recording": str(path),
        "created": header.created,
        "software": header.software,
        "target": {"kind": header.kind, "name": header.target},
        "boundary": header.lenses.level.value,
        "host": header.lenses.host,
        "calls": [
            {
                "frame": call.frame,
                "tool": call.name,
                "arguments": call.arguments,
                "result": raw_of(call.outcome),
                "duration_ms": round(call.duration_s * 1000, 3),
            }
            for call in calls
        ],
        "broken": _broken(broken),
    }


def _summary(path: Path, header: Header, calls: list[ReplayedCall], broken: Break | None) -> list[str]:
    rows = [("FRAME", "AT", "MS", "TOOL")]
    rows += [
        (str(call.frame), f"{call.at_s:.3f} s", f"{call.duration_s * 1000:.0f}", call.name) for call in calls
    ]
    lenses = f"boundary: {header.lenses.level.value}, host: {header.lenses.host}"
    lines = [
        f"{path}: {header.kind} {header.target}, {header.created}, {header.software}, {lenses}",
        *table(rows, columns()),
    ]
    return [*lines, f"line {broken.line}: {broken.reason}"] if broken else lines


def _broken(broken: Break | None) -> Json:
    return {"line": broken.line, "reason": broken.reason} if broken else None
