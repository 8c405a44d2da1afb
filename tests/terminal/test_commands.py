"""Every command on a server that is hostile in every place, judged by the bytes that it writes to its terminal."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.safe_text import safe_line
from tests.terminal.payloads import EVERYTHING, PAYLOADS, marked
from tests.terminal.running import SERVER, ended
from tests.terminal.server import LISTS, RESULTS, TOOLS
from tests.terminal.stream import assert_lines

SYMBOLS = ("␛", "␇", "␡", "⟨U+009B⟩", "⟨U+202E⟩", "⟨U+200B⟩", "⟨U+E0068⟩", "[@click=app.quit]")
QUIET = ("-q", "--format", "json")


def run(*words: str, code: int = 0) -> str:
    """The output of a command, after an assertion that its lines have no control characters."""
    written, ending = ended(words)
    text = assert_lines(written)
    assert ending == code, text
    return text


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, ...]:
    """The options that name a saved result and its tool."""
    (tmp_path / "result.json").write_text(json.dumps(RESULTS["everything"]))
    (tmp_path / "tool.json").write_text(json.dumps(TOOLS[0]))
    return ("--result", str(tmp_path / "result.json"), "--tool", str(tmp_path / "tool.json"))


def unwrapped(text: str) -> str:
    """The output with the rows of each line joined, exactly."""
    return text.replace("\n  ", " ")


def assert_symbols(text: str) -> None:
    for symbol in SYMBOLS:
        assert symbol in text, symbol


def test_a_listing_is_safe() -> None:
    text = run("list", *SERVER)
    assert_symbols(text)
    lines = unwrapped(text).split("\n")
    assert safe_line(EVERYTHING) in lines[1]
    for name in PAYLOADS:
        assert any(line.startswith(safe_line(marked(name)[:30])) for line in lines), name


def test_a_listing_with_model_definitions_is_safe() -> None:
    assert_symbols(run("list", "--definitions", *SERVER))


def test_a_listing_as_json_is_safe_and_exact() -> None:
    found: Any = json.loads(run("list", *QUIET, *SERVER))
    assert found["server"]["instructions"] == EVERYTHING
    assert found["server"]["capabilities"] == LISTS["initialize"]["capabilities"]
    listed = {tool["name"]: tool["definition"] for tool in found["tools"]}
    assert [listed.get(tool["name"]) for tool in TOOLS[:-2]] == TOOLS[:-2]
    assert [item["value"] for item in found["malformed"]] == TOOLS[-2:]


def test_a_call_and_its_progress_are_safe() -> None:
    text = run("call", "everything", "--yes", *SERVER)
    assert_symbols(text)
    # The text of the progress is masked: the result has it where it is withheld.
    assert "progress 1 of 2" in unwrapped(text)


def test_a_call_as_json_is_safe_and_exact() -> None:
    found: Any = json.loads(
        run("call", "everything", "--yes", "--unmask", "--boundary", "open", *QUIET, *SERVER)
    )
    assert found["raw"] == RESULTS["everything"]


@pytest.mark.parametrize(("tool", "code"), [("fails", 5), ("refuses", 5), ("dies", 4), ("plain", 0)])
def test_failed_calls_are_safe(tool: str, code: int) -> None:
    assert_symbols(run("call", tool, "--boundary", "open", *SERVER, code=code))


@pytest.mark.parametrize("words", [("list",), ("list", *QUIET)])
def test_the_stderr_of_a_server_that_cannot_be_started_is_safe(words: tuple[str, ...]) -> None:
    text = run(*words, *SERVER, "dies", code=4)
    assert "last words" in text
    if words == ("list",):
        assert_symbols(text)
        own = [line for line in text.split("\n") if line and not line.startswith("  ")]
        assert len(own) == 2, own
    else:
        assert set(json.loads(text)["error"]) == {"code", "message", "hint"}


def test_the_error_about_an_unknown_tool_is_safe() -> None:
    text = run("call", EVERYTHING[:40], *SERVER, code=5)
    assert f"lists no tool {safe_line(EVERYTHING[:40])}\n" in text
    assert safe_line(marked("C1 CSI")) in text


@pytest.mark.parametrize("words", [("project",), ("hosts", "--compare", "--host", "spec")])
def test_a_projected_file_is_safe(words: tuple[str, ...], files: tuple[str, ...]) -> None:
    assert_symbols(run(*words, *files))


@pytest.mark.parametrize("words", [("project",), ("hosts", "--compare")])
def test_a_projected_file_as_json_is_safe(words: tuple[str, ...], files: tuple[str, ...]) -> None:
    json.loads(run(*words, *files, "--format", "json"))


def test_hidden_characters_are_a_finding() -> None:
    listed = run("list", *SERVER)
    assert "invisible character" in listed.partition("\nHIDDEN CHARACTERS")[2]
    assert "! the text holds" in run("call", "fails", *SERVER, code=5)
