"""Parts of the boundary on their own: shortcuts, the ledger, repetitions, and the count of undeclared leaves."""

import pytest

from inspector.boundary import removals as ledgers
from inspector.boundary.bounded import Bounded, Level, Rule
from inspector.boundary.contract import Contract
from inspector.boundary.draft import Block, Draft, Fate, Reason, Structured
from inspector.boundary.notice import UNKNOWN_CONTENT
from inspector.boundary.options import DEFAULT_POLICY
from inspector.boundary.removals import Ledger, MarkedRows, Secrets, UnjudgeableError
from inspector.boundary.same_content import (
    json_in,
    repeats,
    text_of,
    text_pointer,
    withhold_with_repetition,
)
from inspector.boundary.undeclared import undeclared
from inspector.boundary.walking import WITHHELD, WalkStep, left_of_flat
from inspector.json.exact import DuplicateKeys, Json, JsonObject, Number
from inspector.schema.positions import Source, positions_of
from tests.boundary.bounding import fields, judged, text

TEXT: Json = {"type": "string"}
MARKED: Json = {"type": "string", "x-sensitive": True}
OBJECT: JsonObject = {"type": "object", "properties": {"a": TEXT, "b": {"type": "integer"}, "pin": MARKED}}
HIDING: JsonObject = {"type": "object", "patternProperties": {"^s": {"x-sensitive": True}}}
NO_KEYS: JsonObject = {"type": "object", "propertyNames": {"x-sensitive": True}}
REFERENCE: Json = {"type": "secret_reference", "id": "i", "label": "l"}


# The shortcut for flat containers.


def left_of(value: Json, schema: Json, *, declared: bool) -> tuple[Json, list[str]]:
    start = positions_of({"type": "object", "properties": {"x": schema}}).start()
    ledger = Ledger(Contract(), "/root")
    above = WalkStep(None, 0, start, {"x": value}, {})
    left = left_of_flat(above, "x", start.step("x"), value, ledger, declared=declared)
    return left, [removal.pointer for removal in ledger.removals]


FLAT: list[tuple[Json, Json, bool, bool]] = [
    ({"a": "x", "b": 1}, OBJECT, True, True),
    ({}, OBJECT, True, True),
    ({"a": 5}, OBJECT, True, False),
    ({"a": "x", "c": 1}, OBJECT, True, False),
    ({"a": "x", "c": []}, OBJECT, False, False),
    ({"a": {}}, OBJECT, False, False),
    (REFERENCE, OBJECT, False, False),
    ({"type": "other"}, {"properties": {"type": TEXT}, "type": "object"}, True, True),
    ({"a": "x"}, NO_KEYS, False, False),
    ({"a": "x"}, HIDING, True, False),
    ({"s": "x"}, HIDING, False, False),
    (["x"], {"type": "array", "items": TEXT}, True, True),
    ([], {"type": "array", "items": TEXT}, True, True),
    ([5], {"type": "array", "items": TEXT}, True, False),
    ([[]], {"type": "array", "items": TEXT}, False, False),
    (["x"], {"type": "array", "items": MARKED}, False, False),
    (["x"], {"type": "array", "prefixItems": [TEXT, MARKED]}, False, False),
    (DuplicateKeys((("a", "x"),)), OBJECT, False, False),
]


@pytest.mark.parametrize(("value", "schema", "at_declared", "at_closed"), FLAT, ids=str)
def test_the_shortcut_passes_flat_values_and_leaves_the_rest_to_the_walk(
    value: Json, schema: Json, *, at_declared: bool, at_closed: bool
) -> None:
    for declared, passes in ((False, at_declared), (True, at_closed)):
        left, removals = left_of(value, schema, declared=declared)
        assert left is (value if passes else None)
        assert removals == []


@pytest.mark.parametrize("declared", [False, True])
def test_the_shortcut_withholds_marked_values_of_any_type(*, declared: bool) -> None:
    value: Json = {"a": "x", "pin": 5, "b": 1}
    left, removals = left_of(value, OBJECT, declared=declared)
    assert left == {"a": "x", "b": 1}
    assert value["pin"] == 5
    assert removals == ["/root/x/pin"]


