"""Stepping through a recording shows at each frame what a session would have shown there."""

import random
from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec import structs
from msgspec.structs import replace

from inspector.boundary.options import Level
from inspector.json.exact import Json, JsonObject, dump
from inspector.protocol.catalogue import Kind, Tool
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.outcome import Failure, FailureKind, Result, RpcError
from inspector.protocol.timeline import Entry, EntryKind, EntryState, Timeline
from inspector.recording.codec import MAX_DEPTH, Broken, decoded, written
from inspector.recording.files import Break, Recorder, RecordingFile
from inspector.recording.files.index import Index
from inspector.recording.files.playing import Played
from inspector.recording.format import (
    Connected,
    End,
    Lenses,
    Line,
    PageCall,
    Projected,
    RecordedFrame,
    RecordedTarget,
)
from inspector.recording.replaying import Replay, ReplayedCall
from tests.recording.sessions import HEADER, TOOL, Wire, as_two_clients, conversation, recorded_to

CUT_OFF = Failure(kind=FailureKind.NOT_RECORDED, detail="the recording ends before an answer")
FREE: JsonObject = {"content": [{"type": "text", "text": "free"}]}


def played(path: Path) -> Played:
    found = Played(path)
    found.index()
    return found


def file_of(path: Path, lines: Iterable[bytes]) -> Path:
    path.write_bytes(b"".join(line + b"\n" for line in (dump(written(HEADER)), *lines)))
    return path


def anything(chance: random.Random, length: int) -> Wire:
    """Requests, answers, notifications, garbage and notes, in any order, with few different ids."""
    wire = Wire()
    for _ in range(length):
        sent, key = chance.choice([True, False]), chance.choice([1, 2, "2", 3])
        direction = Direction.SENT if sent else Direction.RECEIVED
        messages = [_message(chance, key) for _ in range(chance.choice([1, 1, 1, 3]))]
        match chance.randrange(12):
            case 0:
                wire.stderr("words")
            case 1:
                wire.note("no answer", ends=chance.choice([None, "1", "2"]))
            case 2:
                wire.frame(direction, dump([*messages]))
            case 3:
                wire.frame(direction, b"no event", Channel.SSE)
            case _:
                wire.frame(direction, dump(messages[0]))
    return wire


ROUND: JsonObject = {"arguments": {}, "inputResponses": {"a": {}}, "requestState": "s"}


def _message(chance: random.Random, key: Json) -> Json:
    request: JsonObject = {"jsonrpc": "2.0", "id": key, "method": "tools/call"}
    answer: JsonObject = {
        "jsonrpc": "2.0",
        "id": key,
        "result": {**FREE, "isError": chance.choice([True, False])},
    }
    state: JsonObject = {"taskId": "t", "status": chance.choice(["working", "completed", "cancelled"])}
    about: JsonObject = {
        "method": chance.choice(["tasks/get", "tasks/result", "tasks/cancel"]),
        "params": {"taskId": "t"},
    }
    messages: list[Json] = [
        {**request, **about},
        {**answer, "result": chance.choice([{"task": state}, {"resultType": "task", **state}, state])},
        {**answer, "result": {**state, "result": FREE}},
        {**request, "params": {"name": chance.choice(["one", "two"]), "arguments": {}}},
        {**request, "params": {"name": chance.choice(["one", "two"]), **ROUND}},
        {**answer, "result": {"resultType": "input_required", "inputRequests": {}}},
        {
            **answer,
            "result": {
                "inputRequests": {"a": {}},
                "requestState": "s",
                "isError": chance.choice([True, False]),
            },
        },
        {**request, "params": [], "method": chance.choice(["ping", "tools/list"])},
        {**request, "params": {"task": {}}, "method": "elicitation/create"},
        {**answer, "result": {"action": chance.choice(["accept", "decline"])}},
        answer,
        answer,
        {"jsonrpc": "2.0", "id": chance.choice([key, None]), "error": {"code": 1, "message": "no"}},
        {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}},
        {"what": "is this"},
        5,
    ]
    return chance.choice(messages)


