import msgspec
import pytest

from inspector.boundary.judgement import Judgement
from inspector.boundary.mask import MASK
from inspector.boundary.options import Level
from inspector.json.diff import ChangeKind
from inspector.json.exact import Json, JsonObject
from inspector.pins.diff import DefinitionChange
from inspector.pins.pins import ChangesSince, ServerDefinitions, Since
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result
from inspector.session.call_record import CallRecord
from inspector.tui.watch.changes import ResultsAsked, reach_changed, repeats_safely, values_changed
from inspector.tui.watch.remarks import (
    changes_itself,
    ended_the_server,
    may_write,
    no_longer_fits,
    not_called,
    not_listed,
)
from inspector.tui.watch.view import Phase, WatchView, all_lines, reason_in, strip_lines, strip_rows

SECRET = "CANARY-7f3a-91be-44d0"


def _as_sent(value: Json) -> Json:
    return value


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [
        ("", ""),
        ('Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: no key', "a.py:1: ValueError: no key"),
        ("Traceback …\n  x\nKeyError: 1\n\nDuring handling …\n\nTraceback …\nmy.errors.ApiError: gone", "my.errors.ApiError: gone"),
        ('  File "/x/server.py", line 3\n    def (\n        ^\nSyntaxError: invalid syntax', "server.py:3: SyntaxError: invalid syntax"),
        ("  + Exception Group Traceback …\n  | ExceptionGroup: one (1 sub-exception)\n  +-+----\n    | OSError: in use\n    +-----", "OSError: in use"),
        ("file:///x/server.mjs:7\nfoo(\n    ^\n\nSyntaxError: missing )\n    at wrap (node:1)\n\nNode.js v20.1.0", "server.mjs:7: SyntaxError: missing )"),
        ("/x/s.js:1\nthrow new Error('boom')\n^\n\nError: boom\n    at x (/x/s.js:1:7)\n\nNode.js v20.1.0", "s.js:1: Error: boom"),
        ("thread 'main' panicked at src/main.rs:2:5:\nno key", "thread 'main' panicked at src/main.rs:2:5:"),
        ("panic: no key\n\ngoroutine 1 [running]:\nmain.main()\n\t/x/main.go:4", "panic: no key"),
        ("starting\nno such option: --prot", "no such option: --prot"),
    ],
)  # fmt: skip
def test_the_reason_why_a_server_ended_is_found_in_its_stderr(stderr: str, reason: str) -> None:
    assert reason_in(stderr.splitlines()) == reason


@pytest.mark.parametrize(
    ("annotations", "is_safe"),
    [
        ({"readOnlyHint": True}, True),
        ({"idempotentHint": True}, True),
        ({}, False),
        ({"readOnlyHint": False}, False),
        ({"readOnlyHint": "true"}, False),
        ({"destructiveHint": False}, False),
    ],
)
def test_only_calls_declared_read_only_or_idempotent_are_repeated(
    annotations: JsonObject, *, is_safe: bool
) -> None:
    assert repeats_safely(Tool(name="t", definition={"name": "t", "annotations": annotations})) is is_safe


def record(structured: JsonObject, *secret: str, text: str = "") -> CallRecord:
    properties: JsonObject = {name: {"x-sensitive": True} for name in secret}
    tool = Tool(name="t", definition={"name": "t", "outputSchema": {"properties": properties}})
    content: list[Json] = [{"type": "text", "text": text}] if text else []
    result: JsonObject = {"content": content, "structuredContent": structured}
    return CallRecord(
        number=1,
        name="t",
        arguments={},
        judgement=Judgement(Result(value=result), tool),
        at_s=0,
        duration_s=0,
        size_bytes=100,
    )


def test_a_change_of_the_type_is_shown_as_json() -> None:
    asked = ResultsAsked(before=record({"total": "5"}), now=record({"total": 5}), level=Level.DECLARED)
    view = WatchView(phase=Phase.STARTED, saved="x", called="t", values=values_changed(asked))
    lines = [line.plain.strip() for line in all_lines(view, _as_sent)]
    assert [line for line in lines if line.startswith(("was", "now"))] == ['was "5"', "now 5"]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (record({"a": 1, "key": SECRET}, "key"), record({"a": 2, "key": SECRET + "2"}, "key")),
        (record({"a": 1, "key": SECRET}, "key"), record({"a": 2, "key": SECRET + "2"})),
        (record({"a": 1, "key": SECRET}), record({"a": 2, "key": SECRET + "2"}, "key")),
        (record({"a": 1}), record({"a": 2, "key": SECRET}, "key")),
        (record({"a": 1, "in": {"key": SECRET}}, "in"), record({"a": 2, "in": {"key": SECRET + "2"}}, "in")),
        (record({"a": 1, "in": {"key": SECRET}}, "in"), record({"a": 2})),
    ],
)
def test_a_value_masked_in_one_of_two_results_is_not_shown_of_either(
    before: CallRecord, now: CallRecord
) -> None:
    asked = ResultsAsked(before=before, now=now, level=Level.DECLARED)
    view = WatchView(
        phase=Phase.STARTED, saved="x", called="t", values=values_changed(asked), reach=reach_changed(asked)
    )
    text = "\n".join(line.plain for line in (*strip_lines(view, 200), *all_lines(view, _as_sent)))
    assert "was 1" in text
    assert "now 2" in text
    assert "CANARY" not in text
    assert MASK in text


