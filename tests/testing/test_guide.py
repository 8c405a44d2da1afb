"""The guide, followed: every file of it is written, and every command of it is run, in the order of the page."""

import os
import re
from pathlib import Path

import pytest

from tests.cli.sightline import ROOT
from tests.testing.conftest import run

GUIDE = (ROOT / "docs" / "guide.md").read_text()
PEER = ROOT / ".venv" / "peers" / "fastmcp"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PART = "## The same with FastMCP"


def follow(page: str, folder: Path, python: Path) -> list[str]:
    """Each command with what it printed. Raises AssertionError where its exit code is not the one that the page says."""
    printed: list[str] = []
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    for language, block in BLOCK.findall(page):
        if language != "sh":
            name = re.match(r"# (\S+)\n", block)
            assert name, block
            (folder / name[1]).write_text(block)
            continue
        for command in block.splitlines():
            says = re.search(r"# exits (\d+)$", command)
            ran = run("sh", "-c", command, cwd=folder, PATH=path, SIGHTLINE_DATA_DIR=str(folder / "data"))
            expected = int(says[1]) if says else 0
            assert ran.code == expected, (command, ran.out, ran.err)
            if "pytest" in command:
                assert not re.search("plr_[0-9a-f]", ran.out + ran.err), (command, ran.out)
            printed.append(f"$ {command}\n{ran.out}")
    return printed


@pytest.mark.timeout(400)
def test_the_guide_with_the_python_sdk(wheel_python: Path, tmp_path: Path) -> None:
    whole = "\n".join(follow(GUIDE.partition(PART)[0], tmp_path, wheel_python))
    for said in (
        "✗ never_seen: a model sees it unchanged, 18 hosts",
        "it was sent at /structuredContent/secret: nothing withholds it",
        "[x-sensitive]",
        "# create_key: what the model of claude-code sees",
        "4 passed",
    ):
        assert said in whole, said
    assert "plr_" not in (tmp_path / "tape.jsonl").read_text()


@pytest.mark.timeout(400)
@pytest.mark.skipif(not PEER.is_dir(), reason="FastMCP is not installed")
def test_the_guide_with_fastmcp(wheel_python: Path, tmp_path: Path) -> None:
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
