import os
import signal
import sys
from pathlib import Path

import pytest

from inspector.tui.runtime.guard import GUARDING
from tests.sinks.driving import MASKED, NOTHING, Run, running
from tests.sinks.searching import clipboard_of, files_below

FOCUS_OUT, FOCUS_IN = "\x1b[O", "\x1b[I"


def mint_and_reveal(run: Run) -> None:
    run.press("enter")
    run.press("enter", until="#1 done")
    run.press("s", until="API key")
    run.reveal()
    run.watch()


def state_of(pid: int) -> str:
    return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0]


def wait_until(run: Run, state: str) -> None:
    while (state_of(run.screen.process.pid) == "T") != (state == "T"):
        run.screen.read(0.05)


@pytest.mark.long
def test_the_secrets_of_a_command_are_only_where_the_user_shows_them(
    tmp_path: Path,
) -> None:
    with running(tmp_path) as run:
        mint_and_reveal(run)
        run.peek("redeemed", "m")
        run.peek("redeemed", FOCUS_OUT)
        run.press(FOCUS_IN)
        run.peek("redeemed", "ctrl+p", until="Search for commands")
        run.press(*"screenshot")
        run.press("escape", until=MASKED)
        run.peek("redeemed", "?", until="All keys")
        run.press("escape", until=MASKED)

        since = run.begin_peek("redeemed")
        run.end_peek("redeemed", since)
        os.kill(run.screen.process.pid, signal.SIGTSTP)
        wait_until(run, "T")
        run.watch()
        since = len(run.screen.written)
        os.kill(run.screen.process.pid, signal.SIGCONT)
        run.screen.wait_for(MASKED, since=since)

        run.press("c", until="Copying is off.")
        run.press("v", until="Fetch this secret?")
        run.press("y", until="already used")
        run.press("j", until="structuredContent.key")
        run.peek("withheld", "escape")
        run.peek("withheld", "u")
        run.press("escape", until="#1 done")

        run.press("y", until="Masked values stay masked.")
        run.press("enter", until=GUARDING[:30])
        run.press("escape", until="#1 done")
        run.press("r", until="#2 done")
        run.press("b", until="boundary: closed")
        run.look_at_open()
        run.press("h", until="Choose a host")
        run.press(*"codex-k", "enter", until="host: ")
        run.press("H", until="host: ")
        run.press("c", until="Compare hosts")
        run.press("escape", until="#2 done")
        run.press("d", until="closed")
        run.press("d", until="Server sent")
        for key in ("z", "z", "2", "3", "4", "1", "t", "G"):
            run.press(key)
        run.press("-", until="⊟ #2")
        run.press("j", "j")
        run.press("enter", until="next frame")
        run.press("]", until="sensitive value")
        for key in ("J", "[", "J", "]", "J", "escape", "escape", "escape"):
            run.press(key)
        run.watch()
        assert run.leaks() == NOTHING


def test_the_secrets_of_a_failing_call_and_its_arguments_are_nowhere(tmp_path: Path) -> None:
    with running(tmp_path) as run:
        run.press("j", until="token")
        run.press("enter", until="Esc leave")
        run.press(*run.endpoint.planted["typed"])
        run.press("enter", until="#1 ")
        run.press("s", until="structuredContent.detail")
        run.peek("error", "m")
        run.press("escape", until="#1 ")
        run.press("b", until="boundary: closed")
        run.look_at_open()
        run.press("y", until="Masked values stay masked.")
        run.press("c", "enter", until="Copied")
        for key in ("t", "G"):
            run.press(key)
        # From the result of a failed call, `t` has unfolded it.
        run.press("-", until="⊞ #1")
        run.press("-", until="⊟ #1")
        run.press("j", "j")
        run.press("enter", until="sensitive value")
        run.press("J")
        run.press("]", until="sensitive value")
        for key in ("J", "escape", "escape", "escape"):
            run.press(key)
        run.press("j", until="show")
        run.press("enter", until="Esc leave")
        run.press("enter", until="#2 done")
        run.press("s", until="structuredContent.body")
        run.peek("resource", "m")
        run.press("j", until="at content[0]")
        run.press("escape", until="#2 done")
        run.watch()
        run.press("R", until="3 tools")
        run.press("s", until="No secrets yet.")
        run.press("q")
        assert run.end() == 0
        copied = clipboard_of(run.screen.written)
        assert any(b"sightline call" in words for words in copied)
        assert run.leaks() == NOTHING


