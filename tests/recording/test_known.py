from inspector.boundary.mask import MASK
from inspector.json.exact import DuplicateKeys, Json
from inspector.recording import known as knowing
from inspector.recording.known import KnownValues
from inspector.recording.markers import Marker, MarkerKey, is_marker

KEY = MarkerKey(b"k" * 32)


def covered(known: KnownValues, value: Json, *, weak: bool = False) -> Json:
    return known.covered(value, KEY, weak=weak)


def test_any_number_of_values_is_found_with_few_searches() -> None:
    known = KnownValues()
    for number in range(40):
        known.learn([f"secret value {number:03}"])
    searches = known._strong._searches  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    assert len(searches) <= knowing._MOST_GENERATIONS  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    assert known.found([f"the secret value {number:03}!" for number in range(40)], weak=False) == {
        f"the secret value {number:03}!" for number in range(40)
    }


def test_a_value_without_secrets_stays_the_same_object() -> None:
    known = KnownValues()
    known.learn(["a long secret"])
    value: Json = {"a": ["harmless", 5, None], "b": {"c": True}}
    assert covered(known, value) is value


def test_leaves_and_objects_with_secret_or_duplicate_keys_are_masked() -> None:
    known = KnownValues()
    known.learn(["a long secret", 123456])
    twice = DuplicateKeys((("a", "of a long secret"), ("a", 1)))
    found = covered(
        known, {"a": [123456, "fine"], "b": {"a long secret": 1, "x": 2}, "c": twice, "d": {"e": 1}}
    )
    assert isinstance(found, dict)
    assert isinstance(found["a"], list)
    assert is_marker(found["a"][0])
    assert found["a"][1] == "fine"
    assert is_marker(found["b"])
    assert is_marker(found["c"])
    assert found["d"] == {"e": 1}
    assert is_marker(covered(known, "A LONG SECRET"))


def test_names_of_tools_and_of_schemas_are_not_secrets() -> None:
    known = KnownValues()
    known.public.add("get_key")
    known.names.add("account")
    known.learn(["get_key", {"account": "a long secret"}])
    value: Json = {"name": "get_key", "account": 1}
    assert covered(known, value, weak=True) is value


def test_a_marker_of_the_recording_is_not_masked_again() -> None:
    known = KnownValues()
    known.learn(["a long secret"])
    marker = KEY.marker("x-sensitive", "a long secret")
    assert isinstance(marker, Marker)
    assert covered(known, [marker, "a long secret"]) == [marker, KEY.marker("echo", "a long secret")]
    assert covered(known, [dict(marker)]) == [KEY.marker("internal", dict(marker))]


def test_an_answer_from_before_a_value_was_learned_or_published_is_not_kept() -> None:
    known = KnownValues()
    known.learn(["wholly-other-value"])
    for value in ("orange-umbrella-74", "green-umbrella-75"):
        line = f"it is {value}"
        assert not known.repeats(line)
        assert known.masked_text(line) == line
        known.learn([value])
        assert known.repeats(line)
        assert known.masked_text(line) == f"it is {MASK}"
    name = "tool-of-umbrellas"
    assert not known.repeats(name)
    known.publish([name])
    known.learn([name])
    assert not known.repeats(name)
