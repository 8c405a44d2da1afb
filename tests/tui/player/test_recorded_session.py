"""A recording in place of a session, without a screen."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from inspector.errors import UnreachableError, UsageError
from inspector.protocol.outcome import Failure, FailureKind
from inspector.session.call_record import CallRecord
from inspector.session.events import Event, SessionState, StateChanged
from inspector.session.recorded import RecordedSession
from tests.cli.sightline import raw_server, sightline
from tests.recording.sessions import Wire, recorded_to
from tests.tui.recorded import OTHER_TOOL, opened, recording


async def test_the_file_stays_open_until_its_last_reader_is_done(tmp_path: Path) -> None:
    session = RecordedSession(opened(recording(tmp_path)), lambda _: None)
    await session.connect()
    with session.reading() as played:
        played.index()
        await session.close()
        assert played.search("very last words", 0) == played.line_of(12)
        with pytest.raises(LookupError), session.reading():
            pass
    with pytest.raises(OSError, match="Bad file descriptor"):
        played.search("very last words", 0)


async def test_a_recorded_session_refuses_calls_and_reports_a_missing_file(tmp_path: Path) -> None:
    heard: list[Event] = []
    path = recording(tmp_path)
    session = RecordedSession(opened(path), heard.append)
    await session.connect()
    with pytest.raises(UnreachableError):
        await session.call("get_key", {})
    await session.close()
    again = RecordedSession(opened(path), heard.append)
    path.unlink()
    with pytest.raises(UsageError, match="cannot read"):
        await again.connect()
    assert isinstance(heard[-1], StateChanged)
    assert heard[-1].state is SessionState.FAILED
    await again.close()


async def test_a_moment_has_the_catalogue_and_the_calls_since_another_place(tmp_path: Path) -> None:
    session = RecordedSession(opened(recording(tmp_path)), lambda _: None)
    await session.connect()
    with session.reading() as played:
        played.index()
        last, first = played.last, played.line_of(5) or 0
    there = session.scene(last, "clock", 0)
    assert [tool.name for tool in there.catalogue.tools] == ["get_key", "clock"]
    assert (there.record and there.record.number, there.landed and there.landed.number) == (2, 4)
    assert session.scene(first, "clock", first).record is None
    assert session.scene(first, "clock", first).landed is None
    landed = session.scene(first, None, first - 1).landed
    assert landed is not None
    assert (landed.name, landed.number, landed.has_ids) == ("get_key", 1, True)
    assert [rule for pointer, rule in landed.left_out if pointer == "/structuredContent/key"] == [
        "x-sensitive"
    ]
    assert len(there.recent) == there.entries
    await session.close()


async def test_messages_are_read_up_to_a_position_and_no_further_than_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = RecordedSession(opened(recording(tmp_path)), lambda _: None)
    await session.connect()
    with session.reading() as played:
        played.index()
        places = [played.line_of(number) or 0 for number in (5, 13)]
    for place, count in ((places[0], 5), (places[1], 13), (places[0], 5)):
        found = session.answered(place)
        assert found.is_whole
        assert len(found.timeline.frames) == count
    monkeypatch.setattr("inspector.session.recorded._MOST_HEARD", 7)
    found = session.answered(places[1])
    assert (found.is_whole, len(found.timeline.frames)) == (False, 7)
    await session.close()


@pytest.mark.parametrize(
    ("behaviour", "failure"),
    [
        (
            "dies in a call",
            Failure(kind=FailureKind.CONNECTION_LOST, detail="the server exited with code 3"),
        ),
        ("silent", Failure(kind=FailureKind.TIMEOUT, detail="no answer to tools/call within 0.5 s")),
    ],
)
def test_a_call_without_an_answer_is_recorded_with_the_reason(
    tmp_path: Path, behaviour: str, failure: Failure
) -> None:
    path = tmp_path / "a.jsonl"
    sightline("call", "t", "--timeout", "0.5", "--record", str(path), *raw_server(behaviour))
    record = asyncio.run(_only_call(path))
    assert isinstance(record.outcome, Failure)
    # The rest of the detail is about the command and its stderr.
    assert replace(record.outcome, detail=record.outcome.detail.partition("\n")[0]) == failure
    assert (record.name, record.number, record.size_bytes, record.left_out) == ("t", 1, 0, ())


async def _only_call(path: Path) -> CallRecord:
    session = RecordedSession(opened(path), lambda _: None)
    await session.connect()
    with session.reading() as played:
        played.index()
        (place,) = played.calls
        assert played.next_call(0) == place
    scene = session.scene(place, None, place - 1)
    await session.close()
    assert scene.landed is not None
    return scene.landed


async def test_a_recorded_result_that_deviates_from_its_tool_has_the_remark_of_a_live_one(
    tmp_path: Path,
) -> None:
    wire = Wire()
    wire.listed({**OTHER_TOOL, "annotations": {"maliciousActivityHint": False}})
    wire.called("clock", {}, 1)
    wire.answered({"content": [], "_meta": {"annotations": {"maliciousActivityHint": True}}}, 1)
    session = RecordedSession(opened(recorded_to(tmp_path / "session.jsonl", wire.frames)), lambda _: None)
    await session.connect()
    with session.reading() as played:
        played.index()
    landed = session.scene(played.last, None, 0).landed
    assert landed is not None
    assert landed.remarks == ("The result is declared malicious, but its tool declares that it never is.",)
    await session.close()
