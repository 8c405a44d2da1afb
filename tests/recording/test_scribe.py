import pytest
from msgspec.structs import replace

from inspector.json.exact import Json, JsonObject, dump
from inspector.json.pointer import join, resolve
from inspector.protocol.catalogue import Tool
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.outcome import Result
from inspector.recording import scribe as scribing
from inspector.recording.checking import checked
from inspector.recording.codec import Broken, decoded, written
from inspector.recording.format import Lenses, PageCall
from inspector.recording.markers import MarkerKey, is_marker
from tests.peers.leaking_server import FIRST, leaking
from tests.peers.leaking_server import SECRET as LEAKED
from tests.recording.sessions import KEY, TOOL, Wire, bodies, conversation, scribed, text_of

SECRET = "CANARY-4711-abcdef"


def at(value: Json, *tokens: str | int) -> Json:
    return resolve(value, join(tokens))


def rule(value: Json) -> str:
    assert is_marker(value), value
    assert isinstance(value, dict)
    return str(value["$withheld"])


def test_a_withheld_value_is_replaced_by_an_id_equal_for_equal_values() -> None:
    wire = conversation()
    wire.called("get_key", {"q": "y"}, 8)
    wire.answered({"content": [], "structuredContent": {"id": "two", "key": SECRET}}, 8)
    wire.called("get_key", {"q": "z"}, 9)
    wire.answered({"content": [], "structuredContent": {"id": "three", "key": "another secret"}}, 9)
    lines = scribed(wire.frames)
    found = bodies(lines)
    marks = [at(found[number], "result", "structuredContent", "key") for number in (4, 6, 8)]
    assert [rule(mark) for mark in marks] == ["x-sensitive"] * 3
    assert marks[0] == marks[1] != marks[2]
    assert at(found[4], "result", "structuredContent", "id") == "one"
    assert rule(at(found[4], "result", "content", 0, "text")) == "mirror"
    assert SECRET not in text_of(lines)


def test_a_sensitive_argument_is_withheld_with_its_echoes() -> None:
    wire = conversation()
    wire.stderr("refused pin 943102")
    wire.called("other", {"note": "it was 943102"}, 8)
    lines = scribed(wire.frames)
    found = bodies(lines)
    assert rule(at(found[3], "params", "arguments", "pin")) == "argument"
    assert at(found[3], "params", "arguments", "q") == "x"
    assert rule(found[5]) == "echo"
    assert "943102" not in text_of(lines)


def test_a_log_before_the_answer_that_declares_its_secret_is_withheld() -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.called("get_key", {})
    wire.logged(f"made {SECRET}")
    wire.logged("harmless")
    wire.stderr(f"debug {SECRET[::-1]}")
    before = scribed(wire.frames, finish=False)
    assert list(bodies(before)) == [1, 2, 3]
    wire.answered({"content": [], "structuredContent": {"key": SECRET}})
    lines = scribed(wire.frames)
    found = bodies(lines)
    assert list(found) == [1, 2, 3, 4, 5, 6, 7]
    assert rule(at(found[4], "params", "data")) == "echo"
    assert at(found[5], "params", "data") == "harmless"
    assert rule(found[6]) == "echo"
    assert SECRET not in text_of(lines)


def test_two_calls_at_once_are_held_until_both_are_judged() -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.called("get_key", {}, 1)
    wire.called("free", {}, 2)
    wire.answered({"content": [{"type": "text", "text": f"the key is {SECRET}"}]}, 2)
    assert list(bodies(scribed(wire.frames, finish=False))) == [1, 2, 3, 4]
    wire.answered({"content": [], "structuredContent": {"key": SECRET}}, 1)
    assert SECRET not in text_of(scribed(wire.frames))


