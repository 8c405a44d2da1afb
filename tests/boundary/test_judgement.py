import threading

import pytest

from inspector.boundary import judgement as module
from inspector.boundary.bounded import Bounded, Level
from inspector.boundary.judgement import CACHED, Judgement
from inspector.boundary.options import BoundaryPolicy
from inspector.json.exact import JsonObject
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result
from inspector.review.finding import SubjectKind
from inspector.review.reviewed import Offer, ReviewedCall
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
