from hypothesis import given
from hypothesis import strategies as st

from inspector.json.exact import DuplicateKeys, Json, JsonText, equal, parse
from inspector.pins.identity import fingerprint

leaves: st.SearchStrategy[Json] = st.sampled_from(
    [None, True, False, 0, 1, -1, 2**70, 1.5, "", "1", "true", "null", "a:1", "\ud800", 'x";'],
)
json_values: st.SearchStrategy[Json] = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab1"), inner, max_size=3),
)


def parsed(text: str) -> Json:
    found = parse(text)
    assert isinstance(found, JsonText)
    return found.value


@given(json_values, json_values)
def test_values_have_the_same_fingerprint_exactly_if_they_are_equal(one: Json, other: Json) -> None:
    assert (fingerprint(one) == fingerprint(other)) is equal(one, other)


def test_equal_spellings_have_the_same_fingerprint() -> None:
    for one, other in (
        ('{"a":1,"b":[2]}', '{"b":[2.0],"a":1.0}'),
        ("1.10", "1.1"),
        ("1e2", "100"),
        ("-0", "0"),
        ('{"a":1,"a":2}', '{"a":1.0,"a":2}'),
    ):
        assert equal(parsed(one), parsed(other))
        assert fingerprint(parsed(one)) == fingerprint(parsed(other)), one


def test_values_that_only_look_alike_have_different_fingerprints() -> None:
    texts = (
        *(
            "1",
            '"1"',
            "true",
            '"true"',
            "null",
            "[]",
            "{}",
            '""',
            "[null]",
            "[[]]",
            "[[],[]]",
            "[1,2]",
            "[12]",
        ),
        *('{"a":1}', '{"a":1,"a":1}', '{"a":1,"a":2}', '{"a":2,"a":1}', "1e400", "-1e400", "2e400", "NaN"),
        *('["a","b"]', '["a\\"1:b"]', '{"a":{"b":1}}', '{"a":{},"b":1}', "0.1"),
    )
    values = [parsed(text) for text in texts]
    assert len({fingerprint(value) for value in values}) == len(values)


def test_a_value_of_ten_thousand_levels_has_a_fingerprint() -> None:
    value: Json = DuplicateKeys((("a", 1), ("a", 2)))
    for _ in range(10_000):
        value = [value]
    assert fingerprint(value) != fingerprint([value])
