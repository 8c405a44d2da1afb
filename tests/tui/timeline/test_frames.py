"""Frames, with sensitive values masked."""

import pytest

from inspector.boundary.mask import MASK
from inspector.hosts.masks import Masks
from inspector.json.exact import Json, JsonObject, dump
from inspector.json.members import value_at
from inspector.protocol.catalogue import Catalogue, Kind, Tool
from inspector.protocol.frames import Direction
from inspector.protocol.targets import DemoTarget
from inspector.tui.timeline.frame import FrameAsked, FramesWanted, asked_frame
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