def merged(entries: Iterable[Entry]) -> list[Entry]:
    """The entries, with one in place of consecutive lines of stderr, without its words."""
    rows: list[Entry] = []
    for entry in entries:
        row = entry
        if entry.kind is EntryKind.STDERR:
            is_more = bool(rows) and rows[-1].kind is EntryKind.STDERR
            first = rows.pop() if is_more else entry
            frames = (*first.frames, *entry.frames) if is_more else entry.frames
            row = replace(first, frames=frames, size_bytes=0, detail="")
        rows.append(replace(row, number=len(rows) + 1))
    return rows


def ended(calls: Iterable[ReplayedCall]) -> list[tuple[object, ...]]:
    found = ((call.asked, call.request, call.frame, call.name, str(call.outcome)) for call in calls)
    return sorted(found, key=str)


def folded(lines: Iterable[Line]) -> Timeline:
    timeline, replay = Timeline(), Replay()
    for line in lines:
        if isinstance(line, RecordedFrame):
            timeline.add(replay.matched(line))
    return timeline


@pytest.mark.parametrize("part", range(4))
def test_at_every_line_the_timeline_contains_the_frames_up_to_it(tmp_path: Path, part: int) -> None:
    chance = random.Random(part)  # noqa: S311 - the same sessions in every run
    for number in range(12):
        path = recorded_to(tmp_path / f"{number}.jsonl", anything(chance, 25).frames)
        found = played(path)
        file = RecordingFile(path)
        lines = [line for line in file.lines() if not isinstance(line, Break)]
        file.close()
        replay, calls = Replay(), list[int]()
        last = max(at for at, line in enumerate(lines, 1) if isinstance(line, RecordedFrame))
        for position, line in enumerate(lines, 1):
            wanted = merged(folded(lines[:position]).entries)
            assert found.entry_count(position) == len(wanted)
            here = [found.entry(count, position) for count in range(1, len(wanted) + 1)]
            assert [
                replace(entry, detail="") if entry.kind is EntryKind.STDERR else entry for entry in here
            ] == wanted
            waiting = dict(replay.unanswered)
            made = list(replay.calls(line))
            unanswered = replay.unanswered.items()
            made += [call for key, call in unanswered if waiting.get(key, call) != call]
            if position == last:
                made += [call for _, call in unanswered if call.outcome == CUT_OFF]
            calls += [position] * len(made)
            assert ended(found.call(position)) == ended(made)
        assert list(found.calls) == calls
        assert found.broken is None
        found.close()


def session(path: Path) -> Path:
    """Two connections, changes of boundary and host, notes, calls, and a listing of two pages."""
    recorder = Recorder(path, HEADER)
    recorder.connect()
    wire = conversation()
    more: JsonObject = {**TOOL, "name": "second"}
    wire.sent("initialize", {}, "i")
    wire.received({"id": "i", "result": {"serverInfo": {"name": "one", "version": "1"}}})
    wire.sent("tools/list", {}, "a")
    wire.received({"id": "a", "result": {"tools": [TOOL], "nextCursor": "more"}})
    wire.sent("tools/list", {"cursor": "more"}, "b")
    wire.received({"id": "b", "result": {"tools": [more, {"name": "broken"}]}})
    for frame in wire.matched:
        recorder.frame(frame)
    recorder.look(2, Lenses(level=Level.CLOSED, host="codex"))
    recorder.note(2.5, "policy", "get_key: allowed")
    recorder.connect()
    again = Wire()
    again.listed(more)
    again.called("second", {}, 1)
    again.answered(FREE, 1)
    for frame in again.matched:
        recorder.frame(frame)
    recorder.close()
    return path


