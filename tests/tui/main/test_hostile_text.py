import re
from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from inspector.errors import UnreachableError
from inspector.json.exact import Json, JsonObject
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from inspector.session.call_record import Progress
from inspector.session.events import SessionState
from inspector.tui.app import SightlineApp
from inspector.tui.runtime.guard import ControlGuard
from tests.tui.scripted import LARGE, SMALL, Script, answering, app_of, screen_lines, screen_text, settled

PAYLOADS = {
    "escape": "\x1b[2J\x1b]0;owned\x07",
    "clipboard-st": "\x1b]52;c;b3duZWQ=\x1b\\",
    "clipboard-bel": "\x1b]52;c;b3duZWQ=\x07",
    "link": "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\",
    "c1": "\x9b2J\x9d52;c;b3duZWQ=\x9c",
    "bidi": "user\u202etxt.exe\u2066x",
    "zero-width": "a\u200bb\ufeffc\U000e0041",
    "surrogate": "x\ud800y",
    "markup-action": "[@click=app.leave]x[/]",
    "markup-broken": "[/nope]",
    "markup-style": "[bold red on $error]loud",
    "lines": "one\r\ntwo\x0b\x0c\u2028three\tfour\x00",
}

ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def hostile_tool(text: str) -> JsonObject:
    return {
        "name": f"tool {text}",
        "title": f"title {text}",
        "description": f"about {text}",
        "inputSchema": {
            "type": "object",
            "description": text,
            "properties": {
                f"plain {text}": {"type": "string", "title": text, "description": text, "default": text},
                "choice": {"enum": [text, f"{text}2"], "description": text},
                "named": {"oneOf": [{"const": text, "title": text}]},
                "nested": {"type": "object", "properties": {text: {"type": "string", "examples": [text]}}},
                "matched": {"type": "string", "format": text, "pattern": text},
            },
            "required": [text],
        },
        "outputSchema": {
            "type": "object",
            "properties": {text: {"type": "string", "x-sensitive": True, "title": text}},
        },
        "annotations": {"title": text, "readOnlyHint": text, text: text, "audience": [text]},
        "_meta": {text: text, "mcp.dev/effect": text, "ifc": {"integrity": text}},
    }


def hostile_result(text: str) -> Json:
    return {
        "content": [
            {"type": "text", "text": text, "annotations": {"audience": [text]}},
            {"type": text, text: text},
            {"type": "resource", "resource": {"uri": text, "mimeType": text, "text": text}},
        ],
        "structuredContent": {text: f"sensitive {text}", "other": {text: [text]}},
        "_meta": {text: text},
    }


def outcomes(text: str) -> list[Outcome]:
    return [
        Result(value=hostile_result(text)),
        RpcError(value={"code": -32000, "message": text, "data": {text: text}}),
        Failure(kind=FailureKind.PROTOCOL, detail=text),
    ]


def hostile_script(text: str) -> Script:
    waiting = outcomes(text)

    async def answer(_arguments: JsonObject, progress: Callable[[Progress], None]) -> Outcome:
        progress(Progress(progress=1, total=2, message=text))
        return waiting.pop(0) if waiting else Result(value=None)

    tool = hostile_tool(text)
    return Script(
        tools=[tool, {"name": text, "inputSchema": text}, {text: text}],
        resources=[{"uri": text, "name": text, "description": text, "annotations": {text: text}}],
        prompts=[{"name": text, "description": text}],
        answers={
            f"tool {text}": answer,
            f"resources/read {text}": answering(hostile_result(text)),
            f"prompts/get {text}": answering(hostile_result(text)),
        },
        stderr=[text, f"stderr {text}"],
    )


def check(app: SightlineApp) -> None:
    """Assert that no text on the screen acts on the terminal, and that the guard had nothing to replace."""
    for line in screen_lines(app):
        assert not ACTING.search(line), line
    assert app.guard.caught == 0
    assert app.is_running


async def press(pilot: Pilot[None], app: SightlineApp, *keys: str) -> None:
    await pilot.press(*keys)
    await settled(pilot, app)
    check(app)


async def walk(pilot: Pilot[None], app: SightlineApp) -> None:
    """Go through everything that shows foreign text."""
    await press(pilot, app, "2", "n", "enter", "G")
    await press(pilot, app, "enter")
    await press(pilot, app, "3", "j", "j")
    await press(pilot, app, "4", "G")
    await press(pilot, app, "1", "tab", "right", "tab", "x", "tab")
    await press(pilot, app, "ctrl+j")
    await press(pilot, app, "ctrl+j")
    for _ in range(3):
        await press(pilot, app, "escape", "down", "2")
    await press(pilot, app, "escape", "g", "1")
    for number, keys in enumerate((("n", "enter", "b"), ("G", "h", "down", "enter"), ("N",)), 1):
        await pilot.press("ctrl+s")
        await settled(pilot, app, "y call  Esc")
        await pilot.press("y")
        await settled(pilot, app, f"#{number} ")
        await press(pilot, app, *keys)
        await press(pilot, app, "escape", "escape", "4")
        await press(pilot, app, "c", "j", "G")
        has_result = number < 3
        assert ("Compare hosts" in screen_text(app)) is has_result
        assert ("the call got no answer" in screen_text(app)) is not has_result
        await press(pilot, app, "escape")
    await press(pilot, app, "escape", "t", "g", "enter")
    await press(pilot, app, "escape", "j", "j", "j", "enter")
    await press(pilot, app, "x")
    await press(pilot, app, "escape", "y")
    await press(pilot, app, "escape")


TOGETHER = {
    "controls": " ".join(PAYLOADS[name] for name in ("escape", "clipboard-st", "c1", "lines")),
    "invisible": " ".join(PAYLOADS[name] for name in ("bidi", "zero-width", "surrogate", "link")),
    "markup": " ".join(PAYLOADS[name] for name in ("markup-broken", "markup-action", "markup-style")),
}


@pytest.mark.parametrize("text", TOGETHER.values(), ids=TOGETHER.keys())
async def test_server_text_is_safe_wherever_it_is_shown(text: str) -> None:
    told = hostile_script(text)
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "Tools 1 (2 malformed)")
        check(app)
        await walk(pilot, app)
        told.opened[0].enter(SessionState.FAILED, f"died: {text}", f"hint {text}")
        # The text is masked there: it was withheld from a result too.
        await settled(pilot, app, "R tries again")
        check(app)
    assert len(told.calls) == 4


async def test_a_failure_that_quotes_the_server_does_not_act() -> None:
    text = " ".join(PAYLOADS.values())
    app = app_of(Script(failure=UnreachableError(f"it said {text}", f"try {text}"), stderr=[text]))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "it said")
        check(app)


async def test_a_click_on_foreign_markup_runs_nothing() -> None:
    told = hostile_script(PAYLOADS["markup-action"])
    app = app_of(told)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "Tools 1 (2 malformed)")
        for y, line in enumerate(screen_lines(app)):
            x = line.find("[@click")
            if x >= 0:
                await pilot.click(offset=(x + 17, y))
        await settled(pilot, app)
        assert app.is_running
        assert not told.opened[0].closed


def test_the_guard_replaces_and_counts_control_characters() -> None:
    from rich.segment import Segment  # noqa: PLC0415
    from textual.color import Color  # noqa: PLC0415

    guard = ControlGuard()
    for text in ("plain ✗ ┄ 日本", "\x1b[31m", "a\u202eb", "\x9b", "\ud800"):
        cleaned = "".join(segment.text for segment in guard.apply([Segment(text)], Color(0, 0, 0)))
        assert not ACTING.search(cleaned)
    assert guard.caught == 4
