"""Invariant 6: no input makes the boundary raise, and the effort grows at most linearly with the size of the input."""

import sys
from types import FrameType

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level
from inspector.boundary.mask import mask
from inspector.boundary.reading import raw_of
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.json.pointer import resolve
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome, Result
from tests.proof.anything import calls
from tests.proof.cases import Case, cases
from tests.proof.sinks import contexts
from tests.proof.tally import PARTS, SEED, prove


@pytest.mark.parametrize("part", PARTS)
def test_bounding_never_raises_and_returns_a_result_or_an_error(part: int) -> None:
    def check(call: tuple[Tool | None, Outcome, Level]) -> set[str]:
        tool, outcome, level = call
        raw = raw_of(outcome)
        before = dump_text(raw)
        bounded = bound(outcome, tool, level)
        assert not any("a rule failed" in removal.detail for removal in bounded.removals), bounded.removals
        for removal in bounded.removals:
            resolve(raw, removal.pointer)
        dump_text(mask(raw, bounded.removals))
        for context in contexts(bounded):
            dump_text(context.model)
        assert dump_text(raw) == before
        if level is not Level.OPEN:
            assert_is_whole(bounded.result, is_result=isinstance(outcome, Result))
        return {"removal"} if bounded.removals else set()

    prove("6 no input makes it raise", part, calls, check, mostly=())


def assert_is_whole(result: Json, *, is_result: bool) -> None:
    assert isinstance(result, dict)
    if not is_result:
        assert result.keys() == {"error"}
        return
    content = result.get("content", [])
    assert isinstance(content, list)
    assert all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in content)


def effort(case: Case, raw: Json, level: Level) -> int:
    """The number of function calls that bounding takes."""
    count = 0

    def called(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    outcome = Result(value=raw)
    sys.setprofile(called)
    try:
        bound(outcome, case.tool, level, policy=case.policy, declared=case.contract)
    finally:
        sys.setprofile(None)
    return count


def repeated(case: Case, times: int) -> JsonObject:
    """A result with that many copies of the case's parts, with different words."""
    parts: list[Json] = []
    for turn in range(times):
        words = [f"{word}{turn}" if isinstance(word, str) else word + turn for word in case.words(turn % 2)]
        value = raw_of(case.outcome(words))
        parts.append(value.get("structuredContent", value) if isinstance(value, dict) else value)
    content: list[Json] = [{"type": "text", "text": f"of {dump_text(part)}"} for part in parts]
    return {"content": content, "structuredContent": {"rows": parts}}


def in_rows(case: Case) -> Case:
    """The case with a schema of rows, each of which fits the case's own schema."""
    definition = dict(case.tool.definition) if case.tool else {}
    schema = definition.get("outputSchema")
    if isinstance(schema, dict):
        inner: JsonObject = {key: value for key, value in schema.items() if key != "$schema"}
        shared = ("$defs", "definitions")
        definition["outputSchema"] = {
            **{key: inner.pop(key) for key in shared if key in inner},
            "type": "object",
            "properties": {"rows": {"type": "array", "items": inner}},
        }
    return Case(
        tool=Tool(name="tool", definition=definition),
        policy=case.policy,
        answer=case.answer,
        is_error=False,
        kinds=case.kinds,
        guarded=case.guarded,
        echoes=case.echoes,
        is_altered=case.is_altered,
    )


def test_the_effort_grows_at_most_linearly_with_the_result() -> None:
    @seed(SEED)
    @settings(
        max_examples=12,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
    )
    @given(cases(fitting=True))
    def check(case: Case) -> None:
        whole = in_rows(case)
        for level in (Level.DECLARED, Level.CLOSED):
            few, many = effort(whole, repeated(case, 20), level), effort(whole, repeated(case, 80), level)
            assert many < 4.2 * few + 2_000, (few, many, whole)

    check()
