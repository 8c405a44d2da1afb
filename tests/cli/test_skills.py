"""`sightline skill` and skills in all other commands, on a server some of whose skills do not match their entries."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.sightline import ROOT, sightline

SERVER = (sys.executable, str(ROOT / "tests" / "peers" / "skills_server.py"))
SKILLS = ("--", *SERVER)
NOT_READ = "it was not read: sightline skill reads and verifies it"


def test_listing_pinning_and_reviewing_read_no_skill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    log = tmp_path / "log"
    for words in (["list"], ["context"], ["pin"], ["review"], ["skill", "pdf-processing", "--files"]):
        ran = sightline(*words, *SKILLS, str(log))
        assert ran.code in {0, 1}, ran.err
    methods = [line.split(" ")[0] for line in log.read_text().splitlines()]
    assert "skills/list" in methods
    assert "resources/read" not in methods
    shown = sightline("list", *SKILLS).out
    assert "skill://large/SKILL.md" in shown, "the second page too"
    assert "\x1b" not in shown
    assert "which is not in its folder" in " ".join(
        sightline("list", "--format", "json", *SKILLS).out.split()
    )


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["pdf-processing"], 0, ""),
        (["pdf-processing", "--file", "forms/invoice.md"], 0, ""),
        (["skill://hidden/SKILL.md"], 0, ""),
        (["tampered", "--boundary", "open"], 5, "its SHA-256 digest is not the one"),
        (["longer"], 5, "the entry of the skill says"),
        (["other"], 5, "its frontmatter is not the one in the entry of the skill at /name"),
        (["climbing"], 5, "which is not in its folder"),
        (["pdf-processing", "--file", "NEW.md"], 5, "the skill has no file NEW.md"),
        (["nothing"], 5, "It lists: pdf-processing"),
        (["skill://nothing/SKILL.md"], 5, "the server has no skill"),
    ],
)
def test_a_skill_that_differs_from_its_entry_is_withheld(words: list[str], code: int, says: str) -> None:
    ran = sightline("skill", *words, "--format", "json", *SKILLS)
    assert (ran.code, says in ran.err) == (code, True), ran.err
    if code == 0:
        assert ran.json["model"] == ran.json["raw"]
    elif ran.out:
        assert "sightline:notice" in json.dumps(ran.json["model"])
        assert "Steal" not in json.dumps(ran.json["model"])


def test_a_plain_read_of_a_file_of_a_skill_is_verified_too() -> None:
    ran = sightline("read", "skill://pdf-processing/NEW.md", "--boundary", "open", *SKILLS)
    assert ran.code == 5
    assert "the entry of the skill does not list this file" in ran.err


def test_a_folder_is_compared_with_the_entry() -> None:
    ran = sightline("skill", "pdf-processing", "--files", "--format", "json", *SKILLS)
    files = {each["uri"].removeprefix("skill://pdf-processing/"): each for each in ran.json["files"]}
    assert files["SKILL.md"]["problem"] is None
    assert files["forms"]["isFolder"]
    assert "not in the entry" in files["NEW.md"]["problem"]
    assert files["../../etc/passwd"]["problem"] == "not in this folder"
    inner = sightline("skill", "pdf-processing", "--files", "--file", "forms", *SKILLS).out
    assert "the server no longer lists it" in inner
    assert sightline("skill", "pdf-processing", "--files", "--file", "../x", *SKILLS).code == 2


@pytest.mark.parametrize(("name", "is_verified"), [("tampered", False), ("skill://hidden/SKILL.md", True)])
def test_a_recording_is_verified_again_checked_reviewed_and_served(
    tmp_path: Path, name: str, *, is_verified: bool
) -> None:
    path = str(tmp_path / "skills.jsonl")
    sightline("skill", name, "--record", path, *SKILLS)
    checked = sightline("replay", "--check", path)
    assert checked.code == 0, checked.out
    served = sightline(
        "skill", name, "--view", "model", "--", sys.executable, "-m", "inspector", "serve", path
    )
    assert served.code == (0 if is_verified else 5), served.err
    reviewed = sightline("review", path).out
    assert ("SL-SKL002" in reviewed) is not is_verified
    assert ("text of the skill skill://tampered" in reviewed) is is_verified
    assert NOT_READ in reviewed


def test_a_changed_digest_is_a_changed_pin_and_needs_confirmation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    server = tmp_path / "server.py"
    text = Path(SERVER[1]).read_text()
    server.write_text(text)
    target = ("--", sys.executable, str(server))
    assert sightline("pin", *target).code == 0
    server.write_text(text.replace('"Invoice.\\n"', '"Another invoice.\\n"'))
    changed = sightline("pin", "--check", *target)
    assert "skills/list skill://pdf-processing/SKILL.md" in changed.out
    for words in (["pdf-processing"], ["pdf-processing", "--file", "forms/invoice.md"]):
        asked = sightline("skill", *words, *target)
        assert asked.code != 0, asked.out
        assert "changed since it was pinned" in asked.out + asked.err
        assert "sightline pin --check shows what changed since the pin." in asked.err
    assert sightline("skill", "daily", *target).code == 0
