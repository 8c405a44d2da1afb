"""A recording is a foreign file: no text in it acts, and no size of it blocks the screen."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.json.exact import JsonObject, dump
from tests.tui.main.test_hostile_text import ACTING, PAYLOADS, hostile_result, hostile_tool
from tests.tui.recorded import lines_of, player_of, put, read, recording
from tests.tui.scripted import LARGE, SMALL, screen_lines, settled

LENSES: JsonObject = {
    "boundary": "declared",
    "host": "spec",
    "policy": {"sensitivityThreshold": "confidential"},
}


def header(text: str) -> JsonObject:
    return {
        "sightline": "recording",
        "version": 1,
        "created": text,
        "software": text,
        "target": {"kind": text, "name": text},
        "lenses": {**LENSES, "host": text},
    }


def frame(number: int, direction: str, body: object, **more: object) -> dict[str, object]:
    return {
        "frame": number,
        "at": number / 10,
        "direction": direction,
        "channel": "stdio",
        "size": 10,
        "body": body,
        **more,
    }


def hostile_lines() -> Iterator[object]:
    """Every payload in every place of a recording; a tool and a call for each."""
    texts = list(PAYLOADS.values())
    tools = [hostile_tool(text) for text in texts]
    yield header(" ".join(texts))
    yield frame(1, "sent", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, head=texts[0])
    yield frame(2, "received", {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}, head=texts[0])
    for number, (text, tool) in enumerate(zip(texts, tools, strict=True), 2):
        call = {"method": "tools/call", "params": {"name": tool["name"], "arguments": {text: text}}}
        yield frame(2 * number, "sent", {"jsonrpc": "2.0", "id": text, **call}, head=text)
        answer = {"jsonrpc": "2.0", "id": text, "result": hostile_result(text)}
        yield frame(2 * number + 1, "received", answer, faults=[text], head=text)
        yield {"note": text, "at": number, "text": text}
        yield {"at": number, "lenses": {**LENSES, "host": text}}
        yield {"note": "policy", "at": number, "text": {"$withheld": text, "id": text}}


async def test_no_text_of_a_recording_acts_in_the_terminal_or_as_markup(tmp_path: Path) -> None:
    lines = [dump(line) + b"\n" for line in hostile_lines()]  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    app = player_of(put(tmp_path / "hostile.jsonl", lines))

    async def pressed(*keys: str) -> None:
        await pilot.press(*keys)
        await settled(pilot, app)
        for line in screen_lines(app):
            assert not ACTING.search(line), ascii(line)

    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await read(pilot, app, "the lines before it are shown")
        for _ in PAYLOADS:
            for key in ("[", "[", "[", "["):
                await pressed(key)
            await pressed("[")
        app.screen.query_one("#timeline").focus()
        for keys in (
            ("G", "enter"),
            ("x",),
            ("escape",),
            ("2",),
            ("3",),
            ("4",),
            ("h", "down", "enter", "b"),
            ("y",),
        ):
            await pressed(*keys)
        assert app.is_running


def deep(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
async def test_recordings_with_deep_and_long_lines_can_be_stepped_through(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    good = lines_of(recording(tmp_path))
    result = b'{"jsonrpc":"2.0","id":9,"result":{"content":[],"structuredContent":{"x":%s}}}'
    asked = b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"clock","arguments":{}}}'
    line = b'{"frame":%d,"at":9,"direction":"%s","channel":"stdio","size":1,"body":%s}\n'
    bodies = [deep(9_000), b'"' + b"x" * 3_000_000 + b'"', b"1" * 100_000]
    more: list[bytes] = []
    for number, body in enumerate(bodies):
        more += [
            line % (20 + 2 * number, b"sent", asked),
            line % (21 + 2 * number, b"received", result % body),
        ]
    path = put(tmp_path / "large.jsonl", [*good[:-1], *more, good[-1]])
    app = player_of(path)
    async with app.run_test(size=size, notifications=True) as pilot:
        await read(pilot, app, "frame 25 of 25")
        for number in (7, 6, 5, 4):
            await settled(pilot, app, f"#{number} done")
            await pilot.press("{")
        await pilot.press(">", "space")
        await settled(pilot, app, "of 25")


async def test_lines_with_decreasing_times_are_played_in_file_order(
    tmp_path: Path,
) -> None:
    notes = [frame(number, "received", {"jsonrpc": "2.0", "method": "x"}) for number in (9, 3, 3, 1)]
    lines = [dump(header("x")), *(dump(note) for note in notes)]  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    app = player_of(put(tmp_path / "odd.jsonl", [line + b"\n" for line in lines]))
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await read(pilot, app, "frame 1 of 1")
        await pilot.press("<")
        await settled(pilot, app, "frame 9 of 1")
        await pilot.press("]", "]")
        await settled(pilot, app, "frame 3 of 1")
        await pilot.press("space")
        await settled(pilot, app, "‖ paused  frame 1 of 1")
