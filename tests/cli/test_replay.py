import json
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from inspector.recording import replaying
from inspector.recording.checking import checked
from inspector.recording.codec import Broken, decoded
from inspector.recording.files import Recorder
from inspector.recording.format import Line
from tests.cli.sightline import ROOT, sightline
from tests.recording.sessions import HEADER, Wire, as_two_clients, conversation, recorded_to, scribed, text_of

if TYPE_CHECKING:
    from inspector.json.exact import JsonObject


def edited(path: Path, before: str, after: str) -> Path:
    copy = path.with_name("edited.jsonl")
    text = path.read_text()
    assert text.count(before) >= 1
    # The first match is the frame; its projection comes later.
    copy.write_text(text.replace(before, after, 1))
    return copy


def lines_in(raw: str) -> list[Line]:
    found = [decoded(line.encode()) for line in raw.splitlines()]
    return [line for line in found if not isinstance(line, Broken)]


def test_an_unchanged_recording_passes_the_check(tmp_path: Path) -> None:
    path = recorded_to(tmp_path / "a.jsonl", conversation().frames)
    ran = sightline("replay", "--check", str(path))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"{path}: 1 result checked, 0 differ\n"


def test_the_client_profiles_of_a_recording_are_named_and_their_listings_compared(tmp_path: Path) -> None:
    path = as_two_clients(tmp_path / "a.jsonl")
    first, *rows = sightline("replay", str(path)).out.splitlines()
    assert first.endswith("boundary: declared, host: spec, client profile: full")
    assert [line.partition("connection: ")[2] for line in rows if "connection: " in line] == [
        "reconnected to the target (connection 2)",
        "reconnected to the target (connection 3, client profile: none)",
        "reconnected to the target (connection 4)",
    ]
    (shown,) = sightline("replay", "--format", "json", str(path)).json["recordings"]
    assert shown["client"] == "full"
    assert "client profile: none" in shown["notes"][1]["text"]
    exported = sightline("replay", "--export", "markdown", str(path)).out
    assert "- client profile: ` full `" in exported
    assert "connection 3, client profile: none" in exported
    reviewed = sightline("review", "--format", "json", str(path)).json
    found = [each["message"] for each in reviewed["findings"] if each["id"].startswith("SL-PIN")]
    assert found == ["The tool `other` is not listed for the client profile none."]
    assert "definitions for other clients" not in {each["what"] for each in reviewed["notChecked"]}

    older = recorded_to(tmp_path / "b.jsonl", conversation().frames)
    assert "client profile" not in sightline("replay", str(older)).out
    assert sightline("replay", "--format", "json", str(older)).json["recordings"][0]["client"] is None
    not_checked = sightline("review", "--format", "json", str(older)).json["notChecked"]
    why = "the recording was made with the client profile none: Sightline announces no sampling"
    assert any(each["why"].startswith(why) for each in not_checked)


def test_the_rows_of_a_recording_are_in_the_order_of_their_times(tmp_path: Path) -> None:
    wire = conversation()
    path = recorded_to(tmp_path / "a.jsonl", wire.frames)
    head, *lines = path.read_text().splitlines()
    answer = next(number for number, line in enumerate(lines) if '"result"' in line and '"content"' in line)
    at = json.loads(lines[answer])["at"]
    # The call was sent before this note, and answered after it.
    note = json.dumps({"note": "lens", "at": at - 0.01, "text": "between"}, separators=(",", ":"))
    path.write_text("\n".join([head, *lines[:answer], note, *lines[answer:], ""]))
    rows = sightline("replay", str(path)).out.splitlines()[2:]
    assert [row.split()[-1] for row in rows] == ["get_key", "between"]
    assert rows[1].split() == ["-", f"{at - 0.01:.3f}", "s", "-", "-", "lens:", "between"]


