"""`sightline run` on a file of saved calls, on the demo server."""

import sys
import tempfile
from pathlib import Path

from benchmarks.measuring import Report, ran

_RUN = (sys.executable, "-m", "inspector", "run")
_CALLS = 1_000
_EXPECTED = (
    (
        "generate_api_key",
        '{{ name = "key {0}" }}',
        'fits_schema = true\nwithheld = ["/secret"]\nequals = {{ "/name" = "key {0}" }}',
    ),
    ("echo_arguments", '{{ text = "said {0}", count = 3 }}', 'contains = "said {0}"\nat_most_tokens = 500'),
)


def measure(report: Report) -> None:
    """Print all rows."""
    report.section("Saved calls")
    with tempfile.TemporaryDirectory() as folder:
        one = report.row("`sightline run` of one call", _taken(Path(folder), 1), yardstick=report.textual)
        report.row(f"`sightline run` of {_CALLS:,} calls", _taken(Path(folder), _CALLS), yardstick=one, aim=5)


def _taken(folder: Path, count: int) -> list[float]:
    file = folder / f"{count}.toml"
    file.write_text("\n".join(_call(number) for number in range(count)))
    return [ran((*_RUN, str(file), "demo", "-q")).wall_s for _ in range(3)]


def _call(number: int) -> str:
    tool, arguments, expected = _EXPECTED[number % len(_EXPECTED)]
    table = f"calls.c{number}"
    return (
        f'[{table}]\ntool = "{tool}"\narguments = {arguments.format(number)}\n'
        f"[{table}.expect]\n{expected.format(number)}\n"
    )
