"""`sightline run` on a file of saved calls, on the demo server."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measuring import Measurement

GOAL_S = 5.0
"""For 1,000 calls, with the start of Sightline and of the server."""
_CALLS = 1_000
_EXPECTED = (
    (
        "generate_api_key",
        '{{ name = "key {0}" }}',
        'fits_schema = true\nwithheld = ["/secret"]\nequals = {{ "/name" = "key {0}" }}',
    ),
    ("echo_arguments", '{{ text = "said {0}", count = 3 }}', 'contains = "said {0}"\nat_most_tokens = 500'),
)


def main() -> None:
    """Print all measurements."""
    print("Saved calls")
    with tempfile.TemporaryDirectory() as folder:
        few, many = _taken(Path(folder), 1), _taken(Path(folder), _CALLS)
    print(Measurement(name="1 saved call", runs_s=tuple(few)).line())
    print(Measurement(name=f"{_CALLS:,} saved calls (goal {GOAL_S:.0f} s)", runs_s=tuple(many)).line())
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(
        f"  {(min(many) - min(few)) / (_CALLS - 1) * 1000:.2f} ms for each further call; load average {load}"
    )


def _taken(folder: Path, count: int) -> list[float]:
    file = folder / f"{count}.toml"
    file.write_text("\n".join(_call(number) for number in range(count)))
    return [_seconds(file) for _ in range(3)]


def _call(number: int) -> str:
    tool, arguments, expected = _EXPECTED[number % len(_EXPECTED)]
    table = f"calls.c{number}"
    return (
        f'[{table}]\ntool = "{tool}"\narguments = {arguments.format(number)}\n'
        f"[{table}.expect]\n{expected.format(number)}\n"
    )


def _seconds(file: Path) -> float:
    started = time.perf_counter()
    command = (sys.executable, "-m", "inspector", "run", str(file), "demo", "-q")
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
