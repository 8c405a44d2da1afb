from pathlib import Path

import pytest

from inspector.cli import start
from inspector.cli.main import run
from inspector.launch import Launch


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "lib.py").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(start, "has_terminal", lambda: True)
    return tmp_path


def launched(*words: str) -> tuple[int, Launch | None]:
    found: list[Launch] = []

    def interface(launch: Launch) -> int:
        found.append(launch)
        return 0

    code = run(list(words), interface)
    return code, found[0] if found else None


@pytest.mark.parametrize(
    ("words", "target", "folders", "files"),
    [
        (("--watch", "--", "python", "lib.py"), "python lib.py", [""], ["lib.py"]),
        (("--watch", "src", "lib.py", "--", "python"), "python", ["src"], ["lib.py"]),
        (("--watch=src", "--watch=lib.py", "--", "python"), "python", ["src"], ["lib.py"]),
        (("--watch", "--watch=src", "lib.py", "--", "python"), "python", ["src"], ["lib.py"]),
        (("--watch", "demo"), "demo", [""], []),
        (("demo-", "--watch"), None, [], []),
        (("open", "http://127.0.0.1:1/mcp", "--watch"), "http://127.0.0.1:1/mcp", [], []),
        (("--watch=src", "http://127.0.0.1:1/mcp"), "http://127.0.0.1:1/mcp", ["src"], []),
    ],
)
def test_the_command_line_is_split_into_target_and_watched_files(
    folder: Path, words: tuple[str, ...], target: str | None, folders: list[str], files: list[str]
) -> None:
    code, launch = launched(*words)
    if target is None:
        assert (code, launch) == (2, None)
        return
    assert launch is not None
    assert launch.watching is not None
    assert target in str(launch.target)
    assert sorted(launch.watching.folders) == [str(folder / name) for name in folders]
    assert launch.watching.files == {str(folder / name) for name in files}
    assert launch.options.is_quick_to_end


def test_without_the_option_nothing_is_watched(folder: Path) -> None:
    _ = folder
    code, launch = launched("--", "python", "lib.py")
    assert code == 0
    assert launch is not None
    assert launch.watching is None
    assert not launch.options.is_quick_to_end


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--watch", "src", "demo"), "Write the files to watch as --watch=PATH."),
        (("src", "--", "python"), "not a target: src"),
        (("src", "demo"), "not a target: src"),
        (("--watch=missing", "demo"), "--watch missing: no such file or folder"),
        (("--watch",), "no target"),
    ],
)
def test_a_wrong_watch_option_is_a_usage_error(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    _ = folder
    assert launched(*words) == (2, None)
    assert message in capsys.readouterr().err


def test_a_recording_is_not_watched(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "session.jsonl").write_text(
        (Path(__file__).parents[2] / "recordings" / "faults.jsonl").read_text()
    )
    assert launched("--watch", "session.jsonl")[0] == 2
    assert "these options do not work with recordings: --watch" in capsys.readouterr().err
