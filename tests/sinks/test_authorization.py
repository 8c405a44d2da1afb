"""The secrets of an authorization, in all traces of a run: codes, verifiers, tokens, client secrets."""

import json
import os
import secrets
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from inspector.errors import AuthenticationRequiredError
from inspector.protocol.authorization import Authorizing
from inspector.protocol.outcome import Failure
from inspector.protocol.targets import HttpTarget
from inspector.recording.files import Recorder
from inspector.recording.format import Lenses
from inspector.recording.target import header_of
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.timeline.frame import frame_view
from tests.oauth.test_commands import page_of
from tests.peers.authorizing_server import Issued, authorizing_server, browse
from tests.peers.ports import free_redirect_uri
from tests.peers.terminal import terminal
from tests.sinks.searching import files_below, found_in, processes_from, seen_from_outside

ROOT = Path(__file__).parents[2]


def leaked(raw: bytes, issued: Issued) -> list[str]:
    """The secrets that occur in `raw`, in any form."""
    assert len(issued.secrets) >= 2
    assert issued.verifiers
    # The scheme in front of each is not secret.
    words = [secret.partition("-")[2] or secret for secret in issued.secrets] + issued.verifiers
    return [form for word in words for form in found_in(raw, word)]


def test_no_command_writes_a_secret_of_an_authorization(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "inspector")
    runs = (
        ("list", "--format", "json"),
        ("call", "ends", "--audit", str(tmp_path / "audit.jsonl")),
        ("call", "ends", "--format", "json"),
        ("auth",),
        ("review", "--format", "html", "-o", str(tmp_path / "review.html")),
    )
    for number, words in enumerate(runs):
        issued = Issued(echoes=number == 3)
        record = () if words[0] == "auth" else ("--record", str(tmp_path / f"{number}.jsonl"))
        with authorizing_server(issued) as url:
            process = subprocess.Popen(
                [*command, *words, *record, url, "--no-browser"],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
            page, printed = page_of(process)
            seen = seen_from_outside(processes_from(process.pid))
            urllib.request.urlopen(page, timeout=10)  # noqa: S310 - on loopback
            out, err = process.communicate(timeout=40)
        assert process.returncode == {"call": 4, "auth": 3}.get(words[0], 0), err
        for written in (out, printed, err, seen):
            assert leaked(written, issued) == [], words
        assert words[0] != "call" or b"\xe2\x80\xa2" in out + err or b"\\u2022" in out + err
        files = files_below(tmp_path)
        assert [name for name, content in files.items() if leaked(content, issued)] == []
    assert b"OAuth token" in (tmp_path / "1.jsonl").read_bytes()


def eighths(text: str, issued: Issued) -> list[str]:
    """The parts of a verifier, code or secret that occur in a text."""
    assert issued.verifiers
    words = [secret.partition("-")[2] or secret for secret in issued.secrets] + issued.verifiers
    return [word[at : at + 8] for word in words for at in range(len(word) - 7) if word[at : at + 8] in text]


async def test_no_part_of_a_secret_is_left_in_a_cut_token_endpoint_answer(
    tmp_path: Path,
) -> None:
    issued = Issued()
    with authorizing_server(issued) as url:
        for padding in range(0, 321, 20):
            issued.padding = padding
            path = tmp_path / f"{padding}.jsonl"
            target = HttpTarget(url=url)
            header = header_of(target, Lenses(), created="2026-11-21T00:00:00Z", software="mcp-sightline 0")
            recorder = Recorder(path, header)
            options = Options(authorizing=Authorizing(authorizer=browse), recorder=recorder)
            session = Session(target, options)
            with pytest.raises(AuthenticationRequiredError) as caught:
                await session.connect()
            await session.close()
            recorder.close()
            entries = "".join(f"{entry.title} {entry.detail}" for entry in session.timeline.entries)
            frames = b"".join(frame.raw for frame in session.timeline.frames).decode()
            assert "invalid_grant" in caught.value.message
            for sink in (caught.value.message, entries, frames, path.read_text()):
                assert eighths(sink, issued) == [], padding


@pytest.mark.parametrize("echoes", [False, True])
async def test_timeline_frames_and_failures_contain_no_secret_of_an_authorization(echoes: bool) -> None:  # noqa: FBT001
    issued = Issued(echoes=echoes)
    shown: list[str] = []
    with authorizing_server(issued) as url:
        session = Session(HttpTarget(url=url), Options(authorizing=Authorizing(authorizer=browse)))
        try:
            await session.connect()
            await session.list_all()
            ended = (await session.call("ends", {})).outcome
            assert isinstance(ended, Failure)
            shown.append(ended.detail)
        except Exception as error:  # noqa: BLE001 - what is raised is a sink too
            shown.append(f"{error!r}")
        finally:
            await session.close()
    shown += [entry.title + entry.detail for entry in session.timeline.entries]
    for matched in session.timeline.matched:
        view = frame_view(matched, session.catalogue, chunk=100_000, own=session.own)
        shown += [*view.text, view.frame.head]
        if view.document:
            shown += [
                "".join(span.text for span in line.spans)
                for line in view.document.lines(0, view.document.line_count)
            ]
    assert leaked("\n".join(shown).encode(), issued) == []
    assert any("•••" in text for text in shown)


def test_the_screen_shows_no_secret_of_an_authorization(tmp_path: Path) -> None:
    issued, opened = Issued(), tmp_path / "opened"
    browser = tmp_path / "browser.py"
    browser.write_text(
        "import sys, urllib.request\n"
        f"open({str(opened)!r}, 'w').write(sys.argv[1])\n"
        "urllib.request.urlopen(sys.argv[1]).read()\n"
    )
    folders = {"SIGHTLINE_CONFIG_DIR": str(tmp_path), "SIGHTLINE_DATA_DIR": str(tmp_path)}
    with authorizing_server(issued) as url:
        recorded = tmp_path / "session.jsonl"
        words = [sys.executable, "-m", "inspector", url, "--record", str(recorded)]
        with terminal(
            words, columns=160, lines=50, BROWSER=f"{sys.executable} {browser} %s", **folders
        ) as screen:
            screen.wait_for("The server requires authorization")
            screen.wait_for("Nothing is opened yet")
            screen.press("\r", "y", " ")
            screen.settle()
            assert not opened.exists()
            screen.press_until("\x0f", until="2 tools")
            screen.press_until("t", until="OAuth token")
            screen.press("q")
            screen.wait_for_end()
            assert leaked(screen.written, issued) == []
    assert "state=" in opened.read_text()
    assert b"OAuth token" in recorded.read_bytes()
    assert [name for name, content in files_below(tmp_path).items() if leaked(content, issued)] == []


@pytest.mark.parametrize("has_key", [False, True], ids=["secret", "key"])
def test_the_credentials_of_an_oauth_client_are_written_nowhere(has_key: bool, tmp_path: Path) -> None:  # noqa: FBT001
    planted = "Zq7vK3xW9bT2mNf8"
    key = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "key.pem").write_bytes(key)
    recorded = tmp_path / "session.jsonl"
    # The token endpoint repeats what was sent.
    issued = Issued(padding=10)
    with authorizing_server(issued) as url:
        proof = (
            ("--client-key", str(tmp_path / "given" / "key.pem"))
            if has_key
            else ("--client-secret", "env:PLANTED")
        )
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "inspector", "list", url, "--record", str(recorded)),
                *(
                    "--client-credentials",
                    "--client-id",
                    "sightline",
                    "--issuer",
                    url.removesuffix("/mcp"),
                    *proof,
                ),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PLANTED": planted},
        )
        out, err = process.communicate(timeout=40)
    assert process.returncode == 3, err
    assert b"invalid_grant" in err, err
    assert issued.secrets or not has_key, "an assertion was sent and repeated"
    words = [*key.decode().split("\n")[1:-2], *issued.secrets] if has_key else [planted]
    assert words
    for written in (out, err, recorded.read_bytes()):
        for word in words:
            assert found_in(written, word) == []


