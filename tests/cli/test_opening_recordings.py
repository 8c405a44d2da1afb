"""`sightline RECORDING`: files and options that are refused before anything is shown."""

from pathlib import Path

import pytest

from tests.cli.sightline import sightline
from tests.tui.recorded import lines_of, put, recording


def test_a_recording_is_recognised_by_its_name_and_by_its_first_line(tmp_path: Path) -> None:
    path = recording(tmp_path)
    other = path.rename(tmp_path / "named-otherwise")
    for name in (put(tmp_path / "again.jsonl", lines_of(other)), other):
        ran = sightline(str(name))
        assert ran.code == 2
        assert "the interface needs a terminal" in ran.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "No such file"),
        (b"", "is not a recording"),
        (b"not JSON\n", "is not a recording"),
        (b'{"sightline":"recording","version":99}\n', "version 99"),
        (b'{"sightline":"recording","version":1}\n', "line 1"),
        (b"[" * 100_000, "is not a recording"),
        (b'"' + b"x" * 3_000_000, "is not a recording"),
    ],
)
def test_a_file_that_is_not_a_recording_exits_2_with_one_line(
    content: bytes | None, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    if content is not None:
        path.write_bytes(content)
    ran = sightline(str(path))
    assert ran.code == 2
    assert words in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--record", "b.jsonl"], "these options do not work with recordings: --record"),
        (["-e", "A=b", "--timeout", "3"], "these options do not work with recordings: -e, --timeout"),
        (["--", "node"], "A recording is opened alone"),
    ],
)
def test_options_for_servers_are_refused_for_recordings(argv: list[str], words: str, tmp_path: Path) -> None:
    ran = sightline(str(recording(tmp_path)), *argv)
    assert (ran.code, words in ran.err) == (2, True), ran.err


def test_identity_is_refused_for_servers_and_list_refuses_recordings(tmp_path: Path) -> None:
    ran = sightline("--identity", "key.txt", "demo")
    assert (ran.code, "--identity only works with recordings" in ran.err) == (2, True), ran.err
    ran = sightline("list", str(recording(tmp_path)))
    assert (ran.code, "is a recording, not a server" in ran.err) == (2, True), ran.err
