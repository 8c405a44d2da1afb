import json
from pathlib import Path

import pytest

from inspector.json.exact import JsonText
from inspector.protocol.frames import Direction, Frame
from inspector.recording.files.importing import UnreadableLine, imported, is_foreign
from tests.cli.sightline import sightline
from tests.recording.sessions import bodies, conversation, scribed, text_of


def stamped(*, dirs: tuple[str, str] = ("c2s", "s2c"), server: str = "one") -> list[bytes]:
    """A log of `{"jsonrpc", "_meta"}`."""
    return [
        json.dumps(
            {
                **json.loads(frame.raw),
                "_meta": {
                    "dir": dirs[frame.direction is Direction.RECEIVED],
                    "server": server,
                    "ts": f"2026-11-21T00:00:0{frame.number}Z",
                },
            }
        ).encode()
        for frame in conversation().frames
    ]


def wrapped(*, as_text: bool = False) -> list[bytes]:
    """A log of `{"ts", "dir", "msg"}`, in milliseconds."""
    return [
        json.dumps(
            {
                "ts": 1_700_000_000_000 + frame.number * 1000,
                "dir": "->" if frame.direction is Direction.SENT else "<-",
                "msg": frame.raw.decode() if as_text else json.loads(frame.raw),
            }
        ).encode()
        for frame in conversation().frames
    ]


@pytest.mark.parametrize("lines", [stamped(), stamped(dirs=("OUT", "in")), wrapped(), wrapped(as_text=True)])
def test_both_shapes_of_logs_are_read_as_frames(lines: list[bytes]) -> None:
    found = [frame for frame in imported(lines) if isinstance(frame, Frame)]
    wanted = conversation().frames
    assert [frame.at_s for frame in found] == [0, 1, 2, 3]
    assert [frame.direction for frame in found] == [frame.direction for frame in wanted]
    assert [frame.body for frame in found] == [frame.body for frame in wanted]
    assert isinstance(found[0].body, JsonText)
    assert all(map(is_foreign, lines))


def test_imported_results_are_bounded_on_import() -> None:
    frames = [frame for frame in imported(wrapped()) if isinstance(frame, Frame)]
    text = text_of(scribed(frames))
    assert "CANARY" not in text
    assert bodies(scribed(frames)) == bodies(scribed(conversation().frames))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"garbage", "it is not a JSON object"),
        (b'{"a":1}', "its format is unknown"),
        (b'{"msg":{},"dir":"up","ts":1}', "`dir` is not a direction"),
        (b'{"msg":{},"dir":"in","ts":true}', "`ts` is not a time"),
        (b'{"msg":{},"dir":"in","ts":"yesterday"}', "`ts` is not a time"),
        (b'{"msg":{},"dir":"in","ts":NaN}', "`ts` is not a time"),
        (b'{"msg":{},"dir":"in","ts":1' + b"0" * 400 + b"}", "`ts` is not a time"),
        (b'{"jsonrpc":"2.0"}', "`dir` is not a direction"),
    ],
)
def test_a_line_of_an_unknown_shape_ends_the_import_with_a_reason(line: bytes, reason: str) -> None:
    found = list(imported([*wrapped()[:2], b"", line, *wrapped()[2:]]))
    assert found[2:] == [UnreadableLine(line=4, reason=reason)]
    assert not is_foreign(line)


def test_a_log_of_several_servers_is_refused() -> None:
    lines = [*stamped(), *stamped(server="two")]
    found = list(imported(lines))
    assert isinstance(found[4], UnreadableLine)
    assert len(found) == 5
    assert len(list(imported(lines, "two"))) == 4


def test_an_imported_log_becomes_a_recording_that_passes_the_check(tmp_path: Path) -> None:
    log, made = tmp_path / "log.jsonl", tmp_path / "made.jsonl"
    log.write_bytes(b"\n".join(stamped()) + b"\n")
    ran = sightline("replay", "--save", str(made), str(log))
    assert ran.code == 0, ran.err
    assert made.stat().st_mode & 0o777 == 0o600
    assert "CANARY" not in made.read_text()
    assert sightline("replay", "--check", str(made)).out == f"{made}: 1 result checked, 0 differ\n"
    again = sightline("replay", "--save", str(made), str(log))
    assert again.code == 2
    assert "exists already" in again.err


def test_a_truncated_log_is_imported_up_to_its_end(tmp_path: Path) -> None:
    log, made = tmp_path / "log.jsonl", tmp_path / "made.jsonl"
    log.write_bytes(b"\n".join(wrapped()) + b'\n{"ts":1')
    ran = sightline("replay", "--save", str(made), str(log))
    assert ran.code == 0
    assert "line 5: it is not a JSON object; the lines before it are imported" in ran.err
    assert sightline("replay", "--check", str(made)).code == 0


def test_only_a_single_log_can_be_imported(tmp_path: Path) -> None:
    assert sightline("replay", "--save", str(tmp_path / "x"), "a", "b").code == 2
    assert (
        "is not a log that Sightline can import"
        in sightline("replay", "--save", str(tmp_path / "x"), "README.md").err
    )
