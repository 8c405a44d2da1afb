import pytest

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.rules.untrusted import DELIMITED
from inspector.claims.claim import Claim, Standing, Subject
from inspector.tui.result.removal import remedy

RULES = sorted({*map(str, Rule), "echo", "invalid-output", "untrusted", "detect"})


def claim(
    pointer: str,
    key: str,
    vocabulary: str = "any",
    subject: Subject = Subject.TOOL,
    *,
    well_formed: bool = True,
) -> Claim:
    return Claim(
        subject=subject,
        pointer=pointer,
        vocabulary=vocabulary,
        key=key,
        value="planted-secret",
        standing=Standing.PROPOSAL,
        well_formed=well_formed,
    )


def removal(
    rule: str,
    pointer: str = "/structuredContent/a",
    *,
    claim: Claim | None = None,
    schema_pointer: str | None = None,
    detail: str = "",
) -> Removal:
    return Removal(pointer=pointer, rule=rule, detail=detail, claim=claim, schema_pointer=schema_pointer)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_its_own_sentence(rule: str) -> None:
    told = remedy(removal(rule))
    assert told.endswith(".")
    assert ". " not in told
    assert "has no advice" not in told
    assert [other for other in RULES if remedy(removal(other)) == told] == [rule]


@pytest.mark.parametrize("rule", RULES)
def test_no_sentence_quotes_the_value_of_a_declaration(rule: str) -> None:
    assert "planted" not in remedy(removal(rule, claim=claim("/annotations/key", "key")))


def test_an_unknown_rule_has_a_general_sentence() -> None:
    assert remedy(removal("other")) == "Sightline has no advice for the rule `other`."


@pytest.mark.parametrize("spelling", ["x-sensitive", "xSensitive", "X_Sensitive"])
def test_the_remedy_names_a_mark_with_its_spelling_and_place(spelling: str) -> None:
    marked = claim(f"/outputSchema/properties/token/{spelling}", "x-sensitive")
    told = remedy(removal("x-sensitive", claim=marked, schema_pointer="/properties/token"))
    assert told == f"Remove `{spelling}` from /outputSchema/properties/token, or return a secret reference."


def test_the_remedy_for_an_unjudgeable_schema_part_is_to_rewrite_it() -> None:
    unresolved = remedy(removal("x-sensitive", schema_pointer="/properties/r"))
    assert unresolved.startswith("Correct the part at /outputSchema/properties/r")
    too_deep = remedy(removal("x-sensitive", claim=claim("/outputSchema/a/b", "x-sensitive")))
    assert too_deep.startswith("Rewrite /outputSchema/a/b")
    assert "of the output schema" in remedy(removal("x-sensitive"))


def test_the_remedy_for_a_sensitive_block_does_not_mention_the_schema() -> None:
    hint = claim("/content/0/annotations/sensitiveHint", "sensitiveHint", subject=Subject.BLOCK)
    told = remedy(removal("sensitive-hint", "/content/0", claim=hint))
    assert told == (
        "Return a secret reference in place of the block, "
        "or drop `sensitiveHint` at /content/0/annotations/sensitiveHint of the result."
    )
    assert '`"x-sensitive": false`' in remedy(removal("sensitive-hint"))


def test_the_remedy_for_an_audience_is_to_widen_or_correct_it() -> None:
    pointer = "/content/0/annotations/audience"
    users = claim(pointer, "audience", subject=Subject.BLOCK)
    assert (
        remedy(removal("audience", claim=users))
        == f"Add `assistant` to `audience` at {pointer} of the result."
    )
    malformed = claim(pointer, "audience", subject=Subject.BLOCK, well_formed=False)
    assert "as a list of `user`, `assistant` or both" in remedy(removal("audience", claim=malformed))


def test_only_the_remedy_for_a_graded_label_names_the_levels_that_pass() -> None:
    graded = claim("/_meta/mcp.dev~1resultSensitivity", "mcp.dev/resultSensitivity", "policy-hints")
    assert "`public` and `internal` pass" in remedy(removal("labelled", claim=graded))
    assert "internal" not in remedy(removal("labelled", claim=claim("/annotations/secretHint", "secretHint")))
    malformed = claim("/_meta/x", "sensitive", "trust-annotations", well_formed=False)
    assert "as trust-annotations defines it" in remedy(removal("labelled", claim=malformed))


def test_the_remedy_depends_on_the_place_of_the_removal() -> None:
    assert remedy(removal("undeclared")) != remedy(removal("undeclared", "/surplus"))
    without = removal("no-contract", "/content/0", detail="the tool declares no output schema")
    assert remedy(without).startswith("Declare an output schema")
    assert remedy(removal("no-contract", "/content/0")) != remedy(without)
    assert "label" in remedy(removal("secret-reference", "/content/0/label"))
    assert remedy(removal("internal", "")) != remedy(removal("internal", "/a"))
    assert "/outputSchema/properties/a" in remedy(removal("invalid-output", schema_pointer="/properties/a"))


def test_untrusted_text_between_markers_is_not_said_to_be_hidden() -> None:
    where = claim("/annotations/untrustedContentHint", "untrustedContentHint")
    told = {
        detail: remedy(removal("untrusted", claim=where, detail=detail)) for detail in (*DELIMITED, "hidden")
    }
    assert "in place of hiding it" in told.pop("hidden")
    assert {words.partition(":")[0] for words in told.values()} == {
        "Correct the claim at /annotations/untrustedContentHint of the tool's definition if the content is from you"
    }
