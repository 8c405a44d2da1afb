"""The command line as a user runs it: its words, its two streams, its exit code."""

import io
import json
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import run
from inspector.cli.output import DIAGNOSTICS, Diagnostics

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


def sightline(*argv: str, stdin: str = "", columns: int = 120, cwd: Path | None = None) -> Ran:
    """Run the command in this process, which saves the quarter of a second in which a process of its own starts."""
    out, err, given = _stream(), _stream(), _stream(stdin.encode())
    with (
        pytest.MonkeyPatch.context() as patch,
        chdir(cwd or Path.cwd()),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        patch.setenv("COLUMNS", str(columns))
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setattr(sys, "stdin", given)
        for name, value in vars(Diagnostics()).items():
            patch.setattr(DIAGNOSTICS, name, value)
        code = run(list(argv), _no_interface)
    return Ran(code=code, out=_written(out), err=_written(err))


def spawned(*argv: str, stdin: str = "", columns: int = 120, cwd: Path | None = None) -> Ran:
    """Run the command in a process of its own: for tests of what only a process has, and for those with a running loop."""
    done = subprocess.run(
        words(*argv),
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment(columns=columns),
        cwd=cwd,
        timeout=60,
        check=False,
    )
    return Ran(code=done.returncode, out=done.stdout, err=done.stderr)


def words(*argv: str) -> list[str]:
    """The command line of a process of its own."""
    return [sys.executable, "-m", "inspector", *argv]


def environment(*, columns: int = 120) -> dict[str, str]:
    """The environment of a process of its own."""
    return {**os.environ, "COLUMNS": str(columns), "PYTHONPATH": str(ROOT)}


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


def _stream(content: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="\n")


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _no_interface(*_args: object, **_named: object) -> int:
    raise AssertionError("no command here opens the interface")
