import time
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.boundary.secret_references import (
    MAX_ID_CHARACTERS,
    MAX_LABEL_CHARACTERS,
    MAX_POINTER_CHARACTERS,
    MAX_REFERENCES,
    MAX_TTL_S,
    MalformedReference,
    SecretReference,
    references_in,
)
from inspector.json.exact import DuplicateKeys, Json, JsonObject, JsonText, Number, parse
from inspector.json.pointer import resolve
from inspector.urls.origin import MAX_URL_CHARACTERS

GOOD: JsonObject = {
    "type": "secret_reference",
    "id": "s1",
    "label": "API key",
    "redeemUrl": "/secrets/s1",
    "ttl": 60,
}


def parsed(raw: str) -> Json:
    read = parse(raw)
    assert isinstance(read, JsonText)
    return read.value


def only(raw: Json) -> SecretReference | MalformedReference:
    (found,) = references_in(raw)
    return found


@pytest.mark.parametrize(
    ("raw", "pointer"),
    [
        (GOOD, ""),
        ({"content": [{"type": "text", "text": "x"}, GOOD]}, "/content/1"),
        ({"content": [], "structuredContent": {"a/b": {"~": GOOD}}}, "/structuredContent/a~1b/~0"),
        ({"_meta": {"x": [[GOOD]]}}, "/_meta/x/0/0"),
        ([1, None, GOOD], "/2"),
        (DuplicateKeys((("a", 1), ("a", GOOD))), "/a"),
    ],
)
def test_a_reference_is_found_at_any_place(raw: Json, pointer: str) -> None:
    assert only(raw) == SecretReference(
        pointer=pointer, label="API key", id="s1", redeem_url="/secrets/s1", ttl_s=60
    )


def test_references_are_found_in_document_order_and_nested() -> None:
    inner = {**GOOD, "id": "inner"}
    raw: Json = {"content": [{**GOOD, "more": inner}, GOOD], "structuredContent": GOOD}
    assert [found.pointer for found in references_in(raw)] == [
        "/content/0",
        "/content/0/more",
        "/content/1",
        "/structuredContent",
    ]


@pytest.mark.parametrize(
    "raw",
    [
        None,
        "secret_reference",
        {"type": "text", "text": '{"type":"secret_reference","id":"x"}'},
        {"type": "secretReference"},
        {"kind": "secret_reference"},
        {"type": ["secret_reference"]},
        {},
        [],
    ],
)
def test_a_value_that_is_not_a_reference_is_not_listed(raw: Json) -> None:
    assert references_in(raw) == ()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"id": None}, "its `id` is not text"),
        ({"id": 7}, "its `id` is not text"),
        ({"id": ""}, "its `id` is empty"),
        ({"id": "x" * (MAX_ID_CHARACTERS + 1)}, "its `id` is longer than 1,000 characters"),
        ({"label": ["x"]}, "its `label` is not text"),
        ({"label": ""}, "its `label` is empty"),
        ({"label": "x" * (MAX_LABEL_CHARACTERS + 1)}, "its `label` is longer than 1,000 characters"),
        ({"redeemUrl": {}}, "its `redeemUrl` is not text"),
        ({"redeemUrl": ""}, "its `redeemUrl` is empty"),
        ({"redeemUrl": "/" * (MAX_URL_CHARACTERS + 1)}, "its `redeemUrl` is longer than 4,096 characters"),
        ({"ttl": None}, "its `ttl` is not a number of seconds"),
        ({"ttl": True}, "its `ttl` is not a number of seconds"),
        ({"ttl": "60"}, "its `ttl` is not a number of seconds"),
        ({"ttl": -1}, "its `ttl` is negative, or not a number"),
        ({"ttl": Number("-0.5")}, "its `ttl` is negative, or not a number"),
        ({"ttl": Number("NaN")}, "its `ttl` is negative, or not a number"),
        ({"ttl": Number("-Infinity")}, "its `ttl` is negative, or not a number"),
        ({"ttl": Number("Infinity")}, "its `ttl` is longer than ten years"),
        ({"ttl": Number("1e400")}, "its `ttl` is longer than ten years"),
        ({"ttl": 10**4000}, "its `ttl` is longer than ten years"),
        ({"ttl": Number("9" * 5000)}, "its `ttl` is longer than ten years"),
        ({"ttl": MAX_TTL_S + 1}, "its `ttl` is longer than ten years"),
    ],
)
def test_a_reference_that_cannot_be_redeemed_is_listed_with_the_reason(
    change: JsonObject, reason: str
) -> None:
    found = only({"content": [{**GOOD, **change}]})
    assert isinstance(found, MalformedReference)
    assert (found.pointer, found.reason) == ("/content/0", reason)
    assert found.label == (None if "label" in change else "API key")
    longest = "x" * MAX_LABEL_CHARACTERS
    assert only({**GOOD, "ttl": -1, "label": longest}) == MalformedReference(
        pointer="", reason="its `ttl` is negative, or not a number", label=longest
    )


@pytest.mark.parametrize("key", ["id", "label", "redeemUrl"])
def test_a_reference_without_a_required_member_is_malformed(key: str) -> None:
    found = only({name: value for name, value in GOOD.items() if name != key})
    assert isinstance(found, MalformedReference)
    assert found.reason == f"it has no `{key}`"
    assert found.label == (None if key == "label" else "API key")


