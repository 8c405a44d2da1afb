"""Masks on both sides of a result: their shape, the values that they hide, and that no host's model side shows a secret."""

import asyncio
from collections.abc import Callable

import pytest

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level
from inspector.boundary.contract import contract_of
from inspector.boundary.judgement import Judgement
from inspector.boundary.options import DEFAULT_POLICY
from inspector.hosts.masks import Masks
from inspector.hosts.registry import hosts
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome, Result
from inspector.session.call_record import CallRecord, Progress
from inspector.tui.main import selection
from inspector.tui.result.view import result_view
from tests.tui.scripted import LARGE, SMALL, Script, app_of, settled, until

SECRET = "planted-secret-4711"
WORD = "•••••••• (19 characters)"
REACHING = "•••••••• (19 characters, reaches the model)"
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "key": {"type": "string", "x-sensitive": True},
        "pin": {"type": "integer", "x-sensitive": True},
        "both": {"type": "object", "x-sensitive": True},
        "keys": {"type": "array", "items": {"type": "string", "x-sensitive": True}},
    },
}
TOOL = Tool(
    name="mint", definition={"name": "mint", "inputSchema": {"type": "object"}, "outputSchema": SCHEMA}
)


def masks_of(value: Json, **definition: Json) -> Masks:
    tool = Tool(name="mint", definition={**TOOL.definition, **definition})
    declared = bound(Result(value=value), tool, Level.DECLARED)
    return Masks(value, declared, contract_of(tool), DEFAULT_POLICY)


def text(words: str) -> JsonObject:
    return {"type": "text", "text": words}


def made(structured: Json, *blocks: Json) -> JsonObject:
    return {"content": [*blocks], "structuredContent": structured}


@pytest.mark.parametrize(
    ("sent", "masked"),
    [
        (made({"id": "one", "key": SECRET}), made({"id": "one", "key": WORD})),
        (made({"pin": 471111, "key": "x"}), made({"pin": "••••••••", "key": "•••••••• (1 character)"})),
        (made({"keys": [SECRET, ""]}), made({"keys": [WORD, "•••••••• (0 characters)"]})),
        # Keys in the schema are public; others may be secret.
        (made({"both": {"id": SECRET}}), made({"both": {"id": WORD}})),
        (made({"both": {SECRET: 1}}), made({"both": "•••••••• (object)"})),
        (made({"both": DuplicateKeys((("id", SECRET), ("id", SECRET)))}), made({"both": "••••••••"})),
        # Texts keep their parts that are not secret.
        (
            made({"key": SECRET}, text(dump_text({"key": SECRET}))),
            made({"key": WORD}, text(dump_text({"key": WORD}))),
        ),
        (
            made({"key": SECRET}, text(f"The key is {SECRET}.")),
            made({"key": WORD}, text(f"The key is {WORD}.")),
        ),
        (
            made({"key": SECRET}, text(dump_text({"a": [1, f"key {SECRET}"]}))),
            made({"key": WORD}, text(dump_text({"a": [1, f"key {WORD}"]}))),
        ),
        (
            made({"key": SECRET}, text(f"The key is {SECRET[::-1]}.")),
            made({"key": WORD}, text("•••••••• (31 characters)")),
        ),
        # Text that looks like a mask is not a mask.
        (made({"key": f"•••••••• ({SECRET})"}), made({"key": "•••••••• (30 characters)"})),
    ],
)
def test_a_mask_replaces_only_the_secret(sent: Json, masked: Json) -> None:
    assert masks_of(sent).sent() == masked


def test_an_entirely_sensitive_result_keeps_its_shape() -> None:
    sent = made({"id": SECRET}, text(SECRET), {"type": "image", "data": SECRET, "mimeType": "image/png"})
    assert masks_of(sent, annotations={"sensitiveHint": True}).sent() == made(
        {"id": WORD},
        text(WORD),
        {"type": "image", "data": WORD, "mimeType": "•••••••• (9 characters)"},
    )


def test_a_result_without_secrets_is_shared() -> None:
    sent = made({"id": "one"}, text("made"))
    masks = masks_of(sent)
    assert masks.sent() is sent
    assert masks.model(sent) is sent


@pytest.mark.parametrize("host", [host.name for host in hosts()])
@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize(
    "sent",
    [
        made({"id": "one", "key": SECRET}),
        made({"id": "one", "key": SECRET}, text(dump_text({"id": "one", "key": SECRET}))),
        made({"id": "one", "key": SECRET}, text(f"The key is {SECRET.upper()}.")),
    ],
)
def test_no_model_view_of_any_host_shows_a_secret(sent: Json, level: Level, host: str) -> None:
    view = result_view(record_of(Result(value=sent)), level, host, server="server")
    drawn = "".join(
        str(outline.value(node, side))
        for outline in (view.outline, view.json)
        for node in range(len(outline))
        if not list(outline.children(node))
        for side in (0, 1)
    )
    assert SECRET not in drawn
    assert SECRET.upper() not in drawn
    unmasked = result_view(record_of(Result(value=sent)), level, host, server="server", unmasked=True)
    assert SECRET in str([unmasked.outline.value(node, 0) for node in range(len(unmasked.outline))])
    assert unmasked.masked is not None


def record_of(outcome: Outcome) -> CallRecord:
    return CallRecord(
        number=1,
        name="mint",
        arguments={},
        judgement=Judgement(outcome, TOOL),
        at_s=0,
        duration_s=0,
        size_bytes=1,
    )


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
async def test_u_shows_masked_values_until_one_of_several_events(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = made({"id": "one", "key": SECRET}, text(dump_text({"id": "one", "key": SECRET})))
    may_answer = asyncio.Event()
    may_answer.set()

    async def answer(_arguments: JsonObject, _progress: Callable[[Progress], None]) -> Outcome:
        await may_answer.wait()
        return Result(value=sent)

    app = app_of(Script(tools=[TOOL.definition], answers={"mint": answer}), level=Level.OPEN)
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        assert SECRET not in await settled(pilot, app, "2 masked, u shows")
        for masking, done in (("escape", "#1 done"), ("u", "#1 done"), ("r", "#2 done")):
            await pilot.press("u")
            assert SECRET in await settled(pilot, app, "not masked, Esc masks")
            await settled(pilot, app, "! reaches the model  structuredContent.key")
            assert app.is_guarding
            may_answer.clear()
            await pilot.press(masking)
            await until(pilot, app, lambda text: SECRET not in text)
            may_answer.set()
            await settled(pilot, app, done)
            assert SECRET not in await settled(pilot, app, "2 masked, u shows")
            assert not app.is_guarding
        await pilot.press("u")
        await settled(pilot, app, "not masked, Esc masks")
        app.mask()
        assert SECRET not in await settled(pilot, app, "2 masked, u shows")
        await pilot.press("u")
        await settled(pilot, app, "not masked, Esc masks")
        await pilot.press("question_mark", "escape")
        assert SECRET not in await settled(pilot, app, "2 masked, u shows")
        monkeypatch.setattr(selection, "UNMASKED_S", 3.0)
        await pilot.press("u")
        await until(pilot, app, lambda _: app.is_guarding)
        assert SECRET not in await settled(pilot, app, "2 masked, u shows")
