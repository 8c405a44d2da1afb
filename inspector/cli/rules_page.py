"""Writes docs/rules.md from the registry of rules: `python -m inspector.cli.rules_page > docs/rules.md`."""

from collections.abc import Iterator
from itertools import groupby

from inspector.cli.output import print_lines
from inspector.review.registry import rules
from inspector.review.rule import ReviewRule
from inspector.review.signals import NOTABLE, SINGLE, SURE, SUSPECT

_HEAD = (
    "# Rules",
    "",
    "What `sightline review` looks for ([review.md](review.md)). This page is made from the registry:",
    "`python -m inspector.cli.rules_page > docs/rules.md`.",
    "",
    "An id is never given to another rule. Severity says how bad a finding is, confidence how likely it is to be true; a",
    "single finding may differ from its rule in both. Rules that need results run with `--call`.",
    "",
    "`by score` means that a finding has the severity and the confidence of its score, which its message names. The score is",
    "the sum of the weights of all signs in a passage ([review.md](review.md#orders-to-a-model)):",
    "",
    "| score | severity | confidence |",
    "|---|---|---|",
    f"| below {NOTABLE:g} | no finding | |",
    f"| from {NOTABLE:g} | low | low |",
    f"| from {SUSPECT:g} | high; low with only one sign and a score below {SINGLE:g} | medium |",
    f"| from {SURE:g} | high | high |",
    "",
    "In a result whose tool declares untrusted content, the severity is at most medium.",
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
    grade = "by score" if rule.is_scored else f"{rule.severity.value}, confidence {rule.confidence.value}"
    yield f"{grade}{needs}. {', '.join(rule.references)}."
    yield ""
    yield f"{rule.consequence} **Fix:** {rule.fix}"


if __name__ == "__main__":
    print_lines(page_lines(), exactly=True)
