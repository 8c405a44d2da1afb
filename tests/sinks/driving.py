"""A run of the real program in a terminal, in folders of its own, with planted secrets: driven by keys, then searched."""

import json
import random
import string
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.peers.terminal import ROOT, Terminal, plain, terminal
from tests.sinks.searching import clipboard_of, files_below, found_in, processes_from, seen_from_outside
from tests.sinks.server import Endpoint, Planted

SERVER = ROOT / "tests" / "sinks" / "server.py"
MASKED = "u shows it for 10 s"
COUNTED = "masks itself in"
PLACES = ("redeemed", "withheld", "error", "resource", "typed")


def planted() -> Planted:
    """A random canary for every place. Letters and digits, so that no encoding of URLs or JSON changes them."""
    drawn = random.SystemRandom()
    return {place: "".join(drawn.choices(string.ascii_letters + string.digits, k=24)) for place in PLACES}


@dataclass(slots=True, kw_only=True)
class Run:
    """One run, and everything observed of it."""

    screen: Terminal
    root: Path
    """The folder that it may write to."""
    outside: Path
    """The folder of the test and the server."""
    endpoint: Endpoint
    shown: dict[str, list[tuple[int, int]]] = field(default_factory=dict[str, list[tuple[int, int]]])
    """The byte ranges of the terminal output in which a canary was peeked at."""
    watched: list[bytes] = field(default_factory=list[bytes])

    def press(self, *keys: str, until: str = "") -> None:
        """Type; then wait until something is drawn and the output is quiet."""
        self.screen.press_until(*keys, until=until)
        self.screen.settle(0.2, limit_s=3)

    def watch(self) -> None:
        """Read the processes from outside, and the files in their present state."""
        self.watched.append(seen_from_outside(processes_from(self.screen.process.pid)))
        self.watched.extend(files_below(self.root).values())

    def begin_peek(self, place: str) -> int:
        """Show the value under the cursor; return the byte of the output at which that began."""
        since = len(self.screen.written)
        self.screen.press("u")
        self.screen.wait_for(self.endpoint.planted[place], since=since)
        self.screen.settle(0.2, limit_s=3)
        self.watch()
        return since

    def end_peek(self, place: str, since: int) -> None:
        """Note that the value must not be written any more."""
        assert found_in(self.screen.written[since:], self.endpoint.planted[place]), self.screen.plain(since)
        self.shown.setdefault(place, []).append((since, len(self.screen.written)))

    def peek(self, place: str, *masks: str, until: str = MASKED) -> None:
        """Show the value under the cursor, and mask it by keys."""
        self.end_peek(place, self.begin_peek(place))
        since = len(self.screen.written)
        self.press(*masks, until=until)
        # One second may have passed unread; if the timer masked it, ten would have.
        assert self.screen.plain(since).count(COUNTED) <= 1

    def look_at_open(self) -> None:
        """Switch to the boundary `open`, at which leaked values are masked and marked, then to the next."""
        since = len(self.screen.written)
        self.press("b", until="boundary: open")
        # The header shows it before the pane does.
        self.screen.wait_for("reaches the model", since=since)
        self.press("b", until="boundary: declared")

    def unmask(self, place: str, *keys: str) -> None:
        """Show the masked values of the result in focus, type keys in the meantime, and mask them."""
        since = len(self.screen.written)
        self.screen.press("u")
        self.screen.wait_for(self.endpoint.planted[place], since=since)
        self.screen.settle(0.2, limit_s=3)
        for key in keys:
            self.press(key)
        self.watch()
        # On a busy machine the last key may be drawn only at this point.
        self.press("escape", until="masked, u")
        self.end_peek(place, since)

    def reveal(self) -> None:
        """Redeem the reference under the cursor."""
        self.press("v", until="Fetch this secret?")
        self.press("y", until="The server returned it.")

    def written_but_for(self, place: str) -> bytes:
        """The whole output except the parts in which a canary was peeked at."""
        kept, last = list[bytes](), 0
        for start, end in self.shown.get(place, []):
            kept.append(self.screen.written[last:start])
            last = end
        return b"".join([*kept, self.screen.written[last:]])

    def end(self) -> int:
        """The exit code, once all output has been read."""
        return self.screen.wait_for_end()

    def leaks(self) -> dict[str, list[str]]:
        """The sinks in which each canary was found, by canary."""
        found: dict[str, list[str]] = {}
        heard = self.outside / "heard"
        for place in PLACES:
            canary = self.endpoint.planted[place]
            written = self.written_but_for(place)
            sinks = sinks_of(self.screen, written, self.watched, self.root)
            if place != "typed":
                sinks["what the servers heard"] = "\n".join(self.endpoint.heard).encode() + (
                    heard.read_bytes() if heard.exists() else b""
                )
            found[place] = [sink for sink, raw in sinks.items() if found_in(raw, canary)]
        return found


