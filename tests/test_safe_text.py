import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.safe_text import inspect, safe, safe_line, safe_name


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("grün 日本 🎉", "grün 日本 🎉"),
        ("\x1b]52;c;x\x07", "␛]52;c;x␇"),
        ("\x9b31m", "⟨U+009B⟩31m"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("\u200b\ufeff\U000e0041", "⟨U+200B⟩⟨U+FEFF⟩⟨U+E0041⟩"),
        ("\ud800", "⟨U+D800⟩"),
        ("\x7f\r\x00", "␡␍␀"),
        ("\u3164\u2800\ufe0f\u2028", "⟨U+3164⟩⟨U+2800⟩⟨U+FE0F⟩⟨U+2028⟩"),
        ("soft\u00adhyphen", "soft⟨U+00AD⟩hyphen"),
    ],
)
def test_control_and_invisible_characters_are_made_visible(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_a_line_has_no_line_feed() -> None:
    assert safe_line("a\nb\tc\rd") == "a␊b␉c␍d"


@given(st.text(st.characters(codec=None)))
def test_no_character_of_category_c_passes_and_replacements_are_counted(text: str) -> None:
    shown = inspect(text)
    assert shown.text == safe(text)
    assert all(c in "\n\t" or not unicodedata.category(c).startswith("C") for c in shown.text)
    assert (shown.replaced == 0) == (shown.text == text)
    assert safe(shown.text) == shown.text


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("send_rep\u043ert", "send_rep⟨U+043E⟩rt"),
        ("send_report", "send_report"),
        ("отчёт", "отчёт"),
        ("api_отчёт", "api_отчёт"),
        ("Größe", "Größe"),
        ("l\u03bfok\n", "l⟨U+03BF⟩ok␊"),
    ],
)
def test_a_letter_that_looks_like_a_latin_one_is_visible_in_a_name(name: str, shown: str) -> None:
    assert safe_name(name) == shown
    assert safe_name(shown) == shown
