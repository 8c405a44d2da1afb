from inspector.boundary.bounded import Rule
from inspector.boundary.counted import COUNTED, in_words


def test_a_count_of_removals_is_in_the_singular_for_one_and_in_the_plural_for_more() -> None:
    assert in_words(1, Rule.SECRET_REFERENCE) == "1 secret reference"
    assert in_words(3_000, Rule.SECRET_REFERENCE) == "3,000 secret references"
    assert in_words(2, Rule.MIRROR) == "2 copies of structured content"
    # Nothing that ends like a noun in the singular is left as it is.
    nouns = {rule for rule, words in COUNTED.items() if words.split()[0] in {"copy", "secret", "error"}}
    assert all(in_words(2, rule) != f"2 {COUNTED[rule]}" for rule in nouns)
