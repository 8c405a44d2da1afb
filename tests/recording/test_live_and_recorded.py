"""The boundary withholds from a recorded result what it withheld from the live one, and the model's view is the same."""

from collections.abc import Iterable

import pytest

from inspector.boundary.bounded import Bounded, Level
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.reading import raw_of
from inspector.hosts.comparison import compare
from inspector.hosts.projection import Projection
from inspector.json.exact import Json, JsonObject, dump
from inspector.json.members import object_at
from inspector.protocol.catalogue import Tool
from inspector.protocol.exchanges import matched
from inspector.protocol.frames import Direction
from inspector.protocol.outcome import Outcome
from inspector.recording.checking import checked
from inspector.recording.codec import Broken, decoded, written
from inspector.recording.exports import exported
from inspector.recording.format import Lenses, Line, Projected
from inspector.recording.markers import COPY, STANDS
from inspector.recording.replaying import Replay, ReplayedCall, projected, projection_of
from inspector.recording.scribe import Scribe
from tests.recording.sessions import HEADER, KEY, TOOL, Wire, text_of

CANARY = "CANARY-4711-abcdef"
CREDENTIAL = "ghp_" + "a1B2c3D4e5F6" * 3
ROWS: JsonObject = {
    "name": "get_key",
    "inputSchema": {"type": "object"},
    "outputSchema": {
        "type": "object",
        "properties": {
            "rows": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "key": {"type": "string", "x-sensitive": True},
                    },
                },
            }
        },
    },
}


def said(text: str, **more: Json) -> JsonObject:
    return {"type": "text", "text": text, **more}


def result(*blocks: Json, **more: Json) -> JsonObject:
    return {"content": [*blocks], "structuredContent": {"id": "one", "key": CANARY}, **more}


LABEL: JsonObject = {"io.modelcontextprotocol/trust-annotations": {"sensitiveHint": "high"}}
SHAPES: dict[str, tuple[JsonObject, Json]] = {
    "nothing is withheld": (TOOL, {"content": [said("done")], "structuredContent": {"id": "one"}}),
    "copies in blocks": (TOOL, result(said(f"It is {CANARY}."), said("kept"), said(CANARY[::-1]))),
    "copies in metadata": (TOOL, result(said("kept"), _meta={"trace": CANARY, "kept": 1})),
    "a copy in the metadata of a block": (TOOL, result(said("kept", _meta={"trace": f"of {CANARY}"}))),
    "a copy in structured content": (
        TOOL,
        result(structuredContent={"id": CANARY.upper(), "key": CANARY, "more": {"deep": [1, CANARY, 2]}}),
    ),
    "a text that repeats the structured content": (
        TOOL,
        result(said(f'{{"id":"one","key":"{CANARY}"}}'), said(f"The key {CANARY}")),
    ),
    "a copy in a link and in a resource": (
        TOOL,
        result(
            {"type": "resource_link", "uri": f"file:///{CANARY}", "name": "report"},
            {"type": "resource", "resource": {"uri": "file:///b", "text": f"v={CANARY}"}},
            {"type": "resource", "resource": {"uri": "file:///c", "text": "kept"}},
        ),
    ),
    "a copy of what is for the user": (
        {"name": "get_key", "inputSchema": {"type": "object"}},
        {
            "content": [
                said("Kept words of the user", annotations={"audience": ["user"]}),
                said("Again: kept words of the user"),
            ]
        },
    ),
    "rows with a copy": (
        ROWS,
        {
            "content": [said(f"{CANARY}-1 and {CANARY}-2")],
            "structuredContent": {
                "rows": [
                    {"name": f"of {CANARY}-{number}", "key": f"{CANARY}-{number}"} for number in range(3)
                ]
            },
        },
    ),
    "a copy in a failed call": (TOOL, result(said(f"failed with {CANARY}"), isError=True)),
    "a member that the protocol does not define": (TOOL, result(said("kept"), other=f"v={CANARY}")),
    "a label on a block": (TOOL, result(said("for few", _meta=LABEL), said("kept"))),
    "a credential": (TOOL, result(said(f"log: token {CREDENTIAL} (ok)"), said("kept"))),
}
LEVELS = pytest.mark.parametrize("level", [Level.DECLARED, Level.CLOSED])
shapes = pytest.mark.parametrize(("definition", "sent"), SHAPES.values(), ids=[*SHAPES])


