import http.client
import json
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from inspector.json.exact import Json, JsonObject, JsonText, Malformed, parse
from inspector.recording.answering import Answers
from inspector.recording.codec import decoded
from inspector.recording.format import RecordedFrame
from tests.cli.sightline import environment, sightline, words
from tests.recording.sessions import TOOL, Wire, conversation, recorded_to, scribed, text_of


def answers_of(wire: Wire, *, exact: bool = False) -> Answers:
    found = [decoded(line.encode()) for line in text_of(scribed(wire.frames)).splitlines()]
    frames = [(place, line) for place, line in enumerate(found) if isinstance(line, RecordedFrame)]
    return Answers(frames, dict(frames).__getitem__, exact=exact)


def asked(
    answers: Answers, method: str, params: JsonObject, request_id: Json = 1
) -> tuple[JsonObject, tuple[str, ...]]:
    message: JsonObject = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    found = answers.answer(JsonText(value=message))
    assert isinstance(found.message, dict)
    assert (found.message["jsonrpc"], found.message["id"]) == ("2.0", request_id)
    return found.message, found.remarks


def called(answers: Answers, name: str, arguments: JsonObject) -> tuple[JsonObject, tuple[str, ...]]:
    return asked(answers, "tools/call", {"name": name, "arguments": arguments, "_meta": {"progressToken": 4}})


def told(text: str) -> JsonObject:
    return {"content": [{"type": "text", "text": text}]}


def test_a_call_is_answered_by_its_arguments_except_withheld_ones() -> None:
    wire = conversation()
    wire.called("get_key", {"pin": "1", "q": "y"}, 8)
    wire.answered(told("of y"), 8)
    answers = answers_of(wire)
    found, remarks = called(answers, "get_key", {"pin": "another", "q": "y"})
    assert found["result"] == told("of y")
    assert remarks == ()
    found, remarks = called(answers, "get_key", {"q": "y", "pin": {"a": 1}})
    assert found["result"] == told("of y")


def test_a_call_that_got_no_answer_ends_with_an_error_that_says_how() -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.called("get_key", {"q": "dies"}, 1)
    wire.stderr("a line that the end quotes")
    wire.note("the server exited with code 3")
    wire.note("the server exited with code 3\na line that the end quotes", "1", "connection_lost")
    wire.called("get_key", {"q": "dies"}, 2)
    wire.answered(told("the second time"), 2)
    wire.called("other", {}, 3)
    answers = answers_of(wire)
    found, remarks = called(answers, "get_key", {"q": "dies"})
    message = "The recording has no answer to this call of get_key: the server exited with code 3"
    assert found["error"] == {"code": -32603, "message": message}
    assert remarks == (message,)
    found, remarks = called(answers, "get_key", {"q": "dies"})
    assert (found["result"], remarks) == (told("the second time"), ())
    found, remarks = called(answers, "get_key", {"q": "die"})
    assert found["result"] == told("the second time")
    assert remarks == ("tools/call get_key: answered from the nearest of 2 recorded calls",)
    found, _ = called(answers, "other", {"q": "else"})
    never = "The recording has no answer to any call of other: the recording ends before an answer"
    assert found["error"] == {"code": -32603, "message": never}
    found, _ = called(answers_of(wire, exact=True), "get_key", {"q": "die"})
    assert found["error"] == {
        "code": -32602,
        "message": "The recording has tools/call get_key only with other parameters",
    }


def test_other_arguments_get_the_nearest_call_or_with_exact_an_error() -> None:
    wire = Wire()
    wire.listed(TOOL)
    for number, q in enumerate(("one", "two")):
        wire.called("get_key", {"q": q, "n": number}, number)
        wire.answered(told(q), number)
    found, remarks = called(answers_of(wire), "get_key", {"q": "two", "n": 9})
    assert found["result"] == told("two")
    assert remarks == ("tools/call get_key: answered from the nearest of 2 recorded calls",)
    found, _ = called(answers_of(wire, exact=True), "get_key", {"q": "two", "n": 9})
    assert "only with other parameters" in json.dumps(found["error"])


def test_equal_calls_are_answered_in_the_recorded_order() -> None:
    wire = Wire()
    wire.listed(TOOL)
    for number in range(3):
        wire.called("get_key", {}, number)
        wire.answered(told(str(number)), number)
    answers = answers_of(wire)
    found = [called(answers, "get_key", {})[0]["result"] for _ in range(4)]
    assert found == [told("0"), told("1"), told("2"), told("2")]


