"""A call that a server answers with an error without an id: every part of Sightline treats it as the same call."""

from pathlib import Path

from inspector.json.exact import JsonObject
from inspector.protocol.outcome import RpcError
from inspector.protocol.timeline import EntryState
from inspector.recording.files import Break, RecordingFile
from inspector.recording.files.playing import Played
from inspector.review.recorded import recorded
from tests.cli.sightline import raw_server, sightline, words

ERROR: JsonObject = {"code": -32700, "message": "cannot read"}


def test_an_error_without_id_answers_the_same_call_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    live = sightline(
        "call", "t", "--record", str(path), "--format", "json", "--yes", *raw_server("error without id")
    )
    assert live.code == 5, live.err
    assert live.json["raw"] == {"error": ERROR}

    replayed = sightline("replay", "--format", "json", str(path)).json["recordings"][0]
    assert [(call["tool"], call["result"]) for call in replayed["calls"]] == [("t", {"error": ERROR})]

    checked = sightline("replay", "--check", "--format", "json", str(path))
    assert (checked.code, checked.json["recordings"][0]["checked"]) == (0, 1)

    served = sightline("call", "t", "--format", "json", "--yes", "--", *words("serve", str(path)))
    assert (served.code, served.json["raw"], served.json["model"]) == (
        5,
        live.json["raw"],
        live.json["model"],
    )

    file = RecordingFile(path)
    lines = [line for line in file.lines() if not isinstance(line, Break)]
    file.close()
    (call,) = recorded(file.header, lines).reviewed.calls
    assert call.outcome == RpcError(value=ERROR)

    played = Played(path)
    played.index()
    (place,) = played.calls
    assert [call.outcome for call in played.call(place)] == [RpcError(value=ERROR)]
    entries = [played.entry(number, played.last) for number in range(1, played.entry_count(played.last) + 1)]
    assert [entry.state for entry in entries if entry.title == "tools/call t"] == [EntryState.FAILED]
    played.close()

    exported = sightline("replay", "--export", "markdown", str(path))
    assert "cannot read" in exported.out