def test_at_a_line_the_catalogue_and_calls_are_those_known_then(tmp_path: Path) -> None:
    found = played(session(tmp_path / "a.jsonl"))
    lines = {position: found.line(position) for position in range(1, len(found))}
    places = {type(line).__name__: position for position, line in lines.items()}
    assert [tool.name for tool in found.moment(0).catalogue.tools] == []
    assert found.moment(0).lenses == Lenses()
    assert [tool.name for tool in found.moment(5).catalogue.tools] == ["get_key"]
    assert found.moment(5).calls["get_key"].position == 4
    assert found.moment(7).server == {"serverInfo": {"name": "one", "version": "1"}}
    before = found.moment(places["Connected"] - 1)
    assert [tool.name for tool in before.catalogue.tools] == ["get_key", "second"]
    assert [item.name for item in before.catalogue.malformed] == ["broken"]
    assert before.lenses == Lenses(level=Level.CLOSED, host="codex")
    assert [note.text for note in before.notes] == ["get_key: allowed"]
    assert (before.connection, found.moment(places["Connected"]).connection) == (1, 2)
    assert found.moment(places["Connected"]).catalogue.entries == {}
    last = found.moment(found.last)
    assert [tool.name for tool in last.catalogue.tools] == ["second"]
    assert {name: call.number for name, call in last.calls.items()} == {"get_key": 1, "second": 2}
    assert len(last.calls) == 2
    (call,) = found.call(last.calls["second"].position)
    assert (call.name, call.tool and call.tool.name, call.outcome) == ("second", "second", Result(value=FREE))
    kinds = [found.entry(count, found.last).title for count in range(1, found.entry_count(found.last) + 1)]
    assert kinds[-5:] == ["lenses", "policy", "connection", "tools/list", "tools/call second"]


def test_the_client_profile_is_that_of_the_connection_and_older_recordings_have_none(tmp_path: Path) -> None:
    path = as_two_clients(tmp_path / "a.jsonl")
    assert path.read_text().count('"client":') == 2
    found = played(path)
    begun = [place for place in range(1, len(found)) if isinstance(found.line(place), Connected)]
    assert [found.moment(place).client for place in (1, *begun, found.last)] == [
        "full",
        "full",
        "none",
        "none",
        "none",
    ]
    recorder = Recorder(tmp_path / "b.jsonl", HEADER)
    recorder.connect(client="full")
    recorder.connect(client="none")
    recorder.close()
    assert '"client"' not in (tmp_path / "b.jsonl").read_text()
    older = played(tmp_path / "b.jsonl")
    assert older.moment(older.last).client == ""


def test_consecutive_lines_of_stderr_are_one_entry_with_their_number(tmp_path: Path) -> None:
    wire = Wire()
    wire.stderr("starting")
    wire.listed(TOOL)
    for number in range(1_200):
        wire.stderr(f"line {number}")
    wire.stderr("ValueError: no key")
    wire.called("get_key", {}, 1)
    wire.stderr("what nothing could judge")
    wire.stderr("and more of it")
    wire.note("gone", "1", "connection_lost")
    wire.called("get_key", {}, 2)
    wire.answered(FREE, 2)
    wire.stderr("only one")
    found = played(recorded_to(tmp_path / "a.jsonl", wire.frames))
    rows = [found.entry(count, found.last) for count in range(1, found.entry_count(found.last) + 1)]
    said = [(row.detail, len(row.frames)) for row in rows if row.kind is EntryKind.STDERR]
    withheld = "2 lines, not recorded: without an answer, it is not known which values are secret"
    assert said == [
        ("starting", 1),
        ("1,000 lines: line 999", 400),
        ("201 lines: ValueError: no key", 201),
        (withheld, 2),
        ("only one", 1),
    ]
    place = found.line_of(rows[3].frames[1]) or 0
    assert found.entry(4, place).detail == "2 lines: line 1001"


