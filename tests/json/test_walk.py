from inspector.json.edit import Copied
from inspector.json.exact import DuplicateKeys, Json
from inspector.json.members import object_at, text_at, value_at
from inspector.json.walk import children, keys_of, members, places, walk

TWICE = DuplicateKeys((("a", 1), ("a", [2])))
VALUE: Json = {"x": [3, {"y": "z"}], "twice": TWICE}


def test_a_walk_reaches_every_value_including_duplicate_keys() -> None:
    assert next(walk(VALUE)) is VALUE
    leaves = [value for value in walk(VALUE) if not list(children(value))]
    assert sorted(map(str, leaves)) == ["1", "2", "3", "z"]
    assert [key for value in walk(VALUE) for key in keys_of(value)] == ["x", "twice", "a", "a", "y"]
    assert list(members(TWICE)) == [("a", 1), ("a", [2])]
    assert list(members("text")) == list(members(None)) == []


def test_a_walk_of_a_deep_value_does_not_recurse() -> None:
    deep: Json = []
    for _ in range(100_000):
        deep = [deep]
    assert sum(1 for _ in walk(deep)) == 100_001


def test_places_are_found_except_within_closed_values() -> None:
    found = set(places(VALUE, lambda value: isinstance(value, (int, str))))
    assert found == {("x", 0), ("x", 1, "y")}
    assert sorted(str(Copied(VALUE).at(place)) for place in found) == ["3", "z"]
    closed = places(VALUE, lambda value: value == "z", closed=lambda value: isinstance(value, list))
    assert list(closed) == []
    assert list(places(VALUE, lambda value: isinstance(value, (dict, list)))) == [()]


def test_reading_members_of_any_value_never_raises() -> None:
    value: Json = {"a": {"b": "c", "n": 1}, "l": ["a"]}
    assert value_at(value, "a", "n") == 1
    assert text_at(value, "a", "b") == "c"
    assert object_at(value, "a") == {"b": "c", "n": 1}
    assert object_at(value) is value
    for keys in (("a", "b", "c"), ("l", "0"), ("none",), ("a", "n")):
        assert text_at(value, *keys) is None
        assert object_at(value, *keys) == {}
    assert value_at(None, "a") is value_at(TWICE, "a") is value_at([1], "0") is None
