import asyncio
import gc
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.json.exact import JsonObject, JsonText, dump, parse
from inspector.protocol.exchanges import Matched
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.recording import codec
from inspector.recording.codec import Broken, decoded, written
from inspector.recording.files import Break, Recorder, RecordingFile, reading
from inspector.recording.files.reading import begins_as_recording
from inspector.recording.format import VERSION, End, RecordedFrame
from tests.recording.sessions import HEADER, TOOL, Wire, conversation, recorded_to

ROOT = Path(__file__).parents[2]


def lines_of(path: Path) -> list[object]:
    file = RecordingFile(path)
    try:
        return list(file.lines())
    finally:
        file.close()


def test_a_recording_is_private_and_can_be_read_back(tmp_path: Path) -> None:
    path = recorded_to(tmp_path / "a.jsonl", conversation().frames)
    assert path.stat().st_mode & 0o777 == 0o600
    found = lines_of(path)
    assert [type(line).__name__ for line in found] == [*["RecordedFrame"] * 4, "Projected", "End"]
    raw = path.read_bytes().splitlines()
    assert [dump(written(decoded(line))) for line in raw] == raw  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_a_recording_never_replaces_an_existing_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("precious")
    with pytest.raises(UsageError, match="exists already"):
        Recorder(path, HEADER)
    assert path.read_text() == "precious"


def test_every_line_is_written_before_the_next_frame(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.jsonl", HEADER)
    wire = conversation()
    for number, frame in enumerate(wire.matched[:2], 1):
        recorder.frame(frame)
        recorder.settle()
        assert len((tmp_path / "a.jsonl").read_bytes().splitlines()) == number + 1
    recorder.close()


def test_a_full_disk_leaves_whole_lines_and_is_reported(tmp_path: Path) -> None:
    script = (
        "import resource, sys\n"
        # Python would write compiled modules that are cut off at the limit, and every later test would fail to read them.
        "sys.dont_write_bytecode = True\n"
        "from pathlib import Path\n"
        "from tests.recording.sessions import HEADER, conversation\n"
        "from inspector.recording.files import Recorder\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))\n"
        "recorder = Recorder(Path(sys.argv[1]), HEADER, on_failure=lambda told: print('told', told))\n"
        "for _ in range(50):\n"
        "    for frame in conversation().matched: recorder.frame(frame)\n"
        "recorder.close()\n"
    )
    path = tmp_path / "a.jsonl"
    ran = subprocess.run(
        [sys.executable, "-c", script, path], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith(f"told recording to {path} stopped: File too large")
    assert len(ran.stdout.splitlines()) == 1
    *good, last = lines_of(path)
    assert path.read_bytes().endswith(b"\n")
    assert len(good) > 3
    assert isinstance(last, Break)
    assert last.reason == "its last line is missing: the session was cut off"


def test_a_frame_that_cannot_be_judged_stops_the_recording(tmp_path: Path) -> None:
    told: list[str] = []
    recorder = Recorder(tmp_path / "a.jsonl", HEADER, on_failure=told.append)
    broken = Frame(number=1, at_s=0, direction=Direction.SENT, channel=Channel.STDIO, raw=None)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    recorder.frame(Matched(frame=broken, events=()))
    recorder.frame(conversation().matched[0])
    recorder.close()
    assert told == [recorder.failure]
    assert "could not be checked for values to withhold (AttributeError)" in recorder.failure
    assert len(lines_of(tmp_path / "a.jsonl")) == 1


def test_a_recording_killed_at_any_moment_lacks_at_most_its_last_line(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "tests.recording.endless", tmp_path, "200"], cwd=ROOT, check=True)
    files = list(tmp_path.iterdir())
    assert len(files) == 200
    for path in files:
        assert_lacks_at_most_its_last_line(path)


def test_a_file_cut_at_any_byte_opens_with_all_whole_lines(tmp_path: Path) -> None:
    raw = recorded_to(tmp_path / "a.jsonl", conversation().frames).read_bytes()
    chance = random.Random(5)  # noqa: S311 - as above
    for _ in range(200):
        path = tmp_path / "cut.jsonl"
        path.write_bytes(raw[: chance.randrange(raw.index(b"\n") + 1, len(raw))])
        assert_lacks_at_most_its_last_line(path)


def assert_lacks_at_most_its_last_line(path: Path) -> None:
    whole = path.read_bytes().count(b"\n")
    *good, last = lines_of(path)
    assert len(good) == whole - 1
    assert isinstance(last, Break)
    assert last.line == whole + 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"garbage", "it is not JSON"),
        (b"[1]", "it is not an object, or has a duplicate key"),
        (b'{"end":{"frames":1},"end":{"frames":1}}', "it is not an object, or has a duplicate key"),
        (b'{"some":1}', "the kind of the line is unknown"),
        (
            b'{"frame":1,"at":0,"direction":"up","channel":"stdio","size":1,"body":1}',
            "invalid enum value - at `$.direction`",
        ),
        (
            b'{"frame":-1,"at":0,"direction":"sent","channel":"stdio","size":1,"body":1}',
            "expected `int` >= 0 - at `$.frame`",
        ),
        (
            b'{"frame":true,"at":0,"direction":"sent","channel":"stdio","size":1,"body":1}',
            "expected `int`, got `bool` - at `$.frame`",
        ),
        (
            b'{"frame":1,"at":1e999,"direction":"sent","channel":"stdio","size":1,"body":1}',
            "expected `float`",
        ),
        (b'{"frame":1,"at":0,"direction":"sent","channel":"stdio","size":1}', "`text` is not text"),
        (b'{"frame":1,"at":0,"direction":"sent","channel":"stdio","size":1,"text":[]}', "`text` is not text"),
        (b'{"note":"policy","at":0,"text":{"$withheld":1,"id":"x"}}', "`text` is not text"),
        (b'{"sightline":"recording"}', "object missing required field `created`"),
        (b"[" * 20_000 + b"]" * 20_000, "it nests deeper than 10,000 levels"),
    ],
)
def test_a_broken_line_is_reported_with_its_reason(tmp_path: Path, line: bytes, reason: str) -> None:
    found = decoded(line)
    assert isinstance(found, Broken)
    assert found.reason.startswith(reason)
    path = recorded_to(tmp_path / "a.jsonl", conversation().frames)
    raw = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*raw[:3], line + b"\n", *raw[3:]]))
    *good, last = lines_of(path)
    assert len(good) == 2
    assert last == Break(line=4, reason=found.reason)