@pytest.mark.parametrize(
    ("before", "now", "shown", "hidden"),
    [
        ('{"n": 1, "m": 1}', '{"n": 2, "m": 1}', "/content/0/text/n changed 1 → 2", "/m"),
        ('{"n": 1}', '{"n":1}', "/content/0/text changed", "/n "),
        ('{"n": 1}', "gone", "/content/0/text changed", "/n "),
        # A text that repeats a secret is masked as a whole, its keys included.
        (f'{{"{SECRET}": 1}}', f'{{"{SECRET}": 2}}', "/content/0/text changed", SECRET),
    ],
)
def test_a_change_in_json_in_a_text_is_named_by_its_leaf(
    before: str, now: str, shown: str, hidden: str
) -> None:
    sides = [record({"key": SECRET}, "key", text=text) for text in (before, now)]
    asked = ResultsAsked(before=sides[0], now=sides[1], level=Level.DECLARED)
    view = WatchView(phase=Phase.STARTED, saved="x", called="t", values=values_changed(asked))
    lines = [line.plain for line in (*strip_lines(view, 200), *all_lines(view, _as_sent))]
    assert any(shown in line for line in lines), lines
    assert not any(hidden in line for line in lines), lines


def test_only_what_was_compared_is_said_to_be_as_before_the_save() -> None:
    asked = ResultsAsked(before=record({"n": 1}), now=record({"n": 1}), level=Level.DECLARED)
    compared = WatchView(phase=Phase.STARTED, saved="x", called="t", values=values_changed(asked))
    for view, words in (
        (WatchView(), "No file was saved yet."),
        (WatchView(phase=Phase.STARTED, saved="x"), "There are no two results of the same call to compare."),
        (WatchView(phase=Phase.STARTED, saved="x", is_result_old=True), "is from before the save."),
        (WatchView(phase=Phase.STARTED, saved="x", is_comparing=True), "still being compared."),
        (
            compared,
            "The definitions did not change with the save. The result of t did not change with the save.",
        ),
    ):
        last = all_lines(view, _as_sent)[-1].plain
        assert last.endswith(words)
        assert ("result of t did not change" in last) is (view is compared)


def test_a_server_that_does_not_run_is_shown_with_the_end_of_its_stderr() -> None:
    view = WatchView(
        phase=Phase.BROKEN, saved="x", reason="y", stderr=("  def x(:", "key hush \x1b[2J", "SyntaxError")
    )

    def mask(value: Json) -> Json:
        return MASK if isinstance(value, str) and "hush" in value else value

    def across_lines(value: Json) -> Json:
        return MASK if isinstance(value, str) and "(:\nkey" in value else value

    text = "\n".join(line.plain for line in all_lines(view, _as_sent))
    assert "  def x(:\nkey hush" in text
    assert "\x1b" not in text
    assert "R on the main screen" in text
    assert "hush" not in "".join(line.plain for line in all_lines(view, mask))
    hidden = [line.plain for line in all_lines(view, across_lines)]
    assert hidden.count(MASK) == 3
    silent = "\n".join(line.plain for line in all_lines(msgspec.structs.replace(view, stderr=()), _as_sent))
    assert "wrote nothing to stderr" in silent


def test_what_is_cut_from_a_low_strip_is_behind_a_key() -> None:
    asked = ResultsAsked(before=record({"n": 1}), now=record({"n": 2}), level=Level.DECLARED)
    changed = WatchView(
        phase=Phase.STARTED, saved="server.py saved", called="loose", took_s=1.1, values=values_changed(asked)
    )
    broken = WatchView(phase=Phase.BROKEN, saved="server.py saved", reason="ValueError: " + "x" * 200)
    for view, row in (
        (
            changed,
            "↻ server.py saved: loose called again  ~ /structuredContent/n changed 1 → 2  W shows more.",
        ),
        (broken, f"! ValueError: {'x' * 60}…  W shows more."),
    ):
        assert [line.plain for line in strip_rows(view, 90, is_folded=False)] == [row]
        assert [line.plain for line in strip_rows(view, 90, is_folded=True)] == [row]
        # `W` would be typed into a field.
        (typing,) = strip_rows(view, 90, is_folded=False, is_typing=True)
        assert "W shows" not in typing.plain
        assert not any("W shows" in line.plain for line in strip_lines(view, 90, is_typing=True))
    narrow = [line.plain for line in strip_rows(changed, 70, is_folded=False)]
    assert narrow == ["↻ server.py saved: loose called again in 1.10 s  W shows more."]
    assert any(line.plain == "The result of loose" for line in all_lines(changed, _as_sent))


