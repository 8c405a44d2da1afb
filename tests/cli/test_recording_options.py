from io import StringIO
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from inspector.boundary.options import Level
from inspector.cli.main import run
from inspector.cli.options import LensOptions, RecordingOptions, takes
from inspector.errors import UsageError
from inspector.protocol.targets import StdioTarget
from inspector.recording.files import RecordingFile
from inspector.recording.format import End, RecordedFrame

TARGET = StdioTarget(command=("/usr/bin/node", "server.js", "--token", "a-secret-of-mine"))
LENS = LensOptions(level=Level.CLOSED, host="codex", hide_untrusted=True)


def options(*argv: str) -> RecordingOptions:
    found: list[RecordingOptions] = []

    @click.command()
    @takes("recording", RecordingOptions)
    def command(*, recording: RecordingOptions) -> None:
        found.append(recording)

    CliRunner().invoke(command, argv, catch_exceptions=False)
    return found[0]


def test_a_recording_notes_boundary_and_host_and_a_target_without_secrets(tmp_path: Path) -> None:
    recorder = options("--record", str(tmp_path / "a.jsonl")).recorder(TARGET, LENS)
    assert recorder
    recorder.close()
    file = RecordingFile(tmp_path / "a.jsonl")
    assert (file.header.kind, file.header.target) == ("stdio", "node")
    assert (file.header.lenses.level, file.header.lenses.host) == (Level.CLOSED, "codex")
    assert file.header.lenses.policy == LENS.policy
    assert "a-secret-of-mine" not in (tmp_path / "a.jsonl").read_text()
    file.close()


def test_without_the_option_nothing_is_recorded() -> None:
    assert options().recorder(TARGET, LENS) is None


def test_sealing_without_recording_is_refused() -> None:
    with pytest.raises(UsageError, match="--seal-to needs --record, the recording that it encrypts"):
        options("--seal-to", "age1x")


@pytest.mark.parametrize(
    "argv",
    [
        ("docs", "demo"),
        ("review", "demo"),
        ("pin", "demo"),
        ("policy", "explain", "clean_clock", "demo"),
        ("diff", "recordings/secrets.jsonl", "demo"),
        ("demo",),
    ],
)
def test_every_command_that_connects_to_a_target_can_record_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin", StringIO())
    path = tmp_path / "a.jsonl"
    assert run([*argv, "-q", "--record", str(path)], no_interface) == 0
    file = RecordingFile(path)
    kinds = [type(line) for line in file.lines()]
    assert (file.header.kind, kinds[-1]) == ("demo", End)
    assert kinds.count(RecordedFrame) > 4
    file.close()


def no_interface(*_: object, **_named: object) -> int:
    raise AssertionError("no terminal, no interface")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("diff", "recordings/secrets.jsonl", "recordings/faults.jsonl"), "--record takes only one server"),
        (("diff", "demo", "http://127.0.0.1:1/mcp"), "--record takes only one server"),
        (("review", "recordings/secrets.jsonl"), "--record takes only one server"),
        (("pin", "--list"), "--record records a session"),
        (("demo", "--serve", "stdio"), "--record records a session"),
    ],
)
def test_record_is_refused_unless_there_is_exactly_one_session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], argv: tuple[str, ...], message: str
) -> None:
    assert run([*argv, "--record", str(tmp_path / "a.jsonl")], no_interface) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
