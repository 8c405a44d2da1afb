"""A private answer to a form is in nothing that the command line or the interface prints or writes."""

import json
import sys
from pathlib import Path

import pytest

from inspector.tui.policy.dialog import UNREAD_S
from tests.cli.sightline import ROOT, sightline
from tests.peers.terminal import Terminal
from tests.sinks.driving import folders_in, sinks_of, started
from tests.sinks.searching import clipboard_of, found_in, processes_from, seen_from_outside
from tests.sinks.test_own_credentials import drawn

CANARY = "canary-7f3a91-private"
SERVER = (sys.executable, "-S", "-E", str(ROOT / "tests" / "peers" / "asking_server.py"), "legacy")


@pytest.mark.parametrize("saved", [(), ("--save", "kept")])
def test_a_private_answer_reaches_the_server_and_no_sink(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saved: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = json.dumps({"name": "Ada", "api_key": CANARY})
    files = ("--record", "a.jsonl", "--audit", "audit.jsonl", *saved)
    ran = sightline("call", "kept", "--answer", answer, "--stderr", *files, "--", *SERVER)
    assert ran.code == 0, ran.err
    assert '"true"' in ran.out
    said = [ran.out, ran.err]
    for format_ in ("sarif", "junit", "html"):
        reviewed = sightline("review", "--format", format_, "a.jsonl")
        said += [reviewed.out, reviewed.err]
    served = ("--", sys.executable, "-m", "inspector", "serve", "a.jsonl")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    again = sightline("call", "kept", "-e", f"PYTHONPATH={ROOT}", *served)
    assert '"true"' in again.out, again.err
    said += [again.out, again.err]
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name for path in written} >= {"a.jsonl", "audit.jsonl", *(["calls.toml"] if saved else [])}
    assert "Ada" in (tmp_path / "a.jsonl").read_text()
    assert "answered: " in ran.err
    assert CANARY not in "".join(said)
    assert [path.name for path in written if CANARY.encode() in path.read_bytes()] == []


CRASHING = """
import sys
from inspector.tui.asks.dialog import AnswerScreen
from inspector.__main__ import main
def action_decline_rest(screen):
    typed = screen._form.entered()
    raise RuntimeError(f"{typed} {[str(field.value) for field in screen.query('Input')]}")
AnswerScreen.action_decline_rest = action_decline_rest
sys.exit(main())
"""
CTRL_N, CTRL_R = "\x0e", "\x12"


class Asked:
    """The interface on a server that asks, in a terminal."""

    def __init__(self, screen: Terminal) -> None:
        self.screen = screen

    def press(self, *keys: str, until: str = "") -> None:
        """Type; then wait until something is drawn, and nothing more comes."""
        self.screen.press_until(*keys, until=until)
        self.screen.settle(0.2, limit_s=3)

    def call(self, key: str) -> None:
        """Call the tool by a key, and wait until the question of its server takes what is typed."""
        self.press(key, until="The form asks for a credential (api_key)")
        self.screen.settle(2 * UNREAD_S, limit_s=2 * UNREAD_S)

    def record(self, name: str) -> None:
        self.press("w", until="Record")
        self.press(*name)
        self.press("enter", until="w stops it")

    def look_at_timeline(self, *, is_request: bool) -> None:
        """Both texts of the frames with the answer: those of the server's request, or of the call."""
        self.press("t", "G")
        if is_request:
            self.press("/", *"elicitation", "enter", until="filter: elicitation")
            self.press("g", until="accept")
        else:
            self.press("/", *"kept", "enter", until="filter: kept")
            self.press("g", "-", until="⊟ #1")
            self.press("j", "j")
        self.press("enter", until="previous frame")
        for _ in range(8):
            self.press("J", "J", "n")
        assert "2 sensitive values masked" in self.screen.plain()
        self.press("escape", "escape", "escape", "escape")

    def look_and_write_elsewhere(self) -> None:
        """Everything else that shows a call, or writes it."""
        self.press("y", until="Copied")
        self.press("5", until="1 call, 1 of this run")
        self.press("S", until="Save this call")
        self.press("enter", until="Saved as ")
        self.press("escape")
        self.press("f", until="SL-SEN009")
        self.press("escape")
        self.press("s", until="No secrets yet.")
        self.press("escape")
        for name in ("session.html", "session.md"):
            self.press("x", until="Export this session")
            self.press(*name)
            self.press("enter", until=f"Exported to {name}")


@pytest.mark.parametrize(("era", "tool"), [("legacy", "kept task"), ("modern", "kept")])
def test_a_private_answer_that_is_typed_in_the_interface_is_in_no_sink(
    tmp_path: Path, era: str, tool: str
) -> None:
    # One in a field that is named as a credential, one in another field that looks like one.
    named, shaped = drawn(), drawn()
    root, _ = folders_in(tmp_path)
    work, command = root / "work", [*SERVER[:-1], era]
    program = [sys.executable, "-c", CRASHING, "--audit", "audit.jsonl", "--", *command]
    with started(root, program, command, "http://127.0.0.1:9", size=(200, 44)) as screen:
        run = Asked(screen)
        screen.wait_for("thousand")
        screen.settle()
        run.record("made.jsonl")
        run.press("/", *tool, "enter", until=f"▸ {tool}")
        run.press("enter", until="Esc leave")
        run.call("enter")
        start = len(screen.written)
        run.press(f"\x1b[200~postgres://u:{shaped}@db.example/x\x1b[201~", until=shaped)
        run.press("tab", *named, until="•" * 24)
        run.press(CTRL_R, until="#1 done")
        # What is typed into a field without a mark is seen while it is typed.
        end = len(screen.written)
        watched = seen_from_outside(processes_from(screen.process.pid))
        run.press("escape", "escape", "escape", "escape")
        run.look_at_timeline(is_request=era == "legacy")
        run.look_and_write_elsewhere()
        run.press("w", until="Recorded to")
        run.record("crashed.jsonl")
        run.call("r")
        run.press("tab", *named, until="•" * 24)
        screen.press(CTRL_N)
        assert screen.wait_for_end() == 1
        assert "Sightline stopped because of a defect." in screen.plain()
        for words in ("replay", "--export", "html"), ("review", "--format", "sarif"), ("review",):
            ran = sightline(*words, str(work / "made.jsonl"))
            (work / f"{'-'.join(words)}.txt").write_text(ran.out + ran.err)
        written = screen.written
        assert found_in(written[start:end], shaped)
        for secret, looked_at in (named, written), (shaped, written[:start] + written[end:]):
            sinks = sinks_of(screen, looked_at, [watched], root)
            assert [sink for sink, raw in sinks.items() if found_in(raw, secret)] == []
    names = {path.name for path in work.iterdir()}
    assert names >= {"made.jsonl", "crashed.jsonl", "session.html", "session.md", "audit.jsonl", "calls.toml"}
    assert "accept" in (work / "made.jsonl").read_text()
    assert list((root / "data" / "history").iterdir())
    assert clipboard_of(written)