@pytest.mark.parametrize("ending", ["note", "close", "too much"])
def test_the_logs_of_a_call_without_an_answer_are_withheld(
    ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.called("get_key", {})
    wire.logged(f"made {SECRET}")
    wire.stderr(SECRET)
    if ending == "note":
        wire.note(f"the server ended: {SECRET}", ends="7")
    if ending == "too much":
        monkeypatch.setattr(scribing, "MAX_HELD_FRAMES", 1)
    lines = scribed(wire.frames, finish=ending == "close")
    found = bodies(lines)
    assert rule(at(found[4], "params")) == "unjudged"
    assert SECRET not in text_of(lines)


def test_a_frame_that_cannot_be_judged_is_withheld() -> None:
    wire = conversation()
    wire.called("get_key", {}, 8)
    wire.frame(Direction.RECEIVED, b'{"jsonrpc":"2.0","id":8,"result":{"key":"' + SECRET.encode())
    wire.answered({"structuredContent": {"key": "fresh secret"}}, 99)
    wire.frame(Direction.RECEIVED, b'{"id":8,"id":8,"result":"fresh secret"}')
    wire.frame(Direction.RECEIVED, b'["fresh secret"]')
    wire.received({"id": 8, "result": {"a": "fresh secret"}, "error": {"code": 1, "message": "no"}})
    lines = scribed(wire.frames)
    found = bodies(lines)
    assert rule(found[6]) == "unjudged"
    assert "text" in next(line for line in lines if line.get("frame") == 6)
    assert rule(at(found[7], "result")) == "unjudged"
    assert rule(at(found[10], "result")) == "unjudged"
    assert "fresh secret" not in text_of(lines)
    assert SECRET not in text_of(lines)


def test_an_error_beside_a_result_is_withheld_and_secrets_of_the_result_are_found_elsewhere() -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.called("get_key", {})
    wire.logged(f"made {SECRET}")
    result: Json = {"content": [], "structuredContent": {"key": SECRET}}
    wire.received({"id": 7, "result": result, "error": {"code": -1, "message": f"no {SECRET}"}})
    wire.logged("harmless")
    lines = scribed(wire.frames)
    assert rule(at(bodies(lines)[5], "error")) == "internal"
    assert at(bodies(lines)[6], "params", "data") == "harmless"
    assert SECRET not in text_of(lines)


def test_the_answer_of_a_call_before_any_listing_is_withheld() -> None:
    wire = Wire()
    wire.called("get_key", {})
    wire.answered({"content": [{"type": "text", "text": SECRET}]})
    assert rule(at(bodies(scribed(wire.frames))[2], "result")) == "unjudged"


def test_a_mark_that_a_later_listing_removes_still_applies() -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.listed({**TOOL, "outputSchema": {"type": "object"}, "inputSchema": {"type": "object"}})
    wire.called("get_key", {"pin": "943102"})
    wire.answered({"content": [], "structuredContent": {"key": SECRET}})
    text = text_of(scribed(wire.frames))
    assert SECRET not in text
    assert "943102" not in text


def test_the_marks_of_a_malformed_tool_apply_to_its_calls() -> None:
    wire = Wire()
    wire.listed({key: value for key, value in TOOL.items() if key != "inputSchema"})
    wire.called("get_key", {})
    wire.answered({"content": [], "structuredContent": {"key": SECRET}})
    assert SECRET not in text_of(scribed(wire.frames))


def test_a_secret_reference_keeps_its_type_and_label() -> None:
    wire = Wire()
    wire.listed(TOOL)
    reference: JsonObject = {
        "type": "secret_reference",
        "id": "reference-4711",
        "label": "API key",
        "redeemUrl": "https://a.example/secrets/4711-abc",
        "ttl": 300,
    }
    wire.called("free", {})
    wire.answered({"content": [reference]})
    wire.stderr("kept reference-4711")
    lines = scribed(wire.frames)
    left = at(bodies(lines)[4], "result", "content", 0)
    assert (at(left, "type"), at(left, "label")) == ("secret_reference", "API key")
    assert {rule(at(left, key)) for key in ("id", "redeemUrl", "ttl")} == {"secret-reference"}
    assert "4711" not in text_of(lines)


def test_secrets_of_the_target_are_withheld_from_the_start() -> None:
    wire = Wire()
    wire.note(f"started process 12: node server.js --token {SECRET}")
    wire.stderr(f"token {SECRET}")
    wire.note(f"failed at {SECRET}")
    lines = scribed(wire.frames, secrets=(SECRET,))
    assert bodies(lines)[1] == "started process 12"
    assert SECRET not in text_of(lines)


def test_the_query_of_a_url_is_withheld_and_the_rest_kept() -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.called("free", {"url": "https://a.example/x?sig=abcdef"})
    wire.answered({"content": [{"type": "resource_link", "uri": "https://a.example/x?sig=abcdef"}]})
    found = bodies(scribed(wire.frames))
    uri = str(at(found[4], "result", "content", 0, "uri"))
    assert uri.startswith("https://a.example/x?[withheld query ")
    assert uri == at(found[3], "params", "arguments", "url")


def test_a_marker_sent_by_a_server_is_withheld() -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.called("free", {})
    forged: JsonObject = {"$withheld": "x-sensitive", "id": "0" * 16}
    wire.answered({"content": [], "structuredContent": {"a": forged}})
    left = at(bodies(scribed(wire.frames))[4], "result", "structuredContent", "a")
    assert left == MarkerKey(KEY).marker("internal", forged)


def test_short_values_are_withheld_from_logs_and_not_from_names() -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.called("get_key", {"pin": "ab12"})
    wire.logged("pin ab12 refused")
    wire.answered({"content": []})
    found = bodies(scribed(wire.frames))
    assert rule(at(found[4], "params", "data")) == "echo"
    assert at(found[3], "method") == "tools/call"


def test_common_words_of_a_result_that_is_withheld_as_a_whole_stay_in_logs() -> None:
    wire = Wire()
    wire.listed(
        {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"sensitiveHint": True}}, TOOL
    )
    wire.called("look", {})
    content: Json = [{"type": "text", "text": "the"}, {"type": "text", "text": "done"}]
    found: Json = {
        "state": "ok",
        "pin": "4711",
        "code": "xKcD",
        "on": True,
        "name": "tulip-harbour",
        "who": "Anna",
    }
    wire.answered({"content": content, "structuredContent": found})
    wire.called("get_key", {"pin": "abcd"}, 9)
    wire.answered({"content": []}, 9)
    kept = ["the state is ok: true", "all done"]
    secret = ["pin is 4711", "xKcD it was", "of tulip-harbour", "Anna came", "typed abcd"]
    for line in (*kept, *secret):
        wire.logged(line)
    logs = [body for body in bodies(scribed(wire.frames)).values() if isinstance(body, dict)]
    said = [at(body, "params", "data") for body in logs if body.get("method") == "notifications/message"]
    assert said[: len(kept)] == kept
    assert [rule(each) for each in said[len(kept) :]] == ["echo"] * len(secret)


