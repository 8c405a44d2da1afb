"""Work that hosts have in common is done once, in small pieces, with the same outcome as for each host alone."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.boundary.bounded import Bounded
from inspector.boundary.options import Level
from inspector.hosts import javascript, python_text, writing
from inspector.hosts.facts import JAVASCRIPT, PYDANTIC, SERDE, facts, is_deep, obstacle
from inspector.hosts.profile import Call
from inspector.hosts.profiles import codex
from inspector.hosts.registry import hosts
from inspector.hosts.sharing import shared, sharing
from inspector.json.exact import DuplicateKeys, Json, JsonObject, Number, dump, dump_text, equal
from inspector.json.weight import compact_bytes

TEXTS = st.text(st.characters(codec="utf-8"), max_size=5) | st.sampled_from(
    ["\ud800", "\x00\x1f\x7f\u2028\"'\\", "0", "12", "__proto__", "é😀"]
)
NUMBERS = st.sampled_from(
    [1.5, 1e21, 1e-7, Number("1.10"), Number("-0"), Number("1e400"), 2**53, 2**53 + 1, -(2**70)]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | NUMBERS | TEXTS


def twice(value: Json) -> Json:
    return DuplicateKeys((("a", value), ("a", value)))


VALUES: st.SearchStrategy[Json] = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TEXTS, inner, max_size=4)
        | st.lists(inner, min_size=1, max_size=2).map(lambda few: few * 6)
        | inner.map(twice)
    ),
    max_leaves=8,
)


def a_text(value: str) -> str:
    return writing.string_text(value)


# A writer of texts that is not the usual one prevents a style from being written in pieces.
LEAF_BY_LEAF = {
    javascript.stringify: writing.WritingStyle(
        leaf=javascript.stringify, order=javascript.own_keys, text=a_text
    ),
    codex.compact: writing.WritingStyle(leaf=python_text.compact_leaf, text=a_text),
    python_text.compact: writing.WritingStyle(leaf=python_text.compact_leaf, text=a_text),
}


@pytest.fixture(autouse=True)
def few_members_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_MANY", 8)
    monkeypatch.setattr(writing, "_PIECE", 3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(VALUES)
def test_writing_in_pieces_gives_the_same_as_writing_leaf_by_leaf(value: Json) -> None:
    for write, style in LEAF_BY_LEAF.items():
        assert write(value) == writing.write(value, style)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(VALUES)
def test_json_written_in_pieces_is_the_same_as_from_json_dumps(value: Json) -> None:
    if not facts(value).has_twice:
        assert python_text.dumps(value) == json.dumps(value)


def test_values_that_are_too_deep_for_the_c_encoder_are_written() -> None:
    value: Json = 1.5
    for _ in range(5_000):
        value = [value, "x"]
    assert javascript.stringify(value) == "[" * 5_000 + "1.5" + ',"x"]' * 5_000


@pytest.mark.parametrize("text", ["it's", 'say "so"', 'it\'s "so"', "\\", "é\n😀'", "plain"])
def test_the_repr_of_a_long_text_is_that_of_python(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_text, "STRIDE", 2)
    assert python_text.represented(text * 3) == repr(text * 3)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (DuplicateKeys((("a", 1), ("a", 2))), "has_twice"),
        ("a\ud800", "has_half"),
        ({"\udfff": 1}, "has_half"),
        (Number("1.10"), "has_spelt"),
        (Number("1e400"), "has_infinite"),
        (Number("1e400"), "has_hard"),
        (Number("1" * 5_000), "has_hard"),
        (2**2_000, "has_hard"),
        (1.5, "has_float"),
        (2**53 + 1, "has_rounded"),
        ({"7": 1}, "has_odd_keys"),
        ({"__proto__": 1}, "has_odd_keys"),
    ],
)
def test_a_special_value_is_noticed_at_any_place(value: Json, name: str) -> None:
    plain: list[Json] = [0, "text", True, None, {"a": 2**53}]
    assert not getattr(facts(plain), name)
    zeros: list[Json] = [0] * 300
    below: JsonObject = {"a": [zeros, [*zeros, [value]]]}
    beside: list[Json] = [*plain, value]
    for whole in (value, beside, below):
        assert getattr(facts(whole), name)
        with sharing():
            assert getattr(facts(whole), name)


def nested(depth: int, inner: Json) -> Json:
    for _ in range(depth):
        inner = [inner]
    return inner


@pytest.mark.parametrize("parser", [JAVASCRIPT, PYDANTIC, SERDE])
def test_depth_is_measured_through_long_lists(parser: object) -> None:
    assert parser in {JAVASCRIPT, PYDANTIC, SERDE}
    for known in (JAVASCRIPT, PYDANTIC, SERDE):
        if known is parser:
            long = nested(4, [*([0] * 300), nested(known.max_depth - 5, 0)])
            assert obstacle(long, known) == ""
            assert "levels deep" in obstacle([long], known)
    assert is_deep(nested(100, 0))
    assert not is_deep(nested(99, 0))
    assert is_deep(nested(4, [*([0] * 300), nested(95, 0)]))
    assert not is_deep(nested(4, [*([0] * 300), nested(94, 0)]))


def test_shared_work_is_done_once_per_value_within_its_block() -> None:
    made: list[str] = []

    @shared
    def make(value: Json) -> str:
        made.append(dump_text(value))
        return made[-1]

    one: list[Json] = [1]
    with sharing():
        assert make(one) == make(one) == "[1]"
        # An equal value is a different one: 1 is not 1.0, nor true.
        assert make([1.0]) == "[1.0]"
        assert len(made) == 2
    make(one)
    make(one)
    assert len(made) == 4


ROW: JsonObject = {"a": Number("1.10"), "7": 2**60, "t": "x"}
ROWS: list[Json] = [ROW] * 300
RESULT: JsonObject = {
    "content": [
        {"type": "text", "text": '{"a": 1.10, "b": [1, 2], "7": "é"}', "annotations": {"priority": 1}},
        {"type": "resource", "resource": {"uri": "a:b", "text": "t", "_meta": {"x": Number("1.10")}}},
    ],
    "structuredContent": {"rows": ROWS, "n": [1.5, None]},
    "_meta": {"m": Number("1e400")},
    "isError": False,
}


@pytest.mark.parametrize("without", ["", "content", "structuredContent", "_meta"])
def test_hosts_give_the_same_with_and_without_shared_work(
    without: str,
) -> None:
    result: JsonObject = {key: value for key, value in RESULT.items() if key != without}
    before = dump(result)
    bounded = Bounded(level=Level.OPEN, result=result)
    alone = [host.model_view(bounded, Call()) for host in hosts()]
    with sharing():
        for _ in range(2):
            for host, context in zip(hosts(), alone, strict=True):
                together = host.model_view(bounded, Call())
                assert equal(together.model, context.model)
                assert (together.changes, together.observed) == (context.changes, context.observed)
                assert dump(result) == before


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=40), st.integers(1, 30))
def test_a_text_is_cut_in_the_middle_by_bytes(text: str, most: int) -> None:
    raw = text.encode()
    cut = codex.middle_by_bytes(text, most)
    if len(raw) <= most:
        assert cut == text
        return
    front = raw[: most // 2].decode(errors="ignore")
    back = raw[len(raw) - (most - most // 2) :].decode(errors="ignore")
    assert cut == f"{front}…{len(text) - len(front) - len(back)} chars truncated…{back}"
    assert codex.size_bytes(text) == len(raw)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(VALUES)
def test_the_size_of_a_value_is_that_of_its_compact_json(value: Json) -> None:
    assert compact_bytes(value) == len(dump(value))


def test_the_size_of_a_long_text_is_counted_in_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.json.weight._STRIDE", 3)
    for value in ('ab\ncdé\ud800😀"x', {"a": ["abcdefgh", 1, "\n" * 10]}, "abcdef"):
        assert compact_bytes(value) == len(dump(value))  # pyright: ignore[reportArgumentType] - JSON by construction
