import pytest

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.mask import MASK, SHOWN, mask
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text, equal


def removal(pointer: str, rule: str = Rule.X_SENSITIVE) -> Removal:
    return Removal(pointer=pointer, rule=rule, detail="")


VALUE: JsonObject = {"a": {"b": [1, {"c": "x"}], "~/": 2}, "d": 3, "": {"": 4}}
TWICE = DuplicateKeys((("a", 1), ("a", 2)))

MASKED: list[tuple[str, Json, list[str], Json]] = [
    ("a leaf", VALUE, ["/a/b/1/c"], {**VALUE, "a": {"b": [1, {"c": MASK}], "~/": 2}}),
    ("a container", VALUE, ["/a/b"], {**VALUE, "a": {"b": MASK, "~/": 2}}),
    ("the whole", VALUE, [""], MASK),
    ("an escaped key", VALUE, ["/a/~0~1"], {**VALUE, "a": {"b": [1, {"c": "x"}], "~/": MASK}}),
    ("empty keys", VALUE, ["//"], {**VALUE, "": {"": MASK}}),
    (
        "several, one inside another",
        VALUE,
        ["/a/b/1/c", "/a/b", "/a/b/0"],
        {**VALUE, "a": {"b": MASK, "~/": 2}},
    ),
    ("one inside a masked one", VALUE, ["/a/b", "/a/b/0"], {**VALUE, "a": {"b": MASK, "~/": 2}}),
    ("the same twice", VALUE, ["/d", "/d"], {**VALUE, "d": MASK}),
    ("below what names a key twice", {"x": TWICE, "y": 1}, ["/x/a"], {"x": MASK, "y": 1}),
    ("where a key is missing, what should hold it", VALUE, ["/a/none/c"], {**VALUE, "a": MASK}),
    ("where an index is none", VALUE, ["/a/b/01"], {**VALUE, "a": {"b": MASK, "~/": 2}}),
    ("beyond the end of a list", VALUE, ["/a/b/2"], {**VALUE, "a": {"b": MASK, "~/": 2}}),
    ("below a leaf", VALUE, ["/d/x"], {**VALUE, "d": MASK}),
    ("an item with more in it", [{"a": 1}, 2], ["/0"], [MASK, 2]),
    ("where the whole lacks a key", VALUE, ["/none"], MASK),
    ("nothing", VALUE, [], VALUE),
    ("nothing of a text", "x", [], "x"),
]


@pytest.mark.parametrize(
    ("value", "pointers", "expected"), [case[1:] for case in MASKED], ids=[case[0] for case in MASKED]
)
def test_the_target_of_a_removal_is_masked_and_the_rest_stays_as_sent(
    value: Json, pointers: list[str], expected: Json
) -> None:
    before = dump_text(value)
    assert equal(mask(value, map(removal, pointers)), expected)
    assert dump_text(value) == before


@pytest.mark.parametrize("rule", Rule)
def test_only_rules_that_are_not_about_secrets_leave_a_value_visible(rule: Rule) -> None:
    harmless = {
        "audience",
        "error",
        "meta",
        "no-contract",
        "policy",
        "undeclared",
        "unfinished",
        "unknown-content",
        "untrusted",
        "unverified",
    }
    assert (mask({"a": 1}, [removal("/a", rule)]) == {"a": 1}) is (rule.value in harmless)
    assert {str(shown) for shown in SHOWN} == harmless


def test_a_removal_by_an_unknown_rule_is_masked() -> None:
    assert mask({"a": 1}, [removal("/a", "a-later-rule")]) == {"a": MASK}


def test_parts_without_removals_are_shared() -> None:
    kept: JsonObject = {"x": [1]}
    masked = mask({"a": 1, "kept": kept}, [removal("/a")])
    assert isinstance(masked, dict)
    assert masked["kept"] is kept


def test_masking_a_deep_value_does_not_recurse() -> None:
    value: Json = "secret"
    for _ in range(3_000):
        value = {"a": value}
    assert dump_text(mask(value, [removal("/a" * 3_000)])).count(MASK) == 1
