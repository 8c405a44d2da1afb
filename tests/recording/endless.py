"""Sessions that are recorded until they are killed: `python -m tests.recording.endless FOLDER COUNT`.

Each file is written by a child process, which is killed with SIGKILL as soon as its file has a size that is drawn by chance.
"""

import gc
import os
import random
import signal
import sys
from pathlib import Path

from inspector.recording.files import Recorder
from tests.recording.sessions import HEADER, conversation, scribed

ROUNDS = 100
"""More conversations than a child ever completes."""
CONVERSATION = conversation()
SMALLEST, LARGEST = 300, 3_000
"""The range of file sizes: from within the header up to two conversations."""


def record(path: Path) -> None:
    """Record the same conversation again and again."""
    recorder = Recorder(path, HEADER)
    for _ in range(ROUNDS):
        for frame in CONVERSATION.matched:
            recorder.frame(frame)
        recorder.settle()
    recorder.close()


def killed(path: Path, wanted: int) -> None:
    """Record in a child, and kill it."""
    child = os.fork()
    if not child:
        try:
            record(path)
        finally:
            os._exit(0)
    while not path.exists() or path.stat().st_size < wanted:
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            break
        os.sched_yield()
    os.kill(child, signal.SIGKILL)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != -signal.SIGKILL:
        raise RuntimeError(f"{path} was finished before it was killed")


def main(folder: Path, count: int) -> None:
    """Record that many files."""
    chance = random.Random(4)  # noqa: S311 - the same sizes in every run
    # Modules that are imported late are loaded once here, and shared with every child.
    scribed(CONVERSATION.frames)
    gc.freeze()
    for number in range(count):
        killed(folder / f"{number}.jsonl", chance.randrange(SMALLEST, LARGEST))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
