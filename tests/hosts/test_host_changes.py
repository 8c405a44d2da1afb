"""The changes that a profile reports of its host."""

import pytest

from inspector.json.exact import JsonObject
from tests.hosts.asking import handed, sent, text

STRANGE: JsonObject = {"n": 9_007_199_254_740_993, "é": 1.0, "10": [1e21, -0.0], "__proto__": 1, "2": None}


@pytest.mark.parametrize(
    ("name", "pointer", "word"),
    [
        ("claude-code", "/structuredContent/n", "rounds"),
        ("claude-code", "/structuredContent", "indices"),
        ("claude-code", "/structuredContent/__proto__", "drops"),
        ("claude-code", "/content/0", "replaces"),
        ("strands", "/structuredContent", "does not pass"),
        ("codex", "/content", "replaces"),
        ("langchain-py", "/content/0/annotations", "annotations"),
        ("openai-agents-py", "/isError", "does not learn"),
        ("gemini-cli", "/_meta", "metadata"),
        ("google-adk", "/odd", "does not define"),
    ],
)
def test_a_change_names_the_action_of_the_host_and_its_place(name: str, pointer: str, word: str) -> None:
    failed = name == "openai-agents-py"
    more: JsonObject = {"isError": True} if failed else {"structuredContent": STRANGE}
    result = sent(text("t", annotations={"audience": ["user"]}), _meta={"k": 1}, odd=1, **more)
    changes = handed(name, result).changes
    assert any(change.pointer == pointer and word in change.what for change in changes), changes
