"""For each path on stdin, a child that records there: tells its number, waits until somebody has killed it, says so."""

import os
import sys
from pathlib import Path

from inspector.store.recordings import Recorder
from tests.recording.sessions import HEADER, conversation, scribed

ROUNDS = 3_000
"""More than anybody lets it finish."""


def record(path: Path) -> None:
    recorder = Recorder(path, HEADER)
    for _ in range(ROUNDS):
        for frame in conversation().frames:
            recorder.frame(frame)
    recorder.close()


# What is loaded late is loaded once, and not in every child.
scribed(conversation().frames)
for word in sys.stdin:
    child = os.fork()
    if not child:
        record(Path(word.rstrip("\n")))
        os._exit(0)
    os.write(1, f"{child}\n".encode())
    os.write(1, f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n".encode())
