import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.connect.sse import EventSplitter, ServerSentEvent

STREAM = (
    b"data: one\n\n"
    b"event: x\r\ndata: two\r\ndata: lines\r\nid: 7\r\n\r\n"
    b": a comment\rdata:three\r\r"
    b"data: f\xc3\xbcnf\n\n"
)
EXPECTED = [
    ("message", b"one", None),
    ("x", b"two\nlines", "7"),
    ("message", b"three", None),
    ("message", b"f\xc3\xbcnf", None),
]


def said(found: list[ServerSentEvent]) -> list[tuple[str, bytes, str | None]]:
    return [(event.event, event.data, event.id) for event in found]


@given(st.lists(st.integers(0, len(STREAM))))
def test_events_are_the_same_for_any_division_into_chunks(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    splitter = EventSplitter()
    found = [event for a, b in itertools.pairwise(places) for event in splitter.feed(STREAM[a:b])]
    assert said(found) == EXPECTED
    assert b"".join(event.raw for event in found) == STREAM
    assert splitter.rest() == b""


@pytest.mark.parametrize("rest", [b"data: half", b"data: half\n"])
def test_an_incomplete_event_remains_as_the_rest(rest: bytes) -> None:
    splitter = EventSplitter()
    assert said(splitter.feed(b"data: 1\n\n" + rest)) == [("message", b"1", None)]
    assert splitter.rest() == rest
