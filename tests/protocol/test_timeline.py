import pytest

from inspector.json.exact import parse
from inspector.protocol.exchanges import Exchanges
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.timeline import MAX_FRAMES, Entry, EntryKind, EntryState, Timeline

SENT, RECEIVED = Direction.SENT, Direction.RECEIVED
CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}'


def folded(*raw: tuple[Direction, bytes] | Frame) -> Timeline:
    timeline, exchanges = Timeline(), Exchanges()
    for number, item in enumerate(raw, 1):
        timeline.add(exchanges.take(item if isinstance(item, Frame) else frame(number, *item)))
    return timeline


def frame(number: int, direction: Direction, raw: bytes, channel: Channel = Channel.STDIO) -> Frame:
    return Frame(
        number=number,
        at_s=float(number),
        direction=direction,
        channel=channel,
        raw=raw,
        body=parse(raw),
    )


def note(number: int, text: str, *, ends: str | None = None) -> Frame:
    return Frame(
        number=number, at_s=number, direction=RECEIVED, channel=Channel.NOTE, raw=text.encode(), ends=ends
    )


def outlined(timeline: Timeline) -> list[tuple[str, str, str, str]]:
    return [(entry.kind.value, entry.title, entry.state.value, entry.detail) for entry in timeline.entries]


@pytest.mark.parametrize(
    ("answer", "state", "detail"),
    [
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', "done", ""),
        (b'{"jsonrpc":"2.0","id":"1","result":{}}', "done", ""),
        (b'{"jsonrpc":"2.0","id":1,"result":{"isError":true}}', "failed", ""),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"no"}}', "failed", "5 no"),
        (b'{"jsonrpc":"2.0","id":1,"error":7}', "failed", "7"),
        (b'{"jsonrpc":"2.0","id":null,"error":{"code":5}}', "failed", "5"),
        (b'{"id":1,"result":1,"error":2}', "failed", 'both result and error; jsonrpc is not "2.0"; 2'),
    ],
)
def test_an_answer_completes_its_request(answer: bytes, state: str, detail: str) -> None:
    timeline = folded((SENT, CALL), (RECEIVED, answer))
    assert outlined(timeline) == [("exchange", "tools/call t", state, detail)]
    entry = timeline.entries[0]
    assert (entry.frames, entry.duration_s, entry.size_bytes) == ((1, 2), 1.0, len(CALL) + len(answer))


