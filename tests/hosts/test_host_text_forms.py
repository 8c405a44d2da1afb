"""Values as JavaScript and Python write them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from inspector.hosts import javascript, python_text
from inspector.hosts.profiles.codex import middle_by_bytes, middle_by_tokens
from inspector.hosts.pydantic_check import rewritten
from inspector.json.exact import Json, Number

FLOATS = st.floats(allow_nan=False)
LEAVES = (
    st.none() | st.booleans() | st.integers() | FLOATS | st.text(st.characters(exclude_categories=["Cs"]))
)
VALUES: st.SearchStrategy[Json] = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
)
ANYTHING = TypeAdapter[object](object)


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (9_007_199_254_740_993, "9007199254740992"),
        (123456789012345680000, "123456789012345680000"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (-1.25e-9, "-1.25e-9"),
        (5e-324, "5e-324"),
        (Number("1e400"), "null"),
        (10**400, "null"),
        (Number("1.10"), "1.1"),
    ],
)
def test_javascript_writes_numbers_as_doubles(number: float, written: str) -> None:
    assert javascript.stringify(number) == written


def test_javascript_puts_keys_that_are_indices_first() -> None:
    keys = ["b", "10", "2", "01", "-1", "4294967294", "4294967295", "1.0", "0", "__proto__"]
    written = json.loads(javascript.stringify(dict.fromkeys(keys)))
    assert list(written) == ["0", "2", "10", "4294967294", "b", "01", "-1", "4294967295", "1.0", "__proto__"]


def test_javascript_indents_all_but_empty_containers() -> None:
    assert (
        javascript.stringify({"a": [1, {}], "b": []}, 2) == '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": []\n}'
    )


def test_javascript_escapes_only_control_characters_and_lone_surrogates() -> None:
    assert javascript.stringify('"\\\x1f\x7f\u2028é😀\ud800') == '"\\"\\\\\\u001f\x7f\u2028é😀\\ud800"'


def test_javascript_counts_and_cuts_in_utf_16() -> None:
    assert (javascript.length("a😀"), javascript.head("a😀b", 2), javascript.tail("a😀b", 2)) == (
        3,
        "a\ud83d",
        "\ude00b",
    )


def test_javascript_trims_its_own_set_of_whitespace() -> None:
    assert javascript.trim("\ufeff\xa0 \u2028\n x\x85 ") == "x\x85"


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("", True),
        ("aGk=", True),
        ("aGk", True),
        ("aG k=\n", True),
        ("a", False),
        ("aGk==", False),
        ("<PNG>", False),
    ],
)
def test_atob_is_lenient_up_to_a_point(text: str, *, accepted: bool) -> None:
    assert javascript.accepts_base64(text) is accepted


def test_the_size_of_base64_is_the_number_of_decoded_bytes() -> None:
    assert [javascript.base64_size(text) for text in ("", "aGk=", "aGk", "aGkh", "JVBERg==")] == [
        0,
        2,
        2,
        3,
        4,
    ]


@given(VALUES)
def test_compact_json_is_the_same_as_from_pydantic(value: Json) -> None:
    assert python_text.compact(value) == ANYTHING.dump_json(value).decode()


@given(VALUES)
def test_represented_values_are_the_same_as_from_repr(value: Json) -> None:
    assert python_text.represented(value) == repr(value)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_quoted_values_are_shortened_as_by_pydantic(text: str) -> None:
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(int).validate_python([text])
    quoted = python_text.shortened(python_text.represented([text]))
    assert f"input_value={quoted}, input_type=list]" in str(raised.value)


def test_python_reads_whole_numbers_exactly_and_others_as_floats() -> None:
    read = python_text.loaded([Number("-0"), Number("1.10"), Number("1e400"), 2**70])
    assert (
        [repr(item) for item in read] == ["0", "1.1", "inf", str(2**70)] if isinstance(read, list) else False
    )
    assert python_text.finite(read) == [0, 1.1, None, 2**70]


@pytest.mark.parametrize(
    ("uri", "written", "certain"),
    [
        ("file:///x.txt", "file:///x.txt", True),
        ("ui://Some/Thing?x=1", "ui://Some/Thing?x=1", True),
        ("urn:isbn:1", "urn:isbn:1", True),
        ("https://example.org", "https://example.org/", True),
        ("https://example.org?q", "https://example.org/?q", True),
        ("https://Example.org/", "https://Example.org/", False),
        ("https://example.org/a/../b", "https://example.org/a/../b", False),
        ("file:///a b", "file:///a b", False),
        ("no uri", "no uri", False),
    ],
)
def test_a_uri_is_rewritten_with_a_note_whether_the_rule_is_certain(
    uri: str, written: str, *, certain: bool
) -> None:
    found = rewritten(uri)
    assert (found.text, found.certain) == (written, certain)


def test_a_cut_keeps_both_ends_on_character_boundaries() -> None:
    assert middle_by_bytes("abcdefghij", 4) == "ab…6 chars truncated…ij"
    assert middle_by_bytes("éééééé", 6) == "é…4 chars truncated…é"
    assert middle_by_bytes("abcd", 4) == "abcd"
    assert middle_by_tokens("a" * 9, 2) == "aaaa…1 tokens truncated…aaaa"
    assert middle_by_tokens("a" * 8, 2) == "a" * 8
