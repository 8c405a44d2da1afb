"""A program between Sightline and a server, which keeps a copy of the traffic in both directions.

Usage: between.py FOLDER COMMAND…, where `heard` and `said` are written to FOLDER. It uses no library.
"""

import subprocess
import sys
import threading
from pathlib import Path
from typing import IO


def pass_on(lines: IO[bytes], to: IO[bytes], copy: Path) -> None:
    """Pass on every line until the input ends; then close `to`."""
    with copy.open("wb") as kept, to:
        for line in lines:
            kept.write(line)
            kept.flush()
            to.write(line)
            to.flush()


def main() -> None:
    """Run until the command ends, which it does when its input ends."""
    folder, command = Path(sys.argv[1]), sys.argv[2:]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        if server.stdin is None or server.stdout is None:
            raise RuntimeError("no pipes")
        words = (sys.stdin.buffer, server.stdin, folder / "heard")
        threading.Thread(target=pass_on, args=words, daemon=True).start()
        pass_on(server.stdout, sys.stdout.buffer, folder / "said")


if __name__ == "__main__":
    main()
