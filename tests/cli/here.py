"""The command line in this process: half a second quicker than a process of its own, for tests that need only output and exit code."""

import io
from contextlib import redirect_stderr, redirect_stdout

from inspector.cli.main import run
from tests.cli.sightline import Ran


def here(*argv: str) -> Ran:
    """Run a command that opens no interface."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(list(argv), _no_interface)
    return Ran(code=code, out=out.getvalue(), err=err.getvalue())


def _no_interface(*_args: object, **_named: object) -> int:
    raise AssertionError("no command here opens the interface")
