"""Generated code, executed: it makes the call with the secret from the environment, and contains no secret."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Generator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.cli.sightline import ROOT, sightline

SECRET = "hunter2-planted"
MODULES = ROOT / ".venv/peers/node_modules"
TEXT = 'it\'s "$HOME" `id` \\ é \u202e'
CALLS = f"""
[calls.echo]
tool = "echo_arguments"
arguments = {{ text = {json.dumps(TEXT)}, count = 2 }}
secrets = {{ nickname = "env:MY_KEY" }}
"""
DEMO = ("--", sys.executable, "-m", "inspector.demo", "--sound-only", "stdio")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "calls.toml").write_text(CALLS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_KEY", SECRET)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


@pytest.fixture
def url() -> Generator[str]:
    """The demo over HTTP."""
    command = (sys.executable, "-m", "inspector.demo", "--sound-only", "--port", "0", "http")
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr
        found = re.search(r"http://\S+/mcp", server.stderr.readline())
        assert found
        yield found[0]
        server.terminate()


def code(*words: str) -> str:
    made = sightline("codegen", "echo", *words)
    assert made.code == 0, made.err
    assert SECRET not in made.out + made.err
    return made.out


def echoed(ran: "subprocess.CompletedProcess[str]") -> bool:
    """True if the answer contains the arguments, including the secret."""
    assert ran.returncode == 0, ran.stdout + ran.stderr
    events = [line.removeprefix("data: ") for line in ran.stdout.splitlines() if line.startswith("data: {")]
    answer = json.loads(events[-1] if events else ran.stdout)
    arguments = json.loads(answer.get("result", answer)["content"][0]["text"])
    assert arguments == {"text": TEXT, "count": 2, "nickname": SECRET}, arguments
    return True


def ran(*command: str, cwd: Path, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, cwd=cwd, input=stdin, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_generated_python_makes_the_call(transport: str, folder: Path, url: str) -> None:
    path = folder / "made.py"
    path.write_text(code("--as", "python", *((url,) if transport == "http" else DEMO)))
    assert echoed(ran(sys.executable, str(path), cwd=folder))


@pytest.mark.skipif(not MODULES.is_dir() or not shutil.which("node"), reason="no TypeScript SDK here")
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_generated_typescript_makes_the_call(transport: str, folder: Path, url: str) -> None:
    (folder / "node_modules").symlink_to(MODULES)
    path = folder / "made.mjs"
    path.write_text(
        code("--as", "typescript", "-e", "PYTHONPATH=x", *DEMO)
        if transport == "stdio"
        else code("--as", "typescript", url)
    )
    assert echoed(ran("node", str(path), cwd=folder))


@pytest.mark.skipif(not shutil.which("curl") or not shutil.which("jq"), reason="no curl or jq here")
def test_a_generated_curl_command_makes_the_call(folder: Path, url: str) -> None:
    assert echoed(ran("sh", cwd=folder, stdin=code("--as", "curl", url)))


def test_a_generated_test_makes_the_call_and_checks_its_expectations(folder: Path) -> None:
    path = folder / "test_made.py"
    plugin = () if _has_plugin() else ("-p", "inspector.testing.plugin")
    command = (sys.executable, "-m", "pytest", "-q", *plugin, "-p", "no:cacheprovider", str(path))
    expectations = f"contains = {json.dumps(TEXT)}\nat_most_ms = 60_000\n"
    (folder / "calls.toml").write_text(f"{CALLS}[calls.echo.expect]\n{expectations}")
    path.write_text(code("--as", "pytest", *DEMO))
    passed = ran(*command, cwd=folder)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    (folder / "calls.toml").write_text(
        f"{CALLS}[calls.echo.expect]\ncontains = 'nowhere'\nwithheld = ['/x']\n"
    )
    path.write_text(code("--as", "pytest", *DEMO))
    failed = ran(*command, cwd=folder)
    assert failed.returncode == 1, failed.stdout
    assert 'no value contains "nowhere"' in failed.stdout
    assert "withheld: /x is missing" in failed.stdout
    assert SECRET not in failed.stdout


def _has_plugin() -> bool:
    return any(point.name == "sightline" for point in entry_points(group="pytest11"))


def test_generated_code_reads_headers_and_variables_from_the_environment(folder: Path) -> None:
    for language in ("python", "typescript", "curl"):
        made = sightline(
            "codegen", "echo", "--as", language, "--header", f"X-Key: {SECRET}", "https://h.test/mcp"
        )
        assert "X_KEY" in made.out
        assert "Environment variables to set first: MY_KEY, X_KEY." in made.err
        assert SECRET not in made.out + made.err
    made = sightline("codegen", "echo", "-e", f"KEY={SECRET}", "--", "x")
    assert 'os.environ["KEY"]' in made.out
    assert SECRET not in made.out
    for words in (
        ("--as", "curl", "--", "x"),
        ("sse+https://h.test/sse",),
        ("demo",),
        (f"https://h.test/mcp?key={SECRET}",),
        ("--as", "pytest", "--", "x", "--token", SECRET),
        (),
    ):
        refused = sightline("codegen", "echo", *words)
        assert refused.code == 2, words
        assert SECRET not in refused.out + refused.err
    of_demo = sightline("codegen", "echo", "demo").err
    assert "demo cannot be reached from other programs" in of_demo
    assert "sightline demo --serve http serves it" in of_demo
    assert sightline("codegen", "none", "demo").code == 2
    assert folder
