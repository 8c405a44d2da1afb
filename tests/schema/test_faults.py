from inspector.json.exact import Json, JsonText, parse
from inspector.schema.faults import Fault, scan


def value_of(text: str) -> Json:
    parsed = parse(text)
    assert isinstance(parsed, JsonText), parsed
    return parsed.value


def test_every_value_is_counted_once() -> None:
    assert scan(value_of('{"a": [1, "b", null], "c": {}, "d": 1.10}'), 9).nodes == 7
    assert scan(value_of("[" * 3000 + "]" * 3000), 9).nodes == 3000
    assert scan(1, 9).nodes == 1


def test_faults_are_told_with_their_places_and_no_more_than_asked_for() -> None:
    value = value_of('[{"a/b": {"k": 1, "k": NaN}}, -Infinity, 1e999]')
    assert set(scan(value, 9).faults) == {
        Fault(pointer="/0/a~1b", message="names a key twice: k"),
        Fault(pointer="/0/a~1b/k", message="NaN is no JSON number"),
        Fault(pointer="/1", message="-Infinity is no JSON number"),
    }
    assert len(scan(value, 2).faults) == 2
