"""The pictures in the documentation, taken from the demo: `python -m tests.pictures`."""

import asyncio
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from textual.pilot import Pilot

from inspector.demo.server import SEED_VARIABLE
from inspector.files import themes
from inspector.protocol.targets import DemoTarget
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.connection.source import ServerSource
from tests.tui.scripted import screen_text, settled

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
LIMIT_S = 30.0
_FONT = re.compile(r"\s*@font-face \{.*?\n    \}", re.DOTALL)
_ID = re.compile(r"terminal-\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One state of the screen, and the keys that lead there."""

    name: str
    steps: tuple[tuple[tuple[str, ...], str], ...]
    """Keys, and a text that the screen shows after them."""
    theme: str = "dark"
    size: tuple[int, int] = (140, 40)


CALLED = (
    (("slash", *"generate"), "▹ generate_api_key"),
    (("enter",), "Tools 1 of"),
    (("enter",), "Esc leave"),
)
MADE = (*CALLED, ((*"production", "enter"), "#1 done"))
PICTURES = (
    Picture(name="call", steps=CALLED),
    Picture(name="result", steps=MADE),
    Picture(name="result-light", steps=MADE, theme="light"),
    Picture(name="result-80x24", steps=MADE, size=(80, 24)),
    Picture(name="hosts", steps=(*MADE, (("c",), "Compare hosts"))),
    Picture(name="definition", steps=(*CALLED[:-1], (("2",), "server sent "))),
    Picture(name="review", steps=((("f",), "Findings of"),)),
    Picture(name="help", steps=((("question_mark",), "All keys"),)),
)


async def shows(pilot: Pilot[None], app: SightlineApp, text: str) -> None:
    """Wait until a text is on the screen and no computation is running."""
    until = time.monotonic() + LIMIT_S
    while text not in screen_text(app):
        if time.monotonic() > until:
            raise SystemExit(f"{text!r} did not appear:\n{screen_text(app)}")
        await pilot.pause(0.05)
    await settled(pilot, app)


async def take(picture: Picture) -> str:
    """A picture as SVG."""
    target = DemoTarget()

    async def open_session(listener: Listener) -> Session:
        return Session(target, Options(), listener)

    app = SightlineApp(
        [ServerSource(target=target, opener=open_session)], theme_files=themes.shipped(), theme=picture.theme
    )
    async with app.run_test(size=picture.size) as pilot:
        await shows(pilot, app, "Tools 2")
        for keys, text in picture.steps:
            await pilot.press(*keys)
            await shows(pilot, app, text)
        # Its badges and findings arrive after a listing.
        await pilot.pause(1)
        svg = app.export_screenshot(title="Sightline")
    return _ID.sub(picture.name, _FONT.sub("", svg))


def main() -> None:
    os.environ[SEED_VARIABLE] = "pictures"
    FOLDER.mkdir(exist_ok=True)
    for picture in PICTURES:
        (FOLDER / f"{picture.name}.svg").write_text(asyncio.run(take(picture)), "utf-8")


if __name__ == "__main__":
    main()
