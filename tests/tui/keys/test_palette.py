import pytest

from inspector.tui.keys.palette import match


@pytest.mark.parametrize(
    ("query", "title", "about", "letters"),
    [
        ("rec", "Record  (w)", "", "Rec"),
        ("hosts compare", "Compare hosts  (c)", "", "Comparehosts"),
        ("lists the", "Hosts  (h)", "Lists the hosts", ""),
        ("hosts lists", "Hosts  (h)", "Lists the hosts", "Hosts"),
        ("cmph", "Compare hosts", "", "Cmph"),
        ("", "Record", "", ""),
        ("İx", "İx", "", "İx"),
    ],
)
def test_words_of_the_title_or_description_or_letters_in_order_match(
    query: str, title: str, about: str, letters: str
) -> None:
    score, found = match(query, title, about)
    assert score > 0
    assert "".join(title[at] for at in found) == letters


def test_what_does_not_match_has_no_score_and_whole_words_come_first() -> None:
    assert match("xyz", "Record") == match("drocer", "Record") == (0.0, [])
    # A matcher that tries every combination of letters would not end.
    assert match("a" * 30 + "z", "a" * 3_000 + "b") == (0.0, [])
    scores = [
        match("host", title, about)[0] for title, about in (("Host spec", ""), ("ghosts", ""), ("a", "hosts"))
    ]
    assert scores == sorted(scores, reverse=True)
    assert match("host", "h o s t")[0] < scores[-1]