def configured(folder: Path, issued: Issued, url: str, **oauth: str) -> str:
    """A target with a client that the authorization server knows, from a file that is no sink."""
    folder.mkdir()
    uri = free_redirect_uri()
    issued.know("mine", oauth["clientSecret"], uri)
    entry = {"type": "http", "url": url, "oauth": {"clientId": "mine", "redirectUri": uri, **oauth}}
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": {"it": entry}}))
    return f"{folder}/mcp.json:it"


@pytest.mark.parametrize("words", [("list",), ("call", "ends"), ("auth",)])
@pytest.mark.parametrize("padding", [None, 10])
def test_the_client_secret_of_an_entry_is_written_nowhere(
    words: tuple[str, ...], padding: int | None, tmp_path: Path
) -> None:
    planted = secrets.token_urlsafe(18)
    root = tmp_path / "root"
    root.mkdir()
    # The token endpoint repeats what was sent.
    issued = Issued(padding=padding)
    record = () if words[0] == "auth" else ("--record", str(root / "session.jsonl"))
    folders = {"SIGHTLINE_CONFIG_DIR": str(root), "SIGHTLINE_DATA_DIR": str(root)}
    with authorizing_server(issued) as url:
        target = configured(tmp_path / "given", issued, url, clientSecret=planted)
        process = subprocess.Popen(
            [sys.executable, "-m", "inspector", *words, target, *record, "--no-browser"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, **folders, "PYTHONPATH": str(ROOT)},
        )
        page, printed = page_of(process)
        seen = seen_from_outside(processes_from(process.pid))
        urllib.request.urlopen(page, timeout=10)  # noqa: S310 - on loopback
        out, err = process.communicate(timeout=40)
    expected = 3 if padding else {"call": 4}.get(words[0], 0)
    assert process.returncode == expected, err
    assert b"invalid_grant" in err if padding else issued.tokens
    for written in (out, printed, err, seen, *files_below(root).values()):
        assert found_in(written, planted) == []


