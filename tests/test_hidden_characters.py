import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.hidden_characters import (
    MAX_NAMED,
    MAX_PLACES,
    HiddenKind,
    hidden_characters,
    hidden_sentences,
)
from inspector.json.exact import DuplicateKeys, Json, JsonText, parse
from inspector.safe_text import inspect


def kinds(value: Json) -> list[tuple[str, str, int]]:
    return [
        (f"U+{found.code:04X} {found.name}", found.kind.value, found.count)
        for place in hidden_characters(value)
        for found in place.characters
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\u200bb\u200b", [("U+200B ZERO WIDTH SPACE", "invisible", 2)]),
        ("a\u202eb", [("U+202E RIGHT-TO-LEFT OVERRIDE", "bidirectional", 1)]),
        (
            "\u2066x\u2069",
            [
                ("U+2066 LEFT-TO-RIGHT ISOLATE", "bidirectional", 1),
                ("U+2069 POP DIRECTIONAL ISOLATE", "bidirectional", 1),
            ],
        ),
        ("\U000e0068", [("U+E0068 TAG LATIN SMALL LETTER H", "invisible", 1)]),
        ("x\xad", [("U+00AD SOFT HYPHEN", "invisible", 1)]),
        ("\u3164", [("U+3164 HANGUL FILLER", "invisible", 1)]),
        ("a\ufe0f", [("U+FE0F VARIATION SELECTOR-16", "invisible", 1)]),
        ("\x1b[31m", [("U+001B ESCAPE", "control", 1)]),
        ("\x9b", [("U+009B CONTROL", "control", 1)]),
        ("\x7f", [("U+007F CONTROL", "control", 1)]),
        ("end\r", [("U+000D CARRIAGE RETURN", "control", 1)]),
        ("\ud800", [("U+D800 LONE SURROGATE", "private or unassigned", 1)]),
        ("\ue000\uffff", [("U+E000 PRIVATE USE", "private or unassigned", 1), ("U+FFFF UNASSIGNED", "private or unassigned", 1)]),
        ("❤\ufe0f\ufe0f", [("U+FE0F VARIATION SELECTOR-16", "invisible", 1)]),
    ],
)  # fmt: skip
def test_each_hidden_character_is_named_and_counted(text: str, expected: list[tuple[str, str, int]]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "plain ~ text", "a\r\nb\tc\n", "grün 日本語 שלום", "❤\ufe0f 👩🏽\u200d💻 1\ufe0f\u20e3 👨\u200d👩", "e\u0301", "\u3000 \xa0", "می\u200cکند", "क्\u200cष"],
)  # fmt: skip
def test_visible_text_is_not_a_finding(text: str) -> None:
    assert hidden_characters({"key": [text]}) == ()


def test_a_joiner_outside_of_emoji_is_hidden() -> None:
    assert [
        place.count
        for place in hidden_characters(["a\u200db", "👩\u200d", "\u200d👩", "a\u200cb", "م\u200c\u200cک"])
    ] == [1, 1, 1, 1, 2]


def test_places_are_pointers_in_the_order_of_the_value() -> None:
    value = parse(
        '{"a\u200b/b": [1, {"c": "\u2060"}, "x"], "d": {"e": "\u202e", "e": "\u200b"}, "f": "\xad"}'
    )
    assert isinstance(value, JsonText)
    assert isinstance(value.value, dict)
    assert isinstance(value.value["d"], DuplicateKeys)
    assert [(place.pointer, place.in_key) for place in hidden_characters(value.value)] == [
        ("/a\u200b~1b", True),
        ("/a\u200b~1b/1/c", False),
        ("/d/e", False),
        ("/d/e", False),
        ("/f", False),
    ]


def test_the_finding_is_described_in_words() -> None:
    tools: Json = {"tools": [{"description": "x\u200b\u200b\u202ey"}]}
    (sentence,) = hidden_sentences(tools)
    assert sentence == (
        "the text holds 3 invisible and bidirectional characters: U+200B ZERO WIDTH SPACE (2), "
        "U+202E RIGHT-TO-LEFT OVERRIDE, at /tools/0/description"
    )
    assert hidden_sentences("\u200b") == (
        "the text holds 1 invisible character: U+200B ZERO WIDTH SPACE, at the root",
    )
    assert hidden_sentences({"\x1b": 1}) == ("the key holds 1 control character: U+001B ESCAPE, at /␛",)


def test_a_sentence_names_some_characters_and_counts_the_others() -> None:
    many = "".join(chr(0xE0020 + offset) for offset in range(MAX_NAMED + 3))
    (sentence,) = hidden_sentences(many)
    assert sentence.count("U+") == MAX_NAMED
    assert sentence.endswith(" and 3 others, at the root")


def test_more_places_than_are_listed_are_mentioned() -> None:
    few: list[Json] = ["\u200b"] * MAX_PLACES
    many: list[Json] = [*few, "\u200b"]
    assert len(hidden_characters(many)) == MAX_PLACES
    assert len(hidden_sentences(many)) == MAX_PLACES + 1
    assert hidden_sentences(many)[-1] == "more places hold hidden characters"
    assert len(hidden_sentences(few)) == MAX_PLACES


def test_hidden_characters_are_found_at_any_depth() -> None:
    value: Json = "\u200b"
    for _ in range(100_000):
        value = [value]
    (place,) = hidden_characters(value)
    assert place.pointer == "/0" * 100_000


@given(st.text(st.characters(codec=None)))
def test_every_character_made_visible_is_found_except_line_ends_and_emoji(text: str) -> None:
    counted = sum(place.count for place in hidden_characters(text))
    allowed = sum(text.count(character) for character in ("\r", "\u200c", "\u200d", "\ufe0e", "\ufe0f"))
    replaced = inspect(text).replaced
    assert replaced - allowed <= counted <= replaced


def test_every_kind_of_hidden_character_has_a_description() -> None:
    assert {found.kind for place in hidden_characters(["\x1b", "\u202e", "\u200b", "\ue000"]) for found in place.characters} == set(HiddenKind)  # fmt: skip
