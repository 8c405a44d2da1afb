"""The real program on the demo server: every tool called by keys, and the fakes that must be in no sink."""

import json
import re
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from inspector.boundary.bound import bound
from inspector.boundary.mask import SHOWN
from inspector.boundary.options import Level
from inspector.json.exact import Json, JsonObject, parse
from inspector.json.pointer import resolve
from inspector.json.texts import texts_in
from inspector.protocol.catalogue import Kind, Tool, decode_page
from inspector.protocol.outcome import Result
from inspector.tui.policy.dialog import UNREAD_S
from tests.peers.ports import free_port
from tests.peers.terminal import ROOT, Terminal
from tests.sinks.driving import folders_in, sinks_of, started
from tests.sinks.searching import found_in, processes_from, seen_from_outside

BETWEEN = ROOT / "tests" / "sinks" / "between.py"
CANARY = re.compile(r"DEMO-SECRET-[A-Za-z-]+-[A-Za-z0-9]{8,}|DEMOSECRET[A-Za-z0-9]{6,}")
"""The marks of the demo's fakes."""
SHARED = re.compile(r"DEMO-SECRET-share-[A-Za-z0-9]{20}")
MASKED = "u shows it for 10 s"
LIMIT_S = 30.0
CTRL_J, CTRL_R, F7 = "\x0a", "\x12", "\x1b[18~"
TOOLS = (
    "echo_arguments", "clean_clock", "generate_api_key", "create_share_link", "rotate_token", "sync_calendar",
    "read_drafts", "list_inbox", "send_mail", "search_web", "delete_project", "export_report", "list_audit_log",
    "update_salary", "patient_record", "team_photo", "resolve_path", "write_file", "poisoned_weather", "odd_claims",
)  # fmt: skip
"""The tools, in the order of the demo's list."""
ARGUMENTS: dict[str, JsonObject] = {
    "echo_arguments": {"text": "said", "count": 3},
    "generate_api_key": {"name": "build"},
    "send_mail": {"to": "chidi@example.org", "subject": "Notes", "body": "What I found."},
    "search_web": {"query": "release"},
    "delete_project": {"project": "old-website"},
    "export_report": {"seconds": 1, "steps": 2},
    "resolve_path": {"path": "/handbook.md"},
    "write_file": {"path": "/said.md", "text": "said", "mode": "create"},
    "poisoned_weather": {"city": "Bern"},
}
"""Arguments for tools whose example arguments are invalid, or take long."""
ATTACKED = {"list_inbox"}
"""The tools whose results open a dialog with the claims of the server."""


