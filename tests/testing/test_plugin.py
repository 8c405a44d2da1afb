"""The pytest plugin from a wheel, in a project of its own."""

import base64
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.sightline import Ran

Tested = Callable[..., Ran]

KEY = "plr_" + "9f4c" * 6
SPELLINGS = (KEY, KEY[4:], base64.b64encode(KEY.encode()).decode()[:24], KEY.encode().hex()[:24])
"""Any of these in a report is a leak. The first four letters occur in the source of the fixture project."""


def summary(ran: Ran) -> str:
    return ran.out.splitlines()[-1]


def test_a_project_passes_with_every_kind_of_server(tested: Tested) -> None:
    ran = tested("-q", "-W", "error", "test_passing.py")
    assert ran.code == 0, ran.out + ran.err
    assert re.match(r"1[23] passed", summary(ran)), summary(ran)
    assert "PytestWarning" not in ran.out + ran.err


def test_each_xdist_worker_has_its_own_server(tested: Tested) -> None:
    ran = tested("-n", "2", "-q", "-s", "test_workers.py")
    assert ran.code == 0, ran.out + ran.err
    refused = tested("-n", "2", "--mcp-record")
    assert refused.code == 4
    assert "leave -n out" in refused.err


def test_a_failure_shows_both_views_and_no_secret_anywhere(tested: Tested, project: Path) -> None:
    report = project / "junit.xml"
    ran = tested("--showlocals", "--full-trace", "-vv", f"--junitxml={report}", "test_failing.py")
    assert ran.code == 1, ran.out + ran.err
    assert "0 passed" not in ran.out
    assert re.search(r"=+ 10 failed in", summary(ran)), summary(ran)
    for line in (
        "✗ withheld: /name reaches the model at the boundary declared",
        "SERVER SENT",
        "MODEL SEES (boundary: declared, host: spec)",
        "✗ never_seen: a model sees it in base64, 18 hosts",
        "✗ it was sent at /structuredContent/note: nothing withholds it",
        "[x-sensitive] the output schema marks it",
        "no snapshot test_snapshot.claude-code.txt",
        "(28 characters, reaches the model)",
        "{'secret': <•••••••• (28 characters)>} != {'secret': 'other'}",
    ):
        assert line in ran.out, line
    for text in (ran.out, ran.err, report.read_text()):
        assert not [spelling for spelling in SPELLINGS if spelling.casefold() in text.casefold()]


def test_snapshots_are_written_and_compared_without_secrets(tested: Tested, project: Path) -> None:
    chosen = ("-q", "test_failing.py", "-k", "test_snapshot or test_untrusted")
    assert tested(*chosen, "--mcp-update").code == 0
    assert tested(*chosen).code == 0
    files = {path.name: path for path in project.glob("mcp_snapshots/test_failing/*.txt")}
    assert set(files) == {
        "test_snapshot.claude-code.txt",
        "test_snapshot.spec.txt",
        "test_untrusted.spec.txt",
    }
    whole = "".join(path.read_text() for path in files.values())
    assert '"name": "production"' in whole
    assert "/structuredContent/secret [x-sensitive]" in whole
    assert "</id>" in whole
    assert not [spelling for spelling in SPELLINGS if spelling in whole]
    assert all(character == "\n" or character.isprintable() for character in whole)
    path = files["test_snapshot.spec.txt"]
    path.write_text(path.read_text().replace("production", "staging"))
    differs = tested(*chosen)
    assert differs.code == 1
    assert '-    "name": "staging",' in differs.out
    assert '+    "name": "production",' in differs.out


def test_a_cassette_answers_without_the_server(tested: Tested, project: Path) -> None:
    tape = project / "tapes" / "server.jsonl"
    tape.parent.mkdir()
    tape.write_text("an older one")
    chosen = (
        "-q",
        "test_offline.py",
        "test_failing.py",
        "-k",
        "offline or forgotten",
        "--mcp-cassette",
        str(tape),
    )
    recorded = tested("-q", "test_offline.py", *chosen[-2:], "--mcp-record")
    assert recorded.code == 0, recorded.out
    assert [path.name for path in tape.parent.iterdir()] == ["server.jsonl"]
    assert not [spelling for spelling in SPELLINGS if spelling in tape.read_text()]
    (project / "plain.py").unlink()
    offline = tested(*chosen)
    assert summary(offline).startswith("1 failed, 2 passed"), offline.out
    assert "The recording has no call of a tool of that name: leak_key" in offline.out
    file = project / "test_offline.py"
    marker = '@pytest.mark.mcp_cassette("tapes/server.jsonl")\n'
    file.write_text(
        "import pytest\n\n\n" + file.read_text().replace("def test_marked", f"{marker}def test_marked")
    )
    marked = tested("-q", "test_offline.py")
    assert summary(marked).startswith("1 passed, 1 error"), marked.out
    assert "mcp_server: the server" in marked.out


@pytest.mark.parametrize(("scope", "processes"), [("session", 1), ("module", 2), ("function", 4)])
def test_a_server_may_have_session_module_or_function_scope(
    scope: str, processes: int, tested: Tested, project: Path
) -> None:
    seen = project / "seen"
    ran = tested("-q", "-o", f"mcp_scope={scope}", "scopes", SEEN=str(seen))
    assert ran.code == 0, ran.out
    assert len(set(seen.read_text().split())) == processes


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-o", "mcp_scope=class"), "it must be one of session, module, function"),
        (("-o", "mcp_server="), 'mcp_server = "-- python server.py"'),
        (("--mcp-record",), "--mcp-record needs a file"),
        (("--mcp-cassette", "tape.jsonl"), "pytest --mcp-record records it"),
    ],
)
def test_a_mistake_in_the_configuration_is_a_clear_error(
    words: tuple[str, ...], said: str, tested: Tested
) -> None:
    ran = tested("-q", "test_offline.py", *words)
    assert ran.code
    assert said in ran.out + ran.err
