"""The hook for pre-commit: the manifest, and a commit in another repository, without any network."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import yaml

from tests.cli.sightline import ROOT

BIN = Path(sys.executable).parent
SERVER = ROOT / "tests" / "peers" / "changing_server.py"
CONFIGURATION = """
repos:
  - repo: {hooks}
    rev: {rev}
    hooks:
      - id: sightline-check
        args: [--fail-on, critical, --, {python}, {server}, said.json]
"""
TOOL = {"name": "look", "description": "Looks at the weather.", "inputSchema": {"type": "object"}}


def git(folder: Path, *words: str) -> str:
    own = ("-c", "user.name=n", "-c", "user.email=n@e.example")
    done = subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_the_manifest_is_valid_and_passes_no_file_names() -> None:
    manifest = ROOT / ".pre-commit-hooks.yaml"
    checked = subprocess.run([BIN / "pre-commit", "validate-manifest", manifest], check=False)
    assert checked.returncode == 0
    (hook,) = yaml.safe_load(manifest.read_text())
    assert (hook["id"], hook["language"], hook["pass_filenames"]) == ("sightline-check", "python", False)
    assert hook["entry"].split() == ["sightline", "check"]


def test_a_commit_fails_if_a_saved_call_fails(tmp_path: Path) -> None:
    hooks, mine = tmp_path / "hooks", tmp_path / "mine"
    mine.mkdir()
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("inspector", "themes", "recordings"):
        shutil.copytree(ROOT / name, hooks / name, ignore=ignored)
    for name in (".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, hooks)
    for folder in (hooks, mine):
        git(folder, "init", "-q")
        git(folder, "add", "-A")
    git(hooks, "commit", "-qm", "hooks")
    (mine / ".pre-commit-config.yaml").write_text(
        CONFIGURATION.format(
            hooks=hooks, rev=git(hooks, "rev-parse", "HEAD"), python=sys.executable, server=SERVER
        )
    )
    (mine / "said.json").write_text(json.dumps({"tools": [TOOL]}))
    environment = {
        **os.environ,
        "PRE_COMMIT_HOME": str(tmp_path / "home"),
        # Nothing is downloaded: everything that Sightline and its build need is already here.
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PYTHONPATH": sysconfig.get_path("purelib"),
    }

    def commits(expected: str) -> subprocess.CompletedProcess[str]:
        (mine / "calls.toml").write_text(
            f'[calls.c]\ntool = "look"\n[calls.c.expect]\ncontains = "{expected}"\n'
        )
        git(mine, "add", "-A")
        return subprocess.run(
            [BIN / "pre-commit", "run", "--verbose"],
            cwd=mine, env=environment, capture_output=True, text=True, timeout=90, check=False,
        )  # fmt: skip

    passed = commits("done")
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert "✓ saved calls: 1 call of calls.toml made, 0 failed" in passed.stdout
    failed = commits("nowhere")
    assert failed.returncode != 0
    assert 'contains: no value contains "nowhere"' in failed.stdout
    assert "exit code: 14" in failed.stdout