def test_notes_and_setting_changes_keep_their_place_while_a_call_runs() -> None:
    wire = conversation()
    scribe = scribing.Scribe(KEY, Lenses())
    kinds: list[str] = []
    for matched in wire.matched:
        kinds += [type(line).__name__ for line in scribe.take(matched)]
        if matched.frame.number == 3:
            assert list(scribe.note(1.0, "policy", "allowed")) == []
            assert list(scribe.look(1.0, Lenses(host="codex"))) == []
    kinds += [type(line).__name__ for line in scribe.finish()]
    assert kinds == [*["RecordedFrame"] * 3, "Note", "LensesChanged", "RecordedFrame", "Projected", "End"]


def test_a_batch_is_bounded_message_by_message() -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.called("get_key", {})
    batch: Json = [
        {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": SECRET}},
        {"jsonrpc": "2.0", "id": 7, "result": {"content": [], "structuredContent": {"key": SECRET}}},
    ]
    wire.frame(Direction.RECEIVED, dump(batch))
    wire.frame(Direction.RECEIVED, b"bye", Channel.STDERR)
    lines = scribed(wire.frames)
    assert SECRET not in text_of(lines)
    assert rule(at(bodies(lines)[4], 1, "result", "structuredContent", "key")) == "x-sensitive"


def test_a_page_call_is_recorded_bounded_and_without_browser_frames() -> None:
    wire = Wire()
    event: JsonObject = {"method": "Runtime.consoleAPICalled", "params": {"args": [SECRET]}}
    wire.frame(Direction.RECEIVED, dump(event), Channel.CDP)
    wire.frame(Direction.RECEIVED, dump({"id": 4, "result": {"value": SECRET}}), Channel.CDP)
    scribe = scribing.Scribe(KEY, Lenses())
    made = scribing.PageCall(
        number=1,
        name="get_key",
        tool=Tool(name="get_key", definition=TOOL),
        arguments={"pin": "943102", "q": "x"},
        outcome=Result(value={"id": "one", "key": SECRET}),
        at_s=1,
        duration_s=2,
    )
    lines = [written(line) for frame in wire.matched for line in scribe.take(frame)]
    lines += [written(line) for line in (*scribe.call(made), *scribe.finish())]
    found = bodies(lines)
    assert found[1] == {"method": "Runtime.consoleAPICalled", "params": at(found[1], "params")}
    assert rule(at(found[1], "params")) == rule(at(found[2], "result")) == "unjudged"
    call = lines[2]
    assert rule(at(call, "result", "key")) == "x-sensitive"
    assert rule(at(call, "arguments", "pin")) == "argument"
    assert at(call, "result", "id") == "one"
    assert SECRET not in text_of(lines)
    assert "943102" not in text_of(lines)
    decodeds = [decoded(dump(line)) for line in lines]
    (checked_call,) = checked(line for line in decodeds if not isinstance(line, Broken))
    assert checked_call.mismatches == ()


def test_passwords_and_write_only_arguments_are_withheld_at_any_place() -> None:
    secret: JsonObject = {"type": "string", "writeOnly": True}
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "password": {"type": "string", "format": "password"},
            "list": {
                "type": "array",
                "items": {"type": "object", "properties": {"s": secret, "t": {"type": "string"}}},
            },
            "plain": {"type": "string"},
        },
    }
    wire = Wire()
    wire.listed({"name": "enter", "inputSchema": schema})
    wire.called(
        "enter", {"password": "first-hidden", "list": [{"s": "second-hidden", "t": "shown"}], "plain": "x"}
    )
    lines = scribed(wire.frames)
    arguments = at(bodies(lines)[3], "params", "arguments")
    assert rule(at(arguments, "password")) == "argument"
    assert at(arguments, "plain") == "x"
    assert "hidden" not in text_of(lines)


