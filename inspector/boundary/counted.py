"""Counts what the boundary removed from a result, by rule, with words for each rule.

Protocol metadata and texts between markers are counted apart from what is withheld.
"""

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.bounded import MOST_PASSING, Removal, Rule
from inspector.boundary.removals import Removals
from inspector.boundary.rules.untrusted import DELIMITED

COUNTED: dict[Rule, str] = {
    Rule.X_SENSITIVE: "marked sensitive",
    Rule.SENSITIVE_HINT: "of a sensitive tool",
    Rule.SECRET_REFERENCE: "of a secret reference",
    Rule.AUDIENCE: "for the user only",
    Rule.LABELLED: "labelled sensitive",
    Rule.MIRROR: "copy of structured content",
    Rule.ECHO: "copy of a withheld value",
    Rule.INVALID_OUTPUT: "breaking the output schema",
    Rule.UNKNOWN_CONTENT: "of an unknown kind",
    Rule.META: "metadata",
    Rule.UNTRUSTED: "untrusted",
    Rule.DETECT: "like a credential",
    Rule.UNDECLARED: "not in the output schema",
    Rule.NO_CONTRACT: "without an output schema",
    Rule.ERROR: "error text",
    Rule.POLICY: "by policy",
    Rule.UNVERIFIED: "not verified",
    Rule.UNFINISHED: "of an unfinished call",
    Rule.INTERNAL: "not judged",
}

_SEVERAL: dict[Rule, str] = {
    Rule.MIRROR: "copies of structured content",
    Rule.ECHO: "copies of a withheld value",
    Rule.ERROR: "error texts",
}
"""The words for two or more removals by a rule. For any other rule, the words in `COUNTED` do not change."""
_MOST_READ = 10_000
"""The maximum number of removals of a result in which delimited texts are counted apart.

The removals must be created for this, which takes time.
"""


class Counted(Struct, frozen=True, kw_only=True):
    """The removals of one result, counted as withheld values, protocol metadata and texts between markers."""

    withheld: dict[str, int]
    """The number of values that the model does not get, by rule, the most frequent rule first."""
    metadata: int
    """The number of removed members that are protocol metadata, which is for programs and not for models."""
    delimited: int
    """The number of untrusted texts that the model gets between markers."""

    @property
    def total(self) -> int:
        """The number of values that the model does not get, without metadata."""
        return sum(self.withheld.values())

    def without(self, rule: Rule, number: int) -> "Counted":
        """The same counts, with `number` fewer removals by `rule`."""
        left = {**self.withheld, rule.value: self.withheld.get(rule, 0) - number}
        return replace(self, withheld={each: count for each, count in left.items() if count > 0})

    @property
    def words(self) -> str:
        """The counts of withheld values in words, such as `2 withheld: 1 marked sensitive, 1 by policy`."""
        if not self.withheld:
            return "nothing withheld"
        rules = ", ".join(in_words(number, Rule(rule)) for rule, number in self.withheld.items())
        return f"{self.total:,} withheld: {rules}"

    @property
    def other_words(self) -> str:
        """What `words` does not count, in words: untrusted texts that pass between markers, and metadata left out.

        Empty if there is neither.
        """
        metadata = "protocol metadata left out" if self.metadata else ""
        texts = "untrusted text" if self.delimited == 1 else "untrusted texts"
        delimited = f"{self.delimited:,} {texts} between Sightline's markers" if self.delimited else ""
        return "; ".join(filter(None, (delimited, metadata)))


def is_delimited(removal: Removal) -> bool:
    """True if the value still reaches the model, but between markers that call it untrusted."""
    return removal.rule == Rule.UNTRUSTED and removal.detail in DELIMITED


def counted(removals: Sequence[Removal]) -> Counted:
    """Count removals. In a result with very many removals, texts between markers count as withheld."""
    by_rule = (
        removals.by_rule() if isinstance(removals, Removals) else Counter(map(attrgetter("rule"), removals))
    )
    rules = dict(sorted(by_rule.items(), key=lambda found: -found[1]))
    is_read = Rule.UNTRUSTED in rules and len(removals) <= _MOST_READ
    delimited = sum(map(is_delimited, removals)) if is_read else 0
    metadata = rules.pop(Rule.META, 0)
    if delimited:
        rules[Rule.UNTRUSTED] -= delimited
    return Counted(
        withheld={rule: number for rule, number in rules.items() if number},
        metadata=metadata,
        delimited=delimited,
    )


def passing_words(number: int, what: str = "value") -> str:
    """The subject and verb of a sentence about listed credentials: `1 value looks`, `at least 20 values look`."""
    least = "at least " if number == MOST_PASSING else ""
    return f"1 {what} looks" if number == 1 else f"{least}{number} {what}s look"


def in_words(number: int, rule: Rule) -> str:
    """A number of removals by one rule: `1 error text`, `2 error texts`."""
    words = COUNTED[rule]
    return f"{number:,} {words if number == 1 else _SEVERAL.get(rule, words)}"
