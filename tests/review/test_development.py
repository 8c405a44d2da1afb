"""The development set: the detected attacks, and the findings about harmless definitions. A third of it is kept aside.

The rules were changed while looking at the other two thirds only. Both parts were written for this, after the public
classes of attacks and after what published servers say; no text is copied.
"""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import cast

import pytest

from inspector.json.exact import JsonObject
from inspector.review.finding import Finding, Severity
from tests.review.examples import review_of

HERE = Path(__file__).parent
GUIDE = (HERE.parents[1] / "docs" / "review.md").read_text(encoding="utf-8")
FAMILIES = {"POI", "SHD", "UNI", "TRM", "OVR"}
"""The rules that judge the text of a definition."""


def definitions(name: str) -> list[JsonObject]:
    lines = (HERE / "development" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [cast("JsonObject", json.loads(line)) for line in lines]


def is_aside(definition: JsonObject) -> bool:
    """True if a definition is in the third that was kept aside, by a hash of it."""
    written = json.dumps(definition, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(written.encode()).digest()[0] % 3 == 0


def told(definition: JsonObject) -> list[Finding]:
    return [finding for finding in review_of(definition) if finding.id[3:6] in FAMILIES]


@cache
def counts(name: str) -> dict[bool, tuple[int, int, int]]:
    """The numbers of definitions with a finding above low, with any finding, and in total.

    The key says which part: True for the definitions that were kept aside.
    """
    found: dict[bool, tuple[int, int, int]] = {}
    for aside in (False, True):
        part = [told(definition) for definition in definitions(name) if is_aside(definition) is aside]
        severe = sum(any(finding.severity.rank > Severity.LOW.rank for finding in each) for each in part)
        found[aside] = (severe, sum(bool(each) for each in part), len(part))
    return found


ATTACKS = [definition for definition in definitions("malicious") if not is_aside(definition)]
HARMLESS = [definition for definition in definitions("benign") if not is_aside(definition)]


def test_an_attack_is_found(subtests: pytest.Subtests) -> None:
    for definition in ATTACKS:
        with subtests.test(str(definition["name"])):
            assert told(definition)


def test_harmless_definitions_give_no_finding_above_low() -> None:
    alarmed = {
        str(definition["name"])
        for definition in HARMLESS
        if any(finding.severity.rank > Severity.LOW.rank for finding in told(definition))
    }
    assert alarmed == set()


def test_the_development_set_has_the_required_size() -> None:
    for name in ("malicious", "benign"):
        before = sum(
            len((HERE / f"orders_{name}{part}.txt").read_text().splitlines()) for part in ("", "_aside")
        )
        assert before + len(definitions(name)) >= 150


@pytest.mark.parametrize("name", ["malicious", "benign"])
def test_the_guide_states_the_detection_rates_of_both_parts(name: str) -> None:
    for aside in (False, True):
        severe, any_, whole = counts(name)[aside]
        row = f"| {name}, {'kept aside' if aside else 'tuned on'} | {whole} | {severe} | {any_} |"
        assert row in GUIDE
