"""Skills in the interface: listed together with their resources, read by Enter, withheld if they do not verify."""

import hashlib

import pytest

from inspector.json.exact import Json
from inspector.tui.values.pane import OutlineLines
from tests.tui.scripted import LARGE, SMALL, Script, answering, app_of, screen_text, settled

MAIN, FORM = "skill://pdf/SKILL.md", "skill://pdf/form.md"
TEXT = "---\nname: pdf\ndescription: Fills forms\n---\nDo as follows.\n"


def entry(text: str) -> Json:
    def file(uri: str, content: str) -> Json:
        digest = hashlib.sha256(content.encode()).hexdigest()
        return {"uri": uri, "digest": f"sha256:{digest}", "size": len(content)}

    frontmatter: Json = {"name": "pdf", "description": "Fills forms"}
    return {"uri": MAIN, "frontmatter": frontmatter, "resources": [file(MAIN, text), file(FORM, "A form.")]}


def script(listed: str) -> Script:
    def read(uri: str, text: str) -> Json:
        return {"contents": [{"uri": uri, "text": text}]}

    return Script(
        resources=[{"uri": MAIN, "name": "pdf"}],
        skills=[entry(listed)],
        answers={
            f"resources/read {MAIN}": answering(read(MAIN, TEXT)),
            f"resources/read {FORM}": answering(read(FORM, "A form.")),
        },
    )


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
async def test_a_skill_that_differs_from_its_entry_reaches_no_model(size: tuple[int, int]) -> None:
    told = script(TEXT.replace("Do", "Be"))
    app = app_of(told)
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "Enter reads the resource.")
        assert told.calls == []
        await pilot.press("j")
        text = await settled(pilot, app, "Each file is verified")
        assert "Fills forms" in text
        await pilot.press("enter")
        text = await settled(pilot, app, "not verified")
        assert "its SHA-256 digest" in text
        assert text.count("Do as follows.") <= 1
        assert told.calls == [(f"resources/read {MAIN}", {})]


async def test_a_file_of_a_skill_is_read_from_its_definition() -> None:
    told = script(TEXT)
    app = app_of(told)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "Enter reads the resource.")
        await pilot.press("j")
        await settled(pilot, app, "Each file is verified")
        await pilot.press("enter")
        text = await settled(pilot, app, "Do as follows.")
        assert "the model sees" in text
        assert text.count("Do as follows.") == 1
        await pilot.press("2")
        await settled(pilot, app, FORM)
        lines = app.screen.query_one("#definition-values", OutlineLines)
        lines.focus()
        while not (lines.pointer or "").startswith("/resources/1"):
            before = lines.pointer
            await pilot.press("j")
            await pilot.pause()
            assert lines.pointer != before
        await pilot.press("enter")
        text = await settled(pilot, app, "A form.")
        assert text.count("A form.") == 1
        assert told.calls[-1] == (f"resources/read {FORM}", {})
        assert "verif" not in screen_text(app).partition("#2")[2]
