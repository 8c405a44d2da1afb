"""The data files of the signs: known entries are read, and unknown ones are refused."""

import pytest

from inspector.review.signs.files import read, signs_of
from inspector.review.signs.matching import SentenceWords
from inspector.review.signs.tongues import languages_of

SIGN = """
[words]
GATES = 'review approval'
[[sign]]
weight = 2
reason = 'it asks to disable a safeguard'
words = 'skip bypass'
denied = false
all = [{ words = 'GATES', within = [0, 5] }]
cases = [{ weight = 2.5, has = ['always'] }]
"""


def weighed(text: str, sentence: str) -> list[tuple[float, str]]:
    return list(signs_of(text, {}, {})(SentenceWords(sentence.split())))


def test_a_sign_is_found_if_its_words_are_close_and_not_negated() -> None:
    assert weighed(SIGN, "skip the review") == [(2, "it asks to disable a safeguard")]
    assert weighed(SIGN, "always skip the review") == [(2.5, "it asks to disable a safeguard")]
    assert weighed(SIGN, "do not skip the review") == []
    assert weighed(SIGN, "skip this and that and wait for the review") == []


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("denied = false", "denied = false\nnearby = 1", "nearby"),
        ("within = [0, 5]", "within = [0, 5], behind = 5", "behind"),
        ("[[sign]]", "[[signs]]", "signs"),
        ("weight = 2\n", "weight = 0\n", "weight|> 0"),
        ("weight = 2\n", "weight = 50\n", "weight|<= 5"),
        ("weight = 2\n", "weight = '2'\n", "weight"),
        ("weight = 2.5", "weight = -2.5", "weight|> 0"),
        ("weight = 2.5, ", "", "weight"),
        ("reason = 'it asks to disable a safeguard'", "", "reason"),
        ("words = 'GATES'", "words = 'GATE'", "GATE"),
        ("denied = false", "is = ['moves']", "moves"),
        ("denied = false", "code = 'not written'", "not written"),
    ],
)
def test_a_data_file_with_an_unknown_entry_is_refused(old: str, new: str, named: str) -> None:
    assert old in SIGN
    with pytest.raises(ValueError, match=named):
        signs_of(SIGN.replace(old, new, 1), {}, {})


def test_a_language_with_an_unknown_entry_is_refused() -> None:
    text = read("languages")
    with pytest.raises(ValueError, match="polite"):
        languages_of(text.replace("ignore =", "polite =", 1))
    with pytest.raises(ValueError, match="array"):
        languages_of(text.replace("letters = [", "letters = 1 #", 1))
