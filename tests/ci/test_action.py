"""The GitHub Action: its file as GitHub documents it, and its scripts in bash as a runner runs them.

Source: GitHub Docs, Metadata syntax reference; Variables reference (GITHUB_ACTION_PATH, GITHUB_OUTPUT, RUNNER_TEMP).
"""

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.sightline import ROOT

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")
CALLS = '[calls.key]\ntool = "generate_api_key"\narguments = { name = "it" }\n[calls.key.expect]\nfits_schema = true\n'
PYTHON = """#!/bin/sh
# Makes an environment that records what is installed, and has the Sightline under test.
mkdir -p "$3/bin"
ln -s {python} "$3/bin/python"
printf '#!/bin/sh\\nprintf "%%s\\\\n" "$@" > {log}\\n' > "$3/bin/pip"
printf '#!/bin/sh\\nexec {python} -m inspector "$@"\\n' > "$3/bin/sightline"
chmod +x "$3/bin/pip" "$3/bin/sightline"
"""


def test_the_action_file_is_valid_and_no_script_contains_an_input() -> None:
    assert {"name", "description", "runs"} <= set(ACTION) <= {"name", "author", "description", "inputs", "outputs", "runs", "branding"}  # fmt: skip
    assert ACTION["runs"]["using"] == "composite"
    for name, each in ACTION["inputs"].items():
        assert re.fullmatch(r"[a-z_][a-z0-9_-]*", name)
        assert {"description"} <= set(each) <= {"description", "required", "default"}
        assert ("default" in each) != each.get("required", False)
        assert isinstance(each.get("default", ""), str)
    for step in STEPS:
        assert (
            {"run", "shell"} <= set(step) <= {"name", "id", "run", "shell", "env", "working-directory", "if"}
        )
        assert not EXPRESSION.search(step["run"])
        assert subprocess.run(["bash", "-n", "-c", step["run"]], check=False).returncode == 0
    used = [found.strip() for step in STEPS for found in EXPRESSION.findall(json.dumps(step))]
    assert {word.removeprefix("inputs.") for word in used} == set(ACTION["inputs"])
    identifiers = {step.get("id") for step in STEPS}
    for output in ACTION["outputs"].values():
        kind, step, _, name = EXPRESSION.findall(output["value"])[0].strip().split(".")
        assert (kind, step in identifiers) == ("steps", True)
        assert any(f'echo "{name}=' in each["run"] for each in STEPS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    code: int
    said: str
    outputs: dict[str, str]
    installed: list[str]


def act(folder: Path, **inputs: str) -> Done:
    """Run the steps with these inputs until one fails, in the environment that a runner provides."""
    given = {name: inputs.get(name.replace("-", "_"), each.get("default", "")) for name, each in ACTION["inputs"].items()}  # fmt: skip
    temporary, work, output = folder / "temp", folder / "work", folder / "output"
    for each in (temporary, work, folder / "bin"):
        each.mkdir(exist_ok=True)
    output.touch()
    (folder / "bin" / "python3").write_text(
        PYTHON.format(python=shlex.quote(sys.executable), log=folder / "installed")
    )
    (folder / "bin" / "python3").chmod(0o755)
    runner = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "RUNNER_"))},
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(output),
        "RUNNER_TEMP": str(temporary),
    }

    def fill(found: re.Match[str]) -> str:
        return str(given[str(found[1]).strip().removeprefix("inputs.")])

    said, code = "", 0
    for step in STEPS:
        filled = {name: EXPRESSION.sub(fill, text) for name, text in step["env"].items()}
        script = temporary / "script.sh"
        script.write_text(step["run"])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            env={**runner, **filled}, cwd=work, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        said, code = said + done.stdout + done.stderr, done.returncode
        if code:
            break
    written = dict(line.split("=", 1) for line in output.read_text().splitlines())
    installed = folder / "installed"
    return Done(
        code=code,
        said=said,
        outputs=written,
        installed=installed.read_text().split("\n") if installed.exists() else [],
    )


def test_the_demo_is_checked_with_its_saved_calls_and_reported(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "my calls.toml").write_text(CALLS)
    done = act(tmp_path, target="demo", calls="my calls.toml", fail_on="critical", junit="o.xml", call="true")
    assert (done.code, done.outputs) == (0, {"exit-code": "0", "sarif": "./sightline.sarif"}), done.said
    assert "✓ saved calls: 1 call of my calls.toml made, 0 failed" in done.said
    assert json.loads((tmp_path / "work" / "sightline.sarif").read_text())["version"] == "2.1.0"
    assert "<testsuites" in (tmp_path / "work" / "o.xml").read_text()
    assert done.installed[-2:] == [str(ROOT), ""]
    assert str(ROOT / "constraints.txt") in done.installed


def test_findings_fail_the_step_and_the_report_is_still_written(tmp_path: Path) -> None:
    done = act(
        tmp_path, target="demo", version="0.1.0", extras="keyring,tokens", options="--ignore 'SL-ANN009=a b'"
    )
    assert (done.code, done.outputs) == (11, {"exit-code": "11", "sarif": "./sightline.sarif"}), done.said
    assert "[accepted: a b]" in done.said
    assert "mcp-sightline[keyring,tokens]==0.1.0" in done.installed


@pytest.mark.parametrize(
    ("inputs", "code", "said"),
    [
        ({"target": "$(touch pwned); `touch pwned`"}, 2, "too many words"),
        ({"target": "--yes demo"}, 2, "no target"),
        ({"target": ""}, 2, "no target"),
        ({"target": "-- sh -c 'exit 3'"}, 4, "exited with code 3"),
        ({"target": "demo", "fail_on": "high; touch pwned"}, 2, "--fail-on"),
        ({"target": "demo", "calls": "$(touch pwned)"}, 2, "cannot read $(touch pwned)"),
        ({"target": "demo", "version": "1 -r pwned"}, 2, "no version or extra"),
        ({"target": "demo", "extras": "$(touch pwned)"}, 2, "no version or extra"),
    ],
)  # fmt: skip
def test_no_input_is_run_as_a_command(tmp_path: Path, inputs: dict[str, str], code: int, said: str) -> None:
    done = act(tmp_path, **inputs)
    assert done.code == code
    assert said in done.said
    assert not list(tmp_path.rglob("pwned"))
