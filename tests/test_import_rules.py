import ast
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
INTERFACE = {"textual", "rich"}
PROTOCOL = {"mcp", "mcp_types", "httpx", "httpx2", "pydantic"}


def test_the_import_contracts_of_the_design_are_kept() -> None:
    linted = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--cache-dir", ".venv/cache/imports"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert linted.returncode == 0, linted.stdout


@pytest.mark.parametrize(
    ("argv", "absent"),
    [
        (["--help"], INTERFACE | PROTOCOL | {"jsonschema"}),
        (["claims"], INTERFACE | PROTOCOL | {"jsonschema"}),
        (["hosts", "--format", "json"], INTERFACE | PROTOCOL),
        (["list", "demo"], INTERFACE | PROTOCOL | {"jsonschema"}),
        (["call", "clean_clock", "demo"], INTERFACE | PROTOCOL),
    ],
)
def test_a_command_without_the_interface_never_loads_it(argv: list[str], absent: set[str]) -> None:
    script = (
        "import sys\n"
        "from inspector.__main__ import interface\n"
        "from inspector.cli.main import run\n"
        "code = run(sys.argv[1:], interface)\n"
        "print(code, *sorted(name for name in sys.modules if '.' not in name), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *argv], cwd=ROOT, capture_output=True, text=True, check=True
    )
    code, *loaded = done.stderr.splitlines()[-1].split()
    assert code == "0", done.stderr
    assert absent.isdisjoint(loaded), absent.intersection(loaded)


def test_the_file_watcher_is_loaded_only_with_its_option() -> None:
    script = (
        "import sys, inspector.tui.app, inspector.tui.main.screen, inspector.cli.commands.open\n"
        "print(*sorted({'watchfiles', 'inspector.files.watching', 'inspector.tui.watch.watcher'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not done.stdout.strip()


def test_the_command_is_also_installed_under_the_name_of_the_package() -> None:
    (sightline, package) = (
        command
        for command in entry_points(group="console_scripts")
        if command.name in {"sightline", "mcp-sightline"}
    )
    assert sightline.value == package.value == "inspector.__main__:main"


def test_no_two_public_classes_share_a_name() -> None:
    places: dict[str, list[str]] = {}
    for path in sorted(Path("inspector").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path))
    assert len(places) > 500
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
