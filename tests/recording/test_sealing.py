import base64
import errno
import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.json.exact import Json, JsonObject, dump
from inspector.protocol.frames import Direction, Frame
from inspector.recording.checking import Mismatch, checked
from inspector.recording.files import GoodLines, Recorder, RecordingFile, sealing, writing
from inspector.recording.files.sealing import SealedFrames, sealed_path
from tests.cli.sightline import sightline
from tests.recording.sessions import HEADER, TOOL, Wire, conversation

IDENTITY = "AGE-SECRET-KEY-1"


def keys(tmp_path: Path, name: str = "key.txt") -> tuple[Path, str]:
    """An identity file, and its recipient."""
    made = import_module("pyrage").x25519.Identity.generate()
    path = tmp_path / name
    path.write_text(f"# made for a test\n{made}\n")
    path.chmod(0o600)
    return path, str(made.to_public())


def opened(path: Path, identity: Path, wire: Wire) -> list[Frame]:
    """The raw frames of a session, as far as they were stored."""
    frames = SealedFrames(path, identity)
    try:
        return [found for frame in wire.frames if (found := frames.frame(frame.number))]
    finally:
        frames.close()


def sealed(path: Path, recipient: str, wire: Wire) -> Path:
    recorder = Recorder(path, HEADER, seal_to=recipient)
    for frame in wire.matched:
        recorder.frame(frame)
    recorder.close()
    assert not recorder.failure
    return path


def test_sealed_frames_are_exact_and_readable_only_with_the_identity(tmp_path: Path) -> None:
    identity, recipient = keys(tmp_path)
    wire = conversation()
    wire.stderr("bye \u00e9")
    wire.note("ended", ends="7")
    wire.frame(Direction.RECEIVED, b"\xff no JSON")
    path = sealed(tmp_path / "a.jsonl", recipient, wire)
    raw = sealed_path(path).read_bytes()
    assert sealed_path(path).stat().st_mode & 0o777 == 0o600
    assert b"CANARY" not in raw
    assert opened(path, identity, wire) == wire.frames
    assert "CANARY" not in path.read_text()
    ran = sightline("replay", "--format", "json", "--identity", str(identity), str(path))
    assert ran.json["recordings"][0]["calls"][0]["result"]["structuredContent"]["key"] == "CANARY-4711-abcdef"
    with pytest.raises(UsageError, match="cannot be opened with this identity"):
        SealedFrames(path, keys(tmp_path, "other.txt")[0])


def test_with_the_identity_only_the_server_side_of_an_export_shows_secrets(tmp_path: Path) -> None:
    identity, recipient = keys(tmp_path)
    path = sealed(tmp_path / "a.jsonl", recipient, conversation())
    ran = sightline("replay", "--export", "markdown", "--identity", str(identity), str(path))
    raw, _, model = ran.out.partition("### What the model sees")
    assert (ran.code, "CANARY" in raw, "CANARY" in model) == (0, True, False)
    assert "CANARY" not in sightline("replay", "--export", "markdown", str(path)).out
    two = sightline("replay", "--check", "--identity", str(identity), str(path), str(path))
    assert (two.code, "--identity only works with one recording" in two.err) == (2, True)


def test_with_the_identity_values_that_are_no_longer_withheld_are_reported(tmp_path: Path) -> None:
    identity, recipient = keys(tmp_path)
    wire = conversation()
    wire.called("get_key", {"q": "y"}, 8)
    free = "words that nobody withholds"
    wire.answered({"content": [{"type": "text", "text": free}, {"type": "text", "text": f"said: {free}"}]}, 8)
    path = sealed(tmp_path / "a.jsonl", recipient, wire)
    frames = SealedFrames(path, identity)

    def mismatches() -> list[Mismatch]:
        file = RecordingFile(path)
        found = [one for call in checked(GoodLines(file), frames.frame) for one in call.mismatches]
        file.close()
        return found

    assert mismatches() == []
    stands = "[withheld x-sensitive 0123456789abcdef]"
    path.write_text(path.read_text().replace(f'"{free}"', f'"{stands}"', 1))
    assert mismatches() == [
        Mismatch(pointer="/content/0/text", what="is no longer withheld"),
        Mismatch(pointer="/content/1/text", what="gives the model a copy of a withheld value"),
        Mismatch(pointer="/content/0/text", what="gives the model a copy of a withheld value"),
    ]
    frames.close()


