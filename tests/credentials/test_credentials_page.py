"""docs/credentials.md agrees with the rules."""

import re
from pathlib import Path

from inspector.credentials.checks import ENOUGH_ENTROPY
from inspector.credentials.find import MOST_JUDGED
from inspector.credentials.rules import RULES

PAGE = Path(__file__).parents[2] / "docs" / "credentials.md"
ROW = re.compile(r"^\| `([a-z-]+)` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def test_the_table_has_a_row_for_each_rule_in_order_of_precedence() -> None:
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert [row[0] for row in rows] == [rule.id for rule in RULES]
    assert [row[1].partition(":")[0] for row in rows] == [rule.title for rule in RULES]
    assert all(row[2].strip() for row in rows)


def test_the_page_states_the_actual_limits() -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"matches more than {MOST_JUDGED:,} times" in text
    assert f"{ENOUGH_ENTROPY:.0f} bits of Shannon entropy" in text
