"""Calls that a server turns into tasks, in both eras, well-formed and not: live, recorded, and replayed."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from inspector.asks.answer import Action, Answer
from inspector.asks.ask import Ask
from inspector.boundary.bounded import Level
from inspector.hosts.projection import project
from inspector.hosts.registry import hosts
from inspector.json.exact import dump_text
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError, unfinished
from inspector.protocol.targets import Era, StdioTarget
from inspector.protocol.timeline import Entry, EntryState
from inspector.recording.checking import checked
from inspector.recording.files import Recorder, RecordingFile
from inspector.recording.files.playing import Played
from inspector.recording.files.reading import GoodLines
from inspector.recording.replaying import Replay
from inspector.session.live import Session
from inspector.session.options import Options
from tests.recording.sessions import HEADER

if TYPE_CHECKING:
    from inspector.session.call_record import Progress

SERVER = Path(__file__).parents[1] / "peers" / "tasking_server.py"
ERAS = [Era.LEGACY, Era.MODERN]
SECRET = "canary-51c0"
ENDS = ("done", "secret", "error", "failed", "cancelled", "handle again", "state again", "speechless", "lost")


async def named(_: Ask) -> Answer:
    return Answer(action=Action.ACCEPT, content={"name": "Ada"})


@asynccontextmanager
async def tasking(era: Era, **options: Any) -> AsyncGenerator[Session]:
    target = StdioTarget(command=(sys.executable, "-S", "-E", str(SERVER), era.value))
    session = Session(target, replace(Options(era=era, responder=named), **options))
    await session.connect()
    await session.list_all()
    try:
        yield session
    finally:
        await session.close()


def said(outcome: Outcome) -> Any:
    assert isinstance(outcome, Result), outcome
    return outcome.value["content"][0]["text"]  # type: ignore[index, call-overload]


def entry_of(session: Session, name: str) -> Entry:
    (entry,) = (each for each in session.timeline.entries if each.title.startswith("tools/call"))
    assert entry.title == f"tools/call {name}"
    return entry


async def asked_about(session: Session) -> list[str]:
    return json.loads(said((await session.call("seen", {})).outcome))


@pytest.mark.parametrize("era", ERAS)
async def test_a_task_is_one_call_and_one_row_that_ends_with_its_result(era: Era) -> None:
    async with tasking(era) as session:
        told: list[Progress] = []
        record = await session.call("done", {}, on_progress=told.append)
        assert said(record.outcome) == "done"
        assert len(session.calls) == 1
        entry = entry_of(session, "done")
        assert (entry.state, entry.detail) == (EntryState.DONE, "")
        assert not [each for each in session.timeline.entries if each.title.startswith("tasks/")]
        assert [(each.task, each.message) for each in told] == [("working", "thinking")]
        assert entry.duration_s is not None
        assert record.duration_s == pytest.approx(entry.duration_s, abs=0.1)
        later = [] if era is Era.MODERN else ["tasks/result"]
        assert await asked_about(session) == ["tasks/get", "tasks/get", *later]


@pytest.mark.parametrize("era", ERAS)
async def test_an_input_request_of_a_task_is_answered_once(era: Era) -> None:
    async with tasking(era) as session:
        answers = json.loads(said((await session.call("asks", {})).outcome))
        given = {"action": "accept", "content": {"name": "Ada"}}
        assert answers == ({"who": given} if era is Era.MODERN else {"result": given})
        assert entry_of(session, "asks").state is EntryState.DONE
        counted = "tasks/update" if era is Era.MODERN else "tasks/result"
        assert (await asked_about(session)).count(counted) == 1


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("error", "Result"),
        ("failed", "RpcError"),
        ("lost", "RpcError"),
        ("cancelled", "the server cancelled the task: no time"),
        ("speechless", "the answer to tasks/get does not contain the task"),
        ("silent", "no answer to tasks/get within 0.5 s"),
        ("endless", "the task did not end within 0.5 s, so Sightline cancelled it"),
    ],
)
async def test_a_failed_task_ends_its_call(era: Era, name: str, ends: str) -> None:
    async with tasking(era) as session:
        record = await session.call(name, {}, timeout_s=0.5 if name in {"silent", "endless"} else 20)
        outcome = record.outcome
        words = outcome.detail if isinstance(outcome, Failure) else type(outcome).__name__
        assert words == ends
        entry = entry_of(session, name)
        assert entry.state is EntryState.FAILED
        if isinstance(outcome, RpcError):
            assert ("no such task" if name == "lost" else "out of bees") in entry.detail
        if name in {"endless", "speechless"}:
            assert (await asked_about(session))[-1] == "tasks/cancel"


async def test_a_task_with_a_thousand_input_requests_is_cancelled_unanswered() -> None:
    async with tasking(Era.MODERN) as session:
        outcome = (await session.call("thousand", {})).outcome
        assert isinstance(outcome, Failure)
        assert outcome.kind is FailureKind.PROTOCOL
        assert await asked_about(session) == ["tasks/get", "tasks/cancel"]


@pytest.mark.parametrize("era", ERAS)
async def test_cancelling_the_call_cancels_the_task(era: Era) -> None:
    async with tasking(era) as session:
        polled = asyncio.Event()
        call = asyncio.ensure_future(session.call("endless", {}, on_progress=lambda _: polled.set()))
        await asyncio.wait_for(polled.wait(), 20)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await asked_about(session))[-1] == "tasks/cancel"
        entry = next(each for each in session.timeline.entries if each.title == "tools/call endless")
        assert entry.state is EntryState.FAILED
        assert entry.detail == "the task was cancelled"


@pytest.mark.parametrize("era", ERAS)
async def test_the_envelope_of_a_task_is_in_no_model_view(era: Era, tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    live: dict[str, Outcome] = {}
    recorder = Recorder(path, HEADER)
    async with tasking(era, recorder=recorder) as session:
        for name in ENDS:
            live[name] = (await session.call(name, {}, timeout_s=2)).outcome
        rows = [each for each in session.timeline.entries if each.title.startswith("tools/call")]
    recorder.close()
    assert not recorder.failure
    file = RecordingFile(path)
    lines = list(GoodLines(file))
    file.close()
    replay = Replay()
    calls = [call for line in lines for call in replay.calls(line)]
    every = [*((session.calls[place].tool, outcome) for place, outcome in enumerate(live.values()))]
    every += [(call.tool, call.outcome) for call in calls]
    for tool, outcome in every:
        for host in hosts():
            for level in Level:
                shown = project(outcome, tool, level, host)
                assert "task-" not in dump_text(shown.context.model), (host.name, outcome)
                assert "pollInterval" not in dump_text(shown.context.model)
    # The handle, and then the end, if an answer contains it.
    ended = [(call.name, call.outcome) for call in calls if not unfinished(call.outcome)]
    expected = [name for name in ENDS if isinstance(live[name], (Result, RpcError))]
    again = [name for name in expected if unfinished(live[name])]
    assert [name for name, _ in ended] == [name for name in expected if name not in again]
    assert said(dict(ended)["done"]) == "done"
    # Values that the tool declares as sensitive are withheld from the result, and from earlier messages of the task.
    text = path.read_text()
    assert "kept" in text
    assert SECRET not in text
    assert all(not each.mismatches for each in checked(lines))
    # Stepping through the recording gives the same rows and the same calls.
    played = Played(path)
    played.index()
    shown = [played.entry(number, played.last) for number in range(1, played.entry_count(played.last) + 1)]
    mine = [(each.title, each.state) for each in shown if each.title.startswith("tools/call")]
    assert mine == [(row.title, row.state) for row in rows]
    stepped = [call for position in dict.fromkeys(played.calls) for call in played.call(position)]
    assert [(call.name, call.outcome) for call in stepped] == [(call.name, call.outcome) for call in calls]
    played.close()