def test_a_large_frame_is_sealed_in_parts(tmp_path: Path) -> None:
    identity, recipient = keys(tmp_path)
    wire = Wire()
    message: JsonObject = {"jsonrpc": "2.0", "id": 1, "result": "x" * 3_000_000}
    wire.listed(TOOL)
    wire.frame(Direction.RECEIVED, dump(message))
    path = sealed(tmp_path / "a.jsonl", recipient, wire)
    assert len(sealed_path(path).read_bytes().splitlines()) == 1 + 2 + 3
    assert opened(path, identity, wire) == wire.frames


def test_a_sealed_file_cut_anywhere_keeps_its_whole_frames(tmp_path: Path) -> None:
    identity, recipient = keys(tmp_path)
    wire = conversation()
    path = sealed(tmp_path / "a.jsonl", recipient, wire)
    raw = sealed_path(path).read_bytes()
    ends = [place for place, code in enumerate(raw) if code == 0x0A]
    for size in sorted({*range(ends[0] + 1, len(raw), 97), *ends[1:]}):
        sealed_path(path).write_bytes(raw[:size])
        assert opened(path, identity, wire) == wire.frames[: raw[:size].count(b"\n") - 1]


@pytest.mark.parametrize("recipient", ["", "age1", "ssh-ed25519 AAAA", IDENTITY])
def test_an_invalid_recipient_creates_no_file(tmp_path: Path, recipient: str) -> None:
    with pytest.raises(UsageError, match="not an age recipient"):
        Recorder(tmp_path / "a.jsonl", HEADER, seal_to=recipient)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_sealed_if_the_recording_exists_already(tmp_path: Path) -> None:
    _, recipient = keys(tmp_path)
    (tmp_path / "a.jsonl").write_text("precious")
    with pytest.raises(UsageError, match="exists already"):
        Recorder(tmp_path / "a.jsonl", HEADER, seal_to=recipient)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "key.txt"]


def test_nothing_is_left_if_the_header_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Json) -> Iterator[bytes]:
        raise OSError(errno.ENOSPC, "No space left on device")

    _, recipient = keys(tmp_path)
    monkeypatch.setattr(writing, "pieces", full)
    with pytest.raises(UsageError, match="No space left"):
        Recorder(tmp_path / "a.jsonl", HEADER, seal_to=recipient)
    assert [path.name for path in tmp_path.iterdir()] == ["key.txt"]


@pytest.mark.parametrize(("text", "message"), [("", "holds no age identity"), ("x", "holds no age identity")])
def test_an_invalid_identity_is_a_usage_error(tmp_path: Path, text: str, message: str) -> None:
    identity, recipient = keys(tmp_path)
    path = sealed(tmp_path / "a.jsonl", recipient, conversation())
    identity.write_text(text)
    with pytest.raises(UsageError, match=message):
        SealedFrames(path, identity)
    with pytest.raises(UsageError, match="no such file"):
        SealedFrames(path, tmp_path / "none")


def test_foreign_lines_in_a_sealed_file_are_reported(tmp_path: Path) -> None:
    identity, recipient = keys(tmp_path)
    path = sealed(tmp_path / "a.jsonl", recipient, conversation())
    first = sealed_path(path).read_bytes().splitlines()[0]
    sealed_path(path).write_bytes(
        first
        + b"\n"
        + json.dumps({"frame": 1, "last": True, "age": base64.b64encode(b"x").decode()}).encode()
        + b"\n"
    )
    with pytest.raises(UsageError, match="cannot be opened"):
        SealedFrames(path, identity)
    sealed_path(path).write_bytes(b"{}\n")
    with pytest.raises(UsageError, match="holds no sealed frames"):
        SealedFrames(path, identity)
    sealed_path(path).unlink()
    with pytest.raises(UsageError, match="No such file"):
        SealedFrames(path, identity)


def test_a_missing_extra_is_named_in_the_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyrage", None)
    with pytest.raises(UsageError) as failure:
        sealing.Sealer(tmp_path / "a.jsonl", "age1x")
    assert failure.value.hint == "Install the extra: mcp-sightline[seal]."
