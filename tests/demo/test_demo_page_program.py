"""The page from the command line: served on its own, and opened in a Chromium of its own."""

import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from inspector.demo.secrets import MARK
from tests.cli.sightline import ROOT, sightline
from tests.demo.clients import PATIENCE_S


@pytest.mark.parametrize(
    "command",
    [("inspector.demo", "web", "--port", "0"), ("inspector", "demo", "--serve", "web")],
    ids=["program", "command"],
)
def test_the_page_server_prints_its_address_and_ends_on_sigterm(command: tuple[str, ...]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stderr
        said = process.stderr.readline()
        try:
            assert said.startswith("listening on http://127.0.0.1:")
            assert "<title>Demo workspace</title>" in httpx.get(said.split()[-1]).text
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0


def test_one_call_on_the_page_is_shown_without_a_terminal(tmp_path: Path) -> None:
    ran = sightline("demo", "--web", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "generate_api_key on web+http://127.0.0.1:" in ran.out + ran.err
    assert "production" in ran.out
    assert MARK not in ran.out + ran.err
