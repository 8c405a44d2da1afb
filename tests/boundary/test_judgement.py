import threading

import pytest

from inspector.boundary import judgement as module
from inspector.boundary.bounded import Bounded, Level
from inspector.boundary.contract import Contract
from inspector.boundary.judgement import CACHED, Judgement
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.output_check import NOT_ASKED, OutputCheck, OutputViolation
from inspector.json.exact import JsonObject
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result
from inspector.review.finding import SubjectKind
from inspector.review.reviewed import Offer, ReviewedCall
from inspector.schema.validation import SchemaCheck
from inspector.session.call_record import CallRecord
from inspector.tui.result.view import result_view
from inspector.tui.secrets.keeper import holdings

DEFINITION: JsonObject = {
    "name": "mint",
    "inputSchema": {"type": "object"},
    "outputSchema": {"type": "object", "properties": {"key": {"type": "string", "x-sensitive": True}}},
}
TOOL = Tool(name="mint", definition=DEFINITION)
RESULT: JsonObject = {"content": [], "structuredContent": {"key": "CANARY-4711-abcdef"}}


@pytest.fixture
def levels(monkeypatch: pytest.MonkeyPatch) -> list[Level]:
    """The boundary of each bounded result that is computed."""
    counted: list[Level] = []
    real = module.bound

    def counting(*arguments: object, **more: object) -> Bounded:
        bounded = real(*arguments, **more)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        counted.append(bounded.level)
        return bounded

    monkeypatch.setattr(module, "bound", counting)
    return counted


def test_a_call_is_bounded_once_per_boundary_for_all_its_uses(levels: list[Level]) -> None:
    judgement = Judgement(Result(value=RESULT), TOOL)
    record = CallRecord(
        number=1, name="mint", arguments={}, judgement=judgement, at_s=0, duration_s=0, size_bytes=0
    )
    offer = Offer(kind=SubjectKind.TOOL, name="mint", definition=DEFINITION, tool=TOOL)
    for host in ("spec", "codex"):
        result_view(record, Level.DECLARED, host, server="server")
    assert len(holdings(record).withheld) == 1
    assert ReviewedCall(offer=offer, outcome=record.outcome, judgement=judgement).withheld
    assert levels == [Level.DECLARED]
    for level in (Level.OPEN, Level.CLOSED, Level.DECLARED):
        result_view(record, level, "spec", server="server")
    assert levels == [Level.DECLARED, Level.OPEN, Level.CLOSED]


def test_concurrent_threads_wait_for_one_bounded_result(levels: list[Level]) -> None:
    judgement = Judgement(Result(value=RESULT), TOOL)
    found: list[Bounded] = []
    threads = [
        threading.Thread(target=lambda: found.append(judgement.bounded(Level.DECLARED))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert levels == [Level.DECLARED]
    assert len({id(bounded) for bounded in found}) == 1


def test_few_bounded_results_are_cached_but_all_secrets_are_kept(levels: list[Level]) -> None:
    judgement = Judgement(Result(value=RESULT), TOOL)
    removals = judgement.secrets()
    for threshold in ("low", "medium", "high", "critical"):
        judgement.bounded(Level.OPEN, BoundaryPolicy(sensitivity_threshold=threshold))
    assert judgement.secrets() is removals
    assert levels == [Level.DECLARED, *[Level.OPEN] * (CACHED + 1)]


def test_the_oldest_bounded_result_is_computed_again(levels: list[Level]) -> None:
    judgement = Judgement(Result(value=RESULT), TOOL)
    policies = [BoundaryPolicy(sensitivity_threshold=each) for each in ("low", "medium", "high", "critical")]
    for policy in (*policies[:CACHED], *policies[:CACHED]):
        judgement.bounded(Level.OPEN, policy)
    assert len(levels) == CACHED
    for policy in (policies[CACHED], policies[0]):
        judgement.bounded(Level.OPEN, policy)
    assert len(levels) == CACHED + 2


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (BoundaryPolicy(), [Level.DECLARED, Level.CLOSED]),
        (BoundaryPolicy(hide_untrusted=True), [Level.CLOSED]),
    ],
)
def test_closed_takes_the_secrets_of_declared_if_the_policy_hides_nothing_else(
    levels: list[Level], policy: BoundaryPolicy, expected: list[Level]
) -> None:
    Judgement(Result(value=RESULT), TOOL).bounded(Level.CLOSED, policy)
    assert levels == expected


def test_the_contract_of_an_answer_of_a_page_is_made_once() -> None:
    judgement = Judgement(Result(value={"a": 1}, of_page=True), TOOL)
    assert judgement.contract.is_of_page
    assert not Judgement(Result(value=RESULT), TOOL).contract.is_of_page
    assert judgement.contract is judgement.contract


def test_an_output_is_checked_once_and_bounded_only_if_it_breaks_its_schema(
    levels: list[Level], monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[Outcome] = []
    real = module.checked_output

    def checking(outcome: Outcome, contract: Contract) -> SchemaCheck | None:
        checked.append(outcome)
        return real(outcome, contract)

    monkeypatch.setattr(module, "checked_output", checking)
    broken: JsonObject = {"content": [], "structuredContent": {"key": 5}}
    for value, breaks in ((RESULT, False), (broken, True)):
        judgement = Judgement(Result(value=value), TOOL)
        assert not judgement.breaks_schema
        for _ in range(2):
            assert bool(judgement.output(Level.OPEN).violations) is breaks
            assert judgement.breaks_schema is breaks
    assert [outcome.value for outcome in checked if isinstance(outcome, Result)] == [RESULT, broken]
    assert set(levels) == {Level.DECLARED, Level.OPEN}
    assert len(levels) == 2
    unasked = Judgement(Failure(kind=FailureKind.TIMEOUT, detail="late"), TOOL)
    assert (unasked.output(Level.OPEN), unasked.breaks_schema) == (NOT_ASKED, False)


@pytest.mark.parametrize("breaks", [True, False])
def test_an_earlier_check_of_the_output_is_taken_as_it_is(breaks: bool) -> None:  # noqa: FBT001 - a row of a table
    fault = OutputViolation(pointer="/a", keyword="type", message="must be text")
    earlier = OutputCheck(violations=(fault,) if breaks else ())
    judgement = Judgement(Result(value=RESULT), TOOL, output=earlier)
    assert judgement.breaks_schema is breaks
    assert judgement.output(Level.OPEN) is earlier
