"""Resources and prompts in recordings: recorded without withheld values, replayed, compared and served."""

from pathlib import Path

from inspector.json.exact import JsonObject
from inspector.protocol.catalogue import Kind
from inspector.recording.files.playing import Played
from tests.cli.sightline import sightline, words
from tests.cli.test_reading import READING
from tests.cli.test_serve import answers_of, asked
from tests.recording.sessions import Wire, bodies, scribed, text_of

SECRET = "4711-Canary-of-a-note"
NOTE: JsonObject = {"uri": "note://a", "name": "a"}


def session() -> Wire:
    wire = Wire()
    wire.listed()
    prompt: JsonObject = {"name": "ask"}
    for kind, item in ((Kind.RESOURCE, NOTE), (Kind.PROMPT, prompt)):
        wire.sent(kind.method, {}, kind.value)
        wire.received({"id": kind.value, "result": {kind.value: [item]}})
    return wire


def test_a_value_withheld_from_a_reading_is_not_recorded_anywhere() -> None:
    wire = session()
    wire.sent("resources/read", {"uri": "note://a"}, 1)
    reference: JsonObject = {"type": "secret_reference", "id": SECRET, "text": SECRET}
    wire.answered({"contents": [{"uri": "note://a", "text": "plain"}, reference]}, 1)
    wire.sent("prompts/get", {"name": "ask", "arguments": {"about": SECRET}}, 2)
    wire.answered({"messages": [{"role": "user", "content": {"type": "text", "text": f"see {SECRET}"}}]}, 2)
    lines = scribed(wire.frames)
    assert SECRET not in text_of(lines)
    assert "plain" in text_of(lines)
    projected = [line for line in lines if "projection" in line]
    assert [line.get("tool") for line in projected] == ["resources/read note://a", "prompts/get ask"]


def test_logs_during_a_reading_are_held_until_its_answer() -> None:
    wire = session()
    wire.sent("resources/read", {"uri": "note://a"}, 1)
    logged = wire.logged(f"somebody reads {SECRET}")
    wire.answered({"contents": [{"type": "secret_reference", "text": f"somebody reads {SECRET}"}]}, 1)
    assert SECRET not in str(bodies(scribed(wire.frames))[logged.number])


def test_recorded_readings_are_served() -> None:
    wire = session()
    for number, name in enumerate(("a", "b")):
        wire.sent("resources/read", {"uri": f"note://{name}"}, number)
        wire.answered({"contents": [{"uri": f"note://{name}", "text": name}]}, number)
        wire.sent("prompts/get", {"name": "ask", "arguments": {"about": name}}, f"p{number}")
        wire.answered(
            {"messages": [{"role": "user", "content": {"type": "text", "text": name}}]}, f"p{number}"
        )
    answers = answers_of(wire)
    read = asked(answers, "resources/read", {"uri": "note://b", "_meta": {"x": 1}})[0]
    assert read["result"] == {"contents": [{"uri": "note://b", "text": "b"}]}
    assert "error" in asked(answers, "resources/read", {"uri": "note://c"})[0]
    got, remarks = asked(answers, "prompts/get", {"name": "ask", "arguments": {"about": "b"}})
    assert "'text': 'b'" in str(got)
    assert not remarks
    assert asked(answers, "prompts/get", {"name": "ask", "arguments": {"about": "z"}})[1]
    assert "error" in asked(answers, "prompts/get", {"name": "other"})[0]


def test_a_recorded_reading_is_replayed_checked_and_served(tmp_path: Path) -> None:
    path = tmp_path / "book.jsonl"
    template = ("read", "book", "--arg", "genre=fiction", "--arg", "title=Dune")
    assert sightline(*template, "--record", str(path), *READING).code == 0
    checked = sightline("replay", "--check", str(path))
    assert (checked.code, "1 result checked, 0 differ" in checked.out) == (0, True), checked.out
    shown = sightline("replay", "--format", "json", str(path)).json["recordings"][0]
    assert [call["tool"] for call in shown["calls"]] == ["resources/read shelf://fiction/Dune"]
    assert "allow resources/read shelf://fiction/Dune" in shown["notes"][0]["text"]
    played = Played(path)
    played.index()
    assert list(played.moment(played.last).calls) == ["resources/read shelf://fiction/Dune"]
    played.close()
    served = sightline(*template, "--format", "json", "--", *words("serve", str(path)))
    assert served.json["raw"] == shown["calls"][0]["result"], served.err
