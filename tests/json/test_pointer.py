import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.json.exact import DuplicateKeys, Json
from inspector.json.pointer import child, join, resolve, split

DOCUMENT: Json = {"a": [{"~/": 1}], "": 2, "d": DuplicateKeys((("k", 1), ("k", 2)))}


@pytest.mark.parametrize(("pointer", "value"), [("", DOCUMENT), ("/a/0/~0~1", 1), ("/", 2), ("/d/k", 2)])
def test_a_pointer_finds_its_value(pointer: str, value: Json) -> None:
    assert resolve(DOCUMENT, pointer) == value


@pytest.mark.parametrize(
    "pointer", ["/b", "/a/1", "/a/-", "/a/00", "/a/\N{ARABIC-INDIC DIGIT ZERO}", "/a/0/x/y"]
)
def test_a_pointer_to_nothing_is_a_lookup_error(pointer: str) -> None:
    with pytest.raises(LookupError):
        resolve(DOCUMENT, pointer)


def test_a_text_without_a_leading_slash_is_not_a_pointer() -> None:
    with pytest.raises(ValueError, match="not a JSON pointer"):
        split("a")


@given(st.lists(st.text()))
def test_joined_tokens_can_be_split_again(tokens: list[str]) -> None:
    assert list(split(join(tokens))) == tokens
    assert child(join(tokens), "/x") == join([*tokens, "/x"])
