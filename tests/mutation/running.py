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
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, TypedDict

import pytest

from tests.mutation.applying import UnchangeableError, apply
from tests.mutation.executing import Lines, dotted, executes, recorded
from tests.mutation.log import BROKEN, ENDLESS, KILLED, LEFT, SURVIVED, Log, Verdict
from tests.mutation.operators import Mutant, mutants

BASELINE = -1
_MEMORY_BYTES = 3_000_000_000
_PATIENCE = 10
"""The factor between the wall-clock limit of a test and its limit of processor time, for a machine with other work."""
_TIMES_AS_LONG = 10
"""A test may take this many times as long as without a mutant, beyond the limit."""
_ENDED_BY_LIMIT = {-signal.SIGXCPU, -signal.SIGALRM}
_CASES = "PROOF_CASES"
_OF_PROOF = "tests/proof/"
_FEW, _MANY = 60, 600
"""The number of cases of each invariant: the tests with many run where those with few have noticed nothing."""
_FIRST_S = 3
"""The processor time, without a mutant, of the tests that run first. All run on the mutants that these leave."""


class Request(TypedDict):
    """A request for a run."""

    modules: list[str]
    """Files, relative to the root of the project."""
    package: list[str]
    """All files of the package; the mutated ones are among them."""
    tests: list[str]
    jobs: int
    limit_s: int
    """The limit of processor time for one test, beyond what it takes without a mutant."""
    listed: list[list[str | int]]
    """The keys of mutants that are listed as equivalents: only the first tests run on them."""
    log: str
    """The file with what earlier runs have found; a new one is begun if there is none."""


class Step(NamedTuple):
    """One test, with a number of cases."""

    test: str
    cases: int


class Share(NamedTuple):
    """The steps of one mutant with the seconds that each may take."""

    items: list[tuple[Step, pytest.Item]]
    allowed_s: dict[Step, float]


@dataclass(slots=True)
class _Child:
    index: int
    is_last: bool
    """True if no other test is left for this mutant."""
    said: Path
    """The output file: a pipe would have to be read while it is written."""
    started: float


