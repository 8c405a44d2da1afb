"""Recordings over more than one connection, and recordings that begin in the middle of one."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from inspector.boundary.options import BoundaryPolicy
from inspector.json.exact import Json, JsonObject, dump
from inspector.protocol.catalogue import Tool
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.outcome import Failure, FailureKind, Result
from inspector.recording.checking import checked
from inspector.recording.codec import written
from inspector.recording.files import Break, Recorder, RecordingFile
from inspector.recording.format import Connected, Lenses, Line, Note, PageCall, Projected, RecordedFrame
from inspector.recording.markers import is_marker
from inspector.recording.scribe import Past, Scribe, bounded_lines
from tests.recording.sessions import HEADER, KEY, OTHER, TOOL, Wire, bodies, conversation, scribed, text_of

SECRET = "CANARY-4711-abcdef"
TYPED = "typed-by-the-user-0815"
FREE: JsonObject = {"content": [{"type": "text", "text": "free"}]}
PAGE_TOOL = Tool(name="get_key", definition=TOOL)


def reached_anew(before: Wire, after: Wire, *, finish: bool = True) -> list[Line]:
    scribe = Scribe(KEY, Lenses())
    lines: list[Line] = []
    for frame in before.matched:
        lines += scribe.take(frame)
    lines += scribe.connect(9, 2)
    for frame in after.matched:
        lines += scribe.take(frame)
    return [*lines, *scribe.finish()] if finish else lines


def method_in(body: Json) -> Json:
    return body.get("method") if isinstance(body, dict) else None


def shapes(lines: list[Line]) -> list[JsonObject]:
    return [written(line) for line in lines]


def page_call(value: Json) -> PageCall:
    return PageCall(
        number=1,
        name="get_key",
        tool=PAGE_TOOL,
        arguments={},
        outcome=Result(value=value),
        at_s=1,
        duration_s=1,
    )


def test_a_call_without_an_answer_at_a_reconnection_is_recorded_as_unjudged() -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.called("get_key", {"q": "x"})
    wire.logged(SECRET)
    lines = reached_anew(wire, Wire(), finish=False)
    found = bodies(shapes(lines))
    assert isinstance(lines[-1], Connected)
    assert SECRET not in text_of(shapes(lines))
    params = found[4]["params"] if isinstance(found[4], dict) else None
    assert is_marker(params)


def test_an_answer_in_another_connection_answers_no_call() -> None:
    before, after = Wire(), Wire()
    before.listed(TOOL)
    before.called("get_key", {})
    after.frames += before.frames
    after.answered({"content": [], "structuredContent": {"key": SECRET}})
    late = Wire()
    late.frames = after.frames[-1:]
    lines = reached_anew(before, late)
    assert SECRET not in text_of(shapes(lines))
    assert not [line for line in lines if isinstance(line, Projected)]


def test_after_a_reconnection_tools_must_be_listed_again() -> None:
    after = Wire()
    after.called("get_key", {})
    after.answered(FREE)
    after.listed(TOOL)
    after.called("get_key", {}, 8)
    after.answered(FREE, 8)
    for number, frame in enumerate(after.frames, 5):
        after.frames[number - 5] = Frame(
            number=number,
            at_s=number,
            direction=frame.direction,
            channel=frame.channel,
            raw=frame.raw,
            body=frame.body,
        )
    lines = reached_anew(conversation(), after)
    found = bodies(shapes(lines))
    assert is_marker(found[6]["result"] if isinstance(found[6], dict) else None)
    assert found[10] == {"jsonrpc": "2.0", "id": 8, "result": FREE}
    assert [call.mismatches for call in checked(lines)] == [()] * 3


def test_earlier_frames_are_learnt_from_and_only_necessary_ones_written() -> None:
    wire = conversation()
    wire.called("get_key", {"q": "waits"}, 8)
    wire.logged("while it waits")
    scribe = Scribe(KEY, Lenses())
    lines = list(scribe.learn(wire.matched))
    assert [line.number for line in lines if isinstance(line, RecordedFrame)] == [1, 2, 5]
    wire.answered(FREE, 8)
    lines += scribe.take(wire.matched[-1])
    wire.stderr(f"said late: {SECRET}")
    lines += scribe.take(wire.matched[-1])
    lines += scribe.finish()
    numbers = [line.number for line in lines if isinstance(line, RecordedFrame)]
    assert numbers == [1, 2, 5, 6, 7, 8]
    assert SECRET not in text_of(shapes(lines))
    assert shapes(lines)[-1] == {"end": {"frames": 6}}
    assert [call.mismatches for call in checked(lines)] == [()]


def test_secrets_of_earlier_page_calls_are_learnt_too() -> None:
    scribe = Scribe(KEY, Lenses())
    assert list(scribe.foresee([Past(calls=(page_call({"id": "one", "key": SECRET}),))])) == []
    (note,) = scribe.note(2, "policy", f"allowed, because of {SECRET}")
    assert isinstance(note, Note)
    assert is_marker(note.text)


def test_a_past_is_withheld_by_what_is_learnt_from_its_end(tmp_path: Path) -> None:
    first = Wire()
    form: JsonObject = {"type": "object", "properties": {"api_key": {"type": "string"}}}
    first.stderr(f"debug {SECRET}")
    first.listed(TOOL, OTHER)
    first.called("other", {"q": SECRET, "again": TYPED})
    first.answered({"content": [{"type": "text", "text": f"was {TYPED}"}]})
    last = conversation()
    last.received({"id": 3, "method": "elicitation/create", "params": {"requestedSchema": form}})
    reply: JsonObject = {"jsonrpc": "2.0", "id": 3}
    last.frame(Direction.SENT, dump({**reply, "result": {"action": "accept", "content": {"api_key": TYPED}}}))
    last.called("other", {"q": TYPED}, 9)
    past = [Past(frames=tuple(wire.matched)) for wire in (first, last)]

    began, joined = Recorder(tmp_path / "began.jsonl", HEADER), Recorder(tmp_path / "joined.jsonl", HEADER)
    began.begin_at(2, past)
    for number, wire in enumerate((first, last)):
        if number:
            began.connect()
        for frame in wire.matched:
            began.frame(frame)
    joined.join(past, now_s=2)
    for recorder in (began, joined):
        recorder.close()
        text = recorder.path.read_text()
        assert "get_key" in text
        assert [value for value in (SECRET, TYPED) if value in text] == []
    lines = [line for line in in_file(began.path) if not isinstance(line, Break)]
    found = bodies(shapes(lines))
    assert is_marker(found[1])
    assert '"name":"get_key"' in text_of(shapes(lines))
    assert [call.mismatches for call in checked(lines)] == [(), ()]


def test_the_definitions_of_a_past_lack_only_what_the_user_has_typed() -> None:
    wire = Wire()
    told: JsonObject = {**TOOL, "description": "Has resources."}
    wire.listed(told, {**OTHER, "description": "Was 943102."})
    wire.sent("resources/list", {}, 5)
    wire.answered({"resources": []}, 5)
    wire.called("get_key", {"pin": "943102"})
    wire.answered({"content": [], "structuredContent": {"id": "one", "key": "resources"}})
    wire.sent("resources/read", {"uri": "a://b"}, 8)
    lines = [written(line) for line in bounded_lines(Scribe(KEY, Lenses()), wire.matched)]
    found = bodies(lines)
    listing = text_of([{"tools": found[2]}])
    assert "Has resources." in listing
    assert "943102" not in listing
    assert [method_in(found[number]) for number in (3, 7)] == ["resources/list", "resources/read"]


def test_a_short_value_is_masked_only_in_notes_that_quote_the_page() -> None:
    scribe = Scribe(KEY, Lenses())
    list(scribe.call(page_call({"key": "4711"})))
    (note,) = scribe.note(2, "trust", "trust #4711")
    assert isinstance(note, Note)
    assert note.text == "trust #4711"
    failed = replace(page_call(None), outcome=Failure(kind=FailureKind.TIMEOUT, detail="no 4711"))
    (note,) = scribe.call(failed)
    assert isinstance(note, Note)
    assert is_marker(note.text)


def test_a_tool_listing_of_a_page_contains_no_withheld_value() -> None:
    scribe = Scribe(KEY, Lenses())
    list(scribe.call(page_call({"key": SECRET})))
    telling = Tool(name="other", definition={"name": "other", "description": f"Say {SECRET}."})
    (line,) = scribe.listed(3, [PAGE_TOOL, telling])
    shape = written(line)
    assert SECRET not in text_of([shape])
    tools = shape["listed"]
    assert isinstance(tools, list)
    assert tools[0] == {"name": "get_key", "definition": TOOL}


def test_the_arguments_of_a_resolution_are_withheld_like_those_of_the_call() -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.sent("tools/resolve", {"name": "get_key", "arguments": {"pin": "943102", "q": "x"}}, 5)
    wire.received({"id": 5, "result": {"annotations": {}, "said": "943102"}})
    assert "943102" not in text_of(scribed(wire.frames))


def test_a_secret_in_a_block_hidden_by_policy_is_still_found_in_echoes() -> None:
    wire = Wire()
    untrusted: JsonObject = {**TOOL, "_meta": {}, "annotations": {"openWorldHint": True}}
    wire.listed(untrusted)
    wire.called("get_key", {})
    wire.answered(
        {
            "content": [],
            "structuredContent": {"id": "one", "key": SECRET},
            "_meta": {"annotations": {"openWorldHint": True}},
        }
    )
    wire.logged(f"made {SECRET}")
    lines = scribed(wire.frames, Lenses(policy=BoundaryPolicy(hide_untrusted=True)))
    assert SECRET not in text_of(lines)


def test_a_live_session_is_exported_like_its_recording() -> None:
    wire = conversation()
    assert [written(line) for line in bounded_lines(Scribe(KEY, Lenses()), wire.matched)] == scribed(
        wire.frames
    )
    lines = list(bounded_lines(Scribe(KEY, Lenses()), wire.matched[:2], [page_call(FREE)]))
    assert [type(line).__name__ for line in lines[-3:]] == ["RecordedCall", "Projected", "End"]


def in_file(path: Path) -> list[Line | Break]:
    file = RecordingFile(path)
    try:
        return list(file.lines())
    finally:
        file.close()


def test_numbers_and_clock_continue_over_connections(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.jsonl", HEADER)
    for _ in range(3):
        recorder.connect()
        for frame in conversation().matched:
            recorder.frame(frame)
        recorder.note(0.5, "policy", "allowed")
        recorder.call(page_call(FREE))
    recorder.close()
    lines = in_file(tmp_path / "a.jsonl")
    frames = [line for line in lines if isinstance(line, RecordedFrame)]
    assert [frame.number for frame in frames] == list(range(1, 13))
    found = [line for line in lines if isinstance(line, Connected)]
    assert [line.number for line in found] == [2, 3]
    assert 0 < found[0].at_s < found[1].at_s
    assert frames[4].at_s >= found[0].at_s + 0.125 - 1e-6
    calls = [line.frame for line in lines if isinstance(line, Projected) and line.request == "call"]
    assert calls == [1, 2, 3]
    assert [call.mismatches for call in checked(line for line in lines if not isinstance(line, Break))] == [
        ()
    ] * 6


def test_a_recording_can_begin_in_the_middle_of_a_session(tmp_path: Path) -> None:
    wire = conversation()
    recorder = Recorder(tmp_path / "a.jsonl", HEADER)
    recorder.join([Past(frames=tuple(wire.matched))], now_s=2)
    wire.called("get_key", {"pin": "1", "q": "y"}, 8)
    wire.answered(FREE, 8)
    for frame in wire.matched[4:]:
        recorder.frame(frame)
    recorder.connect()
    recorder.frame(conversation().matched[0])
    recorder.close()
    lines = in_file(tmp_path / "a.jsonl")
    frames = [line for line in lines if isinstance(line, RecordedFrame)]
    assert [frame.number for frame in frames] == [1, 2, 5, 6, 7]
    notes = [line.text for line in lines if isinstance(line, Note)]
    assert notes == ["recording starts here; earlier calls are not included"]
    (anew,) = [line for line in lines if isinstance(line, Connected)]
    assert (anew.number, anew.at_s >= 2) == (2, True)


@pytest.mark.parametrize("direction", [Direction.SENT, Direction.RECEIVED])
def test_the_first_connection_has_no_connection_line(tmp_path: Path, direction: Direction) -> None:
    recorder = Recorder(tmp_path / "a.jsonl", HEADER)
    recorder.connect()
    wire = Wire()
    wire.frame(direction, dump({"jsonrpc": "2.0", "method": "x"}))
    recorder.frame(wire.matched[0])
    recorder.close()
    assert [type(line).__name__ for line in in_file(tmp_path / "a.jsonl")] == ["RecordedFrame", "End"]
