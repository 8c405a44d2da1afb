"""The dialog that asks whether to authorize: the redirect closes it, and the screen says how it ended."""

import asyncio

import httpx
import pytest

from inspector.files import themes
from inspector.protocol.targets import HttpTarget
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.asks.authorization import AuthorizationScreen
from inspector.tui.connection.source import ServerSource
from tests.peers.authorizing_server import Issued, authorizing_server
from tests.tui.scripted import SMALL, settled, shows


@pytest.mark.parametrize("error", ["", "access_denied"])
async def test_the_screen_says_how_an_authorization_ended(
    monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    monkeypatch.setattr(AuthorizationScreen, "unread_s", 0.0)

    def browse(_app: SightlineApp, url: str) -> None:
        with httpx.Client() as browser:
            place = browser.get(url).headers["location"]
            browser.get(place.replace("code=", f"error={error}&not=") if error else place)

    monkeypatch.setattr(SightlineApp, "open_url", browse)
    with authorizing_server(Issued()) as url:
        target = HttpTarget(url=url)

        async def open_session(listener: Listener) -> Session:
            return Session(target, Options(connect_timeout_s=10), listener)

        app = SightlineApp([ServerSource(target=target, opener=open_session)], theme_files=themes.shipped())
        async with app.run_test(size=SMALL, notifications=True) as pilot:
            text = await settled(pilot, app, "The server requires authorization")
            assert "Nothing is opened yet." in text
            await pilot.press("ctrl+o")
            text = await shows(pilot, app, "Not authorized: the authorization" if error else "Authorized:")
            assert not isinstance(app.screen, AuthorizationScreen)
            assert ("access_denied" in text) is bool(error)
            async with asyncio.timeout(20):
                while not error and "ready" not in await settled(pilot, app):
                    await asyncio.sleep(0.01)