@dataclass(slots=True, kw_only=True)
class Mutating:
    """The plugin: it replaces the loop over the tests."""

    package: list[str]
    work: list[Mutant]
    jobs: int
    limit_s: int
    folder: Path
    log: Log
    listed: set[tuple[str | int, ...]]
    verdicts: list[Verdict] = field(default_factory=list[Verdict])
    _items: dict[Step, pytest.Item] = field(default_factory=dict[Step, pytest.Item])
    _durations: dict[Step, float] = field(default_factory=dict[Step, float])
    _lines: dict[str, Lines] = field(default_factory=dict[str, Lines])
    _kills: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """The kills of each step, by module and by function."""
    _left: list[int] = field(default_factory=list[int])
    _children: dict[int, _Child] = field(default_factory=dict[int, _Child])

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self) -> None:
        # Not earlier: pytest warns of a plugin of its own that is imported before it begins.
        from hypothesis import Phase, settings  # noqa: PLC0415

        # Examples are the same each time and are not made smaller: only whether a test fails counts.
        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("mutation", derandomize=True, database=None, phases=phases)
        settings.load_profile("mutation")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise session.Failed(f"{session.testsfailed} test files could not be read")
        self._items = {step: item for item in session.items for step in _steps(item)}
        # Created before the forks, or each of thousands would leave a folder of its own.
        session.config._tmp_path_factory.getbasetemp()  # noqa: SLF001 # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        gc.collect()
        gc.freeze()
        names = {str(step) for step in self._items}
        if not names <= self.log.durations().keys():
            self._run(session, BASELINE, None)
            self._wait()
        durations = self.log.durations()
        if not names <= durations.keys():
            return True
        self._durations = {step: durations[str(step)] for step in self._items}
        self._record(session.items)
        for index, mutant in enumerate(self.work):
            known = self.log.verdict(index, mutant)
            if known:
                self._take(known, mutant)
            else:
                self._run(session, index, mutant)
        self._wait_for_all()
        while self._left:
            index = self._left.pop(0)
            self._run(session, index, self.work[index], with_all=True)
        self._wait_for_all()
        return True

    def _wait_for_all(self) -> None:
        while self._children:
            self._wait()

    def _record(self, items: list[pytest.Item]) -> None:
        """Record which lines each test executes: each in a fork, so that no test finds what another one has cached."""
        wanted = [item for item in items if self.log.lines(item.nodeid) is None]
        running: dict[int, tuple[pytest.Item, Path]] = {}
        for number, item in enumerate([*wanted, *[None] * self.jobs]):
            while running and (item is None or len(running) >= self.jobs):
                ended, said = running.pop(os.wait()[0])
                if said.exists():
                    self.log.add_lines(ended.nodeid, json.loads(said.read_text(encoding="utf-8")))
                    said.unlink()
            if item:
                said = self.folder / f"lines{number}.json"
                running[_forked(lambda item=item, said=said: _record_in_child(item, self.package, said))] = (
                    item,
                    said,
                )
        everything: Lines = {module: list(range(10_000)) for module in self.package}
        self._lines = {item.nodeid: self.log.lines(item.nodeid) or everything for item in items}

    def _run(
        self, session: pytest.Session, index: int, mutant: Mutant | None, *, with_all: bool = False
    ) -> None:
        """Start the first tests of a mutant, or all, as soon as a process is free."""
        while len(self._children) >= self.jobs:
            self._wait()
        steps = self._ordered(mutant) if mutant else list(self._items)
        ends = accumulate(self._durations.get(step, 0) for step in steps)
        chosen = [step for step, end in zip(steps, ends, strict=True) if with_all or end <= _FIRST_S]
        allowed_s = {step: self.limit_s + _TIMES_AS_LONG * self._durations.get(step, 60) for step in chosen}
        share = Share([(step, self._items[step]) for step in chosen], allowed_s)
        is_last = len(chosen) == len(steps)
        said = self.folder / f"{index}.txt"
        child = _forked(lambda: _run_in_child(session, share, mutant, said))
        self._children[child] = _Child(index, is_last, said, time.monotonic())

    def _ordered(self, mutant: Mutant) -> list[Step]:
        """The tests that may notice a mutant, by what each has noticed and how long it takes."""
        module, function = mutant.module, f"{mutant.module} {mutant.within}"

        def benefit(step: Step) -> float:
            name = str(step)
            noticed = self._kills[function, name] + 0.1 * self._kills[module, name]
            # A test of one module notices more there than one of a whole result.
            lines = self._lines[step.test]
            share = len(lines.get(module, ())) / (1 + sum(map(len, lines.values())))
            return (0.001 + 0.05 * share + noticed) / (0.01 + self._durations[step])

        steps = [step for step in self._items if executes(self._lines[step.test], module, mutant.lines)]
        return sorted(steps, key=benefit, reverse=True)

    def _wait(self) -> None:
        pid, status = os.wait()
        child = self._children.pop(pid)
        said = child.said.read_text(encoding="utf-8") if child.said.exists() else ""
        child.said.unlink(missing_ok=True)
        seconds = round(time.monotonic() - child.started, 2)
        code = os.waitstatus_to_exitcode(status)
        outcome = (
            ENDLESS
            if code in _ENDED_BY_LIMIT
            else {0: SURVIVED if child.is_last else LEFT, 1: KILLED}.get(code, BROKEN)
        )
        by = said.strip() if code == 1 else ""
        verdict = Verdict(index=child.index, outcome=outcome, by=by, seconds=seconds)
        if child.index == BASELINE:
            if code == 0:
                self.log.add_durations(json.loads(said))
            else:
                self.verdicts.append(verdict)
            return
        self.log.add_verdict(self.work[child.index], verdict)
        self._take(verdict, self.work[child.index])

    def _take(self, verdict: Verdict, mutant: Mutant) -> None:
        outcome = verdict["outcome"]
        if outcome == KILLED:
            self._kills[mutant.module, verdict["by"]] += 1
            self._kills[f"{mutant.module} {mutant.within}", verdict["by"]] += 1
        else:
            # Written at once: a complete run takes long.
            where = f"{mutant.module}:{mutant.line}"
            print(f"{outcome}: {where} {mutant.change}", file=sys.stderr, flush=True)  # noqa: T201
        if outcome == LEFT and mutant.key not in self.listed:
            self._left.append(verdict["index"])
            return
        if outcome == LEFT:
            verdict["outcome"] = SURVIVED
        self.verdicts.append(verdict)
        if len(self.verdicts) % 100 == 0:
            print(f"{len(self.verdicts)} of {len(self.work)}", file=sys.stderr, flush=True)  # noqa: T201