def test_a_new_connection_answers_no_earlier_request(tmp_path: Path) -> None:
    wire = Wire()
    wire.called("get_key", {}, 5)
    wire.answered(FREE, 5)
    asked, answered = (
        b'{"frame":%d,"at":1,"direction":"%s","channel":"stdio","size":1,"body":%s}'
        % (frame.number, frame.direction.value.encode(), frame.raw)
        for frame in wire.frames
    )
    found = played(file_of(tmp_path / "a.jsonl", [asked, b'{"connection":2,"at":1}', answered]))
    entries = [found.entry(count, found.last) for count in range(1, found.entry_count(found.last) + 1)]
    assert [(entry.kind, entry.state) for entry in entries] == [
        (EntryKind.EXCHANGE, EntryState.PENDING),
        (EntryKind.DECISION, EntryState.DONE),
        (EntryKind.FAULT, EntryState.DONE),
    ]
    (call,) = found.call(2)
    assert (call.name, call.outcome) == (
        "get_key",
        Failure(kind=FailureKind.CONNECTION_LOST, detail="the connection ended before an answer"),
    )
    assert list(found.calls) == [2]


def test_consecutive_lines_of_stderr_are_one_step(tmp_path: Path) -> None:
    wire = Wire()
    wire.called("mint", {}, 1)
    for _ in range(3):
        wire.stderr("words")
    # An answer begins no entry of the timeline, so the lines after it belong to the same one.
    wire.answered(FREE, 1)
    wire.stderr("more words")
    wire.stderr("the last words")
    found = played(recorded_to(tmp_path / "a.jsonl", wire.frames))
    steps = [0]
    while (there := found.step(steps[-1])) is not None:
        steps.append(there)
    frames = [line.number for place in steps[1:] if isinstance(line := found.line(place), RecordedFrame)]
    assert frames == [1, 4, 5, 7]
    assert [found.step_back(place) for place in steps[1:]] == [None, *steps[1:-1]]
    assert found.step_back(steps[2] - 1) == steps[1]


def test_steps_lead_to_events_calls_and_times(tmp_path: Path) -> None:
    found = played(session(tmp_path / "a.jsonl"))
    steps, position = list[int](), 0
    while (next_one := found.next(position)) is not None:
        position = next_one
        steps.append(position)
    assert position == found.last
    skipped = [found.line(place) for place in range(1, len(found)) if place not in steps]
    assert {type(line) for line in skipped} == {Projected, End}
    assert [found.previous(place) for place in steps] == [None, *steps[:-1]]
    assert found.next_call(0) == found.calls[0]
    assert found.previous_call(found.last) == found.calls[0]
    assert found.next_call(found.last) is None
    times = [found.time_of(place) for place in steps]
    assert times == sorted(times)
    assert found.line_at(found.time_of(3)) == 3
    assert found.line_at(0) == 0
    assert found.line_at(1e9) == found.last
    assert [frame.number for frame in found.frames(1, 4)] == [1, 2, 3, 4]
    frame = found.frame(3)
    assert frame
    assert b"[withheld argument" in frame.raw
    assert found.line_of(3) == 3
    assert found.line_of(99) is None
    assert found.line_of(0) is None
    assert found.frame(-1) is None


def test_frame_numbers_of_a_foreign_file_need_not_ascend(tmp_path: Path) -> None:
    frames = [
        replace(frame, number=number)
        for frame, number in zip(conversation().frames, (9, 3, 7, 3), strict=True)
    ]
    found = played(recorded_to(tmp_path / "a.jsonl", frames))
    assert [found.line_of(number) for number in (9, 7, 3, 4)] == [1, 3, 2, None]
    for count in range(1, found.entry_count(found.last) + 1):
        found.entry(count, found.last)


def test_a_search_finds_words_at_events(tmp_path: Path) -> None:
    found = played(session(tmp_path / "a.jsonl"))
    assert found.search("structuredContent", 0) == 4
    # The projection after it contains the same words, and is skipped.
    assert isinstance(found.line(5), Projected)
    assert found.search("structuredContent", 4) is None
    assert found.search("done", found.last, backwards=True) == 4
    assert found.search('"recording"', found.last, backwards=True) is None