def test_the_plan_for_objects_with_the_same_keys_is_cached_up_to_a_limit() -> None:
    start = positions_of({}).start()
    above = WalkStep(None, 0, start, {}, {})
    ledger = Ledger(Contract(), "")
    for number in (0, 0, *range(1, 1_002)):
        before = dict(start.plans)
        assert left_of_flat(above, "x", start, {f"k{number}": 1}, ledger, declared=False)
        assert all(start.plans[asked] is plan for asked, plan in before.items())
    assert len(start.plans) == 1_000


# The ledger.


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        (Rule.X_SENSITIVE, "declared"),
        (Rule.SENSITIVE_HINT, "hinted"),
        (Rule.SECRET_REFERENCE, "declared"),
        (Rule.AUDIENCE, "personal"),
        (Rule.LABELLED, "declared"),
        (Rule.INVALID_OUTPUT, "declared"),
        (Rule.INTERNAL, "declared"),
        (Rule.UNDECLARED, None),
        (Rule.META, None),
        (Rule.NO_CONTRACT, None),
    ],
)
def test_withheld_values_are_secret_if_declared_so_or_if_unknown(rule: Rule, kept: str | None) -> None:
    ledger = Ledger(Contract(), "")
    ledger.note("/a", rule, "d", "value")
    for found in (Secrets().add(rule, ["value"]), ledger.secrets):
        lists = {"declared": found.declared, "hinted": found.hinted, "personal": found.personal}
        assert {name: values for name, values in lists.items() if values} == (
            {kept: ["value"]} if kept else {}
        )


def test_marked_values_are_secret() -> None:
    ledger = Ledger(Contract(), "")
    ledger.mark("/a", "b", Source(reason="r", schema_pointer=None, mark_key=None), None, "value")
    assert ledger.secrets.declared == ["value"]


@pytest.mark.parametrize("extra", [0, 1])
def test_pointers_are_listed_up_to_a_number_of_characters(
    extra: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledgers, "MAX_POINTER_CHARACTERS", 20 - extra)
    source = Source(reason="r", schema_pointer=None, mark_key=None)

    def spends() -> None:
        ledger.spend("0123456789")
        ledger.spend("0123456789")

    def marks() -> None:
        ledger.mark("01234567", "89", source, None, 1)
        ledger.mark("012345678", 9, source, None, 1)

    def rows() -> None:
        ledger.mark_rows(MarkedRows("0", 9, 2, (("12", source, None), ("3", source, None))), [1] * 4)

    def notes() -> None:
        ledger.note("0123456789", Rule.META, "d", 1)
        ledger.mark("012345678", None, source, None, 1)

    for use in (spends, marks, rows, notes):
        ledger = Ledger(Contract(), "")
        if extra:
            with pytest.raises(UnjudgeableError):
                use()
        else:
            use()


# Repetitions of the structured content.


@pytest.mark.parametrize(
    "block",
    [
        None,
        "text",
        ["text"],
        {"type": "text", "text": 5},
        {"type": "text"},
        {"type": "resource", "resource": "text"},
        {"type": "resource", "resource": {"text": None}},
        {"type": "resource", "text": "x"},
    ],
)
def test_a_block_without_text_has_no_text(block: Json) -> None:
    assert text_of(block) is None


def test_the_pointer_to_a_text_depends_on_the_type_of_its_block() -> None:
    assert text_pointer({"type": "resource", "resource": {"text": "x"}}) == "/resource/text"
    assert text_pointer({"type": "text", "text": "x"}) == "/text"
    assert text_pointer("x") == "/text"


@pytest.mark.parametrize("text", ["", " ", "x", "NaN", "Infinity", "{", "tru", "\u00a0{}"])
def test_a_text_that_is_not_json_contains_no_json(text: str) -> None:
    assert json_in(text) is None


@pytest.mark.parametrize(
    ("text", "parsed", "value", "same"),
    [
        ("[1]", [1], [1.0], True),
        ("[1]", [1], [2], False),
        ("[NaN]", [Number("NaN")], [Number("NaN")], True),
        ('["NaN",1]', ["NaN", 1], ["NaN", 2], False),
    ],
)
def test_a_text_repeats_a_value_if_its_json_is_equal(
    text: str, parsed: Json, value: Json, *, same: bool
) -> None:
    assert repeats(text, parsed, value) is same


