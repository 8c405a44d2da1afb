"""A real Chromium, driven over its debugging protocol: a minimal client for tests that query a page from outside."""

import http.client
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from websockets.sync.client import ClientConnection, connect

from inspector.json.exact import Json, JsonObject
from tests.driven import drives

PATIENCE_S = 30.0
Event: TypeAlias = tuple[str, JsonObject]


class ScriptError(Exception):
    """An expression threw in the page; the message is the browser's."""


class Page:
    """One tab, and its protocol session."""

    def __init__(self, socket: ClientConnection) -> None:
        self.events: list[Event] = []
        """Method and parameters of everything that the browser reported, oldest first."""
        self._socket = socket
        self._sent = 0

    def send(self, method: str, **params: Json) -> JsonObject:
        """The result of one command."""
        self._sent += 1
        sent = self._sent
        self._socket.send(json.dumps({"id": sent, "method": method, "params": params}))
        while True:
            message = self._receive(time.monotonic() + PATIENCE_S)
            if message.get("id") == sent:
                assert "result" in message, f"{method}: {message.get('error')}"
                return _object(message["result"])

    def wait_for(self, method: str, matches: Callable[[JsonObject], bool] = lambda _: True) -> JsonObject:
        """The parameters of the first such event, which may already have been reported."""
        seen, deadline = 0, time.monotonic() + PATIENCE_S
        while True:
            for name, params in self.events[seen:]:
                if name == method and matches(params):
                    return params
            seen = len(self.events)
            self._receive(deadline)

    def open(self, url: str) -> None:
        """Go to `url` and wait until it has loaded."""
        self.send("Page.enable")
        self.events.clear()
        self.send("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def evaluate(self, expression: str, context: Json = None) -> Json:
        """The value of an expression, or of the promise that it returns. Raises ScriptError."""
        where: JsonObject = {} if context is None else {"contextId": context}
        answer = self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, **where
        )
        if "exceptionDetails" in answer:
            raise ScriptError(json.dumps(answer["exceptionDetails"]))
        return _object(answer["result"]).get("value")

    def isolated(self, frame: Json = None) -> Json:
        """A new isolated world of a frame, by default of the main one."""
        if frame is None:
            frame = self.main_frame()
        return self.send("Page.createIsolatedWorld", frameId=frame, worldName="tests")["executionContextId"]

    def main_frame(self) -> Json:
        """The id of the tab's own frame."""
        return _object(_object(self.send("Page.getFrameTree")["frameTree"])["frame"])["id"]

    def _receive(self, deadline: float) -> JsonObject:
        message = _object(json.loads(self._socket.recv(timeout=max(0.0, deadline - time.monotonic()))))
        if "method" in message:
            self.events.append((str(message["method"]), _object(message["params"])))
        return message


class Browser:
    """A running Chromium with a profile of its own."""

    def __init__(self, port: int) -> None:
        self._port = port

    @contextmanager
    def page(self) -> Generator[Page]:
        """A new tab, closed at the end."""
        drives()
        target = self._ask("PUT", "/json/new?about:blank")
        with connect(str(target["webSocketDebuggerUrl"]), max_size=None) as socket:
            yield Page(socket)
        self._ask("GET", f"/json/close/{target['id']}")

    def _ask(self, method: str, path: str) -> JsonObject:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        try:
            connection.request(method, path)
            body = connection.getresponse().read()
        finally:
            connection.close()
        return _object(json.loads(body)) if body.startswith(b"{") else {}


@contextmanager
def chromium(*, native: bool) -> Generator[Browser]:
    """A headless Chromium of this machine, with or without its own WebMCP; ended afterwards, and its profile removed."""
    drives()
    program = shutil.which("chromium")
    assert program, "the tests need Debian's chromium"
    profile = Path(tempfile.mkdtemp(prefix="sightline-test-"))
    feature = "--enable-features=WebMCP" if native else "--disable-features=WebMCP"
    flags = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-background-networking", feature]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    process = subprocess.Popen(
        [program, *flags, "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield Browser(_port(profile / "DevToolsActivePort", process))
    finally:
        # The group contains only the processes of this browser, which leads it.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE_S)
        _remove(profile)


def _port(written: Path, process: subprocess.Popen[bytes]) -> int:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        lines = written.read_text().splitlines() if written.exists() else []
        if len(lines) > 1:
            return int(lines[0])
        assert process.poll() is None, f"chromium ended with {process.returncode}"
        time.sleep(0.02)
    raise TimeoutError("chromium did not say where it listens")


def _remove(profile: Path) -> None:
    # The last helper of a killed browser may still write for a moment.
    deadline = time.monotonic() + PATIENCE_S
    while profile.exists() and time.monotonic() < deadline:
        shutil.rmtree(profile, ignore_errors=True)
    assert not profile.exists(), profile


def _object(value: Json) -> JsonObject:
    assert isinstance(value, dict), value
    return value
