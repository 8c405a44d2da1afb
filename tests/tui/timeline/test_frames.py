"""Frames, with sensitive values masked."""

import pytest
from msgspec.structs import replace

from inspector.boundary.mask import MASK
from inspector.hosts.masks import Masks
from inspector.json.exact import Json, JsonObject, dump
from inspector.json.members import value_at
from inspector.protocol.catalogue import Catalogue, Kind, Tool
from inspector.protocol.exchanges import matched
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.page import INVOKE, RESPONDED
from inspector.protocol.targets import DemoTarget
from inspector.tui.timeline.frame import FrameAsked, FramesWanted, asked_frame, frame_head, frame_view
from tests.protocol.test_timeline import frame
from tests.tui.page.test_page_view import facts
from tests.tui.scripted import Script, ScriptedSession

KEY = "canary-5d1c07aa"
TOOL = Tool(
    name="mint",
    definition={
        "name": "mint",
        "inputSchema": {"type": "object"},
        "outputSchema": {"properties": {"key": {"type": "string", "x-sensitive": True}}},
    },
)


def answered(member: str, value: Json) -> Json:
    """The member of an answer to a call of `mint`, as the frame screen shows it."""
    session = ScriptedSession(Script(), DemoTarget(), lambda _: None)
    asked: JsonObject = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "mint"}}
    session.frame(Direction.SENT, dump(asked))
    session.frame(Direction.RECEIVED, dump({"jsonrpc": "2.0", "id": 1, member: value}))
    (entry,) = session.timeline.entries
    catalogue = Catalogue(entries={Kind.TOOL: (TOOL,)})
    wanted = FramesWanted(entry=entry, frames=session.timeline.frames_of(entry), catalogue=catalogue)
    view = asked_frame(FrameAsked(wanted=wanted, place=1, chunk=200))
    assert KEY not in "".join(view.text)
    return value_at(view.copied, member)


def test_a_content_block_keeps_its_shape_if_its_text_repeats_a_secret() -> None:
    blocks: Json = [{"type": "text", "text": f"The key is {KEY}."}, {"type": "text", "text": KEY}]
    assert answered("result", {"content": blocks, "structuredContent": {"key": KEY, "n": 1}}) == {
        "content": [{"type": "text", "text": f"The key is {MASK}."}, {"type": "text", "text": MASK}],
        "structuredContent": {"key": MASK, "n": 1},
    }


def test_a_content_block_is_masked_as_a_whole_if_the_secrets_cannot_be_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Masks, "_values", None)
    blocks: Json = [{"type": "text", "text": f"The key is {KEY}.", "odd": KEY}]
    assert value_at(
        answered("result", {"content": blocks, "structuredContent": {"key": KEY}}), "content"
    ) == [MASK]


@pytest.mark.parametrize("which", [{"toolId": "T"}, {"toolName": "mint"}], ids=["by id", "by name"])
@pytest.mark.parametrize(
    "said",
    [
        {"status": "Completed", "output": {"key": "7", "n": 1}},
        {"status": "Error", "errorText": "no 7", "exception": {"description": "no 7"}},
    ],
    ids=["result", "error"],
)
def test_the_frames_of_a_call_of_a_page_are_masked_as_its_tool_declares(
    which: JsonObject, said: JsonObject
) -> None:
    definition: JsonObject = {
        **TOOL.definition,
        "inputSchema": {"properties": {"pin": {"type": "string", "x-sensitive": True}}},
        **({"annotations": {"sensitiveHint": True}} if "errorText" in said else {}),
    }
    known = replace(facts(), tool_id="T" if "toolId" in which else None)
    catalogue = Catalogue(entries={Kind.TOOL: (Tool(name="mint", definition=definition, page=known),)})
    asked: JsonObject = {**which, "frameId": known.document.frame_id, "input": {"pin": "7"}}
    messages: list[tuple[Direction, JsonObject]] = [
        (Direction.SENT, {"id": 1, "method": INVOKE, "params": asked}),
        (Direction.RECEIVED, {"id": 1, "result": {"invocationId": "I"}}),
        (Direction.RECEIVED, {"method": RESPONDED, "params": {"invocationId": "I", **said}}),
    ]
    frames = tuple(
        matched(
            frame(number, direction, dump(message), Channel.CDP)
            for number, (direction, message) in enumerate(messages, 1)
        )
    )
    views = [
        frame_view(each, catalogue, chunk=200, before=frames[:place]) for place, each in enumerate(frames)
    ]
    assert [view.masked for view in views[:2]] == [1, 0]
    assert "7" not in "".join(line for view in views for line in view.text)
    assert views[2].masked


def test_a_frame_of_a_recording_explains_what_its_ids_are_in_place_of() -> None:
    said: JsonObject = {
        "method": "notifications/message",
        "params": {
            "a": f"[withheld unjudged {'0' * 16}]",
            "b": f"[withheld echo {'1' * 16}] and [withheld echo {'2' * 16}]",
            "c": f"[withheld x-sensitive {'3' * 16}]",
        },
    }
    (received,) = matched([frame(1, Direction.RECEIVED, dump(said))])
    of_recording, live = (
        frame_head(frame_view(received, Catalogue(), chunk=200, has_ids=has_ids), 1, 1).plain.splitlines()
        for has_ids in (True, False)
    )
    assert [line.partition(";")[0] for line in of_recording[1:]] == [
        "[withheld unjudged …] is content that could not be judged, because no answer declares which values in it are secret",
        "[withheld echo …] is a copy of a value that was withheld earlier in the session",
    ]
    assert len(live) == 1