def test_a_request_that_was_not_recorded_is_an_error() -> None:
    answers = answers_of(conversation())
    found, remarks = called(answers, "unknown", {})
    assert found["error"] == {"code": -32602, "message": remarks[0]}
    assert asked(answers, "prompts/list", {})[0]["error"] == {
        "code": -32601,
        "message": "The recording has no such request",
    }
    assert asked(answers, "tools/list", {"cursor": "x"})[0]["error"]
    assert asked(answers, "ping", {})[0]["result"] == {}


def test_a_handshake_is_built_from_a_recorded_stateless_discovery() -> None:
    wire = Wire()
    wire.sent("server/discover", {}, 1)
    wire.answered({"capabilities": {"tools": {"listChanged": False}}, "instructions": "Hello"}, 1)
    found, _ = asked(answers_of(wire), "initialize", {"protocolVersion": "2025-06-18"})
    assert found["result"] == {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "recording", "version": "0"},
        "instructions": "Hello",
    }


def test_batches_notifications_and_garbage_are_handled() -> None:
    answers = answers_of(conversation())
    notification: JsonObject = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    ping: JsonObject = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert answers.answer(JsonText(value=notification)).message is None
    assert answers.answer(JsonText(value=[notification])).message is None
    found = answers.answer(JsonText(value=[ping, 5])).message
    assert isinstance(found, list)
    assert len(found) == 2
    garbage = answers.answer(Malformed(pointer="", reason="")).message
    assert "-32700" in json.dumps(garbage)


def test_sightline_can_call_a_served_recording_like_the_server(tmp_path: Path) -> None:
    wire = Wire()
    wire.sent("server/discover", {}, 1)
    wire.answered(
        {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete"}, 1
    )
    wire.frames += conversation().frames
    path = recorded_to(tmp_path / "a.jsonl", wire.frames)
    ran = sightline("call", "get_key", "--arg", "q=x", "--format", "json", "--", *words("serve", str(path)))
    assert ran.code == 0, ran.err
    assert ran.json["tool"] == "get_key"
    assert ran.json["model"]["structuredContent"]["id"] == "one"
    assert {one["rule"] for one in ran.json["withheld"]} == {"x-sensitive", "mirror"}
    assert "CANARY" not in ran.out


@contextmanager
def served(path: Path) -> Generator[tuple[int, str]]:
    with subprocess.Popen(
        words("serve", "--http", "0", str(path)), env=environment(), stderr=subprocess.PIPE, text=True
    ) as serving:
        assert serving.stderr
        url = serving.stderr.readline().split()[-1]
        token = serving.stderr.readline().split()[-1]
        try:
            yield int(url.split(":")[2].partition("/")[0]), token
        finally:
            serving.terminate()
            assert serving.wait() == 0


def posted(port: int, body: bytes, **headers: str) -> tuple[int, Json]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    method, path = named.pop("method", "POST"), named.pop("path", "/mcp")
    connection.request(method, path, body, named)
    response = connection.getresponse()
    found = parse(response.read())
    connection.close()
    return response.status, found.value


def test_over_http_only_requests_with_the_token_on_loopback_are_served(tmp_path: Path) -> None:
    path = recorded_to(tmp_path / "a.jsonl", conversation().frames)
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    with served(path) as (port, token):
        bearer = f"Bearer {token}"
        assert posted(port, ping, Authorization=bearer) == (200, {"jsonrpc": "2.0", "id": 1, "result": {}})
        notified = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
        assert posted(port, notified, Authorization=bearer)[0] == 202
        assert posted(port, ping)[0] == 401
        assert posted(port, ping, Authorization=f"{bearer}x")[0] == 401
        assert posted(port, ping, Authorization=bearer, Origin="https://evil.example")[0] == 403
        assert posted(port, ping, Authorization=bearer, Origin="http://localhost:5173")[0] == 200
        assert posted(port, ping, Authorization=bearer, Host="evil.example")[0] == 421
        assert posted(port, ping, Authorization=bearer, path="/else")[0] == 404
        assert posted(port, b"", Authorization=bearer, method="GET")[0] == 405
        ran = sightline(
            "list", "--header", f"Authorization: {bearer}", "--format", "json", f"http://127.0.0.1:{port}/mcp"
        )
    assert ran.code == 0, ran.err
    assert [tool["name"] for tool in ran.json["tools"]] == ["get_key"]


@pytest.mark.parametrize("argv", [("serve", "README.md"), ("serve", "none.jsonl")])
def test_a_file_that_is_not_a_recording_is_not_served(argv: tuple[str, ...]) -> None:
    assert sightline(*argv).code == 2
