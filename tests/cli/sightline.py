"""The command line as a user runs it: a process, its two streams, its exit code."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """The outcome of one run."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Stdout as one JSON document."""
        return json.loads(self.out)


def sightline(*argv: str, stdin: str = "", columns: int = 120, cwd: Path = ROOT) -> Ran:
    """Run the command without a terminal."""
    environment = {**os.environ, "COLUMNS": str(columns), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "inspector", *argv],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        cwd=cwd,
        timeout=60,
        check=False,
    )
    return Ran(code=done.returncode, out=done.stdout, err=done.stderr)


def raw_server(behaviour: str) -> tuple[str, ...]:
    """The arguments after a command that connect it to the misbehaving server."""
    return ("--", sys.executable, "-S", "-E", str(ROOT / "tests" / "peers" / "raw_server.py"), behaviour)


def hostile_server() -> tuple[str, ...]:
    """The arguments after a command that connect it to the hostile server."""
    return (
        "-e",
        f"PYTHONPATH={ROOT}",
        "--",
        sys.executable,
        str(ROOT / "tests" / "peers" / "hostile_server.py"),
    )