@pytest.mark.long
def test_what_is_recorded_and_exported_by_keys_around_an_authorization_holds_none(tmp_path: Path) -> None:
    planted = secrets.token_urlsafe(18)
    root = tmp_path / "root"
    root.mkdir()
    issued = Issued()
    browser = tmp_path / "browser.py"
    browser.write_text("import sys, urllib.request\nurllib.request.urlopen(sys.argv[1]).read()\n")
    folders = {"SIGHTLINE_CONFIG_DIR": str(root), "SIGHTLINE_DATA_DIR": str(root)}
    with authorizing_server(issued) as url:
        target = configured(tmp_path / "given", issued, url, clientSecret=planted)
        words = [sys.executable, "-m", "inspector", target]
        with terminal(
            words, columns=160, lines=50, BROWSER=f"{sys.executable} {browser} %s", **folders
        ) as screen:

            def write(key: str, name: str, *, until: str) -> None:
                screen.press_until(key, until="Enter record" if key == "w" else "Enter export")
                screen.press(*str(root / name))
                screen.press_until("enter", until=until)

            screen.wait_for("Nothing is opened yet")
            # The dialog has neither key.
            screen.press("w", "x")
            screen.settle()
            assert "Esc cancel" not in screen.plain()
            screen.press_until("\x0f", until="2 tools")
            write("x", "first.html", until="Exported to")
            write("w", "all.jsonl", until="Recording to")
            # Both are void now, so the next call is authorized while it is recorded.
            issued.tokens.clear()
            issued.refreshing.clear()
            screen.press_until("enter", until="Enter call")
            screen.press_until("enter", until="Nothing is opened yet")
            screen.settle()
            screen.press_until("\x0f", until="#1 done")
            # The answer of the other tool repeats the token.
            screen.press_until("escape", "down", until="Never answers")
            screen.press_until("enter", until="Enter call")
            screen.press_until("enter", until="no answer: http status")
            drawn = len(screen.written)
            # A result is shown as the server sends it, and written without them.
            issued.answer = f"the token {[*issued.tokens][-1]}"
            screen.press_until("escape", "up", until="Answer.")
            screen.press_until("r", until="#3 done")
            issued.answer = f"the secret {planted}"
            screen.press_until("r", until="#4 done")
            write("x", "second.md", until="Exported to")
            screen.press_until("w", until="Recorded to")
            screen.press("q")
            screen.wait_for_end()
            assert leaked(screen.written[:drawn], issued) == []
            assert found_in(screen.written[:drawn], planted) == []
    files = files_below(root)
    assert len(issued.verifiers) == 2
    for name in ("first.html", "second.md", "all.jsonl"):
        assert b"OAuth token" in files[str(root / name)], name
    # Each of five steps twice: before the recording, and in it.
    assert files[str(root / "all.jsonl")].count(b'{"note":"authorization"') == 10
    assert b"HTTP 500" in files[str(root / "all.jsonl")]
    assert [name for name, content in files.items() if leaked(content, issued)] == []
    assert [name for name, content in files.items() if found_in(content, planted)] == []


CRASH = """
import sys
from inspector.cli.main import run
from inspector.connect.oauth import provider

def crash(step, response, body, step_log):
    if step.name == "token":
        raise RuntimeError(f"{body!r} {response.request.content!r} {sys.argv}")
    return answer_of(step, response, body, step_log)

answer_of, provider.answer_of = provider.answer_of, crash
sys.exit(run(sys.argv[1:], lambda launch: 0))
"""


def test_a_crash_during_an_authorization_prints_no_secret(tmp_path: Path) -> None:
    issued, recorded = Issued(), tmp_path / "session.jsonl"
    with authorizing_server(issued) as url:
        process = subprocess.Popen(
            [sys.executable, "-c", CRASH, "list", "--record", str(recorded), url, "--no-browser"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        page, printed = page_of(process)
        urllib.request.urlopen(page, timeout=10)  # noqa: S310 - on loopback
        out, err = process.communicate(timeout=40)
    assert process.returncode not in {0, 2}
    assert b"the flow ended early (RuntimeError)" in err, err
    for written in (out, printed, err, *files_below(tmp_path).values()):
        assert leaked(written, issued) == []


def test_after_a_declined_authorization_the_screen_names_the_key_to_retry(tmp_path: Path) -> None:
    folders = {"SIGHTLINE_CONFIG_DIR": str(tmp_path), "SIGHTLINE_DATA_DIR": str(tmp_path)}
    with authorizing_server(Issued()) as url:
        words = [sys.executable, "-m", "inspector", url]
        with terminal(words, columns=160, lines=50, **folders) as screen:
            screen.wait_for("Nothing is opened yet")
            screen.press_until("\x1b", until="R asks you for authorization again")
            assert "sightline auth" not in screen.plain()
            screen.press_until("R", until="Nothing is opened yet")
