"""docs/hosts.md contains the tables of the profiles. Run this file to write them: `python tests/hosts/test_hosts_page.py`."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from inspector.hosts.registry import NOT_OBSERVED, hosts
from tests.hosts.questions import QUESTIONS, block_meta, error_flag, long_text, result_meta, structure

PAGE = Path(__file__).parents[2] / "docs" / "hosts.md"
HEAD = ("host", "title", "version", "as of", "evidence", "source")


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join((line(head), line(["---"] * len(head)), *map(line, rows)))


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def tables() -> str:
    found = hosts()
    known = [
        (f"`{host.name}`", host.title, host.version, host.as_of, host.how, host.source) for host in found
    ]
    parts = [markdown_table(HEAD, known)]
    for questions in QUESTIONS:
        rows = [(f"`{host.name}`", *(ask(host) for ask in questions.values())) for host in found]
        parts.append(markdown_table(("host", *questions), rows))
    return "\n\n".join(parts) + "\n"


def test_the_tables_of_the_page_agree_with_the_profiles() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.endswith(tables()), "docs/hosts.md is out of date: run tests/hosts/test_hosts_page.py"


def test_what_a_model_gets_in_short_is_what_was_observed() -> None:
    for host in hosts():
        words = host.model_gets
        said = {
            "no structured content": structure(host) == "text",
            "or else": structure(host) == "structure",
            "no error flag": error_flag(host) == "hidden",
            "_meta": "passed on" in {result_meta(host), block_meta(host)},
            "a long |up to ": long_text(host) != "whole",
        }
        assert {part for part in said if re.search(part, words)} == {
            part for part, is_so in said.items() if is_so
        }, host.name


def test_the_page_names_the_hosts_that_have_no_profile() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert ", ".join(NOT_OBSERVED) in " ".join(text.split())


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(page[: page.index(f"| {HEAD[0]} | {HEAD[1]} |")] + tables(), encoding="utf-8")
