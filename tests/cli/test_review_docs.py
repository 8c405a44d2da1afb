import re
from pathlib import Path

from inspector.cli.rules_page import page_lines
from inspector.review.registry import rules

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_rules_agrees_with_the_registry() -> None:
    assert (DOCS / "rules.md").read_text(encoding="utf-8").splitlines() == page_lines()


def test_the_guide_names_only_existing_rules() -> None:
    named = set(re.findall(r"SL-[A-Z]{3}\d{3}", (DOCS / "review.md").read_text(encoding="utf-8")))
    assert named
    assert named <= {rule.id for rule in rules()}
