"""The file of the history: private, limited in size, shared by processes, never overwritten if it is of another kind."""

import fcntl
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from inspector.errors import UsageError
from inspector.history import files
from inspector.history.files import HistoryFile, Stored, history_of
from inspector.history.past_call import Ended, LeftOut, PastCall, Why
from inspector.protocol.targets import DemoTarget, HttpTarget, PageTarget, StdioTarget

SERVER = StdioTarget(command=("node", "server.js", "--token=ghp_16C7e42F292c6912E7710c838347Ae178B4a"))


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("SIGHTLINE_DATA_DIR", str(tmp_path / "data"))


def file() -> HistoryFile:
    found = history_of(SERVER)
    assert found is not None
    return found


def call(number: int = 1, **members: str) -> PastCall:
    return replace(
        PastCall(
            at="2026-11-23T13:00:00.000Z",
            tool=f"tool {number}",
            arguments=json.dumps({"number": number}),
            left_out=(LeftOut(name="pin", why=Why.SECRET),),
            ended=Ended.OK,
            fits=True,
        ),
        **members,
    )


def test_calls_are_kept_privately_and_read_in_their_order() -> None:
    assert file().read() == Stored()
    for number in (1, 2, 3):
        file().append(call(number))
    assert file().read() == Stored(calls=(call(1), call(2), call(3)))
    assert stat.S_IMODE(file().path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file().path.parent.stat().st_mode) == 0o700
    assert "ghp_" not in file().path.read_text()
    other = history_of(HttpTarget(url="https://a.example/mcp?key=CANARY"))
    assert other is not None
    assert other.read() == Stored()
    assert history_of(PageTarget(url="")) is None
    assert history_of(DemoTarget()) is not None


@pytest.mark.parametrize("name", ["\ud800", "a\nb", "\x1b]52;c;Q0FOQVJZ\x07", "\u202e", ""])
def test_any_tool_name_is_read_back_and_none_acts_in_a_terminal(name: str) -> None:
    file().append(call(tool=name))
    assert file().read().calls == (call(tool=name),)
    written = file().path.read_text()
    assert not set(written) & {"\x1b", "\u202e"}
    assert written.count("\n") == 2


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"not JSON\n", "is not a history of calls"),
        (b'{"format": "sightline-pin", "version": 1}\n', "is not a history of calls"),
        (b'{"format": "sightline-history", "version": true}\n', "is not a history of calls"),
        (b'{"format": "sightline-history", "version": 2}\n{"new": 1}\n', "needs a newer Sightline"),
        (b'{"format": "sightline-history", "version": 1, "server": {}}\n', "of another server"),
    ],
)
def test_a_file_of_another_kind_is_reported_and_left_unchanged(content: bytes, reason: str) -> None:
    file().append(call())
    file().path.write_bytes(content)
    for use in (file().read, lambda: file().append(call()), file().forget):
        with pytest.raises(UsageError, match=reason):
            use()
    assert file().path.read_bytes() == content


def test_broken_lines_are_counted_and_kept() -> None:
    file().append(call(1))
    with file().path.open("ab") as opened:
        opened.write(b'{"at": 5}\n\xff\xfe\n[]\n{"tool": "torn off')
    file().append(call(2))
    assert file().read() == Stored(calls=(call(1), call(2)), unreadable=4)
    assert b"torn off\n" in file().path.read_bytes()


def test_the_oldest_calls_are_removed_if_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_CALLS", 20)
    one = file()
    for number in range(21):
        one.append(call(number))
    assert [each.tool for each in one.read().calls] == [f"tool {number}" for number in range(3, 21)]
    monkeypatch.setattr(files, "MAX_CALLS", 10_000)
    monkeypatch.setattr(files, "MAX_BYTES", 4_000)
    for number in range(60):
        one.append(call(number))
    assert one.path.stat().st_size <= 4_000
    assert one.read().calls[-1] == call(59)


def test_a_history_that_others_can_access_is_refused() -> None:
    file().append(call())
    file().path.chmod(0o644)
    with pytest.raises(UsageError, match="chmod 600"):
        file().append(call())
    file().path.chmod(0o622)
    with pytest.raises(UsageError, match="can be written by others"):
        file().read()


def test_forgetting_the_history_removes_its_file() -> None:
    file().append(call())
    file().forget()
    assert not file().path.exists()
    file().forget()
    assert file().read() == Stored()
    file().append(call(2))
    assert file().read().calls == (call(2),)


def test_waiting_for_the_lock_of_another_process_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_PATIENCE_S", 0.1)
    file().append(call())
    descriptor = os.open(file().path, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match="in use by another process"):
            file().append(call(2))
    finally:
        os.close(descriptor)
    assert file().read().calls == (call(),)


ADDING = """
import sys
from inspector.history import files
from tests.history.test_history_files import call, file
files.MAX_CALLS = 40
one = file()
for number in range(60):
    one.append(call(int(sys.argv[1]) * 1000 + number))
"""


def test_several_processes_append_whole_lines_during_a_cleanup() -> None:
    root = Path(__file__).parents[2]
    adding = [subprocess.Popen([sys.executable, "-c", ADDING, str(number)], cwd=root) for number in (1, 2, 3)]
    assert [process.wait(60) for process in adding] == [0, 0, 0]
    stored = file().read()
    assert stored.unreadable == 0
    numbers = [int(each.tool.removeprefix("tool ")) for each in stored.calls]
    assert 36 <= len(numbers) <= 120
    assert len(numbers) == len(set(numbers))
    for process in (1, 2, 3):
        own = [number for number in numbers if number // 1000 == process]
        assert own == sorted(own)
    assert max(numbers) % 1000 == 59
