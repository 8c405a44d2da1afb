"""docs/hosts.md says what the profiles do."""

from pathlib import Path

from inspector.hosts.registry import hosts
from inspector.hosts.table import NOT_OBSERVED, host_table, markdown_table
from tests.hosts.questions import QUESTIONS

PAGE = Path(__file__).parents[2] / "docs" / "hosts.md"


def tables() -> str:
    found = hosts()
    parts = [host_table(found)]
    for questions in QUESTIONS:
        rows = [(f"`{host.name}`", *(ask(host) for ask in questions.values())) for host in found]
        parts.append(markdown_table(("host", *questions), rows))
    return "\n\n".join(parts) + "\n"


def test_the_tables_of_the_page_are_those_of_the_profiles() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.endswith(tables()), "docs/hosts.md: replace the tables with what tables() gives"


def test_the_page_names_the_hosts_that_have_no_profile() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert ", ".join(NOT_OBSERVED) in " ".join(text.split())