@pytest.mark.parametrize(
    ("raw", "kind", "title", "detail"),
    [
        (b"DEBUG got", "fault", "not a message", 'server printed to stdout instead of stderr: "DEBUG got"'),
        (b"[x] \x1b[1m", "fault", "not a message", 'server printed to stdout instead of stderr: "[x] ␛[1m"'),
        (
            b"y" * 130,
            "fault",
            "not a message",
            f'server printed to stdout instead of stderr: "{"y" * 120}…"',
        ),
        (
            b"{oops",
            "fault",
            "not a message",
            "not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
        (b"5", "fault", "not a message", "not a JSON-RPC message: not an object"),
        (b"{}", "fault", "not a message", "not a JSON-RPC message: neither method, result nor error"),
        (
            b'{"id":9,"result":1}',
            "fault",
            "unexpected answer",
            "an answer to id 9, which no request waits for",
        ),
        (
            b'{"result":null}',
            "fault",
            "unexpected answer",
            "an answer without id, which no request waits for",
        ),
        (b'{"method":"notifications/x"}', "notification", "notifications/x", ""),
        (
            b'{"method":"notifications/progress","params":{"progress":1.50,"total":3,"message":"m"}}',
            "progress",
            "notifications/progress",
            "1.50 of 3: m",
        ),
        (
            b'{"method":"notifications/message","params":{"level":"error","data":{"a":1}}}',
            "log",
            "error",
            '{"a":1}',
        ),
        (b'{"id":1,"method":"ping"}', "server request", "ping", ""),
    ],
)
def test_unrequested_messages_are_classified(raw: bytes, kind: str, title: str, detail: str) -> None:
    entry = folded((RECEIVED, raw)).entries[0]
    assert (entry.kind.value, entry.title, entry.detail) == (kind, title, detail)


def test_an_unknown_id_is_a_fault_if_two_requests_are_open() -> None:
    other = CALL.replace(b'"id":1', b'"id":2')
    error = b'{"id":null,"error":{"code":-32700}}'
    assert [entry.kind for entry in folded((SENT, CALL), (SENT, other), (RECEIVED, error)).entries] == [
        EntryKind.EXCHANGE,
        EntryKind.EXCHANGE,
        EntryKind.FAULT,
    ]


def test_frames_are_found_by_number_although_earlier_ones_are_missing() -> None:
    timeline = folded(frame(3, SENT, CALL), frame(9, RECEIVED, b"printed"))
    assert [entry.frames for entry in timeline.entries] == [(3,), (9,)]
    found = [timeline.frames_of(entry)[0].frame for entry in timeline.entries]
    assert [each.number for each in found] == [3, 9]
    assert timeline.frame(9) is found[1]
    assert [timeline.frame(number) for number in (0, 1, 4, 10)] == [None] * 4


def test_ids_of_the_two_directions_are_separate() -> None:
    asked = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    timeline = folded((SENT, CALL), (RECEIVED, asked), (SENT, b'{"id":1,"result":{}}'))
    assert [entry.state for entry in timeline.entries] == [EntryState.PENDING, EntryState.DONE]


def test_a_note_ends_only_the_request_that_it_names() -> None:
    timeline = folded((SENT, CALL), note(2, "gone", ends="1"), note(3, "again", ends="1"))
    assert outlined(timeline) == [
        ("exchange", "tools/call t", "failed", "gone"),
        ("note", "again", "done", ""),
    ]


PAGE_CALL = b'{"id":7,"method":"WebMCP.invokeTool","params":{"toolName":"t"}}'
BEGUN = b'{"id":7,"result":{"invocationId":"I"}}'


def response(*members: str, invocation: str = "I") -> bytes:
    said = ",".join((f'"invocationId":"{invocation}"', *members))
    return f'{{"method":"WebMCP.toolResponded","params":{{{said}}}}}'.encode()


@pytest.mark.parametrize(
    ("members", "state", "detail"),
    [
        (['"status":"Completed"', '"output":[1]'], "done", ""),
        (['"status":"Completed"', '"output":{"isError":true}'], "failed", ""),
        (['"status":"Error"', '"exception":{"description":"E: no\\n  at x"}'], "failed", "E: no"),
        (['"status":"Error"', '"errorText":"gone"'], "failed", "gone"),
        (['"status":"Error"'], "failed", "the tool failed"),
        (['"status":"Canceled"'], "failed", "the browser cancelled the call"),
    ],
)
@pytest.mark.parametrize("is_early", [False, True])
def test_a_call_of_a_page_lasts_until_the_page_responds(
    members: list[str], state: str, detail: str, *, is_early: bool
) -> None:
    parts = [(SENT, PAGE_CALL), (RECEIVED, BEGUN), (RECEIVED, response(*members))]
    if is_early:
        parts = [parts[0], parts[2], parts[1]]
    frames = [frame(number, *part, Channel.CDP) for number, part in enumerate(parts, 1)]
    other = frame(3, RECEIVED, response('"status":"Completed"', invocation="other"), Channel.CDP)
    waiting = folded(*frames[:2], other).entries[0]
    assert (waiting.state.value, waiting.duration_s) == ("pending", None)
    ended = folded(*frames).entries[0]
    assert (ended.state.value, ended.detail, ended.duration_s) == (state, detail, 2)
    assert ended.frames == ((1, 3) if is_early else (1, 2, 3))


def test_a_call_of_a_page_ends_with_the_note_that_names_it() -> None:
    frames = [frame(1, SENT, PAGE_CALL, Channel.CDP), frame(2, RECEIVED, BEGUN, Channel.CDP)]
    cancelled = frame(5, RECEIVED, response('"status":"Canceled"'), Channel.CDP)
    timeline = folded(*frames, note(3, "other", ends="J"), note(4, "no answer", ends="I"), cancelled)
    assert outlined(timeline) == [
        ("exchange", "WebMCP.invokeTool t", "failed", "no answer"),
        ("note", "other", "done", ""),
        ("notification", "WebMCP.toolResponded", "done", ""),
    ]


def test_the_answer_to_an_abandoned_request_is_late_once_and_not_a_fault() -> None:
    answer = b'{"jsonrpc":"2.0","id":1,"result":{}}'
    timeline = folded((SENT, CALL), note(2, "gone", ends="1"), (RECEIVED, answer), (RECEIVED, answer))
    assert outlined(timeline) == [
        ("exchange", "tools/call t", "failed", "gone"),
        (
            "note",
            "late answer",
            "done",
            "to tools/call t, 2.0 s after the request; Sightline had stopped waiting for it",
        ),
        ("fault", "unexpected answer", "done", "an answer to id 1, which no request waits for"),
    ]
    assert [entry.frames for entry in timeline.entries] == [(1, 2), (3,), (4,)]


def test_the_late_answer_to_one_of_two_ways_to_connect_is_not_called_late() -> None:
    asked = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
    answer = b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'
    timeline = folded((SENT, asked), note(2, "not awaited", ends="1"), (RECEIVED, answer))
    assert outlined(timeline)[1:] == [
        ("note", "answer to initialize", "done", "no longer needed, 2.0 s after the request")
    ]


def test_a_reused_id_is_no_longer_abandoned() -> None:
    answer = b'{"jsonrpc":"2.0","id":1,"result":{}}'
    timeline = folded(
        (SENT, CALL), note(2, "gone", ends="1"), (SENT, CALL), (RECEIVED, answer), (RECEIVED, answer)
    )
    assert [(entry.kind.value, entry.state.value) for entry in timeline.entries] == [
        ("exchange", "failed"),
        ("exchange", "done"),
        ("fault", "done"),
    ]


def test_fold_returns_the_changed_entries_and_keeps_every_frame() -> None:
    timeline = Timeline()
    batch = b'[{"method":"a"},{"method":"b"}]'
    changed = timeline.add(Exchanges().take(frame(1, RECEIVED, batch)))
    assert [entry.title for entry in changed] == ["a", "b"]
    assert timeline.frame(1) is timeline.frames[0]
    assert timeline.frame(0) is None
    assert timeline.frame(2) is None
    assert [type(entry) for entry in changed] == [Entry, Entry]


ASK = b'{"jsonrpc":"2.0","id":"a","method":"elicitation/create","params":{"task":{}}}'
HANDLE = b'{"jsonrpc":"2.0","id":"a","result":{"task":{"taskId":"t","status":"working"}}}'


def about(
    method: str, request_id: str, result: str
) -> tuple[tuple[Direction, bytes], tuple[Direction, bytes]]:
    """A request by the server about its task, and the answer."""
    asked = f'{{"jsonrpc":"2.0","id":"{request_id}","method":"tasks/{method}","params":{{"taskId":"t"}}}}'
    return (RECEIVED, asked.encode()), (SENT, f'{{"jsonrpc":"2.0","id":"{request_id}",{result}}}'.encode())


def state(status: str) -> str:
    return f'"result":{{"taskId":"t","status":"{status}"}}'


@pytest.mark.parametrize(
    ("later", "shown", "detail"),
    [
        ([], "pending", "task working"),
        ([about("get", "b", state("working"))], "pending", "task working"),
        ([about("get", "b", state("completed"))], "pending", "task completed"),
        ([about("result", "b", '"result":{"action":"decline"}')], "done", "decline"),
        (
            [about("result", "b", '"result":{"action":"accept"}'), about("get", "c", state("completed"))],
            "done",
            "accept",
        ),
        ([about("get", "b", state("failed"))], "failed", "task failed"),
        (
            [about("get", "b", state("failed")), about("result", "c", '"error":{"code":5,"message":"no"}')],
            "failed",
            "5 no",
        ),
        ([about("cancel", "b", state("cancelled"))], "failed", "the task was cancelled"),
    ],
)
def test_what_a_server_asks_as_a_task_is_one_entry_with_its_outcome(
    later: list[tuple[tuple[Direction, bytes], tuple[Direction, bytes]]], shown: str, detail: str
) -> None:
    frames = [(RECEIVED, ASK), (SENT, HANDLE), *(frame for both in later for frame in both)]
    timeline = folded(*frames)
    assert outlined(timeline) == [("server request", "elicitation/create", shown, detail)]
    assert timeline.entries[0].frames == tuple(range(1, len(frames) + 1))


def test_a_task_that_is_asked_about_without_end_stays_one_small_entry() -> None:
    polls = [frame for number in range(500) for frame in about("get", f"p{number}", state("working"))]
    ended = about("result", "r", '"result":{"action":"accept"}')
    # What the server asks about another task, or Sightline about one of that name, is no part of it.
    others = (
        (RECEIVED, b'{"id":"x","method":"tasks/get","params":{"taskId":"u"}}'),
        (
            SENT,
            b'{"id":"y","method":"tasks/get","params":{"taskId":"t"}}',
        ),
    )
    timeline = folded((RECEIVED, ASK), (SENT, HANDLE), *polls, *others, *ended)
    first, *rest = timeline.entries
    assert (first.state, first.detail, first.duration_s) == (EntryState.DONE, "accept", 1005.0)
    assert (first.frames[:2], len(first.frames), first.frames[-1]) == ((1, 2), MAX_FRAMES, 1006)
    assert [entry.title for entry in rest] == ["tasks/get", "tasks/get"]
