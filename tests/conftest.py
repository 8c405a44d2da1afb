"""What no test may do: read or write what Sightline keeps for whoever runs the tests, or for another test."""

import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
DRIVEN = frozenset({"sinks", "terminal", "tui", "webmcp", "webmcp_polyfill"})
NAMES = ("DATA", "CONFIG")
_numbers = count()


def pytest_configure() -> None:
    # Tests that are started in the background of a shell ignore it, and so would every command that they start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # They type into screens and terminals of programs and browsers that share the machine with all other tests, and a
    # key that comes too early on a busy one is no fault of theirs. What failed and then passed is reported as run again.
    for item in items:
        if item.path.relative_to(TESTS).parts[0] in DRIVEN:
            item.add_marker(pytest.mark.flaky(reruns=2))


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
    # They are made by whoever writes into them: most tests write nothing.
    with pytest.MonkeyPatch.context() as patch:
        _used(patch, kept_folders / str(next(_numbers)))
        yield
