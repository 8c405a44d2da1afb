"""Writes docs/rules.md from the registry of rules: `python -m inspector.cli.rules_page > docs/rules.md`."""

from collections.abc import Iterator
from itertools import groupby

from inspector.cli.output import print_lines
from inspector.review.registry import rules
from inspector.review.rule import ReviewRule

_HEAD = (
    "# Rules",
    "",
    "What `sightline review` looks for ([review.md](review.md)). This page is made from the registry:",
    "`python -m inspector.cli.rules_page > docs/rules.md`.",
    "",
    "An id is never given to another rule. Severity says how bad a finding is, confidence how likely it is to be true; a",
    "single finding may differ from its rule in both. Rules that need results run with `--call`.",
)


def page_lines() -> list[str]:
    """docs/rules.md, line by line: one section for each review rule."""
    return list(_lines())


def _lines() -> Iterator[str]:
    yield from _HEAD
    for family, found in groupby(rules(), key=lambda rule: rule.family):
        yield ""
        yield f"## {family}"
        for rule in found:
            yield ""
            yield from _rule(rule)


def _rule(rule: ReviewRule) -> Iterator[str]:
    needs = ", needs results" if rule.call and not rule.each else ""
    yield f"### {rule.id}: {rule.title}"
    yield ""
    yield f"{rule.severity.value}, confidence {rule.confidence.value}{needs}. {', '.join(rule.references)}."
    yield ""
    yield f"{rule.consequence} **Fix:** {rule.fix}"


if __name__ == "__main__":
    print_lines(page_lines(), exactly=True)