REASON = Reason(rule=Rule.LABELLED, detail="d")
REPEATING: Json = {"type": "text", "text": '{"a":1}'}


@pytest.mark.parametrize(
    ("first", "taken", "goes"),
    [
        (REPEATING, True, True),
        ({"type": "text", "text": '{"a":2}'}, True, False),
        ({"type": "text", "text": "w"}, True, False),
        ({"type": "image", "data": ""}, True, False),
        (REPEATING, False, False),
    ],
)
@pytest.mark.parametrize("fate", [Fate.OWN, Fate.WITHHELD])
@pytest.mark.parametrize("later", [False, True])
def test_structured_content_is_withheld_with_the_block_that_repeats_it(
    first: Json, fate: Fate, *, taken: bool, goes: bool, later: bool
) -> None:
    # Blocks that are already decided contain the same text, and are not withheld a second time.
    blocks = [
        Block(pointer="/content/0", raw=REPEATING, value=REPEATING, fate=fate),
        Block(pointer="/content/1", raw=REPEATING, value=REPEATING),
        Block(pointer="/content/2", raw=first, value=first),
    ]
    draft = Draft(
        raw=None,
        level=Level.DECLARED,
        policy=DEFAULT_POLICY,
        contract=Contract(),
        blocks=tuple(blocks if later else (blocks[0], blocks[2])),
        structured=Structured(pointer="/structuredContent", raw={"a": 1}, value={"a": 1}),
    )
    known = {"/content/0": True, "/content/2": taken}
    left = withhold_with_repetition(draft, lambda block: REASON if known.get(block.pointer) else None)
    assert left.structured
    assert left.structured.gone is goes
    assert left.blocks[-1].fate is (Fate.WITHHELD if taken else Fate.RAW)


# The number of undeclared leaves that pass.

NAMED = Contract(positions=positions_of(OBJECT))
TWICE = DuplicateKeys((("a", 1), ("a", [2, 3])))


@pytest.mark.parametrize(
    ("result", "count"),
    [
        ("x", 0),
        ({"error": "x"}, 0),
        ({"error": {"code": 5, "message": "m", "data": TWICE}}, 4),
        ({"content": "x"}, 0),
        ({"content": [], "resultType": "complete", "_meta": {"k": 1}, "isError": False, "more": [1]}, 1),
        ({"structuredContent": {"a": "x", "z": 1, "_withheld": {"otherFields": "1"}}}, 1),
        ({"structuredContent": {"_withheld": {"otherFields": "1"}}}, 0),
        ({"structuredContent": {"a": "x", "z": [1, WITHHELD]}}, 1),
        ({"structuredContent": ["x", "y"]}, 2),
        ({"structuredContent": None}, 1),
        ({"structuredContent": TWICE}, 3),
        ({}, 0),
    ],
)
def test_undeclared_leaves_are_counted(result: Json, count: int) -> None:
    assert undeclared(Bounded(level=Level.DECLARED, result=result), NAMED).number == count


def test_undeclared_leaves_in_a_repetition_count_if_the_call_failed() -> None:
    result: JsonObject = {"content": [text('{"a":"x"}')], "structuredContent": {"a": "x"}}
    assert undeclared(judged(result, fields(a=TEXT)), NAMED).number == 0
    failed = judged({**result, "isError": True}, fields(a=TEXT))
    assert undeclared(failed, NAMED).places == ("/structuredContent", "/content/0")


def test_a_text_of_the_boundary_itself_is_not_undeclared() -> None:
    result: JsonObject = {"content": [text(UNKNOWN_CONTENT), text("w"), {"type": "unknown"}]}
    assert judged(result).free_blocks == ("/content/1",)
    assert judged(result, level=Level.OPEN).free_blocks == ()


def test_every_leaf_counts_as_undeclared_if_pointers_exceed_their_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ledgers, "MAX_POINTER_CHARACTERS", 0)
    result: Json = {"structuredContent": {"a": "x", "z": 1}}
    assert undeclared(Bounded(level=Level.DECLARED, result=result), NAMED).number == 2