def test_the_tools_of_a_page_are_those_of_its_last_listing(tmp_path: Path) -> None:
    tools = [Tool(name=name, definition={"name": name, "inputSchema": {}}) for name in ("one", "two")]
    made = PageCall(
        number=1, name="one", tool=tools[0], arguments={}, outcome=Result(value=5), at_s=1, duration_s=0.5
    )
    recorder = Recorder(
        tmp_path / "a.jsonl", structs.replace(HEADER, recorded=RecordedTarget(kind="page", name="demo"))
    )
    recorder.call(made)
    recorder.listed(2, tools)
    recorder.listed(3, tools[1:])
    recorder.close()
    found = played(tmp_path / "a.jsonl")
    names = [[tool.name for tool in found.moment(place).catalogue.tools] for place in (0, 1, 3, 4)]
    assert names == [[], ["one"], ["one", "two"], ["two"]]
    (call,) = found.call(1)
    assert (call.name, call.tool) == ("one", tools[0])
    entry = found.entry(1, 1)
    assert (entry.kind, entry.title, entry.duration_s) == (EntryKind.EXCHANGE, "tools/call one", 0.5)
    assert found.entry_count(found.last) == 1


@pytest.mark.parametrize("code", [{}, {"code": -31954}, {"code": -32602}], ids=str)
def test_an_error_that_a_page_threw_is_replayed_without_a_code(tmp_path: Path, code: JsonObject) -> None:
    said: JsonObject = {"message": "RangeError: no such floor", "data": {}}
    thrown = RpcError(value={**code, **said})
    recorder = Recorder(tmp_path / "a.jsonl", HEADER)
    recorder.call(
        PageCall(number=1, name="t", tool=None, arguments={}, outcome=thrown, at_s=1, duration_s=0.5)
    )
    recorder.close()
    found = played(tmp_path / "a.jsonl")
    is_of_browser = code.get("code") == -32602
    (call,) = found.call(1)
    assert call.outcome == RpcError(
        value={**code, **said} if is_of_browser else said, of_page=not is_of_browser
    )
    entry = found.entry(1, 1)
    assert (entry.state, entry.detail) == (EntryState.FAILED, "RangeError: no such floor")


@pytest.mark.parametrize(
    "line",
    [
        b"garbage",
        b'{"frame":1,"at":0,"direction":"up","channel":"stdio","size":1,"body":1}',
        b'{"frame":1,"at":0,"direction":"sent","channel":"stdio","size":1}',
        b'{"call":1,"at":0,"duration":0,"tool":"x","definition":null,"arguments":null}',
        b'{"note":"policy","at":-1,"text":"x"}',
        b'{"frame":18446744073709551616,"at":0,"direction":"sent","channel":"stdio","size":1,"body":1}',
        b'{"frame":9007199254740992,"at":0,"direction":"sent","channel":"stdio","size":1,"body":1}',
        b'{"frame":1,"at":1e999,"direction":"sent","channel":"stdio","size":1,"body":1}',
        b'{"listed":{},"at":0}',
        b'{"connection":"2","at":0}',
        b'{"sightline":"recording","version":2}',
        b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
    ],
)
def test_nothing_is_read_after_a_broken_line(tmp_path: Path, line: bytes) -> None:
    raw = recorded_to(tmp_path / "a.jsonl", conversation().frames).read_bytes().splitlines(keepends=True)
    (tmp_path / "b.jsonl").write_bytes(b"".join([*raw[:3], line + b"\n", *raw[3:]]))
    found = played(tmp_path / "b.jsonl")
    assert found.broken
    assert found.broken.line == 4
    assert found.is_indexed
    assert (found.last, found.entry_count(99)) == (2, 1)
    file = RecordingFile(tmp_path / "b.jsonl")
    assert list(file.lines())[-1] == found.broken
    file.close()


def indexed(lines: Iterable[bytes], *, is_outline: bool) -> list[object]:
    index = Index()
    broken: list[int] = []
    for place, raw in enumerate(lines):
        line = decoded(raw, is_outline=is_outline)
        if isinstance(line, Broken):
            broken.append(place)
        else:
            index.take(line)
    names = {name: places.lines for name, places in index.by_name.items()}
    pages = [index.listed[kind].lines for kind in Kind] + [index.begun[kind].lines for kind in Kind]
    return [broken, index.openings.lines, index.endings, names, pages, index.numbers, index.batches]