def lines_of(wire: Wire, lenses: Lenses) -> list[Line]:
    scribe = Scribe(KEY, lenses)
    return [*(line for frame in matched(wire.frames) for line in scribe.take(frame)), *scribe.finish()]


def calls_in(lines: Iterable[Line], replay: Replay | None = None) -> list[ReplayedCall]:
    used = replay or Replay()
    return [call for line in lines for call in used.calls(line)]


def live_and_recorded(
    definition: JsonObject, sent: Json, lenses: Lenses
) -> tuple[ReplayedCall, ReplayedCall, list[Line]]:
    """The call with the answer as it was sent, the call as it is recorded, and the lines."""
    wire = Wire()
    wire.listed(definition)
    wire.called("get_key", {})
    wire.answered(sent)
    lines = lines_of(wire, lenses)
    raw = {frame.number: frame for frame in wire.frames}
    (live,) = calls_in(lines, Replay(raw.get))
    (recorded,) = calls_in(lines)
    return live, recorded, lines


def withheld_by(bounded: Bounded) -> list[tuple[str, str]]:
    return sorted((removal.pointer, removal.rule) for removal in bounded.removals)


@LEVELS
@shapes
def test_removals_and_the_model_view_are_those_of_the_live_call(
    definition: JsonObject, sent: Json, level: Level
) -> None:
    policy = BoundaryPolicy(withhold_credentials=True)
    lenses = Lenses(level=level, policy=policy)
    live, recorded, lines = live_and_recorded(definition, sent, lenses)
    one, other = projection_of(live, lenses), projection_of(recorded, lenses)
    assert one is not None
    assert other is not None
    assert withheld_by(other.bounded) == withheld_by(one.bounded)
    assert other.counted.words == one.counted.words
    assert other.context.model == one.context.model
    assert other.model_bytes == one.model_bytes
    (line,) = (line for line in lines if isinstance(line, Projected))
    assert line.model == one.context.model
    assert line.omits
    assert [found.mismatches for found in checked(lines)] == [()]
    assert CANARY not in text_of(map(written, lines))


@shapes
def test_at_open_a_text_stands_for_what_is_not_recorded(definition: JsonObject, sent: Json) -> None:
    lenses = Lenses(level=Level.OPEN)
    live, recorded, _ = live_and_recorded(definition, sent, lenses)
    one, other = projection_of(live, lenses), projection_of(recorded, lenses)
    assert one is not None
    assert other is not None
    assert withheld_by(other.bounded) == withheld_by(one.bounded) == []
    assert len(_blocks(one)) == len(_blocks(other))
    texts = [text for block in _blocks(other) for text in STANDS.findall(str(block))]
    content = object_at(raw_of(recorded.outcome)).get("content")
    # No host gets the metadata of a block.
    sent_on = (
        [{**block, "_meta": None} for block in content if isinstance(block, dict)]
        if isinstance(content, list)
        else []
    )
    assert texts == STANDS.findall(str(sent_on))


def _blocks(found: Projection) -> list[Json]:
    model = found.context.model
    blocks = model.get("content") if isinstance(model, dict) else None
    return blocks if isinstance(blocks, list) else []


def test_a_value_and_its_copies_leak_once_also_from_a_recording() -> None:
    sent = result(said(CANARY), said(CANARY), _meta={"trace": CANARY})
    live, recorded, _ = live_and_recorded(TOOL, sent, Lenses())
    found = [_leaks(each.outcome, each.tool) for each in (live, recorded)]
    assert max(map(len, found[0].values())) == max(map(len, found[1].values())) == 1
    # From a copy alone, a recording does not say that the value leaks.
    assert all(set(found[1][host]) <= set(leaks) for host, leaks in found[0].items())


