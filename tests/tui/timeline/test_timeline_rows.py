import re

import pytest

from inspector.json.exact import Json, dump
from inspector.protocol.client import NONE
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.targets import DemoTarget
from inspector.protocol.timeline import Entry, EntryKind, EntryState
from inspector.tui.timeline.rows import (
    TimelineRow,
    TimelineRows,
    entry_line,
    filter_words,
    matches,
    no_match,
    row_line,
    stdout_words,
)
from tests.tui.scripted import Script, ScriptedSession

TRACEBACK = [
    "Traceback (most recent call last):",
    '  File "server.py", line 3, in get_order',
    "pydantic_core._pydantic_core.ValidationError: 1 validation error for Order",
    "id",
    "  Input should be a valid integer",
    "    For further information visit https://errors.pydantic.dev/2.11/v/int_parsing",
]
FAILED: Json = {"content": [], "isError": True}


def a_session() -> ScriptedSession:
    return ScriptedSession(Script(), DemoTarget(), lambda _: None)


def ask(session: ScriptedSession, number: int, name: str) -> None:
    params: Json = {"name": name, "arguments": {}}
    session.frame(
        Direction.SENT, dump({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
    )


def answer(session: ScriptedSession, number: int, result: Json) -> None:
    session.frame(Direction.RECEIVED, dump({"jsonrpc": "2.0", "id": number, "result": result}))


def refuse(session: ScriptedSession, number: int, code: int) -> None:
    error: Json = {"code": code, "message": "first", "data": {}}
    session.frame(Direction.RECEIVED, dump({"jsonrpc": "2.0", "id": number, "error": error}))


def log(session: ScriptedSession, text: str) -> None:
    params: Json = {"level": "info", "data": text}
    session.frame(
        Direction.RECEIVED, dump({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
    )


def stderr(session: ScriptedSession, line: str) -> None:
    session.frame(Direction.RECEIVED, line.encode(), Channel.STDERR)


def lines(rows: list[TimelineRow]) -> list[str]:
    return [" ".join(row_line(row, 240).plain.split()) for row in rows]


@pytest.mark.parametrize(("code", "rows"), [(-32042, 1), (-32000, 2)])
def test_a_call_that_is_sent_again_after_a_visit_stays_one_row(code: int, rows: int) -> None:
    session, folded = a_session(), TimelineRows()
    folded.describe("pay", "days=3")
    ask(session, 1, "pay")
    refuse(session, 1, code)
    folded.take(session, 0.0)
    assert "failed" in lines(folded.rows)[0]
    session.note("the visit", "Sightline waits for the server", kind="answer")
    ask(session, 2, "pay")
    folded.take(session, 0.0)
    answer(session, 2, {"content": []})
    folded.take(session, 0.0)
    calls = [row for row in folded.rows if row.call]
    assert (len(calls), folded.calls) == (rows, rows)
    line = lines(calls)[-1]
    assert ("#1 pay days=3 ok" in line) == (rows == 1)
    assert folded.rows[0].entry is not None
    assert len(folded.rows[0].entry.frames) == (4 if rows == 1 else 2)
    # A call that the user makes has its own row.
    folded.describe("pay", "days=4")
    ask(session, 3, "pay")
    folded.take(session, 0.0)
    assert folded.calls == rows + 1


def test_a_call_counts_the_progress_messages_in_it() -> None:
    session, folded = a_session(), TimelineRows()
    ask(session, 1, "flood")
    for number in range(3):
        params: Json = {"progressToken": 1, "progress": number}
        session.frame(
            Direction.RECEIVED, dump({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
        )
        log(session, "tick")
    answer(session, 1, {"content": []})
    folded.take(session, 0.0)
    (line,) = lines(folded.rows)
    assert "3 logs 3 progress messages" in line


def test_a_call_is_one_row_with_its_decision_its_logs_and_its_stderr() -> None:
    session, folded = a_session(), TimelineRows()
    session.note("allow get_order", "no rule matched", kind="policy")
    folded.take(session, 0.0)
    assert len(folded.rows) == 1
    folded.describe("get_order", 'id="seven"')
    ask(session, 1, "get_order")
    log(session, "tool called")
    for line in TRACEBACK:
        stderr(session, line)
    folded.take(session, 0.0)
    answer(session, 1, FAILED)
    stderr(session, "late words")
    session.note("answer of get_order", "nothing is withheld", kind="policy")
    folded.take(session, 0.0)
    (line,) = lines(folded.rows)
    assert (
        '⊞ #1 get_order id="seven" tool error stderr 7 lines, server.py:3: ValidationError: 1 validation'
        in line
    )
    assert "Input should be a valid integer policy: allowed 1 log" in line
    # Where there is less room, words are whole or left out; how the call ended is always there.
    for width in range(60, 240):
        line = row_line(folded.rows[0], width).plain
        assert len(line) == width
        assert "  tool error " in line
        rest = line.partition("tool error")[2][:-18]
        assert re.fullmatch(r"(  stderr [^…]*(…|integer))?(  policy: allowed)?(  1 log)? *", rest), line


def test_a_tool_error_has_the_same_words_in_a_call_and_as_an_entry_of_a_recording() -> None:
    session = a_session()
    ask(session, 1, "mint")
    answer(session, 1, FAILED)
    (entry,) = session.timeline.entries
    assert entry_line(entry, 80).plain.partition("tools/call mint  ")[2].startswith("tool error ")
    rows = TimelineRows()
    rows.take(session, 0.0)
    assert "#1 mint tool error " in lines(rows.rows)[0]


def test_stray_stdout_during_a_call_is_in_its_row() -> None:
    session, folded = a_session(), TimelineRows()
    ask(session, 1, "get_order")
    session.frame(Direction.RECEIVED, b"DEBUG one")
    session.frame(Direction.RECEIVED, b"DEBUG \x1b[1mtwo")
    folded.take(session, 0.0)
    answer(session, 1, {"content": []})
    folded.take(session, 0.0)
    (row,) = folded.rows
    words = '≠ printed 2 lines to stdout instead of stderr: "DEBUG ␛[1mtwo"'
    assert stdout_words(row.entries) == words
    assert words in lines(folded.rows)[0]
    assert matches(row, ["kind:fault"])
    assert matches(row, ["kind:call"])


async def test_a_refused_protocol_is_not_a_failure_once_another_is_agreed_on() -> None:
    session, folded = a_session(), TimelineRows()
    session.frame(Direction.SENT, dump({"jsonrpc": "2.0", "id": 1, "method": "server/discover"}))
    error: Json = {"code": -32022, "message": "unsupported"}
    session.frame(Direction.RECEIVED, dump({"jsonrpc": "2.0", "id": 1, "error": error}))
    folded.take(session, 0.0)
    assert "-32022 unsupported failed" in lines(folded.rows)[0]
    await session.connect()
    assert "not supported; another protocol was agreed on" in lines(folded.rows)[0]


def test_stderr_long_after_a_call_is_one_separate_row() -> None:
    session, folded = a_session(), TimelineRows()
    ask(session, 1, "get_order")
    answer(session, 1, {"content": []})
    for _ in range(60):
        log(session, "later")
    for line in ("one", "two", "three"):
        stderr(session, line)
    folded.take(session, 0.0)
    shown = lines(folded.rows)
    assert "#1 get_order ok" in shown[0]
    assert "stderr 3 lines: three" in shown[-1]
    assert sum("stderr" in line for line in shown) == 1


def test_a_decision_without_a_call_has_its_own_row() -> None:
    session, folded = a_session(), TimelineRows()
    session.note("block wipe", "no-deletes", kind="policy")
    ask(session, 1, "get_order")
    folded.take(session, 0.0)
    assert "§ block wipe no-deletes" in lines(folded.rows)[0]
    assert "#1 get_order waiting" in lines(folded.rows)[1]


def test_the_reason_of_a_failed_request_is_on_one_line() -> None:
    session, folded = a_session(), TimelineRows()
    session.note(
        "initialize", "exited with code 1\ncommand: python s.py\nits stderr:\nValueError: x", kind="policy"
    )
    folded.take(session, 0.0)
    assert "initialize exited with code 1: ValueError: x" in lines(folded.rows)[0]


def test_earlier_rows_stay_above_a_line_that_marks_a_reconnection() -> None:
    first, second, folded = a_session(), a_session(), TimelineRows()
    ask(first, 1, "one")
    answer(first, 1, {"content": []})
    folded.take(first, 0.0)
    ask(second, 1, "two")
    answer(second, 1, {"content": []})
    folded.take(second, 65.0)
    third = a_session()
    third.announce(NONE)
    folded.take(third, 66.0)
    shown = lines(folded.rows)
    assert "#1 one ok" in shown[0]
    assert shown[1] == "1:05 ── reconnected ──"
    assert shown[2].startswith("1:05 → #2 two ok")
    assert shown[3] == "1:06 ── reconnected --as none ──"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("tool:order status:error", ["get_order"]),
        ("status:ok", ["clock"]),
        ("seven", ["get_order"]),
        ("kind:call", ["get_order", "clock"]),
        ("method:tools/call clock", ["clock"]),
        ("kind:log", []),
        ("status:tool error", ["get_order"]),
        ("status:TOOL Error seven", ["get_order"]),
    ],
)
def test_the_filter_finds_words_and_key_value_pairs(query: str, found: list[str]) -> None:
    session, folded = a_session(), TimelineRows()
    folded.describe("get_order", 'id="seven"')
    ask(session, 1, "get_order")
    answer(session, 1, FAILED)
    ask(session, 2, "clock")
    log(session, "tick")
    answer(session, 2, {"content": []})
    folded.take(session, 0.0)
    assert [row.call for row in folded.rows if matches(row, filter_words(query))] == found


def test_a_filter_without_rows_names_the_values_of_a_part_that_has_no_such_value() -> None:
    for query in ("nothing", "status:ca", "status:tool error", "tool:nowhere", "kind:server request"):
        assert no_match(filter_words(query)) == "no row matches"
    words = no_match(filter_words("seven status:done"))
    assert words.startswith(
        "no row matches: status is one of ok, output breaks its schema, failed, tool error, "
    )
    assert "cancelled" in words
    assert "kind is one of call, exchange, server request, " in no_match(filter_words("kind:policy"))


def test_the_filter_finds_the_answer_to_a_request_of_the_server() -> None:
    session, folded = a_session(), TimelineRows()
    asked: Json = {"jsonrpc": "2.0", "id": 7, "method": "elicitation/create", "params": {"message": "?"}}
    session.frame(Direction.RECEIVED, dump(asked))
    session.frame(Direction.SENT, dump({"jsonrpc": "2.0", "id": 7, "result": {"action": "decline"}}))
    folded.take(session, 0.0)
    (row,) = folded.rows
    assert "decline" in row_line(row, 80).plain
    assert matches(row, ["status:decline"])
    assert not matches(row, ["status:cancel"])


def test_a_reading_is_one_row_with_its_method_and_uri() -> None:
    session, folded = a_session(), TimelineRows()
    session.note("allow resources/read note://a", "no rule matched", kind="policy")
    request: Json = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "note://a"}}
    session.frame(Direction.SENT, dump(request))
    log(session, "somebody reads it")
    answer(session, 1, {"contents": []})
    folded.take(session, 0.0)
    (line,) = lines(folded.rows)
    assert "#1 resources/read note://a ok policy: allowed 1 log" in line


def test_the_rows_of_several_servers_are_ordered_by_time_with_their_server() -> None:
    first, second, folded = a_session(), a_session(), TimelineRows()
    folded.describe("pay", "days=3", "b")
    ask(first, 1, "pay")
    folded.take(first, 0.0, "a")
    stderr(first, "one")
    ask(second, 1, "pay")
    # The messages of `b` arrive first, although its call began before the next frame of `a`.
    folded.take(second, 0.0, "b")
    answer(first, 1, FAILED)
    folded.take(first, 0.0, "a")
    stderr(second, "boom")
    answer(second, 1, {"content": []})
    folded.take(second, 0.0, "b")
    shown = lines(folded.rows)
    assert [line.split("→ ")[1].split(" ")[0] for line in shown] == ["a", "b"]
    assert ["days=3" in line for line in shown] == [False, True]
    assert ["boom" in line for line in shown] == [False, True]
    assert [row.number for row in folded.rows] == [1, 2]
    assert [matches(row, ["server:b"]) for row in folded.rows] == [False, True]
    again = a_session()
    ask(again, 1, "pay")
    folded.take(again, 9.0, "a")
    assert [row.segment.server for row in folded.rows] == ["a", "b", "a", "a"]
    assert "a ── reconnected ──" in lines(folded.rows)[2]


def test_rows_are_ordered_by_time_and_not_by_arrival() -> None:
    early, late, folded = a_session(), a_session(), TimelineRows()
    for number in range(1, 4):
        ask(late, number, "pay")
    ask(early, 1, "pay")
    folded.take(late, 0.0, "late")
    folded.take(early, 0.0, "early")
    # Frames of these sessions are at 0.01 s, 0.02 s, 0.03 s.
    assert [row.segment.server for row in folded.rows] == ["late", "early", "late", "late"]


def test_a_cancelled_call_is_only_called_cancelled() -> None:
    entry = Entry(
        number=1, kind=EntryKind.EXCHANGE, title="tools/call slow", state=EntryState.FAILED, at_s=0, frames=(1,),
        size_bytes=1, duration_s=1, detail="cancelled in Sightline",
    )  # fmt: skip
    line = entry_line(entry, 80).plain
    assert "cancelled" in line
    assert "failed" not in line
    assert "Sightline" not in line


def test_a_note_about_trust_in_a_recording_says_its_kind_once() -> None:
    entry = Entry(
        number=1, kind=EntryKind.DECISION, title="trust", state=EntryState.DONE, at_s=0, frames=(), size_bytes=0,
        detail="trust #2 generate_api_key: sensitive",
    )  # fmt: skip
    assert entry_line(entry, 80).plain.count("trust") == 1


def test_messages_of_the_browser_are_one_row_but_those_about_calls_are_not() -> None:
    session = a_session()

    def send(number: int, method: str) -> None:
        session.frame(Direction.SENT, dump({"id": number, "method": method, "params": {}}), Channel.CDP)

    def tell(method: str) -> None:
        session.frame(Direction.RECEIVED, dump({"method": method, "params": {}}), Channel.CDP)

    send(1, "Page.enable")
    tell("Page.loadEventFired")
    send(2, "Runtime.enable")
    tell("WebMCP.toolsAdded")
    tell("WebMCP.toolCanceled")
    session.frame(Direction.RECEIVED, dump({"id": 1, "result": {}}), Channel.CDP)
    session.frame(Direction.RECEIVED, dump({"id": 2, "error": {"code": -1, "message": "no"}}), Channel.CDP)
    send(3, "Page.disable")
    ask(session, 9, "look")
    # A server's own method of the same form is not of the browser.
    session.frame(Direction.RECEIVED, dump({"jsonrpc": "2.0", "method": "Page.enable"}))
    session.frame(Direction.RECEIVED, dump({"jsonrpc": "2.0", "method": "Page.enable"}))
    rows = TimelineRows()
    rows.take(session, 0.0)
    lines = [row_line(row, 140).plain for row in rows.rows]
    assert (
        "⊞ browser protocol: 4 messages  1 failed  Page.enable, Page.loadEventFired, Runtime.enable, WebMCP.toolsAdded "
        in lines[0]
    )
    assert [line[10:].split()[0] for line in lines[1:]] == [
        "WebMCP.toolCanceled",
        "Page.disable",
        "#1",
        "Page.enable",
        "Page.enable",
    ]
    assert matches(rows.rows[0], ["method:runtime.enable"])
    assert not matches(rows.rows[0], ["method:webmcp.toolcanceled"])