def test_an_edited_output_fails_with_its_pointer(tmp_path: Path) -> None:
    path = recorded_to(tmp_path / "a.jsonl", conversation().frames)
    ran = sightline("replay", "--check", "--format", "json", str(edited(path, '"id":"one"', '"id":"two"')))
    assert ran.code == 12
    (report,) = ran.json["recordings"]
    assert (report["checked"], report["broken"]) == (1, None)
    assert {one["pointer"] for one in report["differences"]} == {
        "/structuredContent/id",
        "/content/0/text",
    }
    assert {(one["frame"], one["tool"]) for one in report["differences"]} == {(4, "get_key")}


def test_an_edited_free_text_fails_with_its_pointer(tmp_path: Path) -> None:
    path = recorded_to(tmp_path / "a.jsonl", conversation().frames)
    ran = sightline("replay", "--check", str(edited(path, '"text":"done"', '"text":"\\u001b[2Jdone!"')))
    assert ran.code == 12
    assert "frame 4, get_key: /content/1/text was changed in what the model sees" in ran.out
    assert "\x1b" not in ran.out


def test_a_removed_mark_fails_at_its_removal(tmp_path: Path) -> None:
    path = recorded_to(tmp_path / "a.jsonl", conversation().frames)
    copy = edited(path, '"key":{"type":"string","x-sensitive":true}', '"key":{"type":"string"}')
    ran = sightline("replay", "--check", str(copy))
    assert ran.code == 12
    assert "/structuredContent/key is no longer withheld by x-sensitive" in ran.out


def test_a_folder_is_checked_and_junit_names_the_failures(tmp_path: Path) -> None:
    path = recorded_to(tmp_path / "a.jsonl", conversation().frames)
    edited(path, '"text":"done"', '"text":"\\u0000<&"')
    ran = sightline("replay", "--check", "--format", "junit", str(tmp_path))
    assert ran.code == 12
    suites = ET.fromstring(ran.out)  # noqa: S314 - our own
    found = {suite.get("name"): (suite.get("tests"), suite.get("failures")) for suite in suites}
    assert found == {str(path): ("1", "0"), str(tmp_path / "edited.jsonl"): ("1", "1")}
    failure = suites.find(".//failure")
    assert failure is not None
    assert "/content/1/text" in str(failure.text)


def test_a_truncated_recording_fails_the_check(tmp_path: Path) -> None:
    path = recorded_to(tmp_path / "a.jsonl", conversation().frames)
    path.write_bytes(path.read_bytes()[:-5])
    ran = sightline("replay", "--check", "--format", "json", str(path))
    assert ran.code == 12
    assert ran.json["recordings"][0]["broken"] == {"line": 7, "reason": "it is cut off"}
    assert ran.json["recordings"][0]["differences"] == []


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("replay", "--format", "junit", "x"), "--format junit only works with --check"),
        (("replay", "no-such.jsonl"), "cannot read no-such.jsonl: No such file"),
        (("replay", "README.md"), "README.md is not a recording"),
    ],
)
def test_a_wrong_command_line_is_a_usage_error(argv: tuple[str, ...], message: str) -> None:
    ran = sightline(*argv)
    assert ran.code == 2
    assert message in ran.err


def test_a_folder_without_recordings_is_a_usage_error(tmp_path: Path) -> None:
    ran = sightline("replay", "--check", str(tmp_path))
    assert ran.code == 2
    assert "no *.jsonl in" in ran.err


def test_the_content_of_a_recording_is_printed(tmp_path: Path) -> None:
    path = recorded_to(tmp_path / "a.jsonl", conversation().frames)
    ran = sightline("replay", str(path))
    assert ran.code == 0
    assert ran.out.splitlines()[-1].split() == ["4", "0.375", "s", "125", "ok", "get_key"]
    shape = sightline("replay", "--format", "json", str(path)).json["recordings"][0]
    assert shape["calls"][0]["arguments"]["q"] == "x"
    assert shape["calls"][0]["arguments"]["pin"].startswith("[withheld argument ")
    assert json.dumps(shape).count("CANARY") == 0