@dataclass(slots=True, kw_only=True)
class DemoRun:
    """One run on the demo, and everything observed of it."""

    screen: Terminal
    root: Path
    outside: Path
    revealed: str = ""
    peeked: tuple[int, int] = (0, 0)
    """The byte ranges of the terminal output in which the revealed secret was shown."""
    calls: int = 0
    watched: list[bytes] = field(default_factory=list[bytes])

    def press(self, *keys: str, until: str = "") -> None:
        """Type; then wait until something is drawn and the output is quiet."""
        self.screen.press_until(*keys, until=until)
        self.screen.settle(0.15, limit_s=1)

    def call(self, tool: str) -> None:
        """Call the tool under the cursor, agreeing if asked; go back to the list."""
        self.calls += 1
        ended = re.compile(
            "The server reports an attack" if tool in ATTACKED else rf"#{self.calls} (?:done|tool error)"
        )
        self.press("enter", until="Esc leave")
        self.press(CTRL_J, until="^j form")
        if tool in ARGUMENTS:
            # Pasting replaces the selection, so it waits until the selection is drawn.
            self.press(F7, until="{")
            pasted = json.dumps(ARGUMENTS[tool])
            self.press(f"\x1b[200~{pasted}\x1b[201~", until=pasted[-8:])
        since = len(self.screen.written)
        self.screen.press(CTRL_R)
        if self.await_one(re.compile(f"{ended.pattern}|y call  Esc"), since) == "y call  Esc":
            self.screen.settle(1.5 * UNREAD_S, limit_s=1.5 * UNREAD_S)
            self.screen.press("y")
            self.await_one(ended, since)
        self.screen.settle(0.15, limit_s=1)
        # The dialog about an attack is closed first.
        self.press("escape")
        self.press("escape")

    def await_one(self, words: re.Pattern[str], since: int) -> str:
        """Wait until one of these has been drawn after a byte; return which one."""
        until = monotonic() + LIMIT_S
        drawn = self.screen.drawn(since)
        while (found := words.search(drawn.text())) is None:
            assert monotonic() < until, f"{words.pattern} was not drawn:\n{self.screen.end(since)}"
            self.screen.read(0.2)
        return found[0]

    def reveal(self) -> None:
        """Redeem the reference that the last call left, look at its value, and mask it."""
        self.press("s", until="not fetched")
        self.press("v", until="Fetch this secret?")
        self.press("y", until="The server returned it.")
        since = len(self.screen.written)
        self.press("u", until="DEMO-SECRET-share-")
        (self.revealed,) = set(SHARED.findall(self.screen.plain(since)))
        self.watch()
        self.press("m", until=MASKED)
        # While it is shown, it is redrawn with each second of the countdown.
        self.peeked = (since, len(self.screen.written))
        self.press("escape")

    def write(self, key: str, asked: str, name: str, done: str) -> None:
        """Write a file of that name with a key that asks for the name. `done`: the text about that file only."""
        self.press(key, until=asked)
        self.press(*name)
        self.press("enter", until=done)

    def watch(self) -> None:
        """Read the processes' command lines and environments from outside."""
        self.watched.append(seen_from_outside(processes_from(self.screen.process.pid)))

    def leaks(self) -> dict[str, list[str]]:
        """The sinks that contain withheld or revealed values; by the secret.

        A secret that the server logs before any declaration of it is in the timeline, and so in the terminal; and nowhere else.
        """
        start, end = self.peeked
        written = self.screen.written
        sinks = sinks_of(self.screen, written[:start] + written[end:], self.watched, self.root)
        found: dict[str, list[str]] = {}
        for secret in {self.revealed, *withheld(self.outside)}:
            is_logged = secret in self.logged()
            wanted = [sink for sink in sinks if not (is_logged and sink.startswith("the terminal"))]
            found[secret] = [sink for sink in wanted if found_in(sinks[sink], secret)]
        return {secret: where for secret, where in found.items() if where}

    def logged(self) -> str:
        """The texts that the server logged."""
        said = (self.outside / "said").read_text().splitlines()
        return "\n".join(line for line in said if '"notifications/message"' in line)


def withheld(outside: Path) -> Iterator[str]:
    """The fakes in the server's output that the calls' declarations withhold from models."""
    tools: dict[str, Tool] = {}
    asked: dict[Json, tuple[str, str]] = {}
    for name in ("heard", "said"):
        for line in (outside / name).read_text().splitlines():
            message: Any = parse(line).value
            if name == "heard" and "method" in message and "id" in message:
                asked[message["id"]] = (message["method"], message.get("params", {}).get("name", ""))
            elif name == "said" and "result" in message:
                method, tool = asked[message["id"]]
                if method == "tools/list":
                    page = decode_page(Kind.TOOL, message["result"])
                    listed = page if isinstance(page, tuple) else ()
                    tools |= {one.name: one for one in listed if isinstance(one, Tool)}
                elif method == "tools/call":
                    yield from of_result(message["result"], tools[tool])


def of_result(result: Json, tool: Tool) -> Iterator[str]:
    """The fakes in the withheld parts of one result, except those that may be shown to a user."""
    for removal in bound(Result(value=result), tool, Level.DECLARED).removals:
        if removal.rule not in SHOWN and removal.rule not in {"mirror", "echo"}:
            texts = set[str]()
            texts_in(resolve(result, removal.pointer), texts, set())
            yield from (canary for text in texts for canary in CANARY.findall(text))


@contextmanager
def on_demo(tmp_path: Path, *options: str) -> Generator[DemoRun]:
    """The program on the demo, with its traffic copied; ready."""
    root, outside = folders_in(tmp_path)
    port = free_port()
    demo = (sys.executable, "-m", "inspector.demo", "stdio", "--port", str(port))
    command = (sys.executable, "-S", "-E", str(BETWEEN), str(outside), *demo)
    words = (sys.executable, "-m", "inspector", *options, "--", *command)
    with started(root, words, command, f"http://127.0.0.1:{port}", size=(200, 44)) as screen:
        screen.wait_for("20 tools")
        screen.settle()
        yield DemoRun(screen=screen, root=root, outside=outside)
