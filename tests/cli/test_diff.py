from pathlib import Path

import pytest
from msgspec import structs

from inspector.json.diff import Change, ChangeKind, changes
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.pins.diff import definition_changes
from inspector.protocol.catalogue import Tool
from inspector.recording.files import Recorder
from inspector.recording.format import RecordedTarget
from tests.cli.sightline import sightline, words
from tests.recording.sessions import HEADER, TOOL, Wire, recorded_to


def tool(**more: Json) -> Tool:
    return Tool(name="get_key", definition={**TOOL, **more})


def without(definition: JsonObject, *names: str) -> JsonObject:
    return {key: value for key, value in definition.items() if key not in names}


def test_values_are_compared_by_pointer() -> None:
    before: Json = {"a": [1, 2, 3], "b/c": {"x": 1}, "same": {"k": [1.0]}, "kind": []}
    after: Json = {"a": [1, 9], "b/c": {"x": 1, "y": 2}, "same": {"k": [1]}, "kind": {}}
    found = {change.pointer: change for change in changes(before, after)}
    assert found == {
        "/a/1": Change(pointer="/a/1", kind=ChangeKind.CHANGED, before=2, after=9),
        "/a/2": Change(pointer="/a/2", kind=ChangeKind.REMOVED, before=3),
        "/b~1c/y": Change(pointer="/b~1c/y", kind=ChangeKind.ADDED, after=2),
        "/kind": Change(pointer="/kind", kind=ChangeKind.CHANGED, before=[], after={}),
    }
    twice = DuplicateKeys((("a", 1), ("a", 2)))
    assert list(changes(twice, DuplicateKeys((("a", 1), ("a", 2))))) == []
    assert len(list(changes(twice, {"a": 2}))) == 1


def test_values_of_ten_thousand_levels_are_compared() -> None:
    before: Json = 1
    after: Json = 2
    for _ in range(10_000):
        before, after = [before], [after]
    (change,) = changes(before, after)
    assert change.pointer == "/0" * 10_000


@pytest.mark.parametrize(
    ("before", "after", "pointer", "lost"),
    [
        ({"annotations": {"sensitiveHint": True}}, {}, "/annotations", "sensitive: true → false"),
        (
            {"annotations": {"readOnlyHint": False}},
            {"annotations": {"readOnlyHint": True}},
            "/annotations/readOnlyHint",
            "effect",
        ),
        (
            {"annotations": {"untrustedContentHint": True}},
            {"annotations": {}},
            "/annotations/untrustedContentHint",
            "untrusted",
        ),
        (
            {"annotations": {"destructiveHint": True}},
            {"annotations": {"destructiveHint": False}},
            "/annotations/destructiveHint",
            "destructive",
        ),
    ],
)
def test_a_weakened_declaration_is_marked(
    before: JsonObject, after: JsonObject, pointer: str, lost: str
) -> None:
    found = definition_changes([tool(**before)], [tool(**after)])
    assert [change.pointer for change in found] == [pointer]
    assert any(lost in what for what in found[0].weakens)
    assert all(not change.weakens for change in definition_changes([tool(**after)], [tool(**before)]))


def test_a_position_that_is_no_longer_sensitive_is_marked() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"key": {"type": "string"}, "id": {"type": "string"}},
    }
    found = definition_changes([tool(description="a")], [tool(description="b", outputSchema=schema)])
    told = {change.pointer: change.weakens for change in found}
    assert told["/description"] == ()
    (said,) = told["/outputSchema/properties/key/x-sensitive"]
    assert said == "x-sensitive is no longer declared at /properties/key"


def test_a_lost_output_schema_and_a_lost_sensitive_argument_are_marked() -> None:
    later = Tool(
        name="get_key", definition={**without(TOOL, "outputSchema"), "inputSchema": {"type": "object"}}
    )
    found = {change.pointer: change.weakens for change in definition_changes([tool()], [later])}
    assert "the output schema was removed" in found["/outputSchema"]
    assert found["/inputSchema/properties"] == ("no longer marked sensitive: the arguments /pin",)


def test_a_lost_declaration_of_harmlessness_is_not_marked() -> None:
    before = tool(annotations={"readOnlyHint": True})
    (change,) = definition_changes([before], [tool()])
    assert (change.pointer, change.weakens) == ("/annotations", ())


def test_added_and_removed_tools_are_listed() -> None:
    other = Tool(name="other", definition={"name": "other", "inputSchema": {}})
    found = definition_changes([tool()], [other])
    assert [(change.tool, change.kind.value, change.weakens) for change in found] == [
        ("get_key", "removed", ()),
        ("other", "added", ()),
    ]


UNCHANGED = [
    "No definition changed.",
    "Results are not compared: sightline verify RECORDING TARGET compares them.",
]


def test_recordings_and_servers_are_compared(tmp_path: Path) -> None:
    wires = [Wire(), Wire()]
    wires[0].listed({**TOOL, "annotations": {"sensitiveHint": True}})
    wires[1].listed({**TOOL, "description": "\u001b[2Jnew"})
    paths = [str(recorded_to(tmp_path / f"{number}.jsonl", wire.frames)) for number, wire in enumerate(wires)]
    ran = sightline("diff", "--format", "json", "--exit-code", *paths)
    assert ran.code == 12, ran.err
    assert {(one["pointer"], bool(one["weakens"])) for one in ran.json["changes"]} == {
        ("/annotations", True),
        ("/description", False),
    }
    text = sightline("diff", *paths)
    assert text.code == 0
    assert text.out.splitlines()[-2:] == [
        "2 changes, 1 with fewer restrictions, 1 of texts that a model reads",
        UNCHANGED[1],
    ]
    assert "\x1b" not in text.out
    live = sightline("diff", "--exit-code", paths[1], "--", *words("serve", paths[1]))
    assert (live.code, live.out.splitlines()) == (0, UNCHANGED), live.err


@pytest.mark.parametrize(
    "argv", [("diff", "a.jsonl"), ("diff", "a.jsonl", "b.jsonl", "--", "c"), ("diff", "README.md", "demo")]
)
def test_targets_that_cannot_be_compared_are_a_usage_error(argv: tuple[str, ...]) -> None:
    assert sightline(*argv).code == 2


def test_the_tools_of_a_recorded_page_are_those_of_its_last_listing(tmp_path: Path) -> None:
    paths = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for number, path in enumerate(paths):
        recorder = Recorder(path, structs.replace(HEADER, recorded=RecordedTarget(kind="page", name="demo")))
        recorder.listed(0.0, (tool(), Tool(name="gone", definition={"name": "gone"})))
        recorder.listed(1.0, (tool(description=f"It is {number}."),))
        recorder.close()
    found = sightline("diff", "--format", "json", *map(str, paths)).json
    assert [(one["tool"], one["pointer"]) for one in found["changes"]] == [("get_key", "/description")]
    assert found["instructionsChanged"] is False


def test_a_recording_of_a_server_does_not_differ_from_the_server(tmp_path: Path) -> None:
    file = str(tmp_path / "demo.jsonl")
    assert sightline("list", "--record", file, "demo").code == 0
    for before, after in ((file, "demo"), ("demo", file)):
        told = sightline("diff", "--exit-code", before, after)
        assert (told.code, told.out.splitlines()) == (0, UNCHANGED), told.out
