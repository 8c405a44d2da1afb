import re
from pathlib import Path

from inspector.cli.rules_page import page_lines
from inspector.review.registry import rules
from inspector.review.signals import NOTABLE, SINGLE, SURE, SUSPECT, InstructionScore

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_rules_agrees_with_the_registry() -> None:
    assert (DOCS / "rules.md").read_text(encoding="utf-8").splitlines() == page_lines()


def test_the_guide_names_only_existing_rules() -> None:
    named = set(re.findall(r"SL-[A-Z]{3}\d{3}", (DOCS / "review.md").read_text(encoding="utf-8")))
    assert named
    assert named <= {rule.id for rule in rules()}


def test_both_pages_say_how_severity_and_confidence_follow_from_the_score() -> None:
    table = [
        f"| from {NOTABLE:g} | low | low |",
        f"| from {SUSPECT:g} | high; low with only one sign and a score below {SINGLE:g} | medium |",
        f"| from {SURE:g} | high | high |",
    ]
    for page in ("rules.md", "review.md"):
        lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
        start = lines.index(table[0])
        assert lines[start : start + 3] == table, page
    graded = {
        (score, signs): (found.severity.value, found.confidence.value)
        for score in (NOTABLE, SUSPECT, SINGLE, SURE)
        for signs in (1, 2)
        for found in [InstructionScore(score=score, reasons=("a",) * signs, at=0)]
    }
    assert graded == {
        (NOTABLE, 1): ("low", "low"),
        (NOTABLE, 2): ("low", "low"),
        (SUSPECT, 1): ("low", "medium"),
        (SUSPECT, 2): ("high", "medium"),
        (SINGLE, 1): ("high", "medium"),
        (SINGLE, 2): ("high", "medium"),
        (SURE, 1): ("high", "high"),
        (SURE, 2): ("high", "high"),
    }
