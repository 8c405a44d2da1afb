"""Invariants 3, 4 and 5: everything that passes was sent exactly so; a stricter boundary passes less; and
bounding it once more changes nothing.
"""

from itertools import pairwise

import pytest
from hypothesis import strategies as st

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Bounded, Level
from inspector.boundary.error_code import is_tool_result
from inspector.boundary.notice import MEMBER, notice_in_block
from inspector.boundary.reading import raw_of
from inspector.boundary.walking import WITHHELD
from inspector.hosts.profile import Call
from inspector.hosts.registry import host
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.json.pointer import resolve
from inspector.protocol.outcome import Result, RpcError
from tests.proof.cases import Case, cases
from tests.proof.leaves import content_of, leaves, others_of, structured_of
from tests.proof.sinks import STRICT, bounded_by, judged
from tests.proof.tally import PARTS, Invariant, prove, prove_all

LEVELS = (Level.CLOSED, Level.DECLARED, Level.OPEN)


def had(case: Case, bounded: Bounded) -> set[str]:
    found = {"removal"} if bounded.removals else set[str]()
    found |= {"canary"} if case.guarded else set[str]()
    return found | ({"echo"} if case.echoes else set[str]())


def names_of(case: Case) -> frozenset[str]:
    return case.contract.positions.names if case.contract.positions else frozenset()


def as_sent(raw: Json) -> Json:
    """A raw result in the shape of bounded ones."""
    is_whole = is_tool_result(raw) or (isinstance(raw, dict) and raw.keys() == {"error"})
    return raw if is_whole else {"content": [], "structuredContent": raw}


def assert_within(less: Json, more: Json, names: frozenset[str]) -> None:
    assert structured_of(less) <= structured_of(more)
    sent = content_of(more, names)
    for block in content_of(less, names):
        assert any(block <= whole for whole in sent), block


def passes_less_at_a_stricter_level(drawn: tuple[Case, Level]) -> set[str]:
    case, _ = drawn
    spec = host("spec")
    assert spec
    # Without markers, so that leaves can be compared.
    bounded = [bounded_by(case, case.sent, level, nonce="") for level in LEVELS]
    results = [as_sent(each.result) for each in bounded]
    models = [as_sent(spec.model_view(each, Call()).model) for each in bounded]
    for less, more in (*pairwise(results), *pairwise(models)):
        assert_within(less, more, names_of(case))
    if not case.is_error:
        assert others_of(results[0]) <= others_of(results[1]) <= others_of(results[2])
    return had(case, bounded[0])


def changes_nothing_again(drawn: tuple[Case, Level]) -> set[str]:
    case, level = drawn
    once = judged(case, level).bounded
    assert isinstance(once.result, dict)
    is_error = case.is_error and once.result.keys() == {"error"}
    outcome = RpcError(value=once.result["error"]) if is_error else Result(value=once.result)
    again = bounded_by(case, outcome, level)
    assert again.removals == (), case
    assert dump_text(again.result) == dump_text(once.result), case
    return had(case, once)


def assert_keys_in_order(left: Json, raw: Json) -> None:
    stack = [(left, raw)]
    while stack:
        kept, sent = stack.pop()
        if isinstance(kept, dict) and isinstance(sent, dict):
            keys = [key for key in kept if key in sent]
            assert keys == [key for key in sent if key in kept]
            stack.extend((kept[key], sent[key]) for key in keys if key != MEMBER)
        elif isinstance(kept, list) and isinstance(sent, list):
            stack.extend(zip(kept, sent, strict=False))


def assert_explained(bounded: Bounded, raw: Json) -> None:
    """Assert that every missing part of the structured content has a removal with a reason."""
    shape = as_sent(raw)
    if not isinstance(shape, dict) or "structuredContent" not in shape:
        return
    prefix = "/structuredContent" if is_tool_result(raw) else ""
    kept = structured_of(bounded.result)
    removed = {removal.pointer for removal in bounded.removals}
    for pointer, leaf in leaves(shape["structuredContent"]):
        tokens = (prefix + pointer).split("/")
        missing = (pointer, leaf) not in kept
        assert not missing or any(
            "/".join(tokens[:length]) in removed for length in range(1, len(tokens) + 1)
        )


def assert_blocks_untouched(bounded: Bounded, raw: JsonObject, names: frozenset[str]) -> None:
    """Assert that a block without removals passes as it was sent."""
    sent, left = raw.get("content"), bounded.result
    passed = left.get("content") if isinstance(left, dict) else None
    if not isinstance(sent, list) or not isinstance(passed, list):
        return
    written = [dump_text(block) for block in passed]
    pointers = [removal.pointer for removal in bounded.removals]
    for index, block in enumerate(sent):
        own = f"/content/{index}"
        touched = any(pointer == own or pointer.startswith(f"{own}/") for pointer in pointers)
        if not touched and "" not in pointers and not notice_in_block(block, names):
            assert dump_text(block) in written, block


def is_explained_and_else_as_sent(drawn: tuple[Case, Level]) -> set[str]:
    case, level = drawn
    bounded, raw = judged(case, level).bounded, raw_of(case.sent)
    assert dump_text(raw) == dump_text(raw_of(case.outcome(case.words(0)))), "bounding changed it"
    for removal in bounded.removals:
        resolve(raw, removal.pointer)
    if case.is_error:
        return had(case, bounded)
    left, sent = as_sent(bounded.result), as_sent(raw)
    assert isinstance(left, dict)
    assert isinstance(sent, dict)
    assert structured_of(left) <= structured_of(sent)
    assert_keys_in_order(left.get("structuredContent"), sent.get("structuredContent"))
    assert_explained(bounded, raw)
    assert_blocks_untouched(bounded, sent, names_of(case))
    return had(case, bounded)


@pytest.mark.parametrize("part", PARTS)
def test_all_that_passes_was_sent_so_a_stricter_level_passes_less_and_none_changes_its_own_output(
    part: int,
) -> None:
    prove_all(
        part,
        st.tuples(cases() | cases(echoes=True), st.sampled_from(STRICT)),
        Invariant(name="3 closed within declared within open", check=passes_less_at_a_stricter_level),
        Invariant(name="4 idempotence", check=changes_nothing_again),
        Invariant(name="5 removals resolve, the rest is exact", check=is_explained_and_else_as_sent),
    )


def test_at_open_everything_passes_as_it_was_sent() -> None:
    def check(case: Case) -> set[str]:
        outcome = case.outcome(case.words(0))
        bounded = bound(outcome, case.tool, Level.OPEN, policy=case.policy)
        assert dump_text(bounded.result) == dump_text(raw_of(outcome))
        assert bounded.removals == ()
        return set()

    prove("5 open is what was sent", 0, cases(), check, mostly=())


def test_the_comparison_of_leaves_sees_every_kind_of_difference() -> None:
    raw: Json = {"a": 2**60 + 1, "b": [1, {"c": "x"}]}
    others: list[Json] = [{"a": 2**60, "b": [1]}, {"b": [{"c": "x"}]}, {"b": [1, {"d": "x"}]}]
    for other in others:
        assert not frozenset(leaves(other)) <= frozenset(leaves(raw))
    assert frozenset(leaves({"b": [WITHHELD, {"c": "x"}]})) <= frozenset(leaves(raw))
