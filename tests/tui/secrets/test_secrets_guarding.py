import base64
from pathlib import Path
from typing import TextIO

import pytest
from textual.widgets import Static

from inspector.files.settings import Settings
from inspector.json.exact import JsonObject
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result
from inspector.tui.runtime.guard import GUARDING, GuardedError
from inspector.tui.secrets.screen import COPIED, NO_COPY
from tests.sinks.searching import files_below, found_in
from tests.tui.scripted import LARGE, app_of, settled, until
from tests.tui.secretive import (
    KEPT,
    MASKED_TITLE,
    MINTED,
    REDEEMED,
    among_secrets,
    masked,
    peeked,
    revealed,
    secretive,
)

ALLOWED = Settings(allow_copy=True)


async def test_nothing_can_be_selected_copied_or_captured_while_a_secret_is_shown(  # noqa: PLR0915
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script, _ = secretive()
    app = app_of(script)
    delivered: list[str] = []

    def deliver(text: TextIO, **_: object) -> None:
        delivered.append(text.read())

    monkeypatch.setattr(app, "deliver_text", deliver)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await among_secrets(pilot, app)
        await pilot.press("escape")
        await settled(pilot, app, "#1 done")

        async def select() -> str | None:
            app.screen.clear_selection()
            await pilot.mouse_down(Static, offset=(0, 0))
            await pilot.hover(Static, offset=(8, 0))
            await pilot.mouse_up(Static, offset=(8, 0))
            await pilot.pause()
            return app.screen.get_selected_text()

        def copied(text: str) -> str:
            app.copy_to_clipboard(text)
            return app.clipboard

        assert app.ALLOW_SELECT
        assert await select()
        assert copied("before") == "before"
        assert "<svg" in app.export_screenshot()
        app.action_screenshot()
        assert len(delivered) == 1

        await pilot.press("s")
        await settled(pilot, app, "API key")
        await revealed(pilot, app)
        await pilot.press("escape")
        await settled(pilot, app, "#1 done")
        assert not app.ALLOW_SELECT
        assert not await select()
        assert copied("while") == "before"
        with pytest.raises(GuardedError, match="Forget or mask it"):
            app.export_screenshot()
        with pytest.raises(GuardedError):
            app.deliver_screenshot()
        app.action_screenshot()
        assert len(delivered) == 1
        await settled(pilot, app, GUARDING[:40])
        await pilot.press("ctrl+c", "y")
        await settled(pilot, app, "Masked values stay masked.")
        await pilot.press("enter")
        await settled(pilot, app)
        assert app.clipboard == "before"

        await pilot.press("escape", "s")
        await settled(pilot, app, "API key")
        await pilot.press("backspace", "y", "escape")
        await settled(pilot, app, "#1 done")
        assert app.ALLOW_SELECT
        assert await select()
        assert copied("after") == "after"
        assert "<svg" in app.export_screenshot()


async def test_text_selected_before_a_reveal_is_not_copied_afterwards() -> None:
    script, _ = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await pilot.press("escape")
        await settled(pilot, app, "#1 done")
        app.screen.text_select_all()
        assert app.screen.get_selected_text()
        await pilot.press("s")
        await settled(pilot, app, "API key")
        await revealed(pilot, app)
        await pilot.press("escape", "ctrl+c")
        await settled(pilot, app, "#1 done")
        assert app.clipboard == ""


async def test_the_screen_is_guarded_only_while_a_withheld_value_is_shown() -> None:
    script, _ = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await pilot.press("j")
        assert not app.is_guarding
        assert KEPT not in app.export_screenshot()
        await peeked(pilot, app, KEPT)
        assert app.is_guarding
        with pytest.raises(GuardedError):
            app.export_screenshot()
        await pilot.press("m")
        await masked(pilot, app, KEPT)
        assert not app.is_guarding
        assert KEPT not in app.export_screenshot()


async def test_nothing_can_be_selected_on_the_secrets_screen() -> None:
    script, _ = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        assert not app.is_guarding
        await pilot.mouse_down("#secrets-detail", offset=(2, 1))
        await pilot.hover("#secrets-detail", offset=(20, 1))
        await pilot.mouse_up("#secrets-detail", offset=(20, 1))
        await pilot.pause()
        assert not app.screen.get_selected_text()


async def test_copying_a_secret_is_off_unless_the_user_configuration_allows_it() -> None:
    script, _ = secretive()
    app = app_of(script, own=Settings())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app)
        await peeked(pilot, app)
        await pilot.press("c")
        await until(pilot, app, lambda text: NO_COPY[:30] in " ".join(text.split()))
        assert app.clipboard == ""