def _steps(item: pytest.Item) -> list[Step]:
    counts = (_FEW, _MANY) if item.nodeid.startswith(_OF_PROOF) else (_MANY,)
    return [Step(item.nodeid, count) for count in counts]


def _forked(run: Callable[[], int]) -> int:
    """Run something in a fork, silently; the exit code is what it returns."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    code = 2
    try:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for number in (signal.SIGXCPU, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        code = run()
    finally:
        os._exit(code)


def _record_in_child(item: pytest.Item, modules: list[str], said: Path) -> int:
    os.environ[_CASES] = str(_MANY)
    with recorded(modules) as lines:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
    said.write_text(json.dumps(lines), encoding="utf-8")
    return 0


def _run_in_child(session: pytest.Session, share: Share, mutant: Mutant | None, said: Path) -> int:
    """Run tests until one fails; the exit code: 0 if none does."""
    if mutant:
        module = importlib.import_module(dotted(mutant.module))
        try:
            apply(module, mutant.source, mutant.statement)
        except UnchangeableError:
            return 2
        except Exception as fault:  # noqa: BLE001 - the module can no longer be imported
            said.write_text(f"import ({type(fault).__name__})", encoding="utf-8")
            return 1
    durations: dict[str, float] = {}
    following = [*(item for _, item in share.items[1:]), None]
    for (step, item), after in zip(share.items, following, strict=False):
        _limit(share.allowed_s[step])
        os.environ[_CASES] = str(step.cases)
        before = time.process_time()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None if after is item else after)
        if session.testsfailed:
            said.write_text(str(step), encoding="utf-8")
            return 1
        durations[str(step)] = time.process_time() - before
    if mutant is None:
        said.write_text(json.dumps(durations), encoding="utf-8")
    return 0


def _limit(allowed_s: float) -> None:
    """End this process if it takes more processor time than that from now on."""
    limit_s = int(time.process_time() + allowed_s) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, resource.RLIM_INFINITY))
    signal.alarm(int(allowed_s * _PATIENCE))


def all_mutants(root: Path, modules: list[str]) -> list[Mutant]:
    """Every mutant of these modules."""
    return [mutant for name in modules for mutant in mutants(name, (root / name).read_text(encoding="utf-8"))]


def main() -> int:
    """Run what a request asks for, and write the verdicts."""
    request: Request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    plugin = Mutating(
        package=request["package"],
        work=all_mutants(Path(), request["modules"]),
        jobs=request["jobs"],
        limit_s=request["limit_s"],
        folder=Path(sys.argv[2]).parent,
        log=Log(Path(request["log"]), Path(), request["tests"]),
        listed={tuple(key) for key in request["listed"]},
    )
    temporary = f"--basetemp={plugin.folder / 'tests'}"
    words = ["-q", "-s", "-p", "no:xdist", "--timeout=0", temporary, *request["tests"]]
    code = pytest.main(words, plugins=[plugin])
    if code == 0:
        Path(sys.argv[2]).write_text(json.dumps(plugin.verdicts), encoding="utf-8")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
