"""The command line, including the commands about recordings."""

import os
import subprocess
import sys
from pathlib import Path

from tests.cli.sightline import ROOT, Ran

SCRIPT = """
import sys
from inspector.__main__ import interface
from inspector.cli.main import COMMANDS, run
for name in ("replay", "serve", "diff"):
    COMMANDS.setdefault(name, name)
sys.exit(run(sys.argv[1:], interface))
"""


def words(*argv: str) -> list[str]:
    return [sys.executable, "-c", SCRIPT, *argv]


def environment() -> dict[str, str]:
    return {**os.environ, "COLUMNS": "120", "PYTHONPATH": str(ROOT)}


def sightline(*argv: str, stdin: str = "", cwd: Path = ROOT) -> Ran:
    """Run one command without a terminal."""
    done = subprocess.run(
        words(*argv),
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment(),
        cwd=cwd,
        timeout=60,
        check=False,
    )
    return Ran(code=done.returncode, out=done.stdout, err=done.stderr)