def sinks_of(screen: Terminal, written: bytes, watched: Sequence[bytes], root: Path) -> dict[str, bytes]:
    """All traces of a run, by name. `written`: the part of the terminal output to search."""
    return {
        "the terminal": written,
        "the terminal, as text": plain(written).encode(),
        "the clipboard": b"\n".join(clipboard_of(screen.written)),
        "the processes": b"\n".join(watched),
        **{f"the file {name}": name.encode() + content for name, content in files_below(root).items()},
    }


NOTHING: dict[str, list[str]] = {place: [] for place in PLACES}


@contextmanager
def running(
    tmp_path: Path,
    *,
    program: Sequence[str] = (sys.executable, "-m", "inspector"),
    over_http: bool = False,
    size: tuple[int, int] = (200, 44),
) -> Generator[Run]:
    """The program on a server with secrets, in a terminal of that size; ready.

    In a narrower terminal a value breaks over two lines, and cannot be found while it is shown.
    """
    root, outside = folders_in(tmp_path)
    canaries = planted()
    with Endpoint(canaries) as endpoint:
        canaries["origin"] = endpoint.origin
        threading.Thread(target=endpoint.serve_forever, daemon=True).start()
        file = outside / "planted.json"
        file.write_text(json.dumps(canaries))
        command = [sys.executable, "-S", "-E", str(SERVER), str(file)]
        target = [f"{endpoint.origin}/mcp"] if over_http else ["--", *command]
        try:
            with started(root, [*program, *target], command, endpoint.origin, size=size) as screen:
                screen.wait_for("3 tools")
                screen.wait_for("No arguments")
                screen.settle()
                yield Run(screen=screen, root=root, outside=outside, endpoint=endpoint)
        finally:
            endpoint.shutdown()


FOLDERS = ("home", "config", "cache", "data", "state", "tmp", "work")


def folders_in(tmp_path: Path) -> tuple[Path, Path]:
    """The folders in which a run may write, with everything that it needs, and the folder of the test."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (*(root / name for name in FOLDERS), outside):
        folder.mkdir(parents=True)
    return root, outside


@contextmanager
def started(
    root: Path, words: Sequence[str], command: Sequence[str], redeem_origin: str, *, size: tuple[int, int]
) -> Generator[Terminal]:
    """A program with its folders below `root`, with an origin at which a command's references are redeemed."""
    settings = root / "config" / "config.toml"
    settings.write_text(
        f'[[servers]]\ncommand = {json.dumps([*command])}\nredeem_origin = "{redeem_origin}"\n'
    )
    settings.chmod(0o600)
    environment = {
        "HOME": "home",
        "SIGHTLINE_CONFIG_DIR": "config",
        "SIGHTLINE_DATA_DIR": "data",
        "XDG_CONFIG_HOME": "config",
        "XDG_CACHE_HOME": "cache",
        "XDG_DATA_HOME": "data",
        "XDG_STATE_HOME": "state",
        "TMPDIR": "tmp",
    }
    variables = {name: str(root / folder) for name, folder in environment.items()}
    all_words = ["env", "-C", str(root / "work"), *words]
    with terminal(all_words, columns=size[0], lines=size[1], **variables) as screen:
        yield screen
