"""With the identity for the sealed frames of a recording, its owner sees the withheld values, masked as in a live session."""

from pathlib import Path

from tests.recording.sessions import TOOL
from tests.recording.test_sealing import keys, sealed
from tests.tui.recorded import CANARY, player_of, read, session
from tests.tui.scripted import LARGE, screen_text, settled


async def test_with_the_identity_withheld_values_are_masked_and_can_be_peeked_at(
    tmp_path: Path,
) -> None:
    identity, recipient = keys(tmp_path)
    path = sealed(tmp_path / "sealed.jsonl", recipient, session())
    app = player_of(path, identity=identity)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await read(pilot, app, "frame 13 of 13")
        await pilot.press("<", "}")
        text = await settled(pilot, app, "#1 done")
        assert CANARY not in text
        assert "[withheld x-sensitive" not in text
        assert "••••••••" in text
        await pilot.press("b", "b")
        text = await settled(pilot, app, "spec, open")
        assert "reaches the model" in text
        assert CANARY not in text
        await pilot.press("b")
        assert CANARY not in await settled(pilot, app, "spec, declared")
        await pilot.press("s")
        await settled(pilot, app, "structuredContent.key")
        await pilot.press("u")
        await settled(pilot, app, "CANARY-other-secret")
        await pilot.press("v")
        await settled(pilot, app)
        assert "Fetch this secret?" not in screen_text(app)
        await pilot.press("escape", "escape")
        assert "CANARY" not in await settled(pilot, app, "[ ] step")
        app.screen.query_one("#timeline").focus()
        await pilot.press("G", "enter")
        text = await settled(pilot, app, "sensitive value")
        assert CANARY not in text
        await pilot.press("escape", "#", *"5", "enter")
        await settled(pilot, app, "frame 5 of 13")


async def test_without_the_identity_no_sealed_frame_is_read(tmp_path: Path) -> None:
    _, recipient = keys(tmp_path)
    path = sealed(tmp_path / "sealed.jsonl", recipient, session())
    app = player_of(path)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await read(pilot, app, "frame 13 of 13")
        await pilot.press("<", "}", "b", "b")
        text = await settled(pilot, app, "spec, open")
        assert CANARY not in text
        assert "[withheld x-sensitive" in text


async def test_a_foreign_identity_is_reported_and_opens_nothing(tmp_path: Path) -> None:
    _, recipient = keys(tmp_path)
    other, _ = keys(tmp_path, "other.txt")
    path = sealed(tmp_path / "sealed.jsonl", recipient, session())
    app = player_of(path, identity=other)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        text = await settled(pilot, app, "cannot be opened with this identity")
        assert CANARY not in text
        await pilot.press("escape", "]", "space", "#", "escape", "q")
    assert app.return_code == 0


async def test_a_sealed_frame_is_masked_by_the_definition_that_its_tool_had_at_the_call(
    tmp_path: Path,
) -> None:
    identity, recipient = keys(tmp_path)
    wire = session()
    wire.listed({**TOOL, "outputSchema": {"type": "object"}})
    app = player_of(sealed(tmp_path / "sealed.jsonl", recipient, wire), identity=identity)
    async with app.run_test(size=LARGE) as pilot:
        await read(pilot, app, "frame 15 of 15")
        app.screen.query_one("#timeline").focus()
        masked = 0
        await pilot.press("G")
        for _ in range(14):
            await pilot.press("enter")
            text = await settled(pilot, app)
            if "1 of 2" in text:
                assert "CANARY" not in text
                await pilot.press("n")
                text = await settled(pilot, app, "2 of 2")
            masked += "sensitive value masked" in text and "received" in text
            assert "CANARY" not in text
            await pilot.press("escape")
            await settled(pilot, app)
            app.screen.query_one("#timeline").focus()
            await pilot.press("up")
        assert masked == 3