def test_the_size_of_a_frame_does_not_reveal_that_of_a_withheld_value() -> None:
    found: list[list[Json]] = []
    for secret in ("short-secret", "a secret that is very much longer than that"):
        wire = Wire()
        wire.listed(TOOL)
        wire.called("get_key", {"pin": secret})
        wire.answered({"content": [], "structuredContent": {"key": secret}})
        wire.stderr(secret)
        wire.frame(Direction.RECEIVED, b"{" + secret.encode())
        wire.received({"id": 99, "result": secret})
        found.append([line["size"] for line in scribed(wire.frames) if "frame" in line])
        assert found[-1][:2] == [len(frame.raw) for frame in wire.frames[:2]]
    assert found[0] == found[1]


def test_the_size_of_a_complete_frame_is_that_on_the_wire() -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.called("free", {"a": 1})
    wire.answered({"content": [{"type": "text", "text": "fine"}]})
    wire.called("free", {}, 8)
    wire.received({"id": 8, "error": {"code": 1, "message": "no"}})
    wire.stderr("bye")
    sizes = [line["size"] for line in scribed(wire.frames) if "frame" in line]
    assert sizes == [len(frame.raw) for frame in wire.frames]


@pytest.mark.parametrize("while_running", [False, True])
def test_a_listing_does_not_make_a_withheld_value_public(while_running: bool) -> None:  # noqa: FBT001 - a case
    wire = Wire()
    wire.listed(*FIRST)
    wire.called("get_secret", {}, 8)
    answer: Json = {"content": [], "structuredContent": {"secret": LEAKED}}
    if not while_running:
        wire.answered(answer, 8)
    wire.listed(*leaking(LEAKED))
    if while_running:
        wire.answered(answer, 8)
    wire.called(f"delete_{LEAKED}", {}, 9)
    wire.answered({"content": []}, 9)
    wire.listed(*leaking(LEAKED))
    lines = scribed(wire.frames)
    text = text_of(lines).replace("\\u0600", "").replace("\u0600", "")
    assert LEAKED not in text
    assert text.count("get_secret") >= 3
    assert rule(at(bodies(lines)[5 if while_running else 6], "result", "tools", 1, "name")) == "echo"


def test_a_page_cannot_list_a_withheld_value_as_a_name() -> None:
    tools = [Tool(name=str(each["name"]), definition=each) for each in leaking(LEAKED)]
    first = Tool(name="get_secret", definition=FIRST[0])
    scribe = scribing.Scribe(KEY, Lenses())
    made = PageCall(
        number=1,
        name="get_secret",
        tool=first,
        arguments={},
        outcome=Result(value={"structuredContent": {"secret": LEAKED}}),
        at_s=0.0,
        duration_s=0.0,
    )
    again = replace(made, number=2, name=tools[1].name, tool=tools[1])
    lines = [
        *scribe.listed(0.0, [first]),
        *scribe.call(made),
        *scribe.listed(1.0, tools),
        *scribe.call(again),
    ]
    text = text_of(map(written, lines)).replace("\\u0600", "").replace("\u0600", "")
    assert LEAKED not in text
