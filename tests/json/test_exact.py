import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.json.exact import (
    DuplicateKeys,
    Json,
    JsonText,
    Malformed,
    Number,
    dump,
    equal,
    inert,
    parse,
)
from inspector.safe_text import safe

EXACT = [
    b'{"b":1,"a":2}',
    b'{"a":1,"a":2,"b":{"c":0,"c":0}}',
    b"[1.10,1e400,-0,0.1,1E5,-0.0]",
    b"[12345678901234567890123456789,9007199254740993]",
    b"9" * 5000,
    b'"\\ud800"',
    b"[NaN,Infinity,-Infinity]",
    b'{"":{"~/":null}}',
    '"é\u2028🎉"'.encode(),
]


def value_of(raw: bytes) -> Json:
    parsed = parse(raw)
    assert isinstance(parsed, JsonText), parsed
    return parsed.value


@pytest.mark.parametrize("raw", EXACT)
def test_a_parsed_document_is_written_back_byte_for_byte(raw: bytes) -> None:
    assert dump(value_of(raw)) == raw


@pytest.mark.parametrize("raw", [raw for raw in EXACT if b"NaN" not in raw])
def test_a_deep_document_is_parsed_and_written_as_exactly_as_a_flat_one(raw: bytes) -> None:
    deep = b"[" * 3000 + b'{"k":' * 500 + raw + b"}" * 500 + b"]" * 3000
    assert dump(value_of(deep)) == deep


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[1,]",
        b'{"a" 1}',
        b"{1:2}",
        b"[1 2]",
        b"nul",
        b'{"a":1}x',
        b"\xff\xfe",
        b"[" * 3000,
        b"01",
    ],
)
def test_invalid_json_is_malformed_with_a_reason(raw: bytes) -> None:
    for text in (raw, b"[" * 2000 + b"1," + raw + b"]" * 2000):
        parsed = parse(text)
        assert isinstance(parsed, Malformed)
        assert parsed.reason.startswith("not JSON: ")


def test_the_faults_of_leniently_parsed_json_are_reported() -> None:
    assert parse(b'"\xff"') == JsonText(value="\ufffd", faults=("not UTF-8 at byte 1",))
    assert parse("\ufeff1") == JsonText(value=1, faults=("starts with a byte order mark",))


def test_an_object_with_duplicate_keys_is_not_a_dict_and_names_them() -> None:
    value = value_of(b'{"a":1,"b":2,"a":3,"c":4,"b":5}')
    assert isinstance(value, DuplicateKeys)
    assert value.repeated == ("a", "b")


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        (True, 1, False),
        (1, 1.0, True),
        (None, False, False),
        ("1", 1, False),
        ([1], [1, 2], False),
        (Number("1e400"), Number("1e500"), False),
        (Number("1.10"), 1.1, True),
        ([], {}, False),
    ],
)
def test_values_are_equal_as_json_values(left: Json, right: Json, *, same: bool) -> None:
    assert equal(left, right) is same


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
)


@given(json_values)
def test_any_value_survives_the_round_trip(value: Json) -> None:
    assert equal(value_of(dump(value)), value)
    assert equal(value_of(json.dumps(value).encode()), value)


ACTING: list[str] = [
    character
    for character in map(chr, range(0x7F, sys.maxunicode + 1))
    if unicodedata.category(character) not in {"Cn", "Co", "Cs"} and safe(character) != character
]


def test_inert_json_contains_no_control_character() -> None:
    raw = dump({"".join(ACTING): [*ACTING]})
    written = inert(raw)
    assert not set(ACTING).intersection(written.decode())
    assert value_of(written) == value_of(raw)
    plain = dump("é漢🎉 plain")
    assert inert(plain) is plain


@given(st.text(st.one_of(st.characters(), st.sampled_from(ACTING))))
def test_inert_json_represents_the_same_value(text: str) -> None:
    raw = dump({text: [text, "\\" + text]})
    assert value_of(inert(raw)) == value_of(raw)
    assert inert(inert(raw)) == inert(raw)


def test_a_float_is_spelt_the_same_next_to_a_lone_surrogate() -> None:
    for number in (1e16, 1e-7, 1.5, -0.0, 5e-324, 1.7976931348623157e308):
        assert dump(["\ud800", number]) == b'["\\ud800",' + dump(number) + b"]"
