"""The sample recordings as golden inputs, for the core and for every command that reads recordings."""

from pathlib import Path

import pytest

from inspector.demo.secrets import MARK, SHAPED_MARK
from inspector.json.exact import Json, JsonObject, JsonText, parse
from inspector.protocol.frames import Request, messages
from inspector.recording.answering import Answers
from inspector.recording.checking import checked
from inspector.recording.codec import written
from inspector.recording.exports import KINDS, exported
from inspector.recording.files import Break, RecordingFile
from inspector.recording.files.playing import Played
from inspector.recording.format import Connected, Header, LensesChanged, Line, Listed, Note, RecordedFrame
from inspector.recording.replaying import Replay
from inspector.schema.validation import violations
from tests.cli.sightline import sightline
from tests.recording.samples import FOLDER, THEMES
from tests.recording.test_format import SCHEMA
from tests.sinks.searching import encoded

SAMPLES = [FOLDER / f"{name}.jsonl" for name in THEMES]
every_sample = pytest.mark.parametrize("path", SAMPLES, ids=[*THEMES])


def read(path: Path) -> tuple[Header, list[Line]]:
    file = RecordingFile(path)
    found = list(file.lines())
    file.close()
    return file.header, [line for line in found if not isinstance(line, Break)]


def test_there_is_one_sample_for_every_theme() -> None:
    assert sorted(FOLDER.glob("*.jsonl")) == sorted(SAMPLES)


@every_sample
def test_a_sample_is_valid_and_complete_and_contains_no_secret(path: Path) -> None:
    file = RecordingFile(path)
    assert not [line for line in file.lines() if isinstance(line, Break)]
    file.close()
    raw = path.read_text()
    for line in raw.splitlines():
        assert violations(parse(line).value, SCHEMA) == ()
    for mark in (MARK, SHAPED_MARK):
        assert [form for form in encoded(mark) if form in raw] == []


@every_sample
def test_every_recorded_result_is_projected_as_before(path: Path) -> None:
    _, lines = read(path)
    found = list(checked(lines))
    assert len(found) >= 4
    assert [call for call in found if call.mismatches] == []


@every_sample
@pytest.mark.parametrize("kind", KINDS)
def test_an_exported_document_has_every_call_and_every_note(path: Path, kind: str) -> None:
    header, lines = read(path)
    text = "\n".join(exported("html" if kind == "html" else "markdown", header, lines))
    replay = Replay()
    calls = [call for line in lines for call in replay.calls(line)]
    heading = "<h2>Frame " if kind == "html" else "## Frame "
    assert text.count(heading) == len(calls) + len(replay.unanswered)
    notes = [line for line in lines if isinstance(line, (Note, LensesChanged, Connected))]
    remark = "<p>" if kind == "html" else " s, `"
    assert text.count(remark) == len(notes) + (text.count(heading) if kind == "html" else 0)


@every_sample
def test_a_served_sample_answers_requests_as_recorded(path: Path) -> None:
    _, lines = read(path)
    answers = Answers(enumerate(lines), lines.__getitem__, exact=True)
    replay = Replay()
    for line in lines:
        for call in replay.calls(line):
            arguments = _recorded_arguments(lines, call.frame, call.name) or call.arguments
            params: JsonObject = {"name": call.name, "arguments": arguments}
            found = answers.answer(
                JsonText(value={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
            )
            assert isinstance(found.message, dict)
            assert found.remarks == ()
            # A call of an unknown tool is an error there too.
            assert "result" in found.message or call.name == "no_such_tool"
    listing = answers.answer(
        JsonText(value={"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
    ).message
    assert isinstance(listing, dict)
    result = listing["result"]
    assert isinstance(result, dict)
    tools = result["tools"]
    assert isinstance(tools, list)
    assert len(tools) > 10


def _recorded_arguments(lines: list[Line], frame: int, name: str) -> Json:
    """The arguments in the file, with ids, of the last request before that frame."""
    asked: Json = None
    for line in lines:
        if isinstance(line, RecordedFrame) and line.number < frame:
            for message in messages(JsonText(value=line.content)):
                params = message.params if isinstance(message, Request) else None
                if isinstance(params, dict) and params.get("name") == name:
                    asked = params.get("arguments")
    return asked


@every_sample
def test_a_sample_can_be_stepped_through(path: Path) -> None:
    found = Played(path)
    found.index()
    assert found.broken is None
    position = 0
    while (after := found.next(position)) is not None:
        position = after
        found.moment(position)
        count = found.entry_count(position)
        assert count == 0 or found.entry(count, position).number == count
    assert position == found.last
    assert len(found.moment(position).catalogue.tools) > 10
    assert [call.name for place in found.calls for call in found.call(place)]
    found.close()


def test_each_sample_contains_the_subject_of_its_theme() -> None:
    kinds = {path.stem: {type(line) for line in read(path)[1]} for path in SAMPLES}
    assert LensesChanged in kinds["claims-and-boundaries"]
    assert Connected in kinds["faults"]
    assert Listed in kinds["page"]
    assert Note in kinds["untrusted-content"]
    raw = {path.stem: path.read_text() for path in SAMPLES}
    assert '"$withheld": "secret-reference"' in raw["secrets"] or '"secret-reference"' in raw["secrets"]
    assert "send_mail: not agreed" in raw["untrusted-content"]
    assert '"error"' in raw["faults"]


def test_all_samples_pass_the_check_in_one_command() -> None:
    ran = sightline("replay", "--check", "--format", "json", str(FOLDER))
    assert ran.code == 0
    assert [report["differences"] for report in ran.json["recordings"]] == [[]] * len(SAMPLES)
    shown = sightline("replay", "--format", "json", str(FOLDER / "faults.jsonl"))
    (contents,) = shown.json["recordings"]
    assert {note["kind"] for note in contents["notes"]} >= {"policy", "trust", "connection"}


def test_tools_of_a_recorded_page_are_compared_as_listed() -> None:
    page, others = (str(FOLDER / f"{name}.jsonl") for name in ("page", "faults"))
    assert sightline("diff", page, page, "--exit-code").code == 0
    ran = sightline("diff", others, page, "--format", "json")
    added = {change["tool"] for change in ran.json["changes"] if change["kind"] == "added"}
    assert "team_motto" in added


def test_a_changed_sample_fails_the_check(tmp_path: Path) -> None:
    raw = (FOLDER / "untrusted-content.jsonl").read_text()
    frame = next(
        line for line in raw.splitlines() if '"notices"' in line or '"content":[{"type":"text"' in line
    )
    (tmp_path / "a.jsonl").write_text(
        raw.replace(frame, frame.replace('"type":"text","text":"', '"type":"text","text":"!', 1), 1)
    )
    _, lines = read(tmp_path / "a.jsonl")
    assert [call for call in checked(lines) if call.mismatches]
    assert written(lines[0])
