"""Notifications take a short way into the index of a recording, which leads to the same places."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inspector.json.exact import Json, JsonObject
from inspector.protocol.frames import Channel, Direction
from inspector.recording.files import index as module
from inspector.recording.files.index import Index
from inspector.recording.format import RecordedFrame

METHOD: JsonObject = {"method": "tools/call", "params": {"name": "a"}}
ERROR: JsonObject = {"code": 1, "message": "no"}
MESSAGES: st.SearchStrategy[Json] = st.sampled_from(
    [
        {**METHOD, "id": 1},
        {**METHOD, "id": 1},
        {"id": 1, "result": {}},
        {"method": "notifications/message"},
        {"method": 7},
        {**METHOD, "id": None},
        {**METHOD, "error": ERROR},
        {**METHOD, "result": {}},
        {"method": "tools/call", "id": 1, "result": {}},
        [],
        "words",
    ]
)
ASKED = RecordedFrame(
    number=1, at_s=1.0, direction=Direction.SENT, channel=Channel.STDIO, size=1, body={**METHOD, "id": 1}
)
GIVEN_UP = RecordedFrame(
    number=2, at_s=1.0, direction=Direction.RECEIVED, channel=Channel.NOTE, size=1, ends="1", body=METHOD
)
FRAMES = st.builds(
    RecordedFrame,
    number=st.integers(1, 9),
    at_s=st.just(1.0),
    direction=st.sampled_from(Direction),
    channel=st.sampled_from([Channel.STDIO, Channel.STDIO, Channel.CDP, Channel.NOTE]),
    size=st.just(1),
    ends=st.sampled_from([None, "1"]),
    body=MESSAGES | st.lists(MESSAGES, max_size=2),
)


def never(_: RecordedFrame) -> bool:
    return False


def places(frames: list[RecordedFrame]) -> tuple[object, ...]:
    index = Index()
    for frame in frames:
        index.take(frame)
    lines = (index.frames, index.happenings, index.calls, index.openings, index.handshakes)
    named = (index.by_name, index.listed, index.begun)
    return (
        index.times,
        index.numbers,
        index.call_entries,
        index.endings,
        index.more,
        index.batches,
        index.unanswered,
        [one.lines for one in lines],
        [[(key, one.lines) for key, one in of.items()] for of in named],
    )


@settings(max_examples=500)
@example([ASKED, GIVEN_UP])
@given(st.lists(FRAMES, min_size=2, max_size=8))
def test_a_notification_is_indexed_as_every_frame_is(frames: list[RecordedFrame]) -> None:
    quick = places(frames)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_is_notification", never)
        assert quick == places(frames)
