"""The JUnit XML of each command fits the structure that build servers read, and its counts are right."""

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
import xmlschema

from inspector.junit import JunitCase, junit
from tests.cli.sightline import sightline

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = xmlschema.XMLSchema(str(Path(__file__).parent / "junit.xsd"))
CALLS = (
    '[calls.key]\ntool = "generate_api_key"\narguments = { name = "it" }\n[calls.key.expect]\nfits_schema = true\n'
    '[calls."<wrong> & \\u001b[31m"]\ntool = "generate_api_key"\narguments = { name = "]]>" }\n'
    '[calls."<wrong> & \\u001b[31m".expect]\ncontains = "nowhere"\n'
)
COMMANDS: dict[str, tuple[str, ...]] = {
    "run": ("run", "calls.toml", "demo"),
    "check": ("check", "--call", "demo"),
    "review": ("review", "--call", "demo"),
    "verify": ("verify", "made.jsonl", "demo"),
}


def fits(text: str) -> bool:
    """True if a document fits, and each suite counts its cases and failures."""
    root = ET.fromstring(text)  # noqa: S314 - our own output, or a few lines of this test
    for suite in root.iter("testsuite"):
        cases = suite.findall("testcase")
        failed = sum(case.find("failure") is not None for case in cases)
        if (suite.get("tests"), suite.get("failures", "0")) != (str(len(cases)), str(failed)):
            return False
    return bool(SCHEMA.is_valid(root))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_document_of_a_command_is_accepted(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "calls.toml").write_text(CALLS)
    assert sightline("call", "list_inbox", "--record", "made.jsonl", "demo").code == 0
    ran = sightline(*COMMANDS[name], "--format", "junit", "-q")
    assert "<testcase" in ran.out
    assert fits(ran.out), ran.out


def test_a_document_with_hostile_texts_is_valid_and_a_broken_one_is_not() -> None:
    hostile = ("a", "\x1b]0;x\x07", "\ud800", "]]>", "<b>&\x00", "\u202e\n\n")
    text = "\n".join(junit("n", [JunitCase(suite=one, name=one, failure=one) for one in hostile]))
    assert fits(text)
    breaks: list[Callable[[str], str]] = [
        lambda found: found.replace(' tests="1"', ' tests="2"', 1),
        lambda found: found.replace(' failures="1"', ' failures="0"', 1),
        lambda found: found.replace(' classname="a"', "", 1),
        lambda found: found.replace("<testcase ", "<test ", 1).replace("</testcase>", "</test>", 1),
        lambda found: found.replace('classname="a"', 'classname=""', 1),
    ]
    for broken in breaks:
        assert broken(text) != text
        assert not fits(broken(text))