def test_unmasked_values_are_only_on_the_screen(tmp_path: Path) -> None:
    with running(tmp_path) as run:
        run.press("w", until="Record")
        run.press(*"made.jsonl")
        run.press("enter", until="w stops it")
        run.press("enter")
        run.press("enter", until="#1 done")
        run.unmask("withheld")
        run.unmask("withheld", "n", "J", "J", "y", "z", "z")
        run.press("b", until="boundary: closed")
        run.look_at_open()
        run.unmask("withheld", "b", "b")
        run.press("h", *"codex-k", "enter", "H")
        run.press("y", until="Masked values stay masked.")
        run.press("enter", until="Copied")
        run.press("x", until="Export this session")
        run.press(*"session.html")
        run.press("enter", until="Exported to")
        run.press("w", until="Recorded to")
        run.watch()
        run.press("q")
        assert run.end() == 0
        assert {"made.jsonl", "session.html"} <= {Path(name).name for name in files_below(run.root)}
        assert run.leaks() == NOTHING


CRASHING_UNMASKED = """
import sys
from inspector.tui.result.pane import ResultPane
from inspector.__main__ import main
def action_sides(pane):
    raise RuntimeError(str(pane.view.values))
ResultPane.action_sides = action_sides
sys.exit(main())
"""


def test_a_crash_while_values_are_unmasked_prints_none_of_them(tmp_path: Path) -> None:
    with running(tmp_path, program=(sys.executable, "-c", CRASHING_UNMASKED)) as run:
        run.press("enter")
        run.press("enter", until="#1 done")
        since = len(run.screen.written)
        run.screen.press("u")
        run.screen.wait_for(run.endpoint.planted["withheld"], since=since)
        run.screen.settle(0.2, limit_s=3)
        run.end_peek("withheld", since)
        run.press("m")
        assert run.end() == 1
        assert "Sightline stopped because of a defect." in run.screen.plain()
        assert run.leaks() == NOTHING


def test_quitting_while_a_secret_is_shown_leaves_no_trace_of_it(tmp_path: Path) -> None:
    with running(tmp_path, over_http=True, size=(80, 24)) as run:
        mint_and_reveal(run)
        run.peek("redeemed", "m")
        run.end_peek("redeemed", run.begin_peek("redeemed"))
        run.press("q")
        assert run.end() == 0
        run.watch()
        assert "/secrets/" in "".join(run.endpoint.heard)
        assert run.leaks() == NOTHING


CRASHING = """
import sys
from inspector.tui.secrets.screen import SecretsScreen
from inspector.__main__ import main
def action_mask(screen):
    custody = screen._custody()
    value = custody.vault.value(custody.peeked)
    raise RuntimeError(value)
SecretsScreen.action_mask = action_mask
sys.exit(main())
"""


def test_a_crash_while_a_secret_is_shown_prints_no_message_or_locals(tmp_path: Path) -> None:
    with running(tmp_path, program=(sys.executable, "-c", CRASHING)) as run:
        mint_and_reveal(run)
        run.end_peek("redeemed", run.begin_peek("redeemed"))
        run.press("m")
        assert run.end() == 1
        assert "Sightline stopped because of a defect." in run.screen.plain()
        assert "RuntimeError" in run.screen.plain()
        assert run.leaks() == NOTHING


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_a_secret_is_shown_leaves_no_trace_of_it(
    number: signal.Signals, tmp_path: Path
) -> None:
    with running(tmp_path) as run:
        mint_and_reveal(run)
        run.end_peek("redeemed", run.begin_peek("redeemed"))
        os.kill(run.screen.process.pid, number)
        assert run.end() != 0
        assert run.leaks() == NOTHING
