"""Tests collected once, then run against each mutant in a fork of the warm process. A pytest plugin.

Run as `python -m tests.mutation.running REQUEST ANSWER` in a private copy of the project, with two JSON files.
"""

import gc
import importlib
import json
import os
import resource
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

import pytest

from tests.mutation.applying import apply
from tests.mutation.operators import Mutant, mutants

KILLED, ENDLESS, SURVIVED, BROKEN = "killed", "endless", "survived", "broken"
"""`ENDLESS`: no test ended it, but the limit did; `BROKEN`: the run itself failed."""
BASELINE = -1
_MEMORY_BYTES = 3_000_000_000
_PATIENCE = 10
"""The factor between the wall-clock limit of a mutant and its limit of processor time, for a machine with other work."""
_ENDED_BY_LIMIT = {-signal.SIGXCPU, -signal.SIGALRM}


class Verdict(TypedDict):
    """The outcome of one mutant."""

    index: int
    outcome: str
    by: str
    """The first test that failed; empty if none did."""
    seconds: float


class Request(TypedDict):
    """A request for a run."""

    modules: list[str]
    """Files, relative to the root of the project."""
    tests: list[str]
    jobs: int
    limit_s: int
    """The limit of processor time for one mutant."""
    only: list[int] | None
    """Numbers among all mutants; None means all."""


@dataclass(slots=True)
class _Child:
    index: int
    said: Path
    """The output file: a pipe would have to be read while it is written."""
    started: float


@dataclass(slots=True, kw_only=True)
class Mutating:
    """The plugin: it replaces the loop over the tests."""

    work: list[tuple[int, Mutant]]
    jobs: int
    limit_s: int
    folder: Path
    verdicts: list[Verdict] = field(default_factory=list[Verdict])
    _durations: dict[str, float] = field(default_factory=dict[str, float])
    _kills: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    _children: dict[int, _Child] = field(default_factory=dict[int, _Child])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise session.Failed(f"{session.testsfailed} test files could not be read")
        gc.collect()
        gc.freeze()
        self._start(session, BASELINE, None)
        self._wait()
        if self.verdicts and self.verdicts[0]["outcome"] != SURVIVED:
            return True
        mutants_by_index = dict(self.work)
        for index, mutant in self.work:
            while len(self._children) >= self.jobs:
                self._wait(mutants_by_index)
            self._start(session, index, mutant)
        while self._children:
            self._wait(mutants_by_index)
        return True

    def _start(self, session: pytest.Session, index: int, mutant: Mutant | None) -> None:
        items = self._ordered(session.items, mutant)
        said = self.folder / f"{index}.txt"
        sys.stdout.flush()
        child = os.fork()
        if child:
            self._children[child] = _Child(index, said, time.monotonic())
            return
        code = 2
        try:
            code = _run_in_child(session, items, mutant, said, self.limit_s)
        finally:
            os._exit(code)

    def _ordered(self, items: list[pytest.Item], mutant: Mutant | None) -> list[pytest.Item]:
        """The tests in order: first those that found mutants of this module before, then the quick ones."""
        kills = self._kills.get(mutant.module, Counter[str]()) if mutant else Counter[str]()
        return sorted(items, key=lambda item: (-kills[item.nodeid], self._durations.get(item.nodeid, 0)))

    def _wait(self, known: dict[int, Mutant] | None = None) -> None:
        pid, status = os.wait()
        child = self._children.pop(pid)
        said = child.said.read_text(encoding="utf-8") if child.said.exists() else ""
        child.said.unlink(missing_ok=True)
        seconds = time.monotonic() - child.started
        code = os.waitstatus_to_exitcode(status)
        if child.index == BASELINE and code == 0:
            for line in said.splitlines():
                name, _, duration = line.rpartition(" ")
                self._durations[name] = float(duration)
        by = said.strip() if code == 1 else ""
        outcome = ENDLESS if code in _ENDED_BY_LIMIT else {0: SURVIVED, 1: KILLED}.get(code, BROKEN)
        self.verdicts.append(Verdict(index=child.index, outcome=outcome, by=by, seconds=seconds))
        mutant = known.get(child.index) if known else None
        if mutant and outcome == KILLED:
            self._kills.setdefault(mutant.module, Counter())[by] += 1
        elif mutant:
            # Written at once: a complete run takes long.
            print(f"{outcome}: {mutant.module}:{mutant.line} {mutant.change}", file=sys.stderr, flush=True)  # noqa: T201
        if child.index != BASELINE and len(self.verdicts) % 100 == 0:
            print(f"{len(self.verdicts)} of {len(self.work)}", file=sys.stderr, flush=True)  # noqa: T201


def _run_in_child(
    session: pytest.Session, items: list[pytest.Item], mutant: Mutant | None, said: Path, limit_s: int
) -> int:
    """Run tests until one fails; the exit code: 0 if none does."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 1))
    for number in (signal.SIGXCPU, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.alarm(limit_s * _PATIENCE)
    if mutant:
        module = importlib.import_module(_dotted(mutant.module))
        try:
            apply(module, Path(mutant.module).read_text(encoding="utf-8"), mutant.source)
        except ValueError:
            return 2
        except Exception as fault:  # noqa: BLE001 - the module can no longer be imported
            said.write_text(f"import ({type(fault).__name__})", encoding="utf-8")
            return 1
    lines: list[str] = []
    for item, following in zip(items, [*items[1:], None], strict=True):
        before = time.monotonic()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            said.write_text(item.nodeid, encoding="utf-8")
            return 1
        lines.append(f"{item.nodeid} {time.monotonic() - before:.6f}")
    if mutant is None:
        said.write_text("\n".join(lines), encoding="utf-8")
    return 0


def _dotted(module: str) -> str:
    return module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def all_mutants(root: Path, modules: list[str]) -> list[Mutant]:
    """Every mutant of these modules."""
    return [mutant for name in modules for mutant in mutants(name, (root / name).read_text(encoding="utf-8"))]


def main() -> int:
    """Run what a request asks for, and write the verdicts."""
    request: Request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    found = all_mutants(Path(), request["modules"])
    wanted = request["only"]
    work = [(index, mutant) for index, mutant in enumerate(found) if wanted is None or index in wanted]
    plugin = Mutating(
        work=work, jobs=request["jobs"], limit_s=request["limit_s"], folder=Path(sys.argv[2]).parent
    )
    code = pytest.main(["-q", "-s", "-p", "no:xdist", "--timeout=0", *request["tests"]], plugins=[plugin])
    Path(sys.argv[2]).write_text(json.dumps(plugin.verdicts), encoding="utf-8")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
