"""The demo and every way to write a file: its secrets, and a revealed value, are in none of the files."""

import json
import re
from pathlib import Path

import pytest

from inspector.review.formats.formats import FORMATS
from tests.sinks.demo import TOOLS, on_demo, withheld
from tests.sinks.searching import files_below


@pytest.mark.long
def test_no_file_or_terminal_output_contains_a_secret_of_the_demo(
    tmp_path: Path,
) -> None:
    audit = tmp_path / "root" / "work" / "audit.jsonl"
    with on_demo(tmp_path, "--audit", str(audit)) as run:
        run.write("w", "Record this session", "made.jsonl", "w stops it")
        run.press("P", until="Not pinned.")
        run.press("p", until="malformed item?")
        run.press("y", until="As pinned")
        run.press("escape")
        run.press("g", "j", "j", "j", until="▸ create_share_link")
        run.call("create_share_link")
        run.reveal()
        run.press("g", until=f"▸ {TOOLS[0]}")
        for number, tool in enumerate(TOOLS):
            if number:
                run.press("j", until=f"▸ {tool}")
            if tool != "create_share_link":
                run.call(tool)
        run.press("f", until="Findings of")
        run.press("a", until="Accept SL-")
        run.press(*"known")
        run.press("enter", until="1 accepted")
        for one in FORMATS.values():
            run.write("x", "Write the review", f"review{one.suffix}", f"Written to review{one.suffix}")
        run.press("escape")
        run.write("x", "Export this session", "session.html", "Exported to session.html")
        run.write("x", "Export this session", "session.md", "Exported to session.md")
        run.press("w", until="Recorded to")
        run.watch()
        run.press("q")
        assert run.screen.wait_for_end() == 0
        assert run.leaks() == {}
    files = {Path(name).name: content for name, content in files_below(tmp_path / "root").items()}
    said = (tmp_path / "outside" / "said").read_text()
    parts = {part for url in re.findall(r'"redeemUrl":"([^"]+)"', said) for part in url.split("?")}
    assert parts
    assert [name for name, content in files.items() if any(part.encode() in content for part in parts)] == []
    assert len(set(withheld(tmp_path / "outside"))) >= 7
    assert files["made.jsonl"].count(b'"method":"tools/call"') == len(TOOLS)
    events = [json.loads(line)["event"] for line in audit.read_text().splitlines()]
    assert events.count("answered") == len(TOOLS)
    assert [event for event in events if "secret" in event] == ["secret requested", "secret answered"]
    assert files["made.jsonl"].count(b'"note":"secret"') == 1
    for name in ("session.html", "session.md"):
        assert b"generate_api_key" in files[name]
    assert all(files[f"review{one.suffix}"] for one in FORMATS.values())
    for folder in ("accepted", "pins"):
        assert len(list((tmp_path / "root" / "data" / folder).glob("*.json"))) == 1
