"""The waiting time of a user at every start: the interface's first frame and list, and small commands."""

import sys
from collections.abc import Sequence

from benchmarks.measuring import Report, ran, seconds_until

SIGHTLINE = (sys.executable, "-m", "inspector")
_CALL = ("call", "generate_api_key", "demo", "--arg", "name=production", "--yes")


def measure(report: Report) -> None:
    """Print all rows."""
    report.section("Start")
    report.row("bare interpreter", _walls((sys.executable, "-c", "pass")), yardstick=report.textual)
    shown = [seconds_until((*SIGHTLINE, "demo"), b"Opening", b"generate_api_key") for _ in range(5)]
    frames, lists = zip(*shown, strict=True)
    report.row("`sightline demo`: first frame", frames, yardstick=report.textual)
    report.row("`sightline demo`: its tool list on the screen", lists, yardstick=report.textual, aim=0.5)
    for words, aim in ((("--help",), 0.15), (("list", "demo"), 0.2), (_CALL, 0.28)):
        report.row(f"`sightline {words[0]}`", _walls((*SIGHTLINE, *words)), yardstick=report.textual, aim=aim)


def _walls(argv: Sequence[str]) -> list[float]:
    return [ran(argv).wall_s for _ in range(5)]
