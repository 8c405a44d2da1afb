"""A browser with WebMCP, one without, and a page of this machine for both."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import pytest

from tests.webmcp.polyfill.browser import Browser, chromium

PAGE = b"""<!doctype html><title>Page</title><body>
<script>globalThis.seen = Object.getOwnPropertyNames(globalThis);</script>"""


class _Answers(BaseHTTPRequestHandler):
    """`/html?TEXT` is the page in its query; every other path is the same page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        path, _, given = self.path.partition("?")
        self.wfile.write(unquote(given).encode() if path == "/html" else PAGE)

    def log_message(self, *_: object) -> None:  # type: ignore[override]
        """Keep requests out of the tests' output."""


@contextmanager
def _served() -> Generator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def origin() -> Generator[str]:
    with _served() as served:
        yield served


@pytest.fixture(scope="module")
def other() -> Generator[str]:
    """Another origin of the same site, so that its frames share the page's process."""
    with _served() as served:
        yield served


@pytest.fixture(scope="module")
def native() -> Generator[Browser]:
    with chromium(native=True) as browser:
        yield browser


@pytest.fixture(scope="module")
def plain() -> Generator[Browser]:
    with chromium(native=False) as browser:
        yield browser
