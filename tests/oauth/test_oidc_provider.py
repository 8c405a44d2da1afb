"""A separate authorization server from npm: it registers clients, asks for login and consent, and names itself in `iss`."""

import re
import socket
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from urllib.parse import urljoin

import httpx
import pytest

from inspector.protocol.authorization import AuthorizationAsk, Authorizing, MemoryStore
from inspector.protocol.outcome import Result
from inspector.protocol.targets import HttpTarget
from inspector.session.live import Session
from inspector.session.options import Options
from tests.conformance.report import PEERS, ROOT, node
from tests.peers.authenticated_server import Tokens, authenticated_server

MODULE = PEERS / "node_modules/oidc-provider/lib/index.js"
SCRIPT = ROOT / "tests/peers/oidc_provider.mjs"


@contextmanager
def authorization_server(program: str, port: int, resource: str, tokens: Tokens) -> Generator[None]:
    """The server while it runs; every token that it issues is valid."""
    command = [program, str(SCRIPT), str(MODULE), str(port), resource]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        ready = threading.Event()

        def read() -> None:
            for line in process.stdout or ():
                word, *rest = line.split()
                if word == "ready":
                    ready.set()
                elif word == "token":
                    tokens.good[rest[0]] = rest[1:]

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        try:
            assert ready.wait(20), process.poll()
            yield
        finally:
            process.kill()
            reader.join(5)


async def sign_in(ask: AuthorizationAsk) -> bool:
    """Act as the user: log in, consent, and follow the redirects up to Sightline's own."""
    async with httpx.AsyncClient(timeout=10) as browser:
        answer = await browser.get(ask.url)
        for _ in range(12):
            if "location" in answer.headers:
                answer = await browser.get(urljoin(str(answer.url), answer.headers["location"]))
            elif form := re.search(r'<form[^>]*action="([^"]+)"', answer.text):
                prompt = re.search(r'name="prompt" value="(\w+)"', answer.text)
                assert prompt
                fields = {"prompt": prompt[1], "login": "ada", "password": "x"}
                answer = await browser.post(urljoin(str(answer.url), form[1]), data=fields)
            else:
                break
    assert "Sightline has the answer" in answer.text, answer.text
    return True


async def test_a_server_from_npm_authorizes_a_session() -> None:
    program = node() if MODULE.exists() else None
    if program is None:
        pytest.skip("oidc-provider is not installed, or there is no Node 22")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    tokens, store = Tokens(), MemoryStore()
    with (
        authenticated_server(tokens, issuer=f"http://127.0.0.1:{port}") as url,
        authorization_server(program, port, url, tokens),
    ):
        for authorizer in (sign_in, None):
            session = Session(
                HttpTarget(url=url), Options(authorizing=Authorizing(authorizer=authorizer, store=store))
            )
            try:
                await session.connect()
                await session.list_all()
                assert isinstance((await session.call("t", {})).outcome, Result)
            finally:
                await session.close()
            steps = [f"{each.title}: {each.detail}" for each in session.timeline.entries]
            shown = "\n".join(steps)
            assert tokens.good
            assert not [token for token in tokens.good if token in shown]
            if authorizer is not None:
                assert f"iss: http://127.0.0.1:{port}" in shown
                assert "OAuth registration: " in shown
