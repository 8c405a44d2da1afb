"""The guide, followed: every file of it is written, and every command is run, in the order of the page."""

import os
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.sightline import ROOT
from tests.peers.terminal import terminal
from tests.testing.conftest import run

GUIDE = (ROOT / "docs" / "guide.md").read_text()
PEER = ROOT / ".venv" / "peers" / "fastmcp"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WITHOUT = " ".join(
    f"-p no:{name}" for name in ("hypothesispytest", "asyncio", "xdist", "timeout", "rerunfailures")
)
"""Each plugin that a reader does not have costs time in every run."""
PART = "## The same with FastMCP"


def follow(page: str, folder: Path, python: Path) -> list[str]:
    """Each command with its output. Raises AssertionError if its exit code differs from the one on the page."""
    printed: list[str] = []
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    for language, block in BLOCK.findall(page):
        if language != "sh":
            name = re.match(r"# (\S+)\n", block)
            assert name, block
            (folder / name[1]).write_text(block)
            continue
        for command in block.splitlines():
            if "--watch" in command:
                watch(command, folder, path)
                continue
            says = re.search(r"# exits (\d+)$", command)
            more = {"SIGHTLINE_DATA_DIR": str(folder / "data"), "PYTEST_ADDOPTS": WITHOUT}
            ran = run("sh", "-c", command, cwd=folder, PATH=path, **more)
            expected = int(says[1]) if says else 0
            assert ran.code == expected, (command, ran.out, ran.err)
            if "pytest" in command:
                assert not re.search("plr_[0-9a-f]", ran.out + ran.err), (command, ran.out)
            printed.append(f"$ {command}\n{ran.out}")
    return printed


def watch(command: str, folder: Path, path: str) -> None:
    """Run the command in a terminal, call the tool, save the server, repeat the call as the page says, and quit."""
    server, script = folder / "server.py", f"cd {shlex.quote(str(folder))} && exec {command}"
    before = server.read_text()
    data = str(folder / "data")
    with terminal(("sh", "-c", script), PATH=path, SIGHTLINE_DATA_DIR=data, PYTHONPATH="") as screen:
        screen.wait_for("Watching", limit_s=60)
        screen.wait_for("create_key", limit_s=60)
        screen.press_until("enter", until="name*")
        screen.press(*"ada")
        screen.wait_for("valid", limit_s=60)
        screen.press("enter")
        screen.wait_for("#1 done", limit_s=60)
        server.write_text(before.replace("Create an API key.", "Create a key."))
        screen.wait_for("create_key /description changed", limit_s=60)
        screen.wait_for("repeats it, now and on each save", limit_s=60)
        screen.press_until("r", until="#2 done")
        server.write_text(before)
        screen.wait_for("create_key called again", limit_s=60)
        screen.wait_for("#3 done", limit_s=60)
        screen.press("q")
        assert screen.wait_for_end() == 0


@pytest.mark.long
@pytest.mark.timeout(400)
def test_the_guide_works_with_the_python_sdk(wheel_python: Path, tmp_path: Path) -> None:
    whole = "\n".join(follow(GUIDE.partition(PART)[0], tmp_path, wheel_python))
    for said in (
        "✗ never_seen: a model sees it unchanged, 18 hosts",
        "it was sent at /structuredContent/secret: nothing withholds it",
        "[x-sensitive]",
        "# create_key: what the model of claude-code sees",
        "4 passed",
        "1 call, 0 failed",
    ):
        assert said in whole, said
    assert "plr_" not in (tmp_path / "tape.jsonl").read_text()


@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.skipif(not PEER.is_dir(), reason="FastMCP is not installed")
def test_the_guide_works_with_fastmcp(wheel_python: Path, tmp_path: Path) -> None:
    before, _, part = GUIDE.partition(PART)
    for _, block in BLOCK.findall(before):
        name = re.match(r"# (\S+)\n", block)
        if name and name[1] != "server.py":
            (tmp_path / name[1]).write_text(block)
    (site,) = wheel_python.parents[1].glob("lib/python*/site-packages")
    added = site / "fastmcp.pth"
    added.write_text("\n".join(map(str, PEER.glob("lib/python*/site-packages"))))
    try:
        whole = "\n".join(follow(part, tmp_path, wheel_python))
    finally:
        added.unlink()
    assert whole.count("4 passed") == 3
