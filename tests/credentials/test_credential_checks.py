"""The results of the checks on a string."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.credentials.checks import entropy, is_mixed, is_placeholder, is_url_password, is_varied


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        ("", 0),
        ("a", 0),
        ("aaaa", 0),
        ("ab", 1),
        ("aabb", 1),
        ("abcd", 2),
        ("abcdefgh", 3),
        ("aaab", 0.8112781),
    ],
)
def test_entropy_is_shannon_entropy(value: str, bits: float) -> None:
    assert entropy(value) == pytest.approx(bits)


@given(st.text(min_size=1, max_size=64))
def test_entropy_is_limited_by_the_number_of_different_characters(value: str) -> None:
    assert -1e-9 <= entropy(value) <= log2(len(set(value))) + 1e-9


@pytest.mark.parametrize(
    "value",
    [
        "<password>",
        "${DB_PASSWORD}",
        "$DB_PASSWORD",
        "{{ token }}",
        "%TOKEN%",
        "@{x}",
        "[secret]",
        "****",
        "xxxxxxxxxxxx",
        "XXXX-1234",
        "changeme",
        "CHANGE_ME_1",
        "your_token_1",
        "my-example-1",
        "password",
        "...",
    ],
)
def test_a_placeholder_for_a_secret_is_recognised(value: str) -> None:
    assert is_placeholder(value)
    assert not is_varied(value)
    assert not is_mixed(value)
    assert not is_url_password(value)


@pytest.mark.parametrize("value", ["s3cret", "pa$$w0rd", "5%off", "a{b}c1", "x-1"])
def test_a_possible_password_is_not_a_placeholder(value: str) -> None:
    assert not is_placeholder(value)
    assert is_url_password(value)


@pytest.mark.parametrize(
    ("value", "mixed"),
    [
        ("k3y5b7n9q1", True),
        ("long+wards", True),
        ("correcthorsebattery", False),
        ("snake_and-kebab.case", False),
        ("1234567890123", False),
        ("aaaaaaaaaa1", False),
        ("abcdefabc123", True),
        ("abcabcabc121", False),
        ("bGV0dGVyc3dpdGg==", True),
        ("onlyletters==", False),
        ("https://h.example/a1b2", False),
    ],
)
def test_a_value_is_mixed_if_it_has_letters_digits_and_enough_entropy(value: str, *, mixed: bool) -> None:
    assert is_mixed(value) is mixed
