"""The parts that hosts keep of output that is too long for them."""

import pytest

from inspector.json.exact import Json, dump_text
from tests.hosts.asking import handed, sent, text


def test_claude_code_keeps_both_ends_of_a_long_error() -> None:
    context = handed("claude-code", sent(text("a" * 5_000 + "b" * 2_000 + "c" * 5_000), isError=True))
    assert isinstance(context.model, dict)
    said = str(context.model["content"])
    assert said.startswith("a" * 5_000)
    assert said.endswith("c" * 5_000)
    assert "b" not in said
    assert not context.observed


@pytest.mark.parametrize(
    ("result", "start", "kept"),
    [
        (sent(text("x" * 50_001)), "<persisted-output>\nOutput too large (48.9KB). ", 2_000),
        (
            sent(text("t"), structuredContent={"k": "x" * 50_000}),
            "<persisted-output>\nOutput too large (48.8KB). ",
            2_000,
        ),
        (sent(text("x" * 100_001)), "Error: result (100,001 characters) exceeds maximum allowed tokens. ", 0),
    ],
    ids=["text", "structure", "too long"],
)
def test_claude_code_writes_long_output_to_a_file(result: Json, start: str, kept: int) -> None:
    context = handed("claude-code", result)
    assert isinstance(context.model, dict)
    assert context.model.keys() == {"content"}
    said = str(context.model["content"])
    assert said.startswith(start)
    assert kept - 100 <= said.count("x") - start.count("x") <= kept + 10
    assert not context.observed


def test_gemini_cli_cuts_a_single_long_part() -> None:
    tags = len("<untrusted_context>\n\n</untrusted_context>")
    whole = handed("gemini-cli", sent(text("x" * (40_000 - tags))))
    assert whole.observed
    cut = handed("gemini-cli", sent(text("x" * (40_001 - tags))))
    said = dump_text(cut.model)
    assert not cut.observed
    assert "Showing first 8,000 and last 32,000 characters" in said
    assert "... [1 characters omitted] ..." in said
    two = handed("gemini-cli", sent(text("x" * 40_000), text("y")))
    assert two.observed
    assert dump_text(two.model).count("x") - two_tags("x") >= 40_000


def two_tags(letter: str) -> int:
    """The number of occurrences of a letter in the host's own words around two texts."""
    return dump_text(handed("gemini-cli", sent(text(""), text(""))).model).count(letter)