async def test_an_allowed_copy_of_a_secret_is_made_once_with_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result: JsonObject = {**MINTED, "structuredContent": {"key": KEPT, "all": {"a": KEPT}}}
    script, _ = secretive(result=result)
    app = app_of(script, own=ALLOWED)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        written: list[str] = []
        driver = app._driver  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        assert driver is not None

        def write(text: str) -> None:
            # Textual also writes the shape of the mouse pointer.
            if "]52;" in text:
                written.append(text)

        monkeypatch.setattr(driver, "write", write)
        await among_secrets(pilot, app)
        await pilot.press("c")
        await until(pilot, app, lambda text: "There is no text here" in text)
        await revealed(pilot, app)
        assert written == []
        await pilot.press("c")
        await until(pilot, app, lambda text: COPIED[:40] in " ".join(text.split()))
        assert written == [f"\x1b]52;c;{base64.b64encode(REDEEMED.encode()).decode()}\a"]
        assert app.clipboard == ""
        for row, value in ((1, KEPT), (2, None)):
            await pilot.press("j")
            await settled(pilot, app, ("▸ ✗ structuredContent.key", "▸ ✗ structuredContent.all")[row - 1])
            await pilot.press("c")
            await pilot.pause()
            if value is not None:
                assert base64.b64encode(value.encode()).decode() in written[-1]
        assert len(written) == 2
        assert MASKED_TITLE in await settled(pilot, app)
        assert REDEEMED not in await settled(pilot, app)


async def test_a_secret_in_a_later_call_reaches_no_file_and_a_result_that_passes_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def echoes(arguments: JsonObject, _progress: object) -> Outcome:
        if arguments["text"] == "end":
            # Sightline's own note quotes stderr, and no model gets it.
            return Failure(kind=FailureKind.CONNECTION_LOST, detail=f"its stderr: {KEPT}")
        return Result(value={"content": [{"type": "text", "text": f"you wrote {arguments['text']}"}]})

    monkeypatch.setenv("SIGHTLINE_DATA_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    script, _ = secretive()
    schema: JsonObject = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    script.tools = [*script.tools, {"name": "echo", "inputSchema": schema}]
    script.answers["echo"] = echoes
    app = app_of(script, is_history_kept=True)
    number = 2
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app)
        await pilot.press("escape", "escape", "j")
        await settled(pilot, app, "▸ echo")
        # After a reconnect the vault is empty, but the files are the same.
        for secret in (REDEEMED, KEPT):
            await pilot.press("1")
            await settled(pilot, app, "Enter call")
            await pilot.press(*secret, "enter")
            text = await until(
                pilot,
                app,
                lambda text, number=number: (
                    f"#{number} done" in text and "reaches the model  content[0].text  withheld" in text
                ),
            )
            assert f"you wrote {secret}" not in text
            await pilot.press("escape", "R")
            await until(
                pilot, app, lambda text, number=number: len(script.opened) == number and "ready" in text
            )
            await settled(pilot, app, "▸ echo")
            number += 1
        await pilot.press("1")
        await settled(pilot, app, "Enter call")
        await pilot.press(*"end", "enter")
        assert "reaches the model" not in await settled(pilot, app, f"#{number} ")
        await pilot.press("w")
        await settled(pilot, app, "Record this session")
        await pilot.press("enter")
        await settled(pilot, app, "Recording to")
        await pilot.press("w")
        await until(pilot, app, lambda text: "  recording  " not in text)
    files = files_below(tmp_path)
    assert {Path(name).suffix for name in files} >= {".jsonl"}
    assert len(files) > 1
    for name, raw in files.items():
        assert not found_in(raw, REDEEMED), name
        # A recording knows withheld values by the listing, of which this session has no frames.
        assert KEPT.encode() not in raw or "sightline-" in name, name