def _leaks(outcome: Outcome, tool: Tool | None) -> dict[str, tuple[str, ...]]:
    return {row.host.name: row.leaks for row in compare(outcome, tool, Level.DECLARED).rows}


def test_documents_list_the_copies_that_were_withheld() -> None:
    _, _, lines = live_and_recorded(TOOL, result(said(CANARY), said(CANARY)), Lenses())
    text = "\n".join(exported("markdown", HEADER, lines))
    withheld = text.partition("### Withheld from the model")[2]
    assert "/content/0 [echo] withheld when it was recorded (a copy of a withheld value)" in withheld
    assert "/content/1 [echo]" in withheld
    model = text.partition("### What the model sees")[2].partition("###")[0]
    assert "[withheld" not in model.replace("[withheld]", "")


def test_what_only_an_earlier_result_withholds_reaches_the_model_of_a_recording_as_it_did() -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.called("get_key", {}, 1)
    wire.answered(result(), 1)
    wire.called("get_key", {}, 2)
    wire.answered({"content": [said(f"It was {CANARY}.")], "structuredContent": {"id": CANARY}}, 2)
    lines = lines_of(wire, Lenses())
    last = projection_of(calls_in(lines)[-1], Lenses())
    assert last is not None
    assert withheld_by(last.bounded) == []
    assert STANDS.search(str(last.context.model))


def test_a_copy_of_what_only_an_earlier_definition_withholds_passes() -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.listed({"name": "get_key", "inputSchema": {"type": "object"}})
    wire.called("get_key", {})
    wire.answered(result(said(CANARY)))
    lines = lines_of(wire, Lenses())
    (call,) = calls_in(lines)
    found = projection_of(call, Lenses())
    assert found is not None
    assert withheld_by(found.bounded) == []


def test_a_recording_from_before_is_checked_as_it_was_written() -> None:
    _, call, lines = live_and_recorded(TOOL, result(said(CANARY)), Lenses())
    before = [
        projected(call, line.lenses, omits=False) if isinstance(line, Projected) else line for line in lines
    ]
    then = [_with_echo(line) for line in before if line is not None]
    assert [found.mismatches for found in checked(then)] == [()]
    (shown,) = calls_in(then)
    view = projection_of(shown, Lenses())
    assert view is not None
    assert ("/content/0", "echo") in withheld_by(view.bounded)


def _with_echo(line: Line) -> Line:
    """The line as it was written before copies had a rule of their own."""
    raw = dump(written(line)).replace(f'"{COPY}"'.encode(), b'"echo"')
    found = decoded(raw.replace(b"[withheld copy ", b"[withheld echo "))
    assert not isinstance(found, Broken)
    return found


def test_a_server_cannot_make_its_text_look_withheld() -> None:
    _, recorded, _ = live_and_recorded(TOOL, result(said("[withheld copy 0123456789abcdef]")), Lenses())
    found = projection_of(recorded, Lenses())
    assert found is not None
    assert "/content/0" not in dict(withheld_by(found.bounded))


@LEVELS
def test_a_result_that_could_not_be_judged_stays_withheld_as_a_whole(level: Level) -> None:
    wire = Wire()
    wire.listed(TOOL)
    wire.called("get_key", {})
    raw = b'{"jsonrpc":"2.0","id":7,"result":{"content":[],"a":1,"a":2}}'
    wire.frame(Direction.RECEIVED, raw)
    lenses = Lenses(level=level)
    lines = lines_of(wire, lenses)
    frames = {frame.number: frame for frame in wire.frames}
    (live,), (recorded,) = calls_in(lines, Replay(frames.get)), calls_in(lines)
    one, other = projection_of(live, lenses), projection_of(recorded, lenses)
    assert one is not None
    assert other is not None
    assert withheld_by(one.bounded) == withheld_by(other.bounded) == [("", "internal")]
    assert one.context.model == other.context.model
