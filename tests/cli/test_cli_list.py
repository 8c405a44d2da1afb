import json
import sys
import unicodedata
from pathlib import Path

import pytest

from tests.cli.sightline import ROOT, hostile_server, raw_server, sightline


def test_a_definition_is_shown_exactly_as_it_was_sent() -> None:
    ran = sightline("list", "--format", "json", "demo")
    assert ran.code == 0
    tools = {tool["name"]: tool for tool in ran.json["tools"]}
    definition = tools["odd_claims"]["definition"]
    assert definition["annotations"]["readOnlyHint"] == "maybe"
    assert definition["annotations"]["x-acme-tier"] == "gold"
    assert tools["patient_record"]["definition"]["annotations"]["sensitiveHint"] is True
    invented = [claim for claim in tools["odd_claims"]["claims"] if claim["vocabulary"] == "unrecognised"]
    assert {"key": "x-acme-tier", "value": "gold"}.items() <= invented[0].items()
    assert set(invented[0]) == {"vocabulary", "key", "pointer", "value", "standing", "wellFormed"}
    hint = next(claim for claim in tools["odd_claims"]["claims"] if claim["key"] == "readOnlyHint")
    assert (hint["wellFormed"], hint["value"]) == (False, "maybe")


def test_a_malformed_tool_is_listed_with_its_reason() -> None:
    ran = sightline("list", "--format", "json", *raw_server("one broken tool"))
    assert [tool["name"] for tool in ran.json["tools"]] == ["t", "hinted"]
    assert ("broken", "`inputSchema` is missing") in [
        (item["name"], item["reason"]) for item in ran.json["malformed"]
    ]
    text = sightline("list", *raw_server("one broken tool")).out
    assert "MALFORMED\nbroken" in text


def test_the_spelling_of_numbers_is_kept_in_the_output() -> None:
    ran = sightline("call", "t", "--format", "json", *raw_server("unknown fields"))
    assert '"x":1e400' in ran.out
    assert '"zzz":12345678901234567890123' in ran.out


def test_ten_thousand_tools_are_listed_completely() -> None:
    ran = sightline("list", "--format", "json", "-q", *raw_server("200 pages"))
    assert len(ran.json["tools"]) == 10_000
    assert ran.json["malformed"] == []


@pytest.mark.parametrize("format_", ["text", "json"])
@pytest.mark.parametrize("command", [("list",), ("call", "first"), ("call", "fails"), ("call", "refuses")])
def test_no_control_or_invisible_character_is_printed(command: tuple[str, ...], format_: str) -> None:
    lenses = [("--yes", "--unmask", "--boundary", level) for level in ("open", "closed")]
    for options in lenses if command[0] == "call" else [()]:
        ran = sightline(*command, *options, "--format", format_, *hostile_server())
        assert "closed" in options or "\u241b]52" in ran.out or "u001b]52" in ran.out
        for character in ran.out + ran.err:
            assert character == "\n" or not unicodedata.category(character).startswith("C"), hex(
                ord(character)
            )


def test_a_listing_has_the_heading_of_a_review() -> None:
    listed = sightline("list", "demo").out.splitlines()[0]
    head = "demo: demo-workspace 0.1.0, protocol 2026-07-28, 20 tools, "
    assert listed.startswith(head)
    reviews = [sightline("review", *targets).out.splitlines() for targets in (("demo",), ("demo", "demo"))]
    assert [lines[0].startswith(f"Review of {head}") for lines in reviews] == [True, True]
    second = "Review of demo (2): demo-workspace 0.1.0, protocol 2026-07-28, 20 tools, "
    assert sum(line.startswith(second) for line in reviews[1]) == 1


def test_lookalike_letters_in_names_are_visible_in_a_listing_and_in_reports(tmp_path: Path) -> None:
    definitions = tmp_path / "definitions.json"
    tool = {"name": "send_rep\u043ert", "inputSchema": {"type": "object"}}
    definitions.write_text(json.dumps({"tools": [tool]}))
    server = ("--", sys.executable, str(ROOT / "tests" / "peers" / "changing_server.py"), str(definitions))
    reports = [sightline("review", "--format", format_, *server).out for format_ in ("text", "html")]
    for out in (sightline("list", *server).out, *reports):
        assert "send_rep⟨U+043E⟩rt" in out


def test_a_part_of_the_name_of_a_host_is_enough_for_a_suggestion() -> None:
    assert "Did you mean claude-code?" in sightline("list", "--definitions", "--host", "clade", "demo").err