def test_brackets_in_texts_do_not_count_as_nesting() -> None:
    text = '[\\"{' * 12_000
    line = f'{{"note":"policy","at":0,"text":"{text}"}}'.encode()
    assert not isinstance(decoded(line), Broken)


def test_a_second_recording_in_one_file_is_reported(tmp_path: Path) -> None:
    raw = recorded_to(tmp_path / "a.jsonl", conversation().frames).read_bytes()
    (tmp_path / "b.jsonl").write_bytes(raw + raw)
    assert lines_of(tmp_path / "b.jsonl")[-1] == Break(line=8, reason="another recording begins here")
    lines = raw.splitlines(keepends=True)
    (tmp_path / "c.jsonl").write_bytes(raw + lines[1])
    assert lines_of(tmp_path / "c.jsonl")[-1] == Break(
        line=8, reason="there are lines after the end of the recording"
    )


def test_a_too_long_line_or_file_is_read_up_to_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = recorded_to(tmp_path / "a.jsonl", conversation().frames)
    with monkeypatch.context() as patched:
        patched.setattr(reading, "MAX_LINES", 3)
        *good, last = lines_of(path)
        assert len(good) == 2
        assert last == Break(line=8, reason="there are more than 3 lines")
    path.write_bytes(path.read_bytes() + b"x" * 3_000_000)
    monkeypatch.setattr(reading, "MAX_LINE_BYTES", 1_000_000)
    monkeypatch.setattr(codec, "MAX_LINE_BYTES", 1_000_000)
    assert decoded(b'"' + b"x" * 1_000_000 + b'"') == Broken(reason="it is longer than 1,000,000 bytes")
    *good, last = lines_of(path)
    assert isinstance(good[-1], End)
    assert last == Break(line=8, reason="it is longer than 1,000,000 bytes")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "is not a recording"),
        (b"\x00" * 100, "is not a recording"),
        (b'{"jsonrpc":"2.0"}\n', "is not a recording"),
        (b'{"sightline":"recording","version":99}\n', "is a recording of version 99"),
        (b'{"sightline":"recording","version":1}\n', "line 1: object missing required field"),
    ],
)
def test_a_file_that_is_not_a_recording_is_refused(tmp_path: Path, raw: bytes, message: str) -> None:
    (tmp_path / "a.jsonl").write_bytes(raw)
    with pytest.raises(UsageError, match=message):
        RecordingFile(tmp_path / "a.jsonl")


