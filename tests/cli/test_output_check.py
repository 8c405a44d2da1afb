"""Results that violate their output schemas, from a real server to every command that shows one."""

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tests.cli.sightline import ROOT, sightline
from tests.peers.broken_output_server import RESULTS, SECRET

if TYPE_CHECKING:
    from inspector.json.exact import JsonObject

SERVER = ("--", sys.executable, str(ROOT / "tests" / "peers" / "broken_output_server.py"))
BROKEN: dict[str, list[str]] = {
    "order": ["/structuredContent/id", "/structuredContent/placed"],
    "unstructured": ["/structuredContent"],
    "contentless": ["/content"],
    "secret": ["/structuredContent/id", "/structuredContent/token"],
}


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_a_call_reports_schema_violations_and_exits_13(name: str) -> None:
    ran = sightline("call", name, "--format", "json", *SERVER)
    assert sorted(one["pointer"] for one in ran.json["violations"]) == BROKEN.get(name, [])
    assert ran.code == (13 if name in BROKEN else 5 if name == "failing" else 0)
    assert bool(
        [one for one in ran.json["remarks"] if re.search("schema|breaks the protocol", one["message"])]
    ) is (name in BROKEN or name == "uncheckable")
    assert ("unchecked" in ran.json) is (name == "uncheckable")
    assert SECRET not in ran.out + ran.err


def test_the_text_names_each_violation_and_a_flag_tolerates_them() -> None:
    ran = sightline("call", "order", *SERVER)
    assert ran.code == 13
    assert "≠ output breaks its schema:" in ran.out
    assert '    /structuredContent/id must be an integer, is "seven"' in ran.out
    assert "    /structuredContent/placed is missing" in ran.out
    assert "--no-check-output" in ran.err
    forgiven = sightline("call", "order", "--no-check-output", *SERVER)
    assert (forgiven.code, "output breaks its schema" in forgiven.out) == (0, True)
    alone = sightline("call", "unstructured", *SERVER)
    assert "≠ output breaks its schema: /structuredContent is missing, and the tool declares" in alone.out


def recorded(folder: Path, name: str) -> Path:
    path = folder / f"{name}.jsonl"
    sightline("call", name, "--record", str(path), *SERVER)
    return path


def without_output(path: Path) -> Path:
    """The same recording as an earlier version wrote it."""
    lines: list[JsonObject] = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        line.pop("output", None)
    copy = path.with_name(f"old-{path.name}")
    copy.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return copy


@pytest.mark.parametrize("name", ["order", "secret", "fine"])
def test_a_replay_shows_the_same_violations_and_the_check_reports_them(tmp_path: Path, name: str) -> None:
    path = recorded(tmp_path, name)
    assert SECRET not in path.read_text()
    ran = sightline("replay", "--check", "--format", "json", str(path))
    (report,) = ran.json["recordings"]
    assert report["differences"] == []
    assert sorted(one["pointer"] for one in report["violations"]) == BROKEN.get(name, [])
    assert ran.code == (13 if name in BROKEN else 0)
    assert sightline("replay", "--check", "--no-check-output", str(path)).code == 0
    text = sightline("replay", "--check", str(path))
    assert ("≠ output breaks its schema" in text.out) is (name in BROKEN)
    junit = sightline("replay", "--check", "--format", "junit", str(path))
    failures = [str(found.text) for found in ET.fromstring(junit.out).iter("failure")]  # noqa: S314 - our own
    assert any("must be an integer" in failure for failure in failures) is (name in BROKEN)


def test_an_old_recording_is_compared_unless_a_value_was_withheld(tmp_path: Path) -> None:
    old = without_output(recorded(tmp_path, "order"))
    ran = sightline("replay", "--check", "--format", "json", str(old))
    (report,) = ran.json["recordings"]
    assert sorted(one["pointer"] for one in report["violations"]) == BROKEN["order"]
    assert ran.code == 0
    old = without_output(recorded(tmp_path, "secret"))
    ran = sightline("replay", "--check", "--format", "json", str(old))
    (report,) = ran.json["recordings"]
    assert (ran.code, report["violations"]) == (0, [])
    assert report["unchecked"][0]["reason"].startswith("not checked: the recording does not contain")