def test_the_quick_index_agrees_with_a_complete_reading(tmp_path: Path) -> None:
    odd: list[bytes] = [
        b'{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"\\u0061"}}',
        b'{"jsonrpc":"2.0","id":{"a":1},"method":"x"}',
        b'{"jsonrpc":"2.0","id":7,"result":NaN}',
        b'{"jsonrpc":"2.0","id":"\\ud800","method":"tools\\/call"}',
        b'{"jsonrpc":"2.0","id":8,"method":5}',
        b'{"jsonrpc":"2.0","method":"x","params":"\xff"}',
        b'{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"cursor":null}}',
        b'{"jsonrpc":"2.0","id":9,"result":' + b"[" * 2_000 + b"]" * 2_000 + b"}",
        b'{"jsonrpc":"2.0","error":{"code":1}}',
    ]
    head = b'{"frame":%d,"at":1,"direction":"sent","channel":"stdio","size":1,"body":%s}'
    lines = [head % (number, body) for number, body in enumerate(odd, 1)]
    for key in (b"1.0", b"1", b'"1.0"', b'{"a":1}', b"9"):
        answer = head % (len(lines) + 1, b'{"id":%s,"result":{"tools":[]}}' % key)
        lines.append(answer.replace(b'"sent"', b'"received"'))
    lines.append(b'{"frame":99,"at":1,"direction":"sent","channel":"stdio","size":1,"body":1,"sightline":1}')
    assert indexed(lines, is_outline=True) == indexed(lines, is_outline=False)
    lines.pop()
    found = played(file_of(tmp_path / "a.jsonl", [*lines, b'{"end":{"frames":0}}']))
    file = RecordingFile(found.path)
    wanted = folded(line for line in file.lines() if not isinstance(line, Break)).entries
    file.close()
    assert [found.entry(count, found.last) for count in range(1, len(wanted) + 1)] == wanted


def test_indexing_can_be_stopped_and_continued(tmp_path: Path) -> None:
    wire = Wire()
    for number in range(2_500):
        wire.sent("ping", {}, number)
    found = Played(recorded_to(tmp_path / "a.jsonl", wire.frames))
    told: list[tuple[int, int]] = []
    found.index(is_cancelled=lambda: len(told) == 2, on_progress=lambda done, of: told.append((done, of)))
    assert told == [(1_000, 2_502), (2_000, 2_502)]
    assert not found.is_indexed
    assert found.indexed == 2_000
    assert found.entry_count(found.last) == 1_999


def test_a_frame_with_a_duplicate_key_is_still_an_entry(tmp_path: Path) -> None:
    line = b'{"frame":1,"at":1,"direction":"sent","channel":"stdio","size":1,"body":[{"id":1,"method":"x"},{"id":1,"id":2}]}'
    found = played(file_of(tmp_path / "a.jsonl", [line]))
    assert found.entry_count(found.last) == 2
    assert [found.entry(count, found.last).number for count in (1, 2)] == [1, 2]
    with pytest.raises(IndexError):
        found.entry(3, found.last)
    with pytest.raises(IndexError):
        found.entry(0, found.last)


def test_sizes_are_those_of_the_wire_however_a_server_spaces_its_json(tmp_path: Path) -> None:
    wire = Wire()
    wire.listed(TOOL)
    spaced = b'{ "jsonrpc": "2.0",  "method": "notifications/tools/list_changed" }'
    wire.frame(Direction.RECEIVED, spaced)
    found = played(recorded_to(tmp_path / "spaced.jsonl", wire.frames))
    assert [found.entry(number, 3).size_bytes for number in (1, 2)] == [
        sum(len(frame.raw) for frame in wire.frames[:2]),
        len(spaced),
    ]
