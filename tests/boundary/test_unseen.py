"""The characters that a reader does not see are those of Unicode's data, and no secret hides behind them."""

import unicodedata
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.boundary.echoes import Echoes
from inspector.boundary.spellings import Spelling
from inspector.boundary.unseen import LONG_RUN, condensed, unseen, visible
from inspector.json.texts import OVERLAP, STRETCH
from tests.boundary.unseen_table import is_unseen

VALUE = "hunter2-Secret"
_ANY = st.sampled_from(sorted(unseen()))
_RECLASSIFIED = {"\U0001171e"}
"""A nonspacing mark up to Unicode 15, a spacing one since."""


def test_the_table_of_unseen_characters_agrees_with_unicode() -> None:
    known = {chr(code) for code in range(0x110000) if is_unseen(chr(code))}
    assert known - unseen() <= _RECLASSIFIED
    assert all(unicodedata.category(character) == "Cn" for character in unseen() - known)


def test_a_value_is_found_with_any_unseen_character_in_it() -> None:
    echoes = Echoes([VALUE])
    texts = [sign.join(VALUE) for sign in unseen()]
    assert echoes.matches(texts).keys() == set(texts)
    assert all(Echoes([texts[place]]).holds(VALUE) for place in range(0, len(texts), 97))


@given(st.lists(_ANY, max_size=4), st.lists(st.lists(_ANY, max_size=3), min_size=14, max_size=14))
def test_a_value_is_found_with_unseen_characters_at_any_place(
    before: list[str], behind: list[list[str]]
) -> None:
    signs = ["".join(each) for each in behind]
    text = "".join(before) + "".join(letter + sign for letter, sign in zip(VALUE, signs, strict=True))
    assert Echoes([VALUE]).holds(f"The token is {text}.")
    assert Echoes([text]).holds(VALUE)
    assert Echoes(["ab1d"]).holds(f"it is a{signs[0]}b{signs[1]}1{signs[2]}d.")
    assert Echoes([text]).holds(text.encode("utf-8", "surrogatepass").hex())


def test_a_value_is_found_in_compatibility_forms_and_in_tag_characters() -> None:
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in VALUE)
    tags = "".join(chr(ord(letter) + 0xE0000) for letter in VALUE)
    for text in (wide, tags, f"\U0001f3f4{tags}\U000e007f", "\u210eunter\uff12-\uff33ecret"):
        assert Echoes([VALUE]).matches([text]) == {text: Spelling.PLAIN}
        assert Echoes([text]).holds(VALUE)


@pytest.mark.parametrize(
    ("text", "seen", "spread"),
    [
        ("ab c", "ab c", None),
        ("a\x01b\x7f c", "ab c", None),
        ("a" + " " * LONG_RUN + "b", "a" + " " * LONG_RUN + "b", "a b"),
        ("a" + "\x01" * LONG_RUN + "b", "ab", "ab"),
        ("a" + "\x7f" * LONG_RUN + "b", "ab", "ab"),
        ("a" + "\x1f" * LONG_RUN + "b", "a" + "\x1f" * LONG_RUN + "b", "a b"),
        ("a" + " " * (LONG_RUN - 1) + "b", "a" + " " * (LONG_RUN - 1) + "b", None),
        ("a\u200bb", "ab", None),
        ("a" + "\u200b" * LONG_RUN + "b", "ab", "ab"),
        ("a\U000e0001b", "ab", "ab"),
        ("a\U0001f600b", "a\U0001f600b", None),
    ],
)
def test_a_text_is_condensed_if_many_characters_in_a_row_are_unseen_or_one_is_beyond_the_basic_plane(
    text: str, seen: str, spread: str | None
) -> None:
    assert (visible(text), condensed(text)) == (seen, spread)


def test_accents_and_padding_do_not_hide_a_value() -> None:
    accented = unicodedata.normalize("NFC", "pässwörd-1")
    for text in (unicodedata.normalize("NFD", accented), "passwo\u0302rd-1", accented.encode().hex()):
        assert Echoes([accented]).holds(text)
    for padding in (" " * 300, "\u0600" * 300, "\u0301" * 300, " \u2060" * 300):
        assert Echoes([padding + VALUE]).holds(VALUE)
        assert Echoes([f"a{padding}{VALUE}"]).holds(f"a{VALUE}")
        assert not Echoes([f"a{padding}{VALUE}"]).holds("a text of its own")
        assert not Echoes([{f"a{padding}": 1}]).holds("a text of its own")


def test_a_letter_beyond_the_basic_plane_is_compared_without_its_mark() -> None:
    assert visible("\U0001109a") == "\U00011099"
    assert visible("a\U000110bdb\U0001f600") == "ab\U0001f600"


def test_a_value_spread_over_a_long_text_is_found() -> None:
    for gap in ("\u0600" * OVERLAP, "\U00013430" * OVERLAP, " " * OVERLAP, "\x01\n" * OVERLAP):
        text = "x" * (STRETCH - 2 * OVERLAP) + "." + gap.join(VALUE) + "."
        assert Echoes([VALUE]).holds(text)
    assert not Echoes([VALUE]).holds("\u0600" * (STRETCH + OVERLAP))


def test_long_runs_of_marks_take_linear_time() -> None:
    started = process_time()
    visible("a" + "\u0301\u0323" * 500_000)
    visible("a" + "\uff9e\uff9f" * 500_000)
    assert process_time() - started < 3
