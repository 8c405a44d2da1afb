"""The Dockerfile: built where a docker daemon runs; its instructions are checked everywhere."""

import json
import re
import shlex
import shutil
import subprocess
import tomllib

import pytest

from tests.cli.sightline import ROOT

INSTRUCTIONS = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT"}


def instructions() -> list[tuple[str, str]]:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    words = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    return [(word, rest) for word, rest in words]


def test_what_is_copied_exists_and_is_all_that_the_wheel_needs() -> None:
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


def test_each_instruction_is_one_that_docker_knows_and_its_command_a_shell() -> None:
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


def _has_daemon() -> bool:
    docker = shutil.which("docker")
    return bool(docker) and subprocess.run([docker, "info"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not _has_daemon(), reason="no docker daemon runs here")
def test_the_image_is_built_and_answers() -> None:
    subprocess.run(["docker", "build", "-q", "-t", "sightline-test", str(ROOT)], check=True, timeout=280)
    ran = subprocess.run(
        ["docker", "run", "--rm", "sightline-test", "list", "demo", "--format", "json"],
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert json.loads(ran.stdout)["tools"]
