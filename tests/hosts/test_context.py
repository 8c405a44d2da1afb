"""What reaches a model before its first call: parts, their sizes, and what is not known of a host."""

from inspector.boundary.bounded import Level
from inspector.hosts.context import GIVEN, INSTRUCTIONS_NOT_OBSERVED, PROMPTS, PartKind, context_of
from inspector.hosts.definitions.projection import project_definition
from inspector.hosts.registry import hosts
from inspector.json.exact import JsonObject, dump
from inspector.protocol.catalogue import Catalogue, Item, Kind, Tool
from tests.cli.sightline import sightline

SMALL: JsonObject = {"name": "small", "inputSchema": {"type": "object"}, "annotations": {"title": "x" * 500}}
LARGE: JsonObject = {"name": "large", "description": "y" * 300, "inputSchema": {"type": "object"}}
PROMPT: JsonObject = {"name": "ask", "description": "Asks."}
LISTED = Catalogue(
    entries={
        Kind.TOOL: (Tool(name="small", definition=SMALL), Tool(name="large", definition=LARGE)),
        Kind.PROMPT: (Item(kind=Kind.PROMPT, name="ask", definition=PROMPT),),
    }
)
SPEC = hosts()[0]


def test_each_part_is_measured_as_the_model_gets_it_and_the_largest_comes_first() -> None:
    found = context_of("é" * 8, LISTED, Level.DECLARED, SPEC)
    assert [(part.kind, part.name) for part in found.parts] == [
        (PartKind.INSTRUCTIONS, ""),
        (PartKind.TOOL, "large"),
        (PartKind.TOOL, "small"),
        (PartKind.PROMPT, "ask"),
    ]
    sizes = [part.size_bytes for part in found.parts]
    small = project_definition(LISTED.tools[0], Level.DECLARED, SPEC).model_bytes
    assert (sizes[0], sizes[2], sizes[3]) == (16, small, len(dump(PROMPT)))
    assert small < 100
    assert found.about_tokens(*GIVEN) == 4 + sum(part.about_tokens for part in found.parts[1:3])
    assert found.notes == (PROMPTS,)


def test_what_was_not_observed_of_a_host_is_said_once() -> None:
    for host in hosts()[1:]:
        notes = context_of("a", LISTED, Level.DECLARED, host).notes
        assert notes[0] == INSTRUCTIONS_NOT_OBSERVED
        assert len(notes) == len(set(notes)) == 3
    assert context_of(None, Catalogue(), Level.OPEN, SPEC).parts == ()


def test_the_command_prints_parts_and_totals() -> None:
    shown = sightline("context", "demo")
    assert (shown.code, "an estimate: bytes / 4" in shown.out) == (0, True), shown.err
    assert "instructions" in shown.out
    found = sightline("context", "demo", "--format", "json").json
    given = [part for part in found["parts"] if part["kind"] != "prompt"]
    assert found["total"]["bytes"] == sum(part["bytes"] for part in given)
    assert found["tokens"] == "an estimate: bytes / 4"