def test_each_call_has_its_outcome_and_usual_decisions_have_no_row(tmp_path: Path) -> None:
    wire = Wire()
    schema: JsonObject = {"type": "object", "required": ["id"]}
    wire.listed({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": schema})
    answers: dict[str, JsonObject] = {
        "ok": {"result": {"content": [], "structuredContent": {"id": 1}}},
        "breaks output schema": {"result": {"content": [], "structuredContent": {}}},
        "tool error": {"result": {"content": [], "isError": True}},
        "failed": {"error": {"code": -1, "message": "no"}},
        "unfinished": {"result": {"resultType": "task"}},
    }
    for number, answer in enumerate(answers.values()):
        wire.called("t", {}, number)
        wire.received({"id": number, **answer})
    path = tmp_path / "a b.jsonl"
    recorder = Recorder(path, HEADER)
    for text in (
        "allow t: no rule matched",
        "allow t: no rule asks about it",
        "allow t: mine",
        "block t: its",
    ):
        recorder.note(0.0, "policy", text)
    for frame in wire.matched:
        recorder.frame(frame)
    recorder.close()
    ran = sightline("replay", str(path))
    _, *rows = ran.out.splitlines()
    begin = rows[0].index("OUTCOME")
    assert [row[begin : row.index("  ", begin)] for row in rows[3:]] == [*answers]
    assert [row.split()[-1] for row in rows[1:3]] == ["mine", "its"]
    assert ran.err == f"sightline '{path}' opens it in the interface\n"
    ran = sightline("replay", "--json", str(path))
    (shown,) = ran.json["recordings"]
    assert ran.err == ""
    assert [call["outcome"] for call in shown["calls"]] == [*answers]
    assert len(shown["notes"]) == 4

    page = sightline("replay", str(ROOT / "recordings" / "page.jsonl")).out
    edited = tmp_path / "page.jsonl"
    text = (ROOT / "recordings" / "page.jsonl").read_text()
    assert '"result":{"content":' in text
    edited.write_text(text.replace('"result":{"content":', '"result":{"isError":true,"content":', 1))
    assert (page.count("tool error"), sightline("replay", str(edited)).out.count("tool error")) == (0, 1)


def test_a_large_model_view_is_compared_by_its_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying, "LARGEST_MODEL", 10)
    raw = text_of(scribed(conversation().frames))
    assert '"digest":"' in raw
    assert [call.mismatches for call in checked(lines_in(raw))] == [()]
    (call,) = checked(lines_in(raw.replace('"text":"done"', '"text":"gone"', 1)))
    assert [one.what for one in call.mismatches] == [
        "has changed for the model, and is too large to be compared"
    ]


def test_findings_are_compared_and_a_projection_without_an_answer_fails() -> None:
    lines = scribed(conversation().frames)
    projection = next(line for line in lines if "projection" in line)
    altered: JsonObject = {**projection, "findings": ["an old one"]}
    (call,) = checked(lines_in(text_of([*lines[:4], altered])))
    assert [one.what for one in call.mismatches] == ["lacks a recorded remark: an old one"]
    (call,) = checked(lines_in(text_of([projection])))
    assert "does not contain the answer" in call.mismatches[0].what
    unknown = text_of([*lines[:4], projection]).replace('"host":"spec"', '"host":"none"')
    (call,) = checked(lines_in(unknown))
    assert "does not know the host" in call.mismatches[0].what


def test_a_limited_number_of_mismatches_is_listed() -> None:
    wire = Wire()
    wire.listed()
    wire.called("free", {})
    block: JsonObject = {"type": "text", "text": "same"}
    wire.answered({"content": [block for _ in range(150)]})
    (call,) = checked(lines_in(text_of(scribed(wire.frames)).replace("same", "other", 150)))
    assert len(call.mismatches) == 100
    assert call.more == 50