@pytest.mark.parametrize("repeated", ["redeemUrl", "type", "other"])
def test_a_reference_with_a_duplicate_key_is_malformed(repeated: str) -> None:
    text = '{"type":"secret_reference","id":"s1","label":"k","redeemUrl":"/a","%s":1,"%s":2}'
    found = only(parsed(text % (repeated, repeated)))
    assert isinstance(found, MalformedReference)
    assert "duplicate key" in found.reason


@pytest.mark.parametrize(
    ("ttl", "seconds"), [("0", 0), ("-0", 0), ("1.50", 1.5), ("6e1", 60), (str(MAX_TTL_S), MAX_TTL_S)]
)
def test_a_ttl_may_be_any_number_of_seconds_up_to_ten_years(ttl: str, seconds: float) -> None:
    found = only({**GOOD, "ttl": parsed(ttl)})
    assert isinstance(found, SecretReference)
    assert found.ttl_s == seconds


def test_a_reference_without_a_ttl_never_expires() -> None:
    found = only({name: value for name, value in GOOD.items() if name != "ttl"})
    assert isinstance(found, SecretReference)
    assert found.ttl_s is None
    assert not found.is_over(received_s=0, now_s=1e300)


@pytest.mark.parametrize(("now_s", "over"), [(100, False), (159.9, False), (160, True), (1e9, True)])
def test_a_reference_expires_when_its_ttl_has_passed_since_receipt(now_s: float, over: bool) -> None:  # noqa: FBT001
    found = only(GOOD)
    assert isinstance(found, SecretReference)
    assert found.is_over(received_s=100, now_s=now_s) is over


def test_a_reference_shows_neither_identifier_nor_url_when_printed() -> None:
    assert "s1" not in repr(only({**GOOD, "redeemUrl": "/secrets/s1?token=t"}))
    assert "token" not in repr(only({**GOOD, "redeemUrl": "/secrets/s1?token=t"}))


def test_references_beyond_the_limit_are_one_malformed_item() -> None:
    many: list[Json] = [GOOD] * (MAX_REFERENCES + 5)
    found = references_in(many)
    assert len(found) == MAX_REFERENCES + 1
    last = found[-1]
    assert isinstance(last, MalformedReference)
    assert "more than 1,000" in last.reason
    assert last.pointer == f"/{MAX_REFERENCES}"
    deep: Json = {"k" * MAX_POINTER_CHARACTERS: GOOD}
    assert references_in([*[GOOD] * MAX_REFERENCES, deep])[-1].pointer == ""


def test_a_reference_that_is_too_deep_for_a_pointer_is_malformed() -> None:
    found = only({"k" * MAX_POINTER_CHARACTERS: GOOD})
    assert found == MalformedReference(pointer="", reason="it is nested too deeply in the result")
    key = "k" * (MAX_POINTER_CHARACTERS - 1)
    assert only({key: GOOD}).pointer == f"/{key}"


def test_deeply_nested_references_are_read_in_linear_time() -> None:
    raw: Json = "end"
    for _ in range(30_000):
        raw = {**GOOD, "more": raw}
    started = time.process_time()
    assert len(references_in(raw)) == MAX_REFERENCES + 1
    assert time.process_time() - started < 1
    nested: Json = GOOD
    for _ in range(30_000):
        nested = [nested]
    started = time.process_time()
    assert isinstance(only(nested), MalformedReference)
    assert time.process_time() - started < 1


members = st.sampled_from(["type", "id", "label", "redeemUrl", "ttl", "x/y"])
leaves = st.none() | st.booleans() | st.floats() | st.integers() | st.just("secret_reference") | st.text()
anything = cast(
    "st.SearchStrategy[Json]",
    st.recursive(
        leaves,
        lambda below: (
            st.lists(below, max_size=4)
            | st.dictionaries(members, below, max_size=6)
            | st.lists(st.tuples(members, below), max_size=5).map(lambda pairs: DuplicateKeys(tuple(pairs)))
            | st.dictionaries(members, below).map(lambda more: {**GOOD, **more, "type": "secret_reference"})
        ),
        max_leaves=30,
    ),
)


def has_duplicates(value: Json) -> bool:
    if isinstance(value, DuplicateKeys):
        return True
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(has_duplicates, inner))


def references_counted(value: Json) -> int:
    if isinstance(value, DuplicateKeys):
        own = ("type", "secret_reference") in value.pairs
        return own + sum(references_counted(inner) for _, inner in value.pairs)
    if isinstance(value, dict):
        own = value.get("type") == "secret_reference"
        return own + sum(map(references_counted, value.values()))
    return sum(map(references_counted, value)) if isinstance(value, list) else 0


@settings(max_examples=80, deadline=None)
@given(anything)
def test_reading_references_never_raises_and_finds_all_of_them(raw: Json) -> None:
    found = references_in(raw)
    assert len(found) == references_counted(raw)
    if not has_duplicates(raw):
        for reference in found:
            place = resolve(raw, reference.pointer)
            assert isinstance(place, dict)
            assert place["type"] == "secret_reference"
            if isinstance(reference, SecretReference):
                assert place["redeemUrl"] == reference.redeem_url
                assert reference.ttl_s is None or 0 <= reference.ttl_s <= MAX_TTL_S
