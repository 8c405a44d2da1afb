import itertools

import pytest

from inspector.json.exact import Json, dump, parse
from inspector.protocol.exchanges import (
    SUBSCRIBE,
    Answered,
    Asked,
    Event,
    Exchanges,
    GivenUp,
    Late,
    matched,
    response_in,
)
from inspector.protocol.frames import Channel, Direction, Frame, with_meta

SENT, RECEIVED = Direction.SENT, Direction.RECEIVED
_NUMBERS = itertools.count(1)


def sent(request_id: Json, method: str = "tools/call") -> Frame:
    return _frame(SENT, {"jsonrpc": "2.0", "id": request_id, "method": method})


def asked_by_server(request_id: Json) -> Frame:
    return _frame(RECEIVED, {"jsonrpc": "2.0", "id": request_id, "method": "ping"})


def result(request_id: Json, *, direction: Direction = RECEIVED) -> Frame:
    return _frame(direction, {"jsonrpc": "2.0", "id": request_id, "result": {}})


def error(request_id: Json, response_to: str | None = None) -> Frame:
    value: Json = {"jsonrpc": "2.0", "id": request_id, "error": {"code": -32600, "message": "no"}}
    return _frame(RECEIVED, value, response_to=response_to)


def given_up(key: str) -> Frame:
    return Frame(
        number=next(_NUMBERS), at_s=0, direction=RECEIVED, channel=Channel.NOTE, raw=b"timeout", ends=key
    )


def _frame(direction: Direction, value: Json, response_to: str | None = None) -> Frame:
    raw = dump(value)
    return Frame(
        number=next(_NUMBERS),
        at_s=0,
        direction=direction,
        channel=Channel.HTTP if response_to else Channel.STDIO,
        raw=raw,
        response_to=response_to,
        body=parse(raw),
    )


def outline(*frames: Frame) -> list[str]:
    """Events as text, such as `answered 1`: the event, and the id of its request."""
    return [_words(event) for one in matched(frames) for event in one.events]


def _words(event: Event) -> str:
    match event:
        case Asked(exchange=exchange) | Answered(exchange=exchange) | GivenUp(exchange=exchange):
            return f"{type(event).__name__.lower()} {exchange.key}"
        case Late(exchange=exchange):
            return f"late {exchange.key}"
        case _:
            return type(event).__name__.lower()


@pytest.mark.parametrize(
    ("frames", "last"),
    [
        ((sent(1), result(1)), "answered 1"),
        ((sent(1), result("1")), "answered 1"),
        ((sent(1), result(1), result(1)), "unasked"),
        ((sent(1), result(2)), "unasked"),
        ((sent(1), result(1, direction=SENT)), "unasked"),
        ((asked_by_server(1), result(1, direction=SENT)), "answered 1"),
        ((sent(1), asked_by_server(1), result(1)), "answered 1"),
        # Without an id, an error answers the only open request; a result answers none.
        ((sent(1), error(None)), "answered 1"),
        ((sent(1), result(None)), "unasked"),
        ((sent(1), sent(2), error(None)), "unasked"),
        ((sent(1), sent(2), result(1), error(None)), "answered 2"),
        ((sent(1), asked_by_server(2), error(None)), "answered 1"),
        ((sent(1), sent(2, SUBSCRIBE), error(None)), "answered 1"),
        ((sent(2, SUBSCRIBE), error(None)), "unasked"),
        ((sent(None), error(None)), "answered null"),
        # Over HTTP it answers only the request whose response it arrived in.
        ((sent(1), sent(2), error(None, "2")), "answered 2"),
        ((sent(1), error(None, "9")), "unasked"),
        ((sent(2, SUBSCRIBE), error(None, "2")), "answered 2"),
        # An answer after the time limit is late only once.
        ((sent(1), given_up("1")), "givenup 1"),
        ((sent(1), given_up("1"), result(1)), "late 1"),
        ((sent(1), given_up("1"), error(None, "1")), "late 1"),
        ((sent(1), given_up("1"), result(1), result(1)), "unasked"),
        ((sent(1), given_up("1"), sent(1), result(1)), "answered 1"),
        ((sent(1), given_up("1"), sent(2), error(None)), "answered 2"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_each_answer_is_matched_to_one_request(frames: tuple[Frame, ...], last: str) -> None:
    assert outline(*frames)[-1] == last


def test_a_note_that_ends_no_open_request_has_no_event() -> None:
    assert outline(given_up("1")) == []


def test_an_old_request_gets_no_answer_after_a_new_connection() -> None:
    exchanges = Exchanges()
    exchanges.take(sent(1))
    exchanges.connect()
    assert [_words(event) for event in exchanges.take(result(1)).events] == ["unasked"]


def test_the_response_in_a_batch_is_found_by_its_id_or_a_null_id() -> None:
    batch = parse(b'[{"id":1,"result":"one"},{"id":2,"result":"two"},{"id":null,"error":"x"}]')
    found = [response_in(batch, key) for key in ("1", "2", "3")]
    assert [response and (response.result or response.error) for response in found] == ["one", "two", "x"]


def test_other_members_of_meta_are_kept() -> None:
    params = with_meta({"name": "t", "_meta": {"progressToken": 1}}, {"annotations": {"openWorldHint": True}})
    assert params == {"name": "t", "_meta": {"progressToken": 1, "annotations": {"openWorldHint": True}}}
    assert with_meta({}, {"a": 1}) == {"_meta": {"a": 1}}
