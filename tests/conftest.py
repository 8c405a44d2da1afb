"""Isolation of the tests: no test may read or write what Sightline keeps for the user or for another test."""

import gc
import os
import signal
import socket
import sys
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import settings

from tests import driven

NAMES = ("DATA", "CONFIG")
collect_ignore = ["testing/project"]
_numbers = count()


def pytest_configure() -> None:
    # The tests start thousands of processes. Some environments forbid bytecode, and then each compiles every module.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # A shell's background jobs ignore SIGINT, and those of nohup SIGHUP; the commands that the tests start would inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    # With Python's thresholds, a quarter of the processor time of a screen test goes into collections.
    gc.set_threshold(50_000, 20, 20)
    # The duration of one example says nothing on a busy machine.
    settings.register_profile("sightline", parent=settings(), deadline=None)
    settings.load_profile("sightline")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # A long test that begins last keeps the other processes waiting. Each process begins with an equal part of the
    # list, so each part begins with some of them.
    workers = int(getattr(config, "workerinput", {"workercount": 1})["workercount"])
    long = [item for item in items if item.get_closest_marker("long")]
    others = iter([item for item in items if not item.get_closest_marker("long")])
    ordered: list[pytest.Item] = []
    for number in range(workers):
        size = (len(items) - len(ordered)) // (workers - number)
        first = long[number::workers]
        ordered += (*first, *islice(others, max(0, size - len(first))))
    items[:] = (*ordered, *others)
    # If a terminal, a screen or a browser on a busy machine is not ready for a key, the test that types it is not at
    # fault. A test that failed and then passed is reported as run again. No other test is run twice.
    for item in items:
        item.add_marker(pytest.mark.flaky(reruns=2, condition=driven.is_driving))


def pytest_collection_finish(session: pytest.Session) -> None:
    # Before each test, pytest-rerunfailures asks the process that distributes the tests. Without this option, TCP delays
    # each question by 40 ms.
    if hasattr(session.config, "workerinput"):
        asked: socket.socket = cast("Any", session.config).failures_db.sock
        asked.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
    # The thousands of tests stay until the end: collections need not go through them.
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart() -> None:
    driven.forget()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    # A test that failed and then passed would otherwise not say why it had failed.
    for report in terminalreporter.stats.get("rerun", []):
        terminalreporter.section(f"failed before it passed: {report.nodeid}")
        terminalreporter.line(report.longreprtext)


@pytest.fixture(scope="session")
def kept_folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


def _used(patch: pytest.MonkeyPatch, folder: Path) -> None:
    for name in NAMES:
        patch.setenv(f"SIGHTLINE_{name}_DIR", str(folder / name.lower()))


@pytest.fixture(scope="session", autouse=True)
def _folders_of_fixtures(kept_folders: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        _used(patch, kept_folders / "fixtures")
        yield


@pytest.fixture(autouse=True)
def _folders_of_its_own(kept_folders: Path, _folders_of_fixtures: None) -> Iterator[None]:
    # The code that writes into them creates them: most tests write nothing.
    with pytest.MonkeyPatch.context() as patch:
        _used(patch, kept_folders / str(next(_numbers)))
        yield