def test_foreign_text_in_the_watch_view_is_made_safe() -> None:
    hostile = "\x1b]52;c;Q0FOQVJZ\x07\u202e[bold]"
    before, now = record({hostile: 1}), record({hostile: 2, f"{hostile}2": "\x1b[2J"})
    asked = ResultsAsked(before=before, now=now, level=Level.DECLARED)
    for view in (
        WatchView(phase=Phase.BROKEN, saved=hostile, reason=hostile),
        WatchView(
            phase=Phase.STARTED, saved=hostile, called=hostile, remark=hostile, values=values_changed(asked)
        ),
        WatchView(watched=hostile),
    ):
        text = "".join(line.plain for line in (*strip_lines(view, 200), *all_lines(view, _as_sent)))
        assert not set(text) & set("\x1b\x07\u202e")
        assert "[bold]" in text


def redefined(*changes: tuple[str, str, ChangeKind], weakens: tuple[str, ...] = ()) -> ChangesSince:
    """The changes of definitions: by tool, pointer and kind."""
    tools = tuple(
        DefinitionChange(tool=tool, kind=kind, pointer=pointer, before=1, after=2, weakens=weakens)
        for tool, pointer, kind in changes
    )
    return ChangesSince(since=Since.SAVED, before=ServerDefinitions(), now=ServerDefinitions(), tools=tools)


def test_a_low_strip_names_changed_definitions_in_its_first_row() -> None:
    remark = "r in stock_level repeats it, now and on each save: it may write."
    limit = ("noisy", "/inputSchema/properties/limit", ChangeKind.ADDED)
    many = [(f"a_tool_{number}", "/description", ChangeKind.CHANGED) for number in range(5)]
    for altered, words in (
        (redefined(limit), " in 400 ms  ~ noisy"),
        (redefined(*many), "  ~ 5 definitions"),
        (redefined(*many, weakens=("reads only",)), "  ! 5 restrictions dropped"),
    ):
        view = WatchView(
            phase=Phase.STARTED,
            at="14:03:22",
            saved="server.py saved",
            took_s=0.4,
            remark=remark,
            definitions=altered,
        )
        first, *rest = (row.plain for row in strip_rows(view, 78, is_folded=False))
        assert first.endswith(f"{words}  W shows more.")
        assert len(first) <= 78
        assert rest == [f"  {remark}"]


def test_every_changed_tool_is_named_although_not_every_change_has_room() -> None:
    added, changed = ChangeKind.ADDED, ChangeKind.CHANGED
    for changes, line in (
        (
            [("a", "/description", changed), ("b", "", added), ("a", "/title", changed)],
            "  definitions  ~ a /description changed  ~ a /title changed  + b is new",
        ),
        (
            [("noisy", f"/inputSchema/properties/{name}", added) for name in ("limit", "offset")]
            + [("stock_level", "/description", changed)],
            "  definitions  ~ noisy (2 changes)  ~ stock_level /description changed",
        ),
        (
            [(f"get_{name}", "/inputSchema/properties/limit", added) for name in ("one", "two", "three")],
            "  definitions  ~ get_one  ~ get_three  ~ get_two",
        ),
        (
            [(f"a_tool_with_a_long_name_{number}", "/description", changed) for number in range(5)],
            "  definitions  ~ a_tool_with_a_long_name_0  ~ a_tool_with_a_long_name_1  and 3 more",
        ),
    ):
        found = redefined(*sorted(changes, key=lambda change: change[0]))
        view = WatchView(phase=Phase.STARTED, saved="x", definitions=found)
        lines = [row.plain for row in strip_lines(view, 88 if "more" in line else 78)]
        assert lines[-1] == line


def test_what_a_strip_tells_to_do_is_never_cut_at_80_columns() -> None:
    name = "a_very_long_name_of_a_tool_that_writes_something_somewhere"
    reason = "the server marks this tool destructive (destructiveHint)"
    watched = WatchView(watched="Watching /home/someone/of/a/long/name/and/a/server/in/a/deep/folder.")
    for view in (
        WatchView(phase=Phase.BROKEN, saved="server.py saved", reason="ValueError: " + "x" * 200),
        WatchView(phase=Phase.BROKEN, saved="x", reason="y" * 200, is_started=False),
        watched,
        msgspec.structs.replace(watched, is_started=False),
        *(
            WatchView(phase=Phase.STARTED, saved="server.py saved", remark=remark)
            for remark in (
                may_write(name),
                ended_the_server(name),
                not_listed(name),
                not_called(name, reason),
                no_longer_fits(name, "words is missing"),
                changes_itself(name),
            )
        ),
    ):
        first, *rest = (row.plain for row in strip_rows(view, 78, is_folded=False))
        assert all(len(row) <= 78 for row in (first, *rest))
        assert bool(rest) is bool(view.remark)
        if not rest:
            assert first.endswith(("W shows more.", "repeats the last call if it only reads."))
            continue
        assert "…" not in "".join(rest).replace(" a_very…", "").replace("…", "", 1)
        assert rest[-1].endswith(".")
    for words in (may_write(name), ended_the_server(name), not_listed(name)):
        assert len(words) <= 76
    assert may_write("stock_level") == "r in stock_level repeats it, now and on each save: it may write."
