"""The Dockerfile: built if a docker daemon is running; otherwise its commands are run here."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.cli.sightline import ROOT

INSTRUCTIONS = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT"}


def instructions() -> list[tuple[str, str]]:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    words = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    return [(word, rest) for word, rest in words]


def test_the_copied_files_exist_and_are_all_that_the_wheel_needs() -> None:
    copied: set[str] = set()
    for word, rest in instructions():
        if word == "COPY" and "--from" not in rest:
            *sources, _ = rest.split()
            copied |= set(sources)
    assert all((ROOT / name).exists() for name in copied)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], project["project"]["readme"]}
    assert needed | {"pyproject.toml", "constraints.txt", *project["project"]["license-files"]} == copied


def test_each_instruction_is_known_to_docker_and_its_command_to_a_shell() -> None:
    found = instructions()
    assert {word for word, _ in found} == INSTRUCTIONS
    for word, rest in found:
        if word == "RUN":
            assert subprocess.run(["sh", "-n", "-c", rest], check=False).returncode == 0
            assert "constraints.txt" in rest or "pip" not in shlex.split(rest)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    images = [re.findall(r"python:3\.(\d+)", rest) for word, rest in found if word == "FROM"]
    least = int(project["requires-python"].rpartition(".")[2])
    assert images == [images[0]] * 2
    assert int(images[0][0]) >= least
    after = [word for word, _ in found]
    assert after.index("USER") < after.index("ENTRYPOINT")
    assert dict(found)["USER"] != "root"
    assert json.loads(dict(found)["ENTRYPOINT"])[0] in project["scripts"]


@pytest.mark.long
@pytest.mark.timeout(400)
def test_the_image_contains_a_working_sightline(tmp_path: Path) -> None:
    arguments = ("list", "demo", "--format", "json")
    if _has_daemon():
        subprocess.run(["docker", "build", "-q", "-t", "sightline-test", str(ROOT)], check=True, timeout=280)
        line = ["docker", "run", "--rm", "sightline-test", *arguments]
    else:
        line = [*_built_by_hand(tmp_path), *arguments]
    ran = subprocess.run(line, capture_output=True, check=True, timeout=60)
    assert json.loads(ran.stdout)["tools"]


def _has_daemon() -> bool:
    docker = shutil.which("docker")
    return bool(docker) and subprocess.run([docker, "info"], capture_output=True, check=False).returncode == 0


def _built_by_hand(folder: Path) -> list[str]:
    """Do the work of the first image in a folder, with this Python; return the command that is installed then."""
    source, environment = folder / "source", folder / "environment"
    source.mkdir()
    (first, *_) = "\n".join(f"{word} {rest}" for word, rest in instructions()).split("\nFROM")
    for word, rest in (line.split(maxsplit=1) for line in first.splitlines()):
        if word == "COPY":
            *names, into = rest.split()
            for name in names:
                kept = ROOT / name
                if kept.is_dir():
                    shutil.copytree(kept, source / into, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(kept, source)
        elif word == "RUN":
            line = rest.replace("/opt/sightline", str(environment)).replace("--no-cache-dir", "-q")
            path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
            # Most of what is installed is not run here, so it need not be compiled.
            environ = os.environ | {"PATH": path, "PIP_NO_COMPILE": "1"}
            subprocess.run(["sh", "-c", line], cwd=source, env=environ, check=True, timeout=280)
    return [str(environment / "bin" / "sightline")]
