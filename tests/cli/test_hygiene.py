import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.cli.hygiene import HARMLESS
from tests.cli.sightline import ROOT, Ran, spawned
from tests.peers.terminal import terminal

SIGHTLINE = (sys.executable, "-m", "inspector")
REFUSED = {
    "TEXTUAL": "devtools",
    "TEXTUAL_DEBUG": "1",
    "TEXTUAL_DEVTOOLS_HOST": "127.0.0.1",
    "TEXTUAL_DEVTOOLS_PORT": "8081",
    "TEXTUAL_DRIVER": "textual.drivers.headless_driver:HeadlessDriver",
    "TEXTUAL_LOG": "textual.log",
    "TEXTUAL_PRESS": "enter",
    "TEXTUAL_SCREENSHOT": "1",
    "TEXTUAL_SCREENSHOT_FILENAME": "screen.svg",
    "TEXTUAL_SCREENSHOT_LOCATION": ".",
    "TEXTUAL_SHOW_RETURN": "1",
}
STATE = """
import ctypes, resource, sys
dumpable = lambda: ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)
state = lambda: (dumpable(), *resource.getrlimit(resource.RLIMIT_CORE))
def main(*argv):
    import inspector.__main__
    sys.argv[1:] = argv
    return inspector.__main__.main()
"""


def process(script: str, *argv: str) -> Ran:
    done = subprocess.run(
        [sys.executable, "-c", f"{STATE}\n{script}", *argv],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return Ran(code=done.returncode, out=done.stdout, err=done.stderr)


def test_memory_dumps_are_disabled_before_a_server_starts() -> None:
    ran = process(
        "hard = resource.getrlimit(resource.RLIMIT_CORE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))\n"
        "print('before', *state()[:1], file=sys.stderr)\n"
        "sys.addaudithook(lambda event, _: event == 'subprocess.Popen' and print('then', *state(), file=sys.stderr))\n"
        "sys.exit(main('list', '-q', 'demo'))"
    )
    assert (ran.code, ran.err) == (0, "before 1\nthen 0 0 0\n")


def test_memory_dumps_are_disabled_before_the_interface_loads() -> None:
    # Under pytest there is no terminal here, so the check for one is patched.
    ran = process(
        "class Told(type(sys.stdin)):\n"
        "    isatty = lambda self: True\n"
        "sys.stdin, sys.stdout = Told(sys.stdin.buffer), Told(sys.stdout.buffer)\n"
        "class Loading:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'textual':\n"
        "            print('then', *state(), file=sys.stderr, flush=True)\n"
        "            raise SystemExit(7)\n"
        "sys.meta_path.insert(0, Loading())\n"
        "sys.exit(main('demo'))"
    )
    assert (ran.code, ran.err) == (7, "then 0 0 0\n")


def test_a_server_has_no_core_dumps_but_can_be_traced() -> None:
    server = f"{STATE}\nprint('server', *state(), file=sys.stderr)"
    ran = spawned("list", "--", sys.executable, "-c", server)
    assert ran.code == 4
    assert "server 1 0 0" in ran.err


@pytest.mark.parametrize(("name", "value"), REFUSED.items())
def test_the_interface_refuses_variables_that_copy_the_screen_elsewhere(
    name: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, str(tmp_path / value) if name == "TEXTUAL_LOG" else value)
    with terminal((*SIGHTLINE, "demo")) as screen:
        screen.wait_for(f"unset {name}")
        assert f"sightline: {name} is set" in screen.plain()
        assert screen.wait_for_end() == 2
        assert not screen.sequences()
    assert not list(tmp_path.iterdir())


def test_all_refused_variables_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TEXTUAL_LOG", "TEXTUAL", "TEXTUAL_ADDED_LATER"):
        monkeypatch.setenv(name, "")
    with terminal((*SIGHTLINE, "demo")) as screen:
        screen.wait_for("unset TEXTUAL TEXTUAL_ADDED_LATER TEXTUAL_LOG")


def test_harmless_variables_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*HARMLESS, "TEXTUALLY"):
        monkeypatch.setenv(name, "truecolor" if name == "TEXTUAL_COLOR_SYSTEM" else "1")
    with terminal((*SIGHTLINE, "demo")) as screen:
        screen.wait_for("generate_api_key")


def test_commands_ignore_the_variables_of_the_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_LOG", "x")
    assert spawned("claims").code == 0


def test_every_variable_of_textual_is_classified() -> None:
    spec = importlib.util.find_spec("textual")
    assert spec is not None
    assert spec.origin is not None
    names = {
        node.value
        for file in Path(spec.origin).parent.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if f"{node.value}_".startswith("TEXTUAL_") and node.value.replace("_", "").isalpha()
    }
    assert names == HARMLESS | REFUSED.keys()


@pytest.mark.parametrize(
    ("defect", "told"),
    [
        ("raise ValueError('CANARY\\x1b]0;x\\x07')", "sightline: internal error: ValueError at "),
        ("raise BaseExceptionGroup('CANARY', [KeyError('CANARY')])", "internal error: ExceptionGroup at "),
        (
            "import threading\nt = threading.Thread(target=lambda: {}['CANARY'])\nt.start(); t.join(); sys.exit(1)",
            "internal error: KeyError at ",
        ),
        (
            "class Last:\n    def __del__(self): raise ValueError('CANARY')\nLast(); sys.exit(1)",
            "internal error: ValueError at ",
        ),
        ("import logging\nlogging.getLogger('mcp').error('CANARY'); sys.exit(1)", ""),
    ],
)
def test_a_defect_is_reported_with_only_its_type_and_place(defect: str, told: str) -> None:
    ran = process(f"from inspector.cli.hygiene import protect\nprotect()\nCANARY = 'CANARY'\n{defect}")
    assert (ran.code, ran.out) == (1, "")
    assert told in ran.err
    assert ("please report it" in ran.err) is bool(told)
    assert "CANARY" not in ran.err
    assert "Traceback" not in ran.err


def test_the_command_installs_the_protection_itself() -> None:
    ran = process("assert main('claims') == 0\nraise ValueError('CANARY')")
    assert ran.code == 1
    assert "internal error: ValueError at " in ran.err
    assert "CANARY" not in ran.err


def test_an_interrupt_outside_of_a_command_is_not_a_defect() -> None:
    ran = process("from inspector.cli.hygiene import protect\nprotect()\nraise KeyboardInterrupt")
    assert (ran.code, ran.err) == (-2, "")


def test_a_command_that_cannot_protect_its_memory_does_nothing() -> None:
    ran = process(
        "from inspector.cli import hygiene\n"
        "class Sandboxed:\n"
        "    prctl = lambda *_: -1\n"
        "hygiene._LIBC = Sandboxed()\n"
        "sys.exit(main('claims'))"
    )
    assert (ran.code, ran.out) == (1, "")
    assert "prctl(PR_SET_DUMPABLE) was refused" in ran.err
    assert "allow prctl there" in ran.err
