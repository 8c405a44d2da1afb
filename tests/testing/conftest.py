"""A fresh environment with the wheel of this checkout, created once."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.sightline import ROOT, Ran

PROJECT = ROOT / "tests" / "testing" / "project"


def run(*command: str | Path, cwd: Path, **more: str) -> Ran:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHON"))}
    environment = {**kept, "COLUMNS": "120", **more}
    done = subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        timeout=120,
        check=False,
    )
    return Ran(code=done.returncode, out=done.stdout, err=done.stderr)


@pytest.fixture(scope="session")
def wheel_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel, which takes other packages from the tests' own environment."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--quiet")
    alone = ("--no-deps", "--no-build-isolation")
    built = run(*pip, "wheel", *alone, "-w", str(folder), str(ROOT), cwd=folder)
    assert built.code == 0, built.err
    venv = folder / "venv"
    assert run(sys.executable, "-m", "venv", "--without-pip", str(venv), cwd=folder).code == 0
    python = venv / "bin" / "python"
    wheels = [str(each) for each in folder.glob("*.whl")]
    installed = run(*pip, "--python", str(python), "install", "--no-deps", "--no-index", *wheels, cwd=folder)
    assert installed.code == 0, installed.err
    # After the environment's own packages, so that the wheel is tested and not the checkout.
    (site,) = venv.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    found = run(python, "-c", "import inspector; print(inspector.__file__)", cwd=folder)
    assert found.out.startswith(str(venv)), found
    return python


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the fixture project."""
    ignored = shutil.ignore_patterns("__pycache__", "mcp_snapshots")
    return Path(shutil.copytree(PROJECT, tmp_path / "project", ignore=ignored))


@pytest.fixture
def tested(wheel_python: Path, project: Path) -> Callable[..., Ran]:
    """Runs pytest in the project."""

    def tests(*words: str, **environment: str) -> Ran:
        # Each plugin that the tests of a reader do not have costs time in every run.
        without = ("-p", "no:cacheprovider", "-p", "no:asyncio", "-p", "no:hypothesispytest")
        command = (wheel_python, "-m", "pytest", *without, *words)
        return run(*command, cwd=project, **environment)

    return tests
