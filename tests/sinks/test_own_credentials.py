"""The credentials that the user gives to a server, in all traces of a run, if the server repeats them."""

import json
import random
import string
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from inspector.protocol.outcome import Failure
from inspector.protocol.targets import Era, HttpTarget, StdioTarget
from inspector.protocol.timeline import EntryKind
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.timeline.frame import frame_view
from tests.cli.sightline import ROOT, sightline
from tests.peers.terminal import terminal
from tests.sinks.echoing import answers, repeated
from tests.sinks.searching import files_below, found_in

ECHOING = (sys.executable, "-S", "-E", str(ROOT / "tests" / "sinks" / "echoing.py"))


def drawn() -> str:
    return "".join(random.SystemRandom().choices(string.ascii_letters + string.digits, k=24))


@contextmanager
def endpoint() -> Generator[str]:
    """The address of an HTTP server that repeats the credential it is given, and fails calls of `ends` with it."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["content-length"])))
            said = repeated(self.headers["authorization"].removeprefix("Bearer "))
            if message.get("method") == "tools/call" and message["params"]["name"] == "ends":
                self._reply(500, said.encode(), "text/plain")
            elif found := answers(message, said)[-1:]:
                self._reply(200, json.dumps(found[0]).encode(), "application/json")
            else:
                self._reply(202, b"", "text/plain")

        def do_DELETE(self) -> None:
            self._reply(405, b"", "text/plain")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
            del format, args

        def _reply(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_DELETE  # noqa: N815 - the library's name

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
        finally:
            server.shutdown()


@pytest.mark.parametrize("kind", ["stdio", "http"])
def test_no_command_writes_the_credential_that_a_server_repeats(kind: str, tmp_path: Path) -> None:
    canary = drawn()
    with endpoint() as url:
        target = (
            ("-e", f"API_TOKEN={canary}", "--era", "legacy", "--", *ECHOING)
            if kind == "stdio"
            else ("--header", f"Authorization: Bearer {canary}", "--era", "legacy", url)
        )
        for number, words in enumerate(
            (
                ("list",),
                ("call", "ends", "--audit", str(tmp_path / "audit.jsonl")),
                ("call", "ends", "--format", "json"),
                ("review", "--format", "html", "-o", str(tmp_path / "review.html")),
            )
        ):
            record = ("--record", str(tmp_path / f"{number}.jsonl"))
            ran = sightline(*words, *record, *target, cwd=ROOT)
            assert ran.code == (4 if words[0] == "call" else 0), ran.err
            said = ran.out + ran.err
            assert found_in(said.encode(), canary) == [], words
            # The masked text is there, and masked.
            assert words[0] == "review" or "•••" in said or "\\u2022" in said
    files = files_below(tmp_path)
    assert len(files) == 6
    assert [name for name, content in files.items() if found_in(content, canary)] == []


@pytest.mark.parametrize("kind", ["stdio", "http"])
async def test_timeline_frames_and_failures_do_not_contain_the_users_credential(kind: str) -> None:
    canary = drawn()
    with endpoint() as url:
        target = (
            StdioTarget(command=ECHOING, environment={"API_TOKEN": canary})
            if kind == "stdio"
            else HttpTarget(url=url, headers=(("Authorization", f"Bearer {canary}"),))
        )
        session = Session(target, Options(era=Era.LEGACY))
        try:
            await session.connect()
            catalogue = await session.list_all()
            await session.call("fails", {})
            ended = (await session.call("ends", {})).outcome
        finally:
            await session.close()
    assert isinstance(ended, Failure)
    entries = session.timeline.entries
    wanted = {EntryKind.EXCHANGE, *((EntryKind.STDERR, EntryKind.LOG) if kind == "stdio" else ())}
    assert wanted <= {entry.kind for entry in entries if "•••" in entry.detail}
    shown = [ended.detail, *(entry.title + entry.detail for entry in entries)]
    shown += [item.reason for item in catalogue.problems]
    # The frames themselves stay as they were received.
    assert any(canary.encode() in frame.raw for frame in session.timeline.frames)
    for matched in session.timeline.matched:
        view = frame_view(matched, catalogue, chunk=100_000, own=session.own)
        shown += [*view.text, view.frame.head]
        if view.document:
            shown += [
                "".join(span.text for span in line.spans)
                for line in view.document.lines(0, view.document.line_count)
            ]
    assert found_in("\n".join(shown).encode(), canary) == []


def test_the_screen_does_not_show_the_users_credential(tmp_path: Path) -> None:
    canary = drawn()
    words = [
        sys.executable,
        "-m",
        "inspector",
        "--era",
        "legacy",
        "-e",
        f"API_TOKEN={canary}",
        "--",
        *ECHOING,
    ]
    folders = {"SIGHTLINE_CONFIG_DIR": str(tmp_path), "SIGHTLINE_DATA_DIR": str(tmp_path)}
    with terminal(words, columns=200, lines=50, **folders) as screen:
        screen.wait_for("2 tools")
        screen.press_until("t", until="stderr")
        screen.press_until("enter", until=" over std")
        # Stderr comes through another pipe, so the last entry is a line of it or an exchange, which begins with a request.
        if "← received" not in screen.plain():
            screen.press_until("n", until="← received")
        assert "•••" in screen.plain()
        assert found_in(screen.written, canary) == []
        assert found_in(screen.plain().encode(), canary) == []