def test_a_folder_is_not_a_recording(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a file"):
        RecordingFile(tmp_path)
    assert not begins_as_recording(tmp_path)


def test_a_pipe_is_not_a_recording(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is not a file"):
        RecordingFile(tmp_path / "pipe")


def test_an_older_version_is_migrated() -> None:
    line = b'{"remark":"policy","at":0,"text":"x"}'
    older: dict[int, codec.Migration] = {
        0: lambda old: {"note": old["remark"], "at": old["at"], "text": old["text"]}
    }
    assert decoded(line, 0, {**older, **codec.MIGRATIONS}) == decoded(b'{"note":"policy","at":0,"text":"x"}')


def test_a_recording_of_the_first_version_opens(tmp_path: Path) -> None:
    path = recorded_to(tmp_path / "a.jsonl", conversation().frames)
    now = lines_of(path)
    path.write_bytes(path.read_bytes().replace(b'"version":2', b'"version":1', 1))
    file = RecordingFile(path)
    file.close()
    assert file.header.version == VERSION
    assert lines_of(path) == now


def test_lines_are_found_by_their_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = RecordingFile(recorded_to(tmp_path / "a.jsonl", conversation().frames))
    for chunk in (1 << 20, 7):
        monkeypatch.setattr(reading, "_CHUNK_BYTES", chunk)
        found = [file.search("structuredContent", start) for start in range(7)]
        assert found == [4, 4, 4, 4, 5, None, None]
        found = [file.search("structuredContent", start, backwards=True) for start in range(7)]
        assert found == [None, None, None, None, None, 4, 5]
        assert file.search("STRUCTUREDcontent", 0) is None
        assert file.search("structuredcontent", 0) == 4
        assert file.search("nowhere", 0) is None
        assert file.search('"pin"', 0) == 2
    line = file.line(2)
    assert isinstance(line, RecordedFrame)
    assert line.number == 2
    with pytest.raises(IndexError):
        file.line(len(file))
    file.close()


def test_a_search_reports_progress_and_can_be_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = RecordingFile(recorded_to(tmp_path / "a.jsonl", conversation().frames))
    monkeypatch.setattr(reading, "_CHUNK_BYTES", 100)
    told: list[tuple[int, int]] = []
    assert file.search("nowhere", 0, on_progress=lambda done, of: told.append((done, of))) is None
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]
    told.clear()
    assert (
        file.search(
            "end",
            0,
            is_cancelled=lambda: len(told) == 2,
            on_progress=lambda done, of: told.append((done, of)),
        )
        is None
    )
    assert len(told) == 2
    file.close()


async def test_recording_a_large_result_leaves_the_event_loop_free(tmp_path: Path) -> None:
    row: JsonObject = {"id": "x" * 40, "key": "secret-" + "y" * 30, "more": [*range(10)]}
    wire = Wire()
    wire.listed(TOOL)
    wire.called("get_key", {})
    raw = dump(
        {
            "jsonrpc": "2.0",
            "id": 7,
            "result": {"content": [], "structuredContent": {"rows": [row for _ in range(20_000)]}},
        }
    )
    body = parse(raw)
    assert isinstance(body, JsonText)
    wire.frame(Direction.RECEIVED, raw)
    recorder = Recorder(tmp_path / "a.jsonl", HEADER)
    gc.collect()
    for frame in wire.matched:
        recorder.frame(frame)
    closing = asyncio.create_task(asyncio.to_thread(recorder.close))
    turns = 0
    while not closing.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 20
    assert not recorder.failure
